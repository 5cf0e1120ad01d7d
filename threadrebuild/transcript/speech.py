"""What people and the assistant said: utterances with their raw tokens, and where each came from."""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["user", "assistant"]
Word = Literal["speech", "channel", "queued", "reply", "startup", "stamp", "runtime", "note"]
"""Where a carried block came from; also the machine-readable mark on a candidate's rows."""

WORDS: frozenset[str] = frozenset({"speech", "channel", "queued", "reply", "startup", "stamp", "runtime", "note"})


@dataclass(slots=True)
class Utterance:
    """One text that somebody said, as it stands in the source.

    `token` is the raw JSON string, quotes included. `fate` is the ledger class that its bytes belong to: "carried"
    until something decides otherwise. `node` is its place in the chain (-1: never read, it stands at the end).
    """

    role: Role
    origin: Word
    token: bytes
    line: int
    line_offset: int
    uuid: str | None
    time: str | None
    model: str | None
    node: int
    fate: str = "carried"
    marked: bool = False
    """Whether an earlier carry wrote the block and said what it is."""
    cut: int = 0
    """Characters of runtime blocks that stood before it in the same token and were cut off."""

    shortened: int = 0
    """Characters that were left out at its end, over `max_event_chars`."""

    @property
    def slice(self) -> bytes:
        """The bytes of it that stand in the source: a quote that was put where it was cut is not one of them."""
        return self.token[bool(self.cut) : len(self.token) - bool(self.shortened)]

    @property
    def size(self) -> int:
        """Bytes of the source it takes."""
        return len(self.token) - bool(self.cut) - bool(self.shortened)


@dataclass(slots=True)
class StartupBlock:
    """A `system-reminder` that the runtime put before the first message, with its raw token and its place."""

    token: bytes
    line: int
    line_offset: int
    uuid: str | None
    time: str | None
    cut: bool
    """Whether it was cut out of a longer text, so that its quotes do not stand in the source."""
    node: int = -1
    """Its place in the chain."""

    @property
    def slice(self) -> bytes:
        """The bytes of it that stand in the source."""
        return self.token[1:-1] if self.cut else self.token

    @property
    def size(self) -> int:
        """Bytes of the source it takes."""
        return len(self.slice)


@dataclass(frozen=True, slots=True)
class Warning:
    """Something a person should know about the source: a stable code, the line it stands on (0: none), a sentence."""

    code: str
    line: int
    detail: str


@dataclass(frozen=True, slots=True)
class MalformedLine:
    """A line that is no row: 1-based number, byte offset of the line, its length, first bad byte in the file."""

    line: int
    offset: int
    length: int
    bad_byte: int
    reason: str
    code: str
    sha256: str


@dataclass(slots=True)
class Turn:
    """A run of user messages and the assistant speech after it. The first may be an opening turn without a user."""

    number: int
    utterances: list[Utterance] = field(default_factory=list)

    @property
    def open(self) -> bool:
        """Whether nobody has answered yet (TR-020)."""
        return self.utterances[-1].role == "user"
