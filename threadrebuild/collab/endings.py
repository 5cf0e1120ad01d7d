"""The end of a turn: a chain of steps, each stored, at which it may be sent back with a reason and its segment goes on.

Its draft is kept; what its Bot says in it is read; the closing check may withhold words that are to be sent; then they
are sent, and the contract looks at what was read and what is owed. Only then is it over. Below the contract's level a
turn ends as its Bot says.
"""

import json
import sqlite3
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from threadrebuild.collab import asks, bounces, closing, delegation, duties, inbox, messages, speech, turns, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Bounced, Refused, SentBack, checked, tool
from threadrebuild.collab.understanding import Speech
from threadrebuild.database import Id

SEGMENTS_FROM_LEVEL = 2
CONTRACT_FROM_LEVEL = 3
Reason = Literal["done", "answered", "nothing_new", "blocked", "gave_up"]
SETTLED = ("done", "answered", "not_adopted", "deferred", "unconfirmed")  # END-05


class _Settled(msgspec.Struct, frozen=True):
    id: Id
    state: str
    reason: str = ""


class Draft(msgspec.Struct, frozen=True):
    """An ending as its Bot wants it: by words alone (`reason` None) or by `end_turn`."""

    text: str = ""
    reason: Reason | None = None
    answer: str = ""
    note: str = ""
    needs_from_user: str = ""
    inbox: tuple[_Settled, ...] = ()


class _Loose(msgspec.Struct, frozen=True):
    reason: str = ""


class Back(NamedTuple):
    """Why an ending is sent back."""

    code: str
    said: str


@tool("end_turn")
def end_turn(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str | SentBack | None:
    """End the segment for one of five reasons, saying what became of what it has read. Raises `Refused`."""
    if change.level < CONTRACT_FROM_LEVEL or turn["mode"] == "readonly":
        loose = checked(arguments, _Loose).reason.strip()
        if not loose and turn["mode"] != "readonly":
            raise Refused("end_turn needs a reason.")
        turns.end(change, turn["id"], "completed", loose or "answered")
        return "ended"
    try:
        draft = msgspec.convert(arguments, Draft)
    except msgspec.ValidationError as error:
        raise Bounced("no_such_arguments", str(error)) from None
    if draft.reason is None:
        raise Bounced("no_such_arguments", f"end_turn needs a reason: {', '.join(get_args(Reason))}")  # END-01
    if draft.reason == "blocked" and not draft.needs_from_user.strip():  # END-08
        raise Bounced("no_such_arguments", "blocked needs needs_from_user: what only the user can give.")
    if draft.reason == "gave_up" and not draft.note.strip():  # END-08
        raise Bounced("no_such_arguments", "gave_up needs a note: why.")
    return _go(change, turn, draft)


def by_text(change: Change, turn: sqlite3.Row, text: str) -> None:
    """End a segment whose Bot answers by words and asks for no tool."""
    if change.level < SEGMENTS_FROM_LEVEL or turn["mode"] == "readonly":
        if text.strip():
            messages.say(change, turn, turn["session"], text)
        turns.end(change, turn["id"], "completed", "answered")
        return
    _go(change, turn, Draft(text=text))


def go_on(change: Change, turn: sqlite3.Row) -> None:
    """Take an ending by words further, now that they have been read."""
    _go(change, turn, msgspec.json.decode(turn["draft"], type=Draft))


def _go(change: Change, turn: sqlite3.Row, draft: Draft) -> str | SentBack | None:
    """Take an ending as far as it goes; what its Bot reads where it is over, or sent back."""
    change.db.write(
        "UPDATE turns SET phase = ?, draft = ? WHERE id = ?",
        "ending" if draft.reason is None else "hop",
        msgspec.json.encode(draft).decode(),
        turn["id"],
    )
    by_words = draft.reason is None
    last = _last_words(change, turn, draft)
    said = speech.reading(change, turn, last) if last else Speech()
    if said is None:
        return None
    if by_words and draft.text.strip():
        notice = None
        if closing.applies(change, turn, turn["session"]):
            notice = closing.notice(change, turn, draft.text, said)
        if notice is not None:  # CLOS-05
            _go_on_working(change, turn, notice)
            return None
        messages.say(change, turn, turn["session"], draft.text)
    back = None
    if change.level >= CONTRACT_FROM_LEVEL:
        back = _settle(change, turn, draft) or _contract(change, turn, draft, said)
    if back is None:
        finish(change, turn, _outcome(change, turn, draft), draft)
        return "ended"
    if bounces.is_used_up(change.db, turn["id"], back.code):  # END-18 END-32
        give_up(change, turn)
        return "ended"
    bounces.send_back(change, turn, back.code)
    if by_words:
        _go_on_working(change, turn, back.said)
        return None
    change.db.write("UPDATE turns SET draft = NULL WHERE id = ?", turn["id"])
    return SentBack(back.said)


def _go_on_working(change: Change, turn: sqlite3.Row, said: str) -> None:
    """Let a segment go on whose ending by words was sent back; its Bot reads why at its next hop."""
    change.db.write("UPDATE turns SET phase = 'hop', draft = NULL WHERE id = ?", turn["id"])
    inbox.put_note(change, turn, said)
    turns.go_on(change, turn["id"])


def _last_words(change: Change, turn: sqlite3.Row, draft: Draft) -> str:
    """The last that a segment says to the user: its closing words, else its newest message (END-19)."""
    if draft.reason is None:
        return draft.text.strip()
    said: str | None = change.db.value(
        "SELECT text FROM messages WHERE turn = ? AND author = 'bot' ORDER BY id DESC", turn["id"]
    )
    return said or ""


def _outcome(change: Change, turn: sqlite3.Row, draft: Draft) -> Reason:
    """Why a segment is over: what its Bot says is done is not, as long as something is owed (END-12)."""
    if _open_duties(change, turn, draft) is not None:
        return "nothing_new"
    return draft.reason or "answered"


def finish(change: Change, turn: sqlite3.Row, reason: Reason, draft: Draft) -> None:
    """Let a segment be over for a reason."""
    if (
        draft.answer.strip() and reason == "answered"  # DEL-28
    ):
        delegation.answer(change, turn, draft.answer)
    if reason == "blocked":
        asks.work_question(change, turn, draft.needs_from_user)
    turns.end(change, turn["id"], "completed", reason)
    _tell_user(change, turn)


def _tell_user(change: Change, turn: sqlite3.Row) -> None:
    """Tell the user what a segment was sent back for, and has ended with all the same."""
    name = change.db.value("SELECT name FROM bots WHERE id = ?", turn["bot"])
    again = "just tell it" if change.db.value("SELECT bot FROM sessions WHERE id = ?", turn["session"]) else f"@{name}"
    if bounces.was(change.db, turn["id"], "promised_later"):  # END-22
        messages.note(
            change, turn["session"], f"{name} said it would go on, and its turn is over: {again} to continue."
        )
    if bounces.was(change.db, turn["id"], "said_nothing"):  # END-26
        messages.note(change, turn["session"], f"{name} ended this round without a reply: ask again for an answer.")


def give_up(change: Change, turn: sqlite3.Row) -> None:
    """Let a segment be over that was sent back too often: its work needs the user's attention."""
    turns.end(change, turn["id"], "completed", "needs_attention")
    work.needs_attention(change, turn["work_item"])


def _settle(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    """Record what became of the user's lines that were read; the ones left open send the ending back."""
    read = change.db.rows(
        "SELECT * FROM inbox_items WHERE read_by_turn = ? AND author = 'user' AND kind IN ('line', 'edit') ORDER BY id",
        turn["id"],
    )
    if draft.reason is None:  # END-06
        for item in read:
            if item["disposition"] is None:
                _dispose(change, item["id"], "answered", "")
        return None
    known = {item["id"] for item in read}
    for each in draft.inbox:
        if each.id not in known:  # END-07
            continue
        if each.state not in SETTLED or (each.state == "not_adopted" and not each.reason.strip()):  # END-05
            return Back("unsettled", f"[{each.id}]: {each.state!r} is none of {', '.join(SETTLED)}, or lacks a reason.")
        _dispose(change, each.id, each.state, each.reason)
    open_ = [
        item for item in read if item["id"] not in {each.id for each in draft.inbox} and item["disposition"] is None
    ]
    if open_:  # END-04
        listed = "; ".join(f"[{item['id']}] {item['text']}" for item in open_)
        return Back("unsettled", f"Say in `inbox` what became of each line of the user: {listed}.")
    return None


def _dispose(change: Change, item: int, state: str, reason: str) -> None:
    said = json.dumps({"state": state, "reason": reason}, ensure_ascii=False)
    change.db.write("UPDATE inbox_items SET disposition = ? WHERE id = ?", said, item)


def _contract(change: Change, turn: sqlite3.Row, draft: Draft, said: Speech) -> Back | None:
    """What the contract sends an ending back for, the first thing of it."""
    for back in (
        _unanswered(change, turn, draft),
        _open_duties(change, turn, draft),
        _promised(change, turn, said),
        _silent(change, turn, draft),
    ):
        if back is not None and bounces.may(change.db, turn["id"], back.code):
            return back
    return None


def _unanswered(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    read = duties.requests_read(change.db, turn["id"])
    if draft.reason != "answered" or draft.answer.strip() or not read:  # END-17
        return None
    waiting = "; ".join(f"delegation {row['id']}: {_asker(change, row)} waits for “{row['ask']}”" for row in read)
    return Back("unanswered_request", f"{waiting}. The reply belongs in `answer`; a message is none.")  # END-18


def _open_duties(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    owed = duties.of(change.db, turn["work_item"])
    if draft.reason not in (None, "done") or turn["mode"] != "work" or not owed:  # END-11 END-12
        return None
    if duties.really_waits(change.db, turn["work_item"]):
        return None
    listed = ", ".join(f"{row['kind']} {row['id']}" for row in owed)
    return Back("open_duties", f"Still owed here: {listed}. Do it, delegate it, or end as nothing_new.")


def _promised(change: Change, turn: sqlite3.Row, said: Speech) -> Back | None:
    if not said.going_on or duties.of(change.db, turn["work_item"]):  # END-19
        return None
    return Back(
        "promised_later",
        f"You say “{said.going_on}”, and nothing will go on once you end. Do it now; or set a check-back and end as"
        " nothing_new; or name the Bot who takes it over.",  # END-21
    )


def _silent(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    if draft.reason in ("blocked", "gave_up"):
        return None
    trigger = turns.trigger(change, turn)
    by_user_there = "SELECT 1 FROM sessions WHERE id = ? AND kind = 'direct'"
    if trigger is None or trigger["author"] != "user" or not change.db.value(by_user_there, turn["session"]):  # END-28
        return None
    word = "SELECT 1 FROM messages WHERE turn = ? AND session = ? AND author = 'bot' AND trim(text) <> ''"
    if change.db.value(word, turn["id"], turn["session"]):  # END-23
        return None
    return Back(
        "said_nothing",
        "The user has got no word from you here. `answer`, `note` and `inbox` do not reach the user, and a file is no"
        " reply: reply in the conversation.",  # END-25
    )


def _asker(change: Change, request: sqlite3.Row) -> str:
    return str(
        change.db.value(
            "SELECT b.name FROM work_items w JOIN bots b ON b.id = w.bot WHERE w.id = ?", request["from_item"]
        )
    )
