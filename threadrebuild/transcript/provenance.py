"""Who wrote a text: a person, the assistant, or the runtime. Decided by shape, position and flags of its row.

Never by a word in people's text. Two exceptions widen the allow list, and only two: messages that came over a channel
or out of the queue, and replies that the assistant sent through a tool (TR-152).
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple, cast

import msgspec
from msgspec import Raw, UnsetType

from threadrebuild.transcript.rows import Attachment, Block, ReplyInput, Row, read_object
from threadrebuild.transcript.speech import WORDS, Word
from threadrebuild.transcript.tags import leading_blocks, nothing_but_blocks
from threadrebuild.transcript.tokens import decoded

HOST_ROWS = frozenset(
    {
        "last-prompt",
        "mode",
        "permission-mode",
        "ai-title",
        "custom-title",
        "agent-name",
        "file-history-snapshot",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "cost-state",
        "tools-used",
        "atis-latch",
    }
)
"""Kinds of rows measured to be the host's own bookkeeping."""

INTERRUPTIONS = frozenset({"[Request interrupted by user]", "[Request interrupted by user for tool use]"})
NO_ANSWER = "No response requested."
SYNTHETIC = "<synthetic>"

_CHANNEL = re.compile(r"\s*<channel(?=\s)((?:[^<>\"]++|\"[^\"]*+\")*+)>")
_LABEL = re.compile(r"\"[^\"]*+\"|(?<=\s)source=\"[^\"]*+\"")
_MARK = msgspec.json.Decoder(list[str])


class Origin(NamedTuple):
    """The ledger class of a text and, where it is carried or listed as somebody's words, the mark it gets."""

    name: str
    word: Word | None = None


RUNTIME = Origin("runtime_text", "runtime")
BLANK = Origin("blank_text")
INJECTED = Origin("injected_block")


def is_channel_message(text: str) -> bool:
    """Whether a text begins with a channel envelope, of any source; runtime blocks may stand before it (TR-024)."""
    blocks = leading_blocks(text)
    envelope = _CHANNEL.match(text, blocks[-1].end if blocks else 0)
    return envelope is not None and any(label[0][0] != '"' for label in _LABEL.finditer(envelope[1]))


def is_injected(row: Row, texts: Iterable[str]) -> bool:
    """Whether the host put a whole `user` row in: a meta row, unless its own words begin with an envelope."""
    if not row.isMeta:  # TR-007 TR-013 TR-152
        return False
    words = next((text for text in texts if text.strip() and not nothing_but_blocks(text)), "")
    return not is_channel_message(words)  # TR-024 TR-152 TR-156 TR-164 TR-L16


def user_text(row: Row, text: str, injected: bool) -> Origin:
    """Who wrote a text of a `user` row; `injected` says that the host put the whole row in."""
    if not text.strip():
        return BLANK
    if row.isCompactSummary or is_runtime_row(row):
        return RUNTIME
    if nothing_but_blocks(text):  # TR-023
        return INJECTED
    if injected:
        return Origin("meta_injection")  # TR-049
    if text in INTERRUPTIONS:  # TR-L14
        return RUNTIME
    return Origin("carried", "channel" if is_channel_message(text) else "speech")


def assistant_text(row: Row, text: str) -> Origin:
    """Who wrote a text of an `assistant` row; tags mean nothing here."""
    if is_runtime_row(row) or text == NO_ANSWER:
        return RUNTIME
    return Origin("carried", "speech") if text.strip() else BLANK


def is_runtime_row(row: Row) -> bool:
    """Whether the host wrote a row in a speaker's place: an API error, a synthetic reply."""
    return bool(row.isApiErrorMessage) or (row.message is not None and row.message.model == SYNTHETIC)  # TR-L14


def is_mark(block: Block) -> bool:
    """Whether a block is the answer that the host writes itself where nobody has asked; it is nobody's message."""
    token = bytes(block.text) if block.type == "text" and isinstance(block.text, Raw) else b""
    return token[:1] == b'"' and decoded(token) == NO_ANSWER


def queued_text(text: str) -> Origin:
    """Who wrote a text that was queued as a prompt (TR-025)."""
    if not text.strip():
        return BLANK
    return INJECTED if nothing_but_blocks(text) else Origin("carried", "queued")


def is_prompt(queued: Attachment) -> bool:
    """Whether what was queued is a person's prompt, and not a command (TR-025, TR-027)."""
    return queued.commandMode == "prompt"  # TR-027


def is_slash_command(text: str) -> bool:
    """Whether a queued text without a mode is a command: one word that begins with a slash (TR-027)."""
    return text.startswith("/") and len(text.split()) == 1


def is_reply_tool(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a tool speaks to the user, by the household's patterns (TR-029, TR-030)."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)  # TR-030


class Reply(NamedTuple):
    """What a reply call says: the raw token of its text, and the recipient as written ("" where none is named)."""

    token: bytes
    recipient: str


def reply_of(block: Block) -> Reply | None:
    """The reply in a call to a reply tool, or None where its arguments have another shape (TR-L13)."""
    given = read_object(ReplyInput, block.input)
    token = b"" if isinstance(given.text, UnsetType) else bytes(given.text)
    if token[:1] != b'"' or not decoded(token).strip():  # TR-L13 TR-175
        return None
    recipient = b"" if isinstance(given.chat_id, UnsetType) else bytes(given.chat_id)
    return Reply(token, decoded(recipient) if recipient[:1] == b'"' else recipient.decode("utf-8"))


def marked_words(row: Row, blocks: int) -> list[str] | None:
    """The words that an earlier carry wrote beside a message, one a block; None where there is no such mark."""
    if not isinstance(row.threadrebuild, Raw):
        return None
    try:
        words = _MARK.decode(row.threadrebuild)
    except msgspec.DecodeError:
        return None
    return words if len(words) == blocks and WORDS.issuperset(words) else None


def marked(word: str) -> Origin:
    """What a block is that an earlier carry wrote: its mark decides."""
    if word in ("startup", "stamp"):
        return INJECTED
    # A window note is what the host wrote in place of the talk that it folds, like a compaction's summary.
    return RUNTIME if word in ("runtime", "note") else Origin("carried", cast(Word, word))


def model_of(row: Row) -> str | None:
    """The model that a row names; the synthetic one is none."""
    model = row.message.model if row.message is not None else None
    return None if model == SYNTHETIC else model
