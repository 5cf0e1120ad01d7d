"""One household in a simulated world: a pane, a host with a long session, and operations over them.

night = Night(folder)
night.talk(lambda talk: talk.user("可以换窗了"))
night.ask_for_rebuild("夜里换窗")
night.end_turn()
night.world.run()
assert night.latest().state == "activated"
"""

from collections.abc import Callable
from pathlib import Path

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
from harness.world.kernel import Fault, World
from harness.world.talk import Talk
from threadrebuild.config import Settings
from threadrebuild.doors.tmux import TmuxDoor
from threadrebuild.operation import coordinator
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.store import Store
from threadrebuild.operation.worker import run_worker
from threadrebuild.ports import Outcome, Ports

OLD_SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
PANE = "%7"
TARGET = "DO-NOT-CREATE:0.0"
"""A target that cannot exist outside a simulation (TR-163)."""
COMMAND = ("/bin/false", "--resume", "{session_id}")


class Night:
    """The household through the tmux door, with everything around it simulated."""

    def __init__(
        self, folder: Path, seed: int = 0, faults: tuple[Fault, ...] = (), log: RunLog | None = None, **settings: object
    ) -> None:
        self.world = World(seed, log, faults)
        self.project_dir = folder / "-home-user-project"
        self.project_dir.mkdir(parents=True)
        self.settings = Settings(
            project_dir=str(self.project_dir),
            claude_workdir="/home/user/project",
            state_dir=str(folder / "state"),
            tmux_target=TARGET,
            resume_command=COMMAND,
            **settings,  # type: ignore[arg-type]
        )
        self.host = Host(self.world, self.project_dir)
        self.files = SimulatedFiles(self.world, folder)
        self.tmux = SimulatedTmux(self.world, self.host.started)
        self.spawner = SimulatedSpawner(self.world, self._work)
        clock = SimulatedClock(self.world)
        ports = Ports(
            clock=clock,
            ids=SimulatedIds(self.world),
            files=self.files,
            locks=SimulatedLocks(self.world),
            panes=self.tmux,
            services=_NoServices(),
            processes=SimulatedProcesses(self.world),
            spawner=self.spawner,
        )
        door = TmuxDoor(TARGET, COMMAND, "/home/user/project", self.settings.healthcheck_seconds, self.tmux, clock)
        store = Store(Path(self.settings.state_dir), self.files, ports.locks)
        self.house = Household(self.settings, store, door, ports)
        self.host.on_stop = lambda session, transcript: coordinator.stop_hook(self.house, str(transcript))
        talk = Talk(version=self.host.version)
        talk.user("早上好")
        talk.tool("Bash", {"command": "ls"}, result="a  b  c")
        talk.assistant("早。")
        self.host.begin(OLD_SESSION, talk)
        self.tmux.open(PANE, TARGET, *self.resumed(OLD_SESSION))

    def resumed(self, session: str) -> tuple[str, ...]:
        """The command line of a process of this household."""
        return tuple(part.replace("{session_id}", session) for part in COMMAND)

    def talk(self, say: Callable[[Talk], None], session: str = OLD_SESSION) -> None:
        """Let user and assistant go on talking."""
        self.host.append(session, say)

    def ask_for_rebuild(self, reason: str = "", word: str = "REBUILD") -> None:
        """The model calls the request tool, in the host's own process."""
        process = self.tmux.process_in(PANE)
        self.world.start(process, lambda: coordinator.request(self.house, reason, word))

    def end_turn(self, session: str = OLD_SESSION) -> None:
        """The host's turn ends and its Stop hook fires."""
        self.host.end_turn(session)

    def latest(self) -> Operation:
        """The latest operation as it lies on the disk."""
        found = self.house.store.latest()
        assert found is not None
        return found

    def _work(self, operation_id: str, worker: str) -> None:
        run_worker(self.house, operation_id, worker)


class _NoServices:
    def main_pid(self, unit: str) -> int:
        return 0

    def start_command(self, unit: str) -> list[str]:
        return []

    def restart(self, unit: str, limit_seconds: float) -> Outcome:
        return Outcome(False, "no service manager")
