"""One household in a simulated world: a door, a host with a long session, and operations over them.

night = Night(folder)
night.talk(lambda talk: talk.user("可以换窗了"))
night.ask_for_rebuild("夜里换窗")
night.end_turn()
night.world.run()
assert night.latest().state == "activated"
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from harness.runlog import RunLog
from harness.world.disk import SimulatedFiles
from harness.world.doubles import (
    SimulatedClock,
    SimulatedIds,
    SimulatedLocks,
    SimulatedProcesses,
    SimulatedSpawner,
    SimulatedTmux,
)
from harness.world.host import Host
from harness.world.kernel import Fault, Process, World
from harness.world.services import SimulatedSystemd
from harness.world.talk import Talk
from threadrebuild.config import Settings
from threadrebuild.doors import open_door
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.store import Store
from threadrebuild.operation.worker import run_worker
from threadrebuild.ports import Ports

OLD_SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
PANE = "%7"
TARGET = "DO-NOT-CREATE:0.0"
"""A target that cannot exist outside a simulation (TR-163)."""
UNIT = "do-not-create.service"
COMMAND = ("/bin/false", "--resume", "{session_id}")
BOOT_SECONDS = 60.0
"""From a power cut until the machine is up again and has started its host by itself."""

DoorKind = Literal["tmux", "systemd", "pointer"]


class Night:
    """The household through one of the three doors, with everything around it simulated.

    `tmux`: the host lives in the pane `PANE`. `systemd`: the unit `UNIT` starts it for the session in `pointer`.
    `pointer`: nothing stays up, and a runner calls the host for the session in `pointer`. With `note` a rebuild is a
    window change, and that is what the host has written down for it.
    """

    def __init__(
        self,
        folder: Path,
        seed: int = 0,
        faults: tuple[Fault, ...] = (),
        log: RunLog | None = None,
        door: DoorKind = "tmux",
        talk: Talk | bytes | None = None,
        note: str | None = None,
        **settings: object,
    ) -> None:
        self.world = World(seed, log, faults)
        self.project_dir = folder / "-home-user-project"
        self.project_dir.mkdir(parents=True)
        self.pointer = folder / "household" / "session"
        facts: dict[str, Any] = {
            "project_dir": str(self.project_dir),
            "claude_workdir": "/home/user/project",
            "state_dir": str(folder / "state"),
            "activation": door,
            "resume_command": COMMAND,
            "tmux_target": TARGET if door == "tmux" else None,
            "systemd_unit": UNIT if door == "systemd" else None,
            "resume_pointer_path": None if door == "tmux" else str(self.pointer),
        }
        if note is not None:
            written = folder / "note.txt"
            written.write_text(note, encoding="utf-8")
            facts |= {"carry": "note", "note_path": str(written)}
        self.settings = Settings(**facts | settings)
        self.host = Host(self.world, self.project_dir)
        self.files = SimulatedFiles(self.world, folder)
        self.tmux = SimulatedTmux(self.world, self.host.started)
        self.systemd = SimulatedSystemd(self.world, self.host.started)
        self.processes = SimulatedProcesses(self.world)
        self.processes.caller = lambda: None if door == "pointer" else self.resident()
        self.spawner = SimulatedSpawner(self.world, self._work)
        ports = Ports(
            clock=SimulatedClock(self.world),
            ids=SimulatedIds(self.world),
            files=self.files,
            locks=SimulatedLocks(self.world),
            panes=self.tmux,
            services=self.systemd,
            processes=self.processes,
            spawner=self.spawner,
        )
        store = Store(Path(self.settings.state_dir), self.files, ports.locks)
        self.house = Household(self.settings, store, open_door(self.settings, ports), ports)
        self.host.on_stop = lambda session, transcript: coordinator.stop_hook(self.house, str(transcript))
        self.strangers: list[Process] = []
        """What somebody else has put behind the door; nobody may overwrite it."""
        self.taken_at: tuple[int, str] | None = None
        """The step at which somebody else last took the door, and the session that they put there."""
        self.published: list[tuple[str, list[str]]] = []
        """What was published into the project folder, and the states that the operations were in at that moment."""
        self.files.on_publish = self._see_published
        self.old_when_activated: dict[str, bytes] = {}
        """What the old transcript held when each operation was activated, by the operation's id."""
        self.files.on_replace = self._see_replaced
        self._old_before_elsewhere: bytes | None = None
        """What the old transcript held when somebody first spoke in it although its session was not behind the door."""
        self.host.begin(OLD_SESSION, talk or self._small_talk())
        self._open(door)
        self.world.on_power_cut.append(lambda: self.world.start(self.outside(), self.start_host, BOOT_SECONDS))

    def _see_published(self, final: Path) -> None:
        if final.parent == self.project_dir:
            self.published.append((final.name, [str(each.state) for each in self.house.store.all()]))

    def _see_replaced(self, final: Path) -> None:
        known = final.stem in self.old_when_activated or final.parent.name != "operations"
        if not known and b'"activated_at": "' in final.read_bytes():
            elsewhere = self._old_before_elsewhere
            self.old_when_activated[final.stem] = self.host.wrote(OLD_SESSION) if elsewhere is None else elsewhere

    def _open(self, door: DoorKind) -> None:
        """Start what the old session lives in."""
        if door == "tmux":
            self.tmux.open(PANE, TARGET, *self.resumed(OLD_SESSION))
            return
        self.pointer.parent.mkdir()
        self.pointer.write_text(f"{OLD_SESSION}\n", encoding="ascii")
        if door == "systemd":
            self.systemd.open(UNIT, lambda: self.resumed(self.pointer.read_text(encoding="ascii").strip()))
            self.spawner.in_service = lambda worker: self.systemd.join(UNIT, worker)

    def _small_talk(self) -> Talk:
        talk = Talk(version=self.host.version)
        talk.user("早上好")
        talk.tool("Bash", {"command": "ls"}, result="a  b  c")
        talk.assistant("早。")
        return talk

    def outside(self) -> Process:
        """Somebody who is no process of this machine."""
        return self.world.process("outside", outside=True)

    def live_session(self) -> str | None:
        """The session behind the door now; None where nobody is, or a process of another kind."""
        if self.settings.activation == "pointer":
            return self.pointer.read_text(encoding="ascii").strip() if self.pointer.exists() else None
        resident = self.resident()
        return self.host.session_of(resident) if resident.alive else None

    def start_host(self) -> None:
        """The machine, or a person, starts what is not running by the household's own command, where it is down.

        A pane gets the command that ran in it last; a unit's start script reads the pointer.
        """
        if self.settings.activation == "pointer" or self.resident().alive:
            return
        if self.settings.activation == "tmux":
            self.tmux.replace(PANE, *self.resident().command)
        else:
            self.systemd.start_again(UNIT)

    def take_door(self, session: str) -> None:
        """Somebody else puts another session behind the door, by hand."""
        if session != self.live_session() or self.settings.activation != "pointer":
            self.taken_at = self.world.step, session
        if self.settings.activation == "tmux":
            self.strangers.append(self.tmux.replace(PANE, *self.resumed(session)))
            return
        self.pointer.write_text(f"{session}\n", encoding="ascii")
        if self.settings.activation == "systemd":
            self.systemd.start_again(UNIT)
            self.strangers.append(self.systemd.process_in(UNIT))

    @property
    def in_the_gap(self) -> bool:
        """Whether somebody took the door just between a comparison and its use, where the door cannot do both at once.

        Its `cannot_prove` says so: the pointer is replaced, and a unit restarted, in a step of its own.
        """
        if self.taken_at is None or self.world.interrupted is None or self.settings.activation == "tmux":
            return False
        door, call, path = self.world.interrupted
        uses_pointer = (door, call) in (("files", "replace"), ("files", "remove")) and path == self.pointer
        return uses_pointer or (door, call) == ("services", "restart")

    def resident(self) -> Process:
        """The process of the host's session; through the pointer door one that makes a single turn's call."""
        if self.settings.activation == "tmux":
            return self.tmux.process_in(PANE)
        if self.settings.activation == "systemd":
            return self.systemd.process_in(UNIT)
        return self.world.process(*self.resumed(self.pointer.read_text(encoding="ascii").strip()))

    def resumed(self, session: str) -> tuple[str, ...]:
        """The command line of a process of this household."""
        return tuple(part.replace("{session_id}", session) for part in COMMAND)

    def talk(self, say: Callable[[Talk], None], session: str = OLD_SESSION) -> None:
        """Let user and assistant go on talking."""
        if session == OLD_SESSION and self._old_before_elsewhere is None and self.live_session() != OLD_SESSION:
            self._old_before_elsewhere = self.host.wrote(OLD_SESSION)
        self.host.append(session, say)

    def ask_for_rebuild(self, reason: str = "", word: str = "REBUILD") -> None:
        """The model calls the request tool, in the host's own process."""
        self.world.start(self.resident(), lambda: coordinator.request(self.house, reason, word))

    def end_turn(self, session: str | None = None) -> None:
        """The turn of a session ends, of whoever is behind the door if none is named, and its Stop hook fires."""
        if session is not None or self.settings.activation == "pointer":
            self.host.end_turn(session or self.live_session() or "", self.host.process_of(session or ""))
        else:
            self.host.end_turn(self.live_session() or OLD_SESSION, self.resident())

    def latest(self) -> Operation:
        """The latest operation as it lies on the disk."""
        found = self.house.store.latest()
        assert found is not None
        return found

    def _work(self, operation_id: str, worker: str) -> None:
        # One that is turned away ends with its code; `World.failures` shows it, as the worker's log would.
        run_worker(self.house, operation_id, worker)
