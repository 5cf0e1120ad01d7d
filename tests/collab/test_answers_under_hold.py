"""A Bot under a hold that a line leaves standing: it only answers by reading, and is given the line at the lift."""

import json
from pathlib import Path

from evening import Evening, shell, write
from readings import filing, read_as, says
from stopping import ROOM, TALK, at_work, hold, lift, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

ASKS = {"status": True}
LOGO = "片尾的 logo 再大一点"


def house(folder: Path, level: int) -> Evening:
    """Two Bots in a group."""
    folder.mkdir()
    return Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)


def done(folder: Path) -> tuple[Evening, int]:
    """A director whose work is done."""
    home, plan = at_work(folder)
    home.run("导演")
    home.hop("导演", text="好了。")
    return home, plan


def modes(home: Evening, bot: str) -> list[str]:
    """What kind each turn of a Bot is, in order."""
    return [turn["mode"] for turn in home.turns(bot)]


def kept(home: Evening, number: int = 1) -> list[int]:
    """The lines that stand on a hold, answered by only reading."""
    record = json.loads(home.value("SELECT effect FROM holds WHERE id = ?", number))
    return [line["message"] for line in record.get("answered_lines", [])]


def opened_by(home: Evening, bot: str) -> list[int]:
    """Which message opened each live turn of a Bot."""
    return [turn["trigger_message"] for turn in home.live(bot)]


@proves("HOLD-78")
def test_what_a_line_opens_depends_on_what_it_leaves_standing(tmp_path: Path) -> None:
    def after(
        name: str, text: str, meaning: object, *, void: bool, to: str = "导演", level: int = 8
    ) -> tuple[Evening, int]:
        home, plan = at_work(tmp_path / name, level=level)
        hold(home, "plan", plan=plan, void=void)
        return home, speak(home, text, meaning, to=to, plan=plan)

    home, _ = after("kept", LOGO, TALK, void=True)
    expect_equal("HOLD-78", modes(home, "导演"), ["work", "readonly"], "turns under a kept hold")
    turn = home.turn("导演")
    expect_equal("HOLD-78", (turn["plan"], turn["work_item"]), (None, None), "its plan and work")
    home, _ = after("mentioned", f"@导演 {LOGO}", TALK, void=True, to=ROOM)
    expect_equal("HOLD-78", modes(home, "导演"), ["work", "readonly"], "turns, mentioned in a group")
    home, _ = after("old", LOGO, TALK, void=True, level=1)
    expect_equal("HOLD-78", modes(home, "导演"), ["work", "readonly"], "turns on the old path: none is forked")
    home, line = after("asks", "还在做吗", ASKS, void=False)
    expect_equal("HOLD-78", modes(home, "导演"), ["work", "readonly"], "turns, asked how far it is")
    expect_equal("HOLD-78", kept(home), [], "lines kept on an ordinary hold")
    expect_equal("HOLD-78", home.read_in(line, "导演"), [2], "where the question is read")
    home, _ = after("other", LOGO, TALK, void=False)
    expect_equal("HOLD-78", modes(home, "导演"), ["work", "work"], "turns after any other line")


@proves("HOLD-79")
def test_it_is_told_first_that_the_hold_stands_and_may_change_nothing(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    speak(home, "先都停下", {"control": "stop", "only": True})
    speak(home, "停了吗", ASKS)
    turn = home.turn("导演")["id"]
    body = json.loads(home.value("SELECT body FROM effects WHERE turn = ? AND kind = 'hop'", turn))
    first = body["context"].splitlines()[1]
    for said in ("stopped this work", "“先都停下”", "only answer", "still stands", "do not claim to be going on"):
        expect("HOLD-79", said in first, f"the first line says {said!r}: {first!r}")
    tools = body.get("tools")
    expect("HOLD-79", tools is not None, "its tools are named")
    for name in ("shell", "write_file", "send_message", "ask_user", "work_on", "check_back", "create_direct"):
        expect("HOLD-79", name not in (tools or ()), f"{name} is none of its tools: {tools}")
    before = json.loads(home.value("SELECT body FROM effects WHERE turn = 1 AND kind = 'hop'"))
    expect("HOLD-79", "tools" not in before and "still stands" not in before["context"], "another turn is told nothing")


@proves("HOLD-80")
def test_its_reply_wakes_nobody_and_it_stands_in_nobodys_way(tmp_path: Path) -> None:
    home = house(tmp_path / "free", 1)
    for name in ("文案", "导演"):
        home.say(f"@{name} 写一句", to=ROOM)
    expect_equal("REDIR-06", len(home.live("文案")), 1, "live turns of whom the line was not said to")
    for level in (1, 8):
        home = house(tmp_path / str(level), level)
        plan = home.opened("新品片", to="导演" if level == 1 else ROOM)
        hold(home, "plan", plan=plan)
        line = says(home, "@导演 还在做吗", to=ROOM)
        home.sql("UPDATE messages SET plan = ? WHERE id = ?", plan, line)
        read_as(home, line, ASKS, filing({"plan": plan}))
        expect_equal("HOLD-80", modes(home, "导演"), ["readonly"], f"turns at level {level}")
        lift(home, 1)
        if level == 1:
            home.say("@导演 先看花絮", to=ROOM)
            states = [(turn["mode"] == "readonly", turn["state"]) for turn in home.turns("导演")]
            expect_equal("HOLD-80", states, [(True, "running"), (False, "running")], "a line of the user meanwhile")
            home.hop("导演", text="好。", turn=home.turns("导演")[1]["id"])
        home.say("@文案 叫一下导演", to=ROOM)
        home.hop("文案", events.Call("send_message", {"text": "@导演 花絮放哪？"}))
        states = [(turn["mode"] == "readonly", turn["state"]) for turn in home.turns("导演")]
        wanted = [(True, "running"), *([(False, "completed")] if level == 1 else []), (False, "running")]
        expect_equal("HOLD-80", states, wanted, f"a mention meanwhile, level {level}")
        before = len(home.turns("文案"))
        home.hop("文案", text="好。")
        home.hop("导演", text="@文案 停着呢。", turn=home.turns("导演")[0]["id"])
        expect("HOLD-80", "@文案 停着呢。" in home.said("bot"), f"its reply is sent: {home.said('bot')}")
        expect_equal("HOLD-80", len(home.turns("文案")), before, "turns of whom it mentions")
        home.hop("导演", text="@文案 放片尾。")
        expect_equal("HOLD-80", len(home.turns("文案")), before + 1, "turns, once a turn mentions it that is not held")


@proves("HOLD-81")
def test_the_application_says_nothing_in_its_place(tmp_path: Path) -> None:
    for name, last in (("empty", ()), ("bare", (events.Call("end_turn", {"reason": "nothing to add"}),))):
        home, plan = at_work(tmp_path / name)
        hold(home, "plan", plan=plan, void=True)
        speak(home, "从头再做一遍，之前的作废", TALK, plan=plan)
        for number in range(9):
            home.hop("导演", events.Call("read_file", {"path": f"{number}.md"}))
        before = home.value("SELECT count(*) FROM messages")
        home.hop("导演", *last)
        expect_equal("TURN-20", home.turn("导演")["state"], "completed", f"how it ends ({name})")
        expect_equal("HOLD-81", home.value("SELECT count(*) FROM messages") - before, 0, f"new messages ({name})")


@proves("HOLD-82")
def test_what_was_only_answered_stands_on_the_hold(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "kept")
    hold(home, "plan", plan=plan, void=True)
    line = speak(home, LOGO, TALK, plan=plan)
    home.hop("导演", text="等你说继续。")
    expect_equal("HOLD-82", kept(home), [line], "lines on the kept hold")
    expect_equal("HOLD-82", home.read_in(line, "导演"), [], "where it counts as read")
    home, plan = at_work(tmp_path / "stop")
    hold(home, "plan", plan=plan)
    speak(home, "还在做吗", ASKS, plan=plan)
    expect_equal("HOLD-82", kept(home), [], "lines on an ordinary hold")


@proves("HOLD-83")
def test_the_last_line_of_each_matter_opens_a_turn_at_the_lift(tmp_path: Path) -> None:
    home, plan = done(tmp_path / "two")
    hold(home, "plan", plan=plan, void=True)
    lines = [speak(home, text, TALK, plan=plan) for text in ("字幕再小一点", LOGO)]
    for _ in lines:
        home.hop("导演", text="等你说继续。")
    before = len(home.turns("导演"))
    lift(home, 1)
    expect_equal("HOLD-83", opened_by(home, "导演"), lines[1:], "what the live turns are opened by")
    expect_equal("HOLD-83", len(home.turns("导演")), before + 1, "turns after the lift")
    text = home.context(home.turn("导演")["id"])
    expect("HOLD-83", "字幕再小一点" in text.partition("# New")[0], f"the line before is in the transcript: {text!r}")
    home.hop("导演", write("片尾.md"))
    expect_equal("HOLD-83", home.ran[-1]["arguments"], {"path": "片尾.md"}, "what it does then is done")

    home, plan = done(tmp_path / "matters")
    other = home.opened("海报", to="导演")
    hold(home, "everything", void=True)
    lines = [speak(home, text, TALK, plan=each) for text, each in ((LOGO, plan), ("改横版", other))]
    lift(home, 1)
    expect_equal("HOLD-83", sorted(opened_by(home, "导演")[-2:]), lines, "one for each matter")


@proves("HOLD-84")
def test_no_turn_besides_stopped_work_and_none_while_another_hold_stands(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "restarted")
    hold(home, "plan", plan=plan, void=True)
    line = speak(home, LOGO, TALK, plan=plan)
    home.hop("导演", text="等你说继续。")
    lift(home, 1)
    state = home.value("SELECT state FROM inbox_items WHERE message = ?", line)
    expect_equal("HOLD-83", state, "queued", "how the line stands after the lift")
    live = home.live("导演")
    expect_equal("HOLD-84", [turn["continues"] for turn in live], [1], "what goes on: the stopped work alone")
    home.hop("导演", shell("more"))
    expect("HOLD-84", LOGO in home.context(live[0]["id"]), "the line is read in it")

    home, plan = done(tmp_path / "another")
    hold(home, "plan", plan=plan, void=True)
    hold(home, "bot", bot="导演", void=True)
    line = speak(home, LOGO, TALK, plan=plan)
    home.hop("导演", text="等你说继续。")
    expect_equal("HOLD-82", kept(home, 1), [line], "where it waits")
    lift(home, 1)
    expect_equal("HOLD-84", (kept(home, 2), home.live("导演")), ([line], []), "where it waits while the other stands")
    lift(home, 2)
    expect_equal("HOLD-84", opened_by(home, "导演"), [line], "once that is lifted too")
