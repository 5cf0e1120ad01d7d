"""The workspace of a household: a real folder, in which scripted tools write real files, and real hashes are taken."""

from pathlib import Path
from typing import Any

from threadrebuild.checking.hashes import hash_files
from threadrebuild.collab import bounds
from threadrebuild.collab.events import HashedFile


class Workspace:
    """Made in `folder` with its first file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, content: str) -> None:
        """Write a file; nothing is written where that would be outside."""
        place = self.folder / path
        if not path or bounds.leaves(path) or not place.resolve().is_relative_to(self.folder.resolve()):
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")

    def remove(self, path: str) -> None:
        """Take a file away, if it is there."""
        (self.folder / path).unlink(missing_ok=True)

    def link(self, path: str, to: str) -> None:
        """Let a path lead to another place."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).symlink_to(to)

    def hashes(self, asked: dict[str, Any]) -> tuple[HashedFile, ...]:
        """What effect "hash_files" is answered, by the bytes that are there now."""
        return hash_files(asked, self.folder)
