"""Signs of a poisoned context in the last turns. They block carrying; what to do then is a person's decision.

They are looked for in what both sides said and in what the host wrote in the assistant's place: a refusal by the API
stands there, and what it refused would be carried.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from threadrebuild.transcript.speech import Role, Turn, Utterance
from threadrebuild.transcript.tokens import decoded

LAST_TURNS = 10  # TR-074
HITS_SHOWN = 50
HITS_THAT_BLOCK = 2  # TR-074 TR-178
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
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")


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
    """The first hits in the last turns, and how many there are in all, quoted ones too (TR-074, TR-076)."""

    hits: tuple[Hit, ...]
    score: int
    """`poison_score`"""

    @property
    def blocks(self) -> bool:
        """Whether carrying is refused."""
        return self.score >= HITS_THAT_BLOCK  # TR-074 TR-076 TR-177 TR-178


def find_poison(turns: Sequence[Turn], notices: Sequence[Utterance], pattern: str) -> Poison:
    """Search the last `LAST_TURNS` turns, without regard to case; `notices` stand in the assistant's place."""
    search = re.compile(pattern, re.IGNORECASE)
    beside: dict[int, list[Utterance]] = defaultdict(list)
    in_chain = [turn for turn in turns if turn.utterances[0].node >= 0]  # what was never read stands at the end
    lines = list(accumulate((turn.utterances[0].line for turn in in_chain), max))
    for notice in notices:
        before = bisect_left(lines, notice.line)
        beside[in_chain[before - 1].number if before else 1].append(notice)
    hits: list[Hit] = []
    score = 0
    for turn in turns[-LAST_TURNS:]:
        for said in sorted(turn.utterances + beside[turn.number], key=lambda said: said.line):
            text = decoded(said.token)
            for match in search.finditer(text):
                score += bool(match[0])
                if match[0] and len(hits) < HITS_SHOWN:
                    quoted = _is_quoted(text, match.start(), match.end())
                    hits.append(Hit(turn.number, said.role, said.line, match[0], quoted))
    return Poison(tuple(hits), score)


def _is_quoted(text: str, start: int, end: int) -> bool:
    if text.count(_FENCE, 0, start) % 2:  # TR-L28
        return True
    before, after = text[:start].rsplit("\n", 1)[-1], text[end:].split("\n", 1)[0]
    before, after = _APOSTROPHE.sub("", before), _APOSTROPHE.sub("", after)
    return any(
        before.count(left) % 2 if left == right else before.rfind(left) > before.rfind(right)
        for left, right in _QUOTES
        if left in before and right in after
    )
