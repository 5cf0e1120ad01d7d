"""What the user does to a line after it was said: changes its words, takes it back, or has it read at once.

A line that nobody has read can still be taken back as if it had never been said. One that was read can only be changed,
and whoever has read it is told what it says now and what it said before.
"""

import sqlite3

from threadrebuild.collab import (
    aborting,
    control,
    edited_away,
    household,
    inbox,
    lifting,
    messages,
    quotes,
    reader,
    scribe,
    turns,
    work,
)
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.events import Edited, Inserted, Withdrawn

ABOUT_LINES = (reader.USER_WORDS, reader.FILING, "judge", "behind")
"""How the subjects of effects begin that are about one line."""
CHANGED = "I changed this line. It now says: “{now}” (before: “{before}”)"
STOPPED_FOR_LINES = (
    "Your step was stopped for these lines. What it had not finished has to be run again if it is needed."
)
NO_STEP = "There is no step to interrupt at the moment; it is read at the next step."


def edit(change: Change, event: Edited) -> None:
    """Change the words of a line. It is filed as before, is not read anew, and wakes nobody who had not read it.

    Raises `Missing` for a line that is not there, `Conflict` for one that cannot be edited, ValueError where no words
    are left.
    """
    before = messages.message_of(change, event.message)
    reason = _unchangeable(change, before)
    if reason is not None:
        raise Conflict(reason, f"line {event.message} cannot be edited: {reason}")
    if not event.text.strip():
        raise ValueError("a line needs words")
    if event.text == before["text"]:
        return
    change.db.write(
        "INSERT INTO message_versions (message, version, text, at) VALUES (?, ?, ?, ?)",
        before["id"],
        before["version"],
        before["text"],
        before["edited_at"] or before["at"],
    )
    change.db.write(
        "UPDATE messages SET text = ?, version = version + 1, edited_at = ? WHERE id = ?",
        event.text,
        change.at,
        before["id"],
    )
    action = change.user_action("http", event.key, before["id"])
    quotes.keep_edit(change, before, event.text)  # QUOT-19
    reader.forget(change, before["id"])
    scribe.look(change, before["id"])  # SCRB-20 QUOT-20
    edited_away.after_edit(change, before, event.text)  # QUOT-22 REQ-47
    change.db.write(  # QUOT-23 QUOT-27
        "UPDATE inbox_items SET text = ? WHERE message = ? AND kind = 'line' AND state IN ('queued', 'held')",
        event.text,
        before["id"],
    )
    for item, live in _to_be_told(change, before):
        _tell(change, item, live, before, event.text)
    lifting.by_edit(change, messages.message_of(change, before["id"]), action)
    change.log("line.edited", message=before["id"], version=before["version"] + 1)


def withdraw(change: Change, event: Withdrawn) -> None:
    """Take back a line that no Bot has read: no copy of it is delivered, and its words are erased.

    Raises `Missing` for a line that is not there, `Conflict` for one that was read or withdrawn.
    """
    message = messages.message_of(change, event.message)
    if message["author"] != "user" or message["state"] == "withdrawn":
        raise Conflict("not_withdrawable", f"line {event.message} is none that can be withdrawn")
    if message["was_read"] or _is_answer(change, message):  # QUOT-31
        raise Conflict("already_read", f"line {event.message} was read; it can be edited")
    items = change.db.rows(
        "SELECT DISTINCT work_item FROM inbox_items WHERE message = ? AND state IN ('queued', 'held')", message["id"]
    )
    change.db.write(  # QUOT-30 TURN-15
        "UPDATE inbox_items SET state = 'void' WHERE message = ? AND state IN ('queued', 'held')", message["id"]
    )
    give_up(change, [message["id"]])
    change.db.write("UPDATE messages SET state = 'withdrawn' WHERE id = ?", message["id"])  # QUOT-30
    action = change.user_action("http", event.key, message["id"])
    change.db.write(  # QUOT-30
        "UPDATE requirements SET state = 'no_longer_applies', span = NULL, paraphrase = '', ended_by = ?"
        " WHERE quote IN (SELECT id FROM quotes WHERE message = ?)",
        action,
        message["id"],
    )
    change.db.write("UPDATE quotes SET text = NULL, erased = 1 WHERE message = ?", message["id"])  # QUOT-30
    scribe.forget_erased(change)
    for item in items:
        work.settle_waiting(change, item["work_item"])  # QUOT-30
    change.log("line.withdrawn", message=message["id"])
    messages.advance(change, message["session"])


def insert(change: Change, event: Inserted) -> None:
    """Have a line that waits read at once, by the segments that it waits for, or by one that opens now.

    Where there is no step to interrupt, the user is told so and the line is read at the next step. Raises `Missing`
    for a line that is not there, `Conflict` for one that does not wait in an inbox, or that a kept hold keeps back.
    """
    message = messages.message_of(change, event.message)
    waiting = change.db.rows(
        "SELECT * FROM inbox_items WHERE message = ? AND state IN ('queued', 'held') ORDER BY id", message["id"]
    )
    if not waiting:
        raise Conflict("not_waiting", f"line {event.message} waits in no inbox")
    action = change.user_action("http", event.key, message["id"])
    held = [copy for copy in waiting if copy["state"] == "held"]
    for copy in held:
        lifting.by_operation(change, "item", copy["id"], action)  # QUOT-32
    work_items = dict.fromkeys(copy["work_item"] for copy in waiting)
    interrupted = [item for item in work_items if _interrupt(change, item)]
    if not (interrupted or held):  # QUOT-35 HOLD-34
        messages.note(change, message["session"], NO_STEP)
    change.log("line.inserted", message=message["id"], interrupted=interrupted)


def give_up(change: Change, lines: list[int]) -> None:
    """Let nothing come of what was asked outside about lines that are gone."""
    for effect in change.db.rows("SELECT id, subject FROM effects WHERE state IN ('pending', 'started')"):
        if line_of(effect["subject"]) in lines:
            change.db.write("UPDATE effects SET state = 'void' WHERE id = ?", effect["id"])


def line_of(subject: str) -> int | None:
    """The message that an effect reads, judges or waits behind; None where its subject is none."""
    kind, _, rest = subject.partition(":")
    return int(rest.split(":")[0]) if kind in ABOUT_LINES else None


def _unchangeable(change: Change, message: sqlite3.Row) -> str | None:
    """Why a line cannot be edited, or None where it can."""
    session = change.db.row("SELECT * FROM sessions WHERE id = ?", message["session"])
    assert session is not None
    bot = change.db.value("SELECT state FROM bots WHERE id = ?", session["bot"])
    reasons = {
        "not_yours": message["author"] != "user",  # QUOT-17
        "withdrawn": message["state"] == "withdrawn",
        "answer": _is_answer(change, message),  # QUOT-17
        "annotations": _has_annotations(change, message),  # QUOT-17
        "carried_out": control.was_carried_out(message),  # QUOT-17
        "archived": session["state"] != "open",  # QUOT-17
        "chat_among_bots": session["kind"] == "bots",  # QUOT-17
        "bot_deleted": bot == "deleted",  # QUOT-17
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _is_answer(change: Change, message: sqlite3.Row) -> bool:
    found = "SELECT 1 FROM asks a JOIN user_actions u ON u.id = a.answered_by WHERE u.message = ?"
    return bool(change.db.value(found, message["id"]))


def _has_annotations(change: Change, message: sqlite3.Row) -> bool:
    return bool(change.db.value("SELECT 1 FROM annotations WHERE message = ?", message["id"]))


def _to_be_told(change: Change, message: sqlite3.Row) -> list[tuple[int, sqlite3.Row | None]]:
    """Where those work who have read a line: each of their work items, with the segment that is live there.

    A Bot whose desk passed the line on to its work is told there only.
    """
    copies = change.db.rows("SELECT read_by_turn FROM inbox_items WHERE message = ?", message["id"])
    reading = {copy["read_by_turn"] for copy in copies}
    read: dict[int, dict[int | None, sqlite3.Row]] = {}
    for turn in change.db.rows("SELECT * FROM turns WHERE work_item IS NOT NULL ORDER BY id"):
        if turn["id"] in reading or turn["trigger_message"] == message["id"]:  # QUOT-28
            read.setdefault(turn["bot"], {})[turn["plan"]] = turn
    found = []
    for plans in read.values():
        for plan, turn in plans.items():
            if plan is None and len(plans) > 1:
                continue
            live = (
                work.live_of(change.db, turn["work_item"])
                if plan is None
                else work.live_turn(change.db, turn["bot"], plan)
            )
            found.append((live["work_item"] if live is not None else turn["work_item"], live))
    return found


def _tell(change: Change, item: int, live: sqlite3.Row | None, before: sqlite3.Row, now: str) -> None:
    """Put the change of a line into an inbox, together with one that has not been read there yet."""
    waiting = change.db.row(
        "SELECT * FROM inbox_items WHERE work_item = ? AND message = ? AND kind = 'edit'"
        " AND state IN ('queued', 'held')",
        item,
        before["id"],
    )
    read = before["text"] if waiting is None else waiting["before"]
    text = CHANGED.format(now=now, before=read)
    if waiting is not None:
        change.db.write("UPDATE inbox_items SET text = ? WHERE id = ?", text, waiting["id"])
        return
    change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, before, prio, seq)"
        " VALUES (?, 'edit', ?, 'user', ?, ?, ?, ?)",
        item,
        before["id"],
        text,
        read,
        inbox.PRIO_USER,
        change.event,
    )
    if live is None:
        work.queue(change, item)  # QUOT-24


def _interrupt(change: Change, work_item: int) -> bool:
    """Cut the step short that a work item's segment is at, so that it reads what waits; False where there is none."""
    turn = change.db.row("SELECT * FROM live_turns WHERE work_item = ? AND state = 'running'", work_item)
    step = turn and change.db.row(
        "SELECT * FROM effects WHERE turn = ? AND kind IN ('hop', 'run_tool') AND state IN ('pending', 'started')",
        turn["id"],
    )
    if turn is None or step is None:
        return False
    turns.put_off(change, turn["id"])  # QUOT-34
    if household.engine_of(change.db, turn["bot"]) == "claude_agent":  # QUOT-33
        _stop_step(change, turn)
    elif step["kind"] == "run_tool":  # QUOT-34 TURN-11
        return True
    change.void_effects(turn["id"])
    turns.go_on(change, turn["id"])  # TURN-15
    return True


def _stop_step(change: Change, turn: sqlite3.Row) -> None:
    """Stop what a Claude Code run is at, the running command included, and let it know for what."""
    aborting.give_up(change, turn["id"])
    change.db.write(  # QUOT-33
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, wakes, seq)"
        " VALUES (?, 'note', 'app', ?, ?, 0, ?)",
        turn["work_item"],
        STOPPED_FOR_LINES,
        inbox.PRIO_USER,
        change.event,
    )
