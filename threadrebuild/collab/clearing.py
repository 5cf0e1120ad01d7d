"""Clearing a session: its transcript and turns go, the user's words stay unless the user wants them erased too."""

import json

from threadrebuild.collab import (
    aborting,
    check_backs,
    delegation,
    dormancy,
    household,
    lines,
    parking,
    quotes,
    requirements,
    turns,
    work,
    work_questions,
)
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.events import SessionCleared, SessionDeleted

_WORDS = "session = ?"


def clear(change: Change, event: SessionCleared) -> None:
    """Clear the history of a session. Raises `Missing` where there is no such session."""
    household.session_of(change.db, event.session)
    _empty(change, event)
    dormancy.leave(change, event.session)
    change.log("session.cleared", session=event.session, erase_quotes=event.erase_quotes)


def delete(change: Change, event: SessionDeleted) -> None:
    """Delete a group. Raises `Missing` where there is no such session, `Conflict` where it is no group."""
    if household.session_of(change.db, event.session)["kind"] != "group":
        raise Conflict("no_group", f"session {event.session} is no group")
    _empty(change, event)
    requirements.leave(change, event.session)
    dormancy.leave(change, event.session)
    parking.leave(change, event.session)
    change.db.write("UPDATE quotes SET session = NULL WHERE session = ?", event.session)  # QUOT-09
    change.db.write("UPDATE sessions SET state = 'deleted' WHERE id = ?", event.session)
    _move_work(change, event.session)
    change.log("session.deleted", session=event.session, erase_quotes=event.erase_quotes)


def _empty(change: Change, event: SessionCleared | SessionDeleted) -> None:
    action = change.user_action("http", event.key)
    for turn in change.db.rows("SELECT id FROM live_turns WHERE session = ? ORDER BY id", event.session):
        aborting.give_up(change, turn["id"])
        turns.end(change, turn["id"], "stopped", "cleared")  # STOP-20
    check_backs.void_in(change, event.session)  # HOLD-56 CHKB-08
    delegation.session_emptied(change, event.session)
    work_questions.session_emptied(change, event.session)
    said = [row["id"] for row in change.db.rows("SELECT id FROM messages WHERE session = ?", event.session)]
    lines.give_up(change, said)
    _leave_unread(change, event.session)
    if event.erase_quotes:  # QUOT-10
        quotes.erase(change, _WORDS, event.session, action)
    _forget_what_was_sent(change, event.session, said)
    # The words first: they are told apart from the transcript before that goes.
    change.db.write("UPDATE quotes SET message = NULL WHERE session = ?", event.session)
    change.db.write("UPDATE messages SET reply_to = NULL, parent = NULL WHERE session = ?", event.session)
    change.db.write("DELETE FROM messages WHERE session = ?", event.session)  # QUOT-09
    change.db.write("DELETE FROM turns WHERE session = ?", event.session)  # QUOT-09 TURN-27


def _leave_unread(change: Change, session: int) -> None:
    """What waited to be read keeps its own words, and starts nothing until the user says so."""
    waiting = change.db.rows(
        "SELECT i.id, i.work_item FROM inbox_items i JOIN messages m ON m.id = i.message"
        " WHERE m.session = ? AND i.state = 'queued' ORDER BY i.id",
        session,
    )
    for item in waiting:
        change.db.write("UPDATE inbox_items SET wakes = 0 WHERE id = ?", item["id"])  # WORK-13
        work.settle_waiting(change, item["work_item"])


def _move_work(change: Change, session: int) -> None:
    """Let work on plans that was at home in a session go on in its Bot's direct chat; a desk there is gone with it."""
    change.db.write(
        "UPDATE work_items SET session = s.id FROM sessions s"
        " WHERE s.kind = 'direct' AND s.state = 'open' AND s.bot = work_items.bot"
        " AND work_items.session = ? AND work_items.plan IS NOT NULL",
        session,
    )


def _forget_what_was_sent(change: Change, session: int, said: list[int]) -> None:
    """The transcript is not left in what was handed to models, nor in the record of what came in."""
    asked = change.db.rows("SELECT id, subject FROM effects WHERE kind IN ('read', 'judge') ORDER BY id")
    about = [row["id"] for row in asked if lines.line_of(row["subject"]) in said]
    done = change.db.rows(
        "SELECT e.id FROM effects e JOIN turns t ON t.id = e.turn WHERE t.session = ? ORDER BY e.id", session
    )
    effects = json.dumps(about + [row["id"] for row in done])
    change.db.write("UPDATE effects SET body = '{}' WHERE kind = 'mirror' AND state = 'done'")
    change.db.write("UPDATE effects SET body = '{}' WHERE id IN (SELECT value FROM json_each(?))", effects)
    change.db.write(
        "UPDATE events SET body = '{}' WHERE json_extract(body, '$.effect') IN (SELECT value FROM json_each(?1))"
        " OR json_extract(body, '$.message') IN (SELECT value FROM json_each(?2))"
        " OR seq IN (SELECT seq FROM messages WHERE session = ?3)",
        effects,
        json.dumps(said),
        session,
    )
