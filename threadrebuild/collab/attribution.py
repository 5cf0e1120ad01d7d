"""Which plans, tickets and parts a message concerns: by what it refers to, else by a reading, else by its Bot's desk.

Nothing is guessed: a line that neither refers to a matter nor is read to be about one stays unfiled.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import plans, quotes, reader, tickets
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Annotation
from threadrebuild.collab.target import Target
from threadrebuild.database import Database

RAN_WITHIN_MS = 24 * 3_600_000  # ATTR-12
PREVIOUS_LINES = 6  # ATTR-14 DESK-04
FILES_SHOWN = 3  # DESK-06
QUOTE_SHOWN = 300  # DESK-06


def file(change: Change, message: int) -> None:
    """File a message by what it refers to, else by what it was read to be about; else leave it undetermined."""
    row = change.db.row("SELECT * FROM messages WHERE id = ?", message)
    assert row is not None
    found = references(change.db, row)
    if found:
        put(change, message, found, locked=True, by="reference")
        return
    read = reader.filing(change.db, message)
    if read is not None and read.kind == "plans":
        about = [Target(each.plan, each.ticket, part) for each in read.about for part in each.parts or (None,)]
        put(change, message, about, locked=False, by="reader")  # ATTR-09 PLAN-01 PLAN-02 PLAN-03 PLAN-04
        return
    current = (
        plans.current(change.db, row["session"])
        if change.level < plans.SEVERAL_FROM_LEVEL  # PLAN-07
        else None
    )
    if current is not None and row["author"] == "user":
        put(change, message, [Target(current)], locked=False, by="slot")
        return
    change.db.write("UPDATE messages SET filing = 'undetermined' WHERE id = ?", message)  # ATTR-10 ATTR-11


def put(change: Change, message: int, found: list[Target], *, locked: bool, by: str) -> None:
    """Store what a message concerns, beside what it is filed to already; its quotes follow."""
    ord_ = change.db.value("SELECT count(*) FROM message_filings WHERE message = ?", message)
    for target in dict.fromkeys(found):
        if target in targets(change.db, message):
            continue
        change.db.write(
            "INSERT INTO message_filings (message, ord, plan, ticket, part, locked, filed_by)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            message,
            ord_,
            *target,
            int(locked),
            by,
        )
        ord_ += 1
    main = targets(change.db, message)[0]
    change.db.write(
        "UPDATE messages SET filing = 'filed', plan = ?, ticket = ? WHERE id = ?", main.plan, main.ticket, message
    )
    change.db.write(
        f"UPDATE plans SET active_at = ? WHERE id IN ({','.join(str(target.plan) for target in found)})", change.at
    )
    quotes.follow(change, message)  # QUOT-08
    tickets.cite(change, message)  # TICK-14


def targets(db: Database, message: int) -> list[Target]:
    """What a message is filed to, the main one first."""
    rows = db.rows("SELECT plan, ticket, part FROM message_filings WHERE message = ? ORDER BY ord", message)
    return [Target(row["plan"], row["ticket"], row["part"]) for row in rows]


def references(db: Database, message: sqlite3.Row) -> list[Target]:
    """What a message refers to, by the five signals in their order; what one adds is kept beside the others'."""
    found: list[Target] = []
    if message["card_plan"] is not None:  # ATTR-06
        found.append(Target(message["card_plan"]))
    for annotation in db.rows("SELECT * FROM annotations WHERE message = ?", message["id"]):
        found += _of_path(db, annotation["path"]) or targets(db, annotation["delivery"] or 0)
    if message["reply_to"] is not None:
        found += targets(db, message["reply_to"])
    for path in _paths(db, message):
        found += _of_path(db, path)
    if message["author"] == "bot":  # ATTR-07
        own = db.row("SELECT plan, ticket FROM turns WHERE id = ?", message["turn"])
        if own is not None and own["plan"] is not None:
            found.append(Target(own["plan"], own["ticket"]))
    return list(dict.fromkeys(found))


def candidates(db: Database, message: sqlite3.Row) -> list[int]:
    """The plans that a line could be about, newest activity first: those of its place, and of its Bots' own work."""
    rows = db.rows(
        """
        SELECT id FROM plans WHERE id IN (
          SELECT id FROM plans WHERE dormant = 0 AND status IN ('active', 'delivered')
            AND session IN (:session, (SELECT source FROM sessions WHERE id = :session))
          UNION
          SELECT p.id FROM plans p JOIN work_items w ON w.plan = p.id
            WHERE p.dormant = 0 AND p.status IN ('active', 'delivered')
            AND w.bot IN (SELECT bot FROM session_participants WHERE session = :session)
            AND (w.state <> 'closed' OR EXISTS (
              SELECT 1 FROM turns t WHERE t.work_item = w.id AND ifnull(t.ended_at, :at) >= :at - :within))
          UNION
          SELECT plan FROM (SELECT plan FROM messages WHERE session = :session AND id < :message
            ORDER BY id DESC LIMIT :lines)
            WHERE plan IN (SELECT id FROM plans WHERE status NOT IN ('accepted', 'abandoned'))
        ) ORDER BY active_at DESC, id DESC
        """,
        session=message["session"],
        at=message["at"],
        within=RAN_WITHIN_MS,
        message=message["id"],
        lines=PREVIOUS_LINES,
    )
    return [row["id"] for row in rows]


def of_annotation(db: Database, annotation: Annotation) -> tuple[int | None, int | None]:
    """The plan and ticket that an annotation belongs to: those of the delivery that it annotates, else of its file."""
    handed_in = db.row("SELECT plan, ticket FROM messages WHERE id = ? AND plan IS NOT NULL", annotation.delivery)
    if handed_in is not None:  # QUOT-08
        return handed_in["plan"], handed_in["ticket"]
    found = _of_path(db, annotation.path)
    return (found[0].plan, found[0].ticket) if found else (None, None)


def described(db: Database, plan: int) -> dict[str, Any]:
    """A plan as the reading and the desk see it."""
    row = db.row("SELECT * FROM plans WHERE id = ?", plan)
    assert row is not None
    tickets = [
        {
            "id": ticket["id"],
            "number": ticket["number"],
            "title": ticket["title"],
            "status": ticket["status"],
            "doer": db.value("SELECT name FROM bots WHERE id = ?", ticket["owner"]),
            "parts": [part["name"] for part in db.rows("SELECT name FROM parts WHERE ticket = ?", ticket["id"])],
        }
        for ticket in db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY number", plan)
    ]
    files = db.rows("SELECT path FROM artifacts WHERE plan = ? ORDER BY id DESC LIMIT ?", plan, FILES_SHOWN)
    quote = db.value(
        "SELECT q.text FROM quotes q JOIN quote_filings f ON f.quote = q.id WHERE f.plan = ? AND q.erased = 0"
        " ORDER BY q.id DESC LIMIT 1",
        plan,
    )
    return {
        "id": plan,
        "name": row["name"],
        "status": row["status"],
        "session": row["session"],
        "active_at": row["active_at"],
        "tickets": tickets,
        "files": [each["path"] for each in files],
        "last_words": quote[:QUOTE_SHOWN] if quote else None,
    }


def _paths(db: Database, message: sqlite3.Row) -> list[str]:
    attached = [row["path"] for row in db.rows("SELECT path FROM message_files WHERE message = ?", message["id"])]
    folders = db.rows("SELECT folder FROM plans UNION SELECT folder FROM tickets")
    written = [row["folder"] for row in folders if f"{row['folder']}/" in message["text"]]
    return attached + written


def _of_path(db: Database, path: str) -> list[Target]:
    ticket = db.row(
        "SELECT id, plan FROM tickets WHERE ? = folder OR ? LIKE folder || '/%' ORDER BY length(folder) DESC",
        path,
        path,
    )
    if ticket is not None:
        part = db.value("SELECT name FROM parts WHERE ticket = ? AND file = ?", ticket["id"], path)
        return [Target(ticket["plan"], ticket["id"], part)]
    plan = db.value(
        "SELECT id FROM plans WHERE ? = folder OR ? LIKE folder || '/%' ORDER BY length(folder) DESC", path, path
    )
    return [Target(plan)] if plan is not None else []
