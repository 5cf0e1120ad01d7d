"""Tickets as they are shown: how each stands, who did it, and how many of a plan are still to do.

What a plan's points say of its progress is only told; how a ticket stands counts.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import large_jobs, reviewers, stages
from threadrebuild.collab.change import Missing
from threadrebuild.database import Database


def stands(db: Database, ticket: sqlite3.Row) -> str:
    """How a ticket stands: by its stage, and before there were any by its status."""
    by_stage = db.value("SELECT level FROM meta") >= stages.FROM_LEVEL
    return str(ticket["stage"] if by_stage else ticket["status"])  # TICK-03 TICK-29


def done_by(db: Database, ticket: sqlite3.Row) -> list[str]:
    """Who did a ticket: the Bots that have worked on it; the owner filled in only where nobody has."""
    rows = db.rows(
        "SELECT b.name FROM turns t JOIN bots b ON b.id = t.bot WHERE t.ticket = ? AND t.acted = 1 GROUP BY b.id"
        " ORDER BY count(*) DESC, b.id",
        ticket["id"],
    )
    owner = db.value("SELECT name FROM bots WHERE id = ?", ticket["owner"])
    if not rows:  # TICK-31
        return [owner or "nobody"]
    return [row["name"] for row in rows]


def counted(db: Database, plan: int) -> dict[str, Any]:
    """How many tickets of a plan there are to do; what is dropped or parked is none of them."""
    statuses = [row["status"] for row in db.rows("SELECT status FROM tickets WHERE plan = ?", plan)]
    to_do = [status for status in statuses if status != "parked"]  # TICK-30
    done, aside = to_do.count("done"), len(statuses) - len(to_do)
    said = f"{len(to_do) - done} open · {len(to_do)} total"
    if aside:  # TICK-30
        said += f" · {aside} dropped or parked"
    percent = round(100 * done / len(to_do)) if to_do else None
    return {"open": len(to_do) - done, "total": len(to_do), "aside": aside, "percent": percent, "said": said}


def of_plan(db: Database, plan: int) -> list[dict[str, Any]]:
    """The tickets of a plan, in order."""
    return [_shown(db, row) for row in db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY number", plan)]


def detail(db: Database, ticket: int, at: int) -> dict[str, Any]:
    """What `GET /v1/tickets/:id` answers. Raises `Missing`."""
    row = db.row("SELECT * FROM tickets WHERE id = ?", ticket)
    if row is None:
        raise Missing(f"there is no ticket {ticket}")
    parts = db.rows("SELECT name, stage FROM parts WHERE ticket = ? ORDER BY name", ticket)
    return _shown(db, row) | {
        "description": row["description"],
        "parts": [dict(part) for part in parts],
        "approved_parts": f"{sum(part['stage'] == 'approved' for part in parts)}/{len(parts)}",  # TICK-21
        "offered_reviewers": reviewers.offered(db, row),  # TICK-32
    }


def _shown(db: Database, row: sqlite3.Row) -> dict[str, Any]:
    names = ("id", "number", "title", "status", "owner", "reviewer", "sample", "drop_reason")
    return {name: row[name] for name in names} | {
        "stands": stands(db, row),
        "waits_for": [needed["id"] for needed in large_jobs.unmet(db, row["id"])],
    }
