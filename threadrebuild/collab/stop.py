"""Stopping: a segment ends where it stands. What it did stays done; what it still runs outside is ended."""

import sqlite3

from threadrebuild.collab import aborting, check_backs, holds, household, organizer, parking, stop_menus, turns
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import StopPressed
from threadrebuild.collab.scope import Scope


def press(change: Change, event: StopPressed) -> None:
    """Stop the segment that the user aimed at, and hold its work: in its plan, else just that segment.

    Raises `Missing` for one that is not there, `Conflict` for one that is over or has no Stop.
    """
    aimed_at = _aimed_at(change, event)
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", aimed_at)
    if turn is None:
        raise Missing(f"there is no turn {aimed_at}")
    if turns.live(change, aimed_at) is None:
        raise Conflict("not_running", f"turn {aimed_at} is over")
    where = household.session_of(change.db, turn["session"])["kind"]
    if change.level < holds.FROM_LEVEL and where == "group":  # STOP-7
        raise Conflict("no_stop", "a group has no Stop; say there that the work is to be stopped")
    action = change.user_action("button", event.key)
    change.log("control.stop", bot=turn["bot"], plan=turn["plan"], turn=aimed_at)
    plan = change.db.value("SELECT plan FROM hold_subjects WHERE kind = 'turn' AND id = ?", aimed_at)
    if change.level < holds.FROM_LEVEL or turn["mode"] == "readonly":
        if change.level < holds.FROM_LEVEL:
            check_backs.void_of_turn(change, aimed_at)  # HOLD-56 CHKB-09
        end(change, aimed_at)  # STOP-1
        if plan is not None and change.level < holds.FROM_LEVEL:
            parking.stopped_of_old(change, plan, action)  # PLAN-23
        return
    scope = Scope("turn", turn=aimed_at)
    if plan is not None:
        scope = Scope("bot_in_plan", bot=turn["bot"], plan=plan)  # STOP-8
    holds.make(change, scope, source="user_button", by_stop=True, place=turn["session"])


def end(change: Change, turn: int) -> None:
    """End a segment as stopped, with everything that it runs outside; nothing is looked at again because of it."""
    aborting.give_up(change, turn)
    _end(change, turn)


def end_held(change: Change, turn: int) -> bool:
    """End a segment that has come under a hold; False where the store will not have it ended, as an older one's.

    What it runs outside is ended all the same, and nothing that it still asks for is carried out. What it was to read
    in a hop that never began is kept for the lift.
    """
    aborting.give_up(change, turn)  # HOLD-14
    row = turns.live(change, turn)
    if row is not None:
        turns.put_back(change, row, until_a_lift=True)  # HOLD-33
    try:
        with change.db.attempt():
            _end(change, turn)  # HOLD-13 HOLD-15
    except sqlite3.IntegrityError as error:
        change.log("hold.not_ended", turn=turn, why=str(error))
        return False
    return True


def _end(change: Change, turn: int) -> None:
    turns.end(change, turn, "stopped", "stopped")
    organizer.forget(change, turn)  # STOP-4


def _aimed_at(change: Change, event: StopPressed) -> int:
    """The one segment that Stop hits: the one named, that of the direct chat it was pressed in, or the menu bar's.

    Raises ValueError where it aims at none, `Missing` and `Conflict` where there is nothing to stop.
    """
    if event.turn is not None:
        return event.turn
    seen: int | None = None
    if event.session is not None:
        seen = stop_menus.of_session(change.db, event.session, change.at)["stop"]  # STOP-5
    elif change.level < holds.FROM_LEVEL:  # STOP-6
        seen = stop_menus.in_latest_direct_chat(change.db)
    else:
        raise ValueError("Stop aims at a turn or at a direct chat")
    if seen is None:
        raise Conflict("not_running", "there is nothing that Stop could hit")
    return seen
