"""What a Bot owes in a matter: tickets of its own that are not done, requests it has not answered, and what it awaits.

Endings read this; it is neither whose move a ticket is, nor whether it waits for the user.
"""

import sqlite3

from threadrebuild.collab import ball
from threadrebuild.database import Database


def of(db: Database, work_item: int) -> list[sqlite3.Row]:
    """What is owed in a work item: (kind, id) rows; `ticket`, `request`, `delegation` or `wait`."""
    rests = ball.nobody_holds(db, db.value("SELECT plan FROM work_items WHERE id = ?", work_item))
    return [
        owed
        for owed in db.rows("SELECT kind, id FROM duties WHERE work_item = ? ORDER BY kind, id", work_item)
        if not (rests and owed["kind"] == "ticket")  # PLAN-41
    ]


def really_waits(db: Database, work_item: int) -> bool:
    """Whether a work item has a timer or another's answer to wait for (END-12 END-36)."""
    return bool(db.value("SELECT 1 FROM waits WHERE work_item = ? AND state IN ('open', 'suspended')", work_item))


def has_asked(db: Database, work_item: int) -> bool:
    """Whether a work item has something asked of another, whose reply wakes it, even if it does not wait for that."""
    return bool(db.value("SELECT 1 FROM delegations WHERE from_item = ? AND state = 'open'", work_item))


def requests_read(db: Database, turn: int) -> list[sqlite3.Row]:
    """The open delegations whose request a segment has read, and which words can answer."""
    return db.rows(
        "SELECT DISTINCT d.* FROM delegations d JOIN inbox_items i ON i.delegation = d.id AND i.kind = 'request'"
        " WHERE i.read_by_turn = ? AND d.state = 'open' AND d.expects IN ('answer', 'review') ORDER BY d.id",
        turn,
    )
