"""Receipts: where a notification only rings and the model fetches by a tool call, the result is the message's receipt.

A result always enters the context, which a notification does not. So a receipt is recorded for a message that a tool
result contains, for no other.
"""

import json
import re
from fnmatch import fnmatchcase

import msgspec

from threadrebuild.channel.message import MessageId, id_of
from threadrebuild.transcript.rows import Block, Row, decode_row, text_tokens
from threadrebuild.transcript.tokens import decoded

_ENVELOPE = re.compile(r"^[ \t]*<channel\s", re.MULTILINE)


class Receipts:
    """Takes a transcript's lines in order; `found` are the messages in results of the household's fetching tools."""

    def __init__(self, fetch_tools: tuple[str, ...]) -> None:
        self.found: list[tuple[MessageId, int]] = []
        self._fetch_tools = fetch_tools
        self._calls: set[str] = set()
        self._line = 0

    def take(self, lines: list[bytes]) -> None:
        """Look through a batch of lines."""
        for line in lines:
            self._line += 1
            if self._fetch_tools and (b'"tool_use"' in line or b'"tool_result"' in line):
                self._row(line)

    def _row(self, line: bytes) -> None:
        try:
            row = decode_row(line)
        except (msgspec.DecodeError, RecursionError):
            return
        if row.isSidechain:
            return
        for block in _blocks(row):
            if block.type == "tool_use" and any(fnmatchcase(block.name, each) for each in self._fetch_tools):
                self._calls.add(block.id)
            elif block.type == "tool_result" and block.tool_use_id in self._calls and not block.is_error:  # TR-130
                texts = [_plain(decoded(token)) for token in text_tokens(block.content)]
                self.found += [(message, self._line) for text in texts for message in _messages_in(text)]


def called_in(line: bytes) -> list[str]:
    """The names of the tools that a row of the main line calls; none where it is no row."""
    try:
        row = decode_row(line)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [] if row.isSidechain else [block.name for block in _blocks(row) if block.type == "tool_use"]


def _blocks(row: Row) -> list[Block]:
    content = row.message.content if row.message is not None else None
    return content if isinstance(content, list) else []


def _plain(text: str) -> str:
    """A tool's text; newer hosts keep it as `{"result": …}`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    result = value.get("result") if isinstance(value, dict) else None
    return result if isinstance(result, str) else text


def _messages_in(text: str) -> list[MessageId]:
    """The messages in a result: each begins with its envelope, at the start of a line."""
    found = (id_of(text[start.start() :]) for start in _ENVELOPE.finditer(text))
    return [message for message in found if message is not None]
