"""Checks of one file, and where a path of a check really leads: a link can lead out of the workspace."""

import mmap
import sys
from collections.abc import Iterator
from pathlib import Path

from threadrebuild.checking import matching, running
from threadrebuild.checking.outcome import OutOfBounds, Ran, failed, passed, unreadable
from threadrebuild.collab import bounds
from threadrebuild.collab.check_bodies import Contains, FileExists, Matches

PATTERN_SECONDS = 20.0
"""How long a regular expression may look: a bad one would for ever."""
PATTERN_BYTES = 64 << 20
"""The largest file that one looks in."""
PATHS_SEEN = 1000
"""How many paths a pattern in a command may stand for; of more it is not told where they lead."""
_MATCHER = Path(matching.__file__)


def place(workspace: Path, path: str, folder: str = "") -> Path:
    """Where a path leads, links followed. Raises `OutOfBounds` where that is outside the workspace."""
    if bounds.leaves(path, folder):  # CHK-03
        raise OutOfBounds(path)
    try:
        found = (workspace / folder / path).resolve()
    except (OSError, RuntimeError):
        raise OutOfBounds(path) from None
    if not found.is_relative_to(workspace.resolve()):  # CHK-03
        raise OutOfBounds(path)
    return found


def stays(workspace: Path, command: str, folder: str) -> None:
    """Look where the paths that a command names lead. Raises `OutOfBounds`."""
    if bounds.command_leaves(command, folder):  # CHK-03
        raise OutOfBounds(command)
    for word, at in bounds.paths_in(command, folder):
        for path in _stands_for(workspace / at, word):
            if not bounds.leaves(path, at):
                place(workspace, path, at)  # CHK-03


def exists(workspace: Path, body: FileExists) -> Ran:
    """Whether a file is there and is not empty."""
    path = place(workspace, body.path)
    if not path.is_file():
        return failed("missing", path=body.path)
    if path.stat().st_size == 0:  # CHK-01
        return failed("empty", path=body.path)
    return passed("there", path=body.path)


def contains(workspace: Path, body: Contains) -> Ran:
    """Whether a file has a text in it, or has not."""
    path = place(workspace, body.path)
    if not path.is_file():
        return failed("missing", path=body.path)
    found = _has(path, body.text.encode())
    says = "has text" if found else "lacks text"
    return (failed if found == body.inverted else passed)(  # CHK-01
        says, path=body.path, text=body.text
    )


def matches(workspace: Path, body: Matches, until: float) -> Ran:
    """Whether a regular expression matches anywhere in a file, or nowhere."""
    path = place(workspace, body.path)
    about = {"path": body.path, "pattern": body.pattern}
    if not path.is_file():
        return failed("missing", **about)
    if path.stat().st_size > PATTERN_BYTES:
        return unreadable(body.path, f"> {PATTERN_BYTES >> 20} MB")
    seconds = min(PATTERN_SECONDS, running.left(until))
    looker = [sys.executable, "-I", "-S", str(_MATCHER), body.pattern, str(path)]
    ended = running.run(looker, workspace, seconds)
    match ended.code:
        case matching.MATCHES | matching.NOTHING:
            found = ended.code == matching.MATCHES
        case None:
            return Ran("error", {"says": "pattern too slow", **about})
        case _:
            return unreadable(body.path, ended.tail.strip()[-200:])
    says = "matches" if found else "no match"
    return (failed if found == body.inverted else passed)(says, **about)  # CHK-01


def _has(path: Path, text: bytes) -> bool:
    with path.open("rb") as file:
        if path.stat().st_size == 0:
            return text == b""
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(text) >= 0


def _stands_for(folder: Path, word: str) -> Iterator[str]:
    """The paths that a word of a command can stand for: what matches it, where it is a pattern."""
    yield word
    if not any(sign in word for sign in "*?["):
        return
    try:
        for number, found in enumerate(folder.glob(word)):
            if number == PATHS_SEEN:
                raise OutOfBounds(word)
            yield str(found.relative_to(folder))
    except (NotImplementedError, ValueError, OSError):
        return
