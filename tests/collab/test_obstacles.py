"""What is in the way of somebody who is to go on: the line that says so, and going on alone or all together."""

from pathlib import Path
from typing import Any

from evening import Evening, shell, write
from pressing import carried, kept, lines_for_all, notes, offered, press, receipt
from stopping import BOTH, ROOM, TALK, at_work, held, hold, lift, speak, stop

from harness.expect import expect, expect_equal, proves

BOTH_WAYS = "今天先停,明天继续"


def blocked(home: Evening, *, to: str = "导演") -> tuple[int, str]:
    """Continue is pressed on a line that says both, and something wider is in the way: the line that says so."""
    line = speak(home, BOTH_WAYS, BOTH, to=to)
    expect_equal("CTRL-37", press(home, line, "continue"), {"made": [], "lifted": []}, "what a blocked press does")
    number, text = home.rows("SELECT id, text FROM messages WHERE author = 'app' AND only_for IS NULL ORDER BY id")[-1]
    return int(number), str(text)


def two_at_work(folder: Path, *, level: int = 8) -> tuple[Evening, int]:
    """The director and the copywriter work on a plan of their group; the copywriter has a desk there as well."""
    home = Evening(folder, bots=["导演", "文案", "配乐"], rooms={ROOM: ["导演", "文案"]}, level=level)
    plan = home.opened("海报", to=ROOM)
    home.say("@导演 @文案 做海报", to=ROOM, files=[plan])
    home.hop("导演", shell("render a"), run=False)
    home.hop("文案", write("a.md"), run=False)
    home.say("@文案 另外一件", to=ROOM)
    return home, plan


def logged_types(home: Evening) -> set[str]:
    """What kinds of entries the work log has."""
    return {kind for (kind,) in home.rows("SELECT type FROM work_events")}


def works_on(home: Evening, bot: str) -> list[Any]:
    """The plans of a Bot's segments that run and do not merely answer."""
    return [turn["plan"] for turn in home.live(bot) if turn["mode"] != "readonly"]


@proves("CTRL-37", "CTRL-51")
def test_a_press_that_something_wider_blocks_is_answered_by_what_is_in_the_way(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    stop(home, "导演")
    home.sql("UPDATE holds SET void = 1")
    everything = kept(home, "全都停", to="导演")
    hold(home, "session", session=ROOM, void=True)
    home.sql("DELETE FROM session_participants WHERE session = ? AND bot = 1", home.session(ROOM))
    before = lines_for_all(home)
    line, text = blocked(home)
    expect_equal("CTRL-37", lines_for_all(home), before + 2, "lines, the user's own and that of the application")
    data = carried(home, line)
    expect_equal("CTRL-37", data["offer"], ["only_continue", "continue_all"], "what is offered on it")
    expect_equal("CTRL-51", data.get("kind"), "status", "what kind of line it is")
    expect_equal("CTRL-37", data["held_ids"], [1, everything], "the holds that it is about")
    expect_equal(
        "CTRL-37", held(home), [("bot_in_plan", 1, plan), ("everything",), ("session", 3)], "what stands still"
    )
    expect("CTRL-51", "everything" in text and "“全都停”" in text, f"the wider hold and its line: {text}")
    expect("CTRL-51", "the work of 导演 on “新品片”" in text, f"the one on the Bot: {text}")
    expect("CTRL-51", "running" not in text and "stopped" not in text, f"nothing runs, and nothing is claimed: {text}")
    expect("CTRL-51", ROOM not in text, f"what is not in the way: {text}")
    # In a group that names nobody there is no Bot that could go on alone.
    line, _ = blocked(home, to=ROOM)
    expect_equal("CTRL-37", offered(home, line), [("continue_all", None)], "what is offered where nobody is named")


@proves("CTRL-37", "CTRL-51")
def test_each_hold_in_the_way_is_named_by_what_it_is_over(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    hold(home, "bot", bot="导演", void=True)
    hold(home, "plan", plan=plan, void=True)
    hold(home, "session", session=ROOM, void=True)
    hold(home, "turn", turn=home.turns("导演")[0]["id"], void=True)
    _, text = blocked(home)
    for name in ("all work of 导演", "- “海报”", ROOM, "one segment"):
        expect("CTRL-51", name in text, f"“{name}” is among what is in the way: {text}")


@proves("CTRL-38", "CTRL-51")
def test_what_runs_although_it_is_held_is_ended_before_that_line_is_written(tmp_path: Path) -> None:
    for ends in (True, False):
        (tmp_path / str(ends)).mkdir()
        home, _ = at_work(tmp_path / str(ends))
        hold(home, "everything", void=True)
        home.sql("DROP TRIGGER no_live_turn_under_a_hold")
        home.sql(
            "INSERT INTO turns (bot, session, work_item, plan, mode, state, began_seq, began_at)"
            " SELECT bot, session, id, plan, 'work', 'running', 1, 1 FROM work_items WHERE bot = 1 AND plan = 1"
        )
        turn = home.turn("导演")["id"]
        home.sql("UPDATE holds SET effect = json_set(effect, '$.violations', json('[77]'))")
        if not ends:
            home.sql(
                "CREATE TRIGGER it_will_not_end BEFORE UPDATE OF state ON turns WHEN OLD.state = 'running'"
                " BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        _, text = blocked(home)
        state = home.value("SELECT state FROM turns WHERE id = ?", turn)
        expect_equal("CTRL-38", state, "stopped" if ends else "running", f"the segment that ran, {ends=}")
        known = home.value("SELECT effect ->> '$.violations' FROM holds WHERE id = 1")
        expect_equal("CTRL-38", known, f"[77,{turn}]", "the violations on record of the hold")
        logged = home.rows("SELECT turn FROM work_events WHERE type = 'hold.violation'")
        expect_equal("CTRL-38", logged, [(turn,)], "what the work log says")
        for rule in ("CTRL-38", "CTRL-51"):
            expect_equal(rule, "still running: 导演" in text, not ends, f"whether it is named as running: {text}")
    home, _ = at_work(tmp_path)
    hold(home, "everything", void=True)
    blocked(home)
    for sql in (
        "SELECT effect ->> '$.violations' FROM holds",
        "SELECT id FROM work_events WHERE type = 'hold.violation'",
    ):
        expect_equal("CTRL-38", home.value(sql), None, "violations where nothing runs")


@proves("CTRL-39", "CTRL-40")
def test_a_groups_hold_is_split_for_each_other_bot(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    session = kept(home, "停下", to=ROOM)
    said = home.value("SELECT source_message FROM holds WHERE id = ?", session)
    desk = next(turn["id"] for turn in home.turns("文案") if turn["mode"] == "desk")
    line, _ = blocked(home)
    before = lines_for_all(home)
    came = press(home, line, "only_continue")
    expect_equal("CTRL-40", came["lifted"], [session], "what is lifted")
    expect_equal("CTRL-40", [each for each in held(home) if each[1] == 1], [], "holds on who is to go on")
    wanted = [("bot_in_plan", 2, plan), ("turn", desk)]
    expect_equal("CTRL-39", held(home), wanted, "what is held instead")
    made = home.rows("SELECT source_message, void FROM holds WHERE lifted_by IS NULL")
    expect_equal("CTRL-39", made, [(said, 1)] * 2, "the line that they cite, and that they end by a lift alone")
    expect_equal("CTRL-40", works_on(home, "导演"), [None, plan], "what goes on, with the line itself")
    expect_equal("CTRL-40", len(notes(home, "导演")), 1, "with a note")
    expect_equal("CTRL-40", (works_on(home, "文案"), notes(home, "文案")), ([], []), "what the other goes on with")
    expect_equal("CTRL-41", lines_for_all(home), before, "lines, with none written by the press")
    for number in (2, 3):
        lift(home, number)
    for rule in ("CTRL-39", "CTRL-40"):
        expect_equal(rule, works_on(home, "文案"), [plan, None], "what the other goes on with once those are lifted")


@proves("CTRL-39", "CTRL-40")
def test_other_holds_are_split_for_each_other_bot_where_they_reach(tmp_path: Path) -> None:
    for scope in ("everything", "plan"):
        (tmp_path / scope).mkdir()
        home, plan = two_at_work(tmp_path / scope)
        hold(home, "bot", bot="导演", void=True)
        hold(home, scope, **({"plan": plan} if scope == "plan" else {}), void=True)
        line, _ = blocked(home)
        came = press(home, line, "only_continue")
        wanted = [("bot", 2), ("bot", 3)] if scope == "everything" else [("bot_in_plan", 2, plan)]
        expect_equal("CTRL-40", [each for each in held(home) if each[1:2] == (1,)], [], "holds on who is to go on")
        expect_equal("CTRL-39", held(home), wanted, f"what is held instead of {scope}")
        expect_equal("CTRL-40", came["lifted"], [1, 2], f"what is lifted, of {scope} and of its own")
        expect_equal("CTRL-40", works_on(home, "导演"), [None, plan], f"what goes on, of {scope}, with the line")
        others = [None] if scope == "plan" else []
        expect_equal("CTRL-40", works_on(home, "文案"), others, f"what the other works on, of {scope}")


@proves("CTRL-39")
def test_the_current_plan_of_a_session_is_among_its_plans(tmp_path: Path) -> None:
    for current in (True, False):
        (tmp_path / str(current)).mkdir()
        home, plan = two_at_work(tmp_path / str(current))
        hold(home, "session", session=ROOM, void=True)
        home.sql("UPDATE holds SET effect = json_set(effect, '$.parked', json('[]'), '$.stopped_turns', json('[]'))")
        home.sql("UPDATE plans SET current_of = ?", home.session(ROOM) if current else None)
        line, _ = blocked(home)
        press(home, line, "only_continue")
        wanted = [("bot_in_plan", 2, plan)] if current else []
        expect_equal("CTRL-39", held(home), wanted, f"what is held where it is the current one: {current}")


@proves("CTRL-41")
def test_all_go_on_together(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    hold(home, "bot", bot="导演", void=True)
    hold(home, "session", session=ROOM, void=True)
    hold(home, "bot", bot="配乐", void=True)
    line, _ = blocked(home)
    before = lines_for_all(home)
    expect_equal("CTRL-41", press(home, line, "continue_all"), {"made": [], "lifted": [1, 2]}, "what is lifted")
    expect_equal("CTRL-41", held(home), [("bot", 3)], "what was not in the way")
    running = works_on(home, "导演"), works_on(home, "文案")
    expect_equal("CTRL-41", running, ([None, plan], [plan, None]), "what goes on, with the line itself")
    expect_equal("CTRL-41", lines_for_all(home), before, "lines, with none written")


@proves("CTRL-42", "CTRL-41", "CTRL-39")
def test_an_old_receipt_of_going_on_lets_its_holds_go_on(tmp_path: Path) -> None:
    for action, wanted in (("continue_all", []), ("only_continue", [("bot", 2), ("bot", 3)])):
        (tmp_path / action).mkdir()
        home, _ = two_at_work(tmp_path / action)
        hold(home, "everything")
        scopes = [{"kind": "bot", "bot": 1}]
        old = receipt(home, "导演", [], "only_continue", "continue_all", scopes=scopes, held_ids=[1])
        came = press(home, old, action)
        for rule in ("CTRL-41", "CTRL-42"):
            expect_equal(rule, (came["lifted"], held(home)), ([1], wanted), f"what is lifted, and held after {action}")
    line = speak(home, "@文案 换个说法", TALK, to=ROOM)
    expect_equal("CTRL-39", held(home), [("bot", 3)], f"what line {line} leaves standing of what could end by one")
