"""What a segment waits for from the user: the answer to its question, or the word that a call may run.

Both stand in the transcript as a card of the Bot, and both are part of the segment: it waits, and goes on with what the
user says. A question takes an option of its card, words written there, or a line typed where it was asked.
"""

import json
import sqlite3
from collections.abc import Collection
from typing import Any, Literal

import msgspec

from threadrebuild.collab import bounces, dormancy, messages, nods, quotes, reader, scribe, turns
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import Answered, Approved
from threadrebuild.collab.toolbox import Refused, SentBack, checked, tool
from threadrebuild.collab.understanding import Filing
from threadrebuild.database import Database

NOT_ALLOWED = "The user did not allow this."


class _Question(msgspec.Struct, frozen=True):
    question: str
    options: tuple[str, ...] = ()
    multiple: bool = False


@tool("ask_user")
def ask_user(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> SentBack | None:
    """Put a matter of judgement to the user; the segment waits, and the answer is what its Bot reads."""
    asked = checked(arguments, _Question)
    if not asked.question.strip():
        raise Refused("A question needs words.")
    only_a_nod = nods.is_one(change, turn, asked.question, asked.options)
    if only_a_nod is None:
        return None
    if only_a_nod:  # ASK-20 READ-18
        bounces.note(change, turn, nods.CODE)
        change.log(  # ASK-21
            "ask.go_ahead_refused", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"]
        )
        return SentBack(nods.SAID)
    _wait(change, turn, "ask", asked.question, asked.options, asked.multiple)  # ASK-01
    return None


def needs_approval(change: Change, turn: sqlite3.Row, call: sqlite3.Row) -> bool:
    """Whether the user has to allow a call first, and has not done so yet."""
    first = json.loads(change.db.value("SELECT asks_first FROM bots WHERE id = ?", turn["bot"]))
    return call["name"] in first and not change.db.value("SELECT 1 FROM asks WHERE call = ?", call["id"])


def for_approval(change: Change, turn: sqlite3.Row, call: sqlite3.Row) -> None:
    """Let a segment wait for the user's word on a call."""
    _wait(change, turn, "approval", f"{call['name']} {call['arguments']}", ("allow", "deny"), False)


def answered(change: Change, event: Answered) -> None:
    """Take the answer on a question's card, once.

    Raises `Missing` for a card and ValueError for an option that is not there, `Conflict` for a card that takes no
    answer any more.
    """
    card = _open_card(change, event.ask, "ask")
    options = json.loads(card["options"])
    strange = [option for option in event.chosen if option not in options]
    if (
        strange  # ASK-02
        or (len(event.chosen) > 1 and not card["multiple"])  # ASK-02
        or not (event.chosen or event.words.strip())  # ASK-03
    ):
        raise ValueError(f"{event.chosen!r} and {event.words!r} are no answer to ask {event.ask}")
    turn = change.db.row("SELECT * FROM turns WHERE id = ?", card["turn"])
    assert turn is not None
    said = quotes.answer(event.chosen, event.words)
    quote = quotes.keep_filed(change, "answer", said, turn["plan"], turn["ticket"], session=turn["session"])  # QUOT-04
    scribe.heard(change, quote, card["question"])  # SCRB-02
    _answer(change, card, change.user_action("button", event.key), chosen=event.chosen, words=event.words)


def approved(change: Change, event: Approved) -> None:
    """Take the user's word on a call: it runs, or its Bot reads that it may not.

    Raises `Missing` for a card that is not there, `Conflict` for one that takes no answer any more.
    """
    card = _open_card(change, event.ask, "approval")
    _store(change, card, change.user_action("button", event.key), "allow" if event.allowed else "deny")
    if not event.allowed:
        change.db.write("UPDATE calls SET state = 'refused', result = ? WHERE id = ?", NOT_ALLOWED, card["call"])
    turns.go_on(change, card["turn"])


def take(change: Change, bot: int, message: sqlite3.Row, about: Collection[int]) -> sqlite3.Row | None:
    """Take a line as the answer that a segment of a Bot waits for; returns that question's row, None where it is none.

    `about` are the plans by which the line comes to that Bot; what it says of others than the question's goes there.
    """
    card = _asked_there(change, bot, message, about)
    if card is None:
        return None
    if (
        message["author"] != "user"  # WORK-19 ASK-06
        or _has_files(change, message)  # WORK-19 ASK-06
    ):
        return None
    if card["plan"] is not None and card["plan"] not in about:
        quotes.file(change, message["id"], card["plan"], card["ticket"])  # WORDS-02
    action = change.db.value("SELECT id FROM user_actions WHERE message = ?", message["id"])
    _answer(change, card, action, chosen=(), words=message["text"])
    scribe.answered(change, message, card["question"])  # SCRB-02
    return card


def answer_on(db: Database, message: int) -> str | None:
    """What the user has answered on the card that a message is; None for any other, and for one that is open."""
    row = db.row(
        "SELECT answer, 1 AS of_options FROM asks WHERE message = ?1 AND kind = 'ask' AND answer IS NOT NULL"
        " UNION ALL SELECT answer, 0 FROM work_questions WHERE card = ?1 AND answer IS NOT NULL",
        message,
    )
    if row is None or not row["of_options"]:
        return None if row is None else str(row["answer"])
    said = json.loads(row["answer"])
    return quotes.answer(said["chosen"], said["words"])


def close(change: Change, turn: int) -> None:
    """Close what a segment that is over still waited for."""
    change.db.write("UPDATE asks SET closed = 1 WHERE turn = ? AND answer IS NULL", turn)  # HOLD-74


def _wait(
    change: Change,
    turn: sqlite3.Row,
    kind: Literal["ask", "approval"],
    question: str,
    options: tuple[str, ...],
    multiple: bool,
) -> None:
    message = messages.show_card(change, turn, question)
    call = change.db.value("SELECT id FROM calls WHERE turn = ? AND state = 'asked' ORDER BY hop, ord", turn["id"])
    change.db.write(
        "INSERT INTO asks (turn, message, call, kind, question, options, multiple) VALUES (?, ?, ?, ?, ?, ?, ?)",
        turn["id"],
        message,
        call,
        kind,
        question,
        json.dumps(options, ensure_ascii=False),
        int(multiple),
    )
    change.db.write("UPDATE turns SET state = ? WHERE id = ?", f"waiting_{kind}", turn["id"])  # TURN-02
    change.log(f"{kind}.made", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"])


def _asked_there(change: Change, bot: int, message: sqlite3.Row, about: Collection[int]) -> sqlite3.Row | None:
    """The question that a Bot's segment waits with in the session of a line that reaches that segment."""
    read = reader.filing(change.db, message["id"])
    waiting = change.db.rows(
        "SELECT a.*, t.plan, t.ticket, t.mode, t.session FROM asks a JOIN turns t ON t.id = a.turn"
        " WHERE t.state = 'waiting_ask' AND a.kind = 'ask' AND a.answer IS NULL AND t.bot = ? ORDER BY a.id DESC",
        bot,
    )
    found = [
        card
        for card in waiting
        if card["session"] == message["session"]  # WORK-18 ASK-06
        if card["plan"] in about or (not about and not _is_new_work(read, card))
    ]
    return found[0] if found else None


def _is_new_work(read: Filing | None, card: sqlite3.Row) -> bool:
    """Whether an unfiled line is for the desk: a new wish is no answer, but to a desk that waits itself."""
    return read is not None and read.kind == "new_work" and card["mode"] != "desk"


def _has_files(change: Change, message: sqlite3.Row) -> bool:
    return bool(change.db.value("SELECT 1 FROM message_files WHERE message = ?", message["id"]))


def _open_card(change: Change, ask: int, kind: str) -> sqlite3.Row:
    card = change.db.row("SELECT * FROM asks WHERE id = ? AND kind = ?", ask, kind)
    if card is None:
        raise Missing(f"there is no {kind} {ask}")
    if card["answer"] is not None:  # ASK-05
        raise Conflict("already_answered", f"{kind} {ask} has been answered")
    if card["closed"]:
        raise Conflict("closed", f"the segment of {kind} {ask} is over")
    return card


def _answer(change: Change, card: sqlite3.Row, action: int, *, chosen: tuple[str, ...], words: str) -> None:
    answer = json.dumps({"chosen": chosen, "words": words}, ensure_ascii=False)
    _store(change, card, action, answer)
    change.db.write("UPDATE calls SET state = 'ok', result = ? WHERE id = ?", answer, card["call"])
    plan = change.db.value("SELECT plan FROM turns WHERE id = ?", card["turn"])
    if plan is not None:
        dormancy.wake(change, plan, "answer")  # PLAN-35
    turns.go_on(change, card["turn"])


def _store(change: Change, card: sqlite3.Row, action: int, answer: str) -> None:
    change.db.write("UPDATE asks SET answer = ?, answered_by = ? WHERE id = ?", answer, action, card["id"])
    change.db.write("UPDATE turns SET state = 'running' WHERE id = ?", card["turn"])
    change.log(f"{card['kind']}.answered", turn=card["turn"], ask=card["id"])
