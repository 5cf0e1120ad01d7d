"""Stores that nothing has happened in yet: the schema is laid once a process, and copied from then on."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from threadrebuild.collab.store import open_store


def lay(path: Path, level: int) -> None:
    """Put a store at an engine level to `path`, if nothing is there; opening it finds nothing left to lay.

    Raises ValueError for a level that is none.
    """
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(_blank(level))


@cache
def _blank(level: int) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "blank.db"
        open_store(path, level, durable=False).close()
        return path.read_bytes()
