"""Which checks are to run and when: one of a plan at a time, and one command on the whole machine."""

import json
import sqlite3
from typing import Any

from threadrebuild.collab import checks, organizer, plans
from threadrebuild.collab.change import Change

QUIET_LIMIT_MS = 15 * 60_000  # CHK-06
DEFINED, ASKED, QUIET = "defined", "asked", "quiet"
"""Why a check is to run: it is new as it is, the user wants it, its plan is quiet."""


def want(change: Change, check: sqlite3.Row, cause: str, until: int | None = None) -> None:
    """Have a check run as soon as it may; one that is wanted by then keeps its place."""
    change.db.write(
        "INSERT INTO check_queue (check_id, plan, cause, until) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (check_id) DO UPDATE SET until = NULL WHERE ?4 IS NULL",
        check["id"],
        check["plan"],
        cause,
        until,
    )
    go_on(change)


def forget(change: Change, check: int) -> None:
    """A check is not to run any more."""
    change.db.write("DELETE FROM check_queue WHERE check_id = ?", check)


def plan_quiet(change: Change, plan: int, quiet: int) -> None:
    """Run the stale checks of a plan that has become quiet, by the timer `quiet`; the organizer is asked after that."""
    change.db.write("INSERT OR REPLACE INTO quiet_checks (plan, quiet) VALUES (?, ?)", plan, quiet)
    for check in checks.active(change.db, plan):
        if _is_stale(change, check):  # CHK-06
            want(change, check, QUIET, until_of(change, quiet))
    go_on(change)


def not_quiet(change: Change, plan: int) -> None:
    """What was to run because a plan is quiet is not to run any more."""
    change.db.write("DELETE FROM quiet_checks WHERE plan = ?", plan)
    change.db.write("DELETE FROM check_queue WHERE plan = ? AND cause = 'quiet'", plan)


def until_of(change: Change, quiet: int) -> int:
    """Until when there is time for the checks of a quiet plan, by the timer that told of it."""
    due: int = change.db.value("SELECT json_extract(body, '$.due') FROM effects WHERE id = ?", quiet)
    return due + QUIET_LIMIT_MS


def go_on(change: Change) -> None:
    """Begin whatever may begin, and let the organizer have its turn where the checks before it are through."""
    change.db.write("DELETE FROM check_queue WHERE until <= ?", change.at)  # CHK-06
    _begin_what_may(change)
    waits = (
        "SELECT * FROM quiet_checks q WHERE NOT EXISTS"
        " (SELECT 1 FROM check_queue w WHERE w.plan = q.plan AND w.cause = 'quiet') AND NOT EXISTS"
        " (SELECT 1 FROM open_checks o WHERE o.plan = q.plan AND o.turn IS NULL) ORDER BY plan"
    )
    for row in change.db.rows(waits):
        change.db.write("DELETE FROM quiet_checks WHERE plan = ?", row["plan"])
        organizer.after_checks(change, row["plan"], row["quiet"])


def _begin_what_may(change: Change) -> None:
    seen: set[int] = set()
    for row in change.db.rows("SELECT * FROM check_queue ORDER BY id"):
        if row["plan"] in seen or _is_running(change, row["plan"]):  # CHK-06
            continue
        seen.add(row["plan"])
        check = change.db.row("SELECT * FROM checks WHERE id = ?", row["check_id"])
        assert check is not None
        if _is_command(check) and _command_runs(change):  # CHK-06
            continue
        forget(change, check["id"])
        _begin(change, check, row["until"])


def body_of(change: Change, check: sqlite3.Row, until: int | None = None) -> dict[str, Any]:
    """What "run_check" is asked for a check."""
    named = {name: check[name] for name in ("item", "value", "bound")}
    return {
        "check": check["id"],
        "plan": check["plan"],
        "kind": check["kind"],
        "body": json.loads(check["body"]),
        "measure": named if check["item"] is not None else None,
        "matched": check["matched"],
        "plan_folder": change.db.value("SELECT folder FROM plans WHERE id = ?", check["plan"]),
        "defined": check["defined_seq"],
        "sentence": check["sentence"],
        "rules": plans.points_of(change.db, check["plan"])["rules"],
        "command": _is_command(check),
        "limit_s": None if until is None else max(1, (until - change.at) // 1000),
    }


def _begin(change: Change, check: sqlite3.Row, until: int | None) -> None:
    change.effect("run_check", body_of(change, check, until), subject=f"check:{check['id']}")


def _is_stale(change: Change, check: sqlite3.Row) -> bool:
    """Whether a segment of a plan has ended since a check last ran as it is; one that never did is stale too."""
    last = checks.last_run(change.db, check)
    moved = "SELECT 1 FROM work_events WHERE type = 'work.ended' AND plan = ? AND event > ?"
    since = 0 if last is None else last["seq"]
    return bool(change.db.value(moved, check["plan"], since))  # CHK-06


def _is_running(change: Change, plan: int) -> bool:
    sql = "SELECT 1 FROM open_checks WHERE plan = ? AND turn IS NULL"
    return bool(change.db.value(sql, plan))


def _command_runs(change: Change) -> bool:
    return bool(change.db.value("SELECT 1 FROM open_checks WHERE command = 1"))


def _is_command(check: sqlite3.Row) -> bool:
    return bool(json.loads(check["body"]).get("command"))
