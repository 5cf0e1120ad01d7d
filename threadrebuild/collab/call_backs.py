"""The call-backs of the levels before the supervisor.

When a chat among Bots goes quiet, whoever opened it is told; when a plan does, whoever owns the first of what is left.
"""

import json
import sqlite3
from typing import Literal

from threadrebuild.collab import check_backs, holds, household, inbox, parking, private, wakes
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import TimerRang
from threadrebuild.database import Database

LAST_LEVEL = 3
QUIET_MS = 10_000
HERE_FIRST = "Say here first what came of it."
UNFINISHED = ("todo", "in progress")


def after_turn(change: Change, turn: sqlite3.Row) -> None:
    """Look whether the chat among Bots in which a segment has ended is quiet a little later."""
    session = change.db.row("SELECT * FROM sessions WHERE id = ?", turn["session"])
    assert session is not None
    is_chat = session["kind"] == "bots" and not session["collaboration"]
    if (
        change.level <= LAST_LEVEL  # CHKB-19
        and is_chat
        and turn["mode"] != "readonly"
    ):
        change.effect("timer", {"due": change.at + QUIET_MS}, subject=f"chat_quiet:{session['id']}")  # CHKB-13


def time_came(change: Change, event: TimerRang) -> None:
    """Tell the opener of a chat that it is quiet, once for what was said there.

    While the other Bot is held nobody is told, then or later; where the opener is, it is told after the lift.
    """
    subject: str = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    ended_since = change.db.value("SELECT max(id) FROM effects WHERE subject = ?", subject) != event.effect
    chat = change.db.row("SELECT * FROM sessions WHERE id = ? AND state = 'open'", int(subject.split(":")[1]))
    if (
        chat is None
        or ended_since
        or change.level > LAST_LEVEL  # CHKB-19
        or _goes_on(change.db, "session", chat["id"])  # CHKB-13
        or _was_cut_off(change.db, chat["id"])  # CHKB-14
    ):
        return
    last = change.db.row("SELECT * FROM messages WHERE session = ? AND author = 'bot' ORDER BY id DESC", chat["id"])
    told = change.db.value(
        "SELECT max(json_extract(body, '$.message')) FROM work_events WHERE type = 'chat.reported'"
        " AND json_extract(body, '$.session') = ?",
        chat["id"],
    )
    opener, source = chat["opened_by"], chat["source"]
    if (
        last is None
        or last["id"] == told  # CHKB-14
        or _spins(change.db, chat, last)  # CHKB-14
        or opener not in household.members(change.db, source).values()
    ):
        return
    for other in change.db.rows(
        "SELECT max(id) AS turn FROM turns WHERE session = ? AND bot <> ? AND mode <> 'readonly' GROUP BY bot",
        chat["id"],
        opener,
    ):
        held = holds.over(change.db, "turn", other["turn"])
        if held:  # HOLD-62
            wakes.suppress(change, "chat quiet", opener, held, session=chat["id"])
            return
    check_backs.void_of_bot_in(change, opener, source)  # CHKB-13
    item = private.work_item(change, opener, last["plan"], None, source)
    copy = private.put(
        change, item, "report", _report(change.db, chat, last), source, last["plan"], prio=inbox.PRIO_OTHER
    )
    change.log("chat.reported", bot=opener, plan=last["plan"], session=chat["id"], message=last["id"])
    private.wake_unless_held(change, copy)  # HOLD-68


def plan_quiet(change: Change, plan: int) -> None:
    """Call back whoever owns the first of a quiet plan's unfinished tickets, once for the same state of things."""
    goes_on = f"status = 'active' OR ({parking.WOULD_GO_ON})"
    row = change.db.row(f"SELECT * FROM plans WHERE id = ? AND dormant = 0 AND ({goes_on})", plan)
    left = [
        ticket
        for ticket in change.db.rows("SELECT * FROM tickets WHERE plan = ? ORDER BY number", plan)
        if ticket["status"] in UNFINISHED
    ]
    if row is None or not left or _goes_on(change.db, "plan", plan):
        return
    if change.level > LAST_LEVEL:  # CHKB-19
        return
    unfinished = [[ticket["number"], ticket["status"]] for ticket in left]
    said = _last_word(change.db, plan)
    if _told_of(change.db, plan) == {"left": unfinished, "said": said}:
        return
    session = row["session"]
    bot = left[0]["owner"] or change.db.value("SELECT bot FROM turns WHERE plan = ? ORDER BY id DESC", plan)
    if bot not in household.members(change.db, session).values():
        return
    item = private.work_item(change, bot, plan, left[0]["id"], session)
    copy = private.put(change, item, "nudge", _nudge(left), session, plan, prio=inbox.PRIO_OTHER)
    held = holds.over(change.db, "item", copy["id"])
    if held:  # HOLD-69
        private.drop(change, copy)
        wakes.suppress(change, "plan quiet", bot, held, about=plan)
        return
    private.wake(change, copy)
    change.log("plan.nudged", bot=bot, plan=plan, left=unfinished, said=said)


def _goes_on(db: Database, what: Literal["session", "plan"], id_: int) -> bool:
    """Whether somebody is at work in a session or on a plan, or has a check-back pending there."""
    live = db.value(f"SELECT 1 FROM live_turns WHERE {what} = ? AND mode <> 'readonly'", id_)
    there = {"session": "ifnull(x.session, w.session)", "plan": "w.plan"}[what]
    pending = db.value(
        "SELECT 1 FROM waits x JOIN work_items w ON w.id = x.work_item"
        f" WHERE x.kind = 'timer' AND x.state = 'open' AND {there} = ?",
        id_,
    )
    return bool(live or pending)


def _was_cut_off(db: Database, chat: int) -> bool:
    """Whether the newest turn of a chat was stopped, or cut off by a restart: that is the user's to take up."""
    found = "SELECT state FROM turns WHERE session = ? AND mode <> 'readonly' ORDER BY id DESC"
    return db.value(found, chat) in ("stopped", "interrupted")


def _spins(db: Database, chat: sqlite3.Row, last: sqlite3.Row) -> bool:
    """Whether a Bot that was told of a quiet chat has only spoken to one where nobody answers."""
    answered = db.value("SELECT 1 FROM messages WHERE session = ? AND bot <> ?", chat["id"], chat["opened_by"])
    woken = "SELECT i.kind FROM turns t JOIN inbox_items i ON i.id = t.trigger_item WHERE t.id = ?"
    return not answered and db.value(woken, last["turn"]) == "report"


def _last_word(db: Database, plan: int) -> int | None:
    """The newest line of the user about a plan."""
    found: int | None = db.value(
        "SELECT max(m.id) FROM messages m JOIN message_filings f ON f.message = m.id"
        " WHERE f.plan = ? AND m.author = 'user'",
        plan,
    )
    return found


def _told_of(db: Database, plan: int) -> object:
    """How things were when somebody was last called back to a plan."""
    body = db.value("SELECT body FROM work_events WHERE type = 'plan.nudged' AND plan = ? ORDER BY id DESC", plan)
    return None if body is None else json.loads(body)


def _report(db: Database, chat: sqlite3.Row, last: sqlite3.Row) -> str:
    speaker = db.value("SELECT name FROM bots WHERE id = ?", last["bot"])
    others = "SELECT 1 FROM messages WHERE session = ? AND bot <> ?"
    if not db.value(others, chat["id"], chat["opened_by"]):  # CHKB-13
        return f"The chat {chat['title']} is quiet, and nobody has answered you there. {HERE_FIRST}"
    return f"The chat {chat['title']} is quiet. {speaker} spoke last there: {last['text']}\n{HERE_FIRST}"


def _nudge(left: list[sqlite3.Row]) -> str:
    tickets = "; ".join(f"{ticket['number']:02} {ticket['title']} ({ticket['status']})" for ticket in left)
    return f"This plan is quiet and not finished: {tickets}."
