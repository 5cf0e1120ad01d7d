"""No orphan waits: Bots ask each other while Bots and sessions come and go, and nobody waits for what cannot come.

After every commit the invariants hold: what is waited for is asked and open, or rings; what is asked is asked by and of
Bots that are there; a result comes once. The suite takes the first few households; `make machine` takes 10,000 steps.

- `DELEGATIONS_STEPS`: how many steps in all, `DELEGATIONS_SEED`: the seed of the first household.
- `DELEGATIONS_TAPE`: live through just these steps, as a failure prints them.
"""

import os
from collections import Counter

from living import failure_of, step_of
from random_delegations import Asking

STEPS = int(os.environ.get("DELEGATIONS_STEPS", "1000"))
FIRST = int(os.environ.get("DELEGATIONS_SEED", "1"))
TAPE = os.environ.get("DELEGATIONS_TAPE")
EACH = 250
ALL_FROM = 2_000
LEVELS = (8, 8, 3)
COMMAND = "pytest -q -s tests/collab/test_machine_of_delegations.py"
MET = {
    "asks": ("made",),
    "replies": ("taken",),
    "archived": ("asks", "is asked", "asks and is asked", "free"),
    "deleted": ("asks", "is asked", "asks and is asked", "free"),
    "deleted group": ("with requests",),
    "emptied": ("with requests", "without"),
    "crash": ("something under way", "nothing under way"),
}
"""What each event has to meet in the long run."""


def test_nobody_waits_for_what_cannot_come() -> None:
    if TAPE is not None:
        level, *steps = TAPE.split()
        Asking(int(level)).live(map(step_of, steps))
        return
    met: Counter[tuple[str, str]] = Counter()
    failures = []
    for seed in range(FIRST, FIRST + max(1, STEPS // EACH)):
        level = LEVELS[seed % len(LEVELS)]
        household = Asking(level)
        error = failure_of(household, household.any_steps(seed, EACH))
        met += household.met
        if error is not None:
            tape = " ".join([str(level), *(":".join(map(str, step)) for step in household.done)])
            failures.append(f"seed {seed}, step {len(household.done)}: {error}\n  DELEGATIONS_TAPE='{tape}' {COMMAND}")
    print("\n".join(f"{name}: {state} {met[name, state]}" for name, states in MET.items() for state in states))
    assert not failures, "\n\n".join([f"{len(failures)} households failed", *failures[:3]])
    missing = [(name, state) for name, states in MET.items() for state in states if not met[name, state]]
    assert STEPS < ALL_FROM or not missing, missing
