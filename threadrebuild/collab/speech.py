"""What a Bot's own words say, read by a model in one short call: whether it goes on, claims to have tested, and so on.

Words are read once, together with what they answer; every use of them shares that reading. What no model has read in
time is read by fixed words, except where a question only asks for a nod: that none of them says.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from threadrebuild.collab import answers, endings, reader, steps, turns, understanding, wordlist
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Read
from threadrebuild.collab.understanding import Speech
from threadrebuild.database import Database

COPIED = 20  # READ-21
OWN = ("note", "restart", "check_back")
"""The kinds of what a segment reads that nobody has said to its Bot: it has said it itself, or the application has."""
ASKS = (
    "First: does the message mostly translate, relay, rewrite, polish or sum up (restates)? Outside such text: which"
    " sentence of its own, word for word, says that it is still at it, will do something or give it later (going_on)?"
    " Does it claim to have run or tested with a pass (tested)? Does it only say that there is nothing to do (nothing)?"
    " Only acknowledge, say that it is done, waits or has a look (status)? Only ask for a nod to go on (nod)?"
)


def reading(change: Change, turn: sqlite3.Row, text: str, options: Sequence[str] | None = None) -> Speech | None:
    """What words of a segment say; None while they are being read, after which the segment goes on where it was.

    A question to the user comes with its `options`.
    """
    to = _answers(change.db, turn)
    same_for = [
        turn["bot"],
        text,  # READ-27
        options,
        to,  # READ-27
    ]
    key = hashlib.sha256(json.dumps(same_for, ensure_ascii=False).encode()).hexdigest()
    found = change.db.row("SELECT * FROM readings WHERE subject = ? AND key = ? AND used = 1", reader.BOT_WORDS, key)
    if found is None:
        body = {
            "reads": reader.BOT_WORDS,
            "asks": ASKS,
            "line": text,
            "answers_to": to,  # READ-17
            "tools": [],  # CLOS-07
            "effort": "lightest",
            "limit_ms": reader.LIMIT_MS,
            **steps.runs_on(change.db, "reader"),
            **({} if options is None else {"options": list(options)}),
        }
        change.effect("read", body, turn=turn["id"], subject=f"{reader.BOT_WORDS}:{key}")
        return None
    if found["answer"] is None:  # READ-22
        return wordlist.speech_of("\n".join(each for each in wordlist.sentences(text) if not _is_copied(each, to)))
    read = msgspec.json.decode(found["answer"], type=Speech)
    return msgspec.structs.replace(read, going_on="") if _is_copied(read.going_on, to) else read


def came(change: Change, event: Read, effect: sqlite3.Row) -> None:
    """Keep what words of a Bot were read to say, or why they were not, and let its segment go on."""
    said, failure = reader.said(change, event, effect, _read)
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", effect["turn"])
    assert turn is not None
    key = effect["subject"].partition(":")[2]
    reader.keep(change, event, effect, key, said, failure, session=turn["session"], turn=turn["id"])
    go_on(change, turn)


def go_on(change: Change, turn: sqlite3.Row) -> None:
    """Let a segment go on with the ending, or with the call, that its words were read or looked at for."""
    if turn["phase"] == "ending":
        endings.go_on(change, turn)
        return
    change.db.write("UPDATE calls SET state = 'asked' WHERE turn = ? AND state = 'started'", turn["id"])
    turns.go_on(change, turn["id"])


def _read(raw: str, body: dict[str, Any]) -> Speech:
    return _checked(answers.read(raw, Speech), body["line"])


def _checked(read: Speech, text: str) -> Speech:
    """A reading as it counts: a sentence that is none of the words gives way to one that is (READ-20)."""
    if not read.going_on:
        return read
    own = understanding.verbatim(text, read.going_on) or wordlist.speech_of(text).going_on or text[:COPIED]
    return msgspec.structs.replace(read, going_on=own)


def _is_copied(sentence: str, to: Sequence[str]) -> bool:
    """Whether a sentence long enough stands in what the Bot answers: then it is that text's, not the Bot's."""
    bare = understanding.folded(sentence)
    return len(bare) >= COPIED and any(bare in understanding.folded(each) for each in to)  # READ-21


def _answers(db: Database, turn: sqlite3.Row) -> list[str]:
    """What a segment answers: all that it has read, but its Bot's own words and what the application told it.

    What it goes on with was read by the segments that were cut off before it.
    """
    rows: list[Any] = db.rows(
        "WITH RECURSIVE before(turn) AS ("
        "   SELECT ?1 UNION"
        "   SELECT t.continues FROM turns t JOIN before b ON t.id = b.turn WHERE t.continues IS NOT NULL)"
        " SELECT i.text, i.kind, m.bot FROM inbox_items i LEFT JOIN messages m ON m.id = i.message"
        " WHERE i.read_by_turn IN (SELECT turn FROM before) ORDER BY i.id",
        turn["id"],
    )
    return [
        row["text"]
        for row in rows
        if row["bot"] != turn["bot"]  # READ-17
        if row["kind"] not in OWN  # READ-17
    ]
