"""The end of a turn: a chain of steps, each stored, at which it may be sent back with a reason and its segment goes on.

Its draft is kept; what its Bot says in it is read; the closing check may withhold words that are to be sent; then they
are sent, and the contract looks at what was read and what is owed. Only then is it over. Below the contract's level a
turn ends as its Bot says.
"""

import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import (
    bounces,
    closing,
    contract,
    delegation,
    duties,
    holds,
    household,
    idle_talk,
    idling,
    inbox,
    interface,
    messages,
    nods,
    notifications,
    speech,
    turns,
    work,
    work_questions,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.draft import Draft
from threadrebuild.collab.toolbox import Bounced, Refused, SentBack, checked, tool
from threadrebuild.collab.understanding import Speech

SEGMENTS_FROM_LEVEL = 2
CONTRACT_FROM_LEVEL = 3
CARDS_FROM_LEVEL = 4
FILES_GO_ALONG = (3, 4)  # END-47
"""The levels at which files go along with closing words; from then on they are handed in."""
NO_SUCH_ARGUMENTS = "no_such_arguments"
REASONS = ("done", "answered", "nothing_new", "blocked", "gave_up")  # END-01


class _Loose(msgspec.Struct, frozen=True):
    reason: str = ""


@tool("end_turn")
def end_turn(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str | SentBack | None:
    """End the segment for one of five reasons, saying what became of what it has read. Raises `Refused`."""
    if (
        change.level < CONTRACT_FROM_LEVEL or turn["mode"] == "readonly"  # END-02
    ):
        loose = checked(arguments, _Loose).reason.strip()
        if not loose and turn["mode"] != "readonly":
            raise Refused("end_turn needs a reason.")
        turns.end(change, turn["id"], "completed", loose or "answered")
        return "ended"
    _check_is_its_own(change, turn)
    draft = _draft_of(arguments)
    only_a_nod = nods.is_one(change, turn, draft.needs_from_user) if draft.reason == "blocked" else False
    if only_a_nod is None:
        return None
    if only_a_nod:  # ASK-20
        bounces.send_back(change, turn, nods.CODE)  # ASK-21
        return SentBack(nods.SAID)
    return _go(change, turn, draft)


def by_text(change: Change, turn: sqlite3.Row, text: str) -> None:
    """End a segment whose Bot answers by words and asks for no tool."""
    if change.level < SEGMENTS_FROM_LEVEL or turn["mode"] == "readonly":
        if text.strip():  # HOLD-81
            messages.say(change, turn, turn["session"], text)
        turns.end(change, turn["id"], "completed", "answered")
        return
    _go(change, turn, Draft(text=text))


def go_on(change: Change, turn: sqlite3.Row) -> None:
    """Take an ending by words further, now that they have been read."""
    _go(change, turn, msgspec.json.decode(turn["draft"], type=Draft))


def _check_is_its_own(change: Change, turn: sqlite3.Row) -> None:
    """Raise `Refused` for a segment that is not at work, or not on what its work item is."""
    item = change.db.row("SELECT bot, plan, ticket FROM work_items WHERE id = ?", turn["work_item"])
    if (
        turn["state"] != "running"  # END-02
        or item is None
        or tuple(item) != (turn["bot"], turn["plan"], turn["ticket"])  # END-02
        or holds.over(change.db, "turn", turn["id"])  # END-02
    ):
        raise Refused("Not ended: this segment is not at work on that any more.")


def _draft_of(arguments: dict[str, Any]) -> Draft:
    """An ending out of the arguments of `end_turn`. Raises `Bounced` where they make none."""
    try:
        draft = msgspec.convert(arguments, Draft)
    except msgspec.ValidationError as error:
        raise Bounced(NO_SUCH_ARGUMENTS, str(error)) from None
    if draft.reason not in REASONS:  # END-01
        raise Bounced(NO_SUCH_ARGUMENTS, f"end_turn needs a reason: {', '.join(REASONS)}")
    if draft.reason == "blocked" and not draft.needs_from_user.strip():  # END-08
        raise Bounced(NO_SUCH_ARGUMENTS, "blocked needs needs_from_user: what only the user can give.")
    if draft.reason == "gave_up" and not draft.note.strip():  # END-08
        raise Bounced(NO_SUCH_ARGUMENTS, "gave_up needs a note: why.")
    return draft


def _go(change: Change, turn: sqlite3.Row, draft: Draft) -> str | SentBack | None:
    """Take an ending as far as it goes; what its Bot reads where it is over, or sent back."""
    change.db.write(
        "UPDATE turns SET phase = ?, draft = ? WHERE id = ?",
        "ending" if draft.reason is None else "hop",
        msgspec.json.encode(draft).decode(),
        turn["id"],
    )
    by_words = draft.reason is None
    words = _read(change, turn, draft.text.strip() if _is_to_be_read(change, turn, draft) else "")
    said = _read(change, turn, _last_words(change, turn, draft)) if words is not None else None
    if words is None or said is None:
        return None
    if by_words and draft.text.strip() and not idle_talk.is_dropped(change, turn, draft.text, words):
        notice, along = None, _goes_along(change, turn)
        if closing.applies(change, turn, turn["session"]):
            if closing.waits(change, turn, draft.text, along):
                return None
            notice = closing.notice(change, turn, turn["session"], draft.text, along, words)
        if notice is not None:  # CLOS-06
            _go_on_working(change, turn, notice)
            return None
        messages.say(change, turn, turn["session"], draft.text, along)
    if change.level < CONTRACT_FROM_LEVEL:
        turns.end(change, turn["id"], "completed", "answered")
        return "ended"
    back = contract.settle(change, turn, draft) or contract.check(change, turn, draft, said)
    if back is None:
        finish(change, turn, draft, said)
        return "ended"
    if bounces.is_used_up(change.db, turn, back.code):
        give_up(change, turn)
        return "ended"
    bounces.send_back(change, turn, back.code)
    if by_words:
        _go_on_working(change, turn, back.said)
        return None
    change.db.write("UPDATE turns SET draft = NULL WHERE id = ?", turn["id"])
    return SentBack(back.said)


def _is_to_be_read(change: Change, turn: sqlite3.Row, draft: Draft) -> bool:
    """Whether the words of an ending are read before they are sent: to the user, or where they may say nothing."""
    with_user = household.session_of(change.db, turn["session"])["kind"] in closing.WITH_USER
    return with_user or idle_talk.may_be(change.db, turn, draft.text)


def _last_words(change: Change, turn: sqlite3.Row, draft: Draft) -> str:
    """The last words to the user that an ending has to answer for."""
    if change.level < CONTRACT_FROM_LEVEL or draft.reason in contract.GIVEN_UP:
        return ""
    return contract.last_words(change, turn, draft)[1]


def _read(change: Change, turn: sqlite3.Row, words: str) -> Speech | None:
    """What words say; None while they are being read."""
    return speech.reading(change, turn, words) if words else Speech()


def _go_on_working(change: Change, turn: sqlite3.Row, said: str) -> None:
    """Let a segment go on whose ending by words was sent back; its Bot reads why at its next hop."""
    change.db.write("UPDATE turns SET phase = 'hop', draft = NULL WHERE id = ?", turn["id"])
    inbox.put_note(change, turn, said)
    turns.go_on(change, turn["id"])


def finish(change: Change, turn: sqlite3.Row, draft: Draft, said: Speech) -> None:
    """Let a segment be over as its Bot wants it, as far as the contract has it so."""
    reason = contract.outcome(change, turn, draft)
    left = {back.code for back in contract.against(change, turn, draft, said)}
    if (
        draft.answer.strip() and reason == "answered"  # DEL-28
    ):
        delegation.answer(change, turn, draft.answer)
    turns.end(change, turn["id"], "completed", reason)
    if "promised_later" in left:  # END-22 CLOS-08
        _say(change, turn, "promised", said.going_on)
    if "said_nothing" in left:
        _say(change, turn, "said nothing")  # END-26
    if reason == "blocked":
        _ask_for(change, turn, draft.needs_from_user)
    elif reason == "gave_up":
        message = _say(change, turn, "gave up", draft.note)
        notifications.tell(change, turn, "gave_up", draft.note, message=message)  # END-08
        change.log("work.given_up", bot=turn["bot"], plan=turn["plan"], turn=turn["id"], note=draft.note)  # END-08
    elif turn["mode"] == "work":
        idling.after_ending(change, turn)
        _close_what_is_done(change, turn)


def _ask_for(change: Change, turn: sqlite3.Row, needed: str) -> None:
    """Let work wait for what only the user can give."""
    work.block(change, turn["work_item"])
    if change.level >= CARDS_FROM_LEVEL:  # END-38
        work_questions.ask(change, turn, needed)
    else:
        message = _say(change, turn, "needs from user", needed)
        notifications.tell(change, turn, "blocked", needed, message=message)  # END-08
    change.log("work.blocked", bot=turn["bot"], plan=turn["plan"], turn=turn["id"], needs=needed)  # END-08


def _close_what_is_done(change: Change, turn: sqlite3.Row) -> None:
    """Close work on a ticket on which nothing is owed; from a later level on the ticket's stage decides."""
    state = change.db.value("SELECT state FROM work_items WHERE id = ?", turn["work_item"])
    if (
        change.level < work.CLOSES_FROM_LEVEL  # END-37
        and turn["ticket"] is not None  # END-37
        and state == "idle"
        and not duties.of(change.db, turn["work_item"])  # END-37
    ):
        work.close(change, turn["work_item"])


def _say(change: Change, turn: sqlite3.Row, says: str, said: str = "") -> int:
    """Tell the user in the conversation how a segment has ended; returns the message."""
    name = change.db.value("SELECT name FROM bots WHERE id = ?", turn["bot"])
    if says == "promised" and change.db.value("SELECT bot FROM sessions WHERE id = ?", turn["session"]) is not None:
        says = "promised in its chat"
    return messages.note(change, turn["session"], interface.line(change.db, says, bot=name, said=said))


def _goes_along(change: Change, turn: sqlite3.Row) -> list[str]:
    """The files that a segment has written and shown nobody, which go along with its closing words."""
    if change.level not in FILES_GO_ALONG:  # END-47
        return []
    rows = change.db.rows(
        "SELECT DISTINCT path FROM artifacts WHERE turn = ?1 AND written = 1 AND path NOT IN (SELECT f.path"
        " FROM message_files f JOIN messages m ON m.id = f.message WHERE m.turn = ?1) ORDER BY id",
        turn["id"],
    )
    return [row["path"] for row in rows]


def give_up(change: Change, turn: sqlite3.Row) -> None:
    """Let a segment be over that was sent back too often: its work needs the user's attention."""
    turns.end(change, turn["id"], "completed", "needs_attention")
    work.needs_attention(change, turn["work_item"])
