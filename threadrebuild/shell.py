"""Commands on this machine, each with all processes that it starts: begun, and ended politely and then for good.

What a command starts carries its mark, wherever it goes. No process is signalled that was not seen to belong to the
command, and none can take the place of one that was: it is held by a handle of its own.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

MARK = "THREADREBUILD_COMMAND"
KILLED_SECONDS = 5.0
"""How long a process may take to be gone once it was killed."""
_POLL_SECONDS = 0.02


def begin(command: Sequence[str], folder: Path, mark: str) -> subprocess.Popen[bytes]:
    """Begin a command as a group of its own. `mark` is like no other command's."""
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, MARK: mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def end(group: int, mark: str, grace_ms: int) -> list[int]:
    """Ask all processes of a command to exit, and kill those that have not after the grace; returns what is left."""
    with ExitStack() as handles:
        known: dict[int, int] = {}
        _signal(handles, known, group, mark, signal.SIGTERM)
        deadline = time.monotonic() + grace_ms / 1000
        while _alive(known) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        deadline = time.monotonic() + KILLED_SECONDS
        # A process may have begun another meanwhile: until none is left.
        while _signal(handles, known, group, mark, signal.SIGKILL) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return _alive(known)


def members(group: int, mark: str) -> list[int]:
    """The processes of a command: those that carry its mark, and others of its group as long as one there does."""
    said = f"{MARK}={mark}".encode()
    seen = {int(path.name): path for path in Path("/proc").glob("[0-9]*")}
    carrying = [pid for pid, path in seen.items() if said in _read(path / "environ").split(b"\0")]
    if any(_group(seen[pid]) == group for pid in carrying):
        carrying += [pid for pid, path in seen.items() if _group(path) == group]
    return sorted(set(carrying))


def _signal(handles: ExitStack, known: dict[int, int], group: int, mark: str, what: signal.Signals) -> list[int]:
    """Signal what lives of a command, as far as it is found now or was before; returns that."""
    for pid in members(group, mark):
        if pid in known:
            continue
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        handles.callback(os.close, handle)
        # Whoever has the number now is held: is it still one of them?
        if pid in members(group, mark):
            known[pid] = handle
    alive = _alive(known)
    for pid in alive:
        signal.pidfd_send_signal(known[pid], what)
    return alive


def _alive(known: dict[int, int]) -> list[int]:
    """Those that have not ended; one that has and waits to be collected is not alive."""
    found = []
    for pid, handle in known.items():
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if not poll.poll(0):
            found.append(pid)
    return found


def _group(path: Path) -> int | None:
    try:
        # The name in parentheses may hold anything, also parentheses.
        return int(_read(path / "stat").rpartition(b")")[2].split()[2])
    except (IndexError, ValueError):
        return None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
