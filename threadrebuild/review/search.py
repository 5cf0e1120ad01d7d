"""The searches of one review: all of them share one ceiling of time, and running out of it is an outcome of its own.

The first search has its stage; what is left of the whole belongs to those that follow it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from threadrebuild.ports import Clock, History

FIRST_MS = 3_700  # RV-18
FOLLOW_UP_MS = 800  # RV-18
TOTAL_MS = FIRST_MS + FOLLOW_UP_MS

Outcome = Literal["found", "absent", "not checked"]


@dataclass(frozen=True, slots=True)
class Search:
    """One search for a name, and what it came to. `took_ms` is what it cost of the common ceiling."""

    name: str
    outcome: Outcome
    passages: tuple[str, ...]
    took_ms: int


class Searches:
    """The searches of one review, in order. A name is searched once."""

    def __init__(self, history: History, clock: Clock) -> None:
        self._history = history
        self._clock = clock
        self.done: dict[str, Search] = {}

    def ask(self, name: str) -> Search:
        """Search for a name, unless that was done already."""
        if name not in self.done:
            self.done[name] = self._search(name)
        return self.done[name]

    def _search(self, name: str) -> Search:
        spent = sum(each.took_ms for each in self.done.values())
        limit = TOTAL_MS - spent if self.done else FIRST_MS
        if limit <= 0:
            return Search(name, "not checked", (), 0)
        begun = self._clock.now()
        passages = self._passages(name, limit)
        took = -((begun - self._clock.now()) // timedelta(milliseconds=1))
        if passages is None or took > limit:  # RV-20
            return Search(name, "not checked", (), took)
        return Search(name, _outcome(passages), tuple(passages), took)

    def _passages(self, name: str, limit: int) -> Sequence[str] | None:
        try:
            return self._history.search(name, limit)
        except OSError:
            return None


def _outcome(passages: Sequence[str]) -> Outcome:
    return "found" if passages else "absent"
