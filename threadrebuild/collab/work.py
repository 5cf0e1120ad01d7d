"""Work items: who does what. Each is a Bot's work on a plan or ticket, or its desk in a session.

A work item that has something to read and no segment queues, and a segment opens on it as soon as its Bot has a slot
free; a desk takes no slot.
"""

import sqlite3

from threadrebuild.collab import duties, holds, inbox, messages, tickets, turns, work_questions
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SLOTS = 2  # WORK-09 MENT-02
WAITS_FROM_LEVEL = 3
CLOSES_FROM_LEVEL = 5  # WORK-14
CLOSING_STAGES = ("approved", "dropped")


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
    """Let a work item wait for its turn, at the place it has already where it waits."""
    change.db.write(
        "UPDATE work_items SET state = 'queued', queued_seq = ifnull(queued_seq, ?), waiting_on = NULL WHERE id = ?",
        change.event,
        work_item,
    )


def start_what_can(change: Change) -> None:
    """Open segments on queued work, by priority and then by order, as far as slots and plans allow.

    Whoever has just begun to wait for a slot is told its place.
    """
    queued = change.db.rows(
        """
        SELECT w.*, ifnull(p.dormant, 0) AS dormant, min(i.prio) AS prio, min(i.seq) AS first FROM work_items w
        JOIN inbox_items i ON i.work_item = w.id AND i.state = 'queued' AND i.wakes = 1
        JOIN bots b ON b.id = w.bot AND b.state = 'active'
        LEFT JOIN plans p ON p.id = w.plan
        WHERE w.state = 'queued'
        GROUP BY w.id ORDER BY w.id
        """
    )
    if holds.active(change.db):
        queued = [each for each in queued if inbox.admit(change, each["id"])]
    queued.sort(key=lambda each: (each["prio"], each["first"]))  # WORK-12 CHKB-12
    places: dict[int, int] = {}
    for each in queued:
        if may_start(change.db, each):
            turns.open_turn(change, each)
        elif each["plan"] is not None and not each["dormant"] and not has_slot(change.db, each["bot"]):
            places[each["bot"]] = places.get(each["bot"], 0) + 1
            if each["queued_seq"] == change.event:
                _tell_place(change, each, places[each["bot"]])


def may_start(db: Database, work_item: sqlite3.Row) -> bool:
    """Whether a segment may open now on a work item that `start_what_can` has found."""
    if work_item["plan"] is None:
        return live_of(db, work_item["id"]) is None  # WORK-10 DESK-02
    if work_item["dormant"]:
        return False  # WORK-12 PLAN-36
    return live_turn(db, work_item["bot"], work_item["plan"]) is None and has_slot(db, work_item["bot"])


def has_slot(db: Database, bot: int) -> bool:
    """Whether a Bot may open one more work segment, whatever its desks are at."""
    limit = db.value("SELECT parallel_limit FROM bots WHERE id = ?", bot)
    if not isinstance(limit, int) or limit < 1:  # WORK-09
        limit = SLOTS
    return int(db.value("SELECT count(*) FROM live_turns WHERE bot = ? AND mode = 'work'", bot)) < limit  # TURN-06


def live_turn(db: Database, bot: int, plan: int) -> sqlite3.Row | None:
    """A Bot's live segment on a plan."""
    found = [
        turn
        for turn in db.rows("SELECT * FROM live_turns WHERE plan IS NOT NULL ORDER BY id")
        if turn["bot"] == bot  # WORK-04
        if turn["plan"] == plan  # WORK-08 TURN-05 MENT-05
    ]
    return found[0] if found else None


def live_of(db: Database, work_item: int) -> sqlite3.Row | None:
    """A work item's live segment."""
    return db.row("SELECT * FROM live_turns WHERE work_item = ?", work_item)


def live_desk(db: Database, bot: int, session: int) -> sqlite3.Row | None:
    """A Bot's live desk segment in a session."""
    return db.row("SELECT * FROM live_turns WHERE bot = ? AND session = ? AND mode = 'desk'", bot, session)


def settle(change: Change, work_item: int) -> None:
    """Set the state of a work item whose segment is over: it is never left as running."""
    row = change.db.row("SELECT * FROM work_items WHERE id = ?", work_item)
    assert row is not None
    state = "closed" if row["plan"] is None else "idle"  # END-37
    if change.level >= CLOSES_FROM_LEVEL and _stage_of(change.db, row["ticket"]) in CLOSING_STAGES:  # WORK-14 TURN-03
        state = "closed"
    if change.level >= WAITS_FROM_LEVEL and state == "idle" and duties.really_waits(change.db, work_item):  # END-36
        state = "waiting"
    unread = "SELECT 1 FROM inbox_items WHERE work_item = ? AND state = 'queued' AND wakes = 1"
    if change.db.value(unread, work_item):  # WORK-14 DESK-03
        state = "queued"
    since = change.event if state == "queued" else None
    change.db.write("UPDATE work_items SET state = ?, queued_seq = ? WHERE id = ?", state, since, work_item)  # WORK-14


def settle_waiting(change: Change, work_item: int) -> None:
    """Let a work item rest that was queued for something which it will not read now."""
    wanted = "SELECT 1 FROM inbox_items WHERE work_item = ? AND state = 'queued' AND wakes = 1"
    state = change.db.value("SELECT state FROM work_items WHERE id = ?", work_item)
    if state == "queued" and not change.db.value(wanted, work_item):
        settle(change, work_item)


def close_all(change: Change, bot: int) -> None:
    """Close all work of a Bot that is gone."""
    for row in change.db.rows("SELECT id FROM work_items WHERE bot = ? ORDER BY id", bot):
        close(change, row["id"])


def needs_attention(change: Change, work_item: int) -> None:
    """Leave a work item whose segment came to nothing for somebody to look at, unless it has more to read."""
    change.db.write(
        "UPDATE work_items SET state = 'needs_attention' WHERE id = ? AND state <> 'queued'",  # DESK-27
        work_item,
    )
    change.log("work.needs_attention", work_item=work_item)


def block(change: Change, work_item: int) -> None:
    """Let a work item rest that goes on only with the user's word, unless it has more to read."""
    change.db.write("UPDATE work_items SET state = 'blocked' WHERE id = ? AND state <> 'queued'", work_item)


def close(change: Change, work_item: int) -> None:
    """Let a work item rest for good; only a line that is filed there anew takes it up again."""
    change.db.write("UPDATE work_items SET state = 'closed', queued_seq = NULL WHERE id = ?", work_item)
    work_questions.after_closing(change, work_item)


def mend(change: Change) -> None:
    """Settle what an application that ended unexpectedly has left as running."""
    left = change.db.rows(
        "SELECT id FROM work_items WHERE state = 'running' AND id NOT IN"
        " (SELECT work_item FROM live_turns WHERE work_item IS NOT NULL) ORDER BY id"
    )
    for row in left:  # WORK-16
        settle(change, row["id"])


def folder(change: Change, work_item: sqlite3.Row) -> str:
    """Where a segment on a work item works; a desk in the workspace's root."""
    return tickets.folder_of(change, work_item["plan"], work_item["ticket"]) if work_item["plan"] is not None else ""


def _stage_of(db: Database, ticket: int | None) -> str | None:
    stage: str | None = db.value("SELECT stage FROM tickets WHERE id = ?", ticket)
    return stage


def _tell_place(change: Change, work_item: sqlite3.Row, place: int) -> None:
    name = change.db.value("SELECT name FROM bots WHERE id = ?", work_item["bot"])
    messages.note(change, work_item["session"], f"{name}: queued at {place}")  # WORK-11
    change.log("work.queued", bot=work_item["bot"], plan=work_item["plan"], ticket=work_item["ticket"], place=place)
