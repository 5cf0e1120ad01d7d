"""Plans: each one matter round a goal, opened by the user's own words, with tickets, a folder and its points.

Points have versions, each with what caused it. Acceptance and rules among them are the user's, who writes them on the
board; the words changed there are kept as the user's. So is the name, which is how the opening words begin until then.
"""

import json
import re
import sqlite3
from typing import Any

from threadrebuild.collab import checks, dormancy, mirrors, parking, quotes, requirement_actions
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import BoardEdited, PlanRenamed
from threadrebuild.database import Database

NAME_LONGEST = 40  # PLAN-26
ATTACHMENTS_ONLY = "attachments only"
LEFT_BEHIND = (
    "DELETE FROM quote_filings WHERE plan = ? AND quote IN (SELECT id FROM quotes WHERE erased = 1)",
    "DELETE FROM inbox_items WHERE work_item IN (SELECT id FROM work_items WHERE plan = ?)"
    " AND state NOT IN ('queued', 'held')",
    "DELETE FROM waits WHERE work_item IN (SELECT id FROM work_items WHERE plan = ?) AND state IN ('fired', 'void')",
    "DELETE FROM work_questions WHERE work_item IN (SELECT id FROM work_items WHERE plan = ?)"
    " AND question = '' AND superseded_at IS NOT NULL",
)
"""In SQL: what says nothing any more of a plan, and goes with it."""
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
        take_slot(change, plan, opening["session"])
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
    if event.goal is not None:
        change.db.write("UPDATE plans SET name_is_newer = 0 WHERE id = ?", event.plan)  # PLAN-29
    change.db.write("UPDATE plans SET active_at = ? WHERE id = ?", change.at, event.plan)
    dormancy.wake(change, event.plan, "board")  # PLAN-35 PLAN-37
    change.log("plan.edited", plan=event.plan)


def rename(change: Change, event: PlanRenamed) -> None:
    """Give a plan the name that the user wants; its goal and its folder stay as they are.

    Raises `Missing` for a plan that is not there, ValueError for an empty name.
    """
    before = change.db.value("SELECT name FROM plans WHERE id = ?", event.plan)
    if before is None:
        raise Missing(f"there is no plan {event.plan}")
    name = " ".join(event.name.split())
    if not name:
        raise ValueError("a plan needs a name")
    change.user_action("http", event.key)
    change.db.write("UPDATE plans SET name = ?, active_at = ? WHERE id = ?", name, change.at, event.plan)  # PLAN-27
    change.db.write("UPDATE plans SET renamed_at = ? WHERE id = ?", change.at, event.plan)  # PLAN-28
    change.db.write("UPDATE plans SET name_is_newer = 1 WHERE id = ?", event.plan)  # PLAN-29
    dormancy.wake(change, event.plan, "board")  # PLAN-28
    mirrors.write_map(change, event.plan)  # PLAN-28
    change.log("plan.renamed", plan=event.plan, before=before, now=name)


def delete(change: Change, plan: int) -> bool:
    """Delete a plan with its tickets, if nothing refers to it any more; the store knows what does. Whether it did."""
    try:
        with change.db.attempt():
            for statement in LEFT_BEHIND:
                change.db.write(statement, plan)
            change.db.write("DELETE FROM plans WHERE id = ?", plan)  # PLAN-37 PLAN-39
    except sqlite3.IntegrityError:
        return False
    change.db.write(
        "UPDATE effects SET body = '{}', state = 'void' WHERE state IN ('pending', 'started') AND (subject IN (?, ?, ?)"
        " OR (kind = 'organizer' AND subject LIKE ?))",
        f"quiet:{plan}",
        f"{dormancy.AGING}:{plan}",
        f"{mirrors.MAP}:{plan}",
        f"%:{plan}:%",
    )
    change.log("plan.deleted", plan=plan)
    return True


def set_status(change: Change, plan: int, status: str) -> None:
    """Write a plan's status into its row; its session has no current plan then, unless a hold has merely halted it."""
    change.db.write("UPDATE plans SET status = ? WHERE id = ?", status, plan)
    halted = bool(parking.whole_holds(change.db, plan))
    if status == "done" or (status == "parked" and not halted):  # HOLD-36 PLAN-19
        change.db.write("UPDATE plans SET current_of = NULL WHERE id = ?", plan)
    if status == "done":
        change.db.write("UPDATE plans SET closed_at = ? WHERE id = ?", change.at, plan)
    elif status == "active":
        change.db.write("UPDATE plans SET closed_at = NULL WHERE id = ? AND dormant = 0", plan)
    dormancy.age(change, plan)


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
    mirrors.write_map(change, plan)
    mirrors.write_tickets(change, plan)  # TICK-02


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


def reconnect(change: Change, plan: int, session: int) -> None:
    """Let a plan be the current one of its session again, and go on; a hold on it keeps it parked until the lift."""
    take_slot(change, plan, session)
    change.db.write("UPDATE plans SET displaced = 0 WHERE id = ?", plan)
    if not parking.whole_holds(change.db, plan):
        set_status(change, plan, "active")  # PLAN-19


def take_free_slot(change: Change, plan: int, session: int | None) -> None:
    """Make a plan the current one of a session that has none; it is not put aside any more."""
    change.db.write("UPDATE plans SET displaced = 0 WHERE id = ?", plan)
    if session is not None and current(change.db, session) is None:  # HOLD-44
        change.db.write("UPDATE plans SET current_of = ? WHERE id = ?", session, plan)


def slug(title: str) -> str:
    """A title as the name of a folder."""
    return re.sub(r"[^\w]+", "-", title).strip("-")[:30] or "untitled"


def take_slot(change: Change, plan: int, session: int) -> None:
    """Make a plan the one current of its session; another one that was is put aside."""
    before = current(change.db, session)
    if before == plan:
        return
    if before is not None:
        change.db.write("UPDATE plans SET current_of = NULL WHERE id = ?", before)
        change.db.write("UPDATE plans SET status = 'parked', displaced = 1 WHERE id = ?", before)  # PLAN-19
        parking.displaced(change, before)  # HOLD-39
    change.db.write("UPDATE plans SET current_of = ? WHERE id = ?", session, plan)  # PLAN-19
