"""Dormancy: a plan that nobody goes on with sleeps until the user comes back to it.

It is neither a hold nor an end: nothing of the plan changes but that it is no default for new lines, and that nothing
starts in it. A hold on it stays, whether it sleeps or wakes.
"""

import sqlite3

from threadrebuild.collab import plans
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import TimerRang
from threadrebuild.database import Database

IDLE_MS = 2 * 3_600_000  # PLAN-13
AGED_MS = 72 * 3_600_000  # PLAN-16
AGING = "aging"
JOB_COLUMNS = {"plan", "state"}
"""What is read of the table of jobs: an older store may have one without it, or none."""


def sleep(change: Change, plan: int, reason: str) -> None:
    """Let a plan sleep; its status, its tickets and its holds stay as they are."""
    change.db.write("UPDATE plans SET dormant = 1, dormant_reason = ? WHERE id = ?", reason, plan)  # PLAN-11 PLAN-12
    change.log("plan.dormant", plan=plan, reason=reason)


def wake(change: Change, plan: int, by: str) -> None:
    """Let a plan that sleeps be awake, as the user has come back to it; below level 2 it stays closed by that."""
    row = change.db.row("SELECT * FROM plans WHERE id = ? AND dormant = 1", plan)
    if row is None:
        return
    change.db.write("UPDATE plans SET dormant = 0, dormant_reason = NULL WHERE id = ?", plan)
    if (
        change.level >= plans.SEVERAL_FROM_LEVEL  # PLAN-35
        and row["status"] != "done"
    ):
        change.db.write("UPDATE plans SET closed_at = NULL WHERE id = ?", plan)
    change.log("plan.woken", plan=plan, by=by)
    age(change, plan)


def sleeps(db: Database, plan: int) -> bool:
    """Whether a plan sleeps."""
    return bool(db.value("SELECT dormant FROM plans WHERE id = ?", plan))


def leave(change: Change, session: int) -> None:
    """Let the plans of a session that is emptied sleep, closed; those that nothing refers to any more are deleted."""
    for plan in change.db.rows("SELECT id, standing FROM plans WHERE session = ? ORDER BY id", session):
        if plans.delete(change, plan["id"]):
            continue
        change.db.write(  # PLAN-33
            "UPDATE plans SET closed_at = ?, current_of = NULL WHERE id = ?", change.at, plan["id"]
        )
        if not plan["standing"]:  # PLAN-33 PLAN-37 PLAN-38
            sleep(change, plan["id"], "session_emptied")


def make_room(change: Change, opened: int) -> None:
    """Let the plans of a session in which another has been opened sleep that nobody was at for two hours."""
    if change.level < plans.SEVERAL_FROM_LEVEL:  # PLAN-13
        return
    session = change.db.value("SELECT session FROM plans WHERE id = ?", opened)
    for plan in change.db.rows(
        "SELECT id FROM plans WHERE session = ? AND id <> ? AND dormant = 0 AND standing = 0"
        " AND status IN ('active', 'parked', 'delivered') ORDER BY id",
        session,
        opened,
    ):
        if _is_idle(change, plan["id"]):
            sleep(change, plan["id"], "idle")  # PLAN-13


def age(change: Change, plan: int) -> None:
    """Look at a plan that is delivered again when it may have aged."""
    status = change.db.value("SELECT status FROM plans WHERE id = ?", plan)
    if status == "delivered" and change.level >= plans.SEVERAL_FROM_LEVEL:
        _wind(change, plan, change.at + AGED_MS)


def time_came(change: Change, event: TimerRang) -> None:
    """A delivered plan may have aged: it sleeps, unless the user has been at it since."""
    subject: str = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    ended_since = change.db.value("SELECT max(id) FROM effects WHERE subject = ?", subject) != event.effect
    plan = change.db.row("SELECT * FROM plans WHERE id = ?", int(subject.split(":")[1]))
    if plan is None or ended_since or plan["status"] != "delivered" or plan["dormant"] or plan["standing"]:
        return
    aged_at = user_active_at(change.db, plan["id"]) + AGED_MS
    if change.at < aged_at:  # PLAN-16
        _wind(change, plan["id"], aged_at)
        return
    sleep(change, plan["id"], "aged")  # PLAN-16


def after_turn(change: Change, turn: sqlite3.Row) -> None:
    """Move the closing time of a plan that a Bot has worked in while it is closed, as of old; it sleeps on."""
    if change.level >= plans.SEVERAL_FROM_LEVEL:
        return
    change.db.write(  # PLAN-36
        "UPDATE plans SET closed_at = ?1 WHERE closed_at IS NOT NULL"
        " AND id = (SELECT plan FROM messages WHERE id = ?2)",
        change.at,
        turn["trigger_message"],
    )


def user_active_at(db: Database, plan: int) -> int:
    """When the user was last at a plan, by words or on the board."""
    return int(
        db.value(
            "SELECT max(at) FROM (SELECT opened_at AS at FROM plans WHERE id = ?1"
            " UNION ALL SELECT q.at FROM quotes q JOIN quote_filings f ON f.quote = q.id WHERE f.plan = ?1"
            " UNION ALL SELECT m.at FROM messages m JOIN message_filings f ON f.message = m.id"
            "   WHERE f.plan = ?1 AND m.author = 'user'"
            " UNION ALL SELECT at FROM work_events WHERE plan = ?1"
            "   AND type IN ('plan.edited', 'plan.renamed', 'ticket.edited'))",
            plan,
        )
    )


def said_at(db: Database, plan: int) -> int | None:
    """When the user last said something that is kept of a plan."""
    found: int | None = db.value(
        "SELECT max(q.at) FROM quotes q JOIN quote_filings f ON f.quote = q.id WHERE f.plan = ?", plan
    )
    return found


def has_job(db: Database, plan: int) -> bool:
    """Whether a job of a plan is pending, by a table that has what is read of it; nobody says that one is polled."""
    columns = {row["name"] for row in db.rows("SELECT name FROM pragma_table_info('jobs')")}
    if not columns >= JOB_COLUMNS:  # PLAN-14
        return False
    return bool(db.value("SELECT 1 FROM jobs WHERE plan = ? AND state = 'running'", plan))


def _is_idle(change: Change, plan: int) -> bool:
    since = change.at - IDLE_MS
    ran = "SELECT 1 FROM turns WHERE plan = ? AND ifnull(ended_at, ?) > ?"
    at_work = "SELECT 1 FROM work_items WHERE plan = ? AND state NOT IN ('idle', 'closed')"
    signs = [
        user_active_at(change.db, plan) > since,  # PLAN-13
        change.db.value(ran, plan, change.at, since),  # PLAN-13
        change.db.value(at_work, plan),  # PLAN-13
        has_job(change.db, plan),  # PLAN-13
    ]
    return not any(signs)


def _wind(change: Change, plan: int, due: int) -> None:
    change.effect("timer", {"due": due}, subject=f"{AGING}:{plan}")
