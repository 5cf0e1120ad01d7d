"""What one row says: its texts, each with its author (a person, the assistant, the runtime) and its place.

A row is judged part by part and never by its first words, so that a text beside a tool result or an injected
block is still heard (TR-006 … TR-031, TR-L01 … TR-L04, TR-L14).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from harness.oracle.reader import Number, Row
from harness.oracle.settings import Settings
from harness.oracle.tags import has_envelope, is_only_blocks

SAID = ("speech", "channel", "queued", "reply")
WORDS = (*SAID, "startup", "stamp", "runtime", "note")
MARK = "threadrebuild"

USER_MARKS = ("[Request interrupted by user]", "[Request interrupted by user for tool use]")
ASSISTANT_MARKS = ("No response requested.",)
SYNTHETIC = "<synthetic>"

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Part:
    """One text of a row, or its characters from `start` to `end`. `path` leads to it in the row's value.

    `kind` is one of `SAID`, or: `startup` and `stamp` (by mark), `trace` (injected), `runtime` (marks,
    errors, synthetic rows), `summary` (of a compaction, or carried once as the runtime's), `unsent`,
    `elsewhere` (a reply to somebody who is no private line).
    """

    kind: str
    role: str
    text: str
    path: Path
    is_marked: bool = False
    start: int = 0
    end: int | None = None

    @property
    def is_said(self) -> bool:
        return self.kind in SAID


def parts_of(row: Mapping[str, Any], results: Mapping[str, bool], settings: Settings) -> list[Part]:
    """The texts of a main-line row in their order; blank ones are none.

    `results` says of a tool call's id whether its result was an error.
    """
    if row.get("type") == "user":
        parts = _marked(row, "user") or _user(row)
    elif row.get("type") == "assistant":
        parts = _marked(row, "assistant") or _assistant(row, results, settings)
    elif row.get("type") == "attachment":
        parts = _queued(row)
    else:
        parts = []
    return [part for part in parts if part.text.strip()]


def queue_parts(row: Mapping[str, Any]) -> list[Part]:
    """What a queue log row holds as a prompt; a single word that begins with `/` is a command (TR-027)."""
    texts = [(path, text) for path, text in _texts(row.get("content"), ("content",)) if text.strip()]
    if len(texts) == 1 and texts[0][1].startswith("/") and len(texts[0][1].split()) == 1:
        return []
    return [_prompt(path, text) for path, text in texts]


def prompt_text(prompt: object) -> str:
    """The words of a prompt in one string, to compare a queue log row with an attachment."""
    return "".join(text for _, text in _texts(prompt, ()))


def blocks(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The content blocks of a row's message; none where the content is a string."""
    content = _message(row).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def has_tool_result(row: Mapping[str, Any]) -> bool:
    """Whether one of the row's blocks is a tool's result."""
    return any(block.get("type") == "tool_result" for block in blocks(row))


def is_written_by_runtime(row: Mapping[str, Any]) -> bool:
    """Whether a row is flagged as an API error, or its model as synthetic."""
    return row.get("isApiErrorMessage") is True or _message(row).get("model") == SYNTHETIC


def call_results(rows: list[Row]) -> dict[str, bool]:
    """For each tool call that has a result in the file: whether it was an error. The last one counts."""
    found = {}
    for row in rows:
        for block in blocks(row.value or {}):
            if block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str):
                found[block["tool_use_id"]] = block.get("is_error") is True
    return found


def _message(row: Mapping[str, Any]) -> Mapping[str, Any]:
    message = row.get("message")
    return message if isinstance(message, dict) else {}


def _texts(content: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(content, str):
        yield path, content
    elif isinstance(content, list):
        for place, block in enumerate(content):
            if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
                yield (*path, place, "text"), block["text"]


def _content(row: Mapping[str, Any]) -> list[tuple[Path, str]]:
    return list(_texts(_message(row).get("content"), ("message", "content")))


def _marked(row: Mapping[str, Any], role: str) -> list[Part]:
    """The texts of a row that a carry has marked: the word decides. None where the marks do not fit."""
    words, texts = row.get(MARK), _content(row)
    if not isinstance(words, list) or len(words) != len(texts) or any(word not in WORDS for word in words):
        return []
    return [
        Part("summary" if word in ("runtime", "note") else word, role, text, path, is_marked=True)
        for word, (path, text) in zip(words, texts, strict=True)
    ]


def _user(row: Mapping[str, Any]) -> list[Part]:
    texts = _content(row)
    left = [text for _, text in texts if text.strip() and not is_only_blocks(text)]
    if row.get("isCompactSummary") is True:
        return [Part("summary", "user", text, path) for path, text in texts if text.strip()]
    if row.get("isApiErrorMessage") is True:
        return [Part("runtime", "user", text, path) for path, text in texts]
    is_injected = row.get("isMeta") is True and not (left and has_envelope(left[0]))
    parts = []
    for path, text in texts:
        if is_injected or is_only_blocks(text):
            kind = "trace"
        elif text in USER_MARKS:
            kind = "runtime"
        else:
            kind = "channel" if has_envelope(text) else "speech"
        parts.append(Part(kind, "user", text, path))
    return parts


def _assistant(row: Mapping[str, Any], results: Mapping[str, bool], settings: Settings) -> list[Part]:
    by_runtime = is_written_by_runtime(row)
    parts = []
    for path, text in _content(row):
        is_runtime = by_runtime or text in ASSISTANT_MARKS
        parts.append(Part("runtime" if is_runtime else "speech", "assistant", text, path))
    content = _message(row).get("content")
    for place, block in enumerate(content if isinstance(content, list) else []):
        text = _reply_text(block, settings)
        if text and not by_runtime:
            path = ("message", "content", place, "input", "text")
            parts.append(Part(_reply_kind(block, results, settings), "assistant", text, path))
    return sorted(parts, key=lambda part: part.path[2:3])


def _reply_text(block: object, settings: Settings) -> str:
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return ""
    name, given = block.get("name"), block.get("input")
    if not isinstance(name, str) or not any(fnmatchcase(name, tool) for tool in settings.reply_tools):
        return ""
    text = given.get("text") if isinstance(given, dict) else None
    return text if isinstance(text, str) else ""


def _reply_kind(call: Mapping[str, Any], results: Mapping[str, bool], settings: Settings) -> str:
    recipient = call["input"].get("chat_id")
    if isinstance(recipient, Number):
        recipient = recipient.spelling
    if settings.private_lines and recipient not in settings.private_lines:
        return "elsewhere"
    return "unsent" if results.get(str(call.get("id"))) else "reply"


def _queued(row: Mapping[str, Any]) -> list[Part]:
    attached = row.get("attachment")
    if not isinstance(attached, dict) or attached.get("type") != "queued_command":
        return []
    if attached.get("commandMode") != "prompt":
        return []
    texts = list(_texts(attached.get("prompt"), ("attachment", "prompt")))
    return [_prompt(path, text) for path, text in texts]


def _prompt(path: Path, text: str) -> Part:
    return Part("trace" if is_only_blocks(text) else "queued", "user", text, path)
