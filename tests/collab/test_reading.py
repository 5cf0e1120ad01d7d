"""Line reading: asked once, checked against the line, in time or by fixed words; understanding that changes nothing."""

import json
from pathlib import Path
from typing import Any

from evening import DOWN, Evening, shell, write
from readings import FILING, MEANING, asked, body, comes, filing, household, plans_of, read_as, says, stored, ticket_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, reader

STATE = "SELECT state FROM messages WHERE id = ?"
LIMIT = 20_000


def everything(home: Evening) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table but those that record what came in and what was read."""
    tables = home.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    record = {"events", "effects", "readings", "work_events", "costs"}
    return {name: home.rows(f"SELECT * FROM {name}") for (name,) in tables if name not in record}


@proves("READ-01")
def test_a_line_is_read_before_anything_is_done_and_that_changes_nothing(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    ticket_of(home, film, "分镜", "01")
    home.say("@导演 做起来", to="剪辑组", files=[film])
    first = says(home, "@导演 第一镜太假", to="剪辑组")
    kept = home.value("SELECT count(*) FROM quotes WHERE message = ?", first)
    expect_equal("QUOT-04", kept, 1, "the words of the line that are kept")
    expect_equal("READ-01", len(asked(home, first, MEANING)), 1, "calls that read what the line means")
    expect_equal("READ-01", body(home, first, MEANING).get("tools"), [], "the tools that the call has")
    expect_equal("READ-01", home.value(STATE, first), "arrived", "the line until it has been read")
    second = says(home, "@导演 放行", to="剪辑组")
    before = everything(home)
    comes(home, second, MEANING, {"control": "neither", "faults": ["放行"], "releases": [1], "status": True})
    expect_equal("READ-01", everything(home), before, "everything but the record of the reading")
    read_as(home, first, {"faults": ["太假"]}, filing({"plan": film}))
    expect_equal("READ-01", home.value(STATE, first), "delivered", "the line once it has been read")


@proves("READ-08")
def test_how_far_is_it_opens_no_plan(tmp_path: Path) -> None:
    for number, (words, meaning, modes) in enumerate(
        (
            ("怎么样了", {"status": True}, ["desk"]),
            ("怎么样了", DOWN, ["desk"]),  # The fixed words say so too.
            ("把进度条改成蓝色", {"status": False}, ["work"]),
            ("把进度条改成蓝色", DOWN, ["work"]),
        )
    ):
        home, _ = household(tmp_path / f"{number}", "新品片")
        line = says(home, f"@文案 {words}", to="剪辑组")
        if meaning is DOWN:
            comes(home, line, MEANING, failure="timeout")
        read_as(home, line, meaning, {"kind": "new_work"})
        home.hop("文案", shell("git log"))
        expect_equal(
            "READ-08", [turn["mode"] for turn in home.turns("文案")], modes, f"its Bot, which runs a command: {words}"
        )
        expect_equal("READ-08", len(home.plans()), 1 if modes == ["desk"] else 2, f"plans after {words}")
        expect_equal("READ-08", home.said("app"), [], "what the application answers")


@proves("READ-08")
def test_fixed_words_know_a_mere_question_of_how_far_things_are(tmp_path: Path) -> None:
    home, _ = household(tmp_path / "a", "新品片")
    for words, is_one in {
        "怎么样了": True,
        "@文案 现在怎么样了？": True,
        "进度如何": True,
        "做到哪一步了": True,
        "how is it going?": True,
        "现在": False,  # Without the word that decides.
        "如何": False,
        "第三镜怎么样了再改成夜景": False,  # More than that is asked.
        "把进度条改成蓝色": False,
    }.items():
        line = home.say(words, to="文案", files=DOWN)
        expect_equal("READ-08", reader.meaning(home.db, line).status, is_one, f"whether only how far is asked: {words}")


@proves("READ-22")
def test_what_is_not_read_in_time_is_read_by_fixed_words(tmp_path: Path) -> None:
    for number, came in enumerate(
        ({"failure": "no model"}, {"failure": "error"}, {"failure": "timeout"}, {"failure": "closing"}, {"raw": "{"})
    ):
        home, (film,) = household(tmp_path / f"{number}", "新品片")
        line = says(home, "@导演 停下，片头太假", to="剪辑组")
        comes(home, line, MEANING, **came)
        comes(home, line, FILING, filing({"plan": film}))
        expect_equal("READ-22", [home.value(STATE, line), plans_of(home, line)], ["delivered", [film]], f"after {came}")
        meant = reader.meaning(home.db, line)
        expect_equal("READ-22", [meant.control, meant.faults], ["stop", ("片头太假",)], f"what it means after {came}")
        why = json.loads(home.value("SELECT body FROM work_events WHERE type = 'reader.answer'"))["failure"]
        expect_equal(
            "READ-22", str(why).partition(":")[0], came.get("failure", "unreadable"), "why, in the work record"
        )
        home.hop("导演", events.Call("read_file", {"path": "a"}))
        expect_equal("READ-22", home.live("导演")[0]["trigger_message"], line, "the segment that the words open")


@proves("READ-22")
def test_an_answer_after_twenty_seconds_is_none(tmp_path: Path) -> None:
    for late, wanted in ((0, "stop"), (1, "neither")):
        home, _ = household(tmp_path / f"{late}")
        line = says(home, "@导演 歇着吧", to="剪辑组")
        expect_equal("READ-22", body(home, line, MEANING)["limit_ms"], LIMIT, "the time that a reading has, in ms")
        home.now += LIMIT + late - 1000
        comes(home, line, MEANING, {"control": "stop"})
        expect_equal("READ-22", reader.meaning(home.db, line).control, wanted, f"what counts, {late} ms late")
        expect_equal("READ-22", stored(home, line)[0][0], "timeout" if late else None, f"why, {late} ms late")


@proves("READ-23")
def test_a_line_wakes_once_read_and_a_mere_stop_goes_first(tmp_path: Path) -> None:
    alone, _ = household(tmp_path / "alone")
    stop = says(alone, "@文案 停下", to="剪辑组")
    comes(alone, stop, MEANING, {"control": "stop", "only": True})
    expect("READ-02", reader.only_stops(alone.db, stop), "a mere stop, read as one, is one")
    expect_equal("CTRL-6", alone.value(STATE, stop), "delivered", "a mere stop with no line before it, once read")
    home, (film,) = household(tmp_path / "a", "新品片")
    lines = [says(home, f"@导演 第 {number} 句", to="剪辑组") for number in range(3)]
    stop = says(home, "@文案 停下", to="剪辑组")
    beside = says(home, "@文案 先停,换成夜景", to="剪辑组")
    goes_on = says(home, "@文案 继续", to="剪辑组")
    expect_equal("ATTR-04", len(asked(home, lines[0], FILING)), 1, "calls for what the first line is about")
    expect_equal("READ-23", home.turns("文案"), [], "what a stop wakes before it has been read")
    comes(home, beside, MEANING, {"control": "stop", "only": False})
    comes(home, goes_on, MEANING, {"control": "resume", "only": True})
    expect_equal(
        "READ-23", asked(home, beside, FILING), [], "what is asked of a stop beside other words: it waits its turn"
    )
    expect_equal("READ-23", asked(home, goes_on, FILING), [], "what is asked of a mere go on: it waits its turn")
    comes(home, stop, MEANING, {"control": "stop", "only": True})
    comes(home, stop, FILING, {"kind": "unclear"})
    expect_equal("READ-23", home.value(STATE, stop), "delivered", "the mere stop, with three lines still being read")
    expect_equal(
        "READ-23", [home.value(STATE, line) for line in [*lines, beside, goes_on]], ["arrived"] * 5, "the others"
    )
    comes(home, lines[0], MEANING, {})
    expect_equal("READ-23", home.turns("导演"), [], "what a line wakes that is half read")
    comes(home, lines[0], FILING, filing({"plan": film}))
    expect_equal("READ-23", len(home.turns("导演")), 1, "what it wakes once both readings are there")


@proves("READ-27")
def test_a_line_is_read_once_for_all_its_uses(tmp_path: Path) -> None:
    home, (film, poster) = household(tmp_path / "a", "新品片", "海报")
    for bot, plan in (("导演", film), ("文案", poster)):
        home.say(f"@{bot} 做起来", to="剪辑组", files=[plan])
    line = says(home, "@所有人 换成红色，太暗了", to="剪辑组")
    home.happens(events.TimerRang, effect=home.value("SELECT min(id) FROM effects WHERE kind = 'timer'"))
    comes(home, line, MEANING, {"faults": ["太暗了"]}, cost=0.25, model="fast")
    comes(home, line, FILING, filing({"plan": film}), cost=0.5, model="fast")
    for bot in ("导演", "文案"):
        home.hop(bot, write("a.md"))
        expect_equal("READ-27", len(home.read_in(line, bot)), 1, f"segments of {bot} that read it")
    calls = "SELECT count(*) FROM effects WHERE kind = 'read' AND subject LIKE ?"
    asked_ = [home.value(calls, f"{kind}:{line}:%") for kind in (MEANING, FILING)]
    expect_equal("READ-27", asked_, [1, 1], "calls: what it means, what it is about")
    rows = home.rows("SELECT body FROM work_events WHERE type = 'reader.answer' ORDER BY id")
    logged = [json.loads(said) for (said,) in rows][-2:]
    expect_equal(
        "READ-27", [each["subject"] for each in logged], [MEANING, FILING], "what the work record says was read"
    )
    wanted = {"read_by": "fast", "failure": None, "raw": json.dumps({"faults": ["太暗了"]}, ensure_ascii=False)}
    expect_equal(
        "READ-27", {key: logged[0][key] for key in wanted}, wanted, "by whom, whether it failed, what was said"
    )
    expect_equal("READ-27", json.loads(logged[0]["answer"])["faults"], ["太暗了"], "the reading")
    booked = home.rows("SELECT category, purpose, session, sum(amount) FROM costs GROUP BY 1, 2, 3")
    expect_equal("READ-27", booked, [("organize", "reader", home.session("剪辑组"), 0.75)], "what it cost")


@proves("READ-28")
def test_lines_in_succession_are_delivered_in_order_and_read_at_once(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    lines = [says(home, f"@导演 第 {number} 句", to="剪辑组") for number in range(3)]
    expect_equal("QUOT-04", [home.value(STATE, line) for line in lines], ["arrived"] * 3, "lines that are not read yet")
    expect_equal("ATTR-04", len(asked(home, lines[0], FILING)), 1, "calls for what the first line is about")
    expect_equal(
        "READ-28", [len(asked(home, line, MEANING)) for line in lines], [1, 1, 1], "whose meaning is being read"
    )
    for line in reversed(lines):
        comes(home, line, MEANING, {})
    expect_equal("READ-28", [len(asked(home, line, FILING)) for line in lines], [1, 0, 0], "whose matter is being read")
    for number, line in enumerate(lines):
        comes(home, line, FILING, filing({"plan": film}))
        states = [home.value(STATE, each) for each in lines]
        wanted = ["delivered"] * (number + 1) + ["arrived"] * (2 - number)
        expect_equal("READ-28", states, wanted, f"the lines, once line {number} is filed")
    home.hop("导演", write("a.md"))
    expect_equal("REDIR-03", len(home.turns("导演")), 1, "turns that the lines open")
    read = home.rows("SELECT message FROM inbox_items ORDER BY id")
    expect_equal("READ-28", [message for (message,) in read], lines, "the order in which they are read")


@proves("READ-29")
def test_an_edited_line_is_not_read_again(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    for number, early in enumerate((False, True)):
        line = says(home, f"@导演 片头很好 {number}", to="剪辑组")
        if early:
            home.happens(events.Edited, message=line, text="@导演 停下，太假")
        read_as(home, line, {"control": "resume", "faults": []}, filing({"plan": film}))
        about = reader.filing(home.db, line)
        expect_equal("READ-22", stored(home, line)[0][0], None, "why what it means could not be read in time")
        expect("READ-08", about is None or about.kind == "plans", f"what it was read to be about: {about}")
        if not early:
            home.happens(events.Edited, message=line, text="@导演 停下，太假")
        expect_equal("READ-29", home.value(STATE, line), "delivered", "the line")
        calls = home.value("SELECT count(*) FROM effects WHERE kind = 'read' AND subject LIKE ?", f"%:{line}:%")
        expect_equal("READ-29", calls, 2, "readings asked, of the words before the edit")
        meant = reader.meaning(home.db, line)
        expect_equal("READ-29", [meant.control, meant.faults], ["stop", ("太假",)], "what the line means later on")
        expect_equal("READ-29", home.value("SELECT count(*) FROM holds"), 0, "holds that the new words make")
        expect_equal("READ-29", plans_of(home, line), [film], "where it stays filed")


@proves("READ-30")
def test_fixed_rules_still_decide_what_they_did(tmp_path: Path) -> None:
    for number, (words, put_off) in enumerate((("第三镜还要多久？", False), ("改成 90 秒", True))):
        home, (film,) = household(tmp_path / f"{number}", "新品片")
        home.say("@导演 做起来", to="剪辑组", files=[film])
        home.hop("导演", shell("render a"), shell("render b"), run=False)
        line = says(home, f"@导演 {words}", to="剪辑组")
        read_as(home, line, {"status": False}, filing({"plan": film}))
        home.run("导演")
        home.run("导演")
        ran = [each["arguments"]["command"] for each in home.ran]
        wanted = ["render a"] if put_off else ["render a", "render b"]
        expect_equal("READ-30", ran, wanted, f"what runs after {words}, a question or not by its words")
        kinds = home.rows(
            "SELECT DISTINCT kind, json_extract(body, '$.reads') FROM effects WHERE subject LIKE ?", f"%:{line}:%"
        )
        expect_equal("READ-30", sorted(kinds), [("read", FILING), ("read", MEANING)], "what a model is asked about it")
        expect(
            "READ-30",
            not {"duration", "numbers", "craft"} & set(reader.meaning(home.db, line).__struct_fields__),
            "no number is read",
        )
