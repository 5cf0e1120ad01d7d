"""Stopped work that goes on after a lift: which does, where, in whose segment, and what its Bot is told of it."""

from pathlib import Path

from evening import Evening, shell, write
from stopping import TALK, at_work, hold, lift, speak, stop

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import attribution

ROOM = "剪辑组"


def evening(folder: Path, *, level: int) -> Evening:
    """A director with two slots, in a group."""
    folder.mkdir()
    return Evening(folder, bots={"导演": 2}, rooms={ROOM: ["导演"]}, level=level)


def shape(home: Evening, bot: str) -> list[tuple[str, int | None]]:
    """How each turn of a Bot stands, and which one it goes on with."""
    return [(turn["state"], turn["continues"]) for turn in home.turns(bot)]


def notes(home: Evening) -> list[str]:
    """What was told to one Bot alone."""
    return [text for (text,) in home.rows("SELECT text FROM messages WHERE only_for IS NOT NULL ORDER BY id")]


def number(home: Evening) -> int:
    """The newest hold."""
    return int(home.value("SELECT max(id) FROM holds"))


@proves("HOLD-85", "HOLD-90")
def test_a_lift_by_button_lets_work_go_on_that_no_stop_has_ended(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "stop")
    stop(home, "导演")
    lift(home, 1)
    expect_equal("HOLD-85", shape(home, "导演"), [("stopped", None)], "turns after the lift of a Stop")

    home, _ = at_work(tmp_path / "menu")
    hold(home, "bot", bot="导演")
    expect_equal("HOLD-85", shape(home, "导演"), [("stopped", None)], "turns under the hold")
    lift(home, 1)
    expect("DESK-39", home.live("导演") != [], "who is at work where the plan was not given up")
    expect_equal("HOLD-85", [state for state, _ in shape(home, "导演")], ["stopped", "running"], "after the lift")
    expect_equal("HOLD-90", shape(home, "导演"), [("stopped", None), ("running", 1)], "each turn and what it follows")
    lift(home, 1)
    expect_equal("HOLD-85", len(home.turns("导演")), 2, "turns after a second press")


@proves("HOLD-86")
def test_work_that_goes_on_there_already_is_not_restarted(tmp_path: Path) -> None:
    for where, goes_on in (("导演", False), (ROOM, True)):
        home, plan = at_work(tmp_path / where)
        # The hold is over the one segment only: its Bot may take the plan up again.
        hold(home, "turn", turn=home.turn("导演")["id"], void=True)
        speak(home, "@导演 看看片头", TALK, to=where, plan=plan)
        home.hop("导演", text="看了。")
        expect_equal("HOLD-86", len(home.turns("导演")), 2, "turns before the lift")
        lift(home, 1)
        live = [turn["session"] for turn in home.live("导演")]
        wanted = [home.session("导演")] if goes_on else []
        expect_equal("HOLD-86", live, wanted, f"what goes on after a line in {where}")


@proves("HOLD-87")
def test_what_another_hold_covers_is_handed_over_to_it(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "one")
    hold(home, "plan", plan=plan)
    lift(home, 1)
    expect_equal("HOLD-85", len(home.live("导演")), 1, "live turns where one hold is lifted")
    home, plan = at_work(tmp_path / "two")
    hold(home, "plan", plan=plan)
    hold(home, "bot", bot="导演")
    lift(home, 1)
    expect_equal("HOLD-87", shape(home, "导演"), [("stopped", None)], "turns while the second stands")
    lift(home, 2)
    expect_equal("HOLD-87", shape(home, "导演"), [("stopped", None), ("running", 1)], "once both are lifted")

    home, plan = at_work(tmp_path / "stop")
    hold(home, "plan", plan=plan)
    home.sql(
        "INSERT INTO holds (scope, bot, plan, source, by_stop, seq, at)"
        " SELECT 'bot_in_plan', ?, ?, 'user_button', 1, seq, at FROM holds",
        home.bot("导演"),
        plan,
    )
    hold(home, "bot", bot="导演")
    lift(home, 1)
    row = "SELECT id FROM holds WHERE json_array_length(effect, '$.held_over') > 0 ORDER BY id"
    expect_equal("HOLD-87", home.rows(row), [(3,)], "who takes it over, a Stop's or another")


@proves("HOLD-88")
def test_the_note_says_what_happened_and_no_more(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={ROOM: ["导演"]})
    plan = home.opened("新品片", to=ROOM, tickets=[("粗剪", "导演")])
    home.say("@导演 做起来", to=ROOM, files=[plan])
    home.hop("导演", write("粗剪.md"), shell("render 一"), shell("render 二"))
    speak(home, "停下", {"control": "stop", "only": True}, to=ROOM)
    lift(home, 1)
    (said,) = notes(home)
    wanted = ("“停下”", "新品片", "Files written: 粗剪.md", "render 一", "render 二")
    expect("HOLD-88", all(each in said for each in wanted), f"the note says {wanted}, and is {said!r}")
    text = home.context(home.turn("导演")["id"])
    expect("HOLD-88", said in text, f"its Bot reads it: {text!r}")
    ticket = home.value("SELECT ticket FROM turns WHERE id = 1")
    named = home.value("SELECT title FROM tickets WHERE id = ?", ticket) if ticket else "none"
    expect("HOLD-88", f"Ticket: {named}" in said or f" {named}\n" in said, f"its ticket {named} is told: {said!r}")
    for urging in ("continue", "go on with", "please", "请", "继续"):
        expect("HOLD-88", urging not in said.lower(), f"nothing is urged: {said!r}")


@proves("HOLD-89")
def test_only_its_bot_reads_the_note(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]})
    plan = home.opened("新品片", to=ROOM)
    home.say("@导演 做起来", to=ROOM, files=[plan])
    hold(home, "bot", bot="导演")
    lift(home, 1)
    said = home.value("SELECT text FROM inbox_items WHERE kind = 'restart'")
    mine = home.context(home.turn("导演")["id"])
    expect("HOLD-89", said.splitlines()[0] in mine, f"its own Bot reads it: {mine!r}")
    home.hop("导演", text="好了。")
    line = home.say("@文案 写一句", to=ROOM)
    other = home.context(home.turn("文案")["id"])
    expect("HOLD-89", "好了。" in other, f"the other Bot reads what was said: {other!r}")
    expect("HOLD-89", said.splitlines()[0] not in other, f"the other Bot does not read the note: {other!r}")
    row = home.db.row("SELECT * FROM messages WHERE id = ?", line)
    assert row is not None
    before = [each["text"] for each in attribution.lines_before(home.db, row, 9)]
    expect("HOLD-89", said not in before and "好了。" in before, f"nor does a reading: {before}")


def lifted_while_busy(home: Evening, where: str) -> None:
    """Work on one plan is stopped, the Bot takes another up there, and the hold is lifted; all on the old path."""
    for name in ("新品片", "海报"):
        home.opened(name, to=where)
    for plan, said in ((1, "@导演 剪一版"), (2, "@导演 排一张海报")):
        home.sql("UPDATE plans SET current_of = NULL")
        home.sql("UPDATE plans SET current_of = session WHERE id = ?", plan)
        home.say(said, to=where)
        if plan == 1:
            hold(home, "plan", plan=plan)
    lift(home, 1)


@proves("HOLD-91")
def test_in_a_direct_chat_it_opens_beside_other_work(tmp_path: Path) -> None:
    home = evening(tmp_path / "old", level=1)
    lifted_while_busy(home, "导演")
    expect_equal("HOLD-91", len(home.live("导演")), 2, "live turns after the lift")
    home = evening(tmp_path / "new", level=8)
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报")]
    home.say("剪一版", to="导演", files=plans[:1])
    hold(home, "plan", plan=plans[0])
    home.say("排一张海报", to="导演", files=plans[1:])
    lift(home, 1)
    expect_equal("HOLD-91", len(home.live("导演")), 2, "live turns after the lift, at the newest level")


@proves("HOLD-92")
def test_of_old_the_turn_in_a_group_hears_it(tmp_path: Path) -> None:
    home = evening(tmp_path / "group", level=1)
    lifted_while_busy(home, ROOM)
    expect_equal("HOLD-92", len(home.live("导演")), 1, "live turns after the lift")
    home.hop("导演", shell("layout"))
    heard = home.context(home.live("导演")[0]["id"])
    expect("HOLD-92", notes(home)[0].splitlines()[0] in heard, f"the note is heard there: {heard!r}")


@proves("HOLD-93")
def test_from_level_two_on_it_is_received_by_its_plan(tmp_path: Path) -> None:
    for busy_with in ("another plan", "this plan", "two plans"):
        home = evening(tmp_path / busy_with, level=2)
        plans = [home.opened(name, to=ROOM) for name in ("新品片", "海报", "花絮")]
        home.say("@导演 做起来", to=ROOM, files=[plans[0]])
        hold(home, "turn", turn=1, void=True)
        others = {"another plan": plans[1:2], "this plan": [plans[0]], "two plans": plans[1:]}[busy_with]
        for plan in others:
            home.say("@导演 做这个", to="导演" if busy_with == "this plan" else ROOM, files=[plan])
        lift(home, 1)
        on = sorted((turn["plan"] for turn in home.live("导演")), key=str)
        wanted = {"another plan": plans[:2], "this plan": plans[:1], "two plans": plans[1:]}[busy_with]
        expect_equal("HOLD-93", on, wanted, f"live turns by plan, busy with {busy_with}")
        home.hop("导演", shell("next"), plan=others[0])
        heard = home.context(next(turn["id"] for turn in home.live("导演") if turn["plan"] == others[0]))
        told = notes(home)[0].splitlines()[0] in heard
        expect_equal("HOLD-93", told, busy_with == "this plan", f"the note is heard, busy with {busy_with}")
        if busy_with == "two plans":
            home.hop("导演", text="好了。", plan=plans[1])
            on = sorted((turn["plan"] for turn in home.live("导演")), key=str)
            expect_equal("HOLD-93", on, [plans[0], plans[2]], "once a slot is free")


@proves("HOLD-94")
def test_nothing_that_was_stopped_begins_by_itself_after_a_restart(tmp_path: Path) -> None:
    for level in (2, 3):
        home, _ = at_work(tmp_path / str(level), level=level)
        read = home.value("SELECT count(*) FROM inbox_items WHERE state = 'read'")
        expect_equal("QUOT-37", read, 1, "lines read before the hold")
        hold(home, "bot", bot="导演")
        for _ in range(2):
            home.crash()
            expect_equal("HOLD-94", shape(home, "导演"), [("stopped", None)], f"turns at level {level}")
        lift(home, 1)
        expect_equal("HOLD-94", len(home.live("导演")), 1, "live turns after the lift")
        home.crash()
        states = [state for state, _ in shape(home, "导演")]
        expect_equal("HOLD-94", states, ["stopped", "interrupted"], "turns after a further restart")
        home.press(home.turn("导演")["id"])
        expect_equal("HOLD-94", len(home.live("导演")), 1, "live turns after a press of continue")
