"""A workspace of a test's own in which checks really run, and what of them is still running afterwards."""

import os
from pathlib import Path
from typing import Any

from threadrebuild.checking.media import probe
from threadrebuild.checking.outcome import Ran
from threadrebuild.checking.run import Probe, run


class Checked:
    """`workspace` lies in a folder in which there is more: `secret.txt`, outside of it."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.secret = folder / "secret.txt"
        self.secret.write_text("高度机密\n")

    def file(self, path: str, text: str | bytes = "x") -> Path:
        """A file of the workspace."""
        found = self.workspace / path
        found.parent.mkdir(parents=True, exist_ok=True)
        found.write_bytes(text.encode() if isinstance(text, str) else text)
        return found

    def run(self, kind: str, *, using: Probe = probe, **body: Any) -> Ran:
        """Run a check of a kind; of `measure` and `matched` a film is measured."""
        more = {name: body.pop(name, None) for name in ("measure", "matched", "limit_s")}
        asked = {"check": 7, "kind": kind, "body": body, "plan_folder": "plans/book", **more}
        return run(asked, self.workspace, using)

    def command(self, command: str, **body: Any) -> Ran:
        """Run a check by a command."""
        return self.run("command", command=command, **body)

    def said(self, kind: str, **body: Any) -> tuple[str, str]:
        """A check's outcome, and which line of explanation that has."""
        ran = self.run(kind, **body)
        return ran.outcome, ran.detail["says"]


def running(mark: str) -> list[str]:
    """The command lines of all processes of this machine that have a word in them."""
    return [words for _, words in _marked(mark)]


def pids(mark: str) -> list[int]:
    """Those processes."""
    return [pid for pid, _ in _marked(mark)]


def _marked(mark: str) -> list[tuple[int, str]]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = path.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if mark in words and int(path.name) != os.getpid():
            found.append((int(path.name), words))
    return found
