"""Stopping, holding and lifting in a story: a hold is called by what it is over, as `bot 导演` or `session 剪辑组`."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from harness.scenario.collab.scene import Hold, Lift, Stop
from harness.world.rooms import Rooms, Unscripted
from threadrebuild.collab import events

OVER = {
    "everything": "'everything'",
    "bot": "'bot ' || b.name",
    "session": "'session ' || s.title",
    "plan": "'plan ' || p.name",
    "ticket": "'ticket ' || tp.name || '/' || k.number",
    "bot_in_plan": "'bot_in_plan ' || b.name || '/' || p.name",
    "turn": "'turn ' || h.turn",
}
"""How a hold of each scope is called, in SQL on `NAMED`."""
NAMED = (
    f"SELECT h.*, CASE h.scope {' '.join(f'WHEN {scope!r} THEN {name}' for scope, name in OVER.items())} END AS called"
    " FROM holds h LEFT JOIN bots b ON b.id = h.bot LEFT JOIN sessions s ON s.id = h.session"
    " LEFT JOIN plans p ON p.id = h.plan LEFT JOIN tickets k ON k.id = h.ticket LEFT JOIN plans tp ON tp.id = k.plan"
)
"""The holds, each with what it is called."""
Make = Callable[[str, int], events.Event]


def event_of(rooms: Rooms, entry: Stop | Hold | Lift, message: Callable[[str], int]) -> Make:
    """How an entry comes in, made of a key and a time; `message` gives the number of a line by its label.

    Raises `Unscripted` for what is not there.
    """
    match entry:
        case Stop():
            turn = _turn(rooms, entry.stop, message(entry.turn))
            return lambda key, at: events.StopPressed(key=key, at=at, turn=turn)
        case Hold():
            over = _scope(rooms, entry.hold, message)
            place = None if entry.menu is None else _only(rooms, "SELECT id FROM sessions WHERE title = ?", entry.menu)
            return lambda key, at: events.HoldMade(key=key, at=at, place=place, **over)
        case Lift():
            hold = _only(rooms, f"SELECT max(id) FROM ({NAMED}) WHERE called = ?", _called(rooms, entry.lift, message))
            return lambda key, at: events.HoldLifted(key=key, at=at, hold=hold)


def keep(rooms: Rooms) -> None:
    """Mark the newest hold void, as an older version has done it that works on the same file."""
    with closing(sqlite3.connect(rooms.folder / "rooms.db")) as store, store:
        store.execute("UPDATE holds SET void = 1 WHERE id = (SELECT max(id) FROM holds)")


def _called(rooms: Rooms, said: str, message: Callable[[str], int]) -> str:
    """What a hold is called in the store: there a turn has its number, in a story the line that opened it."""
    if not said.startswith("turn "):
        return said
    return f"turn {_scope(rooms, said, message)['turn']}"


def _scope(rooms: Rooms, said: str, message: Callable[[str], int]) -> dict[str, Any]:
    scope, _, name = said.partition(" ")
    if scope not in OVER:
        raise Unscripted(f"{said!r} begins with no scope of a hold: {', '.join(OVER)}")
    over: dict[str, Any] = {"scope": scope}
    first, _, second = name.partition("/")
    match scope:
        case "bot":
            over["bot"] = _only(rooms, "SELECT id FROM bots WHERE name = ?", name)
        case "session":
            over["session"] = _only(rooms, "SELECT id FROM sessions WHERE title = ?", name)
        case "plan":
            over["plan"] = _only(rooms, "SELECT max(id) FROM plans WHERE name = ?", name)
        case "ticket":
            sql = "SELECT k.id FROM tickets k JOIN plans p ON p.id = k.plan WHERE p.name = ? AND k.number = ?"
            over["ticket"] = _only(rooms, sql, first, int(second))
        case "bot_in_plan":
            over["bot"] = _only(rooms, "SELECT id FROM bots WHERE name = ?", first)
            over["plan"] = _only(rooms, "SELECT max(id) FROM plans WHERE name = ?", second)
        case "turn":
            over["turn"] = _turn(rooms, first, message(second))
    return over


def _turn(rooms: Rooms, bot: str, message: int) -> int:
    sql = "SELECT max(t.id) FROM turns t JOIN bots b ON b.id = t.bot WHERE b.name = ? AND t.trigger_message = ?"
    return _only(rooms, sql, bot, message)


def _only(rooms: Rooms, sql: str, *named: Any) -> int:
    found = [number for (number,) in rooms.ask(sql, *named) if number is not None]
    if len(found) != 1:
        raise Unscripted(f"{len(found)} are called {' '.join(map(str, named))}")
    return int(found[0])
