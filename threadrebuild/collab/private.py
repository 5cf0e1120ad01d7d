"""What the application tells one Bot alone: a line that wakes it, or that its live segment reads; no other sees it."""

import sqlite3
from typing import Literal

from threadrebuild.collab import holds, household, inbox, messages, redirect, turns, work
from threadrebuild.collab.change import Change


def work_item(change: Change, bot: int, plan: int | None, ticket: int | None, session: int) -> int:
    """Whose inbox takes it: of a Bot's live segment on the plan, else of its work on that; without a plan its desk."""
    if change.level <= redirect.LAST_LEVEL or plan is None:  # HOLD-93
        return work.desk_item(change, bot, session)
    live = work.live_turn(change.db, bot, plan)
    return int(live["work_item"]) if live is not None else work.item(change, bot, plan, ticket, session)


def put(
    change: Change,
    item: int,
    kind: Literal["restart", "report", "nudge", "schedule", "check_back"],
    text: str,
    session: int,
    plan: int | None,
    *,
    prio: int,
    continues: int | None = None,
) -> sqlite3.Row:
    """Write a line for the Bot of a work item, about a plan, and put it there; nothing is woken by this yet."""
    bot = change.db.value("SELECT bot FROM work_items WHERE id = ?", item)
    message = messages.note(
        change,
        session,
        text,
        only_for=bot,  # HOLD-89 HOLD-34 CHKB-05
    )
    change.db.write("UPDATE messages SET plan = ? WHERE id = ?", plan, message)
    copy = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, prio, continues, seq)"
        " VALUES (?, ?, ?, 'app', ?, ?, ?, ?)",
        item,
        kind,
        message,
        text,
        prio,
        continues,
        change.event,
    )
    return _row(change, "inbox_items", copy)


def wake(change: Change, copy: sqlite3.Row) -> None:
    """Let it be read: by the segment that runs there, or by one that opens; of old beside it in a direct chat."""
    session = messages.message_of(change, copy["message"])["session"]
    if work.live_of(change.db, copy["work_item"]) is None:
        work.queue(change, copy["work_item"])
    elif _is_beside(change, session) and not _is_at_it(change, copy):  # HOLD-91 HOLD-92 CHKB-07
        turns.open_on(change, _row(change, "work_items", copy["work_item"]), copy, beside=True)


def wake_unless_held(change: Change, copy: sqlite3.Row) -> None:
    """Let it be read, or wait for what is over it to be lifted."""
    held = holds.over(change.db, "item", copy["id"])
    if held:
        inbox.keep_back(change, copy, held)
    else:
        wake(change, copy)


def drop(change: Change, copy: sqlite3.Row) -> None:
    """Take it back unread."""
    change.db.write("UPDATE inbox_items SET state = 'void' WHERE id = ?", copy["id"])
    change.db.write("DELETE FROM messages WHERE id = ?", copy["message"])


def _is_beside(change: Change, session: int) -> bool:
    """Whether it is read by a turn of its own beside the one that runs there."""
    in_direct = household.session_of(change.db, session)["kind"] == "direct"
    return change.level <= redirect.LAST_LEVEL and in_direct


def _is_at_it(change: Change, copy: sqlite3.Row) -> bool:
    """Whether the turn that runs there is on the plan of what it would hear."""
    live = work.live_of(change.db, copy["work_item"])
    opened = live and turns.trigger(change, live)
    plan = messages.message_of(change, copy["message"])["plan"]
    return plan is not None and opened is not None and opened["plan"] == plan


def _row(change: Change, table: str, id_: int) -> sqlite3.Row:
    found = change.db.row(f"SELECT * FROM {table} WHERE id = ?", id_)
    assert found is not None
    return found
