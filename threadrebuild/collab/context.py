"""What a Bot reads at each hop: its situation, the user's words, the transcript, and what is new since its last hop.

Pure: the same store and segment give the same text.
"""

import json
import sqlite3
from collections.abc import Sequence

from threadrebuild.collab import (
    asks,
    check_backs,
    checks,
    delegation_view,
    desk,
    holds,
    household,
    localtime,
    matter,
    quotes,
    readonly,
    requirement_view,
    reviews,
    word_cards,
    words,
)
from threadrebuild.database import Database

TRANSCRIPT_LINES = 40  # QUOT-14
STEPS_SHOWN = 10
UNSEEN = ("receipt", word_cards.KIND)
"""The kinds of lines of the application that are for the user alone."""
EDITED = " (edited after sending)"  # QUOT-29
ALIGN = "This is the plan's first segment: only here may you align the requirements with the user before you act."

RENAMED = (
    "The user has renamed this plan since its goal was written: where the goal does not agree with the name and with"
    " what the user has said, the user's own words win."
)


def render(db: Database, turn: sqlite3.Row, read: Sequence[sqlite3.Row]) -> str:
    """The text that a turn's model is given for its next hop; `read` are the inbox items new in it."""
    about = matter.lines(db, turn["plan"], turn["ticket"]) if turn["plan"] is not None else []
    parts = [
        _part("Situation", _situation(db, turn)),
        _part("The plan", about),  # CHKB-06 PLAN-25
        *(_part(title, lines) for title, lines in _requirements(db, turn)),  # REQ-40 PLAN-25
        _part("The user's words in this matter", _words(db, turn)),
    ]
    if turn["hops"] == 1:
        parts.append(_part("Transcript", _transcript(db, turn)))
    parts.append(_part("New", [_heard(db, turn, item) for item in (*_read_before(db, turn), *read)]))
    return "\n\n".join(part for part in parts if part)


def _part(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"# {title}", *lines]) if lines else ""


def _situation(db: Database, turn: sqlite3.Row) -> list[str]:
    lines = [
        *readonly.situation(db, turn, holds.over(db, "turn", turn["id"])),  # HOLD-79
        f"You are {db.value('SELECT name FROM bots WHERE id = ?', turn['bot'])}.",
    ]
    if turn["plan"] is not None:
        lines += _plan(db, turn)
    for wait in check_backs.pending(db, turn):
        lines.append(f"Your check-back is pending, for {localtime.shown(db, wait['due'])}: {wait['note']}")  # CHKB-03
    live = db.rows("SELECT * FROM live_turns WHERE bot = ? AND id <> ? ORDER BY id", turn["bot"], turn["id"])
    lines += [f"You are at work in {_at(db, other)} too: {_matter(db, other)}." for other in live]  # PLAN-31
    return lines + desk.situation(db, turn)


def _plan(db: Database, turn: sqlite3.Row) -> list[str]:
    plan = db.row("SELECT * FROM plans WHERE id = ?", turn["plan"])
    assert plan is not None
    elsewhere = plan["session"] != turn["session"]  # PLAN-31
    opened = f" (opened in {household.place(db, plan['session'])})" if elsewhere else ""
    lines = [f"Plan {plan['id']}: {plan['name']}{opened}"]
    if plan["name_is_newer"]:  # PLAN-29
        lines.append(RENAMED)
    if turn["ticket"] is not None:
        ticket = db.row("SELECT * FROM tickets WHERE id = ?", turn["ticket"])
        assert ticket is not None
        lines.append(f"Ticket {ticket['number']:02}: {ticket['title']}")  # PLAN-25
    if plan["first_turn"] == turn["id"]:  # PLAN-32
        lines.append(ALIGN)
    live = db.rows(
        "SELECT * FROM live_turns WHERE plan = ? AND bot <> ? AND session <> ? ORDER BY id",
        plan["id"],
        turn["bot"],
        turn["session"],
    )
    lines += [f"{_name(db, other)} is at work on it in {_at(db, other)}." for other in live]  # PLAN-31
    lines += checks.situation(db, plan["id"])  # CHK-09
    lines += words.situation(db, plan["id"])  # WORDS-27
    lines += [_step(db, turn, step) for step in _history(db, plan["id"])]  # CHKB-06
    return lines


def _history(db: Database, plan: int) -> list[sqlite3.Row]:
    found = db.rows(
        "SELECT * FROM turns WHERE plan = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT ?",
        plan,
        STEPS_SHOWN,
    )
    return found[::-1]


def _step(db: Database, turn: sqlite3.Row, step: sqlite3.Row) -> str:
    where = f" in {_at(db, step)}" if step["session"] != turn["session"] else ""  # PLAN-31
    return f"Before: {localtime.shown(db, step['ended_at'])} {_name(db, step)}{where}: {step['end_reason']}"


def _requirements(db: Database, turn: sqlite3.Row) -> list[tuple[str, list[str]]]:
    plan = _matter_of(db, turn)
    return requirement_view.sections(db, plan, turn["ticket"]) if plan is not None else []


def _words(db: Database, turn: sqlite3.Row) -> list[str]:
    plan = _matter_of(db, turn)
    return quotes.section(db, turn, plan) if plan is not None else []  # QUOT-12 PLAN-25


def _matter_of(db: Database, turn: sqlite3.Row) -> int | None:
    plan: int | None = turn["plan"]
    if plan is None and turn["mode"] == "readonly":
        plan = db.value("SELECT plan FROM messages WHERE id = ?", turn["trigger_message"])
    return plan


def _transcript(db: Database, turn: sqlite3.Row) -> list[str]:
    rows = db.rows(
        "SELECT m.*, b.name AS speaker FROM messages m LEFT JOIN bots b ON b.id = m.bot WHERE m.session = ?"
        " AND m.id < ifnull(?, m.id + 1) AND m.only_for IS NULL"
        " ORDER BY m.id DESC LIMIT ?",
        turn["session"],
        turn["trigger_message"],
        TRANSCRIPT_LINES,
    )
    said = [
        row
        for row in reversed(rows)
        if row["state"] != "withdrawn"  # QUOT-30
        if json.loads(row["control"] or "{}").get("kind") not in UNSEEN  # CTRL-42 WORDS-19
    ]
    return [f"{localtime.shown(db, row['at'])} {_line(db, turn, row)}" for row in said]


def _line(db: Database, turn: sqlite3.Row, message: sqlite3.Row) -> str:
    edited = EDITED if message["edited_at"] is not None else ""  # QUOT-29
    said = f"{message['text']}{edited}{_attached(db, message['id'])}"
    answer = asks.answer_on(db, message["id"])
    if answer is not None:
        said += f" [the user answered: {answer}]"  # ASK-04
    return f"{message['speaker'] or message['author']}{_tag(db, turn, message)}: {said}"


def _heard(db: Database, turn: sqlite3.Row, item: sqlite3.Row) -> str:
    if item["delegation"] is not None:
        return f"[{item['id']}] {delegation_view.told(db, item)}"
    if item["submission"] is not None:
        return f"[{item['id']}] {item['author']}: {reviews.told(db, item)}"
    message = db.row("SELECT * FROM messages WHERE id = ?", item["message"])
    speaker = message and db.value("SELECT name FROM bots WHERE id = ?", message["bot"])
    tag = _tag(db, turn, message) if message is not None else ""
    where = f" (answer in session {item['reply_in']})" if item["reply_in"] is not None else ""
    said = f"{item['text']}{_attached(db, item['message'])}{where}"
    return f"[{item['id']}] {speaker or item['author']}{tag}: {said}"


def _read_before(db: Database, turn: sqlite3.Row) -> list[sqlite3.Row]:
    """What the segments had read that were cut off and go on in this one: its Bot begins anew, and knows none of it."""
    if turn["continues"] is None or turn["hops"] > 1:
        return []
    return db.rows(
        "WITH RECURSIVE before(turn) AS (SELECT ? UNION"
        "   SELECT t.continues FROM turns t JOIN before b ON t.id = b.turn WHERE t.continues IS NOT NULL)"
        " SELECT * FROM inbox_items WHERE read_by_turn IN (SELECT turn FROM before) AND kind <> 'restart'"
        " ORDER BY seq, id",
        turn["continues"],
    )


def _attached(db: Database, message: int | None) -> str:
    """The files that came with a line."""
    files = db.rows("SELECT path FROM message_files WHERE message = ? ORDER BY ord", message)
    return f" [attached: {', '.join(row['path'] for row in files)}]" if files else ""


def _tag(db: Database, turn: sqlite3.Row, message: sqlite3.Row) -> str:
    """The plan and ticket that a line belongs to, where a segment works on another."""
    plan, ticket = message["plan"], message["ticket"]
    other_plan = plan is not None and plan != turn["plan"]
    other_ticket = ticket is not None and ticket != turn["ticket"]
    if not (other_plan or other_ticket):  # PLAN-30
        return ""
    name = db.value("SELECT name FROM plans WHERE id = ?", plan)
    number = db.value("SELECT number FROM tickets WHERE id = ?", ticket)
    return f' [plan "{name}" · ticket {number:02}]' if number is not None else f' [plan "{name}"]'


def _matter(db: Database, turn: sqlite3.Row) -> str:
    name = db.value("SELECT name FROM plans WHERE id = ?", turn["plan"])
    return f'plan {turn["plan"]} "{name}"' if name is not None else "at your desk"


def _name(db: Database, turn: sqlite3.Row) -> str:
    return str(db.value("SELECT name FROM bots WHERE id = ?", turn["bot"]))


def _at(db: Database, turn: sqlite3.Row) -> str:
    return household.place(db, turn["session"])
