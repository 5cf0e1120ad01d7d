"""Bounces: an ending that is sent back with a reason, and its segment goes on. Each code has its budget in one table.

Some codes are sent back once a segment and no more; some share two between them, attributions included. With the shared
two used up the work needs attention.
"""

import sqlite3
from typing import NamedTuple

from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SHARED = 2  # END-32


class Budget(NamedTuple):
    """How often a code may send back: `once` a segment, and whether out of the `shared` ones."""

    once: bool
    shared: bool


TABLE: dict[str, Budget] = {
    "unsettled": Budget(once=False, shared=True),  # END-04 END-32
    "open_duties": Budget(once=True, shared=True),  # END-12 END-32
    "unanswered_request": Budget(once=False, shared=True),  # END-18 END-32
    "asks_go_ahead": Budget(once=True, shared=True),  # ASK-21 ASK-23
    "promised_later": Budget(once=True, shared=False),  # END-19
    "said_nothing": Budget(once=True, shared=False),  # END-23
    "closing_check": Budget(once=True, shared=False),  # CLOS-05
}
"""By code; every other code is an attribution's (DESK-27), and shared."""
OTHERS = Budget(once=False, shared=True)


def may(db: Database, turn: int, code: str) -> bool:
    """Whether a segment can still be sent back for this: not once it was, where that is enough."""
    return not (TABLE[code].once and was(db, turn, code))


def was(db: Database, turn: int, code: str) -> bool:
    """Whether a segment was sent back for this."""
    return bool(db.value("SELECT 1 FROM bounces WHERE turn = ? AND code = ?", turn, code))


def is_used_up(db: Database, turn: int, code: str) -> bool:
    """Whether a code is shared, and none of the shared bounces of a segment is left."""
    return TABLE.get(code, OTHERS).shared and _shared(db, turn) >= SHARED


def send_back(change: Change, turn: sqlite3.Row, code: str) -> None:
    """Count a bounce of a segment."""
    change.db.write("INSERT INTO bounces (turn, code, event) VALUES (?, ?, ?)", turn["id"], code, change.event)
    if TABLE.get(code, OTHERS).shared:
        change.db.write("UPDATE turns SET bounces = bounces + 1 WHERE id = ?", turn["id"])
    change.log("ending.bounced", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"], code=code)


def _shared(db: Database, turn: int) -> int:
    return int(db.value("SELECT bounces FROM turns WHERE id = ?", turn))
