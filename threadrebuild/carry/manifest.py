"""The manifest: one entry an item, in order, with the digests that prove it. It holds no word of the dialogue.

It is JSON with one item a line, written as the candidate is written and read back to verify it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

FORMAT = 1


class Item(msgspec.Struct, frozen=True, gc=False):
    """One block of the candidate (TR-063). Offsets and lengths are bytes of the source; lines count from 1.

    `row` and `block` count from 0. A stamp has no source. Digests are SHA-256 of the JSON token's bytes; they differ
    only where runtime blocks were cut off the start of a text.
    """

    position: int
    row: int
    block: int
    role: str
    word: str
    item_id: str
    injected_sha256: str
    source_uuid: str | None = None
    source_time: str | None = None
    source_line: int | None = None
    source_offset: int | None = None
    source_length: int | None = None
    source_sha256: str | None = None


class Manifest(msgspec.Struct, frozen=True):
    """A manifest as read back."""

    items: list[Item]
    session_id: str
    rows: int
    candidate_sha256: str
    source: dict[str, str | int | None]
    startup_snapshot_sha256: str | None = None
    carry: str = "dialogue"
    """"note" where whole messages are carried behind a window note: then the item of such a row is its message."""


class ManifestWriter:
    """Writes items as they come, and the heading after the last."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.items = 0
        file.write(b'{"items":[')

    def add(self, item: Item) -> None:
        """Append one item."""
        self._file.write(b"\n" if self.items == 0 else b",\n")
        # The source's ids and times may hold half a surrogate pair, which only the standard library can write and read.
        self._file.write(json.dumps(msgspec.to_builtins(item), separators=(",", ":")).encode("ascii"))
        self.items += 1

    def finish(self, heading: Mapping[str, object]) -> None:
        """Close the list and add what is known about the whole."""
        rest = json.dumps({"format": FORMAT, **heading}, ensure_ascii=True, indent=1)
        self._file.write(b"\n],\n" + rest[1:].lstrip().encode("ascii") + b"\n")


def read_manifest(path: Path) -> Manifest:
    """Read a manifest. Raises OSError, or ValueError where it is none."""
    try:
        return msgspec.convert(json.loads(path.read_bytes()), Manifest)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise ValueError(f"{path}: {error}") from None
