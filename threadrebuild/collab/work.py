"""Work items: who does what. Each is a Bot's work on a plan or ticket, or its desk in a session.

What reaches a work item waits in its inbox. A live segment on the same plan reads it between its calls; else the item
queues, and a segment opens on it as soon as the Bot has a slot free.
"""

import sqlite3

from threadrebuild.collab import plans, turns
from threadrebuild.collab.attribution import Target
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SLOTS = 2  # WORK-09
PRIO_USER, PRIO_REPLY, PRIO_REQUEST, PRIO_OTHER = 1, 2, 3, 4


def receive(change: Change, message: sqlite3.Row, bot: int, why: str, target: Target) -> None:
    """Let a Bot have a message in its work on the plan that the message is filed to."""
    ticket = target.ticket
    if why in ("plan_lead", "group_lead") and _is_anothers(change.db, ticket, bot):  # LEAD-04
        ticket = None
    live = live_turn(change.db, bot, target.plan)
    work_item = live["work_item"] if live else item(change, bot, target.plan, ticket, message["session"])
    put_in_inbox(change, work_item, message, live, said_to_it=why != "other")


def put_in_inbox(
    change: Change, work_item: int, message: sqlite3.Row, live: sqlite3.Row | None, *, said_to_it: bool
) -> int:
    """Add a message to an inbox; it wakes the work where nothing runs there."""
    elsewhere = live is not None and live["session"] != message["session"]
    row = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, reply_in, prio, woken_by_turn, seq)"
        " VALUES (?, 'line', ?, ?, ?, ?, ?, ?, ?)",
        work_item,
        message["id"],
        message["author"],
        message["text"],
        message["session"] if elsewhere and said_to_it and message["author"] == "user" else None,  # WORK-06 WORK-07
        PRIO_USER if message["author"] == "user" else PRIO_OTHER,
        message["turn"],
        change.event,
    )
    if live is None:
        queue(change, work_item)
    return row


def item(change: Change, bot: int, plan: int, ticket: int | None, session: int) -> int:
    """A Bot's work item on a plan or ticket, made where there is none (WORK-01)."""
    found = change.db.value("SELECT id FROM work_items WHERE bot = ? AND plan = ? AND ticket IS ?", bot, plan, ticket)
    if found is not None:
        change.db.write("UPDATE work_items SET session = ? WHERE id = ?", session, found)
        return int(found)
    return change.db.write(
        "INSERT INTO work_items (bot, plan, ticket, session) VALUES (?, ?, ?, ?)", bot, plan, ticket, session
    )


def desk_item(change: Change, bot: int, session: int) -> int:
    """A Bot's desk in a session, made where there is none."""
    found = change.db.value("SELECT id FROM work_items WHERE bot = ? AND session = ? AND plan IS NULL", bot, session)
    if found is not None:
        return int(found)
    return change.db.write("INSERT INTO work_items (bot, session) VALUES (?, ?)", bot, session)


def queue(change: Change, work_item: int) -> None:
    """Let a work item wait for its turn, at the place it has already where it waits (WORK-11)."""
    change.db.write(
        "UPDATE work_items SET state = 'queued', queued_seq = ifnull(queued_seq, ?) WHERE id = ?",
        change.event,
        work_item,
    )


def start_what_can(change: Change) -> None:
    """Open segments on queued work, by priority and then by order, as far as slots and plans allow (WORK-12)."""
    queued = change.db.rows(
        """
        SELECT w.*, min(i.prio) AS prio, min(i.seq) AS first FROM work_items w
        JOIN inbox_items i ON i.work_item = w.id AND i.state = 'queued' AND i.wakes = 1
        JOIN bots b ON b.id = w.bot AND b.state = 'active'
        LEFT JOIN plans p ON p.id = w.plan
        WHERE w.state = 'queued' AND ifnull(p.dormant, 0) = 0
        GROUP BY w.id ORDER BY prio, first, w.id
        """
    )
    for each in queued:
        if may_start(change.db, each):
            turns.open_turn(change, each)


def may_start(db: Database, work_item: sqlite3.Row) -> bool:
    """Whether a segment may open on a work item now."""
    if work_item["plan"] is None:
        desk = "SELECT 1 FROM live_turns WHERE bot = ? AND session = ? AND mode = 'desk'"
        return db.value(desk, work_item["bot"], work_item["session"]) is None
    return live_turn(db, work_item["bot"], work_item["plan"]) is None and has_slot(db, work_item["bot"])


def has_slot(db: Database, bot: int) -> bool:
    """Whether a Bot may open one more work segment (WORK-09, WORK-10)."""
    limit = db.value("SELECT parallel_limit FROM bots WHERE id = ?", bot)
    if not isinstance(limit, int) or limit < 1:
        limit = SLOTS
    return int(db.value("SELECT count(*) FROM live_turns WHERE bot = ? AND mode = 'work'", bot)) < limit


def live_turn(db: Database, bot: int, plan: int) -> sqlite3.Row | None:
    """A Bot's live segment on a plan."""
    return db.row("SELECT * FROM live_turns WHERE bot = ? AND plan = ?", bot, plan)


def settle(change: Change, work_item: int) -> None:
    """Set the state of a work item whose segment is over (WORK-14)."""
    row = change.db.row("SELECT * FROM work_items WHERE id = ?", work_item)
    assert row is not None
    unread = change.db.value("SELECT 1 FROM inbox_items WHERE work_item = ? AND state = 'queued'", work_item)
    state = "queued" if unread else ("closed" if row["plan"] is None else "idle")
    change.db.write(
        "UPDATE work_items SET state = ?, queued_seq = ? WHERE id = ?",
        state,
        change.event if unread else None,
        work_item,
    )


def folder(change: Change, work_item: sqlite3.Row) -> str:
    """Where a segment on a work item works."""
    return plans.folder_of(change, work_item["plan"], work_item["ticket"]) if work_item["plan"] is not None else ""


def _is_anothers(db: Database, ticket: int | None, bot: int) -> bool:
    owner = db.value(
        "SELECT b.id FROM tickets t JOIN bots b ON b.id = t.owner WHERE t.id = ? AND b.state = 'active'", ticket
    )
    return owner is not None and owner != bot
