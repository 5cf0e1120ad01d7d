"""What a line means, read by a model in one short call without tools; understanding only, which changes nothing itself.

A user's line is read twice: what it means, and which matter it is about. Answers are untrusted: they are parsed, ids
and clauses that do not match what was shown are dropped, and what cannot be read at all says so.
"""

import json
import re
import sqlite3
import unicodedata
from typing import Any, Literal

import msgspec

from threadrebuild.collab import attribution, messages, signals
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Read
from threadrebuild.database import Database

PREVIOUS_FOR_MEANING = 3  # READ-03
PREVIOUS_FOR_FILING = 6  # READ-12
LIMIT_MS = 20_000  # READ-22
USER_WORDS, FILING = "user words", "filing"

_STATUS = re.compile(r"怎么样了|进度|到哪(一步)?了|好了[吗没]|how is it going|any progress", re.IGNORECASE)


class Meaning(msgspec.Struct, frozen=True):
    """What a user's line means. `faults` are clauses of it, `releases` numbers of submissions that were shown."""

    control: Literal["stop", "resume", "both", "neither"] = "neither"
    only: bool = False
    status: bool = False
    faults: tuple[str, ...] = ()
    releases: tuple[int, ...] = ()


class About(msgspec.Struct, frozen=True):
    """A plan that a line is about, with a ticket and parts of it where it says so."""

    plan: int
    ticket: int | None = None
    parts: tuple[str, ...] = ()


class Filing(msgspec.Struct, frozen=True):
    """Which matter a line is about."""

    about: tuple[About, ...] = ()
    kind: Literal["plans", "new_work", "on_the_spot", "unclear"] = "unclear"


def ask_meaning(change: Change, message: int) -> None:
    """Ask what a line of the user means."""
    row = messages.message_of(change, message)
    replied = row["reply_to"] and messages.message_of(change, row["reply_to"])["text"]
    body = {
        "reads": USER_WORDS,
        "line": row["text"],
        "replies_to": replied or None,
        "previous": [_shown(each) for each in _previous(change.db, row, PREVIOUS_FOR_MEANING)],
        "limit_ms": LIMIT_MS,
    }
    change.effect("read", body, subject=f"{USER_WORDS}:{message}:{row['version']}")


def ask_filing(change: Change, message: int) -> None:
    """Ask what a line is about, where nothing in it says so by reference."""
    row = messages.message_of(change, message)
    if signals.references(change.db, row):  # READ-11 ATTR-08
        return
    candidates = attribution.candidates(change.db, row)
    body = {
        "reads": FILING,
        "line": row["text"],
        "previous": [_shown(each) for each in _previous(change.db, row, PREVIOUS_FOR_FILING)],
        "candidates": [attribution.described(change.db, plan) for plan in candidates],
        "limit_ms": LIMIT_MS,
    }
    change.effect("read", body, subject=f"{FILING}:{message}:{row['version']}")


def came(change: Change, event: Read) -> None:
    """Keep a reading, or why there is none, and let the line go on."""
    subject, message, version = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect).split(":")
    body = json.loads(change.db.value("SELECT body FROM effects WHERE id = ?", event.effect))
    failure = event.failure
    answer: Meaning | Filing | None = None
    if failure is None:
        try:
            answer = _meaning(event.raw or "", body) if subject == USER_WORDS else _filing(event.raw or "", body)
        except (msgspec.DecodeError, ValueError) as error:
            failure = f"unreadable: {error}"
    change.db.write(
        "INSERT INTO readings (subject, message, key, model, failure, answer, raw, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        subject,
        int(message),
        f"{message}:{version}",
        event.model,
        failure,
        None if answer is None else msgspec.json.encode(answer).decode(),
        event.raw,
        change.at,
    )
    change.log("reader.answer", subject=subject, message=int(message), failure=failure)  # READ-27
    messages.advance(change, messages.message_of(change, int(message))["session"])


def meaning(db: Database, message: int) -> Meaning | None:
    """What a line was read as; None where it could not be read."""
    found = db.value("SELECT answer FROM readings WHERE subject = ? AND message = ? AND used = 1", USER_WORDS, message)
    return msgspec.json.decode(found, type=Meaning) if found else None


def filing(db: Database, message: int) -> Filing | None:
    """Which matter a line was read to be about; None where that was not asked, or could not be read."""
    found = db.value("SELECT answer FROM readings WHERE subject = ? AND message = ? AND used = 1", FILING, message)
    return msgspec.json.decode(found, type=Filing) if found else None


def candidates_shown(db: Database, message: int) -> list[int] | None:
    """The plans that the reading of which matter a line is about was shown; None where that was not asked."""
    body = db.value(
        "SELECT e.body FROM effects e JOIN messages m ON e.subject = ? || m.id || ':' || m.version WHERE m.id = ?",
        f"{FILING}:",
        message,
    )
    return [plan["id"] for plan in json.loads(body)["candidates"]] if body else None


def forget(change: Change, message: int) -> None:
    """Let what a line was read as count no more, since its words have changed; where it is filed stays so."""
    filed = messages.message_of(change, message)["filing"] is not None
    change.db.write("UPDATE readings SET used = 0 WHERE message = ? AND (subject = ? OR ?)", message, USER_WORDS, filed)


def is_read(db: Database, message: int) -> bool:
    """Whether every reading that was asked for a line has come back."""
    open_: int = db.value(
        "SELECT count(*) FROM effects WHERE kind = 'read' AND state IN ('pending', 'started')"
        " AND (subject LIKE ? OR subject LIKE ?)",
        f"{USER_WORDS}:{message}:%",
        f"{FILING}:{message}:%",
    )
    return not open_


def folded(text: str) -> str:
    """A text without spaces, punctuation and symbols, full and half width alike: for comparing, never for showing."""
    wide = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in wide if unicodedata.category(sign)[0] not in "ZPSC")


def _meaning(raw: str, body: dict[str, Any]) -> Meaning:
    read = msgspec.json.decode(raw, type=Meaning)
    line = folded(body["line"])
    faults = tuple(clause for clause in read.faults if folded(clause) and folded(clause) in line)
    if read.faults and not faults:
        faults = (body["line"],)  # READ-20
    return msgspec.structs.replace(read, faults=faults)


def _filing(raw: str, body: dict[str, Any]) -> Filing:
    read = msgspec.json.decode(raw, type=Filing)
    shown = {plan["id"]: plan for plan in body["candidates"]}
    about = tuple(_matched(each, shown[each.plan]) for each in read.about if each.plan in shown)  # READ-13
    kind = "plans" if about else ("unclear" if read.kind == "plans" else read.kind)
    return Filing(about, kind)


def _matched(about: About, plan: dict[str, Any]) -> About:
    tickets = {ticket["id"]: ticket for ticket in plan["tickets"]}
    if about.ticket not in tickets:
        return About(about.plan)
    declared = tickets[about.ticket]["parts"]
    return About(about.plan, about.ticket, tuple(part for part in about.parts if part in declared))


def _previous(db: Database, message: sqlite3.Row, count: int) -> list[sqlite3.Row]:
    found = db.rows(
        "SELECT m.*, b.name AS bot_name FROM messages m LEFT JOIN bots b ON b.id = m.bot"
        " WHERE m.session = ? AND m.id < ? AND m.state <> 'withdrawn' AND m.only_for IS NULL"
        " ORDER BY m.id DESC LIMIT ?",
        message["session"],
        message["id"],
        count,
    )
    return found[::-1]


def _shown(message: sqlite3.Row) -> dict[str, Any]:
    return {
        "speaker": message["bot_name"] or message["author"],
        "text": message["text"],
        "at": message["at"],
        "plan": message["plan"],
    }
