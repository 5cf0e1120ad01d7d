"""A household in which Bots ask each other for something: who asks whom, what comes back, and what is on record."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from evening import Evening

from threadrebuild.collab import events

ROOM = "剪辑组"
ASK = "片头写什么？"
ANSWER = "写开业大吉"


def home_of(folder: Path, *bots: str, level: int = 8, **rooms: tuple[str, ...]) -> Evening:
    """A household of these Bots, in one group and in others if any."""
    folder.mkdir(exist_ok=True, parents=True)
    return Evening(folder, bots=bots, rooms={ROOM: bots, **rooms}, level=level)


def at_work(folder: Path, *bots: str, level: int = 8, to: str = ROOM) -> tuple[Evening, int]:
    """The first of these Bots works on a plan of the group."""
    home = home_of(folder, *bots, level=level)
    plan = home.opened("新品片", to=to)
    home.say(f"@{bots[0]} 剪一版", to=ROOM, files=[plan])
    return home, plan


def delegate(home: Evening, bot: str, to: Any, *, ask: str = ASK, expects: str = "answer", **more: Any) -> str:
    """A Bot asks another for something; returns what it reads of that where it is refused, else nothing."""
    hear(home, bot)
    turn = home.turn(bot)["id"]
    assert home.hop(bot, events.Call("delegate", {"to": to, "ask": ask, "expects": expects, **more}), turn=turn)
    _, state, said = home.results(turn)[-1]
    return said if state == "refused" else ""


def asked(folder: Path, *bots: str, level: int = 8, **more: Any) -> tuple[Evening, int]:
    """The first of these Bots has asked the second for an answer, which has read that."""
    home, plan = at_work(folder, *(bots or ("导演", "文案")), level=level)
    assert not delegate(home, *(bots or ("导演", "文案"))[:2], **more)
    return home, plan


def end(home: Evening, bot: str, reason: str = "answered", *, plan: int | None = None, **more: Any) -> None:
    """A Bot ends its segment, and settles every line of the user that it has read there."""
    hear(home, bot)
    rows = home.rows(
        "SELECT i.id FROM inbox_items i JOIN live_turns t ON t.id = i.read_by_turn"
        " WHERE t.bot = ? AND i.author = 'user' ORDER BY i.id",
        home.bot(bot),
    )
    settled = [{"id": item, "state": "done"} for (item,) in rows]
    assert home.hop(bot, events.Call("end_turn", {"reason": reason, "inbox": settled, **more}), plan=plan)


def hear(home: Evening, bot: str) -> None:
    """A Bot reads what waits for it, which would put off what it is about to do."""
    unread = (
        "SELECT 1 FROM inbox_items i JOIN live_turns t ON t.work_item = i.work_item"
        " WHERE t.bot = ? AND i.state = 'queued'"
    )
    while home.value(unread, home.bot(bot)):
        home.hop(bot, events.Call("read_file", {"path": "notes.md"}))


def reply(home: Evening, bot: str, text: str = ANSWER, *, plan: int | None = None) -> None:
    """A Bot ends its segment with an answer to what it was asked."""
    end(home, bot, answer=text, plan=plan)


def chain(folder: Path, *bots: str) -> tuple[Evening, int]:
    """Each of these Bots has asked the next one on the same plan; only the last is at work."""
    home, plan = at_work(folder, *bots)
    for bot, other in pairwise(bots):
        assert not delegate(home, bot, other)
    return home, plan


def retire(home: Evening, bot: str, state: str = "archived") -> None:
    """The user archives a Bot, or deletes it."""
    home.happens(events.BotRetired, bot=home.bot(bot), state=state)


def clear(home: Evening, title: str) -> None:
    """The user clears a session."""
    home.happens(events.SessionCleared, session=home.session(title))


def states(home: Evening) -> list[str]:
    """How the delegations stand, in the order in which they were made."""
    return [state for (state,) in home.rows("SELECT state FROM delegations ORDER BY id")]


def results(home: Evening, *columns: str) -> list[Any]:
    """What has come back so far: by itself its words, else these columns of the copies."""
    rows = home.rows(f"SELECT {', '.join(columns or ('text',))} FROM inbox_items WHERE kind = 'reply' ORDER BY id")
    return [row[0] if len(columns) < 2 else row for row in rows]


def waits(home: Evening) -> list[str]:
    """The states of the waits for delegations, in the order in which they were made."""
    return [state for (state,) in home.rows("SELECT state FROM waits WHERE kind = 'delegation' ORDER BY id")]


def work_of(home: Evening, bot: str) -> list[str]:
    """The states of a Bot's work on plans, in the order in which it was made."""
    rows = home.rows("SELECT state FROM work_items WHERE bot = ? AND plan IS NOT NULL ORDER BY id", home.bot(bot))
    return [state for (state,) in rows]


def pushed(home: Evening) -> list[tuple[int, str]]:
    """What clients were told of delegations: which, and how it stands."""
    bodies = [json.loads(body) for (body,) in home.rows("SELECT body FROM effects WHERE kind = 'push' ORDER BY id")]
    return [(body["delegation"], body["state"]) for body in bodies if body["event"] == "delegation.changed"]
