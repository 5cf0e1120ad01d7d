"""A household where anything may happen next: what the user can do, and what can come back from outside, as it stands.

Each happening says what it met (the state of that which it is done to) before it is done. Which of several things it is
done to is a number of any size; it is taken round.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.invariants.collab import QUIET, Broken, Watch
from harness.oracle.held import Judge
from harness.world import blank
from harness.world.acts import Acts
from threadrebuild.collab import events, wakes
from threadrebuild.collab.engine import Effect, Engine
from threadrebuild.collab.store import open_store

START = 1_786_842_000_000
BOTS = ("导演", "文案", "审片员")
GROUPS = {"剪辑组": ("导演", "文案"), "老群": ("文案", "审片员")}
LINES = (
    "做一支新品片",
    "改成竖版",
    "怎么样了？",
    "@导演 你先看",
    "@文案 @审片员 一起改",
    "@everyone 周五要交",
    "@没有人 在吗",
    "收到",
)
WORDS = ("好了。", "@文案 交给你", "@导演 收到", "收到，谢谢", "")
MEANINGS: tuple[str | None, ...] = (
    '{"control": "neither"}',
    '{"control": "stop", "only": true}',
    '{"control": "neither", "status": true}',
    '{"control": "perhaps"}',
    None,
)
SPOKEN: tuple[str | None, ...] = (
    "{}",
    '{"going_on": "马上就好"}',
    '{"status": true, "nothing": true}',
    "perhaps",
    None,
)
JUDGED = ('{"join": true}', '{"join": false}', "maybe", None)
ORGANIZED = ('{"progress": {"done": ["a"]}}', '{"goal": "another"}', "{", None)
ROOM = Path("/dev/shm")


class Rooms:
    """One household on one engine, read to mean one of `meanings` whatever it says."""

    meanings = MEANINGS

    def __init__(self, level: int) -> None:
        self._folder = tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None)
        path = Path(self._folder.name) / "rooms.db"
        blank.lay(path, level)
        self.engine = Engine(open_store(path, level, self._step, durable=False))
        self.db = self.engine.db
        self.watch = Watch(path, level)
        self.acts, self.judge = Acts(path), Judge()
        self.acted: list[str] = []
        """What the oracle of held work says ought not to have been."""
        self._taking: events.Event | None = None
        self.now = START
        self.events = 0
        self.late: list[events.Event] = []
        """What has come in already, to come once more."""
        for name in BOTS:
            asks = () if name == "导演" else ("shell",)
            engine = "claude_agent" if name == "文案" else "endpoint"
            self.take(events.BotAdded, name=name, asks_first=asks, engine=engine)
            self.take(events.SessionOpened, session="direct", title=name, members=(name,))
        for title, members in GROUPS.items():
            self.take(events.SessionOpened, session="group", title=title, members=members)

    def close(self) -> None:
        """Let go of the store."""
        self.watch.close()
        self.acts.close()
        self.db.close()
        self._folder.cleanup()

    def _step(self, name: str) -> None:
        if name != "committed" or not hasattr(self, "acted"):
            return
        self.watch.look(self.events)
        if self._taking is not None:
            self.judge.take({"kind": "event", "what": type(self._taking).__name__})
            self._taking = None
        for act in self.acts.look():
            self.acted += self.judge.take({"kind": "act", **act})

    # ---------------------------------------------------------------- taking in

    def take(self, kind: type[events.Event], /, **fields: Any) -> bool:
        """Take an event in; False where it was refused, and then nothing has changed."""
        self.events += 1
        self.now += 1
        return self.again(kind(key=f"event:{self.events}", at=self.now, **fields))

    def again(self, event: events.Event) -> bool:
        """Take in just this event."""
        before = self.value("SELECT count(*) FROM events")
        self._taking = event
        try:
            self.engine.handle(event)
        except wakes.Suppressed:
            self._taking = None
            return False
        except ValueError:
            self._taking = None
            assert self.value("SELECT count(*) FROM events") == before, "a refused event changes nothing"
            return False
        self.late.append(event)
        return True

    def broken(self) -> list[Broken | str]:
        """What has not held so far."""
        return [*self.watch.broken, *self.acted]

    def lost(self) -> list[str]:
        """What is missing once all is quiet."""
        return [f"{each.name}: {row[0]}" for each in QUIET for row in self.db.rows(each.sql)]

    # ---------------------------------------------------------------- looking

    def value(self, sql: str, *values: Any) -> Any:
        """The first value of a query."""
        return self.db.value(sql, *values)

    def column(self, sql: str, *values: Any) -> list[Any]:
        """The first column of a query."""
        return [row[0] for row in self.db.rows(sql, *values)]

    def bot_is(self, bot: int | None) -> str:
        """What a Bot is at; of nobody, that a group judges."""
        if bot is None:
            return "a group that judges"
        live = self.db.rows("SELECT state, mode FROM live_turns WHERE bot = ?", bot)
        states, work = {row["state"] for row in live}, sum(row["mode"] == "work" for row in live)
        for state in ("waiting_ask", "waiting_approval"):
            if state in states:
                return state
        if work >= 2:
            return "both slots taken"
        return "at work" if work else "at a desk" if live else "free"

    def line_is(self, line: int) -> str:
        """How far a line of the user has come."""
        row = self.db.row("SELECT state, was_read FROM messages WHERE id = ?", line)
        if row is None:
            return "gone"
        if row["state"] != "delivered":
            return {"withdrawn": "withdrawn"}.get(row["state"], "on its way")
        if row["was_read"]:
            return "read"
        waits = self.value("SELECT 1 FROM inbox_items WHERE message = ? AND state = 'queued'", line)
        return "unread" if waits else "in no inbox"

    def effects(self, kind: str) -> list[int]:
        """What is open of a kind."""
        return self.column(
            "SELECT id FROM effects WHERE kind = ? AND state IN ('pending', 'started') ORDER BY id", kind
        )

    def effect(self, number: int) -> Effect:
        """What is asked for by an effect."""
        row = self.db.row("SELECT * FROM effects WHERE id = ?", number)
        assert row is not None
        return Effect(row["id"], row["kind"], row["turn"], row["subject"], json.loads(row["body"]))

    def mode(self, effect: Effect) -> str:
        """What the segment of an effect is at."""
        return str(self.value("SELECT mode FROM turns WHERE id = ?", effect.turn))

    # ---------------------------------------------------------------- answers

    def reading(self, effect: Effect, answer: int) -> str | None:
        """What a reading says of a line: of each sort, by number; None where it could not be read."""
        if effect.body["reads"] != "filing":
            return self.meanings[answer % len(self.meanings)]
        shown = [plan["id"] for plan in effect.body["candidates"]]
        said: list[Any] = [
            {"kind": "new_work"},
            {"kind": "on_the_spot"},
            {"kind": "on_the_spot"},
            {"kind": "unclear"},
            None,
        ]
        said += [{"kind": "plans", "about": [{"plan": plan}]} for plan in shown]
        said += [{"kind": "plans", "about": [{"plan": 999}]}, {"kind": "plans", "about": [{"plan": p} for p in shown]}]
        chosen = said[answer % len(said)]
        return None if chosen is None else json.dumps(chosen)

    def calls(self, turn: int | None, numbers: Sequence[int]) -> tuple[events.Call, ...]:
        """Calls of tools by number, with arguments that there are, or nearly."""
        plans = [*self.column("SELECT id FROM plans ORDER BY id"), 999]
        tickets = [*self.column("SELECT id FROM tickets ORDER BY id"), 999]
        sessions = self.column("SELECT id FROM sessions ORDER BY id")
        lines = [*self.column("SELECT id FROM messages WHERE author = 'user' ORDER BY id"), 999]
        made = []
        for number in numbers:
            pick, tool = divmod(number, 12)
            found = [
                events.Call("write_file", {"path": f"{pick}.md"}),
                events.Call("shell", {"command": f"render {pick}"}),
                events.Call("read_file", {"path": "brief.md"}),
                events.Call("work_on", {"plan": plans[pick % len(plans)]}),
                events.Call(
                    "work_on", {"new": {"title": f"matter {pick}"}, "quote_message_id": lines[pick % len(lines)]}
                ),
                events.Call("work_on", {"plan": {"new": {"title": f"matter {pick}"}}}),
                events.Call("work_on", {"plan": plans[pick % len(plans)], "ticket": tickets[pick % len(tickets)]}),
                events.Call("work_on", {"plan": plans[pick % len(plans)], "ticket": {"new": {"title": "part"}}}),
                events.Call("send_message", {"text": WORDS[pick % 4], "session": sessions[pick % len(sessions)]}),
                events.Call("ask_user", {"question": "which?", "options": ["a", "b"]}),
                events.Call("create_direct", {"to": BOTS[pick % len(BOTS)]}),
                events.Call("end_turn", {"reason": ("done", "")[pick % 2]}),
            ]
            made.append(found[tool])
        return tuple(made)
