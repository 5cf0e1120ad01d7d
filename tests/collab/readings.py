"""Readings of an evening's lines, answered one by one and in any way that a test wants, and what comes of them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict
from threadrebuild.collab.engine import Effect

MEANING, FILING = "user words", "filing"


def says(home: Evening, text: str, *, to: str, **more: Any) -> int:
    """The user says something, with annotations, a card's target or whatever a line can have; nothing is read yet."""
    home.happens(events.Line, session=home.session(to), text=text, **more)
    return int(home.value("SELECT max(id) FROM messages WHERE author = 'user'"))


def asked(home: Evening, line: int, kind: str) -> list[Effect]:
    """The readings of a kind that have been asked for a line and are not answered."""
    return [each for each in home.engine.open_effects() if each.subject.startswith(f"{kind}:{line}:")]


def body(home: Evening, line: int, kind: str) -> dict[str, Any]:
    """What the reading of a kind was given for a line, answered or not; empty where none was asked."""
    found = home.value("SELECT body FROM effects WHERE kind = 'read' AND subject LIKE ?", f"{kind}:{line}:%")
    return dict(json.loads(found)) if found else {}


def comes(home: Evening, line: int, kind: str, said: object = None, **came: Any) -> None:
    """A reading comes back with `said` as JSON, or with `raw` or `failure`; nothing happens where none is open."""
    if said is not None:
        came["raw"] = json.dumps(said, ensure_ascii=False)
    for effect in asked(home, line, kind)[:1]:
        home.happens(events.Read, effect=effect.id, **came)


def read_as(home: Evening, line: int, meaning: object = None, filing: object = None) -> None:
    """Both readings of a line come back."""
    comes(home, line, MEANING, {} if meaning is None else meaning)
    comes(home, line, FILING, {"kind": "unclear"} if filing is None else filing)


def refused(home: Evening, kind: type[events.Event], **fields: Any) -> str | None:
    """The code that an event is refused with; None where it is taken."""
    try:
        home.happens(kind, **fields)
    except Conflict as conflict:
        return conflict.code
    except sqlite3.IntegrityError:
        return "refused by the store"
    except ValueError:
        return "invalid"
    return None


def household(folder: Path, *plans: str, level: int = 8) -> tuple[Evening, list[int]]:
    """A director, who leads, and a copywriter in a group, with plans of the group."""
    folder.mkdir(exist_ok=True)
    home = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    home.lead("导演", "剪辑组")
    return home, [home.opened(plan, to="剪辑组") for plan in plans]


def ticket_of(home: Evening, plan: int, title: str, *parts: str) -> int:
    """A ticket of a plan, with declared parts."""
    home.sql(
        "INSERT INTO tickets (plan, number, title, folder, at) SELECT id, (SELECT count(*) + 1 FROM tickets), ?2,"
        " folder || '/' || ?2, 1 FROM plans WHERE id = ?1",
        plan,
        title,
    )
    ticket = int(home.value("SELECT max(id) FROM tickets"))
    for part in parts:
        home.sql("INSERT INTO parts (ticket, name) VALUES (?, ?)", ticket, part)
    return ticket


def filed(home: Evening, line: int) -> list[tuple[object, ...]]:
    """Plan, ticket, part, whether locked, and by what, in order."""
    return home.rows(
        "SELECT plan, ticket, part, locked, filed_by FROM message_filings WHERE message = ? ORDER BY ord", line
    )


def plans_of(home: Evening, line: int) -> list[int]:
    """The plans that a line is filed to, in order."""
    return [plan for plan, _ in home.filed(line)]


def filing(*about: object) -> dict[str, object]:
    """A reading: the line is about these."""
    return {"kind": "plans", "about": list(about)}


def offered(home: Evening, line: int) -> list[int]:
    """The plans that the reading of a line was shown, in order of their numbers."""
    return sorted(plan["id"] for plan in body(home, line, FILING).get("candidates", []))


def stored(home: Evening, line: int, kind: str = MEANING) -> list[tuple[Any, ...]]:
    """What is on record of a line's readings: failure, answer, what the model said."""
    return home.rows("SELECT failure, answer, raw FROM readings WHERE message = ? AND subject = ?", line, kind)
