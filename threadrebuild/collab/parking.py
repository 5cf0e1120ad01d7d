"""Plans under a hold: those that it covers as a whole are parked, and get back what they were when it is lifted.

A plan has its status in two places, its row and its points, and both are written. What a plan was before stands on the
record of the hold that parked it; where another such hold still covers the plan, that one takes the record over.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import delivery, holds, plans, restarts
from threadrebuild.collab.change import Change
from threadrebuild.collab.scope import Scope
from threadrebuild.database import Database

IN_WORK = (
    ("active", "active"),
    ("active", "parked"),
    ("parked", "active"),  # HOLD-37
)
"""How a plan that is to be worked on stands in its row and its points; the last has been displaced by another."""
Before = dict[str, Any]
"""What a plan was: `plan`, its `status` in the row, that in its `points`, and the session whose current one it was."""


WOULD_GO_ON = (
    "status = 'parked' AND displaced = 0 AND EXISTS (SELECT 1 FROM holds h, json_each(h.effect, '$.parked') p"
    " WHERE h.lifted_by IS NULL AND p.value ->> 'plan' = plans.id AND p.value ->> 'status' = 'active')"
)
"""In SQL on plans: whether only a hold keeps one from being active. It is what the user's lines may be about."""


def park(change: Change, hold: int) -> list[Before]:
    """Park the plans that a hold covers as a whole and that are to be worked on; returns what each was before."""
    before = []
    for plan in _covered(change.db, holds.hold_of(change.db, hold)):
        points = plans.points_of(change.db, plan["id"])["status"]
        if (plan["status"], points) in IN_WORK:
            before.append(_before(plan, points))
            plans.set_status(change, plan["id"], "parked")
            plans.set_points(change, plan["id"], "parked", "hold", hold)  # HOLD-35
    return before


def begin(change: Change, plan: int) -> str:
    """The status that a plan begins with: in a session that is held it begins as parked."""
    for hold in whole_holds(change.db, plan):
        _take_over(change, hold["id"], _before(_row(change.db, plan), "active"))
        return "parked"  # HOLD-40
    return "active"


def restore(change: Change, hold: int) -> None:
    """Give the plans that a lifted hold had parked their status back, or hand them over to a hold that covers them."""
    parked = holds.record_of(holds.hold_of(change.db, hold)).get("parked", [])
    for before in [each for each in parked if change.db.value("SELECT 1 FROM plans WHERE id = ?", each["plan"])]:
        others = whole_holds(change.db, before["plan"])
        if others:  # HOLD-45
            _take_over(change, others[0]["id"], before)
        else:
            _give_back(change, before, hold)
            delivery.look(change, before["plan"])


def whole_holds(db: Database, plan: int) -> list[sqlite3.Row]:
    """The holds that stand and keep a plan parked: those on it and on its session, oldest first."""
    return [hold for hold in held_by(db, plan) if hold["scope"] != "everything"]


def held_by(db: Database, plan: int) -> list[sqlite3.Row]:
    """The holds that stand over a plan as a whole, at this moment, oldest first."""
    session = db.value("SELECT session FROM plans WHERE id = ?", plan)
    return [
        hold
        for hold in holds.active(db)
        if (
            hold["scope"] == "everything"  # HOLD-47 HOLD-48
            or (hold["scope"] == "plan" and hold["plan"] == plan)
            or (hold["scope"] == "session" and hold["session"] == session)
        )
    ]


def set_by_user(change: Change, plan: int, status: str, action: int) -> None:
    """Write the status that the user has set on the board: parked stops the plan, anything else lifts that."""
    own = [hold for hold in whole_holds(change.db, plan) if hold["scope"] == "plan"]
    if _is_only_a_status(change):
        _write(change, plan, status, action)
    elif status == "parked":
        holds.make(change, Scope("plan", plan=plan), source="user_button")  # HOLD-49
    elif status == "done":
        _write(change, plan, status, action)  # HOLD-41
        for hold in own:
            holds.lift(change, hold["id"], action)  # HOLD-50
    else:
        for hold in own:
            holds.lift(change, hold["id"], action)  # HOLD-50
            restarts.by_button(change, hold["id"])
        _activate(change, plan, action)


def stopped_of_old(change: Change, plan: int, action: int) -> None:
    """Park a plan that the user has stopped before there were holds; it stays so until the user says to go on."""
    if _row(change.db, plan)["status"] == "active":
        _write(change, plan, "parked", action)


def as_noted(change: Change, plan: int, before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The points of a plan that a hold keeps parked, as the organizer may write them: only done changes its status."""
    if now["status"] == "done":
        plans.set_status(change, plan, "done")  # HOLD-41
        return now
    return now | {"status": before["status"]}


def adopt(change: Change, plan: sqlite3.Row) -> int:
    """Take what was parked before there were holds over as a hold on the plan, which keeps it until the user lifts."""
    hold = holds.make(change, Scope("plan", plan=plan["id"]), source="legacy")
    slot = plan["session"] if change.level < plans.SEVERAL_FROM_LEVEL else None
    _take_over(change, hold, {"plan": plan["id"], "status": "active", "points": "active", "slot": slot})
    return hold


def leave(change: Change, session: int) -> None:
    """Let the plans of a group that goes leave it: what is parked under its hold is so by one of the plan's own."""
    group = [hold for hold in holds.active(change.db) if hold["scope"] == "session" and hold["session"] == session]
    for plan in change.db.rows("SELECT * FROM plans WHERE session = ? ORDER BY id", session) if group else ():
        before = _parked_by(change.db, plan["id"]) or _of_old(change.db, plan)
        if before is not None:
            kept = any(hold["void"] for hold in group)
            _take_over(change, _own(change, plan["id"], kept=kept), before | {"slot": None})  # HOLD-97 PLAN-37
    change.db.write("UPDATE plans SET session = NULL, current_of = NULL WHERE session = ?", session)  # HOLD-97


def displaced(change: Change, plan: int) -> None:
    """Note that another plan has taken the place of one, which is then what it is to be after the lift."""
    for hold in whole_holds(change.db, plan):
        known = holds.record_of(hold).get("parked", [])
        now = [each | {"status": "parked"} if each["plan"] == plan else each for each in known]
        holds.note(change, hold["id"], parked=now)


def is_without_hold(db: Database, plan: sqlite3.Row) -> bool:
    """Whether a plan is parked in both places, and no hold has done that or is on the plan itself."""
    return (
        _is_parked(db, plan)
        and _parked_by(db, plan["id"]) is None
        and not any(hold["scope"] == "plan" for hold in whole_holds(db, plan["id"]))
    )


def _is_parked(db: Database, plan: sqlite3.Row) -> bool:
    in_points: str = plans.points_of(db, plan["id"])["status"]
    return bool(plan["status"] == "parked" and in_points == "parked")  # HOLD-100


def _covered(db: Database, hold: sqlite3.Row) -> list[sqlite3.Row]:
    """The plans that a hold covers as a whole and whose status it changes."""
    if hold["scope"] not in ("plan", "session"):  # HOLD-46
        return []
    return db.rows("SELECT * FROM plans WHERE id = ? OR session = ? ORDER BY id", hold["plan"], hold["session"])


def _before(plan: sqlite3.Row, points: str) -> Before:
    return {"plan": plan["id"], "status": plan["status"], "points": points, "slot": plan["current_of"]}


def _take_over(change: Change, hold: int, before: Before) -> None:
    """Let a hold know what to give back, unless it knows that of the plan."""
    known = holds.record_of(holds.hold_of(change.db, hold)).get("parked", [])
    if before["plan"] not in [each["plan"] for each in known]:
        holds.note(change, hold, parked=[*known, before])


def _parked_by(db: Database, plan: int) -> Before | None:
    """What a plan was before, by the record of a hold that stands."""
    known = [each for hold in holds.active(db) for each in holds.record_of(hold).get("parked", [])]
    return next((each for each in known if each["plan"] == plan), None)


def _give_back(change: Change, before: Before, hold: int) -> None:
    plan = _row(change.db, before["plan"])
    if plan["status"] != "parked":  # HOLD-41
        return
    plans.set_status(change, plan["id"], before["status"])  # HOLD-44
    if before["status"] == "active":
        plans.take_free_slot(change, plan["id"], before["slot"])
    plans.set_points(change, plan["id"], before["points"], "hold", hold)


def _activate(change: Change, plan: int, action: int) -> None:
    """Let a plan be active that the user wants so, or be so once the hold is lifted that still keeps it parked."""
    others = whole_holds(change.db, plan)
    if not others:
        _write(change, plan, "active", action)
        return
    begun = _row(change.db, plan)
    _take_over(change, others[0]["id"], _before(begun, "active") | {"status": "active"})
    plans.set_status(change, plan, "parked")
    plans.set_points(change, plan, "parked", "hold", others[0]["id"])


def _write(change: Change, plan: int, status: str, action: int) -> None:
    plans.set_status(change, plan, status)
    if status == "active" and change.level < plans.SEVERAL_FROM_LEVEL:
        session = change.db.value("SELECT session FROM plans WHERE id = ?", plan)
        plans.take_free_slot(change, plan, session)
    plans.set_points(change, plan, status, "user", action)


def _of_old(db: Database, plan: sqlite3.Row) -> Before | None:
    """What a plan is to be again that was parked before there were holds."""
    if not _is_parked(db, plan):  # HOLD-98
        return None
    return {"plan": plan["id"], "status": "active", "points": "active"}


def _own(change: Change, plan: int, *, kept: bool) -> int:
    """The hold on a plan itself, made where there is none; `kept` until it is lifted, as the group's was."""
    for hold in whole_holds(change.db, plan):
        if hold["scope"] == "plan":  # HOLD-98
            return int(hold["id"])
    return holds.make(change, Scope("plan", plan=plan), source="migration", void=kept)


def _is_only_a_status(change: Change) -> bool:
    """Whether parked says no more of a plan than that: there are no holds yet."""
    return change.level < holds.FROM_LEVEL  # HOLD-52


def _row(db: Database, plan: int) -> sqlite3.Row:
    found = db.row("SELECT * FROM plans WHERE id = ?", plan)
    assert found is not None
    return found
