"""Runs a program for a check: within its time, with little of its output kept, and nothing of it left afterwards."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
"""What a terminal's environment has of this process's own; nothing else of it is passed on."""
OUTPUT_BYTES = 1 << 20
"""How much of its standard output is kept from the start."""
TAIL_BYTES = 4000
"""How much is kept of the end of what it prints in all."""
GONE_SECONDS = 5.0
_KEEPER = Path(__file__).with_name("keeper.py")
_CHUNK = 1 << 20
_POLL_SECONDS = 0.01


class Ended(NamedTuple):
    """How a program ended: its exit code, None where it ran out of time; `output` is whole unless `is_cut`."""

    code: int | None
    output: bytes
    is_cut: bool
    tail: str


def run(command: Sequence[str], folder: Path, seconds: float) -> Ended:
    """Run a program in a folder and kill whatever is left of it at its end, or at the latest when its time is up.

    `command` begins with the program's absolute path. Raises OSError where it cannot be started.
    """
    keeper = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_KEEPER), *command],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pipesize=_CHUNK,
    )
    heard = _Heard()
    with keeper:
        in_time = heard.listen(keeper, deadline(seconds))
        if not in_time:
            os.kill(keeper.pid, signal.SIGTERM)  # CHK-04
            if not heard.listen(keeper, deadline(GONE_SECONDS)):
                os.kill(keeper.pid, signal.SIGKILL)
                _sweep(keeper.pid)
    code = keeper.returncode if in_time else None
    return Ended(code, bytes(heard.output), heard.is_cut, heard.tail.decode(errors="replace"))


def deadline(seconds: float) -> float:
    """The moment at which so much time will have passed, for `left`."""
    return time.monotonic() + seconds


def left(until: float) -> float:
    """The seconds left until a deadline; 0 once it has passed."""
    return max(0.0, until - time.monotonic())


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in ENVIRONMENT}  # CHK-04


class _Heard:
    """What a program prints, as far as it is kept."""

    def __init__(self) -> None:
        self.output = bytearray()
        self.is_cut = False
        self.tail = b""

    def listen(self, program: subprocess.Popen[bytes], until: float) -> bool:
        """Read all that a program prints until it has ended; False where that takes too long."""
        with ExitStack() as open_:
            ended = os.pidfd_open(program.pid)
            open_.callback(os.close, ended)
            waiting = open_.enter_context(selectors.DefaultSelector())
            for each in (program.stdout, program.stderr, ended):
                waiting.register(each, selectors.EVENT_READ)  # type: ignore[arg-type]
            while waiting.get_map():
                if not left(until):
                    return False
                for key, _ in waiting.select(left(until)):
                    if key.fd == ended:
                        _sweep(program.pid)
                    if key.fd == ended or not self._take(key.fd, is_output=key.fileobj is program.stdout):
                        waiting.unregister(key.fileobj)
        return True

    def _take(self, descriptor: int, *, is_output: bool) -> bool:
        read = os.read(descriptor, _CHUNK)
        self.tail = (self.tail + read)[-TAIL_BYTES:]
        if is_output:
            room = OUTPUT_BYTES - len(self.output)
            self.output += read[:room]
            self.is_cut |= len(read) > room
        return bool(read)


def _sweep(keeper: int) -> None:
    """Kill what is left of a keeper's session, where it has not ended by itself: the command may have killed it."""
    how = os.waitid(os.P_PID, keeper, os.WEXITED | os.WNOWAIT)
    while how is not None and how.si_code != os.CLD_EXITED and (left := _session(keeper)):
        for process in left:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)


def _session(keeper: int) -> list[int]:
    """The living processes of a keeper's session; it waits to be collected, so that its number is no other's."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, session = path.joinpath("stat").read_bytes().rpartition(b")")[2].split()[:4]
            if int(session) == keeper and state not in (b"Z", b"X"):
                found.append(int(path.name))
    return found
