"""What an entry of a scenario's `talk` may say, each told to `harness.world.talk.Talk` as rows of a transcript.

The first key of an entry says what happens, in the words of the glossary; further keys say how.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta as Bound

from harness.world.talk import Talk

Times = Annotated[int, Bound(ge=1)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that happens. Its first field is the key that an entry begins with."""

    def tell(self, talk: Talk) -> None:
        """Add the rows that the CLI would write."""
        raise NotImplementedError


class User(Entry, frozen=True):
    """A person types; a list is one message of several text blocks. `repeat` makes a long text of a short one."""

    user: str | list[str]
    repeat: Times = 1

    def tell(self, talk: Talk) -> None:
        talk.user(self.user * self.repeat if isinstance(self.user, str) else self.user)


class Assistant(Entry, frozen=True):
    """The assistant speaks in text."""

    assistant: str
    repeat: Times = 1

    def tell(self, talk: Talk) -> None:
        talk.assistant(self.assistant * self.repeat)


class Channel(Entry, frozen=True):
    """A message over a chat channel; `busy` while tools run."""

    channel: str
    source: str = "companion"
    chat: str = "me"
    busy: bool = False

    def tell(self, talk: Talk) -> None:
        talk.channel(self.channel, source=self.source, chat_id=self.chat, idle=not self.busy)


class Queued(Entry, frozen=True):
    """A prompt typed while a tool runs; a list is text beside a picture, `mode` other than "prompt" is no speech."""

    queued: str | list[str]
    mode: str = "prompt"

    def tell(self, talk: Talk) -> None:
        talk.queued(self.queued, mode=self.mode)


class Waiting(Entry, frozen=True):
    """A prompt that was queued and never read."""

    waiting: str

    def tell(self, talk: Talk) -> None:
        talk.enqueue(self.waiting)


class Reply(Entry, frozen=True):
    """The assistant speaks over a channel, `through` a tool, `to` a chat; with `error` the sending failed."""

    reply: str
    to: str = "me"
    through: str = "mcp__companion__reply"
    error: str | None = None

    def tell(self, talk: Talk) -> None:
        talk.reply(self.reply, tool=self.through, chat_id=self.to, error=self.error)


class Tool(Entry, frozen=True):
    """A tool call; without a `result` it was interrupted. `beside` is a person's text in the result's row."""

    tool: str
    input: dict[str, Any] = {}
    result: str | None = None
    repeat: Times = 1
    error: bool = False
    beside: str | None = None

    def tell(self, talk: Talk) -> None:
        result = None if self.result is None else self.result * self.repeat
        talk.tool(self.tool, self.input, result=result, error=self.error, beside=self.beside)


class Thinking(Entry, frozen=True):
    """The assistant thinks."""

    thinking: str

    def tell(self, talk: Talk) -> None:
        talk.thinking(self.thinking)


class Image(Entry, frozen=True):
    """A person sends a picture; an empty text is a picture alone."""

    image: str

    def tell(self, talk: Talk) -> None:
        talk.image(self.image or None)


class Startup(Entry, frozen=True):
    """The startup package: a reminder for each text, and the first `words` in the same row."""

    startup: list[str]
    words: str = ""
    joined: bool = False

    def tell(self, talk: Talk) -> None:
        talk.startup(self.startup, self.words, joined=self.joined)


class Meta(Entry, frozen=True):
    """What the runtime injects without a tag: the body of a skill."""

    meta: str
    repeat: Times = 1

    def tell(self, talk: Talk) -> None:
        talk.meta(self.meta * self.repeat)


class Reminder(Entry, frozen=True):
    """A reminder that the runtime injects in a row of its own."""

    reminder: str

    def tell(self, talk: Talk) -> None:
        talk.reminder(self.reminder)


class Command(Entry, frozen=True):
    """A slash command that runs locally."""

    command: str
    output: str = ""

    def tell(self, talk: Talk) -> None:
        talk.command(self.command, self.output)


class Subagent(Entry, frozen=True):
    """A sub-agent is asked, and answers, beside the talk."""

    subagent: str
    answer: str

    def tell(self, talk: Talk) -> None:
        talk.sidechain(self.subagent, self.answer)


class System(Entry, frozen=True):
    """A `system` row and its fields."""

    system: str
    fields: dict[str, Any] = {}

    def tell(self, talk: Talk) -> None:
        talk.system(self.system, **self.fields)


class Attachment(Entry, frozen=True):
    """An `attachment` row of a kind, and the attachment's fields."""

    attachment: str
    fields: dict[str, Any] = {}

    def tell(self, talk: Talk) -> None:
        talk.attachment(self.attachment, **self.fields)


class Compact(Entry, frozen=True):
    """The talk is compacted into this summary."""

    compact: str

    def tell(self, talk: Talk) -> None:
        talk.compact(self.compact)


class ApiError(Entry, frozen=True):
    """An error of the API, stored in the assistant's place."""

    api_error: str

    def tell(self, talk: Talk) -> None:
        talk.api_error(self.api_error)


class Interrupted(Entry, frozen=True):
    """A person interrupts the assistant, or its tool."""

    interrupted: Literal["assistant", "tool"]

    def tell(self, talk: Talk) -> None:
        talk.interrupted(for_tool=self.interrupted == "tool")


class Raw(Entry, frozen=True):
    """These characters as they stand, line ends included: damage."""

    raw: str

    def tell(self, talk: Talk) -> None:
        talk.raw(self.raw.encode())


class Rewind(Entry, frozen=True):
    """The last so many entries are taken back; what follows is another branch."""

    rewind: int

    def tell(self, talk: Talk) -> None:
        raise AssertionError("told by `tell`, which knows the entries before it")


KINDS: dict[str, type[Entry]] = {
    kind.__struct_fields__[0]: kind
    for kind in (
        *(User, Assistant, Channel, Queued, Waiting, Reply, Tool, Thinking, Image, Startup, Meta, Reminder),
        *(Command, Subagent, System, Attachment, Compact, ApiError, Interrupted, Raw, Rewind),
    )
}
"""The entries by their first key."""


def tell(story: Sequence[Entry]) -> Talk:
    """Play a story into a transcript. Raises ValueError where more is taken back than was told."""
    talk = Talk()
    marks: list[str | None] = []
    for entry in story:
        if not isinstance(entry, Rewind):
            marks.append(talk.mark())
            entry.tell(talk)
            continue
        if not 0 < entry.rewind <= len(marks):
            raise ValueError(f"rewind = {entry.rewind}: {len(marks)} entries stand before it")
        talk.rewind(marks[-entry.rewind])
        del marks[-entry.rewind :]
    return talk
