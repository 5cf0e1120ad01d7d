"""Notifications: what the user is told about beside the conversation, each standing until it is settled or void."""

import sqlite3

from threadrebuild.collab.change import Change
from threadrebuild.database import Database


def tell(
    change: Change,
    turn: sqlite3.Row,
    kind: str,
    text: str,
    *,
    message: int | None = None,
    session: int | None = None,
) -> int:
    """Notify the user of something that came of a segment, there or in another session; returns the notification."""
    return change.db.write(
        "INSERT INTO notifications (kind, session, bot, plan, message, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        kind,
        turn["session"] if session is None else session,
        turn["bot"],
        turn["plan"],
        message,
        text,
        change.at,
    )


def resolve(change: Change, message: int) -> None:
    """Settle what the user was told about a message that has been answered."""
    _end(change, message, "resolved", None)


def void(change: Change, message: int, reason: str) -> None:
    """Let what the user was told about a message count no more."""
    _end(change, message, "voided", reason)


def unread(db: Database) -> int:
    """How many notifications the badge counts."""
    return int(db.value("SELECT count(*) FROM notifications WHERE state = 'open'"))


def _end(change: Change, message: int, state: str, reason: str | None) -> None:
    change.db.write(
        "UPDATE notifications SET state = ?, reason = ? WHERE message = ? AND state = 'open'", state, reason, message
    )
