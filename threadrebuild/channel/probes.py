"""The probes of an activation: did a real message arrive in the new session, and did a reply go out of it?

A live pane, a session id in a command line and a carried sentence prove neither. Both are looked for in the rows that
the host itself wrote into the new transcript since the switch; who only reads may look.
"""

import sys
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

import msgspec

from threadrebuild.channel.message import id_of
from threadrebuild.channel.proof import batches_of, is_inbound, said_since
from threadrebuild.channel.receipts import called_in
from threadrebuild.config import Settings
from threadrebuild.transcript.reader import Reader
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded

TYPED = "typed"
"""The line of what a person types at the host itself; the other lines bear the names of their channels' sources."""


class Probes(msgspec.Struct):
    """What was seen since the switch. `lines`: line → 1-based row of its first message, None where none arrived.

    `reply`: the row of the first reply that went out. `by_heart`: that of the first answer that took no tool but the
    reply's own; where there is none, whatever was answered may have been read from files (TR-158). `says` is one
    sentence for a person.
    """

    inbound: bool
    outbound: bool
    lines: dict[str, int | None]
    reply: int | None
    by_heart: int | None
    says: str


def probe(transcript: Path, carried_bytes: int, settings: Settings) -> Probes:
    """Look at what stands after the first `carried_bytes` bytes of a new session's transcript. Raises OSError.

    Every line over which the user had spoken has to be heard again (TR-159); where there was no channel, typing counts.
    """
    reader = Reader(settings)
    calls = _Calls(settings.reply_tools)
    for lines in batches_of(transcript):
        reader.take(lines)
        calls.take(lines)
    carried = [each for each in reader.said if each.line_offset < carried_bytes]
    since = said_since(reader.said, carried_bytes)
    channels = {line for line in map(_line_of, filter(is_inbound, carried)) if line != TYPED}
    heard: dict[str, int | None] = dict.fromkeys(sorted(channels or {TYPED}))
    for message in filter(is_inbound, since):
        line = _line_of(message)
        heard[line] = heard.get(line) or message.line
    inbound = all(row is not None for row in heard.values())
    waiting = list(map(id, reader.unanswered.values()))
    by_tool = bool(channels) or any(each.origin == "reply" for each in carried)
    replies = [each.line for each in since if _went_out(each, by_tool) and id(each) not in waiting]
    answered = _answered_by_heart(since, calls.rows)
    return Probes(inbound, bool(replies), heard, min(replies, default=None), answered, _in_words(heard, bool(replies)))


def unproven(why: str) -> Probes:
    """What is said where nothing could be looked at."""
    return Probes(False, False, {}, None, None, f"activated, but unproven: {why}")


def _line_of(message: Utterance) -> str:
    identity = id_of(decoded(message.token))
    return TYPED if identity is None else identity.source


def _went_out(utterance: Utterance, by_tool: bool) -> bool:
    """Whether an utterance is the assistant's answer on the way the user is reached; a failed call is none."""
    if utterance.role != "assistant" or utterance.fate != "carried":
        return False
    return utterance.origin == "reply" or not by_tool  # TR-L20


def _answered_by_heart(since: list[Utterance], calls: list[int]) -> int | None:
    """The row of the first answer in a turn in which no tool was called."""
    asked = sorted(each.line for each in since if is_inbound(each))
    answers = sorted(each.line for each in since if not is_inbound(each) and each.fate == "carried")
    for start, end in pairwise([*asked, sys.maxsize]):
        said = [line for line in answers if start < line < end]
        used: bool = any(start < line < end for line in calls)  # TR-158
        if said and not used:
            return said[0]
    return None


class _Calls:
    """Takes a transcript's lines in order; `rows` are those in which a tool was called, but for the reply's own."""

    def __init__(self, reply_tools: tuple[str, ...]) -> None:
        self.rows: list[int] = []
        self._reply_tools = reply_tools
        self._line = 0

    def take(self, lines: list[bytes]) -> None:
        for line in lines:
            self._line += 1
            if b'"tool_use"' in line and any(not self._replies(name) for name in called_in(line)):
                self.rows.append(self._line)

    def _replies(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._reply_tools)


def _in_words(heard: dict[str, int | None], replied: bool) -> str:
    silent = [line for line, row in heard.items() if row is None]
    missing = [
        "no typed message has arrived" if line == TYPED else f"no message has arrived over {line}" for line in silent
    ]
    if not replied:
        missing.append("no reply has gone out")
    return f"activated, but unproven: {'; '.join(missing)}" if missing else "proven in both directions"
