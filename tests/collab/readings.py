"""Readings of an evening's lines, answered one by one and in any way that a test wants."""

import json
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
    except ValueError:
        return "invalid"
    return None
