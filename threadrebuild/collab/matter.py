"""What a segment reads of the matter that it works in: points, tickets, and what was handed over."""

import sqlite3

from threadrebuild.collab import large_jobs, plans, stages, ticket_view
from threadrebuild.database import Database

FILES_SHOWN = 20


def lines(db: Database, plan: int, ticket: int | None = None) -> list[str]:
    """The matter of a plan, as lines of text; `ticket` is the one that is worked on."""
    return [
        *_points(db, plan),  # CHKB-06 PLAN-25
        *_tickets(db, plan, ticket),  # PLAN-25
        *_parts(db, ticket),  # TICK-29
        *large_jobs.situation(db, plan),  # LARGE-06
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


def _tickets(db: Database, plan: int, own: int | None) -> list[str]:
    rows = db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY number", plan)
    shown = [
        row
        for row in rows
        if row["drop_reason"] is None  # TICK-31
        or row["id"] == own  # TICK-31
    ]
    return [_ticket(db, row) for row in shown]


def _ticket(db: Database, ticket: sqlite3.Row) -> str:
    """A ticket, how it stands, and who is on it: of one that is done who did it, of one that is put aside nobody."""
    who = ""
    if ticket["status"] == "done":  # TICK-31
        who = ", done by " + " and ".join(ticket_view.done_by(db, ticket))
    elif ticket["status"] != "parked" and ticket["owner"] is not None:  # TICK-31
        who = f", {db.value('SELECT name FROM bots WHERE id = ?', ticket['owner'])} is on it"
    waits = large_jobs.waits_for(db, ticket["id"])
    state = ticket_view.stands(db, ticket)
    return f"Ticket {ticket['number']:02} of the plan: {ticket['title']} ({state}{who}{waits})"


def _parts(db: Database, ticket: int | None) -> list[str]:
    """The parts of the ticket that is worked on, each as it stands."""
    if db.value("SELECT level FROM meta") < stages.FROM_LEVEL:
        return []
    rows = db.rows("SELECT name, stage FROM parts WHERE ticket = ? ORDER BY name", ticket)
    return [f"Part {row['name']} of this ticket: {row['stage']}" for row in rows]


def _files(db: Database, plan: int) -> list[str]:
    """The newest files that were handed over in a message."""
    rows = db.rows(
        "SELECT DISTINCT f.path FROM message_files f JOIN messages m ON m.id = f.message"
        " JOIN turns t ON t.id = m.turn WHERE m.author = 'bot' AND t.plan = ? ORDER BY m.id DESC, f.ord LIMIT ?",
        plan,
        FILES_SHOWN,
    )
    return [f"Handed over: {row['path']}" for row in reversed(rows)]
