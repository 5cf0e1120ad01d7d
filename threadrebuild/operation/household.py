"""One household's operations: its settings, its store, its door and the outside, as one value that is passed around."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from threadrebuild.channel.journal import Journal
from threadrebuild.config import Settings
from threadrebuild.doors.door import Door
from threadrebuild.operation.record import Lease, Operation, Step
from threadrebuild.operation.states import ENDS, HELD_BY_WORKER, Event, after
from threadrebuild.operation.store import Store
from threadrebuild.ports import Ports

LEASE_MARGIN_SECONDS = 60.0


class Refused(Exception):
    """What was asked is not possible now; nothing was changed. `reason` is a stable code."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Household:
    """What an operation works with. States change through `move` only, under the store's lock."""

    settings: Settings
    store: Store
    door: Door
    ports: Ports
    config: Path | None = None
    """The file that describes it; None where none does, as in a simulation."""

    @property
    def project_dir(self) -> Path:
        """The one project folder."""
        assert self.settings.project_dir is not None
        return Path(self.settings.project_dir)

    @property
    def journal(self) -> Journal | None:
        """Where inbound messages are held during a switch; None for a household without a channel."""
        if self.settings.channel_dir is None:
            return None
        return Journal(Path(self.settings.channel_dir), self.ports.files, self.ports.locks, self.ports.clock)

    def move(self, operation: Operation, event: Event, detail: str = "") -> None:
        """Move an operation by the table and save it. Raises `Refused` where the table has no such transition."""
        following = after(operation.state, event)
        if following is None:  # TR-094
            raise Refused("not-now", f"operation {operation.id} is {operation.state}: no {event} from there")
        now = self.now()
        operation.state = following
        operation.updated_at = now
        operation.steps.append(Step(now, event, following, detail))
        if following not in HELD_BY_WORKER:
            operation.lease = None
        self.store.save(operation)
        if following in ENDS and self.journal is not None:  # TR-L22
            self.journal.release()

    def now(self) -> str:
        """The time as it stands in records: ISO, UTC, microseconds."""
        return self.ports.clock.now().isoformat(timespec="microseconds")

    def new_lease(self, worker: str) -> Lease:
        """A claim that outlasts the longest phase a worker may be in without renewing it."""
        settings = self.settings
        longest = max(
            settings.activation_delay_seconds,
            settings.stable_file_timeout_seconds,
            settings.systemd_restart_timeout_seconds + settings.healthcheck_seconds,
        )
        until = self.ports.clock.now() + timedelta(seconds=longest + LEASE_MARGIN_SECONDS)
        return Lease(worker, until.isoformat(timespec="microseconds"))

    def is_stale(self, operation: Operation) -> bool:
        """Whether a worker should be at work on an operation and none is: its lease has run out (TR-L25)."""
        if operation.state not in HELD_BY_WORKER:
            return False
        return operation.lease is None or self.now() > operation.lease.until
