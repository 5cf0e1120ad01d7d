"""The simulated world's heart: virtual time, actors that take turns, numbered steps, and faults at addresses.

Actors are greenlets that belong to processes. Exactly one runs at a time; it gives way only where it waits (a sleep, a
lock), so a run is a pure function of scenario and seed. Every call through a port is a step with a number; a fault is
an address: "at step 41, crash". Time moves only when everybody waits.
"""

import errno
import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet

from harness.runlog import RunLog

START = datetime(2026, 8, 14, 14, 0, tzinfo=UTC)
STEPS_MOST = 20_000
"""A run that takes more steps than this is taken for one that never ends."""
HANG_SECONDS = 43_200.0
"""How long a process that hangs stands still, before it goes on as if nothing had been."""
ERRNO = {"enospc": errno.ENOSPC, "eio": errno.EIO}


class Killed(GreenletExit):
    """The process of this actor has been killed."""


class Stopped(BaseException):
    """The run has come to the step that it was to end at."""


class NeverEnds(AssertionError):
    """The run took more steps than any story needs."""


@dataclass(eq=False)
class Process:
    """A process of the simulated machine: its id, and what it was started with."""

    pid: int
    command: tuple[str, ...]
    alive: bool = True
    actors: list[greenlet] = field(default_factory=list)
    parent: "Process | None" = None
    outside: bool = False
    """Whether it is none of this machine's: people, and the world at large. No power cut ends it."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong at a step.

    `kill`, `power`: the process at work, or the whole machine, ends before it. `hang`: the process stands still for
    `HANG_SECONDS` before it. `enospc`, `eio`: it raises that `OSError` instead. `short`: a write takes half of its
    bytes. `no`: nothing is done, and the call's result says so. `late`: it is done, and the result says it was not. Any
    other word: what `World.others` has under it happens just before it.
    """

    step: int
    do: str


class World:
    """Virtual time and its actors. `at` schedules, `run` plays until nobody has anything left to do."""

    def __init__(
        self,
        seed: int = 0,
        log: RunLog | None = None,
        faults: tuple[Fault, ...] = (),
        steps_most: int = STEPS_MOST,
    ) -> None:
        self.seed = seed
        self.now = START
        self.step = 0
        self.processes: dict[int, Process] = {}
        self.on_power_cut: list[Callable[[], None]] = []
        self.others: dict[str, Callable[[], object]] = {}
        """What somebody who is no part of this may do between two steps, by the word of its fault."""
        self.interrupted: tuple[str, str, Path | None] | None = None
        """The call, and its path, before which one of `others` came."""
        self.failures: list[tuple[Process, Exception]] = []
        """What ended an actor other than its own end or a kill; a story has to expect each."""
        self._steps_most = steps_most
        self._log = log
        self._faults = {fault.step: fault for fault in faults}
        self._queue: list[tuple[datetime, int, greenlet]] = []
        self._order = 0
        self._next_pid = 1000
        self._of: dict[greenlet, Process] = {}
        self._due: dict[greenlet, int] = {}
        """For each actor that waits: which entry of the queue will wake it. Earlier ones of it are void."""
        self.shown: Callable[[Path], str] = str
        """How a path stands in the log."""
        self.stop_after: int | None = None
        """The last step of this run; it is over before the next one."""
        self.calls: list[tuple[str, str]] = []
        """The door and call of every step so far."""
        self._spoiled: dict[tuple[str, str], list[str]] = {}
        self._watches: list[tuple[Callable[[], bool], greenlet]] = []
        self._streams: dict[str, random.Random] = {}

    # ---------------------------------------------------------------- actors

    def process(self, *command: str, outside: bool = False) -> Process:
        """A new process; give it actors with `start`."""
        self._next_pid += 1
        process = Process(self._next_pid, command, outside=outside)
        self.processes[process.pid] = process
        return process

    def start(self, process: Process, action: Callable[[], object], after: float = 0.0) -> None:
        """Let `action` run in a process, `after` seconds from now."""

        def body() -> None:
            try:
                action()
            except Killed:
                pass
            except Exception as error:
                self.failures.append((process, error))
            finally:
                self._of.pop(getcurrent(), None)

        actor = greenlet(body)
        process.actors.append(actor)
        self._of[actor] = process
        self._wake(actor, after)

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        """Let something outside any process happen at a time counted from the world's start."""
        elapsed = (self.now - START).total_seconds()
        self.start(self.process("outside", outside=True), action, max(0.0, seconds - elapsed))

    def kill(self, process: Process) -> None:
        """End a process at once; what it wrote stays."""
        process.alive = False
        for actor in process.actors:
            # Who is at work, or has let this one in at a step, ends at its own next step.
            if not actor.dead and not _waits_for(actor):
                # What ends goes back to its parent: that is who killed it, and goes on.
                actor.parent = getcurrent()
                actor.throw(Killed)

    def power_cut(self) -> None:
        """End every process and lose what was not flushed to the disk."""
        here = self._of.get(getcurrent())
        for process in list(self.processes.values()):
            if process is not here and not process.outside:
                self.kill(process)
        if here is not None:
            here.alive = here.outside
        for lose in self.on_power_cut:
            lose()

    def running(self) -> Process | None:
        """The process whose turn it is."""
        return self._of.get(getcurrent())

    def run(self, seconds: float = 86_400.0) -> None:
        """Play until nobody has anything left to do, or for so many seconds of virtual time."""
        end = self.now + timedelta(seconds=seconds)
        while self._queue and self._queue[0][0] <= end:
            due, order, actor = heapq.heappop(self._queue)
            if not actor.dead and self._due.get(actor) == order:
                self.now = due
                try:
                    self._hand_over(actor)
                    self._look()
                except Stopped:
                    return
        self.now = max(self.now, end) if self._queue else self.now

    # ---------------------------------------------------------------- what ports call

    def take_step(self, door: str, call: str, **said: Any) -> str:
        """One call through a port. Raises the OSError of a fault at this address, or ends the process by it.

        What the call itself has to play of a fault is returned: `short`, `no` or `late`, else nothing.
        """
        if self.step == self.stop_after:
            raise Stopped
        self.step += 1
        if self.step > self._steps_most:
            raise NeverEnds(f"{self._steps_most} steps and no end")
        self._look()
        process = self.running()
        if process is not None and not process.alive:
            raise Killed
        if self._log is not None:
            who = process.command[0] if process else "scenario"
            at = self.now.isoformat()
            told = {name: self.shown(value) if isinstance(value, Path) else value for name, value in said.items()}
            self._log.add("port", address=self.step, at=at, who=who, door=door, call=call, **told)
        self.calls.append((door, call))
        spoiled = self._spoiled.get((door, call))
        do = spoiled.pop(0) if spoiled else ""
        do = self._faults[self.step].do if self.step in self._faults else do
        if do and self._log is not None:
            self._log.add("fault", address=self.step, do=do)
        if do in self.others:
            self.interrupted = door, call, said.get("path")
            self.others[do]()
            if process is not None and not process.alive:
                raise Killed
        if do == "power":
            self.power_cut()
            raise Killed
        if do == "kill" and process is not None and not process.outside:
            self.kill(process)
            raise Killed
        if do == "hang":
            self.sleep(HANG_SECONDS)
        if do in ERRNO:
            raise OSError(ERRNO[do], f"simulated at step {self.step}")
        return do

    def spoil(self, door: str, call: str, does: list[str]) -> None:
        """Let the next calls of this kind meet a fault each, wherever they stand."""
        self._spoiled.setdefault((door, call), []).extend(does)

    def sleep(self, seconds: float) -> None:
        """The running actor waits; others act meanwhile."""
        actor = getcurrent()
        if actor not in self._of:
            raise AssertionError("only an actor can wait")
        self._wake(actor, seconds)
        self._give_way(actor)

    def wait_until(self, holds: Callable[[], bool], seconds: float) -> bool:
        """The running actor waits until something holds, looked at before every step, at most so long.

        Whoever is at work at that step stands still meanwhile. Returns whether it came to hold.
        """
        if holds():
            return True
        actor = getcurrent()
        watch = (holds, actor)
        self._watches.append(watch)
        self._wake(actor, seconds)
        self._give_way(actor)
        if watch in self._watches:
            self._watches.remove(watch)
            return holds()
        return True

    def random(self, user: str) -> random.Random:
        """The stream of chance named after its user, so that a new user does not disturb the others."""
        if user not in self._streams:
            self._streams[user] = random.Random(f"{self.seed}:{user}")
        return self._streams[user]

    def _look(self) -> None:
        """Let those go on whose waiting is over."""
        for watch in [watch for watch in self._watches if not watch[1].dead and watch[0]()]:
            if watch in self._watches:
                self._watches.remove(watch)
                self._hand_over(watch[1])

    def _hand_over(self, actor: greenlet) -> None:
        """Let an actor go on until it waits again; then whoever called goes on."""
        self._due.pop(actor, None)
        actor.parent = getcurrent()
        actor.switch()

    def _give_way(self, actor: greenlet) -> None:
        assert actor.parent is not None
        actor.parent.switch()

    def _wake(self, actor: greenlet, after: float) -> None:
        self._order += 1
        self._due[actor] = self._order
        heapq.heappush(self._queue, (self.now + timedelta(seconds=after), self._order, actor))


def _waits_for(actor: greenlet) -> bool:
    """Whether an actor is the one at work, or stands still until that one gives way."""
    each: greenlet | None = getcurrent()
    while each is not None:
        if each is actor:
            return True
        each = each.parent
    return False
