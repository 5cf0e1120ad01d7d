"""Files as their bytes are at a moment, as effect "hash_files" asks for them (threadrebuild/collab/hashing.py)."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from threadrebuild.checking import files
from threadrebuild.checking.outcome import OutOfBounds
from threadrebuild.collab import bounds
from threadrebuild.collab.events import HashedFile

BLOCK = 1 << 20


def hash_files(asked: dict[str, Any], workspace: Path) -> tuple[HashedFile, ...]:
    """What effect "hash_files" is answered, one for each path. Whatever goes wrong is a reason."""
    return tuple(_hash(workspace, asked["folder"], path) for path in asked["paths"])


def _hash(workspace: Path, folder: str, path: str) -> HashedFile:
    """A file is looked for from the workspace's root, and else from the folder that its Bot works in."""
    found = [_hash_at(workspace, at, path) for at in dict.fromkeys(["", folder])]
    return next((each for each in found if each.reason not in ("missing", "outside")), found[-1])


def _hash_at(workspace: Path, folder: str, path: str) -> HashedFile:
    if bounds.leaves(path, folder):
        return HashedFile(asked=path, reason="outside")
    try:
        place = files.place(workspace, path, folder)
    except OutOfBounds:
        return HashedFile(asked=path, reason="link")
    except (OSError, ValueError):
        return HashedFile(asked=path, reason="unreadable")
    try:
        # What is no regular file is not waited for, and no link is followed that has come in between.
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return HashedFile(asked=path, reason="missing")
    except OSError:
        return HashedFile(asked=path, reason="unreadable")
    try:
        return _read(handle, path, str(place.relative_to(workspace.resolve())))
    finally:
        os.close(handle)


def _read(handle: int, asked: str, path: str) -> HashedFile:
    """Hash an open file block by block, however large it is."""
    before = os.fstat(handle)
    if not stat.S_ISREG(before.st_mode):
        return HashedFile(asked=asked, reason="no file")
    digest = hashlib.sha256()
    try:
        while block := os.read(handle, BLOCK):
            digest.update(block)
    except OSError:
        return HashedFile(asked=asked, reason="unreadable")
    after = os.fstat(handle)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return HashedFile(asked=asked, reason="changing")
    return HashedFile(asked=asked, path=path, sha256=digest.hexdigest(), size=after.st_size)
