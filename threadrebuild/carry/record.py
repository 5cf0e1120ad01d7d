"""The session record: the rows that make up its main line, whole and in order of talk, each once.

The dialogue carry reads what was said; the window note keeps rows as they are. Both share the chain: a row stands where
its node stands, an assistant message before the results of its calls, and within that each row after its parent.
"""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Raw

from threadrebuild.carry.estimate import content_tokens, pasted_image_tokens
from threadrebuild.carry.places import SourceChanged
from threadrebuild.carry.record_rows import Kind, RecordRow, each_once, ordered
from threadrebuild.config import Settings
from threadrebuild.transcript import provenance
from threadrebuild.transcript.lines import TranscriptFile
from threadrebuild.transcript.reader import BYTE_ORDER_MARK
from threadrebuild.transcript.reading import Transcript
from threadrebuild.transcript.rows import Attachment, Block, Row, decode_row, read_object, read_row, text_tokens
from threadrebuild.transcript.spans import STRICT, members
from threadrebuild.transcript.tokens import decoded

THINKING = frozenset({"thinking", "redacted_thinking"})
_CLASSES = {
    "system": "system",
    "progress": "progress",
    "summary": "summary",
    "attachment": "attachment",
    "queue-operation": "queue_log",
}


@dataclass(slots=True)
class Record:
    """The main line, and the bytes of everything else by ledger class."""

    rows: list[RecordRow]
    shares: Counter[str]
    context_tokens: int
    """What the main line takes in the window, from the last compaction on (WN-10)."""


def read_record(source: Transcript, settings: Settings) -> Record:
    """Read the source again, row by row. Raises `SourceChanged` where it is no longer what was read."""
    reading = _Reading(source, settings)
    file = TranscriptFile(source.path)
    if file.size < source.size:
        raise SourceChanged(f"{source.path} became shorter")
    for lines in file.batches():
        for line in lines:
            reading.take(line)
            reading.shares["line_end"] += 1
    if file.tail:
        reading.take(file.tail)
    if file.sha256 != source.sha256:
        raise SourceChanged("the source changed while it was read")
    rewound = [row for row in reading.rows if row.node in source.order.abandoned]
    reading.shares["abandoned"] += sum(row.size for row in rewound)
    rows = ordered([row for row in reading.rows if row.node not in source.order.abandoned], source.chain, source.order)
    rows = list(each_once(rows, reading.shares))
    for utterance in source.utterances:
        row = reading.by_line.get(utterance.line)
        if row is not None and utterance.role == "user":
            row.human = True
    context = sum(row.tokens for row in rows if row.line > reading.boundary)
    return Record(rows, reading.shares, context)


class _Reading:
    def __init__(self, source: Transcript, settings: Settings) -> None:
        self._source = source
        self._settings = settings
        self.rows: list[RecordRow] = []
        self.by_line: dict[int, RecordRow] = {}
        self.shares: Counter[str] = Counter()
        self.boundary = 0
        self._places: dict[str, int] = {}
        self._line = 0
        self._offset = 0
        self._node = 0

    def take(self, line: bytes) -> None:
        self._line += 1
        start, self._offset = self._offset, self._offset + len(line) + 1
        if self._line == 1 and line.startswith(BYTE_ORDER_MARK):
            self.shares["line_end"] += len(BYTE_ORDER_MARK)
            line, start = line[len(BYTE_ORDER_MARK) :], start + len(BYTE_ORDER_MARK)
        if not line.strip(b" \t\r\n"):
            self.shares["line_end"] += len(line)
            return
        row = _decoded_row(line)
        if row is None:
            is_bad = any(bad.line == self._line for bad in self._source.malformed)
            self.shares["unreadable" if is_bad else "no_record"] += len(line)
            return
        kind = _kind_of(row)
        if kind is None:
            self._beside(row, line)
        else:
            self._main(row, kind, line, start)

    def _beside(self, row: Row, line: bytes) -> None:
        """A row that is no part of the main line's messages."""
        if row.isSidechain:
            name = "sidechain"
        elif row.type == "attachment" and read_object(Attachment, row.attachment).type == "queued_command":
            name = "queued_command"
        elif row.type in provenance.HOST_ROWS:
            name = "host_metadata"
        else:
            name = _CLASSES.get(row.type, "unlisted_row")
        self.shares[name] += len(line)
        if row.subtype == "compact_boundary" and not row.isSidechain:
            self.boundary = self._line
        if row.uuid in self._source.chain.index and not row.isSidechain:
            self._node = self._source.chain.index[row.uuid]

    def _main(self, row: Row, kind: Kind, line: bytes, start: int) -> None:
        node = self._source.chain.index.get(row.uuid or "", self._node)
        self._node = node
        new = RecordRow(self._line, start, len(line), kind, row.uuid, row.parentUuid, row.timestamp, node)
        new.lines = [self._line]
        _look(new, row, line, self._settings)
        place = self._places.get(row.uuid or "")
        if place is None:
            if row.uuid:
                self._places[row.uuid] = len(self.rows)
            self.rows.append(new)
            self.by_line[self._line] = new
            return
        known = self.rows[place]
        # Of rows with one uuid the last one counts, where the first one stood.
        self.shares["duplicate" if known.blocks == new.blocks else "superseded"] += known.size
        new.lines = [*known.lines, self._line]
        new.parent = known.parent
        self.rows[place] = new
        for number in new.lines:
            self.by_line[number] = new


def _decoded_row(line: bytes) -> Row | None:
    try:
        line.decode("utf-8")
        return decode_row(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = read_row(line)
        return found if isinstance(found, Row) else None


def _kind_of(row: Row) -> Kind | None:
    """What of the main line a row is; None for what is none of its messages."""
    if row.isSidechain:
        return None
    if row.type in ("user", "assistant"):
        has_content = row.message is not None and row.message.content is not None
        return row.type if has_content else None  # type: ignore[return-value]
    if row.type == "attachment":
        attached = read_object(Attachment, row.attachment)
        texts = map(decoded, text_tokens(attached.prompt))
        says = any(provenance.queued_text(text).word for text in texts)
        if attached.type == "queued_command" and provenance.is_prompt(attached) and says:
            return "attachment"
    return None


def _look(new: RecordRow, row: Row, line: bytes, settings: Settings) -> None:
    """Take down what the carry has to know of a row."""
    if new.kind == "attachment":
        new.tokens = content_tokens(_member(line, "attachment").get("prompt"), settings)
        new.blocks = (hash(bytes(row.attachment) if isinstance(row.attachment, Raw) else b""),)
        return
    assert row.message is not None
    content = row.message.content
    blocks = content if isinstance(content, list) else []
    value = _member(line, "message").get("content")
    new.tokens = content_tokens(value, settings)
    new.image_tokens = pasted_image_tokens(value, settings)
    new.calls = tuple(block.id for block in blocks if block.type == "tool_use" and new.kind == "assistant")
    new.results = tuple(
        (block.tool_use_id, bool(block.is_error))
        for block in blocks
        if block.type == "tool_result" and new.kind == "user"
    )
    new.thinking = any(block.type in THINKING for block in blocks)
    new.silent = bool(blocks) and all(block.type in THINKING for block in blocks)
    new.model = provenance.model_of(row) if new.kind == "assistant" else None
    new.by_host = new.kind == "assistant" and provenance.is_runtime_row(row)
    texts = [content] if isinstance(content, str) else [text for block in blocks if (text := _text(block)) is not None]
    new.interruption = new.kind == "user" and bool(texts) and set(texts) <= provenance.INTERRUPTIONS
    new.older_note = "note" in (provenance.marked_words(row, len(texts)) or ())
    parts = value if isinstance(value, list) else [value]
    new.blocks = tuple(hash(json.dumps(part, sort_keys=True)) for part in parts)


def _member(line: bytes, name: str) -> dict[str, Any]:
    text = line.decode("latin-1")
    span = members(text)[name]
    value = STRICT.decode(line[span.start : span.end].decode("utf-8"))
    return value if isinstance(value, dict) else {}


def _text(block: Block) -> str | None:
    token = bytes(block.text) if block.type == "text" and isinstance(block.text, Raw) else b""
    return decoded(token) if token[:1] == b'"' else None
