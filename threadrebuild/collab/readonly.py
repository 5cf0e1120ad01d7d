"""The read-only answer: what a Bot under a hold says to a line of the user that leaves the hold standing.

It runs beside the Bot's work, belongs to none of it, and has only tools that change nothing.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from threadrebuild.collab import holds, reader, turns
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

HELD = "held"
"""What a call with a side effect comes to under a hold."""
SAID_TO_IT = ("direct", "mention", "everyone")
"""Why a Bot receives what is said to it by name, or where nobody else is."""


def may_answer(db: Database, message: sqlite3.Row, held: Sequence[sqlite3.Row], why: str) -> bool:
    """Whether a Bot answers a line by only reading: any that is said to it, where a kept hold is in the way.

    One that any other line of the user would have ended is left standing only by the question how far things are.
    """
    if message["author"] != "user":
        return False
    if any(holds.is_kept(hold) for hold in held):
        return why in SAID_TO_IT  # HOLD-78
    meant = reader.meaning(db, message["id"])
    return meant.status and meant.control == "neither"  # HOLD-78


def answer(change: Change, copy: sqlite3.Row, message: sqlite3.Row, held: Sequence[sqlite3.Row]) -> None:
    """Let a Bot answer a line while it stays stopped, once a line.

    Its copy counts as read by that, or stays with the kept hold to be read after the lift.
    """
    bot = change.db.value("SELECT bot FROM work_items WHERE id = ?", copy["work_item"])
    kept = [hold for hold in held if holds.is_kept(hold)]
    change.db.write("UPDATE inbox_items SET state = 'held' WHERE id = ?", copy["id"])
    if kept:  # HOLD-82
        _keep(change, kept[0], [_entry(change, copy["id"], bot, message)])
    open_ = change.db.value(
        "SELECT id FROM turns WHERE bot = ? AND trigger_message = ? AND mode = 'readonly'", bot, message["id"]
    )
    turn = open_ if open_ is not None else _open(change, bot, message)
    if not kept:
        turns.count_as_read(change, turn, copy)
    if open_ is None:
        turns.begin_answer(change, turn, copy)


def give_back(change: Change, hold: int) -> None:
    """Give a Bot back what it could only answer under a hold that is lifted: of each matter the last line opens a turn.

    The lines before it are read in the transcript. What another hold covers waits with that one.
    """
    free = []
    for line in holds.record_of(holds.hold_of(change.db, hold)).get("answered_lines", []):
        if not change.db.value("SELECT 1 FROM inbox_items WHERE id = ? AND state = 'held'", line["copy"]):
            continue  # It was inserted meanwhile, or an older version has let its Bot go.
        still = holds.over(change.db, "item", line["copy"])
        if still:
            _keep(change, max(still, key=holds.is_kept), [line])  # HOLD-84
        else:
            free.append(line)
    last = {(line["bot"], line["session"], line["plan"]): line["copy"] for line in free}
    for line in free:
        if line["copy"] not in last.values():  # HOLD-83
            change.db.write("UPDATE inbox_items SET state = 'superseded' WHERE id = ?", line["copy"])


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


def _open(change: Change, bot: int, message: sqlite3.Row) -> int:
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
    return turn


def _keep(change: Change, hold: sqlite3.Row, lines: list[dict[str, Any]]) -> None:
    before = holds.record_of(holds.hold_of(change.db, hold["id"])).get("answered_lines", [])
    holds.note(change, hold["id"], answered_lines=[*before, *lines])


def _entry(change: Change, copy: int, bot: int, message: sqlite3.Row) -> dict[str, Any]:
    plan = change.db.value("SELECT plan FROM hold_subjects WHERE kind = 'item' AND id = ?", copy)
    return {"message": message["id"], "bot": bot, "session": message["session"], "plan": plan, "copy": copy}
