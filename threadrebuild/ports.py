"""Every door to the outside, as protocols: the cores reach time, chance, files and processes only through these.

What can fail says so in its result or by OSError; nothing here raises anything else. The real adapters are in
`system.py`, the simulated ones in the harness.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol


class Outcome(NamedTuple):
    """Whether something asked of the outside was done, and what it answered.

    `changed`: nothing was done, because what it was meant for is not there any more.
    """

    ok: bool
    detail: str = ""
    changed: bool = False


class Pane(NamedTuple):
    """A terminal pane: its permanent id and the process in it.

    `dead`: that process has ended. `command`: the program that runs there now. `started_with`: the command the pane was
    last started or respawned with, as one line.
    """

    id: str
    pid: int
    dead: bool
    command: str
    started_with: str


class Answer(NamedTuple):
    """How a program ended: its exit code and standard output. `code` is None where it did not start or did not end."""

    code: int | None
    output: bytes


class Clock(Protocol):
    """Wall time and waiting."""

    def now(self) -> datetime:
        """The time, with its zone (UTC)."""

    def sleep(self, seconds: float) -> None:
        """Wait; others act meanwhile."""


class Ids(Protocol):
    """Where new identifiers come from."""

    def new_session_id(self) -> str:
        """A UUID that no session has yet."""

    def new_operation_id(self) -> str:
        """An id that no operation has yet: hexadecimal digits and `-`."""


class Files(Protocol):
    """Durable writing, in the steps that can fail one by one."""

    def make_folder(self, path: Path) -> bool:
        """Create a private folder and its missing parents, private and durable too; return whether it was missing."""

    def create(self, path: Path) -> BinaryIO:
        """Open a new private file for reading and writing. Raises FileExistsError where there is one."""

    def sync(self, file: BinaryIO) -> None:
        """Flush a file's bytes to the disk."""

    def publish(self, part: Path, final: Path) -> None:
        """Give a finished file its final name, at once. Raises FileExistsError where that name is taken."""

    def replace(self, part: Path, final: Path) -> None:
        """Give a finished file its final name, at once, in place of the file that has it."""

    def sync_folder(self, path: Path) -> None:
        """Flush a folder's names to the disk."""

    def remove(self, path: Path) -> None:
        """Remove a file if it is there."""

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder."""

    def free_bytes(self, path: Path) -> int:
        """Room left on the disk that holds a folder."""


class Locks(Protocol):
    """Exclusive access among processes; a holder that dies lets go."""

    def hold(self, path: Path, limit_seconds: float | None = None) -> AbstractContextManager[None]:
        """Wait for the lock at `path` and hold it while the context lasts.

        Raises TimeoutError where it did not become free in time; without a limit it waits for as long as it takes.
        """

    def claim(self, names: Sequence[str]) -> AbstractContextManager[str | None]:
        """Claim things by name against every household of this user, without waiting, while the context lasts.

        Yields None, or the first name that another process has claimed: then none of them is held.
        """


class Panes(Protocol):
    """A terminal multiplexer."""

    def find(self, target: str) -> Pane | None:
        """The pane that a target or pane id names; None where there is none or no answer in time."""

    def every(self) -> dict[str, Pane]:
        """All panes by their target (`cc:0.0`); empty where there is no answer in time."""

    def respawn(self, pane_id: str, pid: int, command: Sequence[str], folder: str) -> Outcome:
        """Kill what runs in exactly this pane and start `command` there, if `pid` is still the process in it.

        Comparing and respawning are one step, into which nobody can come; where it is another process: `changed`.
        """


class Services(Protocol):
    """A service manager."""

    def main_pid(self, unit: str) -> int:
        """The unit's main process; 0 where there is none or no answer in time."""

    def start_command(self, unit: str) -> list[str]:
        """The unit's ExecStart as arguments; empty where it cannot be told."""

    def restart(self, unit: str, limit_seconds: float) -> Outcome:
        """Restart the unit and wait for it, at most so long."""


class Processes(Protocol):
    """Running processes."""

    def command_line(self, pid: int) -> list[str]:
        """The arguments a process was started with; empty where there is none."""

    def every(self) -> list[int]:
        """All processes."""

    def unit(self, pid: int) -> str | None:
        """The service whose control group holds a process; None where there is none."""

    def lineage(self) -> list[int]:
        """This very process and those it descends from, itself first."""

    def descendants(self, pid: int) -> list[int]:
        """The processes started under one, those it started itself first."""

    def folder(self, pid: int) -> Path | None:
        """A process's working directory; None where it cannot be told."""

    def call(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        given: bytes = b"",
        limit_seconds: float | None = None,
    ) -> Answer:
        """Run a program to its end with `given` on its standard input; its errors go where the caller's go.

        At the limit it is killed, with all that it started; without one it takes as long as it takes.
        """

    def find_program(self, name: str) -> str | None:
        """Absolute path of a program."""


class Models(Protocol):
    """Language models behind a relay."""

    def review(self, request: bytes) -> bytes | None:
        """The review model's answer to a request, both JSON; None where there is none in time."""

    def pinned_prompt(self) -> str:
        """The sha256 of the review prompt that the relay has pinned; empty where there is no answer in time."""


class History(Protocol):
    """What was said in a chat before."""

    def names(self) -> Mapping[str, str]:
        """The names known, of people and pets, each with the id of the message that first told it."""

    def search(self, name: str, limit_ms: int) -> Sequence[str] | None:
        """Passages about a name, none where it is not there; None where that could not be settled in time."""


class Tools(Protocol):
    """The tools that a model may call."""

    def run(self, tool: str, arguments: str) -> str:
        """Run one and return its result. Raises OSError where it fails."""


class Outbox(Protocol):
    """The way to the user's phone."""

    def send(self, message_id: str, text: str) -> Outcome:
        """Hand over the answer to a message; handed over again, it is shown once."""


class Mailbox(Protocol):
    """The official side's record of what was said."""

    def commit(self, entry_id: str, tool: str, text: str) -> Outcome:
        """Record a text as said through a tool; recorded again under the same id, it stands there once."""


class Spawner(Protocol):
    """Starts the worker."""

    def start_worker(self, operation_id: str, leave_service: bool) -> Outcome:
        """Start a worker for an operation, detached from whatever started it.

        With `leave_service` it leaves the service's control group, or its own restart would kill it (TR-117).
        """


@dataclass(frozen=True, slots=True)
class Ports:
    """All doors to the outside, as one value."""

    clock: Clock
    ids: Ids
    files: Files
    locks: Locks
    panes: Panes
    services: Services
    processes: Processes
    spawner: Spawner
