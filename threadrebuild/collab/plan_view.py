"""Plans as clients see them: one in detail, and all of them, with the one that is shown where none was asked for."""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from threadrebuild.collab import ball, parking, plans, ticket_view
from threadrebuild.database import Database

TURNS_OF_A_QUESTION = 1  # PLAN-42
_TICKET = (
    "SELECT max(at) FROM (SELECT at FROM tickets WHERE plan = ?1 UNION ALL SELECT e.at FROM ticket_was w"
    " JOIN tickets t ON t.id = w.ticket JOIN events e ON e.seq = w.until_seq WHERE t.plan = ?1)"
)
_CHECK = "SELECT max(r.began_at) FROM check_runs r JOIN checks c ON c.id = r.check_id WHERE c.plan = ?"
_LEDGER = (
    "SELECT max(at) FROM (SELECT at FROM requirements WHERE plan = ?1"
    " UNION ALL SELECT q.at FROM requirement_sayings s JOIN quotes q ON q.id = s.quote WHERE s.plan = ?1"
    " UNION ALL SELECT e.at FROM events e JOIN user_actions u ON u.event = e.seq WHERE u.id IN ("
    "   SELECT ended_by FROM requirements WHERE plan = ?1"
    "   UNION SELECT by FROM requirement_exceptions WHERE plan = ?1))"
)
_CHANGES = {
    "name": "SELECT renamed_at FROM plans WHERE id = ?",  # PLAN-28
    "points": "SELECT max(at) FROM plan_revisions WHERE plan = ?",  # PLAN-40
    "ticket": _TICKET,  # PLAN-40
    "check": _CHECK,  # PLAN-40
    "turn": "SELECT max(max(began_at, ifnull(ended_at, 0))) FROM turns WHERE plan = ?",  # PLAN-40
    "ledger": _LEDGER,  # PLAN-40
}
"""What of a plan can change, and when it last did."""


def detail(db: Database, plan: int, at: int) -> dict[str, Any]:
    """What `GET /v1/tasks/:id` answers, as of the read. Raises `Missing` where there is no such plan."""
    newest = plans.newest_revision(db, plan)
    row = db.row("SELECT id, name, status, session, dormant, closed_at FROM plans WHERE id = ?", plan)
    assert row is not None
    return {
        **dict(row),
        "points": json.loads(newest["points"]),
        "revision": newest["number"],
        "revision_cause": newest["cause"],
        "held_by": [_held_by(hold) for hold in parking.held_by(db, plan)],
        "last_change": last_change(db, plan),
        "approved": approved(db, plan),
        "awaited": ball.awaited(db, plan),
        "tickets": ticket_view.of_plan(db, plan),
        "counted": ticket_view.counted(db, plan),
    }


def listed(view: Database, query: Mapping[str, str]) -> dict[str, Any]:
    """All plans, last active first, and which of them is shown where none was asked for."""
    del query
    counts_turns = view.value("SELECT level FROM meta") >= plans.SEVERAL_FROM_LEVEL  # PLAN-42
    found = [
        _listed(view, row, counts_turns) for row in view.rows("SELECT * FROM plans ORDER BY active_at DESC, id DESC")
    ]
    shown = sorted(found, key=lambda plan: bool(plan["is_question"]))
    return {"plans": found, "shown": shown[0]["id"] if shown else None}


def last_change(db: Database, plan: int) -> dict[str, Any] | None:
    """When something of a plan changed last, and what."""
    found = [(at, what) for what, sql in _CHANGES.items() if (at := db.value(sql, plan)) is not None]
    if not found:
        return None
    at, what = max(found)
    return {"at": at, "what": what}


def approved(db: Database, plan: int) -> int:
    """How many submissions of a plan were approved; that it is delivered proves none."""
    found = db.rows("SELECT s.state FROM submissions s JOIN tickets t ON t.id = s.ticket WHERE t.plan = ?", plan)
    return len(
        [
            row
            for row in found
            if row["state"] == "approved"  # PLAN-10
        ]
    )


def _listed(view: Database, plan: sqlite3.Row, counts_turns: bool) -> dict[str, Any]:
    tickets = view.value("SELECT count(*) FROM tickets WHERE plan = ?", plan["id"])
    turns = view.value("SELECT count(*) FROM turns WHERE plan = ?", plan["id"]) if counts_turns else None
    about = {key: plan[key] for key in ("id", "name", "status", "dormant", "closed_at", "active_at")}
    return about | {
        "tickets": tickets,
        "turns": turns,
        "counted": ticket_view.counted(view, plan["id"]),
        "is_question": _is_question(plan, tickets, turns),
    }


def _is_question(plan: sqlite3.Row, tickets: int, turns: int | None) -> bool:
    """Whether a plan is a mere question with its answer; where turns are not counted, none is."""
    return (
        plan["closed_at"] is not None  # PLAN-42
        and tickets == 0  # PLAN-42
        and turns in range(TURNS_OF_A_QUESTION + 1)
    )


def _held_by(hold: sqlite3.Row) -> dict[str, Any]:
    names = ("id", "scope", "session", "plan", "source", "source_message", "void", "by_stop", "at")
    return {name: hold[name] for name in names}
