"""Random households: anything the user can do and anything that can come back, in any order, at the engine.

After every commit the invariants hold, and nothing but a refusal may come up. The suite takes the first few households;
`make machine` takes 10,000 steps and prints what each event met. `living` says what a failure can be asked.
"""

from living import Machine
from random_household import LEVELS, Household

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
MACHINE = Machine(Household, LEVELS, "tests/collab/test_machine_of_rooms.py", PAIRS, steps=2_000)


def test_anything_may_happen_next_and_the_household_stays_sound() -> None:
    MACHINE.run()
