"""The rooms of a household: the collaboration core on its store, scripted models and tools, and a user who speaks.

The application is one process of the simulated machine. What it has done outside is an actor of its own, which takes
its time and then hands in its answer; the order in which answers come is the world's. A process that ends takes what
was under way with it, and the next one begins with what the store holds.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from harness.invariants.collab import Watch
from harness.runlog import RunLog
from harness.world import blank
from harness.world.acts import Acts
from harness.world.commands import Commands, Manners
from harness.world.kernel import STEPS_MOST, Fault, Killed, Process, World
from harness.world.workspace import Workspace
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect, Engine
from threadrebuild.collab.store import NEWEST_LEVEL, open_store

LOCAL = timedelta(hours=8)
"""What the user's clock is ahead: Asia/Shanghai."""
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
    processes: Mapping[str, Manners] = field(default_factory=dict)
    """What runs on the machine for it meanwhile: of a command itself first."""


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
    number: int = 0
    """The story's number in the log."""
    watched: bool = True
    """Whether the invariants are looked at after every commit."""
    steps_most: int = STEPS_MOST
    """After so many steps this is taken for a household that never comes to rest."""
    pace: Callable[[Effect, float], float] = lambda effect, seconds: seconds
    """How many seconds an answer really takes that was to take so many."""
    started: list[Effect] = field(default_factory=list)
    """Every effect that was really begun, in order."""
    handled: list[events.Event] = field(default_factory=list)
    """Every event that the application took in, in order."""
    course: list[dict[str, Any]] = field(default_factory=list)
    """The `event`, `effect` and `act` steps, as they stand in the log."""
    logged: dict[str, int] = field(default_factory=dict)
    """The step of the log with each of them, by key."""
    refused: list[tuple[events.Event, ValueError]] = field(default_factory=list)
    """What the user was told cannot be done, and why."""

    def __post_init__(self) -> None:
        self.world = World(self.seed, self.log, self.faults, self.steps_most)
        self.daemon = self.world.process("application")
        self.engine: Engine | None = None
        self._requests = 0
        self._taking: events.Event | None = None
        self._beginning: Effect | None = None
        self._stopped: set[int] = set()
        self.commands = Commands()
        self.workspace = Workspace(self.folder / "workspace")
        self._in_slots: Counter[tuple[Process, str]] = Counter()
        blank.lay(self._store, self.level)
        self._open()
        self.watch = Watch(self._store, self.level)
        self.acts = Acts(self._store)

    # ---------------------------------------------------------------- the user

    def begins_with(self, event: events.Event) -> None:
        """Something that is so before anything happens."""
        assert self.engine is not None
        self._taking = event
        self.engine.handle(event)

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
        self.world.kill(self.daemon)
        self._comes_again()

    def stop(self, effect: int) -> None:
        """End what was begun outside, before it has done anything."""
        self._stopped.add(effect)

    def close(self) -> None:
        """Let go of the store."""
        self.watch.close()
        self.acts.close()
        if self.engine is not None:
            self.engine.db.close()

    @property
    def _store(self) -> Path:
        return self.folder / "rooms.db"

    def _open(self) -> None:
        self.engine = Engine(open_store(self._store, self.level, self._store_step, durable=False))

    def _store_step(self, name: str) -> None:
        # Before the step itself, at which the application may end.
        if name == "committed" and self.engine is not None:
            if self.watched:
                self.watch.look(self.world.step)
            if self._taking is not None:
                self._note_taken(self._taking)
            if self._beginning is not None:
                self._note_begun(self._beginning)
            if self.log is not None:
                for act in self.acts.look():
                    self._tell("act", **act)
        self.world.take_step("store", name)

    def _deliver(self, event: events.Event, taken: list[bool], taken_in: Callable[[], None]) -> None:
        while not taken[0]:
            daemon = self._up()
            self.world.start(daemon, partial(self._take_in, event, taken, taken_in))
            self.world.wait_until(partial(_settled, daemon, taken), LONGEST_SECONDS)
            if not taken[0]:
                self.world.sleep(RESTART_SECONDS)

    def _take_in(self, event: events.Event, taken: list[bool], taken_in: Callable[[], None] = lambda: None) -> None:
        with self._dying():
            try:
                self._handle(event, taken_in)
            except ValueError as error:
                self.refused.append((event, error))
        taken[0] = True

    def _up(self) -> Process:
        if not self.daemon.alive:
            self.daemon = self.world.process("application")
            self.world.start(self.daemon, partial(self._come_up, self.daemon))
        return self.daemon

    def _come_up(self, daemon: Process) -> None:
        with self._dying():
            left = self.engine
            self._open()
            if left is not None:
                left.db.close()
            self._handle(events.Started(key=f"started:{daemon.pid}", at=self.now(), cause="crash"))

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
        assert self.engine is not None
        engine, daemon = self.engine, self.daemon
        self.world.take_step("engine", type(event).__name__, key=event.key)
        self._taking = event
        try:
            effects = engine.handle(event)
        finally:
            self._taking = None
        taken_in()
        for effect in effects:
            self.world.start(daemon, partial(self._begin, engine, daemon, effect))

    def _begin(self, engine: Engine, daemon: Process, effect: Effect) -> None:
        self._take_slot(daemon, effect)
        with self._dying():
            self.world.take_step("effect", effect.kind, effect=effect.id, subject=effect.subject)
            self._beginning = effect
            try:
                if not engine.begin(effect.id):
                    return
            finally:
                self._beginning = None
        if effect.kind in ("push", "mirror"):
            return
        if effect.kind == "timer":
            seconds = max(0.0, (effect.body["due"] - self.now()) / 1000)
            reply = Reply(seconds, lambda key, at: events.TimerRang(key=key, at=at, effect=effect.id))
        else:
            reply = self.script.reply(self, effect)
        seconds = self.pace(effect, reply.seconds)
        if reply.processes:
            self._spawn(daemon, effect, reply, seconds)
        if reply.make is not None:
            self.world.start(daemon, partial(self._answer, effect, reply, reply.make), after=seconds)

    def _spawn(self, daemon: Process, effect: Effect, reply: Reply, seconds: float) -> None:
        """Begin the processes of a command; the application puts them on record."""
        gone = None if reply.make is None else self.now() + int(seconds * 1000)
        group = self.commands.begin(effect.id, reply.processes, gone)
        said = events.Spawned(
            key=f"spawned:{effect.id}", at=self.now(), effect=effect.id, group=group.number, mark=str(effect.id)
        )
        self.world.start(daemon, partial(self._take_in, said, [False]))

    def _take_slot(self, daemon: Process, effect: Effect) -> None:
        """Wait where no more of a kind may be under way; whoever waits for longer than it has, is late by that."""
        at_once = effect.body.get("at_once")
        if at_once is not None:
            slots = (daemon, effect.body["slots"])
            self.world.wait_until(lambda: self._in_slots[slots] < at_once, LONGEST_SECONDS)
            self._in_slots[slots] += 1

    def _answer(self, effect: Effect, reply: Reply, make: Callable[[str, int], events.Event]) -> None:
        if effect.id in self._stopped:
            return
        reply.does()
        if effect.body.get("at_once") is not None:
            self._in_slots[self.daemon, effect.body["slots"]] -= 1
        with self._dying():
            self.world.take_step("answer", effect.kind, effect=effect.id)
            self._handle(make(f"effect:{effect.id}", self.now()))

    # ---------------------------------------------------------------- the log

    def _note_taken(self, event: events.Event) -> None:
        self._taking = None
        self.handled.append(event)
        if self.log is not None:
            said = msgspec.to_builtins(event)
            del said["at"]
            self.logged[event.key] = self._tell("event", what=type(event).__name__, **said)

    def _note_begun(self, effect: Effect) -> None:
        self._beginning = None
        assert self.engine is not None
        if self.engine.db.value("SELECT state FROM effects WHERE id = ?", effect.id) not in ("started", "done"):
            return
        self.started.append(effect)
        if self.log is not None:
            asked = {"effect": effect.id, "turn": effect.turn, "subject": effect.subject, "body": effect.body}
            self._tell("effect", what=effect.kind, **asked)

    def _tell(self, kind: str, **said: Any) -> int:
        assert self.log is not None
        told = {"transcript": self.number, "at": clock(self.now()), "ms": self.now(), **said}
        self.course.append({"kind": kind, **told})
        return self.log.add(kind, **told)


def clock(at: int) -> str:
    """A time in ms as the user's clock shows it."""
    return (datetime.fromtimestamp(at / 1000, UTC) + LOCAL).strftime("%H:%M:%S")


def _settled(daemon: Process, taken: list[bool]) -> bool:
    return taken[0] or not daemon.alive


def plain(value: Any) -> str:
    """A scripted answer as the text that a model would give."""
    return json.dumps(value, ensure_ascii=False)
