"""Tickets: what a plan hands over piece by piece, each with a folder of its own and the files that belong to it."""

from threadrebuild.collab import dormancy, mirrors, plans, quotes
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import TicketEdited


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
    mirrors.write_map(change, plan)
    change.log("ticket.opened", bot=owner, plan=plan, ticket=ticket)
    return ticket


def edit(change: Change, event: TicketEdited) -> None:
    """Write what the user has changed of a ticket on the board; the words changed in it are kept as the user's.

    Raises `Missing` for a ticket that is not there.
    """
    row = change.db.row("SELECT * FROM tickets WHERE id = ?", event.ticket)
    if row is None:
        raise Missing(f"there is no ticket {event.ticket}")
    for field in ("title", "description"):
        now = getattr(event, field)
        if now is None:
            continue
        change.db.write(f"UPDATE tickets SET {field} = ? WHERE id = ?", now, row["id"])
        changed = quotes.changed_clauses(row[field], now)
        if changed:
            place = f"ticket {row['id']} {field}"
            quotes.keep_filed(change, "board", "\n".join(changed), row["plan"], row["id"], place=place)
    if event.status is not None:
        change.db.write("UPDATE tickets SET status = ? WHERE id = ?", event.status, row["id"])
    change.db.write("UPDATE plans SET active_at = ? WHERE id = ?", change.at, row["plan"])
    dormancy.wake(change, row["plan"], "board")  # PLAN-35
    mirrors.write_map(change, row["plan"])
    change.log("ticket.edited", plan=row["plan"], ticket=row["id"])


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
