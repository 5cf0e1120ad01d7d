"""Blocks that the runtime writes into people's rows, recognised by shape: a closed tag of the list, nothing else.

A tag is looked for only where the runtime puts it: as a whole text, or at the very start of the first message. What
a person writes about a tag is never touched.
"""

import re
from typing import NamedTuple

RUNTIME_TAGS = frozenset(
    {
        "system-reminder",
        "local-command-caveat",
        "local-command-stdout",
        "local-command-stderr",
        "command-name",
        "command-message",
        "command-args",
        "memory-retrieval",
        "heartbeat",
        "scheduled-task",
        "task-notification",
        "ide_selection",
        "ide-selection",
        "user-prompt-submit-hook",
        "session-start-hook",
    }
)

_OPENING = re.compile(r"\s*<([a-z_-]+)(?:\s[^<>]*)?>")
_ANY_OPENING = re.compile(r"<([a-z_-]+)(?:\s[^<>]*)?>")


class TagBlock(NamedTuple):
    """A closed block: its tag, and the characters it takes in the text, white space before it included."""

    tag: str
    start: int
    end: int


def leading_blocks(text: str) -> list[TagBlock]:
    """The closed runtime blocks at the very start of a text, in order; white space may stand before each."""
    blocks: list[TagBlock] = []
    at = 0
    while True:
        opening = _OPENING.match(text, at)
        if opening is None or opening[1] not in RUNTIME_TAGS:  # TR-012
            return blocks
        end = _balanced_end(text, opening[1], opening.end())
        if end is None:
            return blocks
        blocks.append(TagBlock(opening[1], at, end))
        at = end


def nothing_but_blocks(text: str) -> list[TagBlock]:
    """The blocks of a text that consists of closed runtime blocks alone; empty for any other text."""
    blocks = leading_blocks(text)
    if not blocks or text[blocks[-1].end :].strip():  # TR-L01
        return []
    return blocks


def speaks_of_a_tag(text: str) -> bool:
    """Whether a text holds the opening of a runtime tag anywhere: it stays whole, and is reported (TR-L01)."""
    return any(match[1] in RUNTIME_TAGS for match in _ANY_OPENING.finditer(text))


def _balanced_end(text: str, tag: str, at: int) -> int | None:
    edge = re.compile(rf"<(/?){re.escape(tag)}(?:\s[^<>]*)?>")
    depth = 1
    for match in edge.finditer(text, at):
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.end()
    return None
