"""Turns: one execution of one Bot. A hop is one model call with its tool calls; new lines are read between them.

A turn has at most one effect open at a time, so its calls run one after the other, and each is checked again before.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from threadrebuild.collab import (
    aborting,
    asks,
    call_backs,
    context,
    continuing,
    desk,
    dormancy,
    endings,
    guidance,
    holds,
    inbox,
    messages,
    organizer,
    questions,
    reader,
    redirect,
    scribe,
    startup,
    tools,
    work,
    work_questions,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Hopped, Ran, Started

ASKS_EVERY_HOPS = 40  # TURN-22
STUCK = "# Are you stuck?\nThis turn has made {hops} hops. If it is not getting anywhere, say so, or try another way."
PUT_OFF = "Not run: the user has said something new. Call it again if it is still wanted."


def open_turn(change: Change, work_item: sqlite3.Row) -> int:
    """Open a segment on queued work: what came first opens it, and the rest is read at its next hop (TURN-12).

    What the segment before had heard and not read is read at once, and the newest of it opens this one.
    """
    waiting = change.db.rows(
        "SELECT * FROM inbox_items WHERE work_item = ? AND state = 'queued' AND wakes = 1"
        " ORDER BY continues IS NULL, prio, seq, id",
        work_item["id"],
    )
    heard = [copy for copy in waiting if _was_heard(change, copy)]
    if waiting[0]["continues"] is not None or waiting[0] not in heard:
        return open_on(change, work_item, waiting[0])
    heard.sort(key=lambda copy: copy["id"], reverse=True)  # HOLD-67
    return open_on(change, work_item, heard[0], also=heard[1:])


def open_on(
    change: Change,
    work_item: sqlite3.Row,
    first: sqlite3.Row,
    *,
    also: Sequence[sqlite3.Row] = (),
    beside: bool = False,
) -> int:
    """Open a segment with an inbox item, and with those that it reads `also` at once.

    One `beside` another (levels 0 and 1) belongs to no work item, and hears nothing.
    """
    trigger = first["message"]
    if trigger is None and first["kind"] == "line":  # WORK-13
        trigger = messages.note(change, work_item["session"], first["text"], only_for=work_item["bot"])
    message = messages.message_of(change, trigger) if trigger else None
    session = message and message["session"]
    is_desk = work_item["plan"] is None and change.level > redirect.LAST_LEVEL
    ticket, folder = work_item["ticket"], work.folder(change, work_item)
    if message is not None and work_item["plan"] is None and change.level <= redirect.LAST_LEVEL:
        ticket, folder = redirect.place_of(change, message, work_item["bot"])
    turn = change.db.write(
        "INSERT INTO turns (bot, session, work_item, plan, ticket, mode, state, trigger_message, trigger_item,"
        " woken_by_turn, began_seq, began_at, cwd) VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?)",
        work_item["bot"],
        session or work_item["session"],
        None if beside else work_item["id"],
        work_item["plan"],
        ticket,
        "desk" if is_desk else "work",
        trigger,
        first["id"],
        first["woken_by_turn"],
        change.event,
        change.at,
        folder,
    )
    if not beside:
        change.db.write("UPDATE work_items SET state = 'running', queued_seq = NULL WHERE id = ?", work_item["id"])
    if first["continues"] is not None:
        continuing.carry_on(change, turn, first)
    elif is_desk and trigger:
        desk.fix_candidates(change, turn, messages.message_of(change, trigger))
    change.log("turn.opened", bot=work_item["bot"], plan=work_item["plan"], ticket=ticket, turn=turn)
    _hop(change, turn, _read(change, turn, [first, *also]))
    return turn


def hopped(change: Change, event: Hopped) -> None:
    """Take in what a model call of a turn came to."""
    turn = _turn_of(change, event.effect)
    change.db.write("UPDATE hops SET text = ?, failure = ? WHERE effect = ?", event.text, event.failure, event.effect)
    change.db.write("UPDATE hops SET cost = ? WHERE effect = ?", event.cost, event.effect)  # TURN-23
    if event.failure is not None:
        end(change, turn["id"], "failed", event.failure.strip() or "failed")  # TURN-21
        return
    for ord_, call in enumerate(event.calls):
        change.db.write(
            "INSERT INTO calls (turn, hop, ord, name, arguments, effectful, state, result)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            turn["id"],
            turn["hops"],
            ord_,
            call.name,
            json.dumps(call.arguments, ensure_ascii=False),
            int(tools.is_effectful(call.name)),
            "refused" if call.unreadable else "asked",
            f"Not run: {call.unreadable}." if call.unreadable else None,
        )
    if not event.calls:
        endings.by_text(change, turn, event.text)  # TURN-20
        return
    go_on(change, turn["id"])


def ran(change: Change, event: Ran) -> None:
    """Take in what a tool came to."""
    call = change.db.row("SELECT * FROM calls WHERE effect = ?", event.effect)
    assert call is not None
    result = {"output": event.output, "errors": event.errors, "exit_code": event.exit_code}
    change.db.write(
        "UPDATE calls SET state = ?, result = ? WHERE id = ?",
        "ok" if event.ok else "failed",
        json.dumps(result, ensure_ascii=False),
        call["id"],
    )
    aborting.ended(change, event.effect)
    tools.record(change, call, event)
    go_on(change, call["turn"])


def go_on(change: Change, turn: int) -> None:
    """Run the next call of a turn's hop, or ask its model again once all have run."""
    while (row := live(change, turn)) is not None:
        call = change.db.row("SELECT * FROM calls WHERE turn = ? AND state = 'asked' ORDER BY hop, ord", turn)
        if call is None:
            _hop(change, turn, _read(change, turn, unread(change, row)))  # TURN-08 STOP-21
            return
        if any(_changes_work(change, item) for item in unread(change, row)):  # TURN-09
            put_off(change, turn)
            continue
        if not tools.start(change, row, call):
            return


def begin_answer(change: Change, turn: int, copy: sqlite3.Row) -> None:
    """Ask the model of a read-only turn for its answer to a copy of a line."""
    _hop(change, turn, [copy])


def count_as_read(change: Change, turn: int, copy: sqlite3.Row) -> None:
    """Let a copy of a line be read by a turn at its first hop."""
    read = "UPDATE inbox_items SET state = 'read', read_by_turn = ?, read_in_hop = 1 WHERE id = ?"
    change.db.write(read, turn, copy["id"])


def put_off(change: Change, turn: int) -> None:
    """Do not run what a hop has asked for and has not begun; its Bot may ask again."""
    change.db.write(
        "UPDATE calls SET state = 'postponed', result = ? WHERE turn = ? AND state = 'asked'", PUT_OFF, turn
    )


def end(change: Change, turn: int, state: str, reason: str) -> None:
    """End a turn: what it did stays, what comes of its open effects counts no more, its work settles."""
    row = change.db.row("SELECT * FROM turns WHERE id = ?", turn)
    assert row is not None
    change.db.write(
        "UPDATE turns SET state = ?, end_reason = ?, ended_at = ? WHERE id = ?", state, reason, change.at, turn
    )
    for call in change.db.rows("SELECT * FROM calls WHERE turn = ? ORDER BY id", turn):
        if call["state"] in ("asked", "started"):  # REDIR-02
            left = "refused" if call["state"] == "asked" else "unknown"
            change.db.write("UPDATE calls SET state = ? WHERE id = ?", left, call["id"])
    asks.close(change, turn)
    change.void_effects(turn)
    if row["work_item"] is not None:
        work.settle(change, row["work_item"])
    if state != "stopped":  # STOP-3
        organizer.after_turn(change, row)
        dormancy.after_turn(change, row)
        call_backs.after_turn(change, row)
    work_questions.after_turn(change, row)
    change.log(  # END-03
        "work.ended", bot=row["bot"], plan=row["plan"], ticket=row["ticket"], turn=turn, reason=reason
    )


def restarted(change: Change, event: Started) -> None:
    """After the application came up again: what ran is interrupted, and what nobody answered is asked again.

    A segment that waits for the user had nothing under way, and waits on; one whose words are read or checked, or
    whose files are, too.
    """
    left = aborting.left_running(change)
    scribe.give_up(change)  # SCRB-03
    for row in change.db.rows(
        "SELECT * FROM live_turns t WHERE state = 'running' AND NOT EXISTS (SELECT 1 FROM effects"
        " WHERE turn = t.id AND kind IN ('read', 'run_check', 'hash_files') AND state IN ('pending', 'started'))"
        " AND NOT EXISTS (SELECT 1 FROM submissions WHERE turn = t.id AND state = 'checking') ORDER BY id"
    ):
        put_back(change, row)
        end(change, row["id"], "interrupted", "restart")  # TURN-21 HOLD-94
    work.mend(change)
    for effect in change.db.rows("SELECT * FROM effects WHERE state IN ('pending', 'started') ORDER BY id"):
        change.db.write("UPDATE effects SET state = 'void' WHERE id = ?", effect["id"])
        again = change.db.write(
            "INSERT INTO effects (event, kind, turn, subject, body) VALUES (?, ?, ?, ?, ?)",
            change.event,
            effect["kind"],
            effect["turn"],
            effect["subject"],
            effect["body"],
        )
        for waits in ("judgements", "check_joints"):
            change.db.write(f"UPDATE {waits} SET effect = ? WHERE effect = ?", again, effect["id"])
    aborting.end_all(change, left)
    startup.check(change)


def put_back(change: Change, turn: sqlite3.Row, *, until_a_lift: bool = False) -> None:
    """Let what a segment was to read in a hop that was never begun be unread: nobody has been given it.

    What a read-only answer was to read waits again for the work that it was sent to, under a hold as held; with
    `until_a_lift` all of it waits so.
    """
    never_begun = "SELECT 1 FROM effects WHERE turn = ? AND kind = 'hop' AND state = 'pending'"
    if not change.db.value(never_begun, turn["id"]):
        return
    for item in change.db.rows(
        "SELECT * FROM inbox_items WHERE read_by_turn = ? AND read_in_hop = ? ORDER BY id", turn["id"], turn["hops"]
    ):
        back = "UPDATE OR IGNORE inbox_items SET state = 'held', read_by_turn = NULL, read_in_hop = NULL WHERE id = ?"
        change.db.write(back, item["id"])
        is_back = change.db.value("SELECT 1 FROM inbox_items WHERE id = ? AND state = 'held'", item["id"])
        if is_back and not until_a_lift and not holds.over(change.db, "item", item["id"]):
            inbox.hand_back(change, item)
        change.db.write(
            "UPDATE messages SET was_read = EXISTS (SELECT 1 FROM inbox_items WHERE message = ?1 AND state = 'read')"
            " WHERE id = ?1",
            item["message"],
        )
    change.log("inbox.put_back", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"])


def live(change: Change, turn: int) -> sqlite3.Row | None:
    """A turn, as long as it has not ended."""
    return change.db.row("SELECT * FROM live_turns WHERE id = ?", turn)


def trigger(change: Change, turn: sqlite3.Row) -> sqlite3.Row | None:
    """The message that opened a turn."""
    return turn["trigger_message"] and messages.message_of(change, turn["trigger_message"])


def unread(change: Change, turn: sqlite3.Row) -> list[sqlite3.Row]:
    """What waits in a turn's inbox."""
    return change.db.rows(
        "SELECT * FROM inbox_items WHERE work_item = ? AND state = 'queued' ORDER BY seq, id", turn["work_item"]
    )


def _read(change: Change, turn: int, items: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """Let a turn's Bot read what was in an inbox."""
    hop = 1 + change.db.value("SELECT hops FROM turns WHERE id = ?", turn)
    for item in items:
        read = "UPDATE inbox_items SET state = 'read', read_by_turn = ?, read_in_hop = ? WHERE id = ?"
        change.db.write(read, turn, hop, item["id"])  # QUOT-37
    return items


def _was_heard(change: Change, copy: sqlite3.Row) -> bool:
    """Whether a copy came while a segment was at work that has ended without reading it."""
    return bool(
        change.db.value(
            "SELECT 1 FROM turns t JOIN events e ON e.seq = ? WHERE t.work_item = ? AND t.began_seq < e.seq"
            " AND t.ended_at >= e.at",
            copy["seq"],
            copy["work_item"],
        )
    )


def _changes_work(change: Change, item: sqlite3.Row) -> bool:
    """Whether an unread item may change what is being done: a question does not."""
    meaning = item["message"] and reader.meaning(change.db, item["message"])
    asks_how_far = meaning is not None and meaning.status
    return (
        item["author"] == "user"  # TURN-09
        and not asks_how_far  # TURN-10 STAT-3
        and not questions.is_question(item["text"])  # READ-30
    )


def _hop(change: Change, turn: int, read: list[sqlite3.Row]) -> None:
    change.db.write("UPDATE turns SET hops = hops + 1 WHERE id = ?", turn)
    row = live(change, turn)
    assert row is not None
    text = context.render(change.db, row, read)
    if row["hops"] % ASKS_EVERY_HOPS == 0:  # TURN-22
        text += "\n\n" + STUCK.format(hops=row["hops"])
    body = {"hop": row["hops"], "context": text, "results": _results(change, turn, row["hops"] - 1)}
    if row["mode"] == "readonly":  # HOLD-79
        body["tools"] = tools.FOR_ANSWERS
    elif change.level >= endings.CONTRACT_FROM_LEVEL:
        body["guidance"] = guidance.given()
    if tools.fails_again(change.db, turn):
        body["effort"] = "raised"  # END-34
    effect = change.effect("hop", body, turn=turn)
    change.db.write("INSERT INTO hops (turn, number, effect) VALUES (?, ?, ?)", turn, row["hops"], effect)


def _turn_of(change: Change, effect: int) -> sqlite3.Row:
    found = change.db.row("SELECT t.* FROM turns t JOIN effects e ON e.turn = t.id WHERE e.id = ?", effect)
    assert found is not None
    return found


def _results(change: Change, turn: int, hop: int) -> list[dict[str, Any]]:
    """What came of the calls of a hop, as its Bot reads it."""
    calls = change.db.rows("SELECT name, state, result FROM calls WHERE turn = ? AND hop = ? ORDER BY ord", turn, hop)
    return [dict(call) for call in calls]
