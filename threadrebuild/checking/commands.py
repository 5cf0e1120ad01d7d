"""Checks by a command: how it ends, and what it prints."""

from pathlib import Path
from typing import Any

from threadrebuild.checking import files, running
from threadrebuild.checking.outcome import Ran

SECONDS = 120  # CHK-04
LONGEST_SECONDS = 600  # CHK-04
SHELL = "/bin/sh"


def check(workspace: Path, body: dict[str, Any], until: float) -> Ran:
    """Whether a command ends with the exit code that it should, and prints what it should, if that is given.

    One that runs out of time has not ended so: it has failed.
    """
    seconds = min(body.get("timeout_s", SECONDS), LONGEST_SECONDS, running.left(until))
    ended = run(workspace, body["command"], body.get("folder", ""), seconds)
    wanted = body.get("exit_code", 0)  # CHK-01
    output = body.get("output")
    if ended.code is None:
        return Ran("failed", {"says": "timed out", "seconds": round(seconds)}, ended.tail)
    if ended.code != wanted:  # CHK-01
        return Ran("failed", {"says": "exit", "exit_code": ended.code, "wanted": wanted}, ended.tail)
    if output is not None and (ended.is_cut or _plain(ended.output.decode(errors="replace")) != _plain(output)):
        return Ran("failed", {"says": "output differs"}, ended.tail)
    return Ran("passed", {"says": "ended as expected", "exit_code": ended.code}, ended.tail)


def run(workspace: Path, command: str, folder: str, seconds: float) -> running.Ended:
    """Run a command in a folder of the workspace, where nothing that it names leads out. Raises `OutOfBounds`."""
    at = files.place(workspace, folder or ".")
    files.stays(workspace, command, folder)
    return running.run([SHELL, "-c", command], at, seconds)


def _plain(output: str) -> str:
    """An output without what nobody sees: spaces at the ends of lines, and blank lines at the end."""
    lines = [line.rstrip() for line in output.splitlines()]  # CHK-02
    return "\n".join(lines).rstrip("\n")  # CHK-02
