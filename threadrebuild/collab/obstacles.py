"""What is in the way of somebody who is to go on: holds that are wider than what was asked about.

The user is told which they are. To let one Bot go on alone, such a hold is split into one for each other Bot.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from threadrebuild.collab import control, holds, household, localtime, messages, restarts, stop
from threadrebuild.collab.change import Change
from threadrebuild.collab.scope import Scope
from threadrebuild.database import Database


def tell(change: Change, session: int, asked: Sequence[Scope], found: Sequence[sqlite3.Row]) -> None:
    """Write which holds are in the way, with buttons; what still runs under them is stopped first, as it must not."""
    said = ["Not let go on yet. In the way:"]
    for hold in found:
        _stop_what_runs(change, hold)  # CTRL-38
        said.append(_described(change.db, hold))
    named = any(scope.bot is not None for scope in asked)
    data = {
        "kind": "status",  # CTRL-51
        "offer": [*(["only_continue"] if named else []), "continue_all"],  # CTRL-37
        "scopes": control.known(asked),
        "held_ids": [hold["id"] for hold in found],
    }
    line = messages.note(change, session, "\n".join(said))
    change.db.write("UPDATE messages SET control = ? WHERE id = ?", json.dumps(data, ensure_ascii=False), line)


def split(change: Change, hold: sqlite3.Row, spared: Collection[int]) -> None:
    """Make a hold for each other Bot than those spared, of all that this one covers, citing the same line.

    What it has stopped of other Bots, and would still be let go by that, gets one of its own.
    """
    made = [_like(change, hold, scope) for scope in dict.fromkeys(_per_bot(change, hold, spared))]
    for stopped in restarts.of_hold(change, hold["id"]):
        still = {other["id"] for other in holds.over(change.db, "turn", stopped["turn"])}
        if stopped["bot"] not in spared and not still & set(made):  # CTRL-39
            _like(change, hold, Scope("turn", turn=stopped["turn"]))


def _like(change: Change, hold: sqlite3.Row, scope: Scope) -> int:
    """A hold that stands for a part of another one, and ends by what that would have ended by."""
    return holds.make(
        change,
        scope,
        source=hold["source"],
        message=hold["source_message"],  # CTRL-39
        void=bool(hold["void"]),
    )


def _per_bot(change: Change, hold: sqlite3.Row, spared: Collection[int]) -> Iterator[Scope]:
    if hold["scope"] == "everything":
        yield from (Scope("bot", bot=bot) for bot in household.roster(change.db).values() if bot not in spared)
        return
    for plan in _plans(change.db, hold):
        for bot in _at_work_in(change.db, plan):
            if bot not in spared:  # CTRL-40
                yield Scope("bot_in_plan", bot=bot, plan=plan)


def _plans(db: Database, hold: sqlite3.Row) -> list[int]:
    """The plan that a hold is on; of one on a session, the plans it parked and the one that is current there."""
    if hold["plan"] is not None:
        return [hold["plan"]]
    current = [row["id"] for row in db.rows("SELECT id FROM plans WHERE current_of = ?", hold["session"])]
    return list(dict.fromkeys([*(each["plan"] for each in holds.record_of(hold).get("parked", [])), *current]))


def _at_work_in(db: Database, plan: int) -> list[int]:
    """The Bots that may go on with a plan: those present where it is at home, and those who have work in it."""
    home = db.value("SELECT session FROM plans WHERE id = ?", plan)
    present = household.members(db, home).values() if home is not None else ()
    working = db.rows("SELECT DISTINCT bot FROM work_items WHERE plan = ? ORDER BY bot", plan)
    return list(dict.fromkeys([*present, *(row["bot"] for row in working)]))


def _stop_what_runs(change: Change, hold: sqlite3.Row) -> None:
    """End what runs under a hold and should not, and keep it on record."""
    running = _running(change.db, hold)
    for turn in running:
        stop.end_held(change, turn)  # CTRL-38
        change.log("hold.violation", turn=turn, hold=hold["id"])
    if running:
        before = holds.record_of(holds.hold_of(change.db, hold["id"])).get("violations", [])
        holds.note(change, hold["id"], violations=[*before, *running])  # CTRL-38


def _described(db: Database, hold: sqlite3.Row) -> str:
    """A hold as it is at this moment: what it is over, the line that made it, and what of it still runs."""
    over = _name(db, hold)
    words = db.value("SELECT text FROM messages WHERE id = ?", hold["source_message"])
    said = f"- {over}, held since {localtime.shown(db, hold['at'])}"
    if words:
        said += f": “{words}”"  # CTRL-51
    names = [
        db.value("SELECT b.name FROM turns t JOIN bots b ON b.id = t.bot WHERE t.id = ?", turn)
        for turn in _running(db, hold)
    ]
    return said + (f" (still running: {', '.join(names)})" if names else "")  # CTRL-51


def _running(db: Database, hold: sqlite3.Row) -> list[int]:
    rows = db.rows(
        "SELECT t.id FROM hold_hits x JOIN live_turns t ON t.id = x.id"
        " WHERE x.hold = ? AND x.kind = 'turn' AND t.mode IS NOT 'readonly' ORDER BY t.id",
        hold["id"],
    )
    return [row["id"] for row in rows]


def _name(db: Database, hold: sqlite3.Row) -> str:
    """What a hold is over, in words."""
    bot = db.value("SELECT name FROM bots WHERE id = ?", hold["bot"])
    plan = db.value("SELECT name FROM plans WHERE id = ?", hold["plan"])
    match hold["scope"]:
        case "everything":
            return "everything"
        case "bot":
            return f"all work of {bot}"
        case "session":
            return household.place(db, hold["session"])
        case "plan":
            return f"“{plan}”"
        case "bot_in_plan":
            return f"the work of {bot} on “{plan}”"
        case "ticket":
            return f"ticket “{db.value('SELECT title FROM tickets WHERE id = ?', hold['ticket'])}”"
        case _:
            return "one segment"
