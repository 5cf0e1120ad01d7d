"""Which plans, tickets and parts a message concerns: by what it refers to, else by a reading, else by its Bot's desk.

Nothing is guessed: a line that neither refers to a matter nor is read to be about one stays unfiled.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import (
    dormancy,
    household,
    large_jobs,
    parking,
    plans,
    quotes,
    reader,
    scribe,
    signals,
    tickets,
)
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.target import Target
from threadrebuild.database import Database

RAN_WITHIN_MS = 24 * 3_600_000  # ATTR-12
PREVIOUS_LINES = 6  # ATTR-14 DESK-04
FILES_SHOWN = 3  # DESK-06
GONE = ("accepted", "abandoned")
QUOTE_SHOWN = 300  # DESK-06


def file(change: Change, message: int) -> None:
    """File a message by what it refers to, else by what it was read to be about; else leave it undetermined."""
    row = change.db.row("SELECT * FROM messages WHERE id = ?", message)
    assert row is not None
    found = signals.references(change.db, row)
    if found:
        put(change, message, found, locked=True, by="reference")
        return
    read = reader.filing(change.db, message)
    if read is not None and read.kind == "plans":
        about = [
            Target(each.plan, each.ticket, part)
            for each in read.about
            if change.db.value("SELECT 1 FROM plans WHERE id = ?", each.plan)
            for part in each.parts or (None,)
        ]
        if about:
            put(change, message, about, locked=False, by="reader")  # ATTR-09 READ-14 PLAN-01 PLAN-02 PLAN-03 PLAN-04
            return
    current = (
        plans.current(change.db, row["session"])
        if change.level < plans.SEVERAL_FROM_LEVEL  # PLAN-07
        else None
    )
    if current is not None and row["author"] == "user":
        put(change, message, [Target(current)], locked=False, by="slot")
        return
    change.db.write("UPDATE messages SET filing = 'undetermined' WHERE id = ?", message)  # ATTR-10 ATTR-11 READ-16


def put(change: Change, message: int, found: list[Target], *, locked: bool, by: str) -> None:
    """Store what a message concerns, beside what it is filed to already; its quotes follow."""
    for target in dict.fromkeys(found):
        if target not in targets(change.db, message):
            _add(change, message, target, locked, by)
    _project(change, message)
    if change.db.value("SELECT author FROM messages WHERE id = ?", message) == "user":  # PLAN-18 PLAN-35 PLAN-36
        for target in found:
            dormancy.wake(change, target.plan, "filing")
            large_jobs.ask(change, target.plan, message)  # LARGE-02
    change.db.write(
        f"UPDATE plans SET active_at = ? WHERE id IN ({','.join(str(target.plan) for target in found)})", change.at
    )
    tickets.cite(change, message)  # TICK-14


def exchange(change: Change, message: int, now: list[Target]) -> None:
    """File a message to these targets and no others, at the user's word; the files that it came with stay.

    A target that it had keeps its source.
    """
    had = {
        Target(row["plan"], row["ticket"], row["part"]): (bool(row["locked"]), str(row["filed_by"]))
        for row in change.db.rows("SELECT * FROM message_filings WHERE message = ?", message)
    }
    change.db.write("DELETE FROM message_filings WHERE message = ?", message)
    for target in dict.fromkeys(now):
        _add(change, message, target, *had.get(target, (True, "merge")))
        dormancy.wake(change, target.plan, "merge")  # PLAN-18
        large_jobs.ask(change, target.plan, message)  # LARGE-02
    _project(change, message)


def targets(db: Database, message: int) -> list[Target]:
    """What a message is filed to, the main one first."""
    rows = db.rows("SELECT plan, ticket, part FROM message_filings WHERE message = ? ORDER BY ord", message)
    return [Target(row["plan"], row["ticket"], row["part"]) for row in rows]


def candidates(db: Database, message: sqlite3.Row) -> list[int]:
    """The plans that a line could be about, newest activity first.

    They are those of its place, those of its Bots' own work, and those that the lines just before it are about.
    """
    found = {
        *_of_place(db, message),  # ATTR-12
        *_of_own_work(db, message),  # ATTR-12
        *_of_lines_before(db, message),  # ATTR-14
    }
    listed = ",".join(str(plan) for plan in sorted(found))
    rows = db.rows(f"SELECT id FROM plans WHERE id IN ({listed}) ORDER BY active_at DESC, id DESC")
    return [row["id"] for row in rows]


def lines_before(db: Database, message: sqlite3.Row, count: int) -> list[sqlite3.Row]:
    """The last lines said before one in its session, oldest first: none taken back, none that one Bot alone reads."""
    found = db.rows(
        "SELECT m.*, b.name AS bot_name FROM messages m LEFT JOIN bots b ON b.id = m.bot"
        " WHERE m.session = ? AND m.id < ? AND m.state <> 'withdrawn' AND m.only_for IS NULL"
        " ORDER BY m.id DESC LIMIT ?",
        message["session"],
        message["id"],
        count,
    )
    return found[::-1]


def view(db: Database, message: int) -> dict[str, Any]:
    """What `GET /v1/messages/:id/attribution` answers: where a line is filed, and all plans and tickets by name.

    It only looks: the plans stay as they are. Raises `Missing` for a message that is not there.
    """
    filing = db.row("SELECT filing FROM messages WHERE id = ?", message)
    if filing is None:
        raise Missing(f"there is no message {message}")
    return {
        "filing": filing["filing"],
        "targets": [target._asdict() for target in targets(db, message)],
        "plans": [_listed(db, plan) for plan in db.rows("SELECT * FROM plans ORDER BY id")],  # ATTR-20
    }


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
        "goal": plans.points_of(db, plan)["goal"],
        "status": row["status"],
        "opened_in": household.place(db, row["session"]),
        "active_at": row["active_at"],
        "tickets": tickets,
        "files": [each["path"] for each in files],
        "last_words": quote[:QUOTE_SHOWN] if quote else None,
    }


def _add(change: Change, message: int, target: Target, locked: bool, by: str) -> None:
    change.db.write(
        "INSERT INTO message_filings (message, ord, plan, ticket, part, locked, filed_by)"
        " SELECT ?1, ifnull(max(ord), -1) + 1, ?2, ?3, ?4, ?5, ?6 FROM message_filings WHERE message = ?1",
        message,
        *target,
        int(locked),
        by,
    )


def _project(change: Change, message: int) -> None:
    """Write the first target where versions look that know one only, and let what was said be filed as its line is."""
    main = next(iter(targets(change.db, message)), None)
    state = "none" if main is None else "filed"  # ATTR-02
    change.db.write(  # ATTR-01
        "UPDATE messages SET filing = ?, plan = ?, ticket = ? WHERE id = ?",
        state,
        main and main.plan,
        main and main.ticket,
        message,
    )
    quotes.follow(change, message)  # QUOT-08
    scribe.look(change, message)  # SCRB-02


def _open(db: Database) -> list[sqlite3.Row]:
    goes_on = f"status IN ('active', 'delivered') OR ({parking.WOULD_GO_ON})"
    return [
        plan
        for plan in db.rows(f"SELECT id, session, dormant FROM plans WHERE {goes_on} ORDER BY id")
        if not plan["dormant"]  # PLAN-11
    ]


def _of_place(db: Database, message: sqlite3.Row) -> list[int]:
    source = db.value("SELECT source FROM sessions WHERE id = ?", message["session"])
    places = {message["session"]} | ({source} - {None})
    return [
        plan["id"]
        for plan in _open(db)
        if plan["session"] in places  # ATTR-13
    ]


def _of_own_work(db: Database, message: sqlite3.Row) -> list[int]:
    """The plans of what the Bots that a line is for have not closed, or have worked on in the last day."""
    bots = ",".join(str(bot) for bot in _meant(db, message))
    rows = db.rows(
        "SELECT w.plan, w.state, CASE WHEN w.state = 'closed' THEN"
        " (SELECT max(ifnull(ended_at, ?)) FROM turns WHERE work_item = w.id) END AS ran"
        f" FROM work_items w WHERE w.plan IS NOT NULL AND w.bot IN ({bots})",
        message["at"],
    )
    still = {plan["id"] for plan in _open(db)}
    return [
        row["plan"]
        for row in rows
        if row["plan"] in still
        if row["state"] != "closed" or (row["ran"] or 0) >= message["at"] - RAN_WITHIN_MS
    ]


def _meant(db: Database, message: sqlite3.Row) -> list[int]:
    """The Bots that a line names, else those of its session."""
    named = [row["bot"] for row in db.rows("SELECT bot FROM message_mentions WHERE message = ?", message["id"])]
    if named:  # ATTR-12
        return named
    return list(household.members(db, message["session"]).values())


def _of_lines_before(db: Database, message: sqlite3.Row) -> list[int]:
    before = ",".join(str(line["id"]) for line in lines_before(db, message, PREVIOUS_LINES))
    rows = db.rows(
        "SELECT DISTINCT p.id, p.status FROM message_filings f JOIN plans p ON p.id = f.plan"
        f" WHERE f.message IN ({before})"
    )
    return [row["id"] for row in rows if row["status"] not in GONE]


def _listed(db: Database, plan: sqlite3.Row) -> dict[str, Any]:
    tickets = db.rows("SELECT id, number, title FROM tickets WHERE plan = ? ORDER BY number", plan["id"])
    about = {key: plan[key] for key in ("id", "name", "status", "dormant")}
    return about | {"tickets": [dict(ticket) for ticket in tickets]}
