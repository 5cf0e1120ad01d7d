"""Mirrors: files in a plan's folder that show how it stands. They are written anew as it changes, and never read."""

import json

from threadrebuild.collab import matter
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

MAP = "map.md"


def write_map(change: Change, plan: int) -> None:
    """Have a plan's map written as it is now; once for each event."""
    subject = f"{MAP}:{plan}"
    body = {"path": f"{change.db.value('SELECT folder FROM plans WHERE id = ?', plan)}/{MAP}"}
    body["text"] = map_of(change.db, plan)
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
    ]
    return "\n".join(shown) + "\n"
