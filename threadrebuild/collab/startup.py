"""The look at every start: what holds cover is parked and suspended, and what was parked before them is under one.

It puts right what a version that knows no holds, or an older store, has left otherwise. Cards whose work has gone on
take no answer any more.
"""

from typing import Any

from threadrebuild.collab import check_backs, holds, parking, work_questions
from threadrebuild.collab.change import Change


def check(change: Change) -> None:
    """Adopt the plans that were parked in the old way, and mend what holds cover; both are on record."""
    work_questions.catch_up(change)
    if change.level < holds.FROM_LEVEL:
        return
    for plan in change.db.rows("SELECT * FROM plans ORDER BY id"):
        if parking.is_without_hold(change.db, plan):
            parking.adopt(change, plan)  # HOLD-99
            change.log("daemon.log", plan=plan["id"], said="parked in the old way, and held from now on")
    for row in holds.active(change.db):
        _mend(change, row["id"])


def _mend(change: Change, hold: int) -> None:
    found: dict[str, list[Any]] = {
        "parked": parking.park(change, hold),  # HOLD-101
        "suspended": check_backs.suspend(change, hold),  # HOLD-101
    }
    if any(found.values()):
        known = holds.record_of(holds.hold_of(change.db, hold))
        holds.note(change, hold, **{name: [*known.get(name, []), *new] for name, new in found.items()})
        change.log("daemon.log", hold=hold, said="put under its hold", found=found)  # HOLD-101
