"""The exact bytes of a retained row: its whole `message` (of queued input its `attachment`), as they stand."""

from typing import NamedTuple

from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.carry.stripping import Stripping, without
from threadrebuild.transcript.spans import members


class Message(NamedTuple):
    """`whole` is the value in the source, `start` bytes from the start of its row; `carried` is what is left of it."""

    start: int
    whole: bytes
    carried: bytes


def message_of(line: bytes, row: RecordRow, stripping: Stripping) -> Message:
    """Find the value in the row's bytes. Raises ValueError where the row holds none."""
    found = members(line.decode("latin-1"))
    span = found["attachment" if row.kind == "attachment" else "message"]
    whole = line[span.start : span.end]
    taken = stripping.taken.get(row.line)
    return Message(span.start, whole, without(whole, taken) if taken else whole)
