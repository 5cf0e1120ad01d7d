"""What ends a hold: the user's next word that it is about, another operation of the user there, or an explicit lift.

A kept hold ends by an explicit lift alone.
"""

import sqlite3
from collections.abc import Collection

from threadrebuild.collab import attribution, holds, household, reader, restarts
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import HoldLifted


def by_line(change: Change, message: sqlite3.Row) -> None:
    """Lift the ordinary holds that a line of the user is about, before anyone is woken by it."""
    if change.level < holds.FROM_LEVEL or _says_nothing_new(change, message["id"]):
        return
    action = change.db.value("SELECT id FROM user_actions WHERE message = ? ORDER BY id", message["id"])
    to = addressed(change, message)
    for hold in holds.active(change.db):
        if (
            not holds.is_kept(hold)
            and hold["seq"] < message["seq"]  # STOP-16
            and is_about(change, hold, message, to)
        ):
            holds.lift(change, hold["id"], action)


def by_button(change: Change, event: HoldLifted) -> None:
    """Lift a hold at the user's press. Raises `Missing` where there is none of that number."""
    hold = holds.hold_of(change.db, event.hold)
    if hold["lifted_by"] is not None:  # HOLD-107
        return
    action = change.db.write(
        "INSERT INTO user_actions (event, kind, request) VALUES (?, 'button', ?)", change.event, event.key
    )
    holds.lift(change, event.hold, action)
    restarts.by_button(change, event.hold)


def addressed(change: Change, message: sqlite3.Row) -> set[int]:
    """The Bots that a line is said to (STOP-14)."""
    session = household.session_of(change.db, message["session"])
    present = set(household.members(change.db, session["id"]).values())
    if session["kind"] == "direct" or message["to_everyone"]:
        return present
    mentioned = {
        row["bot"] for row in change.db.rows("SELECT bot FROM message_mentions WHERE message = ?", message["id"])
    }
    return mentioned or present


def is_about(change: Change, hold: sqlite3.Row, message: sqlite3.Row, to: Collection[int]) -> bool:
    """Whether a hold is what a line is about: by where it is filed, whom it is said to, and where (HOLD-24)."""
    targets = attribution.targets(change.db, message["id"])
    plans = {target.plan for target in targets}
    match hold["scope"]:
        case "everything":
            return True
        case "bot":
            return hold["bot"] in to
        case "session":
            return bool(hold["session"] == message["session"])
        case "plan":
            return hold["plan"] in plans
        case "ticket":
            return hold["ticket"] in {target.ticket for target in targets}
        case "bot_in_plan":
            return hold["bot"] in to and hold["plan"] in plans
    turn = change.db.row("SELECT * FROM hold_subjects WHERE kind = 'turn' AND id = ?", hold["turn"])
    if turn is None or turn["bot"] not in to:
        return False
    return turn["plan"] in plans or (turn["plan"] is None and turn["session"] == message["session"])


def _says_nothing_new(change: Change, message: int) -> bool:
    """Whether a line only stops, or only asks how far things are."""
    meant = reader.meaning(change.db, message)
    asks_how_far = meant.status and meant.control == "neither"
    return (
        reader.only_stops(change.db, message)  # STOP-19
        or asks_how_far  # HOLD-30 STOP-19 STAT-7
    )
