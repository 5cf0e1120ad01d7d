"""Signs of a poisoned context in the last turns. They block carrying; what to do then is a person's decision."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from threadrebuild.transcript.speech import Role, Turn
from threadrebuild.transcript.tokens import decoded

LAST_TURNS = 10
HITS_THAT_BLOCK = 2
_QUOTES = (
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("「", "」"),
    ("『", "』"),
    ("“", "”"),
    ("‘", "’"),
    ("《", "》"),
)
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that matches the pattern. `quoted` means it stands between quotation marks or in code (TR-L28)."""

    turn: int
    role: Role
    line: int
    matched: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Poison:
    """The hits in the last turns; `score` counts them, quoted ones too (TR-074, TR-076)."""

    hits: tuple[Hit, ...]

    @property
    def score(self) -> int:
        """How many hits there are (`poison_score`)."""
        return len(self.hits)

    @property
    def blocks(self) -> bool:
        """Whether carrying is refused."""
        return self.score >= HITS_THAT_BLOCK  # TR-074


def find_poison(turns: Sequence[Turn], pattern: str) -> Poison:
    """Search what both sides said in the last `LAST_TURNS` turns, without regard to case."""
    search = re.compile(pattern, re.IGNORECASE)
    return Poison(
        tuple(
            Hit(turn.number, said.role, said.line, match[0], _is_quoted(text, match.start(), match.end()))
            for turn in turns[-LAST_TURNS:]
            for said in turn.utterances
            for text in [decoded(said.token)]
            for match in search.finditer(text)
            if match[0]
        )
    )


def _is_quoted(text: str, start: int, end: int) -> bool:
    if text.count(_FENCE, 0, start) % 2:
        return True
    before, after = text[:start].rsplit("\n", 1)[-1], text[end:].split("\n", 1)[0]
    return any(
        before.count(left) % 2 if left == right else before.rfind(left) > before.rfind(right)
        for left, right in _QUOTES
        if left in before and right in after
    )
