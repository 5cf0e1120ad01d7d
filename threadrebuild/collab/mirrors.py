"""Mirrors: files in a plan's folder that show how it stands. They are written anew as it changes, and never read."""

import json
import sqlite3

from threadrebuild.collab import matter, plans, ticket_view
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

MAP = "map.md"
TICKET = "ticket.md"


def write_map(change: Change, plan: int) -> None:
    """Have a plan's map written as it is now; once for each event."""
    folder = change.db.value("SELECT folder FROM plans WHERE id = ?", plan)
    _write(change, f"{MAP}:{plan}", f"{folder}/{MAP}", map_of(change.db, plan))


def write_tickets(change: Change, plan: int) -> None:
    """Have the mirrors of a plan's tickets written as they are now, where they are not so already."""
    for row in change.db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY id", plan):
        subject, text = f"{TICKET}:{row['id']}", ticket_of(change.db, row)
        before = "SELECT json_extract(body, '$.text') FROM effects WHERE subject = ? ORDER BY id DESC"
        if change.db.value(before, subject) != text:
            _write(change, subject, f"{row['folder']}/{TICKET}", text)


def ticket_of(db: Database, ticket: sqlite3.Row) -> str:
    """The text of a ticket's mirror: what is wanted of it, and what its plan wants of all that is handed over."""
    points = plans.points_of(db, ticket["plan"])
    shown = [f"# {ticket['number']:02} {ticket['title']}", ""]
    shown += [ticket["description"], ""] if ticket["description"] else []  # TICK-02
    shown += [f"Acceptance: {each}" for each in points["acceptance"]]  # TICK-02
    shown += [f"Rules: {each}" for each in points["rules"]]  # TICK-02
    return "\n".join(shown) + "\n"


def _write(change: Change, subject: str, path: str, text: str) -> None:
    body = {"path": path, "text": text}
    asked = change.db.value("SELECT id FROM effects WHERE event = ? AND subject = ?", change.event, subject)
    if asked is None:
        change.effect("mirror", body, subject=subject)
    else:
        change.db.write("UPDATE effects SET body = ? WHERE id = ?", json.dumps(body, ensure_ascii=False), asked)


def map_of(db: Database, plan: int) -> str:
    """The text of a plan's map: its name, its points and its tickets."""
    shown = [
        f"# {db.value('SELECT name FROM plans WHERE id = ?', plan)}",  # PLAN-28
        "",
        *matter.lines(db, plan),
        ticket_view.counted(db, plan)["said"],  # TICK-30
    ]
    return "\n".join(shown) + "\n"
