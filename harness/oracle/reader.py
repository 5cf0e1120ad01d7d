"""Reads a JSON-lines file into plain rows, with nothing but the standard library's `json`.

Slow and obviously right: every row keeps its bytes and its place, and what cannot be read says why. A line is
also walked as latin-1, where a position is a byte position, to find which bytes a value's strings stand in.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"

NOT_A_ROW = "not-a-row"
UNREADABLE_LINE = "unreadable-line"
TORN_TAIL = "torn-tail"


class Number(NamedTuple):
    """A JSON number as it is spelled, so that no digit of an identifier is lost."""

    spelling: str


class Span(NamedTuple):
    """A JSON string token of a line: quotes included, `start` and `end` in bytes from the line's first."""

    start: int
    end: int


@dataclass(frozen=True)
class Row:
    """One line that is not blank. `value` is the row, or None with `why` saying what is wrong with it."""

    line: int
    """From 1, blank lines counted."""
    offset: int
    """Of `raw`, in bytes from the start of the file."""
    raw: bytes
    """Without the line break, and without a byte order mark at the start of the file."""
    value: dict[str, Any] | None
    why: str
    """"" | "unreadable-line" | "torn-tail" | "not-a-row" (`null`, `[]`, a bare value, `{}`)."""


def read_rows(path: Path) -> list[Row]:
    """All lines of `path` that are not blank, in file order. Raises OSError if it cannot be read."""
    rows = []
    offset = 0
    pieces = path.read_bytes().split(b"\n")
    for line, piece in enumerate(pieces, 1):
        start = offset
        offset += len(piece) + 1
        if line == 1 and piece.startswith(BOM):
            piece, start = piece[len(BOM) :], start + len(BOM)
        if piece.strip(BLANK):
            rows.append(_row(line, start, piece, is_torn=line == len(pieces)))
    return rows


def string_spans(raw: bytes) -> Any:
    """The shape of the row in `raw`: in place of a string value its `Span`, of another scalar None.

    Of a key that stands twice the last one counts, as in the row. `raw` must be a line that `read_rows` could
    parse.
    """
    text = raw.decode("latin-1")
    return _walk(text, _skip(text, 0))[0]


def _row(line: int, offset: int, raw: bytes, is_torn: bool) -> Row:
    try:
        value = _decoder().decode(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        why = TORN_TAIL if is_torn and not _holds_whole_rows(raw) else UNREADABLE_LINE
        return Row(line, offset, raw, None, why)
    if not isinstance(value, dict) or not value:
        return Row(line, offset, raw, None, NOT_A_ROW)
    return Row(line, offset, raw, value, "")


def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=_no_json)


def _no_json(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _holds_whole_rows(raw: bytes) -> bool:
    """Whether the line is several complete values side by side: two rows on one line, not a torn one."""
    try:
        text = raw.decode("utf-8")
        at = _skip(text, 0)
        while at < len(text):
            _, at = _decoder().raw_decode(text, at)
            at = _skip(text, at)
    except (ValueError, RecursionError):
        return False
    return True


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _walk(text: str, at: int) -> tuple[Any, int]:
    """The shape of the value that starts at `at`, and the position after it."""
    if text[at] == "{":
        return _walk_object(text, _skip(text, at + 1))
    if text[at] == "[":
        return _walk_list(text, _skip(text, at + 1))
    value, end = _decoder().raw_decode(text, at)
    return (Span(at, end) if isinstance(value, str) else None), end


def _walk_object(text: str, at: int) -> tuple[dict[str, Any], int]:
    shape: dict[str, Any] = {}
    while text[at] != "}":
        key, at = _decoder().raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        shape[key], at = _walk(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return shape, at + 1


def _walk_list(text: str, at: int) -> tuple[list[Any], int]:
    shape: list[Any] = []
    while text[at] != "]":
        value, at = _walk(text, at)
        shape.append(value)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return shape, at + 1
