"""Finds the exact bytes of a carried token in the source again: a second reading, by another way than the first."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from threadrebuild.transcript.spans import Members, Span, elements, members
from threadrebuild.transcript.speech import StartupBlock, Utterance


class SourceChanged(Exception):
    """The source no longer holds what was read from it."""


class Place(NamedTuple):
    """Where a carried text stands in the source: byte offset in the file, and the bytes there."""

    offset: int
    found: bytes


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """A value that is carried whole: where it stands in the source, and its bytes there."""

    uuid: str | None
    time: str | None
    line: int
    offset: int
    whole: bytes


class Places:
    """Looks up texts of one source, row by row, in the order in which a row holds them."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise SourceChanged(f"{path}: {error.strerror or error}") from None
        self._row = -1
        self._line = b""
        self._spans: list[Span] = []
        self.repeated_keys: dict[int, list[str]] = {}

    def close(self) -> None:
        """Close the source."""
        self._file.close()

    def find(self, text: Utterance | StartupBlock) -> Place:
        """Where a token stands; of a cut one, where what is left of it stands. Raises `SourceChanged` if nowhere."""
        if text.line_offset != self._row:
            self._read(text)
        wanted = text.slice
        is_whole = wanted == text.token
        for number, span in enumerate(self._spans):
            token = self._line[span.start : span.end]
            at = token.find(wanted)
            if at < 0 or (is_whole and token != wanted):  # TR-L08
                continue
            if is_whole:
                del self._spans[: number + 1]
            return Place(text.line_offset + span.start + at, wanted)
        raise SourceChanged(f"line {text.line} no longer holds a text that was read from it")

    def _read(self, text: Utterance | StartupBlock) -> None:
        self._file.seek(text.line_offset)
        self._line = self._file.readline()
        self._row = text.line_offset
        try:
            self._spans, repeated = speech_spans(self._line)
        except (ValueError, RecursionError) as error:
            raise SourceChanged(f"line {text.line} cannot be parsed again: {error}") from None
        if repeated:
            self.repeated_keys[text.line] = repeated


def speech_spans(line: bytes) -> tuple[list[Span], list[str]]:
    """Spans of all texts in a row that may be speech, in order, and the keys that stand twice on the way there."""
    text = line.decode("latin-1")
    row = members(text)
    repeated = list(row.repeated)
    found: list[Span] = []

    def object_at(span: Span | None) -> Members:
        if span is None or text[span.start] != "{":
            return Members()
        inner = members(text, span.start)
        repeated.extend(inner.repeated)
        return inner

    def texts(span: Span | None) -> None:
        if span is None:
            return
        if text[span.start] == '"':
            found.append(span)
        if text[span.start] != "[":
            return
        for element in elements(text, span.start):
            block = object_at(element)
            for holder in (block, object_at(block.get("input"))):
                if "text" in holder and text[holder["text"].start] == '"':
                    found.append(holder["text"])

    texts(object_at(row.get("message")).get("content"))
    texts(object_at(row.get("attachment")).get("prompt"))
    texts(row.get("content"))
    return found, repeated
