"""The bytes of a whole JSON value in a row, found by walking the row once more with the standard library."""

import json
from collections.abc import Sequence

from harness.oracle.reader import Row, Span

_DECODER = json.JSONDecoder()


def value_bytes(row: Row) -> bytes:
    """The row's `message`, of queued input its `attachment`, as it stands; of a key that stands twice the last."""
    found = b""
    for name, span in _members(row.raw.decode("latin-1")):
        if name == ("attachment" if (row.value or {}).get("type") == "attachment" else "message"):
            found = row.raw[span.start : span.end]
    return found


def without(message: bytes, places: Sequence[int]) -> bytes:
    """A message whose list `content` lacks the blocks at these places: each goes with one comma beside it."""
    text = message.decode("latin-1")
    content = next(span for name, span in reversed(_members(text)) if name == "content")
    spans = _elements(text, content.start)
    kept = [span for place, span in enumerate(spans) if place not in places]
    pieces = [text[: spans[0].start]]
    for number, span in enumerate(kept):
        following = spans[spans.index(span) + 1].start if number + 1 < len(kept) else span.end
        pieces.append(text[span.start : following])
    return "".join([*pieces, text[spans[-1].end :]]).encode("latin-1")


def _members(text: str) -> list[tuple[str, Span]]:
    found = []
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append((str(key), Span(at, end)))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _elements(text: str, at: int) -> list[Span]:
    found = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append(Span(at, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
