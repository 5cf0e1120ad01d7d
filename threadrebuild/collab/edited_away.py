"""What an edit of a line takes away: entries of the ledger whose words the user has struck out, or changed in meaning.

They stay in force. Each is set apart, and the user is asked whether it still is what is wanted.
"""

import re
import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import answers
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import folded
from threadrebuild.database import Database, Id

ASKS = (
    "The user has changed a line after it was sent. Which of the entries, made of its earlier words, does the line not"
    " ask for any more as it is now (gone, by number)? An entry that is only worded otherwise is still asked for."
)
_CLAUSE = re.compile(r"[，,。！？!?；;\n]+")


class _Gone(msgspec.Struct, frozen=True):
    gone: tuple[Id, ...] = ()


def after_edit(change: Change, message: sqlite3.Row, now: str) -> None:
    """Set apart what a line does not say any more, and let the scribe look for what it does not mean any more."""
    by_words(change, message["id"], now)
    root = change.db.value("SELECT min(id) FROM quotes WHERE message = ? AND source = 'said'", message["id"])
    if root is not None and change.db.value("SELECT 1 FROM scribings WHERE quote = ?", root):
        change.db.write(  # QUOT-22
            "INSERT OR IGNORE INTO scribings (quote, version) VALUES (?, ?)", root, message["version"]
        )


def by_words(change: Change, message: int, now: str) -> None:
    """Set apart the entries whose words do not stand in a line any more, and no more those whose words do again."""
    for entry in _of_line(change.db, message):
        if not _stands_in(now, entry["span"]):  # REQ-47
            _set_apart(change, entry, "words")
        elif entry["edited_away"] == "words":
            keep(change, entry["id"])


def question(change: Change, quote: sqlite3.Row, version: int) -> dict[str, Any] | None:
    """What the scribe is asked about an edit: both texts and what may be gone; None where nothing may."""
    message = quote["message"]
    before, now = (_text(change.db, message, each) for each in (version, version + 1))
    if before is None or now is None:
        return None
    by_words(change, message, str(change.db.value("SELECT text FROM messages WHERE id = ?", message)))
    in_question = [entry for entry in _of_line(change.db, message) if entry["edited_away"] is None]
    entries = [{"number": row["number"], "quote": row["span"], "paraphrase": row["paraphrase"]} for row in in_question]
    return {"asks": ASKS, "before": before, "line": now, "entries": entries} if entries else None  # QUOT-22


def take(change: Change, quote: sqlite3.Row, shown: frozenset[int], raw: str | None) -> None:
    """Set apart what the scribe has found gone, of what it was shown."""
    try:
        said = answers.read(raw, _Gone)
    except answers.Unreadable:
        return
    for entry in _of_line(change.db, quote["message"]):
        if entry["number"] in said.gone and entry["number"] in shown:  # QUOT-22
            _set_apart(change, entry, "meaning")


def keep(change: Change, requirement: int) -> None:
    """An entry is asked for as before."""
    change.db.write("UPDATE requirements SET edited_away = NULL WHERE id = ?", requirement)


def _of_line(db: Database, message: int | None) -> list[sqlite3.Row]:
    """The entries that stand on the words of a line and on nothing else that was said, still in the ledger."""
    return db.rows(
        "SELECT r.* FROM requirements r JOIN quotes q ON q.id = r.quote"
        " WHERE q.message = ?1 AND q.source = 'said' AND r.state IN ('active', 'pending')"
        " AND NOT EXISTS (SELECT 1 FROM requirement_said s JOIN quotes o ON o.id = s.quote"
        "   WHERE s.requirement = r.id AND o.message IS NOT ?1) ORDER BY r.id",
        message,
    )


def _stands_in(text: str, words: str) -> bool:
    """Whether a text still has every clause of some words."""
    all_ = folded(text)
    return all(folded(clause) in all_ for clause in _CLAUSE.split(words))


def _set_apart(change: Change, entry: sqlite3.Row, why: str) -> None:
    if entry["edited_away"] is None:
        change.db.write("UPDATE requirements SET edited_away = ? WHERE id = ?", why, entry["id"])  # REQ-47 QUOT-22
        change.log("requirement.edited_away", plan=entry["plan"], requirement=entry["id"], by=why)


def _text(db: Database, message: int | None, version: int) -> str | None:
    """What a line said in one of its versions."""
    found: str | None = db.value(
        "SELECT text FROM message_versions WHERE message = ?1 AND version = ?2"
        " UNION ALL SELECT text FROM messages WHERE id = ?1 AND version = ?2",
        message,
        version,
    )
    return found
