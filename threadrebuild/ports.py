"""Every door to the outside, as protocols: the cores reach time, chance, files and processes only through these."""

from pathlib import Path
from typing import BinaryIO, Protocol


class Ids(Protocol):
    """Where new identifiers come from."""

    def new_session_id(self) -> str:
        """A UUID that no session has yet."""


class Files(Protocol):
    """Durable writing, in the steps that can fail one by one."""

    def make_folder(self, path: Path) -> bool:
        """Create a private folder and its parents; return whether it was missing."""

    def create(self, path: Path) -> BinaryIO:
        """Open a new private file for reading and writing. Raises FileExistsError where there is one."""

    def sync(self, file: BinaryIO) -> None:
        """Flush a file's bytes to the disk."""

    def publish(self, part: Path, final: Path) -> None:
        """Give a finished file its final name, at once. Raises FileExistsError where that name is taken."""

    def sync_folder(self, path: Path) -> None:
        """Flush a folder's names to the disk."""

    def remove(self, path: Path) -> None:
        """Remove a file if it is there."""

    def remove_folder(self, path: Path) -> None:
        """Remove an empty folder."""
