"""What a line means, read by a model in one short call without tools; understanding only, which changes nothing itself.

A user's line is read twice: what it means, and which matter it is about. Each is read once, and every use of it shares
that reading. What no model has read in time is read by fixed words; for the matter there are none.
"""

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import msgspec

from threadrebuild.collab import (
    answers,
    attribution,
    costs,
    household,
    large_jobs,
    messages,
    signals,
    speech,
    steps,
    understanding,
    wordlist,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Read
from threadrebuild.collab.understanding import Filing, Meaning
from threadrebuild.database import Database

PREVIOUS_FOR_MEANING = 3  # READ-03
PREVIOUS_FOR_FILING = 6  # READ-12
LIMIT_MS = 20_000  # READ-22
USER_WORDS, BOT_WORDS, FILING = "user words", "Bot words", "filing"
ANSWERS = ["plans", "new_work", "on_the_spot", "unclear"]
WITHOUT_PLANS = ["new_work", "on_the_spot"]
BY_CLAUDE = {
    "missing": "claude_unavailable",  # READ-26
    "logged out": "claude_unavailable",  # READ-26
    "error": "claude_failed",  # READ-26
}
ASKS = {
    USER_WORDS: "Does the line tell a Bot to stop or go on (stop, resume, both, neither), and nothing else (only)?"
    " Does it only ask how far things are (status)? Which of its clauses, word for word, find fault with delivered work"
    " as it is now (faults)? Which of the submissions shown does it release (releases, by number)?",
    FILING: "Which of the plans shown is the line about (about: plan, and ticket and parts where it says so; only parts"
    " that are to change, criticised or asked about)? Else: new_work, a thing to hand over, or long with follow-up;"
    " on_the_spot, a greeting, chat, question, look-up, setting or small one-off; unclear.",
}
"""What a model is told for each reading, unless the user has worded it otherwise."""


def ask_meaning(change: Change, message: int) -> None:
    """Ask what a line of the user means."""
    row = messages.message_of(change, message)
    replied = row["reply_to"] and messages.message_of(change, row["reply_to"])["text"]
    more = {
        "replies_to": replied or None,  # READ-03
        "submissions": _waiting(change.db, row["session"]),  # READ-03
    }
    _ask(change, USER_WORDS, row, PREVIOUS_FOR_MEANING, more)


def ask_filing(change: Change, message: int) -> None:
    """Ask what a line is about, where nothing in it says so by reference."""
    row = messages.message_of(change, message)
    if signals.references(change.db, row):  # READ-11 ATTR-08
        return
    candidates = [attribution.described(change.db, plan) for plan in attribution.candidates(change.db, row)]
    more = {
        "place": household.place(change.db, row["session"]),  # READ-12
        "candidates": candidates,
        "answers": ANSWERS if candidates else WITHOUT_PLANS,  # READ-13
    }
    _ask(change, FILING, row, PREVIOUS_FOR_FILING, more)


def came(change: Change, event: Read) -> None:
    """Keep a reading, or why there is none, and let go on what waits for it."""
    effect = change.db.row(
        "SELECT f.*, e.at AS asked_at FROM effects f JOIN events e ON e.seq = f.event WHERE f.id = ?", event.effect
    )
    assert effect is not None
    subject, _, rest = effect["subject"].partition(":")
    if subject == large_jobs.READS:
        large_jobs.came(change, event, effect)
        return
    if subject == BOT_WORDS:
        speech.came(change, event, effect)
        return
    message, _, version = rest.partition(":")
    line = messages.message_of(change, int(message))
    read = understanding.meaning_of if subject == USER_WORDS else understanding.filing_of
    answer, failure = said(change, event, effect, read)
    counts: bool = subject == FILING or line["version"] == int(version)  # READ-29
    about = {"message": line["id"], "session": line["session"]}
    keep(change, event, effect, f"{message}:{version}", answer, failure, counts=counts, **about)
    messages.advance(change, line["session"])


def said(
    change: Change, event: Read, effect: sqlite3.Row, read: Callable[[str, dict[str, Any]], msgspec.Struct]
) -> tuple[str | None, str | None]:
    """What a model's answer says as far as it counts, as JSON; else why there is none."""
    body = json.loads(effect["body"])
    failure = failure_of(event, body, late=change.at - effect["asked_at"] > LIMIT_MS)
    if failure is not None:
        return None, failure
    try:
        return msgspec.json.encode(read(event.raw or "", body)).decode(), None
    except answers.Unreadable as error:
        return None, f"unreadable: {error}"


def keep(
    change: Change,
    event: Read,
    effect: sqlite3.Row,
    key: str,
    answer: str | None,
    failure: str | None,
    *,
    session: int,
    message: int | None = None,
    turn: int | None = None,
    counts: bool = True,
) -> None:
    """Keep a reading under its key with what it cost; one that does not count is kept for the record alone."""
    body, subject = json.loads(effect["body"]), effect["subject"].partition(":")[0]
    change.db.write(
        "INSERT OR IGNORE INTO readings (subject, message, key, model, failure, answer, raw, used, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        subject,
        message,
        key,
        event.model or body["model"],
        failure,
        answer,
        event.raw,
        int(counts),
        change.at,
    )
    if event.cost:
        costs.book(change, "reader", session, event.cost, body["account"])  # READ-27 READ-31
    change.log(  # READ-27
        "reader.answer",
        turn=turn,
        subject=subject,
        message=message,
        read_by=event.model or body["model"],
        failure=failure,
        answer=answer,
        raw=event.raw,
    )


def meaning(db: Database, message: int) -> Meaning:
    """What a line means: as it was read, else by its words as they are now."""
    meant = understood(db, message)
    if meant is None:  # READ-22
        meant = wordlist.meaning_of(db.value("SELECT text FROM messages WHERE id = ?", message))
    return meant


def understood(db: Database, message: int) -> Meaning | None:
    """What a model has read a line to mean; None where none has, whatever fixed words say."""
    found = _read(db, USER_WORDS, message)
    return None if found is None else msgspec.json.decode(found, type=Meaning)


def only_stops(db: Database, message: int) -> bool:
    """Whether a line was read as telling somebody to stop, and nothing else; fixed words never say so."""
    meant = meaning(db, message)
    if understood(db, message) is None:  # CTRL-2 CTRL-3 CTRL-4 READ-02
        meant = Meaning()
    return (
        meant.control == "stop"  # READ-23 CTRL-1 CTRL-8 CTRL-9 CTRL-10 READ-07
        and meant.only  # READ-23 CTRL-12
    )


def filing(db: Database, message: int) -> Filing | None:
    """Which matter a line was read to be about; None where that was not asked, or could not be read."""
    found = _read(db, FILING, message)
    if found is None:
        return None
    read = msgspec.json.decode(found, type=Filing)
    if read.kind == "new_work" and meaning(db, message).status:  # READ-08 STAT-5
        return msgspec.structs.replace(read, kind="on_the_spot")
    return read


def candidates_shown(db: Database, message: int) -> list[int] | None:
    """The plans there still are that the reading of a line's matter was shown; None where that was not asked."""
    body = db.value(
        "SELECT e.body FROM effects e JOIN messages m ON e.subject = ? || m.id || ':' || m.version WHERE m.id = ?",
        f"{FILING}:",
        message,
    )
    if not body:
        return None
    shown = [plan["id"] for plan in json.loads(body)["candidates"]]
    return [plan for plan in shown if db.value("SELECT 1 FROM plans WHERE id = ?", plan)]


def forget(change: Change, message: int) -> None:
    """Let what a line was read as count no more, since its words have changed; where it is filed stays so."""
    filed = messages.message_of(change, message)["filing"] is not None
    change.db.write(  # READ-29
        "UPDATE readings SET used = 0 WHERE message = ? AND (subject = ? OR ?)", message, USER_WORDS, filed
    )


def is_read(db: Database, message: int) -> bool:
    """Whether every reading that was asked for a line has come back."""
    open_: int = db.value(
        "SELECT count(*) FROM effects WHERE kind = 'read' AND state IN ('pending', 'started')"
        " AND (subject LIKE ? OR subject LIKE ?)",
        f"{USER_WORDS}:{message}:%",
        f"{FILING}:{message}:%",
    )
    return not open_


def failure_of(event: Read, body: dict[str, Any], *, late: bool) -> str | None:
    """Why there is no reading, or None: an answer that comes too late is none either."""
    if late:  # READ-22
        return "timeout"
    if event.failure is None or body["account"] is None:
        return event.failure
    return BY_CLAUDE.get(event.failure, event.failure)


def _ask(change: Change, subject: str, line: sqlite3.Row, previous: int, more: dict[str, Any]) -> None:
    """One call: text in, an answer out, within its time from now on, waiting for a slot included."""
    body = {
        "reads": subject,
        "asks": steps.prompt(change.db, subject, ASKS[subject]),
        "line": line["text"],
        "previous": [_shown(change, each) for each in attribution.lines_before(change.db, line, previous)],
        "tools": [],  # READ-01
        "effort": "lightest",  # READ-24
        "limit_ms": LIMIT_MS,
        **steps.runs_on(change.db, "reader"),
        **more,
    }
    change.effect("read", body, subject=f"{subject}:{line['id']}:{line['version']}")


def _read(db: Database, subject: str, message: int) -> str | None:
    found: str | None = db.value(
        "SELECT answer FROM readings WHERE subject = ? AND message = ? AND used = 1", subject, message
    )
    return found


def _waiting(db: Database, session: int) -> list[dict[str, Any]]:
    """The submissions that wait for the user's word in a session."""
    rows = db.rows(
        "SELECT s.id AS number, t.title FROM submissions s JOIN tickets t ON t.id = s.ticket"
        " JOIN plans p ON p.id = t.plan WHERE s.state = 'awaiting' AND p.session = ? ORDER BY s.id",
        session,
    )
    return [dict(row) for row in rows]


def _shown(change: Change, message: sqlite3.Row) -> dict[str, Any]:
    return {
        "speaker": message["bot_name"] or message["author"],
        "text": message["text"],
        "age_ms": change.at - message["at"],  # READ-12
        "plans": [target.plan for target in attribution.targets(change.db, message["id"])],
    }
