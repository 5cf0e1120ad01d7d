"""What the user does to entries of the ledger: by their buttons, and by the lines of rules and acceptance on the board.

A line written there is an entry in force; a line deleted lays down what stands on the same words, but for other plans
that still hold on to them.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from threadrebuild.collab import edited_away, plans, quotes, requirements
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.events import RequirementActed
from threadrebuild.collab.understanding import folded
from threadrebuild.database import Database

LINES = ("acceptance", "rules")
"""Of a plan's points: what the user asks for there, line by line."""


class Doing(NamedTuple):
    """What the user does in a plan's list: the action on record, and the version of the points that it was done to."""

    change: Change
    plan: int
    action: int
    revision: int

    def log(self, step: str, requirement: int, **more: Any) -> None:
        """Put a step on record, naming the version that the user changed."""
        self.change.log(  # REQ-26
            f"requirement.{step}", plan=self.plan, requirement=requirement, revision=self.revision, **more
        )


def act(change: Change, event: RequirementActed) -> None:
    """Do what a button of an entry says.

    Raises `Missing` for an entry or plan that is not there, `Conflict` where the entry has no such button there.
    """
    requirements.entry(change.db, event.requirement)
    revision = plans.newest_revision(change.db, event.plan)["number"]
    listed = {row["id"]: row for row in requirements.listed(change.db, event.plan)}
    row = listed.get(event.requirement)
    if row is None or event.action not in offered(change.db, event.plan, row):  # REQ-45
        raise Conflict("requirement_settled", f"requirement {event.requirement} is not to {event.action} any more")
    doing = Doing(change, event.plan, change.user_action("button", event.key), revision)
    match event.action:
        case "confirm":
            _confirm(doing, row)
        case "not_a_requirement" | "no_longer_applies":
            _end(doing, row, event.action)
        case "not_for_this_plan":
            _set_aside(doing, row)
        case "restore":
            _restore(doing, row)
        case "whole_conversation":
            _widen(doing, row)
        case "keep":
            edited_away.keep(change, row["id"])  # REQ-47
            doing.log("kept", row["id"])


def confirm(change: Change, plan: int, row: sqlite3.Row, action: int) -> None:
    """Put an entry in force that waited for that, as the user has it by another button."""
    _confirm(Doing(change, plan, action, plans.newest_revision(change.db, plan)["number"]), row)


def offered(db: Database, plan: int, row: sqlite3.Row) -> tuple[str, ...]:
    """The buttons of an entry in a plan's list; of one that an edit has taken away those that answer this first."""
    found = _offered(db, plan, row)
    if row["edited_away"] is None or row["inherited"]:
        return found
    ending = "not_a_requirement" if row["state"] == "pending" else "no_longer_applies"
    return tuple(dict.fromkeys((ending, "keep", *found)))


def _offered(db: Database, plan: int, row: sqlite3.Row) -> tuple[str, ...]:
    if row["state"] in ("pending", "legacy"):
        return "confirm", "not_a_requirement"
    if row["set_aside"]:
        return ("restore",)
    if row["inherited"]:
        return ("not_for_this_plan",)
    wider = ("whole_conversation",) if row["scope"] in ("ticket", "plan") and _session(db, plan) is not None else ()
    return wider if _is_on_board(db, plan, row) else ("no_longer_applies", *wider)


def board_edited(
    change: Change,
    plan: int,
    action: int,
    revision: int,
    before: dict[str, Any],
    after: dict[str, Any],
    added: Iterable[tuple[str, int]],
) -> None:
    """Take over into the ledger what the user has changed of a plan's rules and acceptance, at a version of them.

    `added` are the lines that are new in their place, each with the quote that was kept of it.
    """
    doing = Doing(change, plan, action, revision)
    had, has = (Counter(_words(each) for name in LINES for each in points[name]) for points in (before, after))
    new = has - had
    for line, quote in added:
        words = _words(line)
        if words and new[words]:
            new[words] -= 1
            _write(doing, line, quote)
    for words in had:
        if words and not has[words]:  # REQ-22
            _lay_down(doing, words)


def _write(doing: Doing, line: str, quote: int) -> None:
    """A line of the board is an entry, or what there is of the same words counts, once more."""
    change, plan = doing.change, doing.plan
    known = [
        row
        for row in requirements.same_words(requirements.listed(change.db, plan), line)
        if row["scope"] != "ticket"  # REQ-21
    ]
    if not known:
        doing.log(  # REQ-21
            "written", requirements.add(change, quote, line, plan=plan, source="board", scope="plan")
        )
        return
    row = min(known, key=lambda each: (each["state"] != "active", each["set_aside"]))
    requirements.say_again(change, row["id"], quote, plan)  # REQ-21
    doing.log("said_again", row["id"])
    if row["state"] != "active":
        _confirm(doing, row)  # REQ-21
    elif row["set_aside"]:
        doing.log("restored", row["id"])


def _lay_down(doing: Doing, words: str) -> None:
    """Nothing that stands on the words of a line deleted is in force for the plan any more, nor an old rule of it."""
    db, plan = doing.change.db, doing.plan
    for row in requirements.listed(db, plan):
        if folded(row["span"]) != words or row["scope"] == "ticket" or row["state"] == "pending" or row["set_aside"]:
            continue
        if row["scope"] in ("conversation", "standing") and _is_held_elsewhere(db, row, plan):  # REQ-23
            _set_aside(doing, row)
        else:
            _end(doing, row, "not_a_requirement" if row["state"] == "legacy" else "no_longer_applies")  # REQ-22 REQ-25


def _is_held_elsewhere(db: Database, row: sqlite3.Row, plan: int) -> bool:
    """Whether another plan holds on to an entry, or the user has said by a button that it is for all of them."""
    if row["widened_by"] is not None:  # REQ-24
        return True
    out = {each["plan"] for each in db.rows("SELECT plan FROM requirement_exceptions WHERE requirement = ?", row["id"])}
    said = {each["plan"] for each in db.rows("SELECT plan FROM requirement_said WHERE requirement = ?", row["id"])}
    others = db.rows("SELECT id FROM plans WHERE id <> ?", plan)
    return any(
        other["id"] in said  # REQ-24
        or other["id"] == row["plan"]  # REQ-24
        or (_is_for(db, row, other["id"]) and _is_on_board(db, other["id"], row))  # REQ-24
        for other in others
        if other["id"] not in out  # REQ-24
    )


def _is_for(db: Database, row: sqlite3.Row, plan: int) -> bool:
    return any(each["id"] == row["id"] for each in requirements.listed(db, plan))


def _is_on_board(db: Database, plan: int, row: sqlite3.Row) -> bool:
    """Whether an entry's words are a line of a plan's rules or acceptance."""
    points = plans.points_of(db, plan)
    return folded(row["span"]) in {_words(each) for name in LINES for each in points.get(name) or ()}


def _confirm(doing: Doing, row: sqlite3.Row) -> None:
    """Put an entry in force that waited for that; what it replaces is not in force any more.

    Raises `Conflict` for one that would replace what was said later than it was.
    """
    change = doing.change
    if row["quote"] is None:
        # What the user confirms are the user's words from now on.
        quote = quotes.keep_filed(change, "board", row["span"], row["plan"], None)
        change.db.write("UPDATE requirements SET quote = ? WHERE id = ?", quote, row["id"])
    change.db.write("UPDATE requirements SET state = 'active' WHERE id = ?", row["id"])
    old = change.db.row("SELECT * FROM requirements WHERE id = ? AND state = 'active'", row["replaces"])
    if old is not None:
        try:
            with change.db.attempt():
                _end(doing, old, "superseded")
        except sqlite3.IntegrityError:
            raise Conflict("earlier_words", f"R-{old['number']} was said later than what would replace it") from None
    doing.log("confirmed", row["id"])


def _end(doing: Doing, row: sqlite3.Row, state: requirements.State) -> None:
    doing.change.db.write(
        "UPDATE requirements SET state = ?, ended_by = ? WHERE id = ?", state, doing.action, row["id"]
    )
    doing.log(state, row["id"])


def _set_aside(doing: Doing, row: sqlite3.Row) -> None:
    doing.change.db.write(  # REQ-33
        "INSERT INTO requirement_exceptions (requirement, plan, by) VALUES (?, ?, ?)",
        row["id"],
        doing.plan,
        doing.action,
    )
    doing.log("not_for_this_plan", row["id"])


def _restore(doing: Doing, row: sqlite3.Row) -> None:
    requirements.apply_again(doing.change, row["id"], doing.plan)
    doing.log("restored", row["id"])


def _widen(doing: Doing, row: sqlite3.Row) -> None:
    doing.change.db.write(  # REQ-30
        "UPDATE requirements SET scope = 'conversation', ticket = NULL, session = ?, widened_by = ? WHERE id = ?",
        _session(doing.change.db, doing.plan),
        doing.action,
        row["id"],
    )
    doing.log("widened", row["id"])


def _session(db: Database, plan: int) -> int | None:
    found: int | None = db.value("SELECT session FROM plans WHERE id = ?", plan)
    return found


def _words(line: str) -> str:
    return folded(line.strip()[: requirements.LONGEST])
