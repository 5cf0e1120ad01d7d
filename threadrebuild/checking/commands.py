"""Checks by a command: how it ends, and what it prints."""

from pathlib import Path

from threadrebuild.checking import files, running
from threadrebuild.checking.outcome import Ran
from threadrebuild.collab.check_bodies import Command

SHELL = "/bin/sh"


def check(workspace: Path, body: Command, until: float) -> Ran:
    """Whether a command ends with the exit code that it should, and prints what it should, if that is given.

    One that runs out of time has not ended so: it has failed.
    """
    seconds = min(body.timeout_s, running.left(until))
    ended = run(workspace, body.command, body.folder, seconds)
    if ended.code is None:
        return Ran("failed", {"says": "timed out", "seconds": round(seconds)}, ended.tail)
    if ended.code != body.exit_code:  # CHK-01
        return Ran("failed", {"says": "exit", "exit_code": ended.code, "wanted": body.exit_code}, ended.tail)
    if body.output is not None and not _is(ended, body.output):  # CHK-01
        return Ran("failed", {"says": "output differs"}, ended.tail)
    return Ran("passed", {"says": "ended as expected", "exit_code": ended.code}, ended.tail)


def run(workspace: Path, command: str, folder: str, seconds: float) -> running.Ended:
    """Run a command in a folder of the workspace, where nothing that it names leads out. Raises `OutOfBounds`."""
    at = files.place(workspace, folder or ".")
    files.stays(workspace, command, folder)
    return running.run([SHELL, "-c", command], at, seconds)


def _is(ended: running.Ended, wanted: str) -> bool:
    return not ended.is_cut and _plain(ended.output.decode(errors="replace")) == _plain(wanted)


def _plain(output: str) -> list[str]:
    """An output's lines without what nobody sees: spaces at their ends, and blank lines at the end."""
    lines = output.splitlines()
    lines[:] = map(str.rstrip, lines)  # CHK-02
    last = max((at for at, line in enumerate(lines, 1) if line), default=0)
    del lines[last:]  # CHK-02
    return lines
