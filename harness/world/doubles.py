"""The simulated outside behind the ports, but for disk and time: locks, panes, services, processes, the worker's start.

Each does what the real thing was seen to do, and nothing that it never did.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePath

from harness.world.kernel import Process, World
from threadrebuild.ports import Answer, Outcome, Pane

FOR_EVER = 1e9


class SimulatedClock:
    """`ports.Clock` on the world's virtual time."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> datetime:
        return self._world.now

    def sleep(self, seconds: float) -> None:
        self._world.take_step("clock", "sleep", seconds=seconds)
        self._world.sleep(seconds)


class SimulatedIds:
    """`ports.Ids` from a named stream of chance."""

    def __init__(self, world: World) -> None:
        self._world = world

    def new_session_id(self) -> str:
        return self._uuid("session ids")

    def new_operation_id(self) -> str:
        return self._uuid("operation ids")

    def _uuid(self, stream: str) -> str:
        digits = f"{self._world.random(stream).getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"


class SimulatedLocks:
    """`ports.Locks`: a lock belongs to a process and ends with it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._holders: dict[Path, Process] = {}
        self._claimed: dict[str, Process] = {}

    @contextmanager
    def hold(self, path: Path, limit_seconds: float | None = None) -> Iterator[None]:
        if self._world.take_step("locks", "hold") == "no" and limit_seconds is not None:
            raise TimeoutError(f"the lock was not free within {limit_seconds} s")
        mine = self._world.running()

        def is_free() -> bool:
            holder = self._holders.get(path)
            return holder is None or not holder.alive or holder is mine

        free = is_free() or self._world.wait_until(is_free, FOR_EVER if limit_seconds is None else limit_seconds)
        if not free:
            raise TimeoutError(f"the lock was not free within {limit_seconds} s")
        if mine is not None:
            self._holders[path] = mine
        try:
            yield
        finally:
            self._holders.pop(path, None)

    @contextmanager
    def claim(self, names: Sequence[str]) -> Iterator[str | None]:
        if self._world.take_step("locks", "claim", names=len(names)) == "no":
            yield names[0]
            return
        mine = self._world.running()
        taken = [name for name in names if (by := self._claimed.get(name)) is not None and by.alive and by is not mine]
        held = [] if taken or mine is None else [name for name in names if self._claimed.get(name) is not mine]
        for name in held:
            assert mine is not None
            self._claimed[name] = mine
        try:
            yield taken[0] if taken else None
        finally:
            for name in held:
                self._claimed.pop(name, None)


class SimulatedProcesses:
    """`ports.Processes` over the world's processes. A story says who is whose child, and what a call answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.children: dict[int, list[int]] = {}
        self.folders: dict[int, Path] = {}
        self.units: dict[int, str] = {}
        self.caller: Callable[[], Process | None] = lambda: None
        """Whose call it is, as long as nobody of this world is at work."""
        self.missing: set[str] = set()
        """Programs that are not installed."""
        self.call_takes = 0.0
        """Seconds until a program that is called has ended."""
        self.on_call: Callable[[list[str], bytes], Answer] = lambda command, given: Answer(None, b"")

    def command_line(self, pid: int) -> list[str]:
        if self._world.take_step("processes", "command_line", pid=pid) == "no":
            return []
        process = self._world.processes.get(pid)
        return list(process.command) if process is not None and process.alive else []

    def every(self) -> list[int]:
        self._world.take_step("processes", "every")
        return sorted(pid for pid, process in self._world.processes.items() if process.alive)

    def unit(self, pid: int) -> str | None:
        self._world.take_step("processes", "unit", pid=pid)
        return self.units.get(pid)

    def lineage(self) -> list[int]:
        self._world.take_step("processes", "lineage")
        running = self._world.running()
        each = running if running is not None else self.caller()
        found = [0] if running is None else []
        while each is not None:
            found.append(each.pid)
            each = each.parent
        return found

    def descendants(self, pid: int) -> list[int]:
        if self._world.take_step("processes", "descendants", pid=pid) == "no":
            return []
        return [each for each in self.children.get(pid, ()) if self._world.processes[each].alive]

    def folder(self, pid: int) -> Path | None:
        self._world.take_step("processes", "folder", pid=pid)
        return self.folders.get(pid)

    def call(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        given: bytes = b"",
        limit_seconds: float | None = None,
    ) -> Answer:
        self._world.take_step("processes", "call", command=list(command))
        if limit_seconds is not None and self.call_takes > limit_seconds:
            self._world.sleep(limit_seconds)
            return Answer(None, b"")
        if self.call_takes:
            self._world.sleep(self.call_takes)
        return self.on_call(list(command), given)

    def find_program(self, name: str) -> str | None:
        self._world.take_step("processes", "find_program", name=name)
        if PurePath(name).name in self.missing:
            return None
        return name if name.startswith("/") else f"/usr/bin/{name}"


class SimulatedTmux:
    """`ports.Panes`: a tmux server with its panes. A pane keeps its id; what runs in it changes."""

    def __init__(self, world: World, start: Callable[[Process], None]) -> None:
        self._world = world
        self._start = start
        self._panes: dict[str, tuple[str, Process]] = {}
        self.answers = True
        self.overwritten: list[Process] = []
        """What stood in a pane each time it was respawned through the port."""
        self.respawned = 0

    def open(self, pane_id: str, name: str, *command: str) -> Process:
        """A new pane, by id and by its place (`cc:0.0`), with a program in it."""
        process = self._world.process(*command)
        self._panes[pane_id] = (name, process)
        self._start(process)
        return process

    def process_in(self, pane_id: str) -> Process:
        """What runs, or last ran, in a pane."""
        return self._panes[pane_id][1]

    def replace(self, pane_id: str, *command: str) -> Process:
        """Kill what runs in a pane and start something else there, as anybody at the keyboard can."""
        name, old = self._panes[pane_id]
        self._world.kill(old)
        process = self._world.process(*command)
        self._panes[pane_id] = (name, process)
        self._start(process)
        return process

    def close(self, pane_id: str) -> None:
        """Nothing is left of what a pane showed; the process that ran in it was not told, and lives on."""
        gone = self._world.process()
        gone.alive = False
        self._panes[pane_id] = (self._panes[pane_id][0], gone)

    def find(self, target: str) -> Pane | None:
        if self._world.take_step("panes", "find", target=target) == "no" or not self.answers:
            return None
        for pane_id, (name, process) in self._panes.items():
            if target in (pane_id, name):
                return _shown(pane_id, process)
        return None

    def every(self) -> dict[str, Pane]:
        if self._world.take_step("panes", "every") == "no" or not self.answers:
            return {}
        return {name: _shown(pane_id, process) for pane_id, (name, process) in self._panes.items()}

    def respawn(self, pane_id: str, pid: int, command: Sequence[str], folder: str) -> Outcome:
        fault = self._world.take_step("panes", "respawn", pane=pane_id, command=list(command))
        if fault == "no" or not self.answers:
            return Outcome(False, "no server running")
        if pane_id not in self._panes:
            return Outcome(False, f"can't find pane: {pane_id}")
        if self.process_in(pane_id).pid != pid:
            return Outcome(False, f"pane {pane_id} is not held by process {pid} any more", changed=True)
        self.respawned += 1
        self.overwritten.append(self.process_in(pane_id))
        self.replace(pane_id, *command)
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)


def _shown(pane_id: str, process: Process) -> Pane:
    program = PurePath(process.command[0]).name if process.command else ""
    return Pane(pane_id, process.pid, not process.alive, program, " ".join(process.command))


class SimulatedSpawner:
    """`ports.Spawner`: the worker is a process of its own, which starts a moment later."""

    def __init__(self, world: World, run: Callable[[str, str], object]) -> None:
        self._world = world
        self._run = run
        self.in_service: Callable[[Process], object] = lambda process: None
        """What becomes of a worker that stays in the control group of the service it was started from (TR-117)."""
        self.started: list[str] = []
        self.works = True

    def start_worker(self, operation_id: str, leave_service: bool) -> Outcome:
        fault = self._world.take_step("spawner", "start_worker", leave_service=leave_service)
        if fault == "no" or not self.works:
            return Outcome(False, "no such program")
        process = self._world.process("worker", operation_id)
        self.started.append(operation_id)
        if not leave_service:
            self.in_service(process)
        self._world.start(process, lambda: self._run(operation_id, f"worker-{process.pid}"), after=0.2)
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)
