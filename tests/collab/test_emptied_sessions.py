"""What becomes of the plans of a conversation that is cleared or deleted: kept for what refers to them, else gone."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

from evening import MINUTE, Evening
from sleeping import HOUR, ROOM, clear, closed_at, delete, house, logged, looks_again, path_in, sleeps, worked_on

from harness.expect import expect_equal, proves
from threadrebuild.collab import events, plans


def begun(folder: Path, *, level: int = 8) -> tuple[Evening, int]:
    """A plan of a group that its own chat alone speaks of."""
    home = house(folder, level=level)
    plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
    worked_on(home, plan, "@导演 先做分镜", to=ROOM)
    return home, plan


def is_there(home: Evening, plan: int) -> bool:
    """Whether a plan is there."""
    return bool(home.value("SELECT 1 FROM plans WHERE id = ?", plan))


def _nothing(home: Evening, plan: int) -> None:
    pass


def _words_elsewhere(home: Evening, plan: int) -> None:
    home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色",))


def _requirement(home: Evening, plan: int) -> None:
    home.requires(12, "先做分镜", plan)


def _requirement_of_ticket(home: Evening, plan: int) -> None:
    home.requires(12, "先做分镜", plan, ticket=1)


def _hold(home: Evening, plan: int) -> None:
    home.happens(events.HoldMade, scope="plan", plan=plan)
    home.happens(events.HoldLifted, hold=1)


def _hold_on_a_bot_within(home: Evening, plan: int) -> None:
    home.happens(events.HoldMade, scope="bot_in_plan", plan=plan, bot=home.bot("导演"))
    home.happens(events.HoldLifted, hold=1)


def _hold_on_a_ticket(home: Evening, plan: int) -> None:
    home.happens(events.HoldMade, scope="ticket", ticket=1)
    home.happens(events.HoldLifted, hold=1)


def _turn_elsewhere(home: Evening, plan: int) -> None:
    home.sql("UPDATE turns SET session = ? WHERE plan = ?", home.session("文案"), plan)


def _message_elsewhere(home: Evening, plan: int) -> None:
    home.say(f"{path_in(home, plan)} 怎么样", to="文案")
    home.sql("UPDATE quotes SET session = ? WHERE session = ?", home.session(ROOM), home.session("文案"))


def _over(home: Evening, plan: int) -> None:
    looks_again(home, plan, "导演", 1)
    home.happens(events.BoardEdited, plan=plan)
    home.sql("UPDATE waits SET state = 'void'")


WAYS: dict[str, tuple[Callable[[Evening, int], None], bool, str]] = {
    "nothing": (_nothing, False, "PLAN-39"),
    "what is over": (_over, False, "PLAN-39"),
    "words that are not erased": (_words_elsewhere, True, "PLAN-39"),
    "a requirement": (_requirement, True, "PLAN-39"),
    "a requirement of its ticket": (_requirement_of_ticket, True, "PLAN-39"),
    "a lifted hold on it": (_hold, True, "HOLD-96"),
    "a lifted hold on a Bot within it": (_hold_on_a_bot_within, True, "HOLD-96"),
    "a lifted hold on its ticket": (_hold_on_a_ticket, True, "HOLD-96"),
    "a segment elsewhere": (_turn_elsewhere, True, "PLAN-39"),
    "a line elsewhere": (_message_elsewhere, True, "PLAN-39"),
}


@proves("PLAN-37", "PLAN-39", "HOLD-96")
def test_an_emptied_conversation_keeps_the_plans_that_something_refers_to(tmp_path: Path) -> None:
    for what, (empties, own) in product(WAYS, ((clear, "PLAN-39"), (delete, "PLAN-37"))):
        does, kept, rule = WAYS[what]
        home, plan = begun(tmp_path / f"{what} {empties.__name__}")
        does(home, plan)
        if empties is delete:
            home.happens(events.SessionDeleted, session=home.session(ROOM), erase_quotes=True)
        else:
            clear(home, ROOM, erase=True)
        named = rule if rule == "HOLD-96" else own
        expect_equal(named, is_there(home, plan), kept, f"whether it is there after a {empties.__name__} with {what}")
        tickets = home.value("SELECT count(*) FROM tickets")
        expect_equal(named, tickets, int(kept), "its tickets")
        expect_equal(named, len(logged(home, "plan.deleted")), int(not kept), "on record")
        if kept:
            expect_equal("PLAN-33", (sleeps(home, plan), closed_at(home, plan)), (True, home.now), "how it is kept")


@proves("PLAN-39", "PLAN-37")
def test_the_users_words_keep_a_plan_unless_they_are_erased(tmp_path: Path) -> None:
    for erase in (False, True):
        home, plan = begun(tmp_path / f"clear {erase}")
        clear(home, ROOM, erase=erase)
        expect_equal("PLAN-39", is_there(home, plan), not erase, f"whether a plan is there, words erased: {erase}")
        home, plan = begun(tmp_path / f"delete {erase}")
        delete(home, ROOM, erase=False)
        expect_equal("PLAN-37", is_there(home, plan), True, "whether a plan is there with words in a deleted group")
        left = home.rows("SELECT session, dormant, closed_at IS NULL FROM plans WHERE id = ?", plan)
        expect_equal("PLAN-37", left, [(None, 1, 0)], "its conversation, that it sleeps, and is closed")


@proves("PLAN-37")
def test_a_deleted_groups_hold_over_a_plan_becomes_one_on_the_plan(tmp_path: Path) -> None:
    for void in (0, 1):
        home, plan = begun(tmp_path / str(void))
        home.happens(events.HoldMade, scope="session", session=home.session(ROOM))
        home.sql("UPDATE holds SET void = ?", void)
        delete(home, ROOM)
        found = home.rows("SELECT scope, plan, source, void FROM holds WHERE lifted_by IS NULL AND id > 1")
        expect_equal("HOLD-97", home.value("SELECT session FROM plans"), None, "the group that the plan belongs to")
        expect_equal("PLAN-37", found, [("plan", plan, "migration", void)], f"the plan's own hold, kept: {void}")
        expect_equal("PLAN-37", plans.points_of(home.db, plan)["status"], "parked", "what it is under that")
        home.happens(events.BoardEdited, plan=plan, goal="新品片，竖版")
        expect_equal("PLAN-37", sleeps(home, plan), False, "whether it sleeps after an edit")
        there = home.rows("SELECT session, current_of FROM plans WHERE id = ?", plan)
        expect_equal("PLAN-37", there, [(None, None)], "the conversation that it belongs to, and has a place in")
        home.say(f"{path_in(home, plan)} 接着做", to="导演")
        stand = home.rows("SELECT id FROM holds WHERE lifted_by IS NULL AND scope = 'plan'")
        expect_equal("HOLD-32", len(stand), void, "holds that stand after the user's next line about it")


@proves("PLAN-38")
def test_a_schedules_plan_is_closed_and_goes_on(tmp_path: Path) -> None:
    home, plan = begun(tmp_path)
    other = home.opened("海报", to=ROOM)
    worked_on(home, other, "@导演 做海报", to=ROOM)
    home.happens(
        events.ScheduleMade,
        session=home.session("导演"),
        bot=home.bot("导演"),
        text="日报",
        every_ms=24 * HOUR,
        due=home.now + HOUR,
        plan=plan,
    )
    home.later(61)
    expect_equal("HOLD-59", len(home.live("导演")), 1, "segments at the first due time")
    titles = [title for (title,) in home.rows("SELECT title FROM tickets WHERE plan = ? ORDER BY number", plan)]
    expect_equal("PLAN-38", titles, ["分镜", "日报"], "the tickets after the first due time")
    ticket = home.value("SELECT max(id) FROM tickets")
    expect_equal("PLAN-38", home.turn("导演")["ticket"], ticket, "what is worked on")
    home.hop("导演", text="日报好了。")
    clear(home, ROOM)
    now = home.now
    expect_equal("PLAN-33", closed_at(home, other), now, "when another plan of that chat was closed")
    expect_equal("PLAN-38", (sleeps(home, plan), closed_at(home, plan)), (False, now), "the standing plan: closed only")
    expect_equal("PLAN-38", sleeps(home, other), True, "whether the other plan sleeps")
    home.later(24 * 60)
    count = home.value("SELECT count(*) FROM tickets WHERE plan = ?", plan)
    expect_equal("PLAN-38", count, 3, "the tickets after the next due time")
    expect_equal("PLAN-38", home.live("导演")[0]["plan"], plan, "what runs then")
    home.happens(events.HoldMade, scope="plan", plan=plan)
    home.later(24 * 60 + MINUTE / MINUTE)
    count = home.value("SELECT count(*) FROM tickets WHERE plan = ?", plan)
    expect_equal("HOLD-59", count, 3, "the tickets after a due time under a hold")


@proves("PLAN-37")
def test_what_a_lifted_hold_had_parked_may_be_gone(tmp_path: Path) -> None:
    home, plan = begun(tmp_path)
    home.happens(events.HoldMade, scope="session", session=home.session(ROOM))
    home.happens(events.SessionCleared, session=home.session(ROOM), erase_quotes=True)
    expect_equal("PLAN-39", is_there(home, plan), False, "whether a plan is there that only its group's hold covered")
    home.happens(events.HoldLifted, hold=1)
    expect_equal("PLAN-37", home.rows("SELECT lifted_by IS NULL FROM holds"), [(0,)], "whether the hold stands")
