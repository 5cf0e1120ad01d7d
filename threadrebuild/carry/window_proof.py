"""Proves on the disk that a candidate's retained rows are those of the old record, byte for byte, in number and order.

Both sides are read anew: the source at the places that were planned, the candidate line by line.
"""

from itertools import zip_longest
from pathlib import Path

from threadrebuild.carry.plan import Plan
from threadrebuild.carry.span_bytes import message_of
from threadrebuild.carry.stripping import row_bytes
from threadrebuild.carry.window import Window
from threadrebuild.transcript.spans import members


def span_fault(plan: Plan, window: Window, candidate: Path) -> str | None:
    """What differs between the retained span as it stands in the record after stripping and in the candidate."""
    with plan.source.path.open("rb") as source, candidate.open("rb") as written:
        written.readline()  # the opening with the note
        for number, row in enumerate(window.rows, 2):
            wanted = message_of(row_bytes(row, source), row, window.stripping).carried
            line = written.readline()
            try:
                found = members(line.decode("latin-1"))
            except (ValueError, RecursionError):
                return f"row {number} of the candidate cannot be read"
            span = found.get("attachment" if row.kind == "attachment" else "message")
            seen = b"" if span is None else line[span.start : span.end]
            if seen != wanted:  # WN-03
                where = f"from byte {_first(seen, wanted)} of its message"
                return f"row {number} of the candidate has other bytes than line {row.line}, {where}"
        waiting = written.readlines()
    if len(waiting) != bool(window.waiting):
        return f"{len(waiting)} rows stand behind the span"
    return None


def _first(seen: bytes, wanted: bytes) -> int:
    differing = (place for place, (one, other) in enumerate(zip_longest(seen, wanted)) if one != other)
    return next(differing, len(wanted))
