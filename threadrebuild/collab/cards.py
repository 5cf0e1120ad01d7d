"""Old cards about a line that opened a plan: undo gives the plan up, merge files the line to another one.

Either way the new plan is stopped first, for good: nothing there goes on when the hold is lifted. What was done is kept
and the user is told what that is; nothing done outside is taken back.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import attribution, check_backs, holds, parking, plans, refiling, work
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.scope import Scope
from threadrebuild.collab.target import Target

UNDO, MERGE = "undo_plan", "merge_plan"
ACTIONS = (UNDO, MERGE)
BEGUN = ("ok", "failed", "unknown")  # DESK-40
"""How calls end that were begun."""


def undo(change: Change, card: dict[str, Any]) -> dict[str, list[str]]:
    """Stop and abandon the plan that a card is about; returns what is kept. Raises `Conflict` where it is too late."""
    _stop(change, card)
    return _abandon(change, card["plan"])


def merge(change: Change, card: dict[str, Any], into: int) -> dict[str, list[str]]:
    """Give the new plan up, and file the line that it was opened for to a plan that the card offers.

    Returns what is kept of the new plan. Raises `Conflict` where the press fits no more.
    """
    before = attribution.targets(change.db, card["line"])
    if (
        card["plan"] not in {target.plan for target in before}  # DESK-43
        or into not in card["offers"]  # DESK-43
        or not _fits(change, card["plan"], into)
    ):
        raise Conflict("attribution_changed", f"line {card['line']} cannot be merged into plan {into}")
    _stop(change, card)
    now = [Target(into) if each.plan == card["plan"] else each for each in before]  # DESK-41
    refiling.refile(change, card["line"], now)
    return _abandon(change, card["plan"])


def _fits(change: Change, new: int, into: int) -> bool:
    """Whether a plan goes on, or is handed in, in the same project; a hold that keeps it from that does not matter."""
    home = change.db.value("SELECT session FROM plans WHERE id = ?", new)
    plan = change.db.row("SELECT * FROM plans WHERE id = ?", into)
    halted = change.db.value(f"SELECT 1 FROM plans WHERE id = ? AND {parking.WOULD_GO_ON}", into)
    return (
        plan is not None
        and plan["session"] == home  # DESK-43
        and (
            plan["status"] in ("active", "delivered")  # DESK-43
            or bool(halted)  # DESK-42
        )
    )


def _stop(change: Change, card: dict[str, Any]) -> None:
    """Hold the new plan, which ends what runs there."""
    status = change.db.value("SELECT status FROM plans WHERE id = ?", card["plan"])
    if status is None or status in attribution.GONE:  # DESK-37
        raise Conflict("plan_changed", f"plan {card['plan']} is accepted or abandoned")
    line = change.db.value("SELECT id FROM messages WHERE id = ?", card["line"])
    scope = Scope("plan", plan=card["plan"])
    holds.make(change, scope, source="user_button", message=line)  # DESK-39 DESK-41


def _abandon(change: Change, plan: int) -> dict[str, list[str]]:
    """Let nothing of a stopped plan go on any more, whatever becomes of the hold; returns what was done there."""
    plans.set_status(change, plan, "abandoned")  # DESK-39 DESK-41
    change.db.write("UPDATE plans SET current_of = NULL, closed_at = ? WHERE id = ?", change.at, plan)
    items: list[sqlite3.Row] = change.db.rows("SELECT id FROM work_items WHERE plan = ? ORDER BY id", plan)
    for item in items:
        check_backs.void_of_work(change, item["id"])  # DESK-39
        change.db.write(  # DESK-39 DESK-38
            "UPDATE inbox_items SET state = 'superseded' WHERE work_item = ? AND state IN ('queued', 'held')",
            item["id"],
        )
        work.close(change, item["id"])
    kept = _kept(change, plan)
    change.log("plan.abandoned", plan=plan, kept=kept)
    return kept


def _kept(change: Change, plan: int) -> dict[str, list[str]]:
    files = change.db.rows("SELECT DISTINCT path FROM artifacts WHERE plan = ? AND written = 1 ORDER BY path", plan)
    calls = change.db.rows(
        "SELECT c.* FROM calls c JOIN turns t ON t.id = c.turn WHERE t.plan = ? ORDER BY c.id",
        plan,
    )
    return {
        "files": [row["path"] for row in files],
        "calls": [
            f"{row['name']} {row['arguments']}"
            for row in calls
            if row["effectful"]  # DESK-40
            if row["state"] in BEGUN  # DESK-40
        ],
    }
