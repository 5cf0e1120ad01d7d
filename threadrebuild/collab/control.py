"""Control lines: what the user says to stop or go on, and the buttons on such lines.

Only a reading says that a line is one; whom it means is told by fixed rules (`scopes`). A line that only stops is
carried out and goes nowhere else. One that stops beside other words, or both stops and goes on, goes its way like any
other, and gets buttons. What the application has to do with a line stands in `messages.control`, as JSON:

    {"kind": "stop", "made": [hold, …]}                            carried out
    {"kind": "handed_back"}                                        that was undone, and it is a line like any other
    {"kind": "possible_control", "offer": ["stop", "continue"],    buttons; without "continue" where there was nothing
     "scopes": [{"kind": "bot", "bot": 2}, …]}                     to lift; each scope as the fields of `Scope`
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from threadrebuild.collab import holds, household, interface, ledger_cards, messages, reader, scopes
from threadrebuild.collab.change import Change
from threadrebuild.collab.scope import Scope
from threadrebuild.database import Database

STOP, CONTINUE = "stop", "continue"
HANDED_BACK = '{"kind": "handed_back"}'
"""What a line carries that was carried out as a stop, and was handed out after all."""


def only_stops(change: Change, message: sqlite3.Row) -> bool:
    """Whether a line is to be carried out as a stop and nothing else; one that was handed back is not read for that."""
    return (
        change.level >= holds.FROM_LEVEL  # HOLD-12
        and message["control"] is None  # READ-07
        and reader.only_stops(change.db, message["id"])
    )


def carry_out(change: Change, message: sqlite3.Row) -> None:
    """Make the holds that a line asks for which says stop and nothing else; it goes nowhere else (CTRL-6)."""
    asked = scopes.of_line(change.db, message)
    made: list[int] = []
    for scope in asked:
        made.append(holds.make(change, scope, source="user_text", message=message["id"]))  # CTRL-6 CTRL-7 READ-04
    _note(change, message, {"kind": "stop", "made": made})
    change.db.write("UPDATE messages SET state = 'delivered', filing = 'none' WHERE id = ?", message["id"])
    messages.leave_unfiled(change, message["id"])


def offer(change: Change, message: sqlite3.Row) -> None:
    """Put buttons on a line that stops beside other words, or may do either; nothing of it is carried out.

    To go on is offered only for what is still held once the line itself has lifted what it is about.
    """
    if change.level < holds.FROM_LEVEL or message["control"] is not None:
        return
    read = reader.understood(change.db, message["id"])
    says = "neither" if read is None else read.control  # CTRL-3
    if says not in ("stop", "both"):  # CTRL-11 CTRL-15
        return
    asked = scopes.of_line(change.db, message)
    offered = [STOP]
    if (
        says == "both"  # CTRL-13
        and could_lift(change.db, asked)  # CTRL-14
    ):
        offered.append(CONTINUE)
    _note(change, message, {"kind": "possible_control", "offer": offered, "scopes": known(asked)})  # CTRL-12 READ-06


def shown(db: Database, message: sqlite3.Row) -> dict[str, Any] | None:
    """What a line carries as it is now: what has become pointless is not offered any more, and a card may say why."""
    if message["control"] is None:
        return None
    data: dict[str, Any] = json.loads(message["control"])
    if CONTINUE in data.get("offer", ()) and not could_lift(db, scopes_of(data)):  # CTRL-14
        data["offer"] = [each for each in data["offer"] if each != CONTINUE]
    if ledger_cards.is_settled(db, data):
        data["note"] = interface.line(db, "settled on the board")  # REQ-39
    return data


def known(asked: Sequence[Scope]) -> list[dict[str, Any]]:
    """Scopes as they stand with the buttons that are about them."""
    return [{field: value for field, value in scope._asdict().items() if value is not None} for scope in asked]


def scopes_of(data: dict[str, Any]) -> list[Scope]:
    """The scopes that a line's buttons are about."""
    return [Scope(**scope) for scope in data.get("scopes", ())]


def was_carried_out(message: sqlite3.Row) -> bool:
    """Whether a line was carried out, and so cannot be changed any more."""
    return message["control"] is not None and json.loads(message["control"])["kind"] == "stop"


def could_lift(db: Database, asked: Sequence[Scope]) -> list[sqlite3.Row]:
    """The holds that stand in the way of what is asked about: those within it, and those that are wider."""
    return [
        hold
        for hold in holds.active(db)
        if any(_is_within(db, hold, scope) or _is_over(db, hold, scope) for scope in asked)
    ]


def is_wider(db: Database, hold: sqlite3.Row, asked: Sequence[Scope]) -> bool:
    """Whether a hold covers more than any of what is asked about."""
    return not any(_is_within(db, hold, scope) for scope in asked)


def _is_within(db: Database, hold: sqlite3.Row, scope: Scope) -> bool:
    if scope.kind == "everything" or hold["scope"] == "everything":
        return scope.kind == "everything"
    turn = db.row("SELECT * FROM hold_subjects WHERE kind = 'turn' AND id = ?", hold["turn"])
    plan = hold["plan"] or (turn and turn["plan"]) or db.value("SELECT plan FROM tickets WHERE id = ?", hold["ticket"])
    if scope.kind == "bot":
        return scope.bot in (hold["bot"], turn and turn["bot"])  # CTRL-36
    if scope.kind == "plan":
        return bool(plan == scope.plan)
    session = hold["session"] or (turn and turn["session"]) or db.value("SELECT session FROM plans WHERE id = ?", plan)
    return bool(session == scope.session)


def _is_over(db: Database, hold: sqlite3.Row, scope: Scope) -> bool:
    if hold["scope"] == "everything":
        return True
    if scope.kind == "plan":
        home = db.value("SELECT session FROM plans WHERE id = ?", scope.plan)
        return home is not None and bool(hold["session"] == home)
    works_there = "SELECT 1 FROM work_items WHERE plan = ? AND bot = ?"
    in_plan = hold["scope"] == "plan" and db.value(works_there, hold["plan"], scope.bot)
    return scope.kind == "bot" and bool(in_plan or _present(db, hold["session"], scope.bot))


def _present(db: Database, session: int | None, bot: int | None) -> bool:
    return session is not None and bot in household.members(db, session).values()


def _note(change: Change, message: sqlite3.Row, data: dict[str, Any]) -> None:
    known = json.dumps(data, ensure_ascii=False)
    change.db.write("UPDATE messages SET control = ? WHERE id = ?", known, message["id"])  # CTRL-50
