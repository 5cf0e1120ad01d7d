"""What must hold of a candidate's retained rows, read from the candidate alone with the standard library."""

from collections.abc import Iterator
from typing import Any

from threadrebuild.transcript.spans import Span, members

NOTE_CHECKS = {
    "kind": "rows are messages of user and assistant, or queued input; the first is text alone",
    "mark": "the first row says of each block where it came from, and holds the one note",
    "blank": "no block of the first row is blank, no row empty",
    "model": "no row is the host's own in the assistant's place",
    "pairs": "each call has one result behind it, each result its call, and thinking does not stand alone at the end",
}
"""Check → what must hold where a window note was carried: beside, or in place of, what holds for dialogue."""
THINKING = ("thinking", "redacted_thinking")


def holds_note(row: dict[str, Any]) -> bool:
    """Whether a row holds a window note, by its marks."""
    marks = row.get("threadrebuild")
    return isinstance(marks, list) and "note" in marks


def payload_spans(line: bytes, kind: object) -> list[Span]:
    """The whole value that a retained row of this kind carries: its message, or what was queued. Raises ValueError."""
    found = members(line.decode("latin-1")).get("attachment" if kind == "attachment" else "message")
    return [] if found is None else [found]


def whole_row_faults(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with a retained row."""
    kind, content = row.get("type"), _content(row)
    if kind == "attachment":
        attached = row.get("attachment")
        if not isinstance(attached, dict) or attached.get("type") != "queued_command":
            yield "kind", "an attachment that is no queued input"
        return
    if kind not in ("user", "assistant"):
        yield "kind", f"a row of kind {kind!r}"
    if not isinstance(content, list | str):
        yield "blank", "a row without content"
    if row.get("isApiErrorMessage") or _message(row).get("model") == "<synthetic>":
        yield "model", "a row that the host wrote itself"
    if holds_note(row):
        yield "mark", "a second note"


class Pairs:
    """Follows calls and results from row to row."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._last: list[dict[str, Any]] = []
        self._message: object = None

    def faults(self, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Take the next row; what is wrong with its results."""
        blocks = _blocks(row)
        same = row.get("type") == "assistant" and self._message is not None and _message(row).get("id") == self._message
        self._last = [*self._last, *blocks] if same else blocks
        self._message = _message(row).get("id") if row.get("type") == "assistant" else None
        for block in blocks:
            if block.get("type") == "tool_use" and row.get("type") == "assistant":
                self._open.add(str(block.get("id")))
            elif block.get("type") == "tool_result":
                call = str(block.get("tool_use_id"))
                if call not in self._open:
                    yield "pairs", f"a result of call {call}, which is not open"
                self._open.discard(call)

    def faults_at_end(self) -> Iterator[tuple[str, str]]:
        """What is wrong behind the last row."""
        if self._open:
            yield "pairs", f"call {min(self._open)} has no result"
        if self._last and all(block.get("type") in THINKING for block in self._last):  # WN-03
            yield "pairs", "thinking stands alone at the end"


def _message(row: dict[str, Any]) -> dict[str, Any]:
    message = row.get("message")
    return message if isinstance(message, dict) else {}


def _content(row: dict[str, Any]) -> Any:
    return _message(row).get("content")


def _blocks(row: dict[str, Any]) -> list[dict[str, Any]]:
    content = _content(row)
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
