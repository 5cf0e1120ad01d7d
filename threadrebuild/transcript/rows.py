"""One line of a transcript as a typed row that keeps raw slices of everything that is carried or weighed.

The fast path is msgspec. It refuses lone surrogate escapes and rows whose fields have unexpected types; such lines
take the standard library's path, which gives the same row with misfit fields left out.
"""

import json
import re
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Raw, UnsetType

from threadrebuild.transcript.spans import STRICT, Span, elements, members, skip_space

JSON_SPACE = " \t\r\n"
SEVERAL_ROWS = "several rows on one line"
DEEPEST = 200
"""Levels of nesting that every later step can follow, whatever stack it runs on."""
TOO_DEEP = f"nested deeper than {DEEPEST} levels"
_STRUCTURE = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]')

RawOrNone = Raw | UnsetType
T = TypeVar("T", bound=msgspec.Struct)


class Block(msgspec.Struct, gc=False):
    """One block of a `content` list; payloads are raw JSON."""

    type: str = ""
    text: RawOrNone = UNSET
    name: str = ""
    id: str = ""
    tool_use_id: str = ""
    input: RawOrNone = UNSET
    content: RawOrNone = UNSET
    is_error: bool | None = None
    thinking: RawOrNone = UNSET
    signature: RawOrNone = UNSET
    data: RawOrNone = UNSET
    source: RawOrNone = UNSET


class Message(msgspec.Struct, gc=False):
    """The `message` of a user or assistant row. `content` is a list of blocks, or a plain string."""

    id: str | None = None
    model: str | None = None
    content: list[Block] | str | None = None


class Row(msgspec.Struct, gc=False):
    """A row's envelope and message, as far as carrying depends on them."""

    type: str = ""
    uuid: str | None = None
    parentUuid: str | None = None
    sessionId: str | None = None
    timestamp: str | None = None
    version: str | None = None
    cwd: str | None = None
    isMeta: bool | None = None
    isSidechain: bool | None = None
    isCompactSummary: bool | None = None
    isApiErrorMessage: bool | None = None
    message: Message | None = None
    toolUseResult: RawOrNone = UNSET
    attachment: RawOrNone = UNSET
    content: RawOrNone = UNSET
    operation: str | None = None
    subtype: str | None = None
    threadrebuild: RawOrNone = UNSET


class Attachment(msgspec.Struct, gc=False):
    """The `attachment` of an attachment row."""

    type: str = ""
    commandMode: str | None = None
    prompt: RawOrNone = UNSET


class ReplyInput(msgspec.Struct, gc=False):
    """The arguments of a call that speaks to the user: what was said, and to whom."""

    text: RawOrNone = UNSET
    chat_id: RawOrNone = UNSET


class ToolInput(msgspec.Struct, gc=False):
    """The arguments of a tool call that name a file or a check."""

    file_path: str = ""
    path: str = ""
    notebook_path: str = ""
    command: str = ""


class Fault(NamedTuple):
    """Why a line is no row. `offset` is the first bad byte, counted from the start of the line."""

    code: Literal["unreadable-line", "no-record"]
    offset: int
    reason: str


class _ContentMessage(msgspec.Struct, gc=False):
    content: RawOrNone = UNSET


class _ContentRow(msgspec.Struct, gc=False):
    message: _ContentMessage | None = None


_ROW = msgspec.json.Decoder(Row)
_CONTENT = msgspec.json.Decoder(_ContentRow)
_DECODERS: dict[type[msgspec.Struct], msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (Attachment, ReplyInput, ToolInput)
}
decode_row = _ROW.decode
"""Fast path: raises msgspec.DecodeError (or its ValidationError) where `read_row` has to look."""


def decode_shallow(line: bytes) -> Row:
    """Like `decode_row`, but raises RecursionError for a line nested deeper than `DEEPEST`."""
    if _is_deep(line):
        raise RecursionError(TOO_DEEP)
    return decode_row(line)


def read_row(line: bytes) -> Row | Fault:
    """The row of a line that the fast path refused, or the fault that makes it none."""
    if _is_deep(line):
        return Fault("unreadable-line", 0, TOO_DEEP)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        return Fault("unreadable-line", error.start, f"not UTF-8: {error.reason}")
    try:
        value = STRICT.decode(text)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode("utf-8"))
        if offset and _holds_whole_values(text):
            return Fault("unreadable-line", offset, SEVERAL_ROWS)
        return Fault("unreadable-line", offset, f"not JSON: {error.msg}")
    except ValueError as error:
        return Fault("unreadable-line", 0, f"not JSON: {error}")
    except RecursionError:
        return Fault("unreadable-line", 0, "not JSON: nested too deeply")
    if not isinstance(value, dict) or not value:
        return Fault("no-record", 0, "no record: a row must be an object with members")
    try:
        return _row_of(line, line.decode("latin-1"), value)
    except ValueError as error:
        return Fault("unreadable-line", 0, f"not JSON: {error}")


def content_token(line: bytes) -> bytes:
    """The raw token of a message whose `content` is a plain string."""
    try:
        row = _CONTENT.decode(line)
        assert row.message is not None and not isinstance(row.message.content, UnsetType)
        return bytes(row.message.content)
    except msgspec.DecodeError:
        text = line.decode("latin-1")
        content = members(text, members(text)["message"].start)["content"]
        return line[content.start : content.end]


def read_object(kind: type[T], raw: RawOrNone) -> T:
    """An `Attachment`, `ReplyInput` or `ToolInput` from raw JSON; members that do not fit are left out."""
    if isinstance(raw, UnsetType):
        return kind()
    try:
        found: T = _DECODERS[kind].decode(raw)
        return found
    except msgspec.DecodeError:
        line = bytes(raw)
        return _fitting(kind, line, 0) if line[:1] == b"{" else kind()


def text_tokens(raw: RawOrNone) -> list[bytes]:
    """The tokens of a plain string, or of the text blocks of a list; empty for anything else (TR-L12)."""
    if isinstance(raw, UnsetType):
        return []
    line = bytes(raw)
    text = line.decode("latin-1")
    if text[:1] == '"':
        return [line]
    if text[:1] != "[":  # TR-L12
        return []
    blocks = (_fitting(Block, line, span.start) for span in elements(text, 0) if text[span.start] == "{")
    tokens = (bytes(block.text) for block in blocks if block.type == "text" and isinstance(block.text, Raw))
    return [token for token in tokens if token[:1] == b'"']


def _is_deep(line: bytes) -> bool:
    depth = 0
    for match in _STRUCTURE.finditer(line):
        if match[0] in b"[{":
            depth += 1
        elif match[0] in b"]}":
            depth -= 1
        if depth > DEEPEST:
            return True
    return False


def _holds_whole_values(text: str) -> bool:
    at = skip_space(text, 0)
    try:
        while at < len(text):
            _, at = STRICT.raw_decode(text, at)
            at = skip_space(text, at)
    except (ValueError, RecursionError):
        return False
    return True


def _row_of(line: bytes, text: str, value: dict[str, Any]) -> Row:
    row = _fitting(Row, line, 0)
    if not isinstance(value.get("message"), dict):
        return row
    at = members(text)["message"].start
    row.message = message = _fitting(Message, line, at)
    content = value["message"].get("content")
    if isinstance(content, str):
        message.content = content
    elif isinstance(content, list):
        spans = elements(text, members(text, at)["content"].start)
        message.content = [
            _fitting(Block, line, span.start) if isinstance(block, dict) else _no_block(line, span, block)
            for span, block in zip(spans, content, strict=True)
        ]
    return row


def _no_block(line: bytes, span: Span, value: object) -> Block:
    """What stands in a list of blocks and is none; a string in it is text of unknown kind."""
    return Block(text=Raw(line[span.start : span.end])) if isinstance(value, str) else Block()


def _fitting(kind: type[T], line: bytes, start: int) -> T:
    """A struct from the object at `start`, with raw members sliced and members of other types left out."""
    found = kind()
    for name, span in members(line.decode("latin-1"), start).items():
        if name in kind.__struct_fields__ and name != "message":
            _set(found, name, line, span)
    return found


def _set(found: msgspec.Struct, name: str, line: bytes, span: Span) -> None:
    if getattr(found, name) is UNSET:
        setattr(found, name, Raw(line[span.start : span.end]))
        return
    raw = line[span.start : span.end]
    value = None if raw[:1] in b"-0123456789" else json.loads(raw)
    if isinstance(value, bool) if name.startswith("is") else isinstance(value, str):
        setattr(found, name, value)
    elif name == "parentUuid" and raw != b"null":
        setattr(found, name, "")  # a link that leads nowhere, not a row without one
