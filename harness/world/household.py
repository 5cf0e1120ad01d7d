"""A day of eight Bots: a user who speaks for hours in groups and direct chats, and Bots that work on it.

Everything is drawn from streams of chance named after who draws, so the same seed gives the same day.
"""

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from harness.world.rooms import Reply, Rooms
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

BOTS = tuple(f"Bot{number}" for number in range(1, 9))
GROUPS = {"剪辑组": BOTS[:4], "文案组": BOTS[3:7], "全体": BOTS}
LINES = 100
"""What the user says in a day."""
HOURS = 15
NEW = 0.2
"""How many of its lines open something new; the others go on with what there is."""
HOPS = (2, 5)
READ_SECONDS, HOP_SECONDS, TOOL_SECONDS = (0.5, 3.0), (3.0, 40.0), (1.0, 240.0)


class Day:
    """The answers of a day's models and tools."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, random.Random] = {}
        self._left: dict[int, int] = {}
        """How many hops each turn still makes."""

    def reply(self, rooms: Rooms, effect: Effect) -> Reply:
        """Whatever is asked is answered."""
        return _ANSWERS[effect.kind](self, effect)

    def read(self, effect: Effect) -> Reply:
        raw = "{}"
        if effect.body["reads"] == "filing":
            plans = [plan["id"] for plan in effect.body["candidates"]]
            new = not plans or self._stream("filing").random() < NEW
            about = [] if new else [{"plan": self._stream("filing").choice(plans)}]
            raw = json.dumps({"kind": "new_work" if new else "plans", "about": about})
        return self._after("read", READ_SECONDS, events.Read, effect, raw=raw)

    def judge(self, effect: Effect) -> Reply:
        raw = json.dumps({"join": self._stream("judge").random() < 0.3})
        return self._after("judge", READ_SECONDS, events.Judged, effect, raw=raw)

    def hop(self, effect: Effect) -> Reply:
        stream = self._stream("hop")
        assert effect.turn is not None
        left = self._left.setdefault(effect.turn, stream.randint(*HOPS))
        self._left[effect.turn] = left - 1
        if left <= 1:
            return self._after("hop", HOP_SECONDS, events.Hopped, effect, text="做好了。")
        calls = tuple(
            stream.choice(
                (
                    events.Call("write_file", {"path": f"{effect.id}-{number}.md"}),
                    events.Call("shell", {"command": f"render {effect.id}"}),
                    events.Call("read_file", {"path": "brief.md"}),
                )
            )
            for number in range(stream.randint(1, 3))
        )
        return self._after("hop", HOP_SECONDS, events.Hopped, effect, calls=calls)

    def run_tool(self, effect: Effect) -> Reply:
        path = effect.body["arguments"].get("path")
        written = (str(path),) if effect.body["tool"] == "write_file" else ()
        return self._after("tool", TOOL_SECONDS, events.Ran, effect, ok=True, output="ok", written=written)

    def organizer(self, effect: Effect) -> Reply:
        return self._after("organizer", READ_SECONDS, events.Organized, effect, raw="{}")

    def _stream(self, user: str) -> random.Random:
        if user not in self._streams:
            self._streams[user] = random.Random(f"{self._seed}:{user}")
        return self._streams[user]

    def _after(
        self, user: str, seconds: tuple[float, float], kind: type[events.Event], effect: Effect, **said: Any
    ) -> Reply:
        return Reply(self._stream(f"{user} takes").uniform(*seconds), partial(_answer, kind, effect.id, said))


def live(folder: Path, seed: int, *, watched: bool = True) -> Rooms:
    """A day of the household, lived in a new folder; `watched`, the invariants are looked at after every commit."""
    rooms = Rooms(folder, Day(seed), seed=seed, watched=watched)
    for name in BOTS:
        rooms.begins_with(events.BotAdded(key=f"bot:{name}", at=rooms.now(), name=name))
        rooms.begins_with(_session(rooms, "direct", name, (name,)))
    for title, members in GROUPS.items():
        rooms.begins_with(_session(rooms, "group", title, members))
    rooms.world.start(rooms.world.process("user", outside=True), partial(_speak, rooms, random.Random(f"{seed}:user")))
    rooms.world.run(1e7)
    for _, error in rooms.world.failures:
        raise error
    return rooms


def _speak(rooms: Rooms, stream: random.Random) -> None:
    sessions = [number for (number,) in rooms.ask("SELECT id FROM sessions ORDER BY id")]
    for number in range(LINES):
        rooms.world.sleep(stream.expovariate(LINES / (HOURS * 3600)))
        session = stream.choice(sessions)
        named = f"@{stream.choice(BOTS)} " if stream.random() < 0.5 else ""
        rooms.does(partial(_line, session, f"{named}第 {number} 件事，照上次那样做"))


def _line(session: int, text: str, key: str, at: int) -> events.Event:
    return events.Line(key=key, at=at, session=session, text=text)


def _answer(kind: Callable[..., events.Event], effect: int, said: dict[str, Any], key: str, at: int) -> events.Event:
    return kind(key=key, at=at, effect=effect, **said)


def _session(rooms: Rooms, sort: Any, title: str, members: tuple[str, ...]) -> events.Event:
    return events.SessionOpened(key=f"{sort}:{title}", at=rooms.now(), session=sort, title=title, members=members)


_ANSWERS: dict[str, Callable[[Day, Effect], Reply]] = {
    "read": Day.read,
    "judge": Day.judge,
    "hop": Day.hop,
    "run_tool": Day.run_tool,
    "organizer": Day.organizer,
}
