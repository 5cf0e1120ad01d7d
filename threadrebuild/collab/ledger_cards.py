"""Cards about the ledger from earlier versions. None is posted any more, but those that were posted can be pressed.

    {"card": "standing", "kind": "背景连贯"}     whether every film is to keep to what was asked for in several plans
    {"card": "legacy", "entries": [5, 6]}       whether rules from before the ledger were the user's

A card about old rules has no buttons, and says why, once all of them were settled on the board.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import nature, requirement_actions
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

MAKE_STANDING, ALL_MINE, ONE_BY_ONE = "make_standing", "all_mine", "one_by_one"
OFFERS = {
    "standing": (MAKE_STANDING,),  # REQ-34
    "legacy": (ALL_MINE, ONE_BY_ONE),  # REQ-34
}
ACTIONS = (MAKE_STANDING, ALL_MINE, ONE_BY_ONE)


def offer(db: Database, data: dict[str, Any]) -> tuple[str, ...]:
    """What the buttons of a card are that nobody has pressed."""
    return () if is_settled(db, data) else OFFERS.get(data.get("card", ""), ())


def has_button(data: dict[str, Any], action: str) -> bool:
    """Whether a card was posted with a button, whether or not it is still shown."""
    return action in OFFERS.get(data.get("card", ""), ())


def is_settled(db: Database, data: dict[str, Any]) -> bool:
    """Whether a card about old rules has none left, whoever has settled them; one that was pressed has not."""
    return (
        data.get("card") == "legacy"
        and "acted" not in data  # REQ-39
        and not _still_old(db, data)  # REQ-39
    )


def make_standing(change: Change, session: int, data: dict[str, Any], action: int) -> list[int]:
    """Let every film keep to the entries of the card's kind that it could still ask about; returns them."""
    found = [row for row in _all(change.db) if _may_stand(row, session, data["kind"])]
    for row in found:
        change.db.write("UPDATE requirements SET scope = 'standing', widened_by = ? WHERE id = ?", action, row["id"])
        change.log("requirement.standing", plan=row["plan"], requirement=row["id"])
    return [row["id"] for row in found]


def all_mine(change: Change, data: dict[str, Any], action: int) -> list[int]:
    """Put the old rules of a card in force that nobody has settled; returns them."""
    found = _still_old(change.db, data)
    for row in found:
        requirement_actions.confirm(change, row["plan"], row, action)  # REQ-39
    return [row["id"] for row in found]


def _may_stand(entry: sqlite3.Row, session: int, kind: str) -> bool:
    return (
        entry["state"] == "active"  # REQ-35
        and entry["scope"] in ("plan", "conversation")  # REQ-35
        and entry["home"] == session  # REQ-35
        and entry["item"] is None  # REQ-35
        and nature.of_entry(entry) == "craft"  # REQ-35
        and nature.is_of_kind(entry, kind)  # REQ-35
    )


def _all(db: Database) -> list[sqlite3.Row]:
    """The entries of the ledger, each with the conversation that it, or its plan, belongs to as its `home`."""
    return db.rows(
        "SELECT r.*, iif(r.scope = 'conversation', r.session, p.session) AS home"
        " FROM requirements r JOIN plans p ON p.id = r.plan ORDER BY r.id"
    )


def _still_old(db: Database, data: dict[str, Any]) -> list[sqlite3.Row]:
    named = [db.row("SELECT * FROM requirements WHERE id = ?", number) for number in data["entries"]]
    return [row for row in named if row is not None and row["state"] == "legacy"]  # REQ-39
