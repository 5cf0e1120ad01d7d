"""The inbox of a work item: one receiver's copies of what was said, kept until they are read.

A live segment on the same plan reads them between its calls, whichever session or ticket they came by; where nothing
runs, they wake the work. Each copy keeps the words as they were when it was put there.
"""

import sqlite3
from collections.abc import Sequence
from typing import Literal

from threadrebuild.collab import attribution, holds, lifting, readonly, redirect, wakes, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.receiver import Receiver
from threadrebuild.collab.target import Target
from threadrebuild.database import Database

PRIO_USER, PRIO_REPLY, PRIO_REQUEST, PRIO_OTHER = 1, 2, 3, 4
OVERHEARD = "overheard"
"""Why those hear a line of the user who work on its plan and do not receive it."""
FOR_YOU = "This line is for you: “{text}”"
"""What a work item is told in which a line was only overheard, and read, before it is given there."""


def receive(change: Change, message: sqlite3.Row, bot: int, why: str, target: Target) -> None:
    """Let a Bot have a message in its work on the plan that the message is filed to."""
    ticket = target.ticket
    said_to_it = message["author"] == "user" and why in ("direct", "mention", "everyone")
    if (
        not said_to_it  # LEAD-05
        and _is_anothers(change.db, ticket, bot)  # LEAD-04
    ):
        ticket = None
    if message["author"] == "bot":  # TICK-06
        ticket = None
    live = work.live_turn(change.db, bot, target.plan)
    put(change, _work_item(change, bot, target._replace(ticket=ticket), message, live), message, live, why)


def listen_in(change: Change, message: sqlite3.Row, receivers: Sequence[Receiver]) -> None:
    """Let those hear a line of the user who work on its plan and do not receive it for that."""
    about = {target.plan for target in attribution.targets(change.db, message["id"])}
    for live in change.db.rows("SELECT * FROM live_turns WHERE plan IS NOT NULL ORDER BY id"):
        has = any(each.bot == live["bot"] and (each.plans is None or live["plan"] in each.plans) for each in receivers)
        if live["plan"] in about and not has and change.level > redirect.LAST_LEVEL:
            put(change, live["work_item"], message, live, OVERHEARD)


def put(change: Change, work_item: int, message: sqlite3.Row, live: sqlite3.Row | None, why: str) -> bool:
    """Add a message to an inbox; it wakes the work where nothing runs there. False where a hold keeps it back.

    `why` it is received is as in `message_receivers`, or that it is overheard. What the user said to a Bot in another
    session than it works in is to be answered there. A copy that waits there already is enough, and a line that was
    read there is not heard again: whom it is for is told so.
    """
    was_read = change.level > redirect.LAST_LEVEL and _was_read(change.db, work_item, message["id"])
    if was_read and why == OVERHEARD:  # WORK-20
        return True
    kind = "correction" if was_read else "line"
    reply_in = None
    if (
        live is not None
        and live["session"] != message["session"]  # WORK-06 MENT-04
        and message["author"] == "user"
        and why != OVERHEARD  # WORK-07
    ):
        reply_in = message["session"]  # WORK-06
    change.db.write(
        "INSERT OR IGNORE INTO inbox_items"
        " (work_item, kind, message, author, text, reply_in, prio, woken_by_turn, seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        work_item,
        kind,
        message["id"],
        message["author"],
        FOR_YOU.format(text=message["text"]) if was_read else message["text"],
        reply_in,
        PRIO_USER if message["author"] == "user" else PRIO_OTHER,
        message["turn"],
        change.event,
    )
    _mark(change, work_item, message["id"], kind, reply_in)
    if _keep(change, work_item, message, kind, why):
        return False
    if live is None:
        work.queue(change, work_item)
    return True


def hand_back(change: Change, copy: sqlite3.Row) -> None:
    """Let a copy be read that a hold had kept back."""
    change.db.write("UPDATE inbox_items SET state = 'queued' WHERE id = ?", copy["id"])
    if copy["wakes"] and work.live_of(change.db, copy["work_item"]) is None:
        work.queue(change, copy["work_item"])


def keep_back(change: Change, copy: sqlite3.Row, held: Sequence[sqlite3.Row]) -> None:
    """Let a copy that waits unread wait on for the holds that are over it; of several check-backs the newest one."""
    change.db.write("UPDATE inbox_items SET state = 'held' WHERE id = ?", copy["id"])
    if copy["wakes"]:  # HOLD-66
        bot = change.db.value("SELECT bot FROM work_items WHERE id = ?", copy["work_item"])
        wakes.suppress(change, wakes.kind_of(copy), bot, held, message=copy["message"], copy=copy["id"])
    change.db.write(  # HOLD-66
        "UPDATE inbox_items SET state = 'superseded' WHERE work_item = ?1 AND kind = 'check_back' AND state = 'held'"
        " AND id < (SELECT max(id) FROM inbox_items WHERE work_item = ?1 AND kind = 'check_back' AND state = 'held')",
        copy["work_item"],
    )


def admit(change: Change, work_item: int) -> bool:
    """Whether queued work has something to read that no hold is over; what a hold is over is kept back."""
    for copy in change.db.rows(
        "SELECT * FROM inbox_items WHERE work_item = ? AND state = 'queued' AND wakes = 1 ORDER BY id", work_item
    ):
        held = holds.over(change.db, "item", copy["id"])
        if held:
            keep_back(change, copy, held)
    work.settle_waiting(change, work_item)
    return bool(change.db.value("SELECT 1 FROM work_items WHERE id = ? AND state = 'queued'", work_item))


def _keep(change: Change, work_item: int, message: sqlite3.Row, kind: str, why: str) -> bool:
    """Keep a copy back that a hold is over; a line of the user may be answered all the same, by a turn that only reads.

    Whether it is kept back.
    """
    copy = change.db.row(
        "SELECT * FROM inbox_items WHERE work_item = ? AND message = ? AND kind = ? AND state = 'queued'",
        work_item,
        message["id"],
        kind,
    )
    held = lifting.before_hearing(change, message, "item", copy["id"]) if copy is not None else []
    if copy is None or not held:  # HOLD-59
        return False
    if readonly.may_answer(change.db, message, held, why):
        readonly.answer(change, copy, message, held)
    else:
        keep_back(change, copy, held)  # HOLD-33 HOLD-60
    return True


def hand_on(change: Change, turn: sqlite3.Row, work_item: int, live: sqlite3.Row | None) -> None:
    """Give the lines that a segment has read to other work, as they were said; what it has not read stays.

    What it goes on with was read by the segments that were cut off before it. A copy that waits there already is
    enough, and a line that was read there is not read again: that it is for this Bot is told there.

    `live` is the segment that runs there; in another session it is told to answer in this one.
    """
    reply_in = turn["session"] if live is not None and live["session"] != turn["session"] else None
    read = change.db.rows(
        "WITH RECURSIVE before(turn) AS ("
        "   SELECT ? UNION"
        "   SELECT t.continues FROM turns t JOIN before b ON t.id = b.turn WHERE t.continues IS NOT NULL)"
        " SELECT i.*, m.text AS said, m.author AS speaker FROM inbox_items i LEFT JOIN messages m ON m.id = i.message"
        " WHERE i.read_by_turn IN (SELECT turn FROM before) AND i.kind IN ('line', 'edit', 'correction')"
        " ORDER BY i.seq, i.id",
        turn["id"],
    )
    for copy in read:
        kind, author, text = copy["kind"], copy["author"], copy["text"]
        if kind == "correction" and copy["said"] is not None:
            kind, author, text = "line", copy["speaker"], copy["said"]
        if kind == "line" and _was_read(change.db, work_item, copy["message"]):  # WORK-20
            kind, text = "correction", FOR_YOU.format(text=text)
        change.db.write(
            "INSERT OR IGNORE INTO inbox_items"
            " (work_item, kind, message, author, text, before, reply_in, prio, woken_by_turn, seq)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            work_item,
            kind,
            copy["message"],
            author,
            text,
            copy["before"],
            reply_in,
            copy["prio"],
            copy["woken_by_turn"],
            change.event,
        )
        _mark(change, work_item, copy["message"], kind, reply_in)
    change.log("inbox.handed_on", bot=turn["bot"], turn=turn["id"], work_item=work_item)


def put_delegated(
    change: Change,
    work_item: int,
    kind: Literal["request", "reply"],
    delegation: int,
    text: str,
    prio: int,
    *,
    author: Literal["bot", "app"] = "bot",
    wakes: bool = True,
) -> None:
    """Add a request, or what came of one, to an inbox; what a hold is over waits for its lift."""
    item = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, delegation, author, text, prio, wakes, seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        work_item,
        kind,
        delegation,
        author,
        text,
        prio,
        int(wakes),
        change.event,
    )
    _keep_or_queue(change, item, work_item, wakes=wakes)


def put_submission(
    change: Change,
    work_item: int,
    kind: Literal["review", "rework"],
    submission: int,
    text: str,
    *,
    author: Literal["user", "bot", "app"] = "app",
) -> None:
    """Add a request to review what was handed in, or why that was returned, to an inbox, and wake the work."""
    item = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, submission, author, text, prio, seq) VALUES (?, ?, ?, ?, ?, ?, ?)",
        work_item,
        kind,
        submission,
        author,
        text,
        PRIO_REPLY,
        change.event,
    )
    _keep_or_queue(change, item, work_item, wakes=True)


def _keep_or_queue(change: Change, item: int, work_item: int, *, wakes: bool) -> None:
    """Let what was put into an inbox wake the work there, or wait for a lift where a hold is over it."""
    copy = change.db.row("SELECT * FROM inbox_items WHERE id = ?", item)
    held = holds.over(change.db, "item", item)
    if held and copy is not None:  # DEL-30
        keep_back(change, copy, held)
    elif (
        wakes  # DEL-44
        and work.live_of(change.db, work_item) is None  # DEL-15
    ):
        work.queue(change, work_item)


def put_answer(change: Change, work_item: int, text: str, held: Sequence[sqlite3.Row]) -> None:
    """Add what the user has answered to an inbox, as a line; what a hold is over waits for its lift."""
    item = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq) VALUES (?, 'line', 'user', ?, ?, ?)",
        work_item,
        text,
        PRIO_USER,
        change.event,
    )
    copy = change.db.row("SELECT * FROM inbox_items WHERE id = ?", item)
    if held and copy is not None:
        keep_back(change, copy, held)  # ASK-14
    elif work.live_of(change.db, work_item) is None:
        work.queue(change, work_item)  # ASK-13


def put_note(change: Change, turn: sqlite3.Row, text: str) -> None:
    """Let a segment read a note of the application at its next hop."""
    change.db.write(
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, wakes, seq)"
        " VALUES (?, 'note', 'app', ?, ?, 0, ?)",
        turn["work_item"],
        text,
        PRIO_USER,
        change.event,
    )


def take_over(change: Change, old: int, new: int) -> None:
    """Let work that was bound read what its desk has not read yet; a copy that waits there already is enough."""
    change.db.write(  # WORK-20
        "UPDATE OR IGNORE inbox_items SET kind = 'correction' WHERE work_item = ?1 AND kind = 'line'"
        " AND state = 'queued' AND message IN (SELECT message FROM inbox_items WHERE work_item = ?2 AND kind = 'line'"
        " AND state = 'read')",
        old,
        new,
    )
    change.db.write("UPDATE OR IGNORE inbox_items SET work_item = ? WHERE work_item = ? AND state = 'queued'", new, old)
    change.db.write(  # WORK-20
        "UPDATE inbox_items SET state = 'superseded' WHERE work_item = ?1 AND state = 'queued' AND EXISTS (SELECT 1"
        " FROM inbox_items i WHERE i.work_item = ?2 AND i.message = inbox_items.message AND i.kind = inbox_items.kind"
        " AND i.state = 'queued')",
        old,
        new,
    )


def _mark(change: Change, work_item: int, message: int | None, kind: str, reply_in: int | None) -> None:
    """Let a copy that waited already, as overheard, be answered where its line was said, like one that comes now."""
    change.db.write(  # WORK-06
        "UPDATE inbox_items SET reply_in = ? WHERE work_item = ? AND message = ? AND kind = ? AND reply_in IS NULL"
        " AND state IN ('queued', 'held')",
        reply_in,
        work_item,
        message,
        kind,
    )


def _was_read(db: Database, work_item: int, message: int | None) -> bool:
    """Whether a line was read in a work item."""
    found = "SELECT 1 FROM inbox_items WHERE work_item = ? AND message = ? AND kind = 'line' AND state = 'read'"
    return bool(db.value(found, work_item, message))


def _work_item(change: Change, bot: int, target: Target, message: sqlite3.Row, live: sqlite3.Row | None) -> int:
    if live is not None:
        return int(live["work_item"])  # WORK-05 TURN-19 FORK-02 FORK-04
    return work.item(change, bot, target.plan, target.ticket, message["session"])


def _is_anothers(db: Database, ticket: int | None, bot: int) -> bool:
    owner = db.value(
        "SELECT b.id FROM tickets t JOIN bots b ON b.id = t.owner WHERE t.id = ? AND b.state = 'active'", ticket
    )
    return owner is not None and owner != bot
