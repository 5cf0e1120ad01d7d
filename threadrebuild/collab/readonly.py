"""The read-only answer: what a Bot under a hold says to a line of the user that leaves the hold standing.

It runs beside the Bot's work, belongs to none of it, and has only tools that change nothing.
"""

import sqlite3
from collections.abc import Sequence

from threadrebuild.collab import turns
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

HELD = "held"
"""What a call with a side effect comes to under a hold."""


def answer(change: Change, bot: int, message: sqlite3.Row, item: int, *, counts: bool) -> None:
    """Let a Bot answer a line while it stays stopped; once a line.

    `item` is its copy: it `counts` as read by that, or stays to be read after the lift.
    """
    if change.db.value(
        "SELECT 1 FROM turns WHERE bot = ? AND trigger_message = ? AND mode = 'readonly'", bot, message["id"]
    ):
        return
    turn = change.db.write(
        "INSERT INTO turns (bot, session, mode, state, trigger_message, began_seq, began_at)"
        " VALUES (?, ?, 'readonly', 'running', ?, ?, ?)",
        bot,
        message["session"],
        message["id"],
        change.event,
        change.at,
    )
    change.log("turn.opened", bot=bot, turn=turn, mode="readonly")
    turns.begin_answer(change, turn, item, counts=counts)


def situation(db: Database, turn: sqlite3.Row, held: Sequence[sqlite3.Row]) -> list[str]:
    """What a Bot is told first when it may only answer (HOLD-79)."""
    if turn["mode"] != "readonly":
        return []
    said = [db.value("SELECT text FROM messages WHERE id = ?", hold["source_message"]) for hold in held]
    quoted = "; ".join(f"“{words}”" for words in said if words)
    return [
        f"The user stopped this work{f' ({quoted})' if quoted else ''}. You may only answer this line. Asked to go on,"
        " say that the hold still stands; do not claim to be going on."
    ]
