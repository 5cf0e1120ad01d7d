"""Plans: each one matter round a goal, opened by the user's own words, with tickets, a folder and its points.

Points have versions, each with what caused it. Acceptance and rules among them are the user's, who writes them on the
board; the words changed there are kept as the user's.
"""

import json
import re
import sqlite3
from typing import Any

from threadrebuild.collab import checks, parking, quotes, requirement_actions
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import BoardEdited
from threadrebuild.database import Database

NAME_LONGEST = 40  # PLAN-26
ATTACHMENTS_ONLY = "attachments only"
SEVERAL_FROM_LEVEL = 2
"""From this level on a session may have several plans that go on; before, one was the current one."""


def open_plan(change: Change, *, title: str, opening: sqlite3.Row) -> int:
    """Open a plan on a line of the user."""
    number = change.db.value("SELECT ifnull(max(id), 0) + 1 FROM plans")
    name = title[:NAME_LONGEST].strip() or name_of(change, opening)
    plan = change.db.write(
        "INSERT INTO plans (name, session, opened_by_message, opening, folder, opened_at, active_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        name,
        opening["session"],
        opening["id"],
        opening["text"],
        f"work/{number:03}-{slug(name)}",
        change.at,
        change.at,
    )
    if change.level < SEVERAL_FROM_LEVEL:  # PLAN-09
        _take_slot(change, plan, opening["session"])
    points = {
        "category": "",
        "goal": opening["text"],
        "acceptance": [],
        "rules": [],
        "process": "",
        "progress": {"done": [], "to_do": [], "stuck": []},
        "status": parking.begin(change, plan),
    }
    if points["status"] != "active":
        set_status(change, plan, points["status"])
    revise(change, plan, points, "message", opening["id"])
    change.log("plan.opened", plan=plan, message=opening["id"])
    return plan


def edit(change: Change, event: BoardEdited) -> None:
    """Write what the user has changed of a plan's points on the board.

    Raises `Missing` for a plan that is not there, `Conflict` for an edit of points that are not the newest.
    """
    before = points_of(change.db, event.plan)
    newest = newest_revision(change.db, event.plan)["number"]
    if event.revision not in (None, newest):  # HOLD-42
        raise Conflict("revision_conflict", f"the points of plan {event.plan} are at revision {newest}")
    now = dict(before)
    if event.goal is not None:
        now["goal"] = event.goal
        changed = quotes.changed_clauses(before["goal"], event.goal)
        if changed:
            quotes.keep_filed(change, "board", "\n".join(changed), event.plan, None, place="goal")
    written: list[tuple[str, int]] = []
    for field in requirement_actions.LINES:
        items = getattr(event, field)
        if items is None:
            continue
        now[field] = list(items)
        for added in [item for item in items if item not in before[field]]:
            written.append((added, quotes.keep_filed(change, "board", added, event.plan, None, place=field)))
    action = change.user_action("button", event.key)
    if now != before or event.status is None:
        revise(change, event.plan, now, "user", action)
    checks.follow(change, event.plan, before["acceptance"], now["acceptance"])  # CHK-10
    requirement_actions.board_edited(change, event.plan, action, newest, before, now, written)
    if event.status not in (None, before["status"]):  # HOLD-51
        parking.set_by_user(change, event.plan, event.status, action)
    change.db.write("UPDATE plans SET active_at = ? WHERE id = ?", change.at, event.plan)
    change.log("plan.edited", plan=event.plan)


def set_status(change: Change, plan: int, status: str) -> None:
    """Write a plan's status into its row; its session has no current plan then, unless a hold has merely halted it."""
    change.db.write("UPDATE plans SET status = ? WHERE id = ?", status, plan)
    halted = bool(parking.whole_holds(change.db, plan))
    if status == "done" or (status == "parked" and not halted):  # HOLD-36
        change.db.write("UPDATE plans SET current_of = NULL WHERE id = ?", plan)


def points_of(db: Database, plan: int) -> dict[str, Any]:
    """The newest version of a plan's points. Raises `Missing` where there is no such plan."""
    points: dict[str, Any] = json.loads(newest_revision(db, plan)["points"])
    return points


def newest_revision(db: Database, plan: int) -> sqlite3.Row:
    """The newest version of a plan's points as it is stored. Raises `Missing` where there is no such plan."""
    found = db.row("SELECT * FROM plan_revisions WHERE plan = ? ORDER BY number DESC LIMIT 1", plan)
    if found is None:
        raise Missing(f"there is no plan {plan}")
    return found


def detail(db: Database, plan: int, at: int) -> dict[str, Any]:
    """What `GET /v1/tasks/:id` answers, as of the read. Raises `Missing` where there is no such plan."""
    newest = newest_revision(db, plan)
    row = db.row("SELECT id, name, status, session, dormant FROM plans WHERE id = ?", plan)
    assert row is not None
    return {
        **dict(row),
        "points": json.loads(newest["points"]),
        "revision": newest["number"],
        "revision_cause": newest["cause"],
        "held_by": [_held_by(hold) for hold in parking.held_by(db, plan)],
    }


def current(db: Database, session: int) -> int | None:
    """The one current plan of a session, at the levels that know one."""
    found: int | None = db.value("SELECT id FROM plans WHERE current_of = ?", session)
    return found


def revise(change: Change, plan: int, points: dict[str, Any], cause: str, cause_id: int | None) -> None:
    """Add a version of a plan's points, with what caused it: a message, a turn, the user, a pass of the organizer."""
    number = change.db.value("SELECT ifnull(max(number), 0) + 1 FROM plan_revisions WHERE plan = ?", plan)
    change.db.write(
        "INSERT INTO plan_revisions (plan, number, points, cause, cause_id, at) VALUES (?, ?, ?, ?, ?, ?)",
        plan,
        number,
        json.dumps(points, ensure_ascii=False, sort_keys=True),
        cause,
        cause_id,
        change.at,
    )


def set_points(change: Change, plan: int, status: str, cause: str, cause_id: int) -> None:
    """Write a plan's status into its points, as a version of its own where it is another."""
    points = points_of(change.db, plan)
    if points["status"] != status:
        revise(change, plan, points | {"status": status}, cause, cause_id)


def name_of(change: Change, opening: sqlite3.Row) -> str:
    """A plan's name: how its opening sentence begins, else its first file and how many there are."""
    words = " ".join(opening["text"].split())
    if words:  # PLAN-26
        return words[:NAME_LONGEST].strip()
    files = change.db.rows("SELECT path FROM message_files WHERE message = ? ORDER BY ord", opening["id"])
    if not files:  # PLAN-26
        return ATTACHMENTS_ONLY
    first = files[0]["path"].rpartition("/")[2]
    more = f" ({len(files)} files)" if len(files) > 1 else ""
    return f"{first[: NAME_LONGEST - len(more)]}{more}"


def take_free_slot(change: Change, plan: int, session: int | None) -> None:
    """Make a plan the current one of a session that has none; it is not put aside any more."""
    change.db.write("UPDATE plans SET displaced = 0 WHERE id = ?", plan)
    if session is not None and current(change.db, session) is None:  # HOLD-44
        change.db.write("UPDATE plans SET current_of = ? WHERE id = ?", session, plan)


def slug(title: str) -> str:
    """A title as the name of a folder."""
    return re.sub(r"[^\w]+", "-", title).strip("-")[:30] or "untitled"


def _take_slot(change: Change, plan: int, session: int) -> None:
    """Make a plan the one current of its session; another one that was is put aside."""
    before = current(change.db, session)
    if before is not None:
        change.db.write("UPDATE plans SET status = 'parked', displaced = 1, current_of = NULL WHERE id = ?", before)
        parking.displaced(change, before)  # HOLD-39
    change.db.write("UPDATE plans SET current_of = ? WHERE id = ?", session, plan)


def _held_by(hold: sqlite3.Row) -> dict[str, Any]:
    names = ("id", "scope", "session", "plan", "source", "source_message", "void", "by_stop", "at")
    return {name: hold[name] for name in names}
