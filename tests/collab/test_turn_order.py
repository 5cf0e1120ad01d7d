"""Lines in succession: the user's go one after the other in each session, for at most 45 s, and Bots' do not queue."""

import json
from pathlib import Path
from typing import Any

from evening import Evening

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

WAIT = 45_000


def _asked_about(evening: Evening, line: int) -> dict[str, Any] | None:
    """What the reading of which matter a line is about was given; None where it has not been asked."""
    body = evening.value("SELECT body FROM effects WHERE kind = 'read' AND subject LIKE ?", f"filing:{line}:%")
    return None if body is None else json.loads(body)


def _at(evening: Evening, at: int) -> None:
    """The next event happens at that time."""
    evening.now = at - 1000


def _due(evening: Evening, line: int) -> tuple[int, int]:
    """The open timer of the line that a later one waits behind: its effect, and when it is due."""
    row = evening.rows(
        "SELECT id, json_extract(body, '$.due') FROM effects WHERE subject = ? AND state IN ('pending', 'started')",
        f"behind:{line}",
    )
    return int(row[0][0]), int(row[0][1])


@proves("TURN-12")
def test_the_first_of_two_quick_lines_opens_the_turn(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案"])
    first = evening.say("写三句宣传语", to="文案", read=False)
    second = evening.say("每句不超过十个字", to="文案", read=False)
    evening.read(second)
    expect_equal("TURN-12", evening.turns("文案"), [], "turns while the first line is still being read")
    evening.read(first)
    evening.read(second)
    opened = [turn["trigger_message"] for turn in evening.turns("文案")]
    expect_equal("TURN-12", opened, [first], "the lines that opened turns")
    expect_equal("TURN-12", evening.read_in(second, "文案"), [], "the second line is not read before the next step")
    evening.hop("文案", events.Call("read_file", {"path": "brief.md"}))
    expect_equal("TURN-12", evening.read_in(second, "文案"), [evening.turn("文案")["id"]], "who has read the second")


@proves("TURN-13")
def test_a_later_line_is_filed_once_the_one_before_has_been_delivered(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案"])
    plan = evening.opened("新品片", to="文案")
    first = evening.say("宣传语写三句", to="文案", read=False)
    second = evening.say("再宽一点", to="文案", read=False)
    expect("ATTR-04", _asked_about(evening, first) is not None, "what the first line is about is asked at once")
    expect_equal("TURN-13", _asked_about(evening, second), None, "what the second is about, before the first is filed")
    evening.read(first, [plan])
    asked = _asked_about(evening, second)
    expect("TURN-13", asked is not None, "what the second is about is asked once the first has been delivered")
    assert asked is not None
    seen = [(line["text"], line["plans"]) for line in asked["previous"]][-1]
    expect_equal("TURN-13", seen, ("宣传语写三句", [plan]), "the line before, and where it was filed")
    evening.read(second, [plan])
    expect_equal("TURN-13", len(evening.turns("文案")), 1, "turns that two quick lines opened")
    evening.hop("文案", events.Call("read_file", {"path": "brief.md"}))
    expect_equal("TURN-13", evening.read_in(second, "文案"), [evening.turn("文案")["id"]], "who has read the second")


@proves("TURN-13")
def test_lines_of_different_sessions_do_not_wait_for_each_other(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案", "审片员"])
    evening.say("写三句宣传语", to="文案", read=False)
    other = evening.say("看一下样片", to="审片员", read=False)
    evening.read(other)
    expect_equal("TURN-13", len(evening.turns("审片员")), 1, "turns in the session whose line has been read")


@proves("TURN-14")
def test_a_line_waits_for_45_seconds_and_then_goes_on(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案"])
    began = evening.now + 60_000
    _at(evening, began)
    first = evening.say("写三句宣传语", to="文案", read=False)
    second = evening.say("再宽一点", to="文案", read=False)
    timer, due = _due(evening, first)
    expect_equal("TURN-14", due, began + WAIT, "when the wait behind the first line is over")
    _at(evening, began + WAIT - 1)
    third = evening.say("落款写鲸落", to="文案", read=False)
    expect_equal("TURN-14", _asked_about(evening, second), None, "the second line, a millisecond before")
    _at(evening, began + WAIT)
    evening.happens(events.TimerRang, effect=timer)
    expect("TURN-14", _asked_about(evening, second) is not None, "the second line goes on after 45 s")
    # The third waits for the second from when that began, and not from when it was said.
    expect_equal("TURN-14", _due(evening, second)[1], began + 2 * WAIT, "when the wait behind the second is over")
    expect_equal("TURN-14", _asked_about(evening, third), None, "the third line, while the second has just begun")


@proves("TURN-14")
def test_the_time_that_the_application_is_down_counts_as_waited(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案"])
    began = evening.now + 60_000
    _at(evening, began)
    first = evening.say("写三句宣传语", to="文案", read=False)
    second = evening.say("再宽一点", to="文案", read=False)
    _at(evening, began + 10_000)
    evening.happens(events.Started, cause="stop")
    timer, due = _due(evening, first)
    expect_equal("TURN-14", due, began + WAIT, "when the wait is over, after a restart")
    _at(evening, due)
    evening.happens(events.TimerRang, effect=timer)
    expect("TURN-14", _asked_about(evening, second) is not None, "the second line goes on")


@proves("TURN-18")
def test_what_a_bot_says_does_not_wait_behind_the_users_lines(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    plan = evening.opened("新品片", to="剪辑组")
    evening.say("@导演 排一下镜头", to="剪辑组", files=[plan])
    slow = evening.say("@文案 标题用英文", to="剪辑组", read=False)
    expect("TURN-13", not evening.turns("文案"), "a line of the user waits until it has been read")
    evening.hop("导演", events.Call("send_message", {"text": "@文案 先把三句宣传语给我"}))
    said = evening.value("SELECT id FROM messages WHERE author = 'bot'")
    opened = [turn["trigger_message"] for turn in evening.turns("文案")]
    expect_equal("TURN-18", opened, [said], "what a Bot said, while a line of the user is being read")
    expect(
        "TURN-18", evening.value("SELECT state FROM messages WHERE id = ?", slow) == "arrived", "the user's line waits"
    )
