"""The rows of one made transcript, linked as the CLI links them, and the truth about what was said in them.

Identifiers come from a seed and times from the number of the row, so that equal calls give equal bytes.
"""

import builtins
import json
import random
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from harness.world.shapes import Frame, Row

Said = list[tuple[str, str]]

ABSENT: Final = object()
"""As the value of a field: the row is written without it."""

HOLE = "\ue000text token\ue000"
"""Stands in a row where a raw JSON token is to be placed; no person writes it."""

_FIRST = datetime(2026, 8, 14, 9, 0, tzinfo=UTC)


class Chain:
    """Writes rows in file order, each the child of the one before. `version` may be changed between rows."""

    def __init__(self, *, version: str = "2.1.199", seed: int = 0) -> None:
        self.version = version
        self._random = random.Random(seed)
        self.session = self.new_id()
        self._chunks: list[bytes] = []
        self._rows = 0
        self._leaf: str | None = None
        self._parents: dict[str, str | None] = {}
        self._spoken: list[tuple[str, str, str]] = []
        self._waiting: list[str] = []

    @property
    def said(self) -> Said:
        """(role, text) of all that was said on the line that the last speech stands on, in order.

        Prompts that were queued and never read come last. What a rewind left behind is in `abandoned`.
        """
        line = self._line()
        talked = [(role, text) for row, role, text in self._spoken if row in line]
        return talked + [("user", text) for text in self._waiting]

    @property
    def abandoned(self) -> Said:
        """(role, text) of what was said on branches that a rewind left."""
        line = self._line()
        return [(role, text) for row, role, text in self._spoken if row not in line]

    def bytes(self) -> bytes:
        """The file: a line for each row, each ended by a line feed, and the raw pieces as they are."""
        return b"".join(self._chunks)

    def write(self, path: Path) -> Path:
        """Write the file to `path` and return it."""
        path.write_bytes(self.bytes())
        return path

    def new_id(self) -> str:
        """The next uuid of this transcript."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def mark(self) -> str | None:
        """The uuid that the next row will name as its parent."""
        return self._leaf

    def rewind(self, to: str | None) -> None:
        """Go on from the row `to` (a `mark`); the next word of a person or the assistant makes the fork."""
        self._leaf = to

    def row(self, **fields: Any) -> None:
        """A row of exactly these fields; one with a string `uuid` continues the line."""
        self._write(fields, None)
        if isinstance(fields.get("uuid"), str):
            self._link(fields["uuid"], fields.get("parentUuid"))

    def raw(self, data: builtins.bytes) -> None:
        """These bytes and nothing else: damage, a line end of another kind, a torn tail."""
        self._chunks.append(data)

    def _frame(self, *, sidechain: bool = False) -> Frame:
        self._rows += 1
        return Frame(self._leaf, self.new_id(), self._time(), self.session, self.version, sidechain)

    def _time(self) -> str:
        now = _FIRST + timedelta(seconds=self._rows)
        return now.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _add(self, row: Row, fields: Row, token: str | None = None) -> str:
        # A row whose uuid was spoiled keeps its place in the truth under the id it would have had.
        known = row["uuid"]
        if isinstance(fields.get("uuid"), str):
            known = fields["uuid"]
        row = {name: value for name, value in (row | fields).items() if value is not ABSENT}
        self._write(row, token)
        self._link(known, row.get("parentUuid"))
        return str(known)

    def _link(self, row: str, parent: object) -> None:
        self._parents[row] = parent if isinstance(parent, str) and parent in self._parents else self._leaf
        self._leaf = row

    def _write(self, row: Row, token: str | None) -> None:
        # JSON.stringify leaves all but controls and lone surrogates unescaped.
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        if token is not None:
            line = line.replace(f'"{HOLE}"', token)
        self._chunks.append(line.encode(errors="backslashreplace") + b"\n")

    def _say(self, row: str, role: str, *texts: str) -> None:
        # Blank text is no utterance (decisions, "blank text").
        self._spoken += [(row, role, text) for text in texts if text.strip()]

    def _line(self) -> set[str]:
        line: set[str] = set()
        row = self._spoken[-1][0] if self._spoken else None
        while row is not None and row not in line:
            line.add(row)
            row = self._parents[row]
        return line
