"""A household at work, held by its user: who runs, what is on record, and what the store would take."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from evening import MINUTE, Evening

from threadrebuild.collab import events

ROOM = "剪辑组"
CHAIN = ("导演", "文案", "剪辑", "画师", "配音")


def home_of(folder: Path, *bots: str, level: int = 8, **rooms: tuple[str, ...]) -> Evening:
    """A household of these Bots, in one group and in others if any."""
    folder.mkdir(exist_ok=True)
    return Evening(folder, bots=bots, rooms={ROOM: bots, **rooms}, level=level)


def chain(folder: Path) -> tuple[Evening, int]:
    """Five Bots on one plan of the first one's direct chat, each asked by the one before."""
    home = home_of(folder, *CHAIN)
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    for bot, other in pairwise(CHAIN):
        ask(home, bot, other)
    return home, plan


def ask(home: Evening, bot: str, other: str, *, text: str = "这块你来", turn: int | None = None) -> int:
    """A Bot says something to another in a chat that it opens; returns that session."""
    assert home.hop(bot, events.Call("create_direct", {"to": other}), turn=turn)
    of = home.turn(bot)["id"] if turn is None else turn
    session = int(home.results(of)[-1][2].split()[-1])
    assert home.hop(bot, events.Call("send_message", {"text": text, "session": session}), turn=turn)
    return session


def hold(home: Evening, scope: str, **names: int) -> int:
    """The user holds something by a button; returns the hold."""
    home.happens(events.HoldMade, scope=scope, **names)
    return int(home.value("SELECT max(id) FROM holds"))


def lift(home: Evening, number: int) -> None:
    """The user lifts a hold by a button."""
    home.happens(events.HoldLifted, hold=number)


def stop(home: Evening, bot: str) -> None:
    """The user presses Stop on a Bot's newest turn."""
    home.happens(events.StopPressed, turn=home.turn(bot)["id"])


def record(home: Evening, number: int) -> dict[str, Any]:
    """What a hold did, as it is on record."""
    found: dict[str, Any] = json.loads(home.value("SELECT effect FROM holds WHERE id = ?", number))
    return found


def at_work(home: Evening) -> list[str]:
    """Who has a live turn, by name, in the order in which they began."""
    sql = "SELECT b.name FROM live_turns t JOIN bots b ON b.id = t.bot ORDER BY t.id"
    return [name for (name,) in home.rows(sql)]


def holds(home: Evening) -> list[str]:
    """The scopes of the holds that stand."""
    return [scope for (scope,) in home.rows("SELECT scope FROM holds WHERE lifted_by IS NULL ORDER BY id")]


def open_effects(home: Evening, kind: str) -> list[dict[str, Any]]:
    """The bodies of what has been asked for outside and has not come back."""
    return [effect.body for effect in home.engine.open_effects() if effect.kind == kind]


def check_back(minutes: int = 30) -> events.Call:
    """A call by which a Bot makes a check-back."""
    return events.Call("check_back", {"after_minutes": minutes, "note": "看看渲染"})


def waits(home: Evening) -> list[str]:
    """The states of the check-backs, in the order in which they were made."""
    return [state for (state,) in home.rows("SELECT state FROM waits WHERE kind = 'timer' ORDER BY id")]


def pass_time(home: Evening, minutes: int) -> None:
    """Time passes, and the timers ring that are due by then."""
    home.now += minutes * MINUTE
    for effect in home.engine.open_effects():
        if effect.kind == "timer" and effect.body["due"] <= home.now:
            home.happens(events.TimerRang, effect=effect.id)
