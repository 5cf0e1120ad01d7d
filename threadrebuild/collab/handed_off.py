"""What a Bot has handed off and not got back: a stop of the Bot stops that too, three levels down.

Work is handed off by a line that opens another Bot's segment, or by a delegation. A line back to whoever handed it off
hands off nothing: that Bot goes on with its own work.
"""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from threadrebuild.collab.change import Change
from threadrebuild.database import Database

LEVELS_DOWN = 3  # HOLD-8 DEL-36
BY_THE_USER = ("user_text", "user_button")
_STILL_ASKED_FOR = (
    "SELECT d.*, b.bot, b.plan AS of_plan FROM delegations d JOIN work_items b ON b.id = d.to_item"
    " WHERE d.state = 'open' AND d.plan IS b.plan AND d.ticket IS b.ticket AND b.plan IS NOT NULL"
)
"""The delegations that are open and whose plan and ticket are those of the work they went to."""


class _Work(NamedTuple):
    """A segment, or a Bot's work as a whole, as far as it was handed off to somebody."""

    kind: str
    id: int


def cover(change: Change, hold: int) -> None:
    """Fix what a hold covers besides its scope: what covered work has handed off, and what that has in turn."""
    if change.db.value("SELECT source FROM holds WHERE id = ?", hold) not in BY_THE_USER:
        return
    turns = [turn for turn in _going_on(change.db) if _is_below(change.db, hold, _Work("turn", turn))]
    # What its lines would still wake is covered with a segment, whether that is itself in the hold's scope or below.
    turns += [
        turn
        for turn in _with_unread_lines(change.db)
        if _is_in(change.db, hold, _Work("turn", turn)) or _is_below(change.db, hold, _Work("turn", turn))
    ]
    given = [
        (each["bot"], each["of_plan"])
        for each in change.db.rows(f"{_STILL_ASKED_FOR} ORDER BY d.id")
        if _is_below(change.db, hold, _Work("work_item", each["to_item"]))
    ]
    for turn in dict.fromkeys(turns):
        change.db.write("INSERT INTO hold_cover (hold, turn) VALUES (?, ?)", hold, turn)
    for bot, plan in dict.fromkeys(given):
        change.db.write(
            "INSERT INTO hold_cover (hold, bot, plan) VALUES (?, ?, ?)", hold, bot, plan
        )  # DEL-36 DEL-37 DEL-38


def _going_on(db: Database) -> Iterator[int]:
    """The segments that another Bot's line opened and that are not over, or will be looked at again."""
    rows = db.rows(
        "SELECT id FROM turns WHERE ifnull(woken_by_turn, continues) IS NOT NULL"
        " AND (id IN (SELECT id FROM live_turns) OR id IN"
        " (SELECT made_by_turn FROM waits WHERE kind = 'timer' AND state IN ('open', 'suspended'))) ORDER BY id"
    )
    return (row["id"] for row in rows)


def _with_unread_lines(db: Database) -> Iterator[int]:
    """The segments that have said something to a Bot, other than in answer, which it has not read yet."""
    rows = db.rows(
        "SELECT DISTINCT i.woken_by_turn, w.bot FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.state IN ('queued', 'held') AND i.woken_by_turn IS NOT NULL ORDER BY i.woken_by_turn, w.bot"
    )
    for row in rows:
        if all(each["bot"] != row["bot"] for each in _handed_down(db, row["woken_by_turn"])):
            yield row["woken_by_turn"]


def _is_below(db: Database, hold: int, work: _Work) -> bool:
    """Whether something in a hold's scope has handed work off to this, or to what has handed it on to this."""
    level = {work}
    for _ in range(LEVELS_DOWN):
        level = {above for each in level for above in _above(db, each)}
        if any(_is_in(db, hold, each) for each in level):
            return not _is_in(db, hold, work)
    return False


def _above(db: Database, work: _Work) -> Iterator[_Work]:
    """What has handed work off to this."""
    item: int | None = work.id
    if work.kind == "turn":
        item = db.value("SELECT work_item FROM turns WHERE id = ?", work.id)
        handed_down = _handed_down(db, work.id)
        yield from (_Work("turn", each["id"]) for each in handed_down[-2:-1])
    to_this = " AND EXISTS (SELECT 1 FROM work_items t WHERE t.id = ? AND t.bot = b.bot AND t.plan = b.plan)"
    for each in db.rows(f"{_STILL_ASKED_FOR}{to_this} ORDER BY d.id", item):
        yield _Work("work_item", each["from_item"])
        if each["turn"] is not None:
            yield _Work("turn", each["turn"])


def _handed_down(db: Database, turn: int) -> list[sqlite3.Row]:
    """By which segments work was handed down, line by line, to one: each of another Bot, the segment itself last."""
    woken = db.rows(
        "WITH RECURSIVE up(id, bot, by, n) AS ("
        "   SELECT id, bot, ifnull(woken_by_turn, continues), 0 FROM turns WHERE id = ?"
        "   UNION ALL"
        "   SELECT t.id, t.bot, ifnull(t.woken_by_turn, t.continues), u.n + 1 FROM turns t JOIN up u ON t.id = u.by)"
        " SELECT id, bot FROM up ORDER BY n DESC",
        turn,
    )
    found: list[sqlite3.Row] = []
    for each in woken:
        above = []
        for one in found:
            if one["bot"] == each["bot"]:  # HOLD-9
                break
            above.append(one)
        found = [*above, each]
    return found


def _is_in(db: Database, hold: int, work: _Work) -> bool:
    return bool(db.value("SELECT 1 FROM hold_hits WHERE hold = ? AND kind = ? AND id = ?", hold, *work))
