"""Who reviews a ticket: the Bot set on it, else the one that was asked for a review; never the one that does it."""

import sqlite3

from threadrebuild.collab import household, stages
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.database import Database

RAN_ENOUGH = 5  # TICK-32
"""How many turns on a ticket let a Bot be offered as its reviewer."""


def choose(change: Change, ticket: sqlite3.Row, bot: int | None) -> None:
    """Set a ticket's reviewer, as the user wants, or none. Raises `Conflict` where that Bot cannot be it."""
    session = change.db.value("SELECT session FROM plans WHERE id = ?", ticket["plan"])
    if bot is not None and bot == ticket["owner"]:  # TICK-23
        raise Conflict("reviewer_is_owner", "who does a ticket does not review it")
    if bot is not None and (session is None or bot not in household.members(change.db, session).values()):  # TICK-23
        raise Conflict("reviewer_not_there", f"Bot {bot} is not in the conversation of this plan")
    write(change, ticket["id"], bot)


def write(change: Change, ticket: int, bot: int | None) -> None:
    """Let a Bot be a ticket's reviewer."""
    change.db.write("UPDATE tickets SET reviewer = ? WHERE id = ?", bot, ticket)  # TICK-23
    change.log("ticket.reviewer_set", bot=bot, ticket=ticket)


def of(db: Database, ticket: int, producer: int | None) -> int | None:
    """The Bot that reviews what `producer` hands in for a ticket; None where there is none."""
    asked = db.rows(
        "SELECT w.bot FROM delegations d JOIN work_items w ON w.id = d.to_item"
        " WHERE d.ticket = ? AND d.state = 'open' AND d.expects = 'review' ORDER BY d.id DESC",
        ticket,
    )
    set_: int | None = db.value("SELECT reviewer FROM tickets WHERE id = ?", ticket)
    in_order = [set_, *(row["bot"] for row in asked)]  # TICK-23
    return next((bot for bot in in_order if bot not in (None, producer)), None)  # TICK-23


def offered(db: Database, ticket: sqlite3.Row) -> list[int]:
    """The Bots offered as reviewer of a ticket that has none: those that have worked on it beside its owner."""
    if ticket["reviewer"] is not None or db.value("SELECT level FROM meta") < stages.FROM_LEVEL:  # TICK-32
        return []
    ran = db.rows("SELECT bot, count(*) AS turns FROM turns WHERE ticket = ? GROUP BY bot ORDER BY bot", ticket["id"])
    return [row["bot"] for row in ran if row["turns"] >= RAN_ENOUGH and row["bot"] != ticket["owner"]]  # TICK-32
