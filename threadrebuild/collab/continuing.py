"""Going on with a segment that was interrupted or failed, and with work whose lines were cleared while they waited.

Only the user's press does that. A continued segment is what the old one was: on a desk still a desk, with the same
candidates, and with the changes of folder that it has used.
"""

import sqlite3

from threadrebuild.collab import dormancy, household, inbox, lifting, work
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import Continued, WorkResumed

CUT = ("interrupted", "failed")
GO_ON = "Your last segment was cut off. Go on where it was; what it has done is done."


def press(change: Change, event: Continued) -> None:
    """Continue a segment, at once or as soon as a slot is free.

    Raises `Missing` for one that is not there, `Conflict` where it was not cut off, its work goes on already, the user
    has pressed before, what it was to read is unread again and goes on by itself, or a kept hold is over it.
    """
    old = change.db.row("SELECT * FROM turns WHERE id = ?", event.turn)
    if old is None:
        raise Missing(f"there is no turn {event.turn}")
    if old["state"] not in CUT or old["work_item"] is None:
        raise Conflict("not_cut_off", f"turn {event.turn} was not cut off")
    if _goes_on(change, old):
        raise Conflict("already_working", f"the work of turn {event.turn} goes on already")
    if change.db.value("SELECT 1 FROM inbox_items WHERE continues = ?", old["id"]) or _was_put_back(change, old):
        raise Conflict("already_continued", f"turn {event.turn} has been continued")
    lifting.by_operation(change, "turn", old["id"], change.user_action("button", event.key))  # HOLD-71
    if old["mode"] == "work" and not work.has_slot(change.db, old["bot"]):
        _record_admission(change, old)  # DESK-22
    _wake(change, old["work_item"])
    _put_restart(change, old)
    work.queue(change, old["work_item"])


def resume(change: Change, event: WorkResumed) -> None:
    """Let work go on whose lines were cleared: they start it again, from the words that were kept here.

    Raises `Missing` for work that is not there or whose place is gone, `Conflict` for work that has no such line, or
    that a kept hold is over.
    """
    session = change.db.value("SELECT session FROM work_items WHERE id = ?", event.work_item)
    if session is None:
        raise Missing(f"there is no work item {event.work_item}")
    household.session_of(change.db, session)
    found = change.db.rows(
        "SELECT * FROM inbox_items WHERE work_item = ? AND state = 'queued' AND message IS NULL AND wakes = 0",
        event.work_item,
    )
    if not found:
        raise Conflict("nothing_cleared", f"work item {event.work_item} has no line that was cleared unread")
    lifting.by_operation(change, "work_item", event.work_item, change.user_action("button", event.key))
    _wake(change, event.work_item)
    for row in found:
        change.db.write("UPDATE inbox_items SET wakes = 1 WHERE id = ?", row["id"])
    change.log("work.resumed", work_item=event.work_item)
    live = change.db.value("SELECT 1 FROM live_turns WHERE work_item = ?", event.work_item)
    if not live:
        work.queue(change, event.work_item)


def carry_on(change: Change, turn: int, restart: sqlite3.Row) -> None:
    """Make a segment that was opened by a press what the one before it was."""
    old = change.db.row("SELECT * FROM turns WHERE id = ?", restart["continues"])
    assert old is not None
    change.db.write(
        "UPDATE turns SET continues = ?, acted = ?, cwd_changes = ? WHERE id = ?",
        old["id"],
        old["acted"],
        old["cwd_changes"],
        turn,
    )
    change.db.write(  # DESK-35
        "INSERT INTO turn_candidates (turn, ord, plan) SELECT ?, ord, plan FROM turn_candidates WHERE turn = ?",
        turn,
        old["id"],
    )
    change.log("turn.continued", bot=old["bot"], plan=old["plan"], ticket=old["ticket"], turn=turn, before=old["id"])


def _goes_on(change: Change, old: sqlite3.Row) -> bool:
    """Whether the work of a segment runs again: on the same plan, or on the desk of the same session."""
    if old["plan"] is None:
        live = work.live_desk(change.db, old["bot"], old["session"])
    else:
        live = work.live_turn(change.db, old["bot"], old["plan"])
    return live is not None  # WORK-17 FORK-03


def _was_put_back(change: Change, old: sqlite3.Row) -> bool:
    """Whether what opened a segment was given back unread, since its first hop was never begun."""
    opened_on = "SELECT 1 FROM inbox_items WHERE id = ? AND read_by_turn IS NOT ?"
    return bool(change.db.value(opened_on, old["trigger_item"], old["id"]))


def _wake(change: Change, work_item: int) -> None:
    """Let the plan be awake that work is on which the user lets go on."""
    plan = change.db.value("SELECT plan FROM work_items WHERE id = ?", work_item)
    if plan is not None:
        dormancy.wake(change, plan, "continue")  # PLAN-18


def _put_restart(change: Change, old: sqlite3.Row) -> None:
    change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, prio, continues, seq)"
        " VALUES (?, 'restart', ?, 'app', ?, ?, ?, ?)",
        old["work_item"],
        old["trigger_message"],
        GO_ON,
        inbox.PRIO_USER,
        old["id"],
        change.event,
    )


def _record_admission(change: Change, old: sqlite3.Row) -> None:
    """The segment that the press admitted, over as it began: its work waits for a slot."""
    turn = change.db.write(
        "INSERT INTO turns (bot, session, work_item, plan, ticket, mode, state, end_reason, continues,"
        " trigger_message, began_seq, began_at, ended_at)"
        " VALUES (?, ?, ?, ?, ?, ?, 'completed', 'queued', ?, ?, ?, ?, ?)",
        old["bot"],
        old["session"],
        old["work_item"],
        old["plan"],
        old["ticket"],
        old["mode"],
        old["id"],
        old["trigger_message"],
        change.event,
        change.at,
        change.at,
    )
    change.log("work.ended", bot=old["bot"], plan=old["plan"], ticket=old["ticket"], turn=turn, reason="queued")
