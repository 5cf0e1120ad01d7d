"""Takes out of the session record what a review gave the model, once the turn that used it is over.

Such material stands as whole text blocks in `user` rows: evidence and problems of a review, and recall packets. Only
the newest recall packet stays. What stands before the first thing taken out is as it was, and so is its prompt cache.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.transcript.spans import Span, elements, members
from threadrebuild.transcript.tags import RECALL_TAG, REVIEW_TAGS, nothing_but_blocks
from threadrebuild.transcript.tokens import decoded


@dataclass(slots=True)
class Stripping:
    """What is taken out of each row, and where the cache breakpoint goes."""

    taken: dict[int, list[int]] = field(default_factory=dict)
    """Line of a row → the places of its blocks that are taken out; a row of which nothing is left goes as a whole."""
    gone: set[int] = field(default_factory=set)
    """Lines of rows of which nothing is left."""
    breakpoint: RecordRow | None = None
    """The last row of the reply before the first thing taken out (WN-15)."""


@dataclass(frozen=True, slots=True)
class _Material:
    place: int
    """Of its row among the rows."""
    block: int
    blocks: int
    """How many its row has."""
    recall: bool


def strip(rows: Sequence[RecordRow], file: BinaryIO) -> Stripping:
    """Decide what is taken out of rows in order of talk; `file` is their source."""
    found = [each for place, row in enumerate(rows) if row.kind == "user" for each in _material(place, row, file)]
    over = max((place for place, row in enumerate(rows) if row.human or row.answers), default=-1)
    newest = max((each.place for each in found if each.recall), default=-1)
    stripping = Stripping()

    def take(each: _Material) -> None:
        places = stripping.taken.setdefault(rows[each.place].line, [])
        places.append(each.block)
        if len(places) == each.blocks:
            stripping.gone.add(rows[each.place].line)

    for each in found:
        if each.place > over:  # the turn that uses it is not over yet
            continue
        if not each.recall:
            take(each)  # WN-13
        elif each.place != newest:  # WN-14
            take(each)
    first = next((place for place, row in enumerate(rows) if row.line in stripping.taken), 0)
    replies = [row for row in rows[:first] if row.kind == "assistant"]
    if replies:
        stripping.breakpoint = replies[-1]  # WN-15
    return stripping


def without(message: bytes, places: Sequence[int]) -> bytes:
    """A `message` value without the blocks at these places; every other byte of it stays."""
    text = message.decode("latin-1")
    spans = elements(text, members(text)["content"].start)
    return b"".join(message[span.start : span.end] for span in _left(len(message), spans, places))


def _left(size: int, spans: Sequence[Span], places: Sequence[int]) -> Iterator[Span]:
    """What is left of `size` bytes without some elements of a list, each with a comma beside it."""
    at = 0
    kept = [number for number in range(len(spans)) if number not in places]
    for number in sorted(places):
        last = not kept or number > kept[-1]
        begin = spans[number - 1].end if last and number else spans[number].start
        end = spans[number].end if last else spans[number + 1].start
        yield Span(at, max(at, begin))
        at = max(at, end)
    yield Span(at, size)


def _material(place: int, row: RecordRow, file: BinaryIO) -> Iterator[_Material]:
    line = row_bytes(row, file)
    if not any(tag.encode() in line for tag in (RECALL_TAG, *REVIEW_TAGS)):
        return
    tokens = _text_tokens(line)
    for number, token in enumerate(tokens):
        tags = {block.tag for block in nothing_but_blocks(decoded(token))} if token else set()
        if tags and tags <= REVIEW_TAGS | {RECALL_TAG}:
            yield _Material(place, number, len(tokens), tags == {RECALL_TAG})


def _text_tokens(line: bytes) -> list[bytes]:
    """The token of each block of a row that is a text, and nothing for each that is none."""
    text = line.decode("latin-1")
    content = members(text, members(text)["message"].start)["content"]
    if text[content.start] == '"':
        return [line[content.start : content.end]]
    tokens = []
    for span in elements(text, content.start):
        found = members(text, span.start) if text[span.start] == "{" else {}
        value = found.get("text")
        tokens.append(line[value.start : value.end] if value and text[value.start] == '"' else b"")
    return tokens


def row_bytes(row: RecordRow, file: BinaryIO) -> bytes:
    """A row as it stands in its source."""
    file.seek(row.offset)
    return file.read(row.size)
