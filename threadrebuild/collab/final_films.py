"""The film that a plan comes to: which of the files that its Bots have handed over may be it."""

import json
import sqlite3
from typing import NamedTuple

from threadrebuild.collab import films, statements
from threadrebuild.collab.change import Change
from threadrebuild.database import Database


class Film(NamedTuple):
    """A file that may be the final film; `seq` is the event in which it was last handed over."""

    path: str
    seq: int


def of_plan(db: Database, plan: int) -> list[Film]:
    """What may be the final film of a plan, the best first: by its rank, and in that by when it first came."""
    folder = db.value("SELECT folder FROM plans WHERE id = ?", plan)
    handed_over = db.rows(
        "SELECT f.path, m.seq, g.ticket FROM message_files f JOIN messages m ON m.id = f.message"
        " JOIN message_filings g ON g.message = m.id WHERE m.author = 'bot' AND g.plan = ? ORDER BY m.id, f.ord",
        plan,
    )
    came: dict[str, tuple[int, int, int]] = {}
    for number, row in enumerate(handed_over):
        rank = films.rank(row["path"], folder)
        if rank is None or not statements.is_of_film(db, plan, row["ticket"]):  # WORDS-23 WORDS-25
            continue
        _, first, _ = came.get(row["path"], (rank, number, 0))
        came[row["path"]] = (rank, first, row["seq"])
    best = list(came)
    best.sort(key=lambda path: -came[path][1])  # WORDS-24
    best.sort(key=lambda path: came[path][0])  # WORDS-24
    return [Film(path, came[path][2]) for path in best if not _is_missed(db, plan, path, came[path][2])]


def miss(change: Change, check: sqlite3.Row) -> None:
    """What a check was to measure is not there: it is looked at again once it is handed over anew."""
    change.db.write(
        "INSERT INTO missed_films (plan, path, seq) VALUES (?, ?, ?)"
        " ON CONFLICT (plan, path) DO UPDATE SET seq = excluded.seq",
        check["plan"],
        check["matched"],
        change.event,
    )


def body(path: str | None) -> str:
    """What an older version looks for, in place of measuring: whether the file is there."""
    return json.dumps({"path": path or ""}, ensure_ascii=False)


def _is_missed(db: Database, plan: int, path: str, seq: int) -> bool:
    missed = db.value("SELECT seq FROM missed_films WHERE plan = ? AND path = ?", plan, path)
    return missed is not None and missed > seq  # WORDS-23
