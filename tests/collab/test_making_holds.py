"""Making a hold: what ends in the same write, what is kept on record, and what the store itself refuses then."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evening import Evening, shell, work_on, write
from holding import ROOM, at_work, check_back, hold, holds, home_of, lift, open_effects, record, stop, waits
from outside import hopped, ran
from readings import FILING, MEANING, comes, filing, says

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def two_at_work(folder: Path, level: int = 8) -> tuple[Evening, int]:
    """A director inside the first of two calls, and a copywriter, on one plan of their group."""
    home = home_of(folder, "导演", "文案", level=level)
    plan = home.opened("新品片", to=ROOM)
    home.say("@文案 旁白", to=ROOM, files=[plan])
    home.say("@导演 粗剪", to=ROOM, files=[plan])
    hopped(home, "导演", write("粗剪.md"), shell("render a"), shell("render b"))
    ran(home, "导演", written=("粗剪.md",))
    return home, plan


def is_taken(act: Callable[[], object]) -> bool:
    """Whether something is taken in, and neither turned down nor refused by the store."""
    try:
        act()
    except (ValueError, sqlite3.IntegrityError):
        return False
    return True


def may(home: Evening, sql: str, *values: Any) -> bool:
    """Whether the store takes a statement."""
    return is_taken(lambda: home.sql(sql, *values))


def only_answering(folder: Path) -> Evening:
    """A director under a kept hold, who answers a line."""
    home = home_of(folder, "导演")
    plan = home.opened("新品片", to="导演")
    held = hold(home, "plan", plan=plan)
    home.sql("UPDATE holds SET void = 1 WHERE id = ?", held)
    home.say("做到哪了", to="导演", files=[plan])
    return home


@proves("HOLD-10")
def test_an_answer_that_was_let_in_is_left_to_finish(tmp_path: Path) -> None:
    home = only_answering(tmp_path)
    expect_equal("HOLD-32", holds(home), ["plan"], "the kept hold after the line")
    hold(home, "everything")
    expect_equal("HOLD-10", [turn["mode"] for turn in home.live("导演")], ["readonly"], "who runs after a further hold")
    stop(home, "导演")
    expect_equal("HOLD-10", at_work(home), [], "who runs after Stop on the answer itself")


@proves("HOLD-11")
def test_nobody_lifts_but_the_user(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    earlier = home.value("SELECT max(id) FROM user_actions") or 0
    home.happens(events.BoardEdited, plan=plan, goal="一支片")
    earlier = home.value("SELECT max(id) FROM user_actions")
    held = hold(home, "bot", bot=home.bot("导演"))
    for action in (earlier, 10_000):
        taken = may(home, "UPDATE holds SET lifted_by = ? WHERE id = ?", action, held)
        expect("HOLD-11", not taken, f"action {action} of before, or of nobody, lifts nothing")
    for name in ("lift_hold", "resume_plan", "lift"):
        home.hop("文案", events.Call(name, {"hold": held, "plan": plan}))
    expect_equal("HOLD-11", holds(home), ["bot"], "the holds after a Bot has tried")
    lift(home, held)
    expect_equal("HOLD-11", holds(home), [], "the holds once the user has lifted it")


@proves("HOLD-12")
def test_below_their_level_there_are_no_holds(tmp_path: Path) -> None:
    for level in (0, 1):
        home, plan = two_at_work(tmp_path / str(level), level)
        line = says(home, "停下", to=ROOM)
        meaning = {"control": "stop", "only": True}
        taken = is_taken(lambda home=home, line=line, meaning=meaning: comes(home, line, MEANING, meaning))
        expect("HOLD-12", taken, f"a stop is read at level {level}")
        expect_equal("HOLD-12", holds(home), ["session"] if level else [], f"the holds that it makes at level {level}")
        if not level:
            comes(home, line, FILING, filing({"plan": plan}))
        control = home.value("SELECT control FROM messages WHERE id = ?", line)
        expect_equal("HOLD-12", control is not None, bool(level), f"whether the line has control data at level {level}")
        pressed = is_taken(lambda home=home, plan=plan: hold(home, "plan", plan=plan))
        expect_equal("HOLD-12", pressed, bool(level), f"whether a menu makes one at level {level}")
        row = "INSERT INTO holds (scope, source, seq, at) VALUES ('everything', 'legacy', 1, 1)"
        expect_equal("HOLD-12", may(home, row), bool(level), f"whether the store takes one at level {level}")


@proves("HOLD-13", "HOLD-15")
def test_what_is_covered_ends_in_the_write_that_makes_the_hold(tmp_path: Path) -> None:
    home, _ = two_at_work(tmp_path)
    steps = home.value("SELECT count(*) FROM events")
    hold(home, "session", session=home.session(ROOM))
    expect_equal("HOLD-13", home.value("SELECT count(*) FROM events"), steps + 1, "the events that it took")
    expect_equal("HOLD-13", at_work(home), [], "who runs right after it")
    expect_equal("HOLD-13", {home.turn(bot)["state"] for bot in ("导演", "文案")}, {"stopped"}, "how they ended")


@proves("HOLD-15")
def test_a_covered_turn_does_not_finish_its_step(tmp_path: Path) -> None:
    home, _ = two_at_work(tmp_path)
    run = next(effect for effect in home.engine.open_effects() if effect.kind == "run_tool")
    hold(home, "session", session=home.session(ROOM))
    last = home.results(home.turn("导演")["id"])[-1][:2]
    expect_equal("HOLD-15", last, ("shell", "refused"), "the second call of the step")
    home.happens(events.Ran, effect=run.id, ok=True)
    expect_equal(
        "HOLD-15", open_effects(home, "run_tool") + open_effects(home, "hop"), [], "what is asked for after that"
    )


@proves("HOLD-16")
def test_a_hold_keeps_how_far_each_turn_got(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    held = hold(home, "bot", bot=home.bot("导演"))
    wanted = {
        "turn": home.turn("导演")["id"],
        "plan": plan,
        "session": home.session(ROOM),
        "step": 1,
        "files": ["粗剪.md"],
        "calls": [
            'write_file {"path": "粗剪.md"}',
            'shell {"command": "render a"}',
            'shell {"command": "render b"}',
        ],
    }
    (stood,) = record(home, held).get("stopped_turns", [{}])
    expect_equal("HOLD-16", {key: stood.get(key) for key in wanted}, wanted, "how far the turn had got")


@proves("HOLD-17")
def test_a_hold_keeps_who_goes_on_in_the_same_plan(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    beside = [{"turn": home.turn("文案")["id"], "bot": home.bot("文案"), "plan": plan}]
    held = hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-17", record(home, held).get("working_beside"), beside, "who goes on there")
    held = hold(home, "session", session=home.session(ROOM))
    expect_equal("HOLD-17", record(home, held).get("working_beside"), [], "who goes on after a hold on all")


@proves("HOLD-18")
def test_a_turn_that_will_not_end_is_on_record(tmp_path: Path) -> None:
    home, _ = two_at_work(tmp_path)
    turn = home.turn("导演")["id"]
    # An older version's rule, say, that will not have this one ended.
    home.sql(
        f"CREATE TRIGGER it_stays BEFORE UPDATE OF state ON turns WHEN OLD.id = {turn} AND NEW.state = 'stopped'"
        " BEGIN SELECT RAISE(ABORT, 'it stays'); END"
    )
    held = hold(home, "session", session=home.session(ROOM))
    expect_equal("HOLD-18", record(home, held).get("still_running"), [turn], "what still runs")
    expect_equal("HOLD-18", at_work(home), ["导演"], "the others have ended")
    home, _ = two_at_work(tmp_path / "outside")
    turn = home.turn("导演")["id"]
    held = hold(home, "session", session=home.session(ROOM))
    expect_equal("HOLD-18", record(home, held).get("still_running"), [], "what still runs where all ended")
    kills = [effect for effect in home.engine.open_effects() if effect.kind == "kill"]
    expect("HOLD-14", bool(kills), "what they have begun outside is to be ended")
    for effect in kills:
        home.happens(events.Killed, effect=effect.id, left=(4711,) if effect.body["how"] == "exit" else ())
    expect_equal("HOLD-18", record(home, held).get("still_running"), [turn], "it, whose command cannot be ended")


@proves("HOLD-19")
def test_a_hold_keeps_what_it_suspended_and_parked(tmp_path: Path) -> None:
    home, plan = two_at_work(tmp_path)
    for _ in range(2):
        # The first try is put off: the copywriter hears what was said to the director.
        hopped(home, "文案", check_back())
    held = hold(home, "plan", plan=plan)
    effect = record(home, held)
    expect_equal("HOLD-19", effect.get("suspended"), [1], "the check-backs that it suspended")
    expect_equal("HOLD-19", waits(home), ["suspended"], "what they are")
    expect("HOLD-19", "parked" in effect, "the plans that it parked are on record")


@proves("HOLD-20")
def test_making_a_hold_is_logged_once(tmp_path: Path) -> None:
    home, _ = two_at_work(tmp_path)
    held = hold(home, "session", session=home.session(ROOM), place=home.session(ROOM))
    rows = home.rows("SELECT body FROM work_events WHERE type = 'control.hold'")
    said = [json.loads(body) for (body,) in rows]
    expect_equal("HOLD-20", [each["hold"] for each in said], [held], "the holds in the work log")
    expect_equal("HOLD-20", [each["session_id"] for each in said], [home.session(ROOM)], "the session of its menu")


@proves("HOLD-7")
def test_what_a_hold_covers_besides_stays_as_it_was(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案")
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    home.hop("导演", events.Call("send_message", {"text": "旁白", "session": 4}))
    held = hold(home, "bot", bot=home.bot("导演"))
    besides = [(held, home.turn("文案")["id"])]
    expect_equal("HOLD-7", home.rows("SELECT hold, turn FROM hold_cover"), besides, "what it covers besides")
    home.say("海报呢", to="文案")
    later = home.turn("文案")["id"]
    for sql, values in (
        ("INSERT INTO hold_cover (hold, turn) VALUES (?, ?)", (held, later)),
        ("UPDATE hold_cover SET turn = ? WHERE hold = ?", (later, held)),
        ("DELETE FROM hold_cover WHERE hold = ?", (held,)),
    ):
        expect("HOLD-7", not may(home, sql, *values), f"{sql.split()[0]} is refused later")


def row_of(mode: str | None, trigger: int | None) -> tuple[str, tuple[Any, ...]]:
    """A live turn of the director in its direct chat, as a row that any version might write."""
    named = "" if mode is None else ", mode"
    sql = (
        f"INSERT INTO turns (bot, session, plan, work_item, state, trigger_message, began_seq, began_at{named})"
        f" VALUES (1, 2, ?, ?, 'running', ?, 1, 1{', ?' if mode else ''})"
    )
    if mode == "readonly":
        return sql, (None, None, trigger, mode)
    return sql, (1, 1, trigger, *([mode] if mode else []))


def held_plan(folder: Path) -> tuple[Evening, int]:
    """A director whose work on a plan is held, and who talks in its direct chat of something else."""
    home = home_of(folder, "导演", "文案")
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    home.hop("导演", text="好了。")
    held = hold(home, "plan", plan=plan)
    home.say("几点了", to="导演")
    return home, held


@proves("HOLD-75")
def test_the_store_takes_no_live_turn_under_a_hold(tmp_path: Path) -> None:
    home, held = held_plan(tmp_path)
    for mode in (None, "work"):
        sql, values = row_of(mode, None)
        expect("HOLD-75", not may(home, sql, *values), f"a live row with mode {mode} is refused")
    lift(home, held)
    sql, values = row_of(None, None)
    expect("HOLD-75", may(home, sql, *values), "after the lift it is taken")


@proves("HOLD-76")
def test_no_live_turn_is_moved_under_a_hold(tmp_path: Path) -> None:
    home = home_of(tmp_path / "free", "导演")
    plan = home.opened("新品片", to="导演")
    home.say("接着做", to="导演")
    home.hop("导演", work_on(plan=plan))
    expect_equal("HOLD-76", home.turn("导演")["plan"], plan, "the plan that a desk takes up which nobody has stopped")
    home, _ = held_plan(tmp_path)
    turn = home.turn("导演")["id"]
    for move in ("plan = 1", "plan = 1, mode = NULL", "plan = 1, mode = 'work'"):
        expect("HOLD-76", not may(home, f"UPDATE turns SET {move} WHERE id = ?", turn), f"{move} is refused")
    home = only_answering(tmp_path / "answer")
    turn = home.turn("导演")["id"]
    home.sql("DROP TRIGGER an_answer_takes_up_no_work")
    for mode in ("NULL", "'work'", "'desk'"):
        change = f"UPDATE turns SET mode = {mode}, work_item = 1 WHERE id = ?"
        expect("HOLD-76", not may(home, change, turn), f"an answer that becomes {mode} is refused")


@proves("HOLD-77")
def test_the_one_live_turn_let_in_answers_the_user(tmp_path: Path) -> None:
    home, _ = held_plan(tmp_path)
    line = home.value("SELECT id FROM messages WHERE author = 'user' AND plan = 1 ORDER BY id DESC")
    home.hop("导演", text="九点。")
    of_a_bot = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    for mode, trigger, taken in (
        (None, line, False),
        ("work", line, False),
        ("readonly", None, False),
        ("readonly", of_a_bot, False),
        ("readonly", line, True),
    ):
        sql, values = row_of(mode, trigger)
        expect_equal("HOLD-77", may(home, sql, *values), taken, f"whether mode {mode} on message {trigger} is taken")
