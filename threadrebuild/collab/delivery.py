"""When a plan is delivered: every ticket that is not dropped is approved, and the plan's own checks have passed."""

from threadrebuild.collab import checks, parking, plans, stages
from threadrebuild.collab.change import Change

DELIVERED = "delivered"


def look(change: Change, plan: int) -> None:
    """Let a plan be delivered where its last ticket is approved, and active again where one is so no more.

    It is done by the same path as any. A hold that keeps it parked keeps it so; once lifted, it is looked at again.
    """
    row = change.db.row("SELECT * FROM plans WHERE id = ?", plan)
    if row is None or change.level < stages.FROM_LEVEL:
        return
    if parking.whole_holds(change.db, plan):
        return
    if _is_whole(change, plan):
        if row["stage"] is None:
            _write(change, plan, DELIVERED, "done")  # TICK-24
            change.log("plan.delivered", plan=plan)
    elif row["stage"] is not None:
        _write(change, plan, None, "active")  # TICK-25
        change.log("plan.reopened", plan=plan)  # TICK-25


def _write(change: Change, plan: int, stage: str | None, status: str) -> None:
    change.db.write("UPDATE plans SET stage = ? WHERE id = ?", stage, plan)
    plans.set_status(change, plan, status)
    plans.set_points(change, plan, status, "delivery", change.event)


def _is_whole(change: Change, plan: int) -> bool:
    found = [row["stage"] for row in change.db.rows("SELECT stage FROM tickets WHERE plan = ?", plan)]
    counted = [stage for stage in found if stage != "dropped"]  # TICK-24
    return (
        bool(counted)
        and all(stage == "approved" for stage in counted)  # TICK-24
        and all(checks.passing(change.db, check) for check in checks.active(change.db, plan))  # TICK-24
    )
