"""What a Bot's own words mean: whether what it asks the user only asks for a nod. Read by a model, once.

There are no fixed words for that: what no model has read in time is asked as usual.
"""

import json
import sqlite3
from collections.abc import Sequence

import msgspec

from threadrebuild.collab import answers, reader, steps, turns
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Read

READ_FROM_LEVEL = 3  # READ-18
ASKS = (
    "Does the question only ask for a nod: to confirm something half done, or for leave to begin the next step (nod)?"
    " Not so: asking for what only the user has, for a choice between options, or because of an obstacle."
)


class Words(msgspec.Struct, frozen=True):
    """What a Bot's words mean."""

    nod: bool = False


def asks_for_a_nod(change: Change, turn: sqlite3.Row, question: str, options: Sequence[str]) -> bool | None:
    """Whether a question of a Bot only asks for a nod; None while that is being read, and then the call comes again."""
    if change.level < READ_FROM_LEVEL:
        return False
    opening = turns.trigger(change, turn)
    said = {"message": question, "options": list(options), "answers": opening["text"] if opening else ""}
    key = json.dumps(said, ensure_ascii=False, sort_keys=True)
    known = change.db.row("SELECT answer FROM readings WHERE subject = ? AND key = ?", reader.BOT_WORDS, key)
    if known is None:
        _ask(change, turn, said | {"key": key})
        return None
    return known["answer"] is not None and msgspec.json.decode(known["answer"], type=Words).nod  # READ-18


def came(change: Change, event: Read, effect: sqlite3.Row) -> None:
    """Keep what a Bot's words were read as, or why they could not be, and let its call come again."""
    call = int(effect["subject"].partition(":")[2])
    turn = change.db.row("SELECT t.* FROM turns t JOIN calls c ON c.turn = t.id WHERE c.id = ?", call)
    assert turn is not None
    said, failure = reader.said(change, event, effect, lambda raw, _: answers.read(raw, Words))
    key = json.loads(effect["body"])["key"]
    reader.keep(change, event, effect, key, said, failure, session=turn["session"], turn=turn["id"])
    change.db.write("UPDATE calls SET state = 'asked' WHERE id = ? AND state = 'started'", call)
    turns.go_on(change, turn["id"])


def _ask(change: Change, turn: sqlite3.Row, said: dict[str, object]) -> None:
    call = change.db.value("SELECT id FROM calls WHERE turn = ? AND state = 'asked' ORDER BY hop, ord", turn["id"])
    body = {
        "reads": reader.BOT_WORDS,
        "asks": ASKS,
        "tools": [],
        "effort": "lightest",
        "limit_ms": reader.LIMIT_MS,
        **steps.runs_on(change.db, "reader"),
        **said,
    }
    change.effect("read", body, turn=turn["id"], subject=f"{reader.BOT_WORDS}:{call}")
