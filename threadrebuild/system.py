"""The real doors: thin adapters of `ports.py` over the operating system."""

import os
import uuid
from pathlib import Path
from typing import BinaryIO

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class SystemIds:
    """Random identifiers."""

    def new_session_id(self) -> str:
        """A random UUID."""
        return str(uuid.uuid4())


class SystemFiles:
    """Files on the machine's own disk."""

    def make_folder(self, path: Path) -> bool:
        """Create a private folder and its parents; return whether it was missing."""
        if path.is_dir():
            return False
        path.mkdir(mode=PRIVATE_FOLDER, parents=True)
        return True

    def create(self, path: Path) -> BinaryIO:
        """Open a new private file, whatever the umask is (TR-067)."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        os.fchmod(descriptor, PRIVATE_FILE)
        return os.fdopen(descriptor, "w+b")

    def sync(self, file: BinaryIO) -> None:
        """Flush a file's bytes to the disk."""
        file.flush()
        os.fsync(file.fileno())

    def publish(self, part: Path, final: Path) -> None:
        """Link the finished file under its final name; unlike a rename this cannot replace another file."""
        os.link(part, final)
        part.unlink()

    def sync_folder(self, path: Path) -> None:
        """Flush a folder's names to the disk."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, path: Path) -> None:
        """Remove a file if it is there."""
        path.unlink(missing_ok=True)

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder."""
        path.rmdir()
