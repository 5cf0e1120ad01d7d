"""Tickets: what a plan hands over piece by piece, each with a folder of its own and the files that belong to it.

How a ticket stands is its status; from level 5 on its stage, which only those move who may, and the status goes along.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from msgspec import UnsetType

from threadrebuild.collab import dormancy, large_jobs, mirrors, plans, quotes, reviewers, stages, submissions
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import Ran, TicketEdited
from threadrebuild.database import Database

USERS = ("board", "word", "ceiling")
"""The movers that are the user."""
WORKS_BY = "shell"
"""The tool by which a command is run."""
HANDING_IN_UNTIL_LEVEL = 4
"""The last level at which a file that is handed in moves its ticket."""


def open_ticket(change: Change, plan: int, title: str, owner: int | None) -> int:
    """Add a ticket to a plan, with a folder below the plan's."""
    number = change.db.value("SELECT ifnull(max(number), 0) + 1 FROM tickets WHERE plan = ?", plan)
    folder = change.db.value("SELECT folder FROM plans WHERE id = ?", plan)
    ticket = change.db.write(
        "INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (?, ?, ?, ?, ?, ?)",
        plan,
        number,
        title,
        f"{folder}/{number:02}-{plans.slug(title)}",
        owner,
        change.at,
    )
    large_jobs.bind_to_sample(change, plan)
    show(change, plan)
    change.log("ticket.opened", bot=owner, plan=plan, ticket=ticket)
    return ticket


def move(
    change: Change, ticket: int, stage: stages.Stage, *, by: stages.Mover, turn: int | None = None, **why: Any
) -> None:
    """Let a ticket stand at another stage, and its status with it. The store refuses who may not move it there."""
    row = of(change.db, ticket)
    if row["stage"] == stage:
        return
    move_ = "INSERT INTO ticket_moves (ticket, event, stage, mover) VALUES (?, ?, ?, ?)"
    change.db.write(move_, ticket, change.event, stage, by)
    change.db.write(
        "UPDATE tickets SET stage = ?, status = ? WHERE id = ?",  # TICK-15
        stage,
        stages.STATUS_OF[stage],
        ticket,
    )
    _moved(change, row, stage, by, turn, why)


def drop(change: Change, ticket: int, reason: str, turn: sqlite3.Row) -> None:
    """Let a ticket be dropped by its plan's lead, for a reason."""
    change.db.write("UPDATE tickets SET drop_reason = ? WHERE id = ?", reason, ticket)  # TICK-30
    move(change, ticket, "dropped", by="lead", turn=turn["id"], reason=reason)  # TICK-16


def edit(change: Change, event: TicketEdited) -> None:
    """Write what the user has changed of a ticket on the board; the words changed in it are kept as the user's.

    Raises `Missing` for a ticket that is not there, `Conflict` for what does not go with how it stands.
    """
    row = of(change.db, event.ticket)
    change.user_action("http", event.key)
    for field in ("title", "description"):
        now = getattr(event, field)
        if now is None:
            continue
        change.db.write(f"UPDATE tickets SET {field} = ? WHERE id = ?", now, row["id"])
        changed = quotes.changed_clauses(row[field], now)
        if changed:
            place = f"ticket {row['id']} {field}"
            quotes.keep_filed(change, "board", "\n".join(changed), row["plan"], row["id"], place=place)
    if event.status not in (None, row["status"]):
        _set_status(change, row, event.status)
        for handed_in in submissions.in_states(change.db, row["id"], submissions.UNDECIDED):
            submissions.void(change, handed_in["id"], "board")  # TICK-20
    if not isinstance(event.reviewer, UnsetType):
        reviewers.choose(change, row, event.reviewer)
    if event.sample is not None:
        large_jobs.choose_sample(change, row, event.sample)
    for part in event.add_parts:
        declare_part(change, row["id"], part)
    change.db.write("UPDATE plans SET active_at = ? WHERE id = ?", change.at, row["plan"])
    dormancy.wake(change, row["plan"], "board")  # PLAN-35
    show(change, row["plan"])
    change.log("ticket.edited", plan=row["plan"], ticket=row["id"])


def declare_part(change: Change, ticket: int, name: str) -> None:
    """Let a ticket have a part of this name, if it has none yet. Raises ValueError for no name."""
    name = " ".join(name.split())
    if not name:
        raise ValueError("a part needs a name")
    change.db.write("INSERT OR IGNORE INTO parts (ticket, name) VALUES (?, ?)", ticket, name)  # TICK-21


def move_parts(change: Change, ticket: int, parts: Sequence[str], stage: str) -> None:
    """Let parts of a ticket stand at a stage; of those dropped or stuck nothing changes."""
    for part in parts:
        change.db.write(
            "UPDATE parts SET stage = ? WHERE ticket = ? AND name = ? AND stage NOT IN ('dropped', 'stuck')",
            stage,
            ticket,
            part,
        )


def parts_open(db: Database, ticket: int) -> list[str]:
    """The parts of a ticket that are neither approved nor dropped."""
    rows = db.rows("SELECT name FROM parts WHERE ticket = ? AND stage NOT IN ('approved', 'dropped')", ticket)
    return [row["name"] for row in rows]


def observe(change: Change, call: sqlite3.Row, event: Ran) -> None:
    """See that work on a ticket has begun, where a call of a segment on it has written a file or run a command."""
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", call["turn"])
    if turn is None or turn["ticket"] is None:
        return
    if not (
        event.written  # TICK-11
        or call["name"] == WORKS_BY  # TICK-11
    ):
        return
    row = of(change.db, turn["ticket"])
    if row["owner"] is None and row["reviewer"] != turn["bot"]:
        change.db.write("UPDATE tickets SET owner = ? WHERE id = ?", turn["bot"], row["id"])  # TICK-11
    if row["status"] != "todo":  # TICK-11
        return
    if change.level >= stages.FROM_LEVEL:
        move(change, row["id"], "in progress", by="observation", turn=turn["id"])  # TICK-11
    else:
        change.db.write("UPDATE tickets SET status = 'in progress' WHERE id = ?", row["id"])  # TICK-09 TICK-11
        show(change, row["plan"])


def of(db: Database, ticket: int) -> sqlite3.Row:
    """A ticket's row. Raises `Missing`."""
    row = db.row("SELECT * FROM tickets WHERE id = ?", ticket)
    if row is None:
        raise Missing(f"there is no ticket {ticket}")
    return row


def show(change: Change, plan: int) -> None:
    """Write anew what shows a plan's tickets in its folder."""
    mirrors.write_map(change, plan)
    mirrors.write_tickets(change, plan)


def folder_of(change: Change, plan: int, ticket: int | None) -> str:
    """Where work on a plan or ticket is done by default."""
    if ticket is not None:
        return str(change.db.value("SELECT folder FROM tickets WHERE id = ?", ticket))  # TICK-13
    return str(change.db.value("SELECT folder FROM plans WHERE id = ?", plan))


def cite(change: Change, message: int) -> None:
    """Let the files that a message came with belong to what the message is filed to; they stay where they are."""
    change.db.write("DELETE FROM artifacts WHERE message = ? AND written = 0", message)
    change.db.write(
        "INSERT INTO artifacts (path, plan, ticket, message, at) SELECT f.path, m.plan, m.ticket, m.id, ?"
        " FROM message_files f JOIN messages m ON m.id = f.message WHERE m.id = ? ORDER BY f.ord",
        change.at,
        message,
    )
    handed_in = change.db.row(
        "SELECT t.* FROM tickets t JOIN messages m ON m.ticket = t.id WHERE m.id = ? AND m.author = 'bot'"
        " AND EXISTS (SELECT 1 FROM message_files WHERE message = m.id)",
        message,
    )
    if (
        change.level <= HANDING_IN_UNTIL_LEVEL  # TICK-12
        and handed_in is not None
        and handed_in["status"] in ("todo", "in progress")  # TICK-09
    ):
        change.db.write(  # TICK-12
            "UPDATE tickets SET status = 'to accept' WHERE id = ?", handed_in["id"]
        )
        show(change, handed_in["plan"])


def _set_status(change: Change, row: sqlite3.Row, status: str | None) -> None:
    """Write the status that the user has set; the store lets the stage follow."""
    change.db.write("UPDATE tickets SET status = ? WHERE id = ?", status, row["id"])
    stage = of(change.db, row["id"])["stage"]
    if stage != row["stage"]:
        _moved(change, row, stage, "board", None, {})


def _moved(
    change: Change, row: sqlite3.Row, stage: str, by: stages.Mover, turn: int | None, why: dict[str, Any]
) -> None:
    bot = change.db.value("SELECT bot FROM turns WHERE id = ?", turn)
    source = "user" if by in USERS else "app"
    about = {"before": row["stage"], "now": stage, "by": by, "source": source, **why}
    change.log("ticket.stage_changed", bot=bot, plan=row["plan"], ticket=row["id"], turn=turn, **about)  # TICK-16
    show(change, row["plan"])
