"""Notifications: what the user is told about beside the conversation, each standing until it is settled or void."""

import sqlite3

from threadrebuild.collab.change import Change


def tell(change: Change, turn: sqlite3.Row, kind: str, text: str, *, message: int | None = None) -> int:
    """Notify the user of something that came of a segment; returns the notification."""
    return change.db.write(
        "INSERT INTO notifications (kind, session, bot, plan, message, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        kind,
        turn["session"],
        turn["bot"],
        turn["plan"],
        message,
        text,
        change.at,
    )
