"""How delegations are shown: to the user as they stand on record, and to the Bots that read of them.

What is shown comes of the records alone; no words said in a chat make an entry, and nothing here changes anything.
"""

import json
import sqlite3
from typing import Any

from threadrebuild.collab import delegation, holds, household
from threadrebuild.collab.change import Missing
from threadrebuild.database import Database

_SHOWN = ("id", "session", "plan", "ticket", "ask", "expects", "state", "result", "at", "closed_at")


def of_plan(view: Database, plan: int, at: int) -> dict[str, Any]:
    """All delegations on a plan, closed ones too. Raises `Missing` for a plan that is not there."""
    if view.value("SELECT 1 FROM plans WHERE id = ?", plan) is None:
        raise Missing(f"there is no plan {plan}")
    return {"delegations": [_shown(view, each) for each in delegation.known(view) if each["plan"] == plan]}


def of_session(view: Database, session: int, at: int) -> dict[str, Any]:
    """All delegations that take place in a session, and what is to be seen of them in that collaboration chat.

    Raises `Missing` for a session that is not there.
    """
    household.session_of(view, session)
    found = [each for each in delegation.known(view) if session in delegation.places(each)]
    entries = [entry for each in found if each["session"] == session for entry in _entries(view, each)]
    entries.sort(key=lambda entry: (entry["at"] or 0, entry["delegation"]))
    return {"delegations": [_shown(view, each) for each in found], "entries": entries}


def told(db: Database, item: sqlite3.Row) -> str:
    """A request, or what came of one, as the Bot reads it that it is for."""
    row = db.row("SELECT * FROM delegations WHERE id = ?", item["delegation"])
    assert row is not None
    if row["state"] == "cancelled":
        return f"app: {item['text']}"
    if item["kind"] == "request":
        return (
            f"{_bot(db, row['from_item'])} asks you (delegation {row['id']}, expects {row['expects']}): {item['text']}"
        )
    return f"{_bot(db, row['to_item'])} on “{row['ask']}” (delegation {row['id']}): {item['text']}"


def asker(db: Database, delegation: sqlite3.Row) -> str:
    """The name of the Bot that waits for what came of a delegation."""
    return _bot(db, delegation["from_item"])


def _shown(db: Database, row: sqlite3.Row) -> dict[str, Any]:
    """Who asks whom for what, how that stands, and whether it is waited for or held."""
    wait = db.row("SELECT * FROM waits WHERE kind = 'delegation' AND ref = ?", row["id"])
    return {
        **{key: row[key] for key in _SHOWN},
        "from": {"bot": row["from_bot"], "name": _bot(db, row["from_item"]), "work_item": row["from_item"]},
        "to": {"bot": row["to_bot"], "name": _bot(db, row["to_item"]), "work_item": row["to_item"]},
        "parts": json.loads(row["parts"]),
        "requirements": json.loads(row["requirements"]),
        "waiting": wait is not None and wait["state"] in ("open", "suspended"),
        "held": any(holds.over(db, "work_item", row[side]) for side in ("from_item", "to_item")),
        "due_at": None if wait is None else wait["due"],
    }


def _entries(db: Database, row: sqlite3.Row) -> list[dict[str, Any]]:
    """What a collaboration chat shows of a delegation."""
    wait = "SELECT 1 FROM waits WHERE kind = 'delegation' AND ref = ? AND state IN ('open', 'suspended')"
    made = {"delegation": row["id"], "at": row["at"]}
    entries = [{**made, "kind": "delegate", "from": row["from_bot"], "to": row["to_bot"], "text": row["ask"]}]  # DEL-50
    if db.value(wait, row["id"]):  # DEL-50
        entries.append({**made, "kind": "wait", "from": row["from_bot"], "to": row["to_bot"], "text": ""})
    if row["state"] != "open":  # DEL-50
        kind = "return" if row["state"] == "replied" else "cancel"
        closed = {"delegation": row["id"], "at": row["closed_at"], "kind": kind}
        entries.append({**closed, "from": row["to_bot"], "to": row["from_bot"], "text": row["result"]})
    return entries


def _bot(db: Database, work_item: int) -> str:
    return str(db.value("SELECT b.name FROM work_items w JOIN bots b ON b.id = w.bot WHERE w.id = ?", work_item))
