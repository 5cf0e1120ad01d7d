"""The project folder: the only place that transcripts are read from, and which one is the newest."""

import json
from pathlib import Path

from threadrebuild.config import Settings
from threadrebuild.transcript.lines import UnreadableInput

_LAST_BYTES = 1 << 16
BEFORE_ANY_TALK = frozenset({"summary", "file-history-snapshot"})
"""Kinds of rows that versions 1.0.128 to 2.0.42 begin a file with, before anything is said in the new session."""


def source_in(settings: Settings, transcript: Path | None) -> Path:
    """The transcript to read: the one named, or without a name the newest of the project folder (TR-001, TR-005).

    Without a configured folder the transcript's own is taken. Raises `UnreadableInput` for a file outside of it, also
    behind a link, and where there is none. The path that is given back holds no link.
    """
    if transcript is None:
        if settings.project_dir is None:
            raise UnreadableInput("no transcript named and no project_dir configured (--config)")
        return newest(Path(settings.project_dir))
    folder = transcript.parent if settings.project_dir is None else Path(settings.project_dir)
    if not _lies_in(folder, transcript):
        raise UnreadableInput(f"{transcript}: not in the project folder {folder.resolve()}")
    return transcript.resolve()


def newest(folder: Path) -> Path:
    """The transcript that was written last, leaving out candidates that nobody has gone on with (TR-005)."""
    try:
        files = [(path.stat().st_mtime_ns, path) for path in folder.glob("*.jsonl") if _is_session(folder, path)]
    except OSError as error:
        raise UnreadableInput(f"{folder}: {error.strerror or error}") from None
    for _, path in sorted(files, reverse=True):
        if not is_unused_candidate(path) and not is_barely_begun(path):  # TR-005
            return path
    raise UnreadableInput(f"{folder}: no transcript in this folder")


def _is_session(folder: Path, path: Path) -> bool:
    # Older hosts write the transcripts of sub-agents beside those of sessions.
    return path.is_file() and not path.name.startswith("agent-") and _lies_in(folder, path)


def _lies_in(folder: Path, path: Path) -> bool:
    """Whether a path leads to a place directly in a folder, once every link is followed."""
    try:
        return path.resolve().parent == folder.resolve()  # TR-001 TR-151
    except RuntimeError:
        return False  # links that lead in a circle


def is_barely_begun(path: Path) -> bool:
    """Whether a file holds nothing but what older hosts write into a new one when they start, as titles of others."""
    read = 0
    try:
        with path.open("rb") as file:
            for line in file:
                if json.loads(line).get("type") not in BEFORE_ANY_TALK:
                    return False
                read += 1
    except (OSError, ValueError, AttributeError, RecursionError):
        return False
    return read > 0


def is_unused_candidate(path: Path) -> bool:
    """Whether the last row of a file was written by a carry: then no host has appended to it yet."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _LAST_BYTES))
            last = file.read().rstrip().rsplit(b"\n", 1)[-1]
    except OSError:
        return False
    mark = last.rfind(b'"threadrebuild":[')
    try:
        return mark >= 0 and isinstance(json.loads(b"{" + last[mark:]).get("threadrebuild"), list)
    except (ValueError, RecursionError):
        return False
