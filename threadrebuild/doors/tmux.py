"""The tmux door: the host lives in a pane and is replaced by a forced respawn of exactly that pane."""

from threadrebuild.config import SESSION_PLACE
from threadrebuild.doors.door import Health, Holder, Identity, is_session_id
from threadrebuild.doors.host_process import host_under, is_in_turn_of
from threadrebuild.ports import Clock, Outcome, Pane, Panes, Processes

CHECK_EVERY_SECONDS = 0.5


class TmuxDoor:
    """Identity is the pane's permanent id with the process in it; healthy is a pane that stays alive (TR-113)."""

    cannot_prove = (
        "a pane that stays alive does not prove that messages reach the new session",
        "process ids are an approximation: this is no session lock of the host",  # TR-109
    )
    leaves_service = False

    def __init__(
        self,
        target: str,
        resume_command: tuple[str, ...],
        folder: str,
        check_seconds: float,
        panes: Panes,
        processes: Processes,
        clock: Clock,
    ) -> None:
        self._target = target
        self._resume_command = resume_command
        self._folder = folder
        self._check_seconds = check_seconds
        self._panes = panes
        self._processes = processes
        self._clock = clock

    def identity(self, target: str | None = None) -> Identity | None:
        """The pane that the configured target names now, or exactly the named one, and the process in it.

        None for a dead pane, and for one in which something else than the host runs (TR-183, TR-L23).
        """
        pane = self._panes.find(target or self._target)
        if pane is None or pane.dead or not self._holds_host(pane):  # TR-183
            return None
        return Identity(pane.id, str(pane.pid))

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        """By the host in the pane: the hook runs under it, and under no other host in between."""
        host = host_under(int(identity.proof), self._resume_command[0], self._processes)
        return host is not None and is_in_turn_of(host, self._resume_command[0], self._processes)

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        """By the pane's process, and by the command it was last respawned with."""
        pane = self._panes.find(recorded.target)
        if pane is None:
            return Holder.OTHER
        if not pane.dead and str(pane.pid) == recorded.proof:
            return Holder.UNCHANGED
        if not self._is_ours(pane, wanted_session):
            return Holder.OTHER
        return Holder.NOBODY if pane.dead else Holder.WANTED

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        """Respawn the very pane that was recorded, with the household's own start command (TR-115).

        Whoever comes after the look at the pane is met by the server's own comparison.
        """
        if not is_session_id(session_id):
            return Outcome(False, f"{session_id!r} is no session id")
        pane = self._panes.find(recorded.target)
        if pane is None:
            return Outcome(False, f"pane {recorded.target} is gone, or tmux does not answer")
        known = str(pane.pid) == recorded.proof or (instead_of is not None and self._is_ours(pane, instead_of))
        if not known:
            return Outcome(False, f"pane {recorded.target} is held by somebody else", changed=True)
        return self._panes.respawn(recorded.target, pane.pid, self.command(session_id), self._folder)

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        """The same pane, alive with one and the same process for the whole check time."""
        first: int | None = None
        waited = 0.0
        while True:
            pane = self._panes.find(recorded.target)
            if pane is None or pane.dead:
                return Health(False, f"pane {recorded.target} is gone or dead")
            if not self._is_ours(pane, session_id) or first not in (None, pane.pid):
                return Health(False, f"pane {recorded.target} was respawned by somebody else")
            if waited >= self._check_seconds:  # TR-113
                alive = f"pane {recorded.target} stayed alive for {self._check_seconds} s"
                return Health(True, alive, Identity(pane.id, str(pane.pid)))
            first = pane.pid
            self._clock.sleep(CHECK_EVERY_SECONDS)
            waited += CHECK_EVERY_SECONDS

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        """Nothing is left behind by a respawn that did not happen."""
        return Outcome(True)

    def command(self, session_id: str) -> list[str]:
        """The household's resume command for a session."""
        return [session_id if word == SESSION_PLACE else word for word in self._resume_command]  # TR-115

    def _holds_host(self, pane: Pane) -> bool:
        return host_under(pane.pid, self._resume_command[0], self._processes) is not None

    def _is_ours(self, pane: Pane, session_id: str) -> bool:
        return session_id in pane.started_with
