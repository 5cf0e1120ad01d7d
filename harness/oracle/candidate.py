"""What a candidate file says by its own marks, and whether every version of the CLI would resume it.

A candidate is a transcript written by a carry: one row a message, one text block an utterance, and beside
them a word for each block that says whose it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from harness.oracle.parts import MARK, SAID, SYNTHETIC, WORDS, blocks
from harness.oracle.reader import Row, read_rows, string_spans


@dataclass(frozen=True)
class Block:
    """One text block of a candidate. `word` is its mark, "" where the row has none for it."""

    role: str
    text: str
    word: str
    token: bytes
    line: int
    offset: int
    """Of the token, in bytes from the start of the file."""

    @property
    def is_said(self) -> bool:
        """Marked as speech, or not marked at all: an unmarked text reads as somebody's word."""
        return self.word in (*SAID, "")


@dataclass(frozen=True)
class Fault:
    """Something that a version of the CLI would stumble over or drop in silence."""

    code: str
    line: int
    sentence: str


def blocks_of(path: Path) -> list[Block]:
    """The text blocks of the candidate at `path`, in file order. Raises OSError if it cannot be read."""
    return [block for row in read_rows(path) for block in _blocks(row)]


def resume_faults(path: Path) -> list[Fault]:
    """Violations of the portable minimum: what `--resume` needs in all versions measured (TR-060, TR-062)."""
    rows = read_rows(path)
    faults = [fault for row in rows for fault in _row_faults(row)]
    if not rows:
        faults.append(Fault("empty", 0, "the file has no row"))
    faults += chain_faults(rows)
    names = {(row.value or {}).get("sessionId") for row in rows if row.value is not None}
    if names - {path.stem}:
        faults.append(Fault("session", 0, f"sessionId {sorted(map(repr, names))} in a file named {path.name}"))
    return sorted(faults, key=lambda fault: fault.line)


def _blocks(row: Row) -> Iterator[Block]:
    value = row.value or {}
    message, words = value.get("message"), value.get(MARK)
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        content = [] if content is None else [{"type": "text", "text": content}]
    texts = [(place, block) for place, block in enumerate(content) if _is_text(block)]
    if not texts:
        return
    shape = string_spans(row.raw)["message"]["content"]
    marks = words if isinstance(words, list) and len(words) == len(texts) else [""] * len(texts)
    for word, (place, block) in zip(marks, texts, strict=True):
        span = shape[place]["text"] if isinstance(shape, list) else shape
        yield Block(
            role=str(value.get("type")),
            text=block["text"],
            word=word if word in WORDS else "",
            token=row.raw[span.start : span.end],
            line=row.line,
            offset=row.offset + span.start,
        )


def _is_text(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _row_faults(row: Row) -> Iterator[Fault]:
    value = row.value
    if value is None:
        yield Fault("row", row.line, f"no row: {row.why}")
        return
    kind, message = value.get("type"), value.get("message")
    if kind not in ("user", "assistant"):
        yield Fault("type", row.line, f"type {kind!r} is neither user nor assistant")
    if value.get("isSidechain") is True:
        yield Fault("sidechain", row.line, "the row is a sub-agent's")
    if not isinstance(message, dict):
        yield Fault("message", row.line, "the row has no message")
        return
    if message.get("role") != kind:
        yield Fault("role", row.line, f"role {message.get('role')!r} in a row of type {kind!r}")
    model = message.get("model")
    if kind == "assistant" and (not isinstance(model, str) or model in ("", SYNTHETIC)):
        yield Fault("model", row.line, f"model {model!r} in an assistant row")
    yield from _content_faults(row, value, message.get("content"))


def _content_faults(row: Row, value: dict[str, Any], content: object) -> Iterator[Fault]:
    if not isinstance(content, list) or not content:
        yield Fault("content", row.line, "content is no list with something in it")
        return
    if len(blocks(value)) < len(content) or not all(map(_is_text, content)):
        yield Fault("content", row.line, "a block is no text")
    if any(_is_text(block) and not block["text"].strip() for block in content):
        yield Fault("blank", row.line, "a text is blank")
    words = value.get(MARK)
    if not isinstance(words, list) or len(words) != len(content) or any(word not in WORDS for word in words):
        yield Fault("mark", row.line, f"{MARK} {words!r} has not one known word for each block")


def chain_faults(rows: list[Row]) -> list[Fault]:
    """Rows that do not hang on the one before them, or have no id, time or place of their own (TR-062)."""
    return list(_chain_faults(rows))


def _chain_faults(rows: list[Row]) -> Iterator[Fault]:
    previous: str | None = None
    seen = set()
    for row in rows:
        uuid, parent = (row.value or {}).get("uuid"), (row.value or {}).get("parentUuid")
        if not isinstance(uuid, str) or not uuid or uuid in seen:
            yield Fault("uuid", row.line, f"uuid {uuid!r} is missing or used before")
        if parent != previous or "parentUuid" not in (row.value or {}):
            yield Fault("parent", row.line, f"parentUuid {parent!r} is not the row before, {previous!r}")
        seen.add(uuid if isinstance(uuid, str) else "")
        previous = uuid if isinstance(uuid, str) else None
    times = [(row.line, _time((row.value or {}).get("timestamp"))) for row in rows]
    yield from (Fault("time", line, "the timestamp is missing or no time") for line, time in times if not time)
    for (_, earlier), (line, later) in pairwise(times):
        if earlier and later and later <= earlier:
            yield Fault("time", line, "the timestamp is not later than that of the row before")


def _time(value: object) -> datetime | None:
    """A time with its zone; times without one cannot be compared with the others."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None
