"""Counts from the stored events: what each hop came to, and one label for the history of each customer.

That history was read and uploaded says nothing about its being stored. A label looks at what is stored.
"""

from collections import Counter
from datetime import datetime

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Came, millis

NOTHING_READ = "nothing read"
NOTHING_STORED = "uploaded, nothing stored"
STOPPED = "stopped by a gap"
STORED = "stored"


def note(store: Database, stage: str, came: Came, session: int | None, at: datetime) -> None:
    """Store one event."""
    store.write(
        "INSERT INTO events (at, stage, came, amount, session) VALUES (?, ?, ?, ?, ?)",
        *(millis(at), stage, came.to, came.amount, session),
    )


def counts(store: Database) -> dict[tuple[str, str], int]:
    """How often each stage came to what, by both."""
    rows = store.rows("SELECT stage, came, count(*) FROM events GROUP BY stage, came ORDER BY stage, came")
    return {(stage, came): count for stage, came, count in rows}


def labels(store: Database) -> dict[str, int]:
    """How many customers have which label. Every session has exactly one, so that they add up to all sessions."""
    sessions = store.rows("SELECT id FROM sessions ORDER BY id")
    return dict(sorted(Counter(label_of(store, row["id"]) for row in sessions).items()))


def label_of(store: Database, session: int) -> str:
    """What became of a customer's history."""
    if store.value("SELECT count(*) FROM gaps WHERE session = ? AND lifted IS NULL", session):
        return STOPPED
    if not store.value("SELECT count(*) FROM pages WHERE session = ?", session):
        return NOTHING_READ
    profiles = store.value("SELECT count(*) FROM history_profiles WHERE session = ?", session)
    return STORED if profiles else NOTHING_STORED  # MC-21
