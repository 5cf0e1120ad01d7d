"""Delegations: a named request of one work item to another Bot's, with the result that is expected, until it is
answered or cancelled. The result comes back once, into the inbox of the work that asked.
"""

import json
import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab import household, inbox, turns, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Id

FROM_LEVEL = 3


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
    if change.level < FROM_LEVEL:  # DEL-03
        raise Refused("There is no such tool.")
    wanted = checked(arguments, _Request)
    if turn["mode"] != "work":  # DEL-04 DEL-05
        raise Refused("Only a segment that works on a matter can delegate.")
    if not wanted.ask.strip():
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
    live = work.live_turn(change.db, to, turn["plan"])  # DEL-16
    inbox.put_delegated(
        change, receiver if live is None else live["work_item"], "request", delegation, wanted.ask, inbox.PRIO_REQUEST
    )
    if wanted.goes_on:  # DEL-14
        return f"delegation {delegation}"
    change.db.write(  # DEL-13
        "INSERT INTO waits (work_item, kind, ref, dedupe, made_by_turn) VALUES (?, 'delegation', ?, ?, ?)",
        turn["work_item"],
        delegation,
        f"delegation:{delegation}",
        turn["id"],
    )
    turns.end(change, turn["id"], "completed", "delegated")
    return f"delegation {delegation}"


def answer(change: Change, turn: sqlite3.Row, text: str) -> list[int]:
    """Answer by words what a segment's work item was asked for that words can answer; returns those delegations."""
    open_ = change.db.rows(
        "SELECT * FROM delegations WHERE to_item = ? AND state = 'open' AND expects = 'answer' ORDER BY id",  # DEL-24
        turn["work_item"],
    )
    for each in open_:
        resolve(change, each, "replied", text)
    return [each["id"] for each in open_]


def resolve(
    change: Change, delegation: sqlite3.Row, state: Literal["replied", "cancelled"], result: str, *, wakes: bool = True
) -> None:
    """Close a delegation with its result, which comes once to the work that asked (DEL-29)."""
    change.db.write(
        "UPDATE delegations SET state = ?, result = ? WHERE id = ? AND state = 'open'", state, result, delegation["id"]
    )
    inbox.put_delegated(
        change, delegation["from_item"], "reply", delegation["id"], result, inbox.PRIO_REPLY, wakes=wakes
    )
    change.db.write(
        "UPDATE waits SET state = ? WHERE kind = 'delegation' AND ref = ? AND state IN ('open', 'suspended')",
        "fired" if state == "replied" else "void",
        delegation["id"],
    )
    change.log(f"delegation.{state}", plan=delegation["plan"], ticket=delegation["ticket"], delegation=delegation["id"])


def _resolved(change: Change, turn: sqlite3.Row, to: int | str) -> int:
    """The other Bot that is asked, present where this matter is at home. Raises `Refused`."""
    found = [bot for name, bot in household.roster(change.db).items() if to in (name, bot)]
    if not found or found[0] == turn["bot"]:  # DEL-06 DEL-08
        raise Refused(f"{to!r} is no other Bot.")
    places = change.db.rows(  # DEL-07
        "SELECT ?1 AS session UNION SELECT session FROM work_items WHERE id = ?2"
        " UNION SELECT session FROM plans WHERE id = ?3",
        turn["session"],
        turn["work_item"],
        turn["plan"],
    )
    if not any(found[0] in household.members(change.db, place["session"]).values() for place in places):
        raise Refused(f"{to!r} is not present where this matter is.")
    return found[0]


def _check_matter(change: Change, turn: sqlite3.Row, wanted: _Request) -> None:
    """See that what a request names is of its matter. Raises `Refused`."""
    plan = change.db.value("SELECT plan FROM tickets WHERE id = ?", wanted.ticket)
    if wanted.ticket is not None and plan != turn["plan"]:  # DEL-09
        raise Refused(f"{wanted.ticket} is no ticket of this plan.")
    known = [row["name"] for row in change.db.rows("SELECT name FROM parts WHERE ticket IS ?", wanted.ticket)]
    strange = [part for part in wanted.parts if part not in known]
    if strange:  # DEL-09
        raise Refused(f"{', '.join(strange)}: no part of that ticket.")
    for requirement in wanted.requirement_ids:  # DEL-10
        row = change.db.row("SELECT * FROM requirements WHERE id = ?", requirement)
        if row is None or row["state"] != "active" or row["plan"] not in (None, turn["plan"]):
            raise Refused(f"Requirement {requirement} is not in force for this work.")


def _collaboration(change: Change, turn: sqlite3.Row, to: int) -> int:
    """The collaboration chat of exactly two Bots, made where there is none (DEL-11)."""
    found = change.db.value(
        "SELECT s.id FROM sessions s WHERE s.collaboration = 1 AND s.state = 'open' AND"
        " (SELECT group_concat(bot) FROM (SELECT bot FROM session_participants WHERE session = s.id ORDER BY bot)) = ?",
        ",".join(map(str, sorted((turn["bot"], to)))),
    )
    if found is not None:
        return int(found)
    return household.open_chat(change, turn["bot"], to, source=turn["session"], collaboration=True)
