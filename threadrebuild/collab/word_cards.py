"""The one card about a check from the user's words: another number was said than the one that is in force.

    {"kind": "measured_card", "check": proposal, "gate": check in force, "offer": [...], "labels": {...}, "fills": "…"}

A card that other words or the user's choice elsewhere have overtaken is `"withdrawn"`. Earlier versions asked on cards
about each proposal, and about what had to be checked: those have a `check` and an `offer` too, and can be pressed.
"""

import json
import sqlite3
from typing import Any

from threadrebuild.collab import interface, measures, messages, statements
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.measures import Item

KIND = "measured_card"
CONFIRM, AMEND, DROP = "confirm_check", "amend_check", "drop_check"
ACTIONS = (CONFIRM, AMEND, DROP)
FILLS: dict[Item, str] = {
    "duration": "片长改成 ",
    "resolution": "分辨率改成 ",
    "aspect": "画幅改成 ",
    "frame_rate": "帧率改成 ",
}
"""What stands in the user's input box when a number is to be amended: what is said then is what counts."""


def ask(change: Change, gate: sqlite3.Row, proposal: sqlite3.Row, times: int) -> None:
    """Ask which of two numbers is to count, where the plan is at home, if the user is there."""
    withdraw(change, proposal["id"])
    session = change.db.row(
        "SELECT s.* FROM sessions s JOIN plans p ON p.session = s.id WHERE p.id = ?", proposal["plan"]
    )
    if session is None or not _user_is_in(session):  # WORDS-19
        return
    now, new = (measures.worded(statements.measure_of(check)) for check in (gate, proposal))
    text = interface.line(change.db, "two numbers", now=now, new=new)
    if times > 1:  # WORDS-17
        text = f"{interface.line(change.db, 'said again', times=str(times))}{text}"
    card = messages.note(change, session["id"], text)
    data = {
        "kind": KIND,
        "check": proposal["id"],
        "gate": gate["id"],
        "offer": ACTIONS,  # WORDS-17
        "labels": {action: interface.line(change.db, action) for action in ACTIONS},  # WORDS-17
        "fills": FILLS[proposal["item"]],
    }
    _write(change, card, data)
    change.log("check.replacement_asked", plan=proposal["plan"], check=proposal["id"], gate=gate["id"], times=times)


def withdraw(change: Change, check: int) -> None:
    """Let nobody press the cards about a proposal any more."""
    for card in change.db.rows(
        "SELECT id, control FROM messages WHERE json_extract(control, '$.kind') = ?"
        " AND json_extract(control, '$.check') = ? ORDER BY id",
        KIND,
        check,
    ):
        data = json.loads(card["control"])
        if "acted" not in data:
            _write(change, card["id"], data | {"withdrawn": True, "offer": []})  # WORDS-18


def refuse_withdrawn(data: dict[str, Any]) -> None:
    """Raises `Conflict` for a card that was overtaken."""
    if data.get("withdrawn"):  # WORDS-19
        raise Conflict("withdrawn", "other words came after this, or it was settled elsewhere")


def _user_is_in(session: sqlite3.Row) -> bool:
    return session["kind"] in ("direct", "group") and session["state"] == "open"  # WORDS-19


def _write(change: Change, card: int, data: dict[str, Any]) -> None:
    change.db.write("UPDATE messages SET control = ? WHERE id = ?", json.dumps(data, ensure_ascii=False), card)
