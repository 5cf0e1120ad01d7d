"""The rooms of a household: the collaboration core on its store, scripted models and tools, and a user who speaks.

The application is one process of the simulated machine. What it has done outside is an actor of its own, which takes
its time and then hands in its answer; the order in which answers come is the world's. A process that ends takes what
was under way with it, and the next one begins with what the store holds.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from harness.runlog import RunLog
from harness.world.kernel import Fault, Killed, Process, World
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect, Engine
from threadrebuild.collab.store import NEWEST_LEVEL, open_store

RESTART_SECONDS = 5.0
LONGEST_SECONDS = 1e6


class Unscripted(AssertionError):
    """Something was asked that the story has no answer to."""


@dataclass(frozen=True)
class Reply:
    """What comes of an effect, and after how many seconds. `make` gets (key, time in ms) and gives the event."""

    seconds: float
    make: Callable[[str, int], events.Event] | None
    """None where nothing comes back: a command that never ends."""
    does: Callable[[], None] = lambda: None
    """What it does outside, at the end of its time and before its answer."""


class Script(Protocol):
    """Who answers for models, tools and Bots. Raises `Unscripted`."""

    def reply(self, rooms: "Rooms", effect: Effect) -> Reply: ...


@dataclass(eq=False)
class Rooms:
    """A household's rooms, played on a world. `folder` holds the store."""

    folder: Path
    script: Script
    level: int = NEWEST_LEVEL
    seed: int = 0
    log: RunLog | None = None
    faults: tuple[Fault, ...] = ()
    started: list[Effect] = field(default_factory=list)
    """Every effect that was really begun, in order."""
    handled: list[events.Event] = field(default_factory=list)
    """Every event that the application took in, in order."""

    def __post_init__(self) -> None:
        self.world = World(self.seed, self.log, self.faults)
        self.daemon: Process | None = None
        self.engine: Engine | None = None
        self._requests = 0
        self._stopped: set[int] = set()
        self._open()

    # ---------------------------------------------------------------- the user

    def now(self) -> int:
        """The virtual time in ms."""
        return int(self.world.now.timestamp() * 1000)

    def does(self, make: Callable[[str, int], events.Event], taken_in: Callable[[], None] = lambda: None) -> list[bool]:
        """Let the user do something; where the application is down or dies of it, the client sends it again.

        Once it is taken in, and before anything comes of it, `taken_in` is called and what is returned holds True.
        """
        self._requests += 1
        event, taken = make(f"request:{self._requests}", self.now()), [False]
        self.world.start(self.world.process("client", outside=True), partial(self._deliver, event, taken, taken_in))
        return taken

    def ask(self, sql: str, *values: Any) -> list[Any]:
        """Look into the store, as it is now."""
        assert self.engine is not None
        return [tuple(row) for row in self.engine.db.rows(sql, *values)]

    # ---------------------------------------------------------------- the application

    def kill(self) -> None:
        """End the application as it stands; it comes up again after a while."""
        assert self.daemon is not None
        self.world.kill(self.daemon)
        self._comes_again()

    def stop(self, effect: int) -> None:
        """End what was begun outside, before it has done anything."""
        self._stopped.add(effect)

    def close(self) -> None:
        """Let go of the store."""
        if self.engine is not None:
            self.engine.db.close()

    def _open(self) -> None:
        step = partial(self.world.take_step, "store")
        self.engine = Engine(open_store(self.folder / "rooms.db", self.level, step, durable=False))
        self.daemon = self.world.process("application")

    def _deliver(self, event: events.Event, taken: list[bool], taken_in: Callable[[], None]) -> None:
        while not taken[0]:
            daemon = self._up()
            self.world.start(daemon, partial(self._take_in, event, taken, taken_in))
            self.world.wait_until(partial(_settled, daemon, taken), LONGEST_SECONDS)
            if not taken[0]:
                self.world.sleep(RESTART_SECONDS)

    def _take_in(self, event: events.Event, taken: list[bool], taken_in: Callable[[], None] = lambda: None) -> None:
        with self._dying():
            self._handle(event, taken_in)
        taken[0] = True

    def _up(self) -> Process:
        if self.daemon is None or not self.daemon.alive:
            self.close()
            self._open()
            assert self.daemon is not None
            cause = events.Started(key=f"started:{self.daemon.pid}", at=self.now(), cause="crash")
            self.world.start(self.daemon, partial(self._take_in, cause, [False]))
        assert self.daemon is not None
        return self.daemon

    @contextmanager
    def _dying(self) -> Iterator[None]:
        try:
            yield
        except Killed:
            self._comes_again()
            raise

    def _comes_again(self) -> None:
        self.world.start(self.world.process("service manager", outside=True), self._up, after=RESTART_SECONDS)

    def _handle(self, event: events.Event, taken_in: Callable[[], None] = lambda: None) -> None:
        assert self.engine is not None and self.daemon is not None
        engine, daemon = self.engine, self.daemon
        self.world.take_step("engine", type(event).__name__, key=event.key)
        effects = engine.handle(event)
        taken_in()
        for effect in effects:
            self.world.start(daemon, partial(self._begin, engine, daemon, effect))
        self.handled.append(event)

    def _begin(self, engine: Engine, daemon: Process, effect: Effect) -> None:
        with self._dying():
            self.world.take_step("effect", effect.kind, effect=effect.id, subject=effect.subject)
            if not engine.begin(effect.id):
                return
        self.started.append(effect)
        if effect.kind == "timer":
            seconds = max(0.0, (effect.body["due"] - self.now()) / 1000)
            reply = Reply(seconds, lambda key, at: events.TimerRang(key=key, at=at, effect=effect.id))
        else:
            reply = self.script.reply(self, effect)
        if reply.make is not None:
            self.world.start(daemon, partial(self._answer, effect, reply, reply.make), after=reply.seconds)

    def _answer(self, effect: Effect, reply: Reply, make: Callable[[str, int], events.Event]) -> None:
        if effect.id in self._stopped:
            return
        reply.does()
        with self._dying():
            self.world.take_step("answer", effect.kind, effect=effect.id)
            self._handle(make(f"effect:{effect.id}", self.now()))


def _settled(daemon: Process, taken: list[bool]) -> bool:
    return taken[0] or not daemon.alive


def plain(value: Any) -> str:
    """A scripted answer as the text that a model would give."""
    return json.dumps(value, ensure_ascii=False)
