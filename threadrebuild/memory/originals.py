"""The second hop: the latest things said in the session, word for word, oldest first."""

from dataclasses import replace

from threadrebuild.database import Database
from threadrebuild.memory.recollection import Arrival, Came, Line, Recollection

LIMIT = 40  # MC-04
NEWEST_FIRST = "DESC"  # MC-04
"""Taken the other way round, the limit keeps the oldest, and what is said from message 41 on is never seen."""


def pull(store: Database, arrival: Arrival, known: Recollection) -> tuple[Recollection, Came]:
    """Take the newest ones by their time of creation, then turn them round."""
    rows = store.rows(
        "SELECT role, content, id FROM messages WHERE session = ?"
        f" ORDER BY created {NEWEST_FIRST}, id {NEWEST_FIRST} LIMIT ?",
        *(known.session, LIMIT),
    )
    lines = [Line(*row) for row in rows]
    lines.reverse()  # MC-04
    return replace(known, talk=(*known.talk, *lines)), Came("pulled" if lines else "nothing said", len(lines))
