"""Random households in which the scribe reads along: the user wishes, takes back, confirms and checks, among all else.

After every commit the oracle of wishes tells from what happened whether an entry may be as it is, beside the oracle of
held work and the invariants. `make machine` takes 10,000 steps.
"""

from living import Machine
from random_ledger import OUTCOMES, WishingHousehold

PAIRS = {
    "scribed": ("nothing", "add", "again", "change", "requirements", "unread"),
    "ledger": (
        "confirm: pending",
        "not_a_requirement: pending",
        "no_longer_applies: active",
        "whole_conversation: active",
        "not_for_this_plan: active",
        "restore: active",
    ),
    "rules": ("written",),
    "check": ("added", "edited", "deleted", "confirmed", "run"),
    "check ends": OUTCOMES,
    "hands in": ("desk", "work"),
    "cleared": ("quiet", "at work"),
    "withdrawn": ("unread",),
    "edited": ("on its way", "read"),
    "crash": ("nothing under way", "something under way"),
}
"""What each event can meet."""
MACHINE = Machine(WishingHousehold, (8, 8, 1), "tests/collab/test_machine_of_the_ledger.py", PAIRS, steps=1_500)


def test_wishes_change_by_what_the_user_does_whatever_happens_around_them() -> None:
    MACHINE.run()
