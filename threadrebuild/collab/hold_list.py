"""Holds as clients see them: listed, one by one, in the snapshot, and pushed whenever one changes."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from threadrebuild.collab import holds
from threadrebuild.collab.change import Change, Missing
from threadrebuild.database import Database

STATUSES = ("active", "all")
_LISTED = (
    "SELECT h.*, p.name AS plan_title FROM holds h LEFT JOIN tickets k ON k.id = h.ticket"
    " LEFT JOIN plans p ON p.id = ifnull(h.plan, k.plan)"
)
_NAMES = (
    "id",
    "scope",
    "bot",
    "session",
    "plan",
    "ticket",
    "turn",
    "plan_title",
    "source",
    "source_message",
    "seq",
    "at",
)


def listed(view: Database, query: Mapping[str, str]) -> dict[str, Any]:
    """The active holds, or with `status=all` the lifted ones as well. Raises ValueError for another status."""
    status = query.get("status", "active")
    if status not in STATUSES:
        raise ValueError(f"a status is one of {STATUSES}, not {status!r}")
    which = "1" if status == "all" else "h.lifted_by IS NULL"  # HOLD-105
    return {"holds": _newest_first(view, which)}


def one(view: Database, hold: int, at: int) -> dict[str, Any]:
    """A hold, active or lifted. Raises `Missing` where there is none of that number."""
    del at
    found = view.row(f"{_LISTED} WHERE h.id = ?", hold)
    if found is None:
        raise Missing(f"there is no hold {hold}")
    return _shown(found)


def snapshot(view: Database) -> dict[str, Any]:
    """What a client begins with: the engine's level, the segments that are live, and from their level on the holds."""
    level = view.value("SELECT level FROM meta")
    seen: dict[str, Any] = {
        "level": level,
        "turns": [dict(row) for row in view.rows("SELECT id, bot, session, plan, ticket, mode, state FROM live_turns")],
    }
    if level >= holds.FROM_LEVEL:  # HOLD-108
        seen["holds"] = _newest_first(view, "h.lifted_by IS NULL")
    return seen


def push(change: Change, hold: int) -> None:
    """Have clients told how a hold now is, once for all that an event makes of it. Nothing comes back from that."""
    body = json.dumps({"event": "hold.upsert", "hold": one(change.db, hold, change.at)}, ensure_ascii=False)
    subject = f"hold.upsert:{hold}"
    before = change.db.value("SELECT id FROM effects WHERE event = ? AND subject = ?", change.event, subject)
    if before is None:
        before = change.effect("push", {}, subject=subject)  # HOLD-109
    change.db.write("UPDATE effects SET body = ? WHERE id = ?", body, before)


def _newest_first(view: Database, which: str) -> list[dict[str, Any]]:
    return [_shown(row) for row in view.rows(f"{_LISTED} WHERE {which} ORDER BY h.id DESC")]


def _shown(hold: sqlite3.Row) -> dict[str, Any]:
    return {
        **{name: hold[name] for name in _NAMES},
        "status": "active" if hold["lifted_by"] is None else "lifted",
        "void": bool(hold["void"]),
        "by_stop": bool(hold["by_stop"]),
        "lift_on_next_user_message": not holds.is_kept(hold),
        "effect": json.loads(hold["effect"]),
    }
