"""What the oracle of rooms tells from events and effects alone, and that it sees what is wrong in them."""

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from harness.oracle.collab import read_by, seen_in
from harness.oracle.collab_faults import faults
from harness.runlog import RunLog
from harness.scenario.collab.play import play
from harness.scenario.loading import root_of
from harness.scenario.stories.loading import load_stories

ROOT = root_of(Path(__file__))


@pytest.fixture
def course(tmp_path: Path) -> list[dict[str, Any]]:
    """The events and effects of the evening with two slots and a queue."""
    (story,) = load_stories(ROOT.joinpath("scenarios", "collab", "work", "two-slots-and-a-queue.toml"))
    return copy.deepcopy(play(story, tmp_path, 0, RunLog(StringIO()), 0).rooms.course)


def hops(course: list[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """The hops in which a Bot is given these words as new."""
    return [
        step
        for step in course
        if step["kind"] == "effect"
        and step["what"] == "hop"
        and words in step["body"]["context"].partition("# New\n")[2]
    ]


def test_it_knows_whom_each_line_is_for_and_who_read_it(course: list[dict[str, Any]]) -> None:
    seen = seen_in(course, 8)
    assert list(faults(seen)) == []
    told = {line.words[0]: (line.receivers, sorted({bot for bot, _ in read_by(seen, line)})) for line in seen.lines}
    assert told == {
        "做一支新品片": ({"导演"}, ["导演"]),
        "做一张海报": ({"导演"}, ["导演"]),
        "做一份年会邀请": ({"导演"}, ["导演"]),
        "@文案 给新品片写三句宣传语": ({"文案"}, ["导演", "文案"]),
    }
    assert [(turn.bot, turn.spoke_last) for turn in seen.turns.values()] == [
        ("导演", True),
        ("导演", True),
        ("导演", False),
        ("文案", True),
        ("导演", True),
    ]


def test_a_line_that_no_bot_was_given(course: list[dict[str, Any]]) -> None:
    for hop in hops(course, "做一张海报"):
        hop["body"]["context"] = hop["body"]["context"].replace("user: 做一张海报", "user: 别的")
    assert ("reach", "'做一张海报' is for 导演, who never read it") in list(faults(seen_in(course, 8)))


def test_a_line_that_no_bot_was_given_waits_where_a_hold_stands_over_its_bot(course: list[dict[str, Any]]) -> None:
    for hop in hops(course, "做一张海报"):
        hop["body"]["context"] = hop["body"]["context"].replace("user: 做一张海报", "user: 别的")
    seen = seen_in(course, 8)
    numbers = {name: number for number, name in seen.numbered.items()}
    where = next(line.session for line in seen.lines if line.words[0] == "做一张海报")
    nothing = dict.fromkeys(("bot", "session", "plan", "ticket", "turn"))
    for over, waits in (
        ({}, True),
        ({"bot": numbers["导演"]}, True),
        ({"bot": numbers["文案"]}, False),
        ({"session": where}, True),
        ({"session": where + 99}, False),
        ({"turn": next(turn.number for turn in seen.turns.values() if turn.bot == "文案")}, False),
    ):
        hold: dict[str, Any] = {"kind": "act", "what": "holds", "hold": 1, **nothing, **over}
        lift: dict[str, Any] = {"kind": "act", "what": "lifts", "hold": 1}
        reach = [fault for demand, fault in faults(seen_in([*course, hold], 8)) if demand == "reach"]
        assert ("'做一张海报' is for 导演, who never read it" in reach) is not waits, over
        lifted = [fault for demand, fault in faults(seen_in([*course, hold, lift], 8)) if demand == "reach"]
        assert "'做一张海报' is for 导演, who never read it" in lifted, over


def test_a_line_given_to_a_bot_that_it_is_not_for(course: list[dict[str, Any]]) -> None:
    (hop,) = hops(course, "给新品片写三句宣传语")[:1]
    hop["body"]["context"] = "You are 审片员.\n\n# New\n[900] user: 做一张海报"
    said = [fault for demand, fault in faults(seen_in(course, 8)) if demand == "reach"]
    assert "'做一张海报' is not for 审片员, who read it, at work on no plan" in said


def test_a_line_answered_in_two_turns_of_one_matter(course: list[dict[str, Any]]) -> None:
    for step in course:
        if step["kind"] == "effect":
            step["body"] = json.loads(json.dumps(step["body"]).replace("Plan 2:", "Plan 1:").replace("/002-", "/001-"))
    for hop in hops(course, "做一张海报"):
        hop["body"]["context"] = hop["body"]["context"].replace("user: 做一张海报", "user: 做一支新品片")
    said = [fault for demand, fault in faults(seen_in(course, 8)) if demand == "once"]
    assert said == ["'做一支新品片' was answered by 导演 in turns [1, 2] of one matter"]


def test_two_turns_of_a_bot_at_once_on_one_plan(course: list[dict[str, Any]]) -> None:
    for step in course:
        if step["kind"] == "effect" and step["what"] == "run_tool":
            step["body"]["folder"] = step["body"]["folder"].replace("work/002-", "work/001-")
    said = [fault for demand, fault in faults(seen_in(course, 8)) if demand == "beside"]
    assert "导演 worked on plan {1} in turns 1 and 2" in said


def test_a_tool_begun_twice(course: list[dict[str, Any]]) -> None:
    tool = next(step for step in course if step["kind"] == "effect" and step["what"] == "run_tool")
    course.insert(course.index(tool), copy.deepcopy(tool))
    assert ("tools", f"the tool of call {tool['body']['call']} was begun 2 times") in list(faults(seen_in(course, 8)))
