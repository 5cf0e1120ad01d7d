"""Work that comes to nothing: a Bot ends again and again, owes something and moves nothing. Then its work rests.

Progress is a ticket's change of stage, seen in the log; the ending of a segment that has only begun the work is none
and is not held against it.
"""

import sqlite3

from threadrebuild.collab import duties, household, interface, messages, notifications, work
from threadrebuild.collab.change import Change

ENDINGS = 2  # END-14
"""How many endings without progress let work rest."""


def after_ending(change: Change, turn: sqlite3.Row) -> None:
    """Count an ending of a work segment without progress; with the last that may be, its work is blocked."""
    item = turn["work_item"]
    if _progressed(change, turn):  # END-15
        _count(change, item, 0)
        return
    if (
        not duties.of(change.db, item)  # END-14
        or duties.really_waits(change.db, item)  # END-14
        or _has_only_begun(change, turn)  # END-16
    ):
        return
    idle = 1 + int(change.db.value("SELECT idle_endings FROM work_items WHERE id = ?", item))
    if idle < ENDINGS:
        _count(change, item, idle)
        return
    _count(change, item, 0)
    work.block(change, item)
    _tell_user(change, turn)


def _progressed(change: Change, turn: sqlite3.Row) -> bool:
    moved = "SELECT 1 FROM work_events WHERE type = 'ticket.stage_changed' AND turn = ?"
    return change.db.value(moved, turn["id"]) is not None


def _has_only_begun(change: Change, turn: sqlite3.Row) -> bool:
    """Whether the real work of a work item begins in a segment: nothing was opened, written or run for it before."""
    opened = change.db.value(
        "SELECT 1 FROM work_events WHERE type = 'ticket.opened' AND bot = ? AND plan = ? AND event >= ?",
        turn["bot"],
        turn["plan"],
        turn["began_seq"],
    )
    before = change.db.value(
        "SELECT 1 FROM turns WHERE work_item = ? AND id < ? AND acted = 1", turn["work_item"], turn["id"]
    )
    return opened is not None or (bool(turn["acted"]) and before is None)


def _count(change: Change, work_item: int, idle: int) -> None:
    change.db.write("UPDATE work_items SET idle_endings = ? WHERE id = ?", idle, work_item)


def _tell_user(change: Change, turn: sqlite3.Row) -> None:
    ticket = "SELECT title FROM tickets WHERE id = ?"
    matter = change.db.value(ticket, turn["ticket"]) or change.db.value(
        "SELECT name FROM plans WHERE id = ?", turn["plan"]
    )
    direct = household.session_of(change.db, turn["session"])["kind"] == "direct"
    says = "no progress in its chat" if direct else "no progress"  # END-14
    name = change.db.value("SELECT name FROM bots WHERE id = ?", turn["bot"])
    said = interface.line(change.db, says, bot=name, matter=matter)
    message = messages.note(change, turn["session"], said)
    notifications.tell(change, turn, "no_progress", said, message=message)  # END-14
    change.log("work.blocked", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"], said=said)
