"""Schedules: what a Bot is to do again and again, at times that the user has set.

Under a hold a due time is not run; after the lift the newest one that was missed is made up for, once.
"""

import sqlite3

from threadrebuild.collab import holds, household, inbox, private, tickets, wakes
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import ScheduleMade, TimerRang


def add(change: Change, event: ScheduleMade) -> None:
    """Set a schedule up. Raises `Missing` where the session is not there, ValueError for a Bot that is not in it."""
    session = household.session_of(change.db, event.session)
    if event.bot not in household.members(change.db, session["id"]).values():
        raise ValueError(f"Bot {event.bot} is not in session {event.session}")
    schedule = change.db.write(
        "INSERT INTO schedules (bot, session, plan, text, every_ms, due) VALUES (?, ?, ?, ?, ?, ?)",
        event.bot,
        event.session,
        event.plan,
        event.text,
        event.every_ms,
        event.due,
    )
    change.db.write("UPDATE plans SET standing = 1 WHERE id = ?", event.plan)  # PLAN-38
    _wind(change, schedule, event.due)
    change.log("schedule.made", bot=event.bot, plan=event.plan, schedule=schedule)


def time_came(change: Change, event: TimerRang) -> None:
    """A schedule is due."""
    subject: str = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    row = change.db.row("SELECT * FROM schedules WHERE id = ? AND state = 'on'", int(subject.split(":")[1]))
    if row is None:
        return
    later = row["due"] + row["every_ms"]
    change.db.write("UPDATE schedules SET due = ? WHERE id = ?", later, row["id"])
    _wind(change, row["id"], later)
    held = _run(change, row, row["due"])
    if held and row["missed"] is None:  # HOLD-70
        wakes.suppress(change, "schedule", row["bot"], held, schedule=row["id"], due=row["due"])


def catch_up(change: Change) -> None:
    """Make up for the newest due time of each schedule that no hold is over any more."""
    for row in change.db.rows("SELECT * FROM schedules WHERE missed IS NOT NULL AND state = 'on' ORDER BY id"):
        _run(change, row, row["missed"])  # HOLD-70


def _run(change: Change, row: sqlite3.Row, due: int) -> list[sqlite3.Row]:
    """Wake the Bot for a due time, or keep that one time where a hold is over it; returns the holds."""
    item = private.work_item(change, row["bot"], row["plan"], None, row["session"])
    copy = private.put(change, item, "schedule", row["text"], row["session"], row["plan"], prio=inbox.PRIO_OTHER)
    held = holds.over(change.db, "item", copy["id"])
    if held:  # HOLD-59
        private.drop(change, copy)
    else:
        if row["plan"] is not None:
            copy = _on_a_ticket(change, row, copy)  # PLAN-38
        private.wake(change, copy)
        change.log("schedule.ran", bot=row["bot"], plan=row["plan"], schedule=row["id"], due=due)
    change.db.write("UPDATE schedules SET missed = ? WHERE id = ?", due if held else None, row["id"])
    return held


def _on_a_ticket(change: Change, row: sqlite3.Row, copy: sqlite3.Row) -> sqlite3.Row:
    """Open a ticket in the standing plan for what is due, and let it be read there; returns the copy."""
    ticket = tickets.open_ticket(change, row["plan"], row["text"], row["bot"])
    item = private.work_item(change, row["bot"], row["plan"], ticket, row["session"])
    change.db.write("UPDATE inbox_items SET work_item = ? WHERE id = ?", item, copy["id"])
    moved = change.db.row("SELECT * FROM inbox_items WHERE id = ?", copy["id"])
    assert moved is not None
    return moved


def _wind(change: Change, schedule: int, due: int) -> None:
    change.effect("timer", {"due": due}, subject=f"schedule:{schedule}")
