"""Two byte strings side by side: what they share at both ends, and the stretch in which they differ.

Only bytes and texts that the run log holds are arranged here; nothing is read again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 8  # bytes a row: offset, hex and characters fit a phone's width
ROWS_BEFORE = 2
ROWS = 24

Part = tuple[bool, str]  # whether it differs, and the text


@dataclass(frozen=True)
class Row:
    """`WIDTH` bytes: offset within the file in hex, the bytes in hex, and their printable ASCII."""

    offset: str
    hex: list[Part]
    letters: list[Part]


@dataclass(frozen=True)
class Side:
    """One side of a difference; `before` and `after` count the bytes that are not shown."""

    line: int | None
    offset: int | None
    text: list[Part]
    rows: list[Row]
    before: int
    after: int


def sides(source: dict[str, Any], candidate: dict[str, Any] | None) -> tuple[Side, Side | None]:
    """Both sides of a `difference` step. A missing candidate has no side, and then nothing is marked."""
    if candidate is None:
        return _side(source, None), None
    return _side(source, candidate), _side(candidate, source)


def _side(own: dict[str, Any], other: dict[str, Any] | None) -> Side:
    data, text = bytes.fromhex(own.get("bytes") or ""), own.get("text") or ""
    if other is None:
        span, words = (0, 0), (0, 0)
    else:
        span = _differing(data, bytes.fromhex(other.get("bytes") or ""))
        words = _differing(text, other.get("text") or "")
    start = max(0, span[0] // WIDTH - ROWS_BEFORE) * WIDTH
    stop = min(len(data), start + ROWS * WIDTH)
    offset = own.get("offset")
    return Side(
        line=own.get("line"),
        offset=offset,
        text=_parts(text, 0, len(text), words),
        rows=[_row(data, at, min(at + WIDTH, stop), span, offset or 0) for at in range(start, stop, WIDTH)],
        before=start,
        after=len(data) - stop,
    )


def _differing(own: Sequence[Any], other: Sequence[Any]) -> tuple[int, int]:
    """Start and stop, in `own`, of what lies between the common beginning and the common end."""
    start = _common(own, other)
    room = min(len(own), len(other)) - start
    return start, len(own) - min(_common(own[::-1], other[::-1]), room)


def _common(own: Sequence[Any], other: Sequence[Any]) -> int:
    pairs = enumerate(zip(own, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(own), len(other)))


def _row(data: bytes, start: int, stop: int, span: tuple[int, int], offset: int) -> Row:
    letters = "".join(chr(byte) if 0x20 < byte < 0x7F else "·" for byte in data[start:stop])
    return Row(
        offset=f"{offset + start:08x}",
        hex=[(differs, data[a:b].hex(" ")) for differs, a, b in _cuts(start, stop, span)],
        letters=[(differs, letters[a - start : b - start]) for differs, a, b in _cuts(start, stop, span)],
    )


def _parts(text: str, start: int, stop: int, span: tuple[int, int]) -> list[Part]:
    return [(differs, text[a:b]) for differs, a, b in _cuts(start, stop, span)]


def _cuts(start: int, stop: int, span: tuple[int, int]) -> list[tuple[bool, int, int]]:
    first, last = (min(max(edge, start), stop) for edge in span)
    return [(d, a, b) for d, a, b in ((False, start, first), (True, first, last), (False, last, stop)) if a < b]
