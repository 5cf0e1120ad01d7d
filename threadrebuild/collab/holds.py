"""Holds: what the user has stopped, and what keeps it so until the user speaks of it or lifts it.

A hold has one of seven scopes. Whether something is held is told by the store alone (`hold_hits`), which also refuses a
live segment under a hold. What a hold did when it was made is on record with it, and is undone when it is lifted.
"""

import json
import sqlite3
from typing import Any, Literal

from threadrebuild.collab import (
    check_backs,
    handed_off,
    hold_list,
    inbox,
    parking,
    readonly,
    restarts,
    schedules,
    stop,
    turns,
    work,
)
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import HoldMade
from threadrebuild.collab.scope import NAMES, Kind, Scope
from threadrebuild.database import Database

FROM_LEVEL = 1  # HOLD-12
Source = Literal["user_text", "user_button", "legacy", "migration"]


def make(
    change: Change,
    scope: Scope,
    *,
    source: Source,
    message: int | None = None,
    by_stop: bool = False,
    void: bool = False,
    place: int | None = None,
) -> int:
    """Hold what is in a scope; running segments that it covers end in this same write (HOLD-13). Returns the hold.

    `message` is the line that asked for it, `place` the session whose menu did.
    """
    hold = change.db.write(
        "INSERT INTO holds (scope, bot, session, plan, ticket, turn, source, source_message, void, by_stop, seq, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *scope,
        source,
        message,
        int(void),
        int(by_stop),
        change.event,
        change.at,
    )
    handed_off.cover(change, hold)
    stopped = [turn for turn in _hit(change.db, hold, "turn") if _may_not_go_on(change, turn)]
    note(change, hold, stopped_turns=[restarts.where_it_stood(change, turn) for turn in stopped])  # HOLD-16 STOP-11
    note(change, hold, working_beside=_beside(change.db, hold))  # HOLD-17
    _keep_back(change, hold)
    left = [turn for turn in stopped if not stop.end_held(change, turn)]
    note(change, hold, still_running=left)  # HOLD-18
    note(change, hold, suspended=check_backs.suspend(change, hold))  # HOLD-19 STOP-10
    note(change, hold, parked=parking.park(change, hold))  # HOLD-19
    change.log("control.hold", hold=hold, scope=scope.kind, source=source, session_id=place)  # HOLD-20
    return hold


def press(change: Change, event: HoldMade) -> None:
    """Make the hold that the user has asked for by a button or menu.

    Raises `Missing` for a scope that is not there, ValueError for one that does not say what it is over.
    """
    if change.level < FROM_LEVEL:  # HOLD-12
        raise Missing("there are no holds at this level")
    scope = Scope(event.scope, event.bot, event.session, event.plan, event.ticket, event.turn)
    named = {field for field, value in scope._asdict().items() if value is not None} - {"kind"}
    if named != NAMES[scope.kind]:
        raise ValueError(f"a hold on {scope.kind} names {sorted(NAMES[scope.kind])}, not {sorted(named)}")
    for field in sorted(named):
        if not change.db.value(f"SELECT 1 FROM {field}s WHERE id = ?", getattr(scope, field)):
            raise Missing(f"there is no {field} {getattr(scope, field)}")
    change.user_action("button", event.key)
    make(change, scope, source="user_button", place=event.place)  # HOLD-106


def lift(change: Change, hold: int, action: int) -> None:
    """Let what a hold covers go on, where no other hold covers it; `action` is the user's. Nothing is woken by this."""
    change.db.write("UPDATE holds SET lifted_by = ? WHERE id = ?", action, hold)
    check_backs.revive(change)
    parking.restore(change, hold)
    restarts.hand_over(change, hold)
    readonly.give_back(change, hold)
    _hand_back(change)
    schedules.catch_up(change)
    hold_list.push(change, hold)  # HOLD-109
    change.log("control.lift", hold=hold)


def over(db: Database, kind: Kind, id_: int) -> list[sqlite3.Row]:
    """The holds that something is under, oldest first."""
    return db.rows(
        "SELECT h.* FROM hold_hits x JOIN holds h ON h.id = x.hold WHERE x.kind = ? AND x.id = ? ORDER BY h.id",
        kind,
        id_,
    )


def hearer(message: int, bot: int) -> int:
    """The number of a Bot as one that may hear a line."""
    return message * 65536 + bot


def is_kept(hold: sqlite3.Row) -> bool:
    """Whether a hold stands until it is lifted, whatever the user says."""
    return hold["source"] == "legacy" or bool(hold["void"])


def active(db: Database) -> list[sqlite3.Row]:
    """The holds that stand, oldest first."""
    return db.rows("SELECT * FROM holds WHERE lifted_by IS NULL ORDER BY id")


def hold_of(db: Database, hold: int) -> sqlite3.Row:
    """A hold. Raises `Missing` where there is none of that number."""
    found = db.row("SELECT * FROM holds WHERE id = ?", hold)
    if found is None:
        raise Missing(f"there is no hold {hold}")
    return found


def record_of(hold: sqlite3.Row) -> dict[str, Any]:
    """What a hold did: segments stopped and how far they got, what it suspended and parked, and so on."""
    record: dict[str, Any] = json.loads(hold["effect"])
    return record


def note(change: Change, hold: int, **record: Any) -> None:
    """Put something on a hold's record."""
    known = record_of(hold_of(change.db, hold))
    change.db.write("UPDATE holds SET effect = ? WHERE id = ?", json.dumps(known | record, ensure_ascii=False), hold)
    hold_list.push(change, hold)  # HOLD-109


def since(db: Database, turn: int) -> int | None:
    """The number of the event that made the first hold now over a segment; None where there is none."""
    found = over(db, "turn", turn)
    return min(hold["seq"] for hold in found) if found else None


def _hit(db: Database, hold: int, kind: Kind) -> list[int]:
    rows = db.rows("SELECT id FROM hold_hits WHERE hold = ? AND kind = ? ORDER BY id", hold, kind)
    return [row["id"] for row in rows]


def _may_not_go_on(change: Change, turn: int) -> bool:
    """Whether a hold ends a segment: one that only answers a line which another hold let in is left to finish."""
    row = turns.live(change, turn)
    return row is not None and row["mode"] != "readonly"  # HOLD-10


def _beside(db: Database, hold: int) -> list[dict[str, Any]]:
    """The segments of other Bots that go on in the plans of those stopped, or in the hold's own."""
    rows = db.rows(
        "SELECT t.id AS turn, t.bot, t.plan FROM live_turns t WHERE t.plan IN"
        " (SELECT s.plan FROM hold_hits x JOIN live_turns s ON s.id = x.id WHERE x.hold = ?1 AND x.kind = 'turn'"
        "  UNION SELECT plan FROM holds WHERE id = ?1)"
        " AND t.id NOT IN (SELECT id FROM hold_hits WHERE hold = ?1 AND kind = 'turn') ORDER BY t.id",
        hold,
    )
    return [dict(row) for row in rows]


def _keep_back(change: Change, hold: int) -> None:
    """Let what waits to be read in held work wait on."""
    for item in _hit(change.db, hold, "item"):
        for copy in change.db.rows("SELECT * FROM inbox_items WHERE id = ? AND state = 'queued'", item):
            inbox.keep_back(change, copy, over(change.db, "item", item))
            work.settle_waiting(change, copy["work_item"])


def _hand_back(change: Change) -> None:
    """Let what was kept back, and nothing holds any more, be read again."""
    for item in change.db.rows("SELECT * FROM inbox_items WHERE state = 'held' ORDER BY id"):
        if not over(change.db, "item", item["id"]):
            inbox.hand_back(change, item)  # HOLD-25 QUOT-36
