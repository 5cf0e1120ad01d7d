"""The user's words, kept verbatim apart from the transcript, and filed where their line is.

They are the memory that outlives a chat: every segment on a plan reads them, whatever was cleared or scrolled away.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from threadrebuild.collab import holds, household, localtime, scribe
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

Source = Literal["said", "answer", "annotation", "board", "return"]
LONGEST = 2000  # QUOT-07
KEPT_AT_EACH_END = 1000
FIRST = 4  # QUOT-12
LAST = 6  # QUOT-12
SHOWN = 400  # QUOT-13
_CLAUSE = re.compile(r"[^，,。！？!?；;\n]+[，,。！？!?；;]*")
_FIGURE = re.compile(r"(?<=\d),(?=\d)")
_ELSEWHERE = {
    "answer": "answering a question",
    "annotation": "annotating a file",
    "board": "on the board",
    "return": "returning a submission",
}


def keep(
    change: Change,
    source: Source,
    text: str,
    *,
    session: int | None = None,
    message: int | None = None,
    root: int | None = None,
    place: str | None = None,
) -> int:
    """Store words of the user, in the same step as what they were said in.

    `root` is the quote that they change, `place` where on the board they were written.
    """
    return change.db.write(
        "INSERT INTO quotes (session, message, root, source, text, place, seq, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        session,
        message,
        root,
        source,
        shortened(text),
        place,
        change.event,
        change.at,
    )


def keep_filed(
    change: Change,
    source: Source,
    text: str,
    plan: int | None,
    ticket: int | None,
    *,
    session: int | None = None,
    place: str | None = None,
) -> int:
    """Store words that belong to a plan or ticket, and not to where a line is filed."""
    quote = keep(change, source, text, session=session, place=place)
    if plan is not None:
        change.db.write("INSERT INTO quote_filings (quote, plan, ticket) VALUES (?, ?, ?)", quote, plan, ticket)
    return quote


def answer(chosen: Sequence[str], words: str) -> str:
    """What the user answered to a question: the options, and then the user's own words."""
    return "\n".join(part for part in (*chosen, words) if part.strip())


def keep_edit(change: Change, message: sqlite3.Row, now: str) -> None:
    """Store the clauses that an edit has changed as a further quote; the old words stay."""
    changed = changed_clauses(message["text"], now)
    if not changed:  # QUOT-19
        return
    root = change.db.value("SELECT min(id) FROM quotes WHERE message = ? AND source = 'said'", message["id"])
    keep(change, "said", "\n".join(changed), session=message["session"], message=message["id"], root=root)
    follow(change, message["id"])  # QUOT-19


def changed_clauses(before: str, now: str) -> list[str]:
    """The clauses of a text that another did not have, verbatim and in order."""
    had = Counter(_bare(clause) for clause in _clauses(before))
    changed = []
    for clause in _clauses(now):
        if had[_bare(clause)]:  # QUOT-05
            had[_bare(clause)] -= 1
            continue
        changed.append(clause.strip())
    return changed


def shortened(text: str) -> str:
    """Words of more than 2000 code points keep their beginning and end, and say in between how many are left out."""
    if len(text) <= LONGEST:
        return text
    left_out = len(text) - 2 * KEPT_AT_EACH_END
    return f"{text[:KEPT_AT_EACH_END]}[… {left_out} …]{text[-KEPT_AT_EACH_END:]}"


def follow(change: Change, message: int) -> None:
    """File what was said in a line where the line is filed: in every plan of it."""
    change.db.write(
        "DELETE FROM quote_filings WHERE quote IN (SELECT id FROM quotes WHERE message = ? AND source = 'said')",
        message,
    )
    change.db.write(  # QUOT-02
        "INSERT OR IGNORE INTO quote_filings (quote, plan, ticket)"
        " SELECT q.id, f.plan, f.ticket FROM quotes q JOIN message_filings f ON f.message = q.message"
        " WHERE q.message = ? AND q.source = 'said' ORDER BY q.id, f.ord",
        message,
    )


def file(change: Change, message: int, plan: int, ticket: int | None) -> None:
    """File what was said in a line to a matter that it belongs to besides, wherever the line itself is filed."""
    change.db.write(
        "INSERT OR IGNORE INTO quote_filings (quote, plan, ticket)"
        " SELECT id, ?, ? FROM quotes WHERE message = ? AND source = 'said' ORDER BY id",
        plan,
        ticket,
        message,
    )


def section(db: Database, turn: sqlite3.Row, plan: int) -> list[str]:
    """The user's words in a plan as a segment reads them, oldest first: the earliest and the newest, as lines of text.

    Under a hold there are only those of before it.
    """
    if db.value("SELECT first_turn FROM plans WHERE id = ?", plan) == turn["id"]:  # QUOT-15
        return []
    found = db.rows(
        "SELECT q.* FROM quotes q WHERE q.erased = 0 AND q.id IN (SELECT quote FROM quote_filings WHERE plan = ?)"
        " ORDER BY q.seq, q.id",
        plan,
    )
    held = holds.since(db, turn["id"])
    if held is not None:
        found = [quote for quote in found if quote["seq"] <= held]  # QUOT-16
    between = len(found) - FIRST - LAST
    kept = found if between <= 0 else found[:FIRST] + found[-LAST:]
    places = {session: household.place(db, session) for session in {quote["session"] for quote in kept}}
    shown = [_shown(db, quote, places) for quote in kept]
    return shown if between <= 0 else [*shown[:FIRST], f"({between} more between)", *shown[FIRST:]]


def erase(change: Change, where: str, value: int, action: int) -> None:
    """Take the text out of quotes, at the user's wish; the rows stay, and what was required by them no longer applies.

    `where` is a condition on quotes with one `?` for `value`.
    """
    change.db.write(  # REQ-08
        "UPDATE requirements SET span = NULL, paraphrase = '', state = 'no_longer_applies', ended_by = ?"
        f" WHERE quote IN (SELECT id FROM quotes WHERE {where})",
        action,
        value,
    )
    change.db.write(f"UPDATE quotes SET text = NULL, erased = 1 WHERE {where}", value)
    scribe.forget_erased(change)


def backfill(db: Database) -> None:
    """Copy the words of a transcript that was there before words were kept apart from it, filed as they are there."""
    for line in db.rows(
        "SELECT m.*, s.kind FROM messages m JOIN sessions s ON s.id = m.session WHERE m.author = 'user' ORDER BY m.id"
    ):
        if line["kind"] != "files" and line["text"].strip():
            _fill(db, "said", line["text"], line)
        for annotation in db.rows("SELECT * FROM annotations WHERE message = ? ORDER BY id", line["id"]):
            _fill(db, "annotation", annotation["text"], line)
    for card in db.rows(
        "SELECT a.answer, m.id, m.session, m.plan, m.ticket, u.event AS seq, e.at FROM asks a"
        " JOIN messages m ON m.id = a.message JOIN user_actions u ON u.id = a.answered_by"
        " JOIN events e ON e.seq = u.event"
        " WHERE a.answer IS NOT NULL AND u.message IS NULL AND a.kind <> 'approval' ORDER BY a.id"
    ):
        said = json.loads(card["answer"])
        _fill(db, "answer", answer(said["chosen"], said["words"]), card)


def _fill(db: Database, source: Source, text: str, line: sqlite3.Row) -> None:
    quote = db.write(
        "INSERT INTO quotes (session, message, source, text, seq, at) VALUES (?, ?, ?, ?, ?, ?)",
        line["session"],
        line["id"] if source == "said" else None,
        source,
        shortened(text),
        line["seq"],
        line["at"],
    )
    db.write(
        "INSERT OR IGNORE INTO quote_filings (quote, plan, ticket, heard)"
        " SELECT ?1, plan, ticket, 1 FROM messages WHERE id = ?2 AND plan IS NOT NULL"
        " UNION SELECT ?1, plan, ticket, 1 FROM message_filings WHERE message = ?2",
        quote,
        line["id"],
    )


def _shown(db: Database, quote: sqlite3.Row, places: dict[int | None, str]) -> str:
    text = quote["text"]
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}…"
    where = _ELSEWHERE.get(quote["source"]) or f"in {places[quote['session']]}"
    if quote["root"] is not None:  # QUOT-29
        where += ", changed a line"
    return f"{localtime.shown(db, quote['at'])} {where}: {text}"


def _clauses(text: str) -> list[str]:
    # A comma within a figure parts nothing.
    masked = _FIGURE.sub("\0", text)
    found = [text[match.start() : match.end()] for match in _CLAUSE.finditer(masked)]
    return [clause for clause in found if _bare(clause)]


def _bare(clause: str) -> str:
    return clause.strip("，,。！？!?；; \t\r\n")
