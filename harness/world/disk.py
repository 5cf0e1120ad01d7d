"""A disk that forgets: files lie in a real folder, but what was not flushed is gone after a power cut.

A file's bytes survive once it was synced, a name once its folder was. Writing, flushing, renaming and flushing a folder
are separate steps, each of which can fail or be the last. What the host itself writes is taken to be flushed.
"""

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from harness.world.kernel import World

ROOM = 1 << 40


class _Written(io.FileIO):
    """A file being written: every write is a step, and reaches the running system at once, the disk with a sync."""

    def __init__(self, disk: "SimulatedFiles", path: Path) -> None:
        super().__init__(path, "r+b")
        self._disk = disk
        self.path = path

    def write(self, data: Any) -> int:
        taken = self._disk.written(self.path, len(data))
        super().write(bytes(data)[:taken])
        if taken < len(data):
            raise OSError(errno.ENOSPC, "simulated: only part of it was written")
        return taken


class SimulatedFiles:
    """`ports.Files` over a real folder, with a memory of what is durable."""

    def __init__(self, world: World, root: Path) -> None:
        self._world = world
        self._root = root
        self._volatile: dict[Path, bytes] = {}
        """Files whose last bytes did not reach the disk: what it holds of them."""
        self._names: dict[Path, dict[str, bytes | None]] = {}
        """Names that were changed and not flushed, by folder: what the disk holds under them (None: nothing)."""
        self.on_publish: Callable[[Path], object] = lambda final: None
        """What is told of every file that has just been given a name of its own."""
        self.on_replace: Callable[[Path], object] = lambda final: None
        """What is told of every file that has just taken another one's place."""
        self.changes = 0
        """How often a name has come to mean something else; what was read before the last one may be old."""
        world.shown = self._shown
        world.on_power_cut.append(self._forget)

    def make_folder(self, path: Path) -> bool:
        self._world.take_step("files", "make_folder", path=path)
        if path.is_dir():
            return False
        missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700)
        return True

    def create(self, path: Path) -> BinaryIO:
        self._world.take_step("files", "create", path=path)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        self._names.setdefault(path.parent, {}).setdefault(path.name, None)
        self._volatile[path] = b""
        return cast(BinaryIO, _Written(self, path))

    def sync(self, file: BinaryIO) -> None:
        path = cast(_Written, file).path
        self._world.take_step("files", "sync", path=path)
        self._volatile.pop(path, None)

    def publish(self, part: Path, final: Path) -> None:
        self._world.take_step("files", "publish", path=final)
        if final.exists():
            raise FileExistsError(errno.EEXIST, "simulated", str(part), None, str(final))
        self._rename(part, final)
        self.on_publish(final)

    def replace(self, part: Path, final: Path) -> None:
        self._world.take_step("files", "replace", path=final)
        self._rename(part, final)
        self.on_replace(final)

    def sync_folder(self, path: Path) -> None:
        self._world.take_step("files", "sync_folder", path=path)
        self._names.pop(path, None)

    def remove(self, path: Path) -> None:
        self._world.take_step("files", "remove", path=path)
        if path.exists():
            self.changes += 1
            self._pending(path)
            self._volatile.pop(path, None)
            path.unlink()

    def remove_folder(self, path: Path) -> None:
        self._world.take_step("files", "remove_folder", path=path)
        path.rmdir()

    def free_bytes(self, path: Path) -> int:
        return 0 if self._world.take_step("files", "free_bytes", path=path) == "no" else ROOM

    def written(self, path: Path, size: int) -> int:
        """Count a write as a step; how many of its bytes are taken."""
        return size // 2 if self._world.take_step("files", "write", path=path) == "short" else size

    def _rename(self, part: Path, final: Path) -> None:
        self.changes += 1
        self._pending(part)
        self._pending(final)
        self._volatile.pop(final, None)
        if part in self._volatile:
            self._volatile[final] = self._volatile.pop(part)
        part.replace(final)

    def _pending(self, path: Path) -> None:
        """Remember what a name durably leads to, before it changes."""
        names = self._names.setdefault(path.parent, {})
        if path.name not in names:
            names[path.name] = self._volatile.get(path, path.read_bytes()) if path.exists() else None

    def _forget(self) -> None:
        """What a power cut leaves: names that were not flushed go back, bytes that were not flushed are gone."""
        self.changes += 1
        for path, held in self._volatile.items():
            if path.exists():
                path.write_bytes(held)
        for folder, names in self._names.items():
            for name, content in names.items():
                if content is None:
                    (folder / name).unlink(missing_ok=True)
                else:
                    (folder / name).write_bytes(content)
                    (folder / name).chmod(0o600)  # as it was: everything here is created private
        self._names.clear()
        self._volatile.clear()

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else str(path)
