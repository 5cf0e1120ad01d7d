"""The scribe: a model that reads the user's words once they are filed to a plan, and proposes what the ledger gains.

It works beside everything else: no turn waits for it, and it says nothing. Words are read one after the other, each
once. What it answers is untrusted (`scribe_patch`); where nothing of it lands, a complaint is still kept
(`complaints`). It is a step that can be off.
"""

import json
import sqlite3
from typing import Any

from threadrebuild.collab import (
    complaints,
    costs,
    edited_away,
    holds,
    household,
    plans,
    reader,
    requirements,
    scribe_patch,
    steps,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Scribed
from threadrebuild.collab.scribe_patch import Heard
from threadrebuild.database import Database

LIMIT_MS = 60_000  # SCRB-05
ANSWER_TOKENS = 800  # SCRB-05
ENTRIES_SHOWN = 60  # SCRB-06
ASKS = (
    "Which requirements does the user state in this line? `add` new ones (quote, word for word from the line;"
    " paraphrase; category; polarity: want or must_not; nature: craft, look, series or other; tickets, by number, that"
    " it is only for; every: true only where the user says that it is for every plan from now on). `again`: entries"
    " shown that the line says once more (entry, quote). `change`: entries shown that the line changes (entry, quote,"
    " paraphrase, category). Nothing is deleted, and what you leave out stays. Without a requirement: {}."
)


def look(change: Change, message: int) -> None:
    """Have a line's words read, once it has been handed out to everybody and is filed to a plan."""
    line = change.db.row("SELECT * FROM messages WHERE id = ?", message)
    if line is None:
        return
    if line["author"] != "user":  # SCRB-02 SCRB-06 REQ-09
        return
    if line["state"] != "delivered" or line["plan"] is None:  # SCRB-02
        return
    if _is_for_it(change, line):
        _read_line(change, line)


def heard(change: Change, quote: int, question: str | None = None) -> None:
    """Have words of the user read that are filed to a plan, once; with the question that they answer."""
    change.db.write("INSERT OR IGNORE INTO scribings (quote, question) VALUES (?, ?)", quote, question)


def answered(change: Change, line: sqlite3.Row, question: str) -> None:
    """Have a line read that was typed as the answer to a question."""
    for quote in _words_of(change.db, line):
        heard(change, quote, question)


def go_on(change: Change) -> None:
    """Ask about the words that wait first, unless others are being read."""
    if change.db.value("SELECT 1 FROM scribings WHERE state = 'asked'"):  # SCRB-03
        return
    for waiting in change.db.rows("SELECT * FROM scribings WHERE state = 'waiting' ORDER BY id"):  # SCRB-03
        if _ask(change, waiting):
            return


def came(change: Change, event: Scribed) -> None:
    """Put on record what the scribe has said, and take of it what stands on the user's words."""
    row = change.db.row(
        "SELECT s.*, f.body, e.at AS asked_at FROM scribings s JOIN effects f ON f.id = s.effect"
        " JOIN events e ON e.seq = f.event WHERE s.effect = ?",
        event.effect,
    )
    assert row is not None
    body = json.loads(row["body"])
    quote = _quote(change.db, row["quote"])
    failure = "timeout" if change.at - row["asked_at"] > LIMIT_MS else event.failure  # SCRB-05
    plan, ticket = place(change.db, quote)
    change.log(  # SCRB-19
        "scribe.answer",
        plan=plan,
        ticket=ticket,
        quote=quote["id"],
        read_by=event.model or body["model"],
        failure=failure,
        raw=event.raw,
    )
    if event.cost:
        costs.book(change, "scribe", quote["session"], event.cost, None)
    _done(change, row)
    if quote["erased"] or plan is None:
        return
    shown = frozenset(entry["number"] for entry in body["entries"])
    if row["version"]:
        if failure is None:
            edited_away.take(change, quote, shown, event.raw)  # QUOT-22
        return
    words = Heard(quote, plan, ticket, shown)
    if failure is not None or not scribe_patch.take(change, words, event.raw):  # SCRB-18 REQ-18
        complaints.capture(change, quote, plan, ticket)


def give_up(change: Change) -> None:
    """Read nothing any more of what had not been recorded when the application ended."""
    change.db.write(  # SCRB-03
        "UPDATE effects SET state = 'void' WHERE kind = 'scribe' AND state IN ('pending', 'started')"
    )
    change.db.write("UPDATE scribings SET state = 'given_up' WHERE state IN ('waiting', 'asked')")  # SCRB-03


def forget_erased(change: Change) -> None:
    """Leave alone what was erased: it is not read, and does not stay in what was handed to the model."""
    gone = "SELECT effect FROM scribings WHERE quote IN (SELECT id FROM quotes WHERE erased = 1)"
    change.db.write(f"UPDATE effects SET state = 'void' WHERE state IN ('pending', 'started') AND id IN ({gone})")
    change.db.write(f"UPDATE effects SET body = '{{}}' WHERE id IN ({gone})")
    change.db.write(
        "UPDATE scribings SET state = 'given_up' WHERE state IN ('waiting', 'asked')"
        " AND quote IN (SELECT id FROM quotes WHERE erased = 1)"
    )


def place(db: Database, quote: sqlite3.Row) -> tuple[int | None, int | None]:
    """The plan and ticket that words belong to: the first that they are filed to."""
    found = db.row("SELECT plan, ticket FROM quote_filings WHERE quote = ? ORDER BY rowid", quote["id"])
    return (found["plan"], found["ticket"]) if found is not None else (None, None)


def _is_for_it(change: Change, line: sqlite3.Row) -> bool:
    """Whether a line can ask for something: no mere question how far things are, and no mere stop or resume."""
    read = reader.meaning(change.db, line["id"])
    if read.status:  # SCRB-08
        return False
    return change.level < holds.FROM_LEVEL or not read.only  # SCRB-08


def _read_line(change: Change, line: sqlite3.Row) -> None:
    for quote in _words_of(change.db, line):
        heard(change, quote)


def _words_of(db: Database, line: sqlite3.Row) -> list[int]:
    """What the user has said in a line, its changes included, and the remarks on files that came with it."""
    rows = db.rows(
        "SELECT id FROM quotes WHERE erased = 0 AND ((message = ? AND source = 'said')"
        " OR (source = 'annotation' AND seq = ?)) ORDER BY id",
        line["id"],
        line["seq"],
    )
    return [row["id"] for row in rows]


def _ask(change: Change, waiting: sqlite3.Row) -> bool:
    """Have words read; False where there is no call to be made for them."""
    quote = _quote(change.db, waiting["quote"])
    plan, ticket = place(change.db, quote)
    if plan is None:
        # Filed nowhere any more: they are read once they are.
        change.db.write("DELETE FROM scribings WHERE id = ?", waiting["id"])
        return False
    on = steps.scribe_is_on(change.db)
    if waiting["version"]:
        asked = edited_away.question(change, quote, waiting["version"])
    else:
        asked = _question(change.db, quote, plan, ticket)
        if not on:
            complaints.capture(change, quote, plan, ticket)  # SCRB-01
    if not on or asked is None:  # SCRB-01
        _done(change, waiting)
        return False
    body = {**asked, "question": waiting["question"], **_call(change.db)}  # SCRB-02
    effect = change.effect("scribe", body, subject=f"scribe:{waiting['id']}")
    change.db.write("UPDATE scribings SET state = 'asked', effect = ? WHERE id = ?", effect, waiting["id"])
    return True


def _question(db: Database, quote: sqlite3.Row, plan: int, ticket: int | None) -> dict[str, Any]:
    """What the scribe is asked about words, and shown of their plan; nothing that a Bot has said is among it."""
    tickets = db.rows("SELECT number, title FROM tickets WHERE plan = ? ORDER BY number", plan)
    in_force = [row for row in requirements.listed(db, plan, ticket) if row["state"] == "active"]
    return {
        "asks": ASKS,
        "line": quote["text"],  # SCRB-06
        "place": household.place(db, quote["session"]),  # SCRB-06
        "goal": plans.points_of(db, plan)["goal"],
        "tickets": [dict(row) for row in tickets],
        "entries": [_shown(row) for row in in_force[:ENTRIES_SHOWN]],
    }


def _shown(entry: sqlite3.Row) -> dict[str, Any]:
    known = {key: entry[key] for key in ("number", "paraphrase", "category", "scope")}
    return known | {"quote": entry["span"], "ticket": entry["ticket_number"]}


def _call(db: Database) -> dict[str, Any]:
    """One short call without tools, on the model chosen for it, else on the default endpoint's default one."""
    chosen = steps.model(db, "scribe")
    return {
        "model": chosen,
        "effort": "low" if chosen else None,  # SCRB-05
        "tools": [],  # SCRB-05
        "max_tokens": ANSWER_TOKENS,
        "limit_ms": LIMIT_MS,
    }


def _quote(db: Database, quote: int) -> sqlite3.Row:
    row = db.row("SELECT * FROM quotes WHERE id = ?", quote)
    assert row is not None
    return row


def _done(change: Change, row: sqlite3.Row) -> None:
    change.db.write("UPDATE scribings SET state = 'done' WHERE id = ?", row["id"])
