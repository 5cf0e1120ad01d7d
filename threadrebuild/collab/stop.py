"""Stopping: a segment ends where it stands. What it did stays done; what it still runs outside is ended."""

import sqlite3

from threadrebuild.collab import aborting, check_backs, holds, organizer, turns
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import StopPressed
from threadrebuild.collab.scope import Scope


def press(change: Change, event: StopPressed) -> None:
    """Stop the segment that the user aimed at, and hold its work: in its plan, else just that segment.

    Raises `Missing` for one that is not there, `Conflict` for one that is over.
    """
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", event.turn)
    if turn is None:
        raise Missing(f"there is no turn {event.turn}")
    if turns.live(change, event.turn) is None:
        raise Conflict("not_running", f"turn {event.turn} is over")
    change.db.write("INSERT INTO user_actions (event, kind, request) VALUES (?, 'button', ?)", change.event, event.key)
    if change.level < holds.FROM_LEVEL or turn["mode"] == "readonly":
        if change.level < holds.FROM_LEVEL:
            check_backs.void_of_turn(change, event.turn)  # HOLD-56
        end(change, event.turn)  # STOP-1
        return
    plan = change.db.value("SELECT plan FROM hold_subjects WHERE kind = 'turn' AND id = ?", event.turn)
    scope = Scope("turn", turn=event.turn)
    if plan is not None:
        scope = Scope("bot_in_plan", bot=turn["bot"], plan=plan)  # STOP-8
    holds.make(change, scope, source="user_button", by_stop=True, place=turn["session"])


def end(change: Change, turn: int) -> None:
    """End a segment as stopped, with everything that it runs outside; nothing is looked at again because of it."""
    aborting.give_up(change, turn)
    _end(change, turn)


def end_held(change: Change, turn: int) -> bool:
    """End a segment that has come under a hold; False where the store will not have it ended, as an older one's.

    What it runs outside is ended all the same, and nothing that it still asks for is carried out.
    """
    aborting.give_up(change, turn)  # HOLD-14
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
