"""Somebody works and is stopped, by the user's words, by Stop or by a button; and what comes of that."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evening import DOWN, Evening, shell
from readings import FILING, MEANING, comes, filing, says

from threadrebuild.collab import control, events, holds
from threadrebuild.collab.change import Change
from threadrebuild.collab.scope import Scope

ROOM = "剪辑组"
STOP = {"control": "stop", "only": True}
BESIDE = {"control": "stop", "only": False}
BOTH = {"control": "both", "only": True}
RESUME = {"control": "resume", "only": True}
TALK = {"control": "neither", "only": True}


def at_work(folder: Path, *, level: int = 8) -> tuple[Evening, int]:
    """A director who renders for a plan of its direct chat, and a copywriter beside it in a group."""
    folder.mkdir(exist_ok=True)
    home = Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
    plan = home.opened("新品片", to="导演")
    home.say("做起来", to="导演", files=[plan])
    home.hop("导演", shell("render a"), run=False)
    return home, plan


def speak(home: Evening, text: str, meaning: object, *, to: str = "导演", plan: int | None = None, **more: Any) -> int:
    """The user says something, and it is read; with `DOWN` for its meaning no reading comes back in time."""
    line = says(home, text, to=to, **more)
    if meaning is DOWN:
        comes(home, line, MEANING, failure="timeout")
        comes(home, line, FILING, failure="timeout")
        return line
    comes(home, line, MEANING, meaning)
    comes(home, line, FILING, filing({"plan": plan}) if plan is not None else {"kind": "unclear"})
    return line


def held(home: Evening) -> list[tuple[object, ...]]:
    """The holds that stand: each scope with what it names."""
    rows = home.db.rows("SELECT * FROM holds WHERE lifted_by IS NULL ORDER BY id")
    return [(row["scope"], *(row[key] for key in ("bot", "session", "plan", "turn") if row[key])) for row in rows]


def buttons(home: Evening, line: int) -> list[str] | None:
    """What is offered on a line; None where it carries nothing."""
    data = home.value("SELECT control FROM messages WHERE id = ?", line)
    return None if data is None else json.loads(data).get("offer")


def delivered(home: Evening, line: int) -> int:
    """How many Bots have got a line."""
    return int(home.value("SELECT count(*) FROM message_receivers WHERE message = ?", line))


def evenings(folder: Path) -> Iterator[tuple[Evening, int]]:
    """One evening after the other, all alike."""
    number = 0
    while True:
        number += 1
        yield at_work(folder / str(number))


def stop(home: Evening, bot: str) -> None:
    """Stop is pressed on what a Bot does."""
    home.happens(events.StopPressed, turn=home.live(bot)[0]["id"])


def hold(home: Evening, scope: str, *, void: bool = False, **names: Any) -> None:
    """Something is stopped by a button; with `void` the hold is one that an older matter was voided with."""
    over = {"bot": home.bot, "session": home.session}
    known = {key: over[key](value) if key in over else value for key, value in names.items()}
    if not void:
        home.happens(events.HoldMade, scope=scope, **known)
        return
    with home.db.transaction():
        home.now += 1000
        event = home.db.write(
            "INSERT INTO events (key, kind, at, body) VALUES (?, 'HoldMade', ?, '{}')", f"void:{home.now}", home.now
        )
        change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
        over_it: dict[str, Any] = {"kind": scope, **known}
        holds.make(change, Scope(**over_it), source="user_button", void=True)


def lift(home: Evening, number: int) -> None:
    """Lift is pressed on a hold."""
    home.happens(events.HoldLifted, hold=number)


def shown(home: Evening, line: int) -> dict[str, Any]:
    """What a line carries, as it is shown now."""
    row = home.db.row("SELECT * FROM messages WHERE id = ?", line)
    assert row is not None
    return control.shown(home.db, row) or {}


def folder_of(folder: Path, name: object) -> Path:
    """A folder of its own for one evening of several."""
    own = folder / str(name)
    own.mkdir()
    return own


def is_taken(home: Evening, statement: str, *values: object) -> bool:
    """Whether the store takes something that is written past the engine."""
    try:
        home.sql(statement, *values)
    except sqlite3.IntegrityError:
        return False
    return True
