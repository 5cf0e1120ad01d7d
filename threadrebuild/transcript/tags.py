"""Blocks that the runtime writes into people's rows, recognised by shape: a closed tag of the list, nothing else.

A tag is looked for only where the runtime puts it: as a whole text, or at the very start of the first message. What
a person writes about a tag is never touched.
"""

import re
from typing import NamedTuple

REPORT_TAG = "task-notification"  # TR-014
"""A sub-agent's report: what a tool returned, in the shape of a message."""

# TR-012
_INJECTED_TAGS = frozenset(
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
        "ide_selection",
        "ide-selection",
    }
)
_HOOK_TAGS = frozenset({"user-prompt-submit-hook", "session-start-hook"})  # TR-180
_SHELL_TAGS = frozenset({"bash-input", "bash-stdout", "bash-stderr"})
"""A command that the user ran with `!`, and what it printed."""
RECALL_TAG = "memory-retrieval"
"""A recall packet: what was looked up for a turn."""
REVIEW_TAGS = frozenset({"review-evidence", "review-problems"})
"""What a review gives the model before it revises its draft."""
RUNTIME_TAGS = _INJECTED_TAGS | _HOOK_TAGS | _SHELL_TAGS | REVIEW_TAGS | {REPORT_TAG}

_OPENING = re.compile(r"\s*<([a-z_-]+)(?:\s[^<>]*)?>")
_ANY_OPENING = re.compile(r"<([a-z_-]+)(?:\s[^<>]*)?>")


class TagBlock(NamedTuple):
    """A closed block: its tag, and the characters it takes in the text, white space before it included."""

    tag: str
    start: int
    end: int

    @property
    def is_reminder(self) -> bool:
        """Whether it belongs to the startup package when it stands at the start of the talk."""
        return self.tag == "system-reminder"  # TR-039


def leading_blocks(text: str) -> list[TagBlock]:
    """The closed runtime blocks at the very start of a text, in order; white space may stand before each."""
    blocks: list[TagBlock] = []
    at = 0
    while opening := _OPENING.match(text, at):
        # A channel's envelope has the shape of such a block, and is no runtime tag: it stays where it is.
        if opening[1] not in RUNTIME_TAGS:  # TR-028
            break
        end = _balanced_end(text, opening[1], opening.end())
        if end is None:
            break
        blocks.append(TagBlock(opening[1], at, end))
        at = end
    return blocks


def nothing_but_blocks(text: str) -> list[TagBlock]:
    """The blocks of a text that consists of closed runtime blocks alone; empty for any other text."""
    blocks = leading_blocks(text)
    if not blocks or text[blocks[-1].end :].strip():  # TR-022
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
