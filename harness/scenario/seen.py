"""What a carry came to, as expectations look at it: the files on the disk and the figures that the command prints."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.oracle.candidate import Block, blocks_of
from harness.oracle.judge import planted

SHOWN = 60
"""Characters of a text that a message shows."""


class ScenarioFault(ValueError):
    """What a scenario asks cannot be asked of this carry; the message says why."""


@dataclass(frozen=True)
class Seen:
    """One carry. `summary` is what `threadrebuild candidate --json` answers, `dirty` what `dirty --json` does."""

    source: Path
    candidate: Path | None
    """None where the carry was refused."""
    summary: dict[str, Any]
    dirty: dict[str, Any]

    @cached_property
    def blocks(self) -> list[Block]:
        """All text blocks of the candidate, none where there is no candidate."""
        return blocks_of(self.candidate) if self.candidate else []

    @cached_property
    def said(self) -> list[Block]:
        """Those that somebody said."""
        return [block for block in self.blocks if block.is_said]

    @property
    def codes(self) -> set[str]:
        """The codes of all warnings."""
        return {warning["code"] for warning in self.summary["warnings"]}

    @property
    def outcome(self) -> str:
        """The verdict in words."""
        if self.candidate:
            return f"it is carried: {len(self.said)} texts in {self.summary['turns']} turns"
        return f"it is refused ({self.summary['reason']}): {self.summary['detail']}"

    def in_source(self, text: str) -> int:
        """How often the text stands in the source's bytes."""
        return planted(self.source, [text])[text]

    def in_candidate(self, text: str) -> int:
        """How often the text stands in the candidate's bytes, whoever it is marked as."""
        return planted(self.candidate, [text])[text] if self.candidate else 0

    def where(self, text: str) -> str:
        """Where in the candidate the text stands, and as whose."""
        places = [f"line {b.line} as {b.role} ({b.word or 'unmarked'})" for b in self.blocks if text in b.text]
        if places:
            return "; ".join(places)
        return (
            f"{times(self.in_candidate(text))} in the candidate's bytes, {times(self.in_source(text))} in the source's"
        )


def quoted(text: str) -> str:
    """The beginning of a text, on one line."""
    flat = text.replace("\n", "⏎")
    return f"“{flat[:SHOWN]}…”" if len(flat) > SHOWN else f"“{flat}”"


def times(count: int) -> str:
    """`once`, `3 times`."""
    return {0: "not once", 1: "once"}.get(count, f"{count} times")
