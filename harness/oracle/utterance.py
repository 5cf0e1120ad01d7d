"""One text that stands in a transcript, with the bytes that it stands in.

What is carried are these bytes; the text is only what they spell.
"""

import json
from dataclasses import dataclass

from harness.oracle.parts import SAID, Part
from harness.oracle.reader import Row, string_spans
from harness.oracle.tags import raw_length


@dataclass(frozen=True)
class Utterance:
    """One text and its bytes: `token` is a JSON string, and `length` bytes at `offset` of the file are it.

    Of a text that was cut, what stands there are the token's inner bytes; `token` has quotes of its own.
    """

    role: str
    text: str
    origin: str
    """speech, channel, queued, reply; or startup, runtime, summary, unsent, elsewhere."""
    line: int
    offset: int
    length: int
    token: bytes
    node: int
    """The same for texts of one row, and of one assistant message."""
    after: int = 0
    """How many utterances stand before it."""

    @property
    def is_said(self) -> bool:
        return self.origin in SAID


def utterance(row: Row, part: Part, node: int, after: int) -> Utterance:
    """`part` of `row` with its bytes; the line is walked once more to find them."""
    span = string_spans(row.raw)
    for step in part.path:
        span = span[step]
    token = row.raw[span.start : span.end]
    text = part.text[part.start : part.end]
    place = row.offset + span.start
    if len(text) < len(part.text):
        inner = token[1:-1]
        first, last = raw_length(inner, part.start), raw_length(inner, part.start + len(text))
        place, token = place + 1 + first, b'"' + inner[first:last] + b'"'
        return Utterance(part.role, text, part.kind, row.line, place, last - first, token, node, after)
    assert json.loads(token) == text
    return Utterance(part.role, text, part.kind, row.line, place, len(token), token, node, after)
