"""What the contract sends an ending back for: what was read and is not settled, what is owed, what was promised.

It looks at what is on record, and at what the Bot's last words were read to say; it ends nothing itself.
"""

import json
import sqlite3

from threadrebuild.collab import bounces, closing, delegation_view, duties, guidance, household, turns
from threadrebuild.collab.change import Change
from threadrebuild.collab.draft import Back, Draft
from threadrebuild.collab.understanding import Speech
from threadrebuild.database import Database

SETTLED = ("done", "answered", "not_adopted", "deferred", "unconfirmed")  # END-05
CLAIMS = (
    None,  # END-11
    "done",  # END-12
)
"""The endings that say that their work is done: by words alone, or by that reason."""
GIVEN_UP = ("blocked", "gave_up")
"""The reasons for which an ending says itself that its work is not done."""


def settle(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    """Record what became of the user's lines that were read; the ones left open send the ending back."""
    read = _lines_read(change.db, turn)
    if draft.reason is None:
        for item in read:
            if item["disposition"] is None:
                _dispose(change, item["id"], "answered", "")  # END-06
        return None
    known = {item["id"] for item in read}
    said = {each.id: each for each in draft.inbox if each.id in known}  # END-07
    for each in said.values():
        if each.state not in SETTLED:  # END-05
            return Back("unsettled", f"[{each.id}]: {each.state!r} is none of {', '.join(SETTLED)}.")
        if each.state == "not_adopted" and not each.reason.strip():  # END-05
            return Back("unsettled", f"[{each.id}]: say why it is not adopted.")
        _dispose(change, each.id, each.state, each.reason)
    open_ = [item for item in read if item["id"] not in said and item["disposition"] is None]
    if open_:  # END-04
        listed = "; ".join(f"[{item['id']}] {item['text']}" for item in open_)
        return Back("unsettled", f"Say in `inbox` what became of each line of the user: {listed}.")
    return None


def check(change: Change, turn: sqlite3.Row, draft: Draft, said: Speech) -> Back | None:
    """What an ending is sent back for, the first thing of it; None where it stands."""
    found = [back for back in against(change, turn, draft, said) if bounces.may(change.db, turn["id"], back.code)]
    return found[0] if found else None


def against(change: Change, turn: sqlite3.Row, draft: Draft, said: Speech) -> list[Back]:
    """All that the contract has against an ending, whether or not it was sent back for that before."""
    found = (
        _unanswered(change, turn, draft),
        _open_duties(change, turn, draft),
        _promised(change, turn, draft, said),
        _silent(change, turn, draft),
    )
    return [back for back in found if back is not None]


def outcome(change: Change, turn: sqlite3.Row, draft: Draft) -> str:
    """Why a segment is over: what its Bot says is done is not, as long as something is owed."""
    if _open_duties(change, turn, draft) is not None:
        return "nothing_new"  # END-12
    return draft.reason or "answered"


def last_words(change: Change, turn: sqlite3.Row, draft: Draft) -> tuple[int, str]:
    """The last that a segment says to the user, and where: its closing words, else its newest message."""
    text = draft.text.strip()
    if text and household.session_of(change.db, turn["session"])["kind"] in closing.WITH_USER:
        return turn["session"], text
    said = change.db.row(
        "SELECT m.session, m.text FROM messages m JOIN sessions s ON s.id = m.session"
        " WHERE m.turn = ? AND m.author = 'bot' AND s.kind IN ('direct', 'group') ORDER BY m.id DESC",
        turn["id"],
    )
    return (turn["session"], "") if said is None else (said["session"], said["text"])


def _lines_read(db: Database, turn: sqlite3.Row) -> list[sqlite3.Row]:
    """What a segment has read of the user beside the words that opened it: those its ending answers as a whole."""
    read = db.rows(
        "SELECT * FROM inbox_items WHERE read_by_turn = ? AND author = 'user' AND kind IN ('line', 'edit') ORDER BY id",
        turn["id"],
    )
    return [item for item in read if item["id"] != turn["trigger_item"]]  # END-07


def _dispose(change: Change, item: int, state: str, reason: str) -> None:
    said = json.dumps({"state": state, "reason": reason}, ensure_ascii=False)
    change.db.write("UPDATE inbox_items SET disposition = ? WHERE id = ?", said, item)  # END-03


def _unanswered(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    read = duties.requests_read(change.db, turn["id"])
    if (
        draft.reason != "answered"  # END-17
        or draft.answer.strip()  # END-17
        or not read
    ):
        return None
    waiting = "; ".join(
        f"delegation {row['id']}: {delegation_view.asker(change.db, row)} waits for “{row['ask']}”" for row in read
    )
    return Back("unanswered_request", f"{waiting}. {guidance.REPLY}")


def _open_duties(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    owed = duties.of(change.db, turn["work_item"])
    if (
        draft.reason not in CLAIMS
        or not owed  # END-12
        or duties.really_waits(change.db, turn["work_item"])  # END-12
    ):
        return None
    listed = ", ".join(f"{row['kind']} {row['id']}" for row in owed)
    said = [f"Still owed here: {listed}. Do it, or end as nothing_new.", guidance.on_waiting("open_duties")]
    for row in duties.requests_read(change.db, turn["id"]):
        who, how = delegation_view.asker(change.db, row), guidance.RETURNS[row["expects"]]
        said.append(f"Delegation {row['id']} of {who} is returned by {how}.")  # END-13
    return Back("open_duties", " ".join(said))


def _promised(change: Change, turn: sqlite3.Row, draft: Draft, said: Speech) -> Back | None:
    session, text = last_words(change, turn, draft)
    if (
        draft.reason in GIVEN_UP
        or not said.going_on  # END-19 END-20
        or duties.of(change.db, turn["work_item"])  # END-19
        or duties.has_asked(change.db, turn["work_item"])  # END-19
        or closing.names_another(change.db, turn, session, text)  # END-19
    ):
        return None
    said_so = [
        f"You say “{said.going_on}”, and nothing will go on once you end.",  # END-21
        "Do it now;",  # END-21
        "or set a check-back and end as nothing_new;",  # END-21
        "or name the Bot who takes it over.",  # END-21
    ]
    return Back("promised_later", " ".join(said_so))


def _silent(change: Change, turn: sqlite3.Row, draft: Draft) -> Back | None:
    opened = turns.trigger(change, turn)
    in_direct = change.db.value("SELECT kind FROM sessions WHERE id = ?", turn["session"]) == "direct"
    word = "SELECT 1 FROM messages WHERE turn = ? AND session = ? AND author = 'bot' AND trim(text) <> ''"
    if (
        draft.reason in GIVEN_UP
        or opened is None
        or opened["author"] != "user"  # END-28
        or not in_direct  # END-28
        or change.db.value(word, turn["id"], turn["session"])  # END-23
    ):
        return None
    return Back("said_nothing", guidance.SAID_NOTHING)
