"""Random households whose user stops, holds, narrows, widens, lifts and says go on across rooms, among all else.

After every commit nothing that is held acts, which the oracle tells from the same `act` steps as of a story, and the
invariants hold. At the end all is lifted, and then nothing is held back any more. `make machine` takes 10,000 steps.
"""

from living import Machine
from random_holds import SCOPES, HeldHousehold

PAIRS = {
    "Stop": ("desk", "work", "readonly"),
    "hold": SCOPES,
    "kept": SCOPES,
    "let go": ("everything", "session"),
    "lift": ("an ordinary one", "a Stop's", "a kept one"),
    "button": ("stop", "continue", "only_continue", "continue_all"),
    "turned on the board": ("parked", "active", "done"),
    "line": ("free", "at a desk", "at work", "a group that judges"),
    "edited": ("on its way", "read"),
    "says": ("desk", "work", "readonly"),
    "calls": ("desk", "work", "readonly"),
    "time comes": ("behind", "quiet", "check_back"),
    "crash": ("nothing under way", "something under way"),
}
"""What each event can meet."""
MACHINE = Machine(HeldHousehold, (8, 8, 1), "tests/collab/test_machine_of_holds.py", PAIRS, steps=1_500)


def test_nothing_that_is_held_acts_whatever_the_user_stops_and_lets_go_on() -> None:
    MACHINE.run()
