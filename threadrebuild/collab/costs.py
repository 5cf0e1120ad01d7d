"""What model calls of the application itself cost, each booked with what it was for; a Bot's hops have their own."""

from typing import Any

from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SECTIONS = {
    "scribe": "other",  # SCRB-19
}
"""Under which heading of the cost view the lines of a purpose stand; the others stand by themselves."""


def book(
    change: Change, purpose: str, session: int | None, amount: float, account: int | None, category: str = "organize"
) -> None:
    """Book a call under the conversation that it was made for, and under no Bot.

    What runs on the user's Claude Code spends the plan of that account, and its price is an estimate.
    """
    change.db.write(
        "INSERT INTO costs (event, at, category, purpose, session, paid_to, account, amount, estimated)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        change.event,
        change.at,
        category,
        purpose,
        session,
        "endpoint" if account is None else "Claude Agent",  # READ-31
        account,
        amount,
        int(account is not None),  # READ-31
    )


def view(db: Database) -> list[dict[str, Any]]:
    """The lines of the cost view for the application's own calls: one for each purpose and whom it is paid to."""
    rows = db.rows(
        "SELECT category, purpose, paid_to, max(estimated) AS estimated, count(*) AS calls, sum(amount) AS amount"
        " FROM costs GROUP BY category, purpose, paid_to ORDER BY category, purpose, paid_to"
    )
    return [{**dict(row), "under": SECTIONS.get(row["purpose"])} for row in rows]
