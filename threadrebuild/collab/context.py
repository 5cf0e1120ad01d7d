"""What a Bot reads at each hop: its situation, the user's words, the transcript, and what is new since its last hop."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from threadrebuild.collab import attribution, desk
from threadrebuild.database import Database

TRANSCRIPT_LINES = 40  # QUOT-14


def render(db: Database, turn: sqlite3.Row, read: Sequence[sqlite3.Row]) -> str:
    """The text that a turn's model is given for its next hop; `read` are the inbox items new in it."""
    parts = [_situation(db, turn)]
    if turn["hops"] == 1:
        parts.append(_transcript(db, turn))
    parts.append(_new(db, read))
    return "\n\n".join(part for part in parts if part)


def _situation(db: Database, turn: sqlite3.Row) -> str:
    name = db.value("SELECT name FROM bots WHERE id = ?", turn["bot"])
    lines = [f"# Situation\nYou are {name}."]
    if turn["plan"] is not None:
        lines.append(f"Plan {turn['plan']}: {attribution.described(db, turn['plan'])['name']}")
    lines += desk.situation(db, turn)
    return "\n".join(lines)


def _transcript(db: Database, turn: sqlite3.Row) -> str:
    rows = db.rows(
        "SELECT m.*, b.name AS bot_name FROM messages m LEFT JOIN bots b ON b.id = m.bot WHERE m.session = ?"
        " AND m.id < ifnull(?, m.id + 1) AND m.state <> 'withdrawn' AND (m.only_for IS NULL OR m.only_for = ?)"
        " ORDER BY m.id DESC LIMIT ?",
        turn["session"],
        turn["trigger_message"],
        turn["bot"],
        TRANSCRIPT_LINES,
    )
    if not rows:
        return ""
    return "# Transcript\n" + "\n".join(_line(row) for row in rows[::-1])


def _new(db: Database, read: Sequence[sqlite3.Row]) -> str:
    if not read:
        return ""
    lines = [f"[{item['id']}] {item['author']}: {item['text']}" + _where(item) for item in read]
    return "# New\n" + "\n".join(lines)


def _where(item: sqlite3.Row) -> str:
    return f" (answer in session {item['reply_in']})" if item["reply_in"] is not None else ""


def _line(row: sqlite3.Row) -> str:
    at = datetime.fromtimestamp(row["at"] / 1000, UTC).strftime("%m-%d %H:%M")
    return f"{at} {row['bot_name'] or row['author']}: {row['text']}"
