"""Where the runtime's tagged blocks begin and end in a text, and where a text may be cut in its raw token.

A block opens with its tag spelled exactly so and ends at the closing tag that balances it; an unclosed tag is
a person's word (TR-012, TR-180, TR-L01).
"""

import re

TAGS = (
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
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "review-evidence",
    "review-problems",
)
STARTUP_TAG = "system-reminder"

_ENVELOPE = re.compile(r'\s*<channel((?:\s+[^\s="<>]+(?:="[^"]*")?)*)\s*>')
_LABEL = re.compile(r'([^\s="<>]+)(?:="[^"]*")?')
_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL
)


def leading_blocks(text: str) -> list[tuple[str, int, int]]:
    """The closed blocks that `text` begins with, white space before each allowed: (tag, start, end)."""
    blocks: list[tuple[str, int, int]] = []
    at = 0
    while True:
        start = at + len(text[at:]) - len(text[at:].lstrip())
        tag = next((tag for tag in TAGS if _edge(tag, "").match(text, start)), "")
        end = _balanced_end(text, start, tag) if tag else -1
        if end < 0:
            return blocks
        blocks.append((tag, start, end))
        at = end


def is_only_blocks(text: str) -> bool:
    """Whether `text` is nothing but closed runtime blocks and white space."""
    blocks = leading_blocks(text)
    return bool(blocks) and not text[blocks[-1][2] :].strip()


def has_envelope(text: str) -> bool:
    """Whether `text`, after any runtime blocks, begins with an envelope `<channel … source="…">` (TR-024)."""
    blocks = leading_blocks(text)
    envelope = _ENVELOPE.match(text, blocks[-1][2] if blocks else 0)
    return envelope is not None and any(label[0].startswith('source="') for label in _LABEL.finditer(envelope[1]))


def raw_length(inner: bytes, characters: int) -> int:
    """How many bytes of `inner`, a JSON string without quotes, spell its first `characters` characters."""
    raw = inner.decode("utf-8")
    end = 0
    for count, match in enumerate(_CHARACTER.finditer(raw)):
        if count == characters:
            break
        end = match.end()
    return len(raw[:end].encode("utf-8"))


def _balanced_end(text: str, start: int, tag: str) -> int:
    """The position after the closing tag that balances the opening one at `start`, or -1."""
    depth = 0
    for mark in _edge(tag, "/?").finditer(text, start):
        depth += -1 if mark[1] else 1
        if depth == 0:
            return mark.end()
    return -1


def _edge(tag: str, slash: str) -> re.Pattern[str]:
    """An opening tag, with or without attributes; with `slash` "/?" a closing one too."""
    return re.compile(rf"<({slash}){tag}(?:\s[^<>]*)?>")
