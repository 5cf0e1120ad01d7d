"""Runs one command and outlives everything that it starts: a program of its own, without anything to import.

`python keeper.py COMMAND…` ends as the command ends, or when it is told to (SIGTERM, or its own parent's death), and
not before every process that came of the command is gone. Whoever loses its parent in between becomes its child.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TOLD = 143
"""How it ends when it is told to: as a shell says that of a program ended by SIGTERM."""
CANNOT_START = 126
_POLL_SECONDS = 0.01


def main(command: list[str]) -> int:
    """Run a command to its end; returns its exit code, 128 and more for one that a signal has ended."""
    parent = os.getppid()
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        return CANNOT_START
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return TOLD
    first = os.fork()
    if first == 0:
        _become(command)
    # Whoever reads the output has it ended when the command's own processes are gone.
    os.close(1)
    os.close(2)
    try:
        return _wait(first)
    finally:
        _kill_all(first)


def _become(command: list[str]) -> None:
    try:
        os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        os.execv(command[0], command)
    finally:
        os._exit(CANNOT_START)


def _wait(first: int) -> int:
    """How the command ends; or `TOLD`."""
    while signal.sigwait({signal.SIGTERM, signal.SIGCHLD}) == signal.SIGCHLD:
        # Of what else has ended meanwhile, each is collected.
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == first:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            if pid == 0:
                break
    return TOLD


def _kill_all(group: int) -> None:
    """Kill the command's group, and then whoever is left, until nobody is."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for child in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)


def _children() -> list[int]:
    """This process's children. None can be another's: whoever has ended keeps its number until it is collected."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # The name in parentheses may hold anything, also parentheses.
            if int((path / "stat").read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.name))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
