"""Living through random households: each is decided by its seed alone, and how it failed says how to see that again.

- `ROOMS_STEPS`: how many steps in all, `ROOMS_SEED`: the seed of the first household.
- `ROOMS_TAPE`: live through just these steps, as a failure prints them.
- `ROOMS_SHORTEN`: leave steps out of what failed for as long as it fails in the same way.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from random_household import Household, Step

STEPS = os.environ.get("ROOMS_STEPS")
FIRST = int(os.environ.get("ROOMS_SEED", "1"))
TAPE = os.environ.get("ROOMS_TAPE")
SHORTENS = "ROOMS_SHORTEN" in os.environ
EACH = 250
HALF_FROM, ALL_FROM = 2_000, 10_000
"""From so many steps on half of the pairs, and every pair, have to occur."""
NOTHING_MOST = 1 / 3
TRIES = 300
"""How often a household is lived through again to find fewer steps that fail."""
SHOWN = 3
Pairs = Mapping[str, Sequence[str]]
"""What each event can meet."""


@dataclass(frozen=True)
class Machine:
    """Households of a kind, at these levels in turn, in a test of their own; `steps` are taken where nobody says more.

    What each event met is counted: every pair that can be has to occur, and at most a third may come to nothing.
    """

    kind: type[Household]
    levels: Sequence[int]
    test: str
    pairs: Pairs
    steps: int

    def run(self) -> None:
        """Live through as many households as the steps make."""
        if TAPE is not None:
            level, *tape = TAPE.split()
            self.kind(int(level)).live(map(step_of, tape))
            return
        steps = int(STEPS or self.steps)
        lived = [self._lived(seed) for seed in range(FIRST, FIRST + max(1, steps // EACH))]
        failures = [failed for _, failed in lived if failed is not None]
        households = [household for household, _ in lived]
        met = sum((each.met for each in households), Counter[tuple[str, str]]())
        taken, nothing = sum(each.steps for each in households), sum(each.nothing for each in households)
        print("\n".join([f"{taken} steps, {nothing} came to nothing", *self._table(met)]))
        assert not failures, "\n\n".join([f"{len(failures)} of {len(lived)} households failed", *failures[:SHOWN]])
        missing = sorted(
            (name, state) for name, states in self.pairs.items() for state in states if not met[name, state]
        )
        most = 0 if steps >= ALL_FROM else sum(map(len, self.pairs.values())) // 2
        assert steps < HALF_FROM or len(missing) <= most, missing
        assert nothing <= taken * NOTHING_MOST

    def _table(self, met: Counter[tuple[str, str]]) -> list[str]:
        return [
            f"{name}: {', '.join(f'{state} {met[name, state]}' for state in states)}"
            for name, states in self.pairs.items()
        ]

    def _lived(self, seed: int) -> tuple[Household, str | None]:
        """The household of a seed, and how it failed, if it did."""
        level = self.levels[seed % len(self.levels)]
        household = self.kind(level)
        error = failure_of(household, household.any_steps(seed, EACH))
        if error is None:
            return household, None
        steps = self._shortened(level, household.done, error) if SHORTENS else household.done
        tape = " ".join([str(level), *(":".join(map(str, step)) for step in steps)])
        command = f"pytest -q -s {self.test}"
        again = f"ROOMS_SEED={seed} ROOMS_STEPS={EACH} {command}"
        return (
            household,
            f"seed {seed}, step {len(household.done)}: {error}\n  {again}\n  ROOMS_TAPE='{tape}' {command}",
        )

    def _shortened(self, level: int, steps: Sequence[Step], error: str) -> list[Step]:
        """Fewer of the steps, failing in the same way but for the numbers in it: halves are left out, then quarters."""
        kept, size, left = list(steps), len(steps) // 2, TRIES
        while size and left:
            at = 0
            while at < len(kept) and left:
                fewer = kept[:at] + kept[at + size :]
                household = self.kind(level)
                left -= 1
                if _kind(failure_of(household, fewer)) == _kind(error):
                    kept = household.done
                else:
                    at += size
            size //= 2
        return kept


def failure_of(household: Household, steps: Iterable[Step]) -> str | None:
    """How living through these steps failed, if it did."""
    try:
        household.live(steps)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _kind(error: str | None) -> str | None:
    return error and re.sub(r"\d+", "…", error)


def step_of(text: str) -> Step:
    """A step, as a tape has it."""
    name, which, more = text.split(":")
    return name, int(which), int(more)
