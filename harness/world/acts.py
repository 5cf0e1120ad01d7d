"""What comes to be in a household's store by each commit, in plain facts: who opens, does and ends what; what is held.

Each becomes an `act` step of the run log, so that an oracle can judge them that never sees the store. The store is
looked into from outside, by SQL of its own.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LIVE = "('running', 'waiting_approval', 'waiting_ask')"
_SEGMENT = (
    "SELECT t.id AS turn, t.bot, t.session, ifnull(t.plan, iif(t.mode = 'readonly' OR (SELECT level FROM meta) < 2,"
    " (SELECT plan FROM messages WHERE id = t.trigger_message), NULL)) AS plan, t.ticket, t.mode,"
    f" ifnull(t.woken_by_turn, t.continues) AS opened_by, t.state IN {LIVE} AS live FROM turns t"
)
_HOLD = (
    "SELECT h.id AS hold, h.scope, h.bot, h.session, ifnull(h.plan, k.plan) AS plan, h.ticket, h.turn, h.source,"
    " h.effect FROM holds h LEFT JOIN tickets k ON k.id = h.ticket WHERE h.lifted_by IS NULL ORDER BY h.id"
)


class Acts:
    """Looks into the store at `path` after every commit, and tells what is new."""

    def __init__(self, path: Path) -> None:
        self._store = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        self._store.row_factory = sqlite3.Row
        self._live: dict[int, dict[str, Any]] = {}
        self._holds: dict[int, dict[str, Any]] = {}
        self._newest = {"turns": 0, "messages": 0, "holds": 0}
        self._homes: dict[int, int | None] = {}
        self._used: set[int] = set()
        self._standing: dict[int, dict[str, Any]] = {}

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def look(self) -> list[dict[str, Any]]:
        """What is new: what ends first, then what is done, and last what begins to hold."""
        self._store.execute("BEGIN")
        try:
            return [*self._lifted(), *self._plans(), *self._segments(), *self._says(), *self._made()]
        finally:
            self._store.execute("COMMIT")

    def _lifted(self) -> Iterator[dict[str, Any]]:
        standing = {row["hold"]: _hold(row) for row in self._store.execute(_HOLD)}
        for hold in sorted(self._holds.keys() - standing.keys()):
            yield {"what": "lifts", "hold": hold}
            del self._holds[hold]
        self._standing = standing

    def _made(self) -> Iterator[dict[str, Any]]:
        for hold, seen in self._standing.items():
            if self._holds.get(hold) != seen:
                yield {"what": "holds", **seen}
        self._holds = self._standing

    def _plans(self) -> Iterator[dict[str, Any]]:
        """The plans that are new, or have another home."""
        for row in self._store.execute("SELECT id AS plan, session FROM plans ORDER BY id").fetchall():
            if self._homes.get(row["plan"], 0) != row["session"]:
                self._homes[row["plan"]] = row["session"]
                yield {"what": "plan", **dict(row)}

    def _segments(self) -> Iterator[dict[str, Any]]:
        rows = [
            dict(row)
            for row in self._store.execute(
                f"{_SEGMENT} WHERE t.id > ? OR t.state IN {LIVE} ORDER BY t.id", (self._newest["turns"],)
            )
        ]
        live = {row["turn"]: row for row in rows if row.pop("live")}
        for row in rows:
            if row["turn"] > self._newest["turns"]:
                yield {"what": "opens", **row}
            elif self._live.get(row["turn"]) != row:
                yield {"what": "moves", **row}
        seen = {*self._live, *(row["turn"] for row in rows)}
        yield from self._calls(seen)
        for turn in sorted(seen - live.keys()):
            yield {"what": "ends", "turn": turn}
        self._newest["turns"] = max([self._newest["turns"], *seen])
        self._live = live

    def _calls(self, turns: set[int]) -> Iterator[dict[str, Any]]:
        among = ", ".join(map(str, sorted(turns)))
        sql = f"SELECT id, turn, name FROM calls WHERE turn IN ({among}) AND state IN ('started', 'ok') ORDER BY id"
        for call, turn, name in self._store.execute(sql):
            if call not in self._used:
                self._used.add(call)
                yield {"what": "calls", "turn": turn, "call": call, "tool": name}

    def _says(self) -> Iterator[dict[str, Any]]:
        for row in self._new("messages", "SELECT id, turn FROM messages WHERE author = 'bot'"):
            if row["turn"] is not None:
                yield {"what": "says", "turn": row["turn"], "message": row["id"]}

    def _new(self, table: str, sql: str) -> Iterator[dict[str, Any]]:
        where = " AND " if " WHERE " in sql else " WHERE "
        for row in self._store.execute(f"{sql}{where}id > ? ORDER BY id", (self._newest[table],)).fetchall():
            self._newest[table] = row[0]
            yield dict(row)


def _hold(row: sqlite3.Row) -> dict[str, Any]:
    let_go = json.loads(row["effect"]).get("released_bots", [])
    return {**{name: value for name, value in dict(row).items() if name != "effect"}, "let_go": let_go}
