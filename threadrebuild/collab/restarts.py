"""Stopped work that goes on: how far it had got is on the hold's record, and is told to its Bot alone in a note.

A segment that another hold still covers is handed over to that one, and goes on once that is lifted.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import holds, inbox, private
from threadrebuild.collab.change import Change

LAST_CALLS = 3
Record = dict[str, Any]
"""How far a segment had got when it was stopped, as it stands on its hold's record."""


def where_it_stood(change: Change, turn: int) -> Record:
    """How far a segment has got: its plan and session, its last step, files written, its last calls (HOLD-16)."""
    row = change.db.row("SELECT id AS turn, bot, plan, ticket, session, hops AS step FROM turns WHERE id = ?", turn)
    assert row is not None
    files = change.db.rows("SELECT DISTINCT path FROM artifacts WHERE turn = ? AND written = 1 ORDER BY id", turn)
    calls = change.db.rows(
        "SELECT name, arguments FROM (SELECT * FROM calls WHERE turn = ? ORDER BY id DESC LIMIT ?) ORDER BY id",
        turn,
        LAST_CALLS,
    )
    return {
        **dict(row),
        "files": [each["path"] for each in files],
        "calls": [f"{each['name']} {each['arguments']}" for each in calls],
    }


def of_hold(change: Change, hold: int) -> list[Record]:
    """The segments that a hold stopped, and those handed over to it; `by_stop` says whether a Stop ended it."""
    row = holds.hold_of(change.db, hold)
    record = holds.record_of(row)
    own = [each | {"by_stop": bool(row["by_stop"])} for each in record.get("stopped_turns", [])]
    return [*own, *record.get("held_over", [])]


def hand_over(change: Change, hold: int) -> None:
    """Hand the segments of a lifted hold over to others that cover them still: to a Stop's only where there is none."""
    for stopped in of_hold(change, hold):
        still = holds.over(change.db, "turn", stopped["turn"])
        still.sort(key=lambda other: bool(other["by_stop"]))  # HOLD-87
        for to in still[:1]:
            before = holds.record_of(to).get("held_over", [])
            holds.note(change, to["id"], held_over=[*before, stopped])  # HOLD-87


def by_button(change: Change, hold: int, words: str = "") -> list[Record]:
    """Let what a hold has stopped go on, but for what a Stop has ended; returns what goes on."""
    return [
        each
        for each in of_hold(change, hold)
        if not each["by_stop"]  # HOLD-85
        if restart(change, hold, each, words)
    ]


def restart(change: Change, hold: int, stopped: Record, words: str = "") -> bool:
    """Let one stopped segment go on where it ran, with a note that only its Bot reads; whether it does.

    `words` are those of the user that let it go on. It does not where another hold covers it, where its Bot goes on
    there already, where it was cleared, or where its plan was given up.
    """
    old = change.db.row("SELECT * FROM turns WHERE id = ?", stopped["turn"])
    if old is None or holds.over(change.db, "turn", old["id"]) or _goes_on(change, old):
        return False
    if change.db.value("SELECT status FROM plans WHERE id = ?", old["plan"]) == "abandoned":  # DESK-39
        return False
    said = _note(change, hold, stopped, words)
    matter = change.db.value("SELECT plan FROM hold_subjects WHERE kind = 'turn' AND id = ?", old["id"])
    item = private.work_item(change, old["bot"], old["plan"], old["ticket"], old["session"])
    copy = private.put(
        change,
        item,
        "restart",
        said,
        old["session"],
        matter,
        prio=inbox.PRIO_USER,
        continues=old["id"],  # HOLD-90
    )
    change.log("work.restarted", bot=old["bot"], plan=old["plan"], ticket=old["ticket"], turn=old["id"], hold=hold)
    private.wake(change, copy)
    return True


def _goes_on(change: Change, old: sqlite3.Row) -> bool:
    """Whether a Bot has gone on with the matter of a stopped segment: where it ran, or by a line that lets it."""
    matter = change.db.value("SELECT plan FROM hold_subjects WHERE kind = 'turn' AND id = ?", old["id"])
    later = change.db.value(
        "SELECT 1 FROM turns t JOIN hold_subjects s ON s.kind = 'turn' AND s.id = t.id"
        " WHERE t.bot = ? AND t.id > ? AND t.session = ? AND t.mode <> 'readonly' AND s.plan IS ?",
        old["bot"],
        old["id"],
        old["session"],
        matter,
    )
    waits = change.db.value(
        "SELECT 1 FROM inbox_items i JOIN hold_subjects s ON s.kind = 'item' AND s.id = i.id"
        " WHERE i.seq = ? AND i.state = 'queued' AND i.wakes = 1 AND s.bot = ? AND s.plan IS ?"
        " AND (s.plan IS NOT NULL OR s.session = ?)",
        change.event,
        old["bot"],
        matter,
        old["session"],
    )
    return bool(later or waits)  # HOLD-86 CTRL-29


def _note(change: Change, hold: int, stopped: Record, words: str) -> str:
    """What a Bot is told of work that goes on: what happened, and no more (HOLD-88)."""
    row = holds.hold_of(change.db, hold)
    asked = change.db.value("SELECT text FROM messages WHERE id = ?", row["source_message"])
    plan = change.db.value("SELECT name FROM plans WHERE id = ?", stopped["plan"])
    ticket = change.db.row("SELECT number, title FROM tickets WHERE id = ?", stopped["ticket"])
    said = [
        f"The user had stopped this{_quoted(asked)}.",  # HOLD-88
        f"The user has let it go on{_quoted(words)}.",
        f"Plan: {plan or 'none'}",  # HOLD-88
        f"Ticket: {'none' if ticket is None else f'{ticket[0]:02} {ticket[1]}'}",  # HOLD-88
        f"Files written: {', '.join(stopped['files']) or 'none'}",  # HOLD-88
        f"Last calls: {'; '.join(stopped['calls']) or 'none'}",  # HOLD-88
    ]
    return "\n".join(said)


def _quoted(words: str | None) -> str:
    return f": “{words}”" if words else ""
