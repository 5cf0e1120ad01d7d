"""Random households: anything the user can do and anything that can come back, in any order, at the engine.

After every commit the invariants hold, and nothing but a refusal may come up. What each event met is counted: every
pair that can be has to occur, and at most a third of the steps may come to nothing. A household is decided by its seed
alone. The suite takes the first few; `make machine` takes 10,000 steps and prints what each event met.

- `ROOMS_STEPS`: how many steps in all, `ROOMS_SEED`: the seed of the first household.
- `ROOMS_TAPE`: live through just these steps, as a failure prints them.
- `ROOMS_SHORTEN`: leave steps out of what failed for as long as it fails in the same way.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from random_household import LEVELS, Household, Step

STEPS = int(os.environ.get("ROOMS_STEPS", "2000"))
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
COMMAND = "pytest -q -s tests/collab/test_machine_of_rooms.py"
BUSY = ("free", "at a desk", "at work", "both slots taken", "waiting_ask", "waiting_approval")
PAIRS = {
    "line": (*BUSY, "a group that judges"),
    "line with a file": (*BUSY, "a group that judges"),
    "edited": ("on its way", "unread", "read", "in no inbox"),
    "withdrawn": ("on its way", "unread", "in no inbox"),
    "inserted": ("unread",),
    "read": ("first in its session", "behind another"),
    "judged": ("with others to come", "the last"),
    "says": ("desk", "work"),
    "calls": ("desk", "work"),
    "model fails": ("desk", "work"),
    "tool ends": ("desk", "work"),
    "tool fails": ("desk", "work"),
    "answered": ("desk", "work"),
    "allowed": ("desk", "work"),
    "not allowed": ("desk", "work"),
    "continued": ("interrupted", "failed"),
    "resumed": ("cleared",),
    "lead": ("nobody leads", "somebody leads"),
    "cleared": ("quiet", "at work"),
    "retired": BUSY[:3],
    "edited on the board": ("plan", "ticket"),
    "time comes": ("behind", "quiet"),
    "organized": ("quiet",),
    "command ends": ("killed",),
    "crash": ("nothing under way", "something under way"),
    "comes again": ("taken in before",),
}
"""What each event can meet."""


def test_anything_may_happen_next_and_the_household_stays_sound() -> None:
    if TAPE is not None:
        level, *steps = TAPE.split()
        Household(int(level)).live(map(_step, steps))
        return
    lived = [_lived(seed) for seed in range(FIRST, FIRST + max(1, STEPS // EACH))]
    failures = [failed for _, failed in lived if failed is not None]
    households = [household for household, _ in lived]
    print(_table(households))
    assert not failures, "\n\n".join([f"{len(failures)} of {len(lived)} households failed", *failures[:SHOWN]])
    met = _met(households)
    missing = sorted((name, state) for name, states in PAIRS.items() for state in states if not met[name, state])
    most = 0 if STEPS >= ALL_FROM else sum(map(len, PAIRS.values())) // 2
    assert STEPS < HALF_FROM or len(missing) <= most, missing
    assert sum(each.nothing for each in households) <= sum(each.steps for each in households) * NOTHING_MOST


def _lived(seed: int) -> tuple[Household, str | None]:
    """The household of a seed, and how it failed, if it did."""
    level = LEVELS[seed % len(LEVELS)]
    household = Household(level)
    error = _error(household, household.any_steps(seed, EACH))
    if error is None:
        return household, None
    steps = _shortened(level, household.done, error) if SHORTENS else household.done
    tape = " ".join([str(level), *(":".join(map(str, step)) for step in steps)])
    again = f"ROOMS_SEED={seed} ROOMS_STEPS={EACH} {COMMAND}"
    return household, f"seed {seed}, step {len(household.done)}: {error}\n  {again}\n  ROOMS_TAPE='{tape}' {COMMAND}"


def _error(household: Household, steps: Iterable[Step]) -> str | None:
    try:
        household.live(steps)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _shortened(level: int, steps: Sequence[Step], error: str) -> list[Step]:
    """Fewer of the steps, which fail in the same way but for the numbers in it: halves are left out, then quarters."""
    kept, size, left = list(steps), len(steps) // 2, TRIES
    while size and left:
        at = 0
        while at < len(kept) and left:
            fewer = kept[:at] + kept[at + size :]
            household = Household(level)
            left -= 1
            if _kind(_error(household, fewer)) == _kind(error):
                kept = household.done
            else:
                at += size
        size //= 2
    return kept


def _kind(error: str | None) -> str | None:
    return error and re.sub(r"\d+", "…", error)


def _step(text: str) -> Step:
    name, which, more = text.split(":")
    return name, int(which), int(more)


def _met(households: Sequence[Household]) -> Counter[tuple[str, str]]:
    return sum((each.met for each in households), Counter())


def _table(households: Sequence[Household]) -> str:
    met = _met(households)
    steps, nothing = sum(each.steps for each in households), sum(each.nothing for each in households)
    lines = [f"{steps} steps, {nothing} came to nothing"]
    for name, states in PAIRS.items():
        lines.append(f"{name}: {', '.join(f'{state} {met[name, state]}' for state in states)}")
    return "\n".join(lines)
