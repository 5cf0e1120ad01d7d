"""Plans: each one matter round a goal, opened by the user's own words, with tickets, a folder and its points."""

import json
import re
import sqlite3

from threadrebuild.collab.change import Change

NAME_LONGEST = 40  # PLAN-26
ATTACHMENTS_ONLY = "仅附件"


def open_plan(change: Change, *, title: str, opening: sqlite3.Row) -> int:
    """Open a plan on a line of the user. No other plan is stopped or parked by it (PLAN-09)."""
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
    points = {"goal": opening["text"], "acceptance": [], "rules": [], "progress": {}, "status": "active"}
    revise(change, plan, points, "message", opening["id"])
    change.log("plan.opened", plan=plan, message=opening["id"])
    return plan


def revise(change: Change, plan: int, points: dict[str, object], cause: str, cause_id: int | None = None) -> None:
    """Add a version of a plan's points, with what caused it (PLAN-22)."""
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


def name_of(change: Change, opening: sqlite3.Row) -> str:
    """A plan's name: how its opening sentence begins, else its first file and how many there are."""
    words = " ".join(opening["text"].split())
    if words:
        return words[:NAME_LONGEST]
    files = change.db.rows("SELECT path FROM message_files WHERE message = ? ORDER BY ord", opening["id"])
    if not files:
        return ATTACHMENTS_ONLY
    first = files[0]["path"].rpartition("/")[2]
    more = f" +{len(files) - 1}" if len(files) > 1 else ""
    return f"{first[: NAME_LONGEST - len(more)]}{more}"


def open_ticket(change: Change, plan: int, title: str, owner: int | None) -> int:
    """Add a ticket with a folder of its own to a plan (TICK-13)."""
    number = change.db.value("SELECT ifnull(max(number), 0) + 1 FROM tickets WHERE plan = ?", plan)
    folder = change.db.value("SELECT folder FROM plans WHERE id = ?", plan)
    ticket = change.db.write(
        "INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (?, ?, ?, ?, ?, ?)",
        plan,
        number,
        title,
        f"{folder}/{number:02}-{slug(title)}",
        owner,
        change.at,
    )
    change.log("ticket.opened", bot=owner, plan=plan, ticket=ticket)
    return ticket


def folder_of(change: Change, plan: int, ticket: int | None) -> str:
    """Where work on a plan or ticket is done by default (TICK-13)."""
    if ticket is not None:
        return str(change.db.value("SELECT folder FROM tickets WHERE id = ?", ticket))
    return str(change.db.value("SELECT folder FROM plans WHERE id = ?", plan))


def slug(title: str) -> str:
    """A title as the name of a folder."""
    return re.sub(r"[^\w]+", "-", title).strip("-")[:30] or "untitled"
