"""Whose move it is: so far only where it is nobody's, since nothing is awaited there."""

from threadrebuild.collab import stages
from threadrebuild.database import Database

RESTING = (
    "done",  # PLAN-41
    "parked",  # PLAN-41
    "accepted",
    "abandoned",
)
"""The statuses of plans whose tickets nobody owes."""
OPEN_STATUSES = (
    "todo",
    "in progress",
    "to accept",  # TICK-04
)
OPEN_STAGES = (
    "todo",
    "in progress",
    "submitted",  # TICK-04
    "in_review",  # TICK-04
    "rework",
)


def nobody_holds(db: Database, plan: int | None) -> bool:
    """Whether nobody has the next move in a plan: what is unfinished there is promised to nobody."""
    row = db.row("SELECT status, dormant FROM plans WHERE id = ?", plan)
    if row is None:
        return False
    return (
        row["status"] in RESTING  # PLAN-41
        or bool(row["dormant"])  # PLAN-41
    )


def awaited(db: Database, plan: int) -> list[int]:
    """The unfinished tickets of a plan that somebody is awaited for."""
    if nobody_holds(db, plan):
        return []
    of_stage = db.value("SELECT level FROM meta") >= stages.FROM_LEVEL
    column, open_ = ("stage", OPEN_STAGES) if of_stage else ("status", OPEN_STATUSES)
    rows = db.rows(f"SELECT id, {column} AS stands FROM tickets WHERE plan = ? ORDER BY number", plan)
    return [row["id"] for row in rows if row["stands"] in open_]
