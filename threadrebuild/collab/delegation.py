"""Delegations: a named request of one work item to another Bot's, with the result that is expected, until it is
answered or cancelled. The result comes back once, into the inbox of the work that asked.

Who asked waits for just that; no timer ends it. A delegation is cancelled where one of its Bots or places goes.
"""

import json
import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab import household, inbox, large_jobs, requirements, submissions, turns, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Database, Id

FROM_LEVEL = 3  # DEL-03
CANCELLED = "Delegation {id} is cancelled, and not done: {why}."


class _Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    to: Id | str
    ask: str
    expects: Literal["deliverable", "review", "answer"]
    ticket: Id | None = None
    parts: tuple[str, ...] = ()
    requirement_ids: tuple[Id, ...] = ()
    goes_on: bool = msgspec.field(name="continue", default=False)


@tool("delegate", effectful=True)
def delegate(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Ask another Bot for something in this matter; the segment ends and its work waits, unless it is to go on.

    Raises `Refused` for a request that names nobody here, or what is not of this matter.
    """
    if change.level < FROM_LEVEL:
        raise Refused("There is no such tool.")
    wanted = checked(arguments, _Request)
    if turn["mode"] != "work":  # DEL-04 DEL-05
        raise Refused("Only a segment that works on a matter can delegate.")
    if not wanted.ask.strip():  # DEL-03
        raise Refused("A request needs words.")
    to = _resolved(change, turn, wanted.to)
    _check_matter(change, turn, wanted)
    session = _collaboration(change, turn, to)
    receiver = work.item(change, to, turn["plan"], wanted.ticket, session)
    delegation = change.db.write(
        "INSERT INTO delegations"
        " (from_item, to_item, turn, session, plan, ticket, parts, requirements, ask, expects, goes_on, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        turn["work_item"],
        receiver,
        turn["id"],
        session,
        turn["plan"],
        wanted.ticket,
        json.dumps(wanted.parts, ensure_ascii=False),
        json.dumps(wanted.requirement_ids),
        wanted.ask,
        wanted.expects,
        int(wanted.goes_on),
        change.at,
    )
    change.log("delegation.made", bot=turn["bot"], plan=turn["plan"], turn=turn["id"], delegation=delegation, to=to)
    _push(change, delegation, "open")
    # It waits for just this work: a segment of the same plan that is at other work ends first.
    inbox.put_delegated(change, receiver, "request", delegation, wanted.ask, inbox.PRIO_REQUEST)  # DEL-12 DEL-16
    if wanted.goes_on:  # DEL-14
        return f"delegation {delegation}"
    change.db.write(
        "INSERT INTO waits (work_item, kind, ref, dedupe, made_by_turn) VALUES (?, 'delegation', ?, ?, ?)",
        turn["work_item"],
        delegation,
        f"delegation:{delegation}",
        turn["id"],
    )
    turns.end(change, turn["id"], "completed", "delegated")  # DEL-13
    return f"delegation {delegation}"


def answer(change: Change, turn: sqlite3.Row, text: str) -> list[int]:
    """Answer by words what a segment's work item was asked for that words can answer; returns those delegations."""
    asked = change.db.rows(
        "SELECT d.* FROM delegations d JOIN work_items w ON w.id = d.to_item WHERE w.bot = ? ORDER BY d.id", turn["bot"]
    )
    answered = [
        each
        for each in asked
        if each["state"] == "open"  # DEL-02
        if each["to_item"] == turn["work_item"]  # DEL-24
        if each["expects"] == "answer"  # DEL-27
    ]
    for each in answered:
        resolve(change, each, "replied", text)
    return [each["id"] for each in answered]


def resolve(
    change: Change, delegation: sqlite3.Row, state: Literal["replied", "cancelled"], result: str, *, wakes: bool = True
) -> None:
    """Close a delegation with its result, which comes once to the work that asked."""
    change.db.write(
        "UPDATE delegations SET state = ?, result = ?, closed_at = ? WHERE id = ?",
        state,
        result,
        change.at,
        delegation["id"],
    )
    _take_request_back(change, delegation["id"])
    _end_wait(change, delegation["id"], state)  # DEL-29
    inbox.put_delegated(
        change,
        delegation["from_item"],
        "reply",
        delegation["id"],
        result,
        inbox.PRIO_REPLY,
        author="bot" if state == "replied" else "app",  # DEL-45
        wakes=wakes,
    )
    change.log(f"delegation.{state}", plan=delegation["plan"], ticket=delegation["ticket"], delegation=delegation["id"])
    _push(change, delegation["id"], state)


def released(change: Change, submission: int) -> None:
    """Answer who asked for what a submission, now approved, has delivered; the ticket stands as approved by now.

    The result names who delivered what, the submission and its files, and wakes who waits for it.
    """
    row = submissions.of(change.db, submission)
    asked = asked_of(change.db, row["bot"], "deliverable", row)
    name = change.db.value("SELECT name FROM bots WHERE id = ?", row["bot"])
    title = change.db.value("SELECT title FROM tickets WHERE id = ?", row["ticket"])
    files = ", ".join(file["path"] for file in submissions.files_of(change.db, submission))
    for each in asked:
        resolve(change, each, "replied", f"{name} has delivered “{title}” (submission {submission}): {files}")  # DEL-17


def asked_of(db: Database, bot: int, expects: str, submission: sqlite3.Row) -> list[sqlite3.Row]:
    """What a Bot is asked for, and has not answered, about the ticket of a submission or its plan as a whole."""
    return db.rows(
        "SELECT d.* FROM delegations d JOIN work_items w ON w.id = d.to_item WHERE w.bot = ? AND d.state = 'open'"
        " AND d.expects = ? AND d.plan = ? AND (d.ticket IS NULL OR d.ticket = ?) ORDER BY d.id",
        bot,
        expects,
        submission["plan"],
        submission["ticket"],
    )


def bot_went(change: Change, bot: int, state: str) -> None:
    """Cancel what a Bot that is archived or deleted was asked for, or has asked for.

    Whoever asked it is told, and woken by that; it itself is not.
    """
    name = change.db.value("SELECT name FROM bots WHERE id = ?", bot)
    for each in [row for row in known(change.db) if row["state"] == "open"]:
        if bot in (each["from_bot"], each["to_bot"]):  # DEL-41
            _cancel(
                change,
                each,
                f"{name} was {state}",
                wakes=each["from_bot"] != bot,  # DEL-42 DEL-43
            )


def session_emptied(change: Change, session: int) -> None:
    """Cancel what was asked in a session that is cleared or deleted, or at home there; nobody is woken by that.

    What came back before and has not been read starts nothing either.
    """
    title = change.db.value("SELECT title FROM sessions WHERE id = ?", session)
    for each in [row for row in known(change.db) if row["state"] == "open"]:
        if session in places(each):  # DEL-41
            _cancel(change, each, f"“{title}” was emptied", wakes=False)
    unread = change.db.rows(
        "SELECT i.id, i.work_item FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.kind = 'reply' AND i.state IN ('queued', 'held') AND w.session = ? ORDER BY i.id",
        session,
    )
    for item in unread:
        change.db.write("UPDATE inbox_items SET wakes = 0 WHERE id = ?", item["id"])  # DEL-44
        work.settle_waiting(change, item["work_item"])


def known(db: Database) -> list[sqlite3.Row]:
    """All delegations, each with its Bots and with the sessions that it takes place in."""
    return db.rows(
        "SELECT d.*, f.bot AS from_bot, t.bot AS to_bot, f.session AS from_session, t.session AS to_session,"
        " u.session AS turn_session, p.session AS plan_session FROM delegations d"
        " JOIN work_items f ON f.id = d.from_item JOIN work_items t ON t.id = d.to_item"
        " LEFT JOIN turns u ON u.id = d.turn LEFT JOIN plans p ON p.id = d.plan ORDER BY d.id"
    )


def places(delegation: sqlite3.Row) -> set[int | None]:
    """The sessions that a known delegation takes place in: the chat of its two Bots, and where its matter is."""
    names = ("session", "from_session", "to_session", "turn_session", "plan_session")
    return {delegation[name] for name in names}


def _cancel(change: Change, delegation: sqlite3.Row, why: str, *, wakes: bool) -> None:
    said = CANCELLED.format(id=delegation["id"], why=why)
    at_it = change.db.row(
        "SELECT t.* FROM live_turns t JOIN inbox_items i ON i.read_by_turn = t.id"
        " WHERE i.delegation = ? AND i.kind = 'request'",
        delegation["id"],
    )
    if at_it is not None:
        inbox.put_note(change, at_it, said)
    resolve(change, delegation, "cancelled", said, wakes=wakes)


def _take_request_back(change: Change, delegation: int) -> None:
    """Let nobody read a request any more that is answered or cancelled."""
    unread = "SELECT * FROM inbox_items WHERE delegation = ? AND kind = 'request' AND state IN ('queued', 'held')"
    for item in change.db.rows(unread, delegation):
        change.db.write("UPDATE inbox_items SET state = 'void' WHERE id = ?", item["id"])
        work.settle_waiting(change, item["work_item"])


def _end_wait(change: Change, delegation: int, why: str) -> None:
    """Let the work that asked wait no more for this; where it waited for nothing else, it rests."""
    for wait in change.db.rows(
        "SELECT * FROM waits WHERE kind = 'delegation' AND ref = ? AND state IN ('open', 'suspended')", delegation
    ):
        change.db.write(
            "UPDATE work_items SET state = 'idle' WHERE id = ?1 AND state = 'waiting' AND NOT EXISTS"
            " (SELECT 1 FROM waits WHERE work_item = ?1 AND id <> ?2 AND state IN ('open', 'suspended'))",
            wait["work_item"],
            wait["id"],
        )
        change.db.write("UPDATE waits SET state = 'void', void_reason = ? WHERE id = ?", why, wait["id"])


def _push(change: Change, delegation: int, state: str) -> None:
    """Tell whoever looks on that a delegation has changed; a client that misses it asks again for all."""
    body = {"event": "delegation.changed", "delegation": delegation, "state": state}
    change.effect("push", body, subject=f"delegation.changed:{delegation}")  # DEL-49


def _resolved(change: Change, turn: sqlite3.Row, to: int | str) -> int:
    """The other Bot that is asked, present where this matter is at home. Raises `Refused`."""
    key = "id" if isinstance(to, int) else "name"
    found = change.db.row(f"SELECT * FROM bots WHERE {key} = ?", to)
    if found is None:  # DEL-08
        raise Refused(f"{to!r} is no Bot: name one by its id or its exact name.")
    if found["state"] != "active":  # DEL-06
        raise Refused(f"{to!r} is not at work any more.")
    if found["id"] == turn["bot"]:  # DEL-06
        raise Refused(f"{to!r} is you.")
    places = change.db.rows(
        "SELECT ?1 AS session UNION SELECT session FROM work_items WHERE id = ?2"
        " UNION SELECT session FROM plans WHERE id = ?3",
        turn["session"],
        turn["work_item"],
        turn["plan"],
    )
    if not any(found["id"] in household.members(change.db, place["session"]).values() for place in places):  # DEL-07
        raise Refused(f"{to!r} is not present where this matter is.")
    return int(found["id"])


def _check_matter(change: Change, turn: sqlite3.Row, wanted: _Request) -> None:
    """See that what a request names is of its matter. Raises `Refused`."""
    plan = change.db.value("SELECT plan FROM tickets WHERE id = ?", wanted.ticket)
    if wanted.ticket is not None and plan != turn["plan"]:  # DEL-09
        raise Refused(f"{wanted.ticket} is no ticket of this plan.")
    if wanted.expects == "deliverable":  # LARGE-09
        large_jobs.see_that_it_can_begin(change, wanted.ticket)
    parts = change.db.rows(
        "SELECT p.name FROM parts p JOIN tickets t ON t.id = p.ticket WHERE t.plan = ?1 AND ifnull(?2, t.id) = t.id",
        turn["plan"],
        wanted.ticket,
    )
    strange = [part for part in wanted.parts if part not in {row["name"] for row in parts}]
    if strange:  # DEL-09
        raise Refused(f"{', '.join(strange)}: no such part there.")
    in_force = {
        row["id"]
        for row in (requirements.applying(change.db, turn["plan"]) if wanted.requirement_ids else ())  # DEL-10
        if wanted.ticket is None or row["ticket"] in (None, wanted.ticket)  # DEL-10
    }
    for requirement in wanted.requirement_ids:
        if requirement not in in_force:  # DEL-10
            raise Refused(f"Requirement {requirement} is not in force for this work.")


def _collaboration(change: Change, turn: sqlite3.Row, to: int) -> int:
    """The collaboration chat of exactly two Bots, made where there is none."""
    chats = change.db.rows("SELECT id FROM sessions WHERE collaboration = 1 AND state = 'open' ORDER BY id")
    found = [
        int(chat["id"])
        for chat in chats
        if {turn["bot"], to} == household.present(change.db, chat["id"])  # DEL-11
    ]
    return found[0] if found else household.open_chat(change, turn["bot"], to, turn["session"], collaboration=True)
