"""Holds: what keeps work from going on until the user lifts it."""

import sqlite3

from threadrebuild.database import Database


def since(db: Database, turn: sqlite3.Row, plan: int) -> int | None:
    """The number of the event that made the first hold now over a segment on a plan; None where there is none."""
    found: int | None = db.value(
        """
        SELECT min(seq) FROM holds WHERE lifted_by IS NULL AND void = 0 AND CASE scope
          WHEN 'everything' THEN 1
          WHEN 'bot' THEN bot = :bot
          WHEN 'session' THEN session = :session
          WHEN 'plan' THEN plan = :plan
          WHEN 'bot_in_plan' THEN bot = :bot AND plan = :plan
          WHEN 'ticket' THEN ticket = :ticket
          WHEN 'turn' THEN turn = :turn
        END
        """,
        bot=turn["bot"],
        session=turn["session"],
        plan=plan,
        ticket=turn["ticket"],
        turn=turn["id"],
    )
    return found
