"""The systemd door: a service starts the host; switching writes the pointer file and restarts the unit.

The start script reads the pointer first, never file times: a process that exits may write to the old session once more
and make it the newest (TR-118).
"""

from threadrebuild.doors.door import Health, Holder, Identity
from threadrebuild.doors.host_process import HOST, host_under, is_in_turn_of
from threadrebuild.doors.pointer_file import NoPointer, PointerFile, session_in
from threadrebuild.ports import Clock, Outcome, Processes, Services

CHECK_EVERY_SECONDS = 0.5


class SystemdDoor:
    """Identity is the unit's main process with the pointer; healthy is a main process that was started with the
    session and stays up (TR-116, TR-119).
    """

    cannot_prove = (
        "a main process that was started with the session does not prove that messages reach it",
        "process ids are an approximation: this is no session lock of the host",  # TR-109
        "pointer and main process are compared, and then used in a step of its own: who moves the pointer or restarts "
        "the unit just between the two is overwritten",
    )
    leaves_service = True  # TR-117

    def __init__(
        self,
        unit: str,
        pointer: PointerFile,
        check_seconds: float,
        restart_seconds: float,
        services: Services,
        processes: Processes,
        clock: Clock,
    ) -> None:
        self._unit = unit
        self._pointer = pointer
        self._check_seconds = check_seconds
        self._restart_seconds = restart_seconds
        self._services = services
        self._processes = processes
        self._clock = clock

    def identity(self, target: str | None = None) -> Identity | None:
        """The unit's main process and the pointer's content; None where either cannot be told (TR-L23)."""
        pid = self._services.main_pid(self._unit)
        if pid == 0:  # TR-116
            return None
        try:
            return Identity(self._unit, str(pid), self._pointer.read())
        except NoPointer:
            return None

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        """By the host under the main process, or that process itself where none goes by the host's name."""
        main = int(identity.proof)
        return is_in_turn_of(host_under(main, HOST, self._processes) or main, HOST, self._processes)

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        """By the main process and the pointer.

        A new main process under our pointer counts as the wanted one; whether it obeyed is for `healthy` to say.
        """
        try:
            content = self._pointer.read()
        except NoPointer:
            return Holder.OTHER
        ours = session_in(content) == wanted_session
        if content != recorded.pointer and not ours:
            return Holder.OTHER
        pid = self._services.main_pid(recorded.target)
        if ours and (pid == 0 or self._was_started_with(pid, wanted_session)):
            return Holder.WANTED if pid else Holder.NOBODY
        if str(pid) == recorded.proof:  # TR-116
            return Holder.UNCHANGED
        return Holder.WANTED if ours else Holder.OTHER

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        """Write the pointer, then restart the unit; without the pointer nothing is restarted.

        The service manager cannot compare: the main process is looked at right before each of the two.
        """
        ours = instead_of is not None and self._pointer.names(instead_of)
        before = self._services.main_pid(recorded.target)
        if not ours and str(before) != recorded.proof:
            return self._held_by_another(before)
        written = self._pointer.take_over(recorded.pointer, session_id, instead_of)
        if not written.ok:  # TR-118
            return written
        now = self._services.main_pid(recorded.target)
        if now != before:
            self._pointer.give_back(recorded.pointer, session_id)
            return self._held_by_another(now)
        return self._services.restart(recorded.target, self._restart_seconds)

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        """A main process that was started with the session, within the check time, and is then up for as long.

        An active unit that ignored the pointer is a failure (TR-119).
        """
        waited = 0.0
        while not self._was_started_with(pid := self._services.main_pid(recorded.target), session_id):
            if waited >= self._check_seconds:  # TR-119
                return Health(False, f"the main process {pid} of {recorded.target} was not started with {session_id}")
            self._clock.sleep(CHECK_EVERY_SECONDS)
            waited += CHECK_EVERY_SECONDS
        up = 0.0
        while up < self._check_seconds:  # TR-119
            self._clock.sleep(CHECK_EVERY_SECONDS)
            up += CHECK_EVERY_SECONDS
            if self._services.main_pid(recorded.target) != pid:
                return Health(False, f"the main process of {recorded.target} did not stay the same")
        try:
            seen = Identity(recorded.target, str(pid), self._pointer.read())
        except NoPointer as error:
            return Health(False, str(error))
        if session_in(seen.pointer) != session_id:
            return Health(False, "the pointer was moved by somebody else")
        up_for = f"{recorded.target} runs {session_id} as process {pid}, up for {self._check_seconds} s"
        return Health(True, up_for, seen)

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        """Give the pointer back what it held; no restart took place."""
        return self._pointer.give_back(recorded.pointer, session_id)

    def command(self, session_id: str) -> list[str]:
        """What is written, and the restart."""
        return ["write", str(self._pointer.path), session_id, "systemctl", "restart", self._unit]

    def _held_by_another(self, pid: int) -> Outcome:
        if pid == 0:
            return Outcome(False, f"the main process of {self._unit} cannot be told")
        return Outcome(False, f"{self._unit} was restarted by somebody else", changed=True)

    def _was_started_with(self, pid: int, session_id: str) -> bool:
        return any(session_id in word for word in self._processes.command_line(pid))  # TR-119
