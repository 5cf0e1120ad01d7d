"""Work questions: what only the user can give, asked on a card that outlives its segment, while the work is blocked.

The answer goes into the inbox of that work, which goes on with it. Where the work goes on without, the card takes no
answer any more.
"""

import json
import sqlite3
from typing import Any

from threadrebuild.collab import dormancy, inbox, lifting, messages, notifications, quotes, scribe
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import WorkAnswered
from threadrebuild.database import Database

FROM_LEVEL = 4
KIND = "work_question"
WAITS_FOR_USER = '{"kind": "user"}'
REFUSED = {
    "already_answered": "it has been answered",
    "bot_archived": "its Bot does not work any more",
    "conversation_cleared": "its conversation has been cleared",
    "conversation_archived": "its conversation is archived",
    "work_closed": "its work is closed",
    "newer_question": "there is a newer question",
    "superseded": "its work went on without the answer",
    "not_over": "the segment that asks is not over",
}
_OPEN = "answer IS NULL AND superseded_at IS NULL"
_SAME = "(w.id = o.id OR (w.bot = o.bot AND w.plan = o.plan AND w.ticket IS NULL))"
"""Whether work `w` is in the matter of what `o` has asked: the same work, or its Bot's on the whole plan."""
_OF_MATTER = f"work_item IN (SELECT o.id FROM work_items o JOIN work_items w ON {_SAME} WHERE w.id = ?)"


def ask(change: Change, turn: sqlite3.Row, needed: str) -> int:
    """Let the work of a segment that is over wait for the user, on one card a question; returns its message."""
    known: int | None = change.db.value(
        "SELECT card FROM work_questions WHERE turn = ? AND question = ?", turn["id"], needed
    )
    if known is not None:  # ASK-11
        return known
    place = _place(change.db, turn)
    card = messages.show_card(change, turn, needed, session=place)
    about = {"kind": KIND, "work_item": turn["work_item"], "plan": turn["plan"], "ticket": turn["ticket"]}
    change.db.write("UPDATE messages SET control = ? WHERE id = ?", json.dumps(about), card)  # ASK-07
    change.db.write(
        "INSERT INTO work_questions (card, turn, asked_in, work_item, question) VALUES (?, ?, ?, ?, ?)",
        card,
        turn["id"],
        turn["session"],
        turn["work_item"],
        needed,
    )
    change.db.write(
        "UPDATE work_items SET waiting_on = ? WHERE id = ? AND state = 'blocked'",
        WAITS_FOR_USER,  # ASK-10
        turn["work_item"],
    )
    notifications.tell(change, turn, KIND, needed, message=card, session=place)  # ASK-09
    change.log("work_question.made", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"])
    return card


def answered(change: Change, event: WorkAnswered) -> None:
    """Take the user's words on a card, once, and let its work go on with them.

    Raises `Missing` for a card that is not there, ValueError for no words, `Conflict` for one that takes no answer.
    """
    card = _card(change.db, event.message)
    if not event.body.strip():
        raise ValueError("an answer needs words")
    why = why_refused(change.db, card)
    if why is not None:
        raise Conflict(why, f"work question {event.message} takes no answer: {REFUSED[why]}")
    action = change.user_action("button", event.key, event.message)
    change.db.write(
        "UPDATE work_questions SET answer = ?, answered_by = ?, answered_at = ? WHERE id = ?",
        event.body,
        action,
        change.at,  # ASK-13
        card["id"],
    )
    place = messages.message_of(change, event.message)["session"]
    quote = quotes.keep_filed(change, "answer", event.body, card["plan"], card["ticket"], session=place)  # ASK-13
    scribe.heard(change, quote, card["question"])  # SCRB-02
    if card["plan"] is not None:
        dormancy.wake(change, card["plan"], "answer")  # PLAN-35
    notifications.resolve(change, event.message)  # ASK-13
    change.db.write("UPDATE work_items SET session = ? WHERE id = ?", place, card["work_item"])
    lifting.by_answer(change, card["work_item"], card["turn"], action)  # ASK-15
    held = lifting.over_answer(change, card["work_item"], card["turn"])
    inbox.put_answer(change, card["work_item"], event.body, held)  # ASK-13
    change.log("work_question.answered", bot=card["bot"], plan=card["plan"], ticket=card["ticket"], turn=card["turn"])


def shown(view: Database, message: int, at: int) -> dict[str, Any]:
    """How a card stands, as the HTTP route answers. Raises `Missing` where there is none of that number."""
    card = _card(view, message)
    fields = ("question", "answer", "answered_at", "superseded_at")
    return {"id": message, **{field: card[field] for field in fields}, "refused": why_refused(view, card)}


def why_refused(db: Database, card: sqlite3.Row) -> str | None:
    """Why a card takes no answer: a key of `REFUSED`; None where it takes one."""
    place = db.value("SELECT s.state FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id = ?", card["card"])
    asked_in = db.value("SELECT state FROM sessions WHERE id = ?", card["asked_in"])
    newer = db.value(
        "SELECT 1 FROM work_questions q JOIN work_items w ON w.id = q.work_item JOIN work_items o ON o.id = ?"
        f" WHERE q.id > ? AND {_SAME}",
        card["work_item"],
        card["id"],
    )
    live = db.value("SELECT 1 FROM live_turns WHERE id = ?", card["turn"])
    found = {
        "already_answered": card["answer"] is not None,  # ASK-12
        "bot_archived": card["bot_state"] != "active",  # ASK-16
        "conversation_cleared": place is None or card["turn"] is None,  # ASK-16
        "conversation_archived": place != "open" or asked_in != "open",  # ASK-16
        "work_closed": card["work_state"] == "closed" and card["plan"] is not None,  # ASK-16
        "newer_question": newer is not None,  # ASK-16
        "superseded": card["superseded_at"] is not None,  # ASK-17
        "not_over": live is not None,  # ASK-16
    }
    return next((why for why, is_so in found.items() if is_so), None)


def after_turn(change: Change, turn: sqlite3.Row) -> None:
    """Stamp what work asked before a segment of it that is over, and did not wait for."""
    _supersede(change, f"{_OF_MATTER} AND turn IS NOT {turn['id']}", turn["work_item"])  # ASK-17


def after_closing(change: Change, work_item: int) -> None:
    """Stamp what work asked that is closed."""
    _supersede(change, "work_item = ?", work_item)  # ASK-17


def catch_up(change: Change) -> None:
    """Stamp the cards that an older version has left open although their work went on."""
    went_on = (
        "EXISTS (SELECT 1 FROM work_items o JOIN work_items w ON "
        f"{_SAME} WHERE o.id = work_questions.work_item AND ("
        " EXISTS (SELECT 1 FROM work_questions q WHERE q.work_item = w.id AND q.id > work_questions.id)"
        " OR EXISTS (SELECT 1 FROM turns t WHERE t.work_item = w.id AND t.id > work_questions.turn"
        " AND t.ended_at IS NOT NULL)"
        " OR (w.id = o.id AND w.plan IS NOT NULL AND w.state = 'closed')))"
    )
    _supersede(change, f"({went_on}) AND 1 = ?", 1)  # ASK-18


def session_emptied(change: Change, session: int) -> None:
    """Take the words of cards away with the conversation that they stood in, or were asked in."""
    there = "(asked_in = ?1 OR card IN (SELECT id FROM messages WHERE session = ?1))"
    _supersede(change, there, session)
    change.db.write(
        f"UPDATE work_questions SET question = '', answer = iif(answer IS NULL, NULL, '') WHERE {there}", session
    )


def _supersede(change: Change, where: str, value: int | None) -> None:
    for card in change.db.rows(f"SELECT * FROM work_questions WHERE {where} AND {_OPEN} ORDER BY id", value):
        change.db.write("UPDATE work_questions SET superseded_at = ? WHERE id = ?", change.at, card["id"])  # ASK-17
        notifications.void(change, card["card"], "superseded")  # ASK-17
        change.log("work_question.superseded", turn=card["turn"], message=card["card"])


def _card(db: Database, message: int) -> sqlite3.Row:
    card = db.row(
        "SELECT q.*, w.bot, w.plan, w.ticket, w.state AS work_state, b.state AS bot_state FROM work_questions q"
        " JOIN work_items w ON w.id = q.work_item JOIN bots b ON b.id = w.bot WHERE q.card = ?",
        message,
    )
    if card is None:
        raise Missing(f"message {message} is no work question")
    return card


def _place(db: Database, turn: sqlite3.Row) -> int:
    """Where a card is posted: the first place that the user is in and that is not archived."""
    said: int | None = db.value(
        "SELECT m.session FROM messages m JOIN message_filings f ON f.message = m.id"
        " JOIN sessions s ON s.id = m.session WHERE m.author = 'user' AND f.plan = ?"
        " AND s.state = 'open' AND s.kind IN ('direct', 'group')"
        " ORDER BY m.id DESC",
        turn["plan"],
    )
    places = [
        turn["session"],  # ASK-08
        said,  # ASK-08
        db.value("SELECT session FROM work_items WHERE id = ?", turn["work_item"]),  # ASK-08
        db.value("SELECT session FROM plans WHERE id = ?", turn["plan"]),  # ASK-08
        db.value("SELECT id FROM sessions WHERE kind = 'direct' AND bot = ? ORDER BY id", turn["bot"]),  # ASK-08
    ]
    found: list[int] = [place for place in places if place is not None and _user_is_in(db, place)]
    return found[0] if found else int(turn["session"])


def _user_is_in(db: Database, session: int) -> bool:
    row = db.row("SELECT * FROM sessions WHERE id = ?", session)
    return (
        row is not None
        and row["kind"] in ("direct", "group")  # ASK-08
        and row["state"] == "open"  # ASK-08
    )
