"""A simulated service manager: units whose start script decides what runs, and the control group a restart empties."""

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.world.kernel import Killed, Process, World
from threadrebuild.ports import Outcome

RESTART_SECONDS = 1.5


@dataclass
class _Unit:
    script: Callable[[], tuple[str, ...]]
    main: Process
    group: list[Process] = field(default_factory=list)


class SimulatedSystemd:
    """`ports.Services`. A restart kills all of the unit's control group, whoever asked for it (TR-117)."""

    def __init__(self, world: World, start: Callable[[Process], None]) -> None:
        self._world = world
        self._start = start
        self._units: dict[str, _Unit] = {}
        self.answers = True
        self.restarts: list[str] = []
        self.overwritten: list[Process] = []
        """The main process at each restart through the port."""

    def open(self, unit: str, script: Callable[[], tuple[str, ...]]) -> Process:
        """A unit that is up. `script` gives the command line of each start, as its start script would."""
        self._units[unit] = _Unit(script, self._started(script()))
        return self._units[unit].main

    def start_by(self, unit: str, script: Callable[[], tuple[str, ...]]) -> None:
        """Give a unit another start script, from its next start on."""
        self._units[unit].script = script

    def process_in(self, unit: str) -> Process:
        """The unit's main process, or the last one."""
        return self._units[unit].main

    def join(self, unit: str, process: Process) -> None:
        """Put a process that was started from inside a unit into its control group."""
        self._units[unit].group.append(process)

    def start_again(self, unit: str) -> None:
        """Stop and start a unit, as anybody with its rights can."""
        self._stop(self._units[unit])
        self._units[unit].main = self._started(self._units[unit].script())

    def main_pid(self, unit: str) -> int:
        silent = self._world.take_step("services", "main_pid", unit=unit) == "no"
        if silent or not self.answers or unit not in self._units or not self._units[unit].main.alive:
            return 0
        return self._units[unit].main.pid

    def start_command(self, unit: str) -> list[str]:
        silent = self._world.take_step("services", "start_command", unit=unit) == "no"
        return ["/opt/start.sh"] if unit in self._units and not silent else []

    def restart(self, unit: str, limit_seconds: float) -> Outcome:
        fault = self._world.take_step("services", "restart", unit=unit, limit=limit_seconds)
        if fault == "no" or not self.answers or unit not in self._units:
            return Outcome(False, f"Unit {unit} not found.")
        self.restarts.append(unit)
        known = self._units[unit]
        self.overwritten.append(known.main)
        # The manager finishes a restart also when whoever asked for it is gone.
        self._stop(known)
        self._world.start(self._world.process("manager"), lambda: self._finish(known), after=RESTART_SECONDS)
        asking = self._world.running()
        if asking is not None and not asking.alive:
            raise Killed
        if asking is not None:
            self._world.sleep(RESTART_SECONDS)
        return Outcome(False, "no answer in time") if fault == "late" else Outcome(True)

    def _finish(self, unit: _Unit) -> None:
        unit.main = self._started(unit.script())

    def _stop(self, unit: _Unit) -> None:
        for process in (unit.main, *unit.group):
            self._world.kill(process)
        unit.group.clear()

    def _started(self, command: tuple[str, ...]) -> Process:
        process = self._world.process(*command)
        self._start(process)
        return process
