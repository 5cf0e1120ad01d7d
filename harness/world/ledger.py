"""What comes to stand in a household's ledger by each commit: every entry that is new, or is another one than before.

Each becomes an `act` step, so that an oracle can judge it that never sees the store. The store is looked into from
outside, by SQL of its own.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

_ENTRIES = (
    "SELECT r.id AS entry, r.number, r.quote, r.span AS words, r.paraphrase, r.category, r.nature, r.polarity,"
    " r.source, r.scope, r.plan, r.ticket, r.session, r.state, r.item, r.value, r.bound, r.replaces,"
    " (SELECT json_group_array(quote) FROM (SELECT quote FROM requirement_sayings WHERE requirement = r.id"
    "   ORDER BY quote)) AS said,"
    " (SELECT json_group_array(plan) FROM (SELECT plan FROM requirement_exceptions WHERE requirement = r.id"
    "   ORDER BY plan)) AS aside FROM requirements r ORDER BY r.id"
)


class Ledger:
    """Looks into the ledger of the store at `path` after every commit, and tells what is new there."""

    def __init__(self, path: Path) -> None:
        self._store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        self._store.row_factory = sqlite3.Row
        self._seen: dict[int, dict[str, Any]] = {}

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def look(self) -> list[dict[str, Any]]:
        """The entries that are new, or are others than before: how each stands now; what has gone has no words."""
        now = {row["entry"]: _entry(row) for row in self._store.execute(_ENTRIES)}
        gone = [{**entry, "state": "gone", "words": None} for number, entry in self._seen.items() if number not in now]
        new = [entry for number, entry in now.items() if self._seen.get(number) != entry]
        self._seen = now
        return [{"what": "wish", **entry} for entry in (*gone, *new)]


def _entry(row: sqlite3.Row) -> dict[str, Any]:
    lists = {name: json.loads(row[name]) for name in ("said", "aside")}
    return {**dict(row), **lists}
