"""What becomes of a store's plans when it is raised from the levels with one current plan a session.

It happens with the first event after the store was raised. Nothing is known of such plans but their status: that one is
delivered proves no submission of it.
"""

import sqlite3

from threadrebuild.collab import dormancy, plans
from threadrebuild.collab.change import Change

DISPLACED_MS = 2 * 3_600_000  # PLAN-15
DONE_MS = 24 * 3_600_000  # PLAN-17


def take_over(change: Change) -> None:
    """Take the plans over that were displaced or done, where the store was raised and that has not happened yet."""
    if change.db.value("SELECT raised_from FROM meta") is None:
        return
    change.db.write("UPDATE meta SET raised_from = NULL")
    for plan in change.db.rows("SELECT * FROM plans WHERE standing = 0 ORDER BY id"):
        if plan["displaced"] and plan["status"] == "parked":
            _displaced(change, plan)
        elif plan["status"] == "done":
            _done(change, plan)


def _displaced(change: Change, plan: sqlite3.Row) -> None:
    """What another matter had displaced goes on as any other, or sleeps where nobody is at it."""
    if plans.points_of(change.db, plan["id"])["status"] == "active":
        change.db.write(  # PLAN-15
            "UPDATE plans SET status = 'active', displaced = 0 WHERE id = ?", plan["id"]
        )
    if (
        not _is_live(change, plan["id"])  # PLAN-15
        and not _said_within(change, plan["id"], DISPLACED_MS)  # PLAN-15
    ):
        dormancy.sleep(change, plan["id"], "legacy_parked")


def _done(change: Change, plan: sqlite3.Row) -> None:
    """What was done counts as delivered; it sleeps where the user has said nothing of it for a day."""
    plans.set_status(change, plan["id"], "delivered")  # PLAN-17
    if not _said_within(change, plan["id"], DONE_MS):  # PLAN-17
        dormancy.sleep(change, plan["id"], "legacy_done")


def _said_within(change: Change, plan: int, span: int) -> bool:
    said = dormancy.said_at(change.db, plan)
    return said is not None and said >= change.at - span


def _is_live(change: Change, plan: int) -> bool:
    """Whether somebody is at work on a plan; of old a segment's plan is that of the line which opened it."""
    found = (
        "SELECT 1 FROM live_turns t LEFT JOIN messages m ON m.id = t.trigger_message WHERE ifnull(t.plan, m.plan) = ?"
    )
    return bool(change.db.value(found, plan))
