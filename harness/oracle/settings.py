"""What a judgement depends on beside the source: the same few settings that a carry has.

The defaults are those of the rules.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Settings of a dialogue carry that decide what counts as said, or what is carried of it."""

    reply_tools: tuple[str, ...] = (
        "mcp__companion__reply",
        "mcp__*companion*__reply",
        "mcp__*telegram*__reply",
    )
    """Patterns of tools whose `text` argument is assistant speech (TR-029); `*` stands for anything."""
    private_lines: tuple[str, ...] = ()
    """Recipients (`chat_id`) whose replies count; where none is configured, all do (TR-030, TR-L03)."""
    include_open_tail: bool = True
    """Carry a last turn that has no answer yet (TR-020)."""
    freeze_startup_snapshot: bool = True
    """Keep the startup package; without it, its blocks are run traces like any others (TR-042)."""


DEFAULTS = Settings()
