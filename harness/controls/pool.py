"""Runs jobs in forked children, as many at a time as there are cores, each within a limit of time.

Every child leads a process group of its own, so that one that hangs is ended with all that it started.
"""

import gc
import json
import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.controls.checks import Check
from harness.controls.child import Outcome, outcome_of, run_child
from harness.controls.sabotage import Sabotage

TIME_LIMIT_SECONDS = 20.0


@dataclass(frozen=True)
class Job:
    """One child's work: a fault (None: the code as it is), and the checks to run under it."""

    sabotage: Sabotage | None
    checks: tuple[Check, ...]


@dataclass
class _Child:
    job: Job
    pid: int
    folder: Path
    begun: float
    said: bytes = b""


def run_jobs(
    jobs: Sequence[Job], root: Path, package: str, time_limit: float = TIME_LIMIT_SECONDS
) -> Iterator[tuple[Job, dict[str, Outcome], bool]]:
    """Yield each job as it ends, with the outcome of each check by name, and whether the child was heard out.

    A child that hangs or dies has not been heard out: all of its checks then carry that as their error.
    """
    waiting = list(reversed(jobs))
    # What is alive now is not looked through in the children, whose pages then stay shared.
    gc.freeze()
    with selectors.DefaultSelector() as pipes:
        try:
            while waiting or pipes.get_map():
                while waiting and len(pipes.get_map()) < len(os.sched_getaffinity(0)):
                    pipe, child = _fork(waiting.pop(), root, package)
                    pipes.register(pipe, selectors.EVENT_READ, child)
                ready = {key.fd for key, _ in pipes.select(timeout=0.5)}
                for key in list(pipes.get_map().values()):
                    child = key.data
                    hung = time.monotonic() - child.begun > time_limit
                    more = os.read(key.fd, 1 << 16) if key.fd in ready else None
                    child.said += more or b""
                    if more == b"" or hung:
                        pipes.unregister(key.fd)
                        os.close(key.fd)
                        yield child.job, *_end(child, hung and more != b"", time_limit)
        finally:
            for key in list(pipes.get_map().values()):
                os.close(key.fd)
                _end(key.data, True, time_limit)
            gc.unfreeze()


def _fork(job: Job, root: Path, package: str) -> tuple[int, _Child]:
    reading, writing = os.pipe()
    folder = Path(tempfile.mkdtemp(prefix="control-"))
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setsid()
            os.close(reading)
            run_child(writing, root, package, job.sabotage, job.checks, folder)
            status = 0
        except BaseException:
            traceback.print_exc(file=sys.stderr)
        finally:
            # Not `sys.exit`: what the parent has registered to happen at its end is not the child's to do.
            os._exit(status)
    os.close(writing)
    return reading, _Child(job, pid, folder, time.monotonic())


def _end(child: _Child, hung: bool, time_limit: float) -> tuple[dict[str, Outcome], bool]:
    if hung:
        # The group exists once the child has called setsid; before that there is only the child.
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(child.pid, signal.SIGKILL)
    _, status = os.waitpid(child.pid, 0)
    shutil.rmtree(child.folder, ignore_errors=True)
    if not hung and status == 0:
        said = json.loads(child.said)
        return {name: outcome_of(written) for name, written in said.items()}, True
    why = f"hung: no end within {time_limit:g} s" if hung else f"died: exit {os.waitstatus_to_exitcode(status)}"
    return {check.name: Outcome((), why, 0.0) for check in child.job.checks}, False
