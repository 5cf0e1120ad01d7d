"""The real doors: thin adapters of `ports.py` over the operating system. They report failure and never raise.

Nothing else in the cores starts a process, reads a clock or draws a random number.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from threadrebuild.ports import Answer, Outcome, Pane, Ports

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
TMUX_QUERY_SECONDS = 3.0  # TR-112
TMUX_RESPAWN_SECONDS = 10.0  # TR-112
SYSTEMD_QUERY_SECONDS = 5.0  # TR-112
LOCK_POLL_SECONDS = 0.05
STARTED_SECONDS = 0.5
"""A worker that has ended with an error within this time has not been started."""
_RESPAWNED, _CHANGED = "respawned", "changed"
_PLACE_FORMAT = "#{session_name}:#{window_index}.#{pane_index}"
_TMUX_SPECIAL = frozenset('\\"$~')
_PANE_FORMAT = "#{pane_id}\t#{pane_pid}\t#{pane_dead}\t#{pane_current_command}\t#{pane_start_command}"


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class SystemIds:
    """Random identifiers."""

    def new_session_id(self) -> str:
        """A random UUID."""
        return str(uuid.uuid4())

    def new_operation_id(self) -> str:
        """A random UUID."""
        return str(uuid.uuid4())


class SystemFiles:
    """Files on the machine's own disk."""

    def make_folder(self, path: Path) -> bool:
        """Create a private folder and its parents; return whether it was missing."""
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)  # TR-145
            self.sync_folder(folder.parent)
        return bool(missing)

    def create(self, path: Path) -> BinaryIO:
        """Open a new private file, whatever the umask is (TR-067)."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        os.fchmod(descriptor, PRIVATE_FILE)
        return os.fdopen(descriptor, "w+b")

    def sync(self, file: BinaryIO) -> None:
        """Flush a file's bytes to the disk."""
        file.flush()
        os.fsync(file.fileno())

    def publish(self, part: Path, final: Path) -> None:
        """Link the finished file under its final name; unlike a rename this cannot replace another file."""
        os.link(part, final)
        part.unlink()

    def replace(self, part: Path, final: Path) -> None:
        """Rename the finished file over the one that has its final name."""
        part.replace(final)

    def sync_folder(self, path: Path) -> None:
        """Flush a folder's names to the disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, path: Path) -> None:
        """Remove a file if it is there."""
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder."""
        path.rmdir()

    def free_bytes(self, path: Path) -> int:
        """Room left on the disk that holds a folder."""
        return shutil.disk_usage(path).free


class SystemLocks:
    """Advisory locks of the kernel: they end with their holder.

    Claims are lock files in `claims`, one folder for all configurations of a user, whatever their state directories.
    """

    def __init__(self, claims: Path | None = None) -> None:
        self._claims = claims or Path("~/.local/state/kael-thread-rebuild/claims").expanduser()

    @contextmanager
    def hold(self, path: Path, limit_seconds: float | None = None) -> Iterator[None]:
        """Hold the lock file exclusively."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            if limit_seconds is None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            else:
                _lock_within(descriptor, limit_seconds)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def claim(self, names: Sequence[str]) -> Iterator[str | None]:
        """Lock a file for each name, or none."""
        with ExitStack() as held:
            self._claims.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            taken = None
            for name in names:
                path = self._claims / f"{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()}.lock"
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
                held.callback(os.close, descriptor)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    taken = name
                    held.close()
                    break
            yield taken


class Tmux:
    """A tmux server, by its socket name (None: the user's default server)."""

    def __init__(self, socket: str | None = None) -> None:
        self._tmux = ["tmux"] if socket is None else ["tmux", "-L", socket]

    def find(self, target: str) -> Pane | None:
        """The pane that has exactly this place or id.

        It is looked for among all panes: a target given to tmux itself is completed to other sessions' names, and one
        that names a missing window falls back on the session's current pane (TR-114).
        """
        for place, pane in self.every().items():
            if target in (place, pane.id):  # TR-114
                return pane
        return None

    def every(self) -> dict[str, Pane]:
        """All panes of the server."""
        found = _run([*self._tmux, "list-panes", "-a", "-F", f"{_PLACE_FORMAT}\t{_PANE_FORMAT}"], TMUX_QUERY_SECONDS)
        lines = [line.partition("\t") for line in found.detail.splitlines()] if found.ok else []
        return {place: pane for place, _, shown in lines if (pane := _pane(shown)) is not None}

    def respawn(self, pane_id: str, pid: int, command: Sequence[str], folder: str) -> Outcome:
        """`respawn-pane -k` of exactly this pane; the arguments reach the program as they are, without a shell.

        The server compares and respawns within one command list, which it runs before it looks at any other client.
        """
        same = f"#{{&&:#{{==:#{{pane_id}},{pane_id}}},#{{==:#{{pane_pid}},{pid}}}}}"
        # A # in the folder begins a format.
        words = ["respawn-pane", "-k", "-t", pane_id, "-c", folder.replace("#", "##"), *command]
        respawn = f"{' '.join(map(_tmux_word, words))} ; display-message -p {_RESPAWNED}"
        otherwise = f"display-message -p {_CHANGED}"
        answer = _run([*self._tmux, "if-shell", "-F", "-t", pane_id, same, respawn, otherwise], TMUX_RESPAWN_SECONDS)
        said = answer.detail.strip()
        if answer.ok and said == _CHANGED:
            return Outcome(False, f"pane {pane_id} is not held by process {pid} any more", changed=True)
        return Outcome(answer.ok and said == _RESPAWNED, said)


class Systemd:
    """The service manager, of the system or of the user."""

    def __init__(self, user: bool = False) -> None:
        self._systemctl = ["systemctl", "--user"] if user else ["systemctl"]

    def main_pid(self, unit: str) -> int:
        """The unit's MainPID; 0 where there is none."""
        found = _run([*self._systemctl, "show", "--property=MainPID", "--value", unit], SYSTEMD_QUERY_SECONDS)
        text = found.detail.strip()
        return int(text) if found.ok and text.isdigit() else 0

    def start_command(self, unit: str) -> list[str]:
        """The arguments of the unit's ExecStart."""
        found = _run([*self._systemctl, "show", "--property=ExecStart", "--value", unit], SYSTEMD_QUERY_SECONDS)
        _, _, rest = found.detail.partition("argv[]=")
        return rest.partition(" ;")[0].split() if found.ok else []

    def restart(self, unit: str, limit_seconds: float) -> Outcome:
        """Restart the unit and wait for it."""
        return _run([*self._systemctl, "restart", unit], limit_seconds)


class SystemProcesses:
    """Processes of this machine."""

    def command_line(self, pid: int) -> list[str]:
        """The arguments as the kernel shows them."""
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return []
        return [part.decode("utf-8", "surrogateescape") for part in raw.rstrip(b"\0").split(b"\0")] if raw else []

    def every(self) -> list[int]:
        """By the kernel's folders."""
        return sorted(int(path.name) for path in Path("/proc").glob("[0-9]*"))

    def unit(self, pid: int) -> str | None:
        """The innermost service in the path of the process's control group."""
        try:
            parts = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8").strip().split("/")
        except (OSError, UnicodeDecodeError):
            return None
        return next((part for part in reversed(parts) if part.endswith(".service")), None)

    def lineage(self) -> list[int]:
        """By the parents that the kernel shows."""
        found = [os.getpid()]
        while (parent := _parent_of(found[-1])) and parent not in found:
            found.append(parent)
        return found

    def descendants(self, pid: int) -> list[int]:
        """By the parents that the kernel shows, level by level."""
        children: dict[int, list[int]] = {}
        for pid_shown in sorted(self.every()):
            if (parent := _parent_of(pid_shown)) is not None:
                children.setdefault(parent, []).append(pid_shown)
        found = list(children.get(pid, ()))
        for each in found:
            found += children.get(each, ())
        return found

    def folder(self, pid: int) -> Path | None:
        """The kernel's link to a process's working directory."""
        try:
            return Path(f"/proc/{pid}/cwd").readlink()
        except OSError:
            return None

    def call(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        given: bytes = b"",
        limit_seconds: float | None = None,
    ) -> Answer:
        """Run a program; its standard error is the caller's. With a limit it gets a session of its own."""
        is_limited = limit_seconds is not None
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, start_new_session=is_limited
            )
        except OSError:
            return Answer(None, b"")
        with process:
            try:
                output, _ = process.communicate(given, limit_seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return Answer(None, b"")
            except BaseException:
                process.kill()
                raise
        return Answer(process.returncode, output)

    def find_program(self, name: str) -> str | None:
        """Absolute path of a program on the PATH."""
        found = shutil.which(name)
        return str(Path(found).absolute()) if found else None


class SystemSpawner:
    """Starts the worker as a process of its own, in a session of its own, with its output in the worker log."""

    def __init__(self, config: Path, worker_log: Path) -> None:
        self._config = config
        self._log = worker_log

    def start_worker(self, operation_id: str, leave_service: bool) -> Outcome:
        """Start `threadrebuild worker`, outside the service's control group where that is asked for (TR-117)."""
        command = worker_command(self._config, operation_id, leave_service)
        try:
            descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, PRIVATE_FILE)
            try:
                worker = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=descriptor,
                    stderr=descriptor,
                    start_new_session=True,  # TR-101
                    cwd="/",
                )
                code = worker.wait(STARTED_SECONDS)
            finally:
                os.close(descriptor)
        except subprocess.TimeoutExpired:
            return Outcome(True)
        except OSError as error:
            return Outcome(False, str(error))
        return Outcome(code == 0, f"the worker ended at once with exit code {code}; {self._log} may say why")


def _lock_within(descriptor: int, limit_seconds: float) -> None:
    """The kernel's lock has no time limit of its own, so it is asked for again and again."""
    end = time.monotonic() + limit_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise TimeoutError(f"the lock was not free within {limit_seconds} s") from None
        time.sleep(LOCK_POLL_SECONDS)


def worker_command(config: Path, operation_id: str, leave_service: bool) -> list[str]:
    """What starts the worker; with `leave_service` in a control group of its own (TR-117)."""
    command = [sys.executable, "-m", "threadrebuild.cli", "worker", operation_id, "--config", str(config)]
    if leave_service:  # TR-117
        return ["systemd-run", "--scope", "--quiet", "--property", "KillMode=process", "--", *command]
    return command


def system_ports(config: Path, worker_log: Path, tmux_socket: str | None = None) -> Ports:
    """All real doors of this machine."""
    return Ports(
        clock=SystemClock(),
        ids=SystemIds(),
        files=SystemFiles(),
        locks=SystemLocks(),
        panes=Tmux(tmux_socket),
        services=Systemd(),
        processes=SystemProcesses(),
        spawner=SystemSpawner(config, worker_log),
    )


def _parent_of(pid: int) -> int | None:
    """The process that a process descends from; None where that cannot be told."""
    try:
        # The name in parentheses may hold anything, also parentheses.
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _tmux_word(word: str) -> str:
    """A word as tmux's own parser reads it back, in double quotes; a line feed there would swallow what follows it."""
    escaped = "".join(f"\\{each}" if each in _TMUX_SPECIAL else each for each in word)
    return '"' + escaped.replace("\n", "\\n") + '"'


def _pane(shown: str) -> Pane | None:
    """A pane from a line in `_PANE_FORMAT`; None where it names no process."""
    fields = shown.split("\t", 4)
    if len(fields) != 5 or not fields[1].isdigit():
        return None
    return Pane(fields[0], int(fields[1]), fields[2] == "1", fields[3], fields[4])


def _run(command: Sequence[str], limit_seconds: float) -> Outcome:
    """Run a program to its end; a missing one, a failure and running out of time are failed outcomes (TR-112)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_seconds, check=False)
    except (OSError, subprocess.SubprocessError) as error:  # TR-112
        return Outcome(False, str(error))
    if done.returncode:
        return Outcome(False, (done.stderr or done.stdout).strip())
    return Outcome(True, done.stdout)
