"""What a segment reads of the matter that it works in: points, tickets, and what was handed over."""

import sqlite3

from threadrebuild.collab import plans
from threadrebuild.database import Database

FILES_SHOWN = 20


def lines(db: Database, plan: int) -> list[str]:
    """The matter of a plan, as lines of text."""
    return [
        *_points(db, plan),  # CHKB-06 PLAN-25
        *(  # CHKB-06 PLAN-25
            _ticket(row) for row in db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY number", plan)
        ),
        *_files(db, plan),  # CHKB-06
    ]


def _points(db: Database, plan: int) -> list[str]:
    points = plans.points_of(db, plan)
    found = [f"{name.capitalize()}: {points[name]}" for name in ("category", "goal") if points.get(name)]
    for name in ("acceptance", "rules"):
        found += [f"{name.capitalize()}: {each}" for each in points.get(name) or ()]
    if points.get("process"):
        found.append(f"Process and division of work: {points['process']}")
    progress = points.get("progress") or {}
    for name, said in progress.items() if isinstance(progress, dict) else ():
        found += [f"Progress, {name.replace('_', ' ')}: {', '.join(said)}"] if said else []
    return [*found, f"Status: {points['status']}"]


def _ticket(ticket: sqlite3.Row) -> str:
    return f"Ticket {ticket['number']:02} of the plan: {ticket['title']} ({ticket['status']})"


def _files(db: Database, plan: int) -> list[str]:
    """The newest files that were handed over in a message."""
    rows = db.rows(
        "SELECT DISTINCT f.path FROM message_files f JOIN messages m ON m.id = f.message"
        " JOIN turns t ON t.id = m.turn WHERE m.author = 'bot' AND t.plan = ? ORDER BY m.id DESC, f.ord LIMIT ?",
        plan,
        FILES_SHOWN,
    )
    return [f"Handed over: {row['path']}" for row in reversed(rows)]
