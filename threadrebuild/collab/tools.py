"""The tools that a Bot may call: those the application carries out itself, and those that run outside."""

import json
import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import (
    asks,
    closing,
    delegation,
    desk,
    holds,
    household,
    idle_talk,
    large_jobs,
    mentions,
    messages,
    plan_items,
    readonly,
    runs,
    speech,
    tickets,
    turns,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Ran
from threadrebuild.collab.toolbox import OWN, Refused, SentBack, checked, tool
from threadrebuild.database import Database, Id

READING = frozenset({"read_file", "list_dir", "read_skill"})  # DESK-09
"""What runs outside and changes nothing; so do MCP tools whose server says so."""
OPEN_TO_ALL = ("read_file", "read_skill", "end_turn")  # HOLD-73
BEGINNINGS_OPEN_TO_ALL = ("list_", runs.READ_ONLY_MCP)  # HOLD-73
"""What a Bot may use that is under a hold, or only answers: names, and how names begin."""
FOR_ANSWERS = [*OPEN_TO_ALL, *(f"{beginning}*" for beginning in BEGINNINGS_OPEN_TO_ALL)]
"""What a Bot is given that only answers."""
NOTES = 3  # END-45
"""How many messages of a segment to the user answer none of theirs."""
NOTES_FROM_LEVEL = 3
RAISES_EFFORT = 3  # END-34
"""How many failures of a tool in a row let its Bot think harder."""
ENDS_WITH_A_LINE = 2
"""The last level at which a line in a chat between Bots ends the segment that said it."""
GONE = "Not run: this Bot, or its work here, is closed."
SENT_BACK = "Nobody here is called"


def is_effectful(name: str) -> bool:
    """Whether a call has side effects, as far as its name tells (DESK-09)."""
    own = OWN.get(name)
    if own is not None:
        return own.effectful
    return name not in READING and not name.startswith(runs.READ_ONLY_MCP)  # DESK-09


def changes_nothing(name: str) -> bool:
    """Whether a call stays open to a Bot that may only read."""
    return name in OPEN_TO_ALL or name.startswith(BEGINNINGS_OPEN_TO_ALL)


def start(change: Change, turn: sqlite3.Row, call: sqlite3.Row) -> bool:
    """Carry a call out, or have it carried out; whether the turn can go on at once.

    A desk segment is bound to its matter before the first call with a side effect; what the user has to allow first
    waits for that.
    """
    arguments = json.loads(call["arguments"])
    own = OWN.get(call["name"])
    if is_held(change, turn) and not changes_nothing(call["name"]):  # HOLD-72
        change.db.write("UPDATE calls SET state = 'refused', result = ? WHERE id = ?", readonly.HELD, call["id"])
        return True
    if call["effectful"] and not _may_act(change, turn):
        change.db.write("UPDATE calls SET state = 'refused', result = ? WHERE id = ?", GONE, call["id"])
        return True
    try:
        if call["effectful"] and turn["mode"] == "desk":  # DESK-10 END-35
            desk.before_side_effect(change, turn, splits=call["name"] == plan_items.NAME)
            bound = turns.live(change, turn["id"])
            if bound is None:
                return False
            turn = bound
        kept_back = large_jobs.refusal(change, turn, call["name"])
        if call["effectful"] and kept_back is not None:
            raise Refused(kept_back)
        if asks.needs_approval(change, turn, call):
            asks.for_approval(change, turn, call)
            return False
        if own is not None:
            with change.db.attempt():
                done = own.use(change, turn, arguments)
            if isinstance(done, SentBack):
                raise Refused(done.said)
            state = "started" if done is None else "ok"
            change.db.write("UPDATE calls SET state = ?, result = ? WHERE id = ?", state, done, call["id"])
            return done is not None
    except Refused as refused:
        change.db.write("UPDATE calls SET state = 'refused', result = ? WHERE id = ?", str(refused), call["id"])
        return desk.count(change, turn, refused)
    body = {"call": call["id"], "tool": call["name"], "arguments": arguments, "folder": turn["cwd"]}
    effect = change.effect("run_tool", body, turn=turn["id"])
    change.db.write("UPDATE calls SET state = 'started', effect = ? WHERE id = ?", effect, call["id"])
    if call["effectful"]:
        change.db.write("UPDATE turns SET acted = 1 WHERE id = ?", turn["id"])
    return False


def fails_again(db: Database, turn: int) -> bool:
    """Whether the last calls of a tool in a segment have all failed."""
    calls = db.rows("SELECT name, state FROM calls WHERE turn = ? AND hop > 0 ORDER BY id DESC", turn)
    last = [call["state"] for call in calls if call["name"] == calls[0]["name"]][:RAISES_EFFORT]
    return len(last) == RAISES_EFFORT and all(state in ("refused", "failed") for state in last)


def is_held(change: Change, turn: sqlite3.Row) -> bool:
    """Whether nothing that a turn does may have a side effect."""
    return turn["mode"] == "readonly" or bool(holds.over(change.db, "turn", turn["id"]))


def _may_act(change: Change, turn: sqlite3.Row) -> bool:
    """Whether a segment still has the right to change anything: it is live, its Bot is at work, its work is open."""
    row = change.db.row(
        "SELECT b.state AS bot, w.state AS work FROM live_turns t JOIN bots b ON b.id = t.bot"
        " LEFT JOIN work_items w ON w.id = t.work_item WHERE t.id = ?",
        turn["id"],
    )
    return change.level < delegation.FROM_LEVEL or (
        row is not None
        and row["bot"] == "active"  # DEL-47
        and row["work"] != "closed"  # DEL-47
    )


def record(change: Change, call: sqlite3.Row, event: Ran) -> None:
    """Keep what a call came to: the files that it wrote, and what it ran."""
    for path in event.written:
        change.db.write(
            "INSERT INTO artifacts (path, plan, ticket, turn, written, at)"
            " SELECT ?, plan, ticket, id, 1, ? FROM turns WHERE id = ?",
            path,
            change.at,
            call["turn"],
        )
    runs.record(change, call, event)
    tickets.observe(change, call, event)


class _Message(msgspec.Struct, frozen=True):
    text: str = ""
    files: tuple[str, ...] = ()
    session: Id | None = None
    parent_id: Id | None = None


@tool("send_message")
def send_message(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str | None:
    """Say something in a session the Bot is in; its segment goes on (END-44).

    In a group a name that nobody has is sent back once, to be corrected.
    """
    message = checked(arguments, _Message)
    session = turn["session"] if message.session is None else message.session
    present = household.members(change.db, session)
    if turn["bot"] not in present.values():
        raise Refused(f"{session} is no session that you are in")
    if not message.text.strip() and not message.files:
        raise Refused("a message needs text or files")
    unknown = mentions.mentions_in(message.text, present, household.roster(change.db)).unknown
    kind = household.session_of(change.db, session)["kind"]
    if kind == "group" and unknown and not _was_sent_back(change, turn):  # MENT-10
        raise Refused(f"{SENT_BACK} {', '.join(unknown)}. Not sent: correct the name, or send it again as it is.")
    _check_parent(change, session, message.parent_id)
    if message.parent_id is None and change.level >= NOTES_FROM_LEVEL:  # END-46
        _check_notes(change, turn, session)
    looked_at = closing.applies(change, turn, session)
    if looked_at or idle_talk.may_be(change.db, turn, message.text, message.files):
        read = speech.reading(change, turn, message.text)
        if read is None:
            return None
        if not message.files and idle_talk.is_dropped(change, turn, message.text, read):
            return idle_talk.NOT_SENT
        if looked_at and closing.waits(change, turn, message.text, message.files):
            return None
        notice = closing.notice(change, turn, session, message.text, message.files, read) if looked_at else None
        if notice is not None:  # CLOS-06
            return notice
    said = messages.say(change, turn, session, message.text, message.files, parent=message.parent_id)
    if kind == "bots" and change.level <= ENDS_WITH_A_LINE:  # MENT-18 END-44
        turns.end(change, turn["id"], "completed", "said")
    return f"message {said}"


@tool("create_direct")
def create_direct(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Open a chat with another Bot, or find the one opened from here before; each line in it wakes the other."""
    roster = household.roster(change.db)
    to = arguments.get("to")
    others = [bot for name, bot in roster.items() if to in (name, bot) and bot != turn["bot"]]
    if not others:
        raise Refused(f"{to!r} is no other Bot")
    return f"session {household.chat_between(change, turn['bot'], others[0], turn['session'])}"


def _check_parent(change: Change, session: int, parent: int | None) -> None:
    """Raise `Refused` where a message is to answer what was not said there."""
    said_there = "SELECT 1 FROM messages WHERE id = ? AND session = ?"
    if parent is not None and not change.db.value(said_there, parent, session):
        raise Refused(f"{parent} is no message of that session")


def _check_notes(change: Change, turn: sqlite3.Row, session: int) -> None:
    """Raise `Refused` where a segment has told the user enough how far it is."""
    if household.session_of(change.db, session)["kind"] not in closing.WITH_USER:  # END-45
        return
    said = change.db.value(
        "SELECT count(*) FROM messages m JOIN calls c ON c.turn = m.turn AND c.name = 'send_message'"
        " AND c.result = 'message ' || m.id JOIN sessions s ON s.id = m.session"
        " WHERE m.turn = ? AND m.parent IS NULL AND s.kind IN ('direct', 'group')",
        turn["id"],
    )
    if said >= NOTES:  # END-45
        raise Refused("progress_limit: Not sent. Go on, and say what came of it when you end.")


def _was_sent_back(change: Change, turn: sqlite3.Row) -> bool:
    """Whether the last message that a turn tried to send was sent back for a name."""
    last = change.db.value(
        "SELECT result FROM calls WHERE turn = ? AND name = 'send_message' AND state NOT IN ('asked', 'started')"
        " ORDER BY id DESC",
        turn["id"],
    )
    return str(last).startswith(SENT_BACK)
