"""Each invariant that no sabotage of the cores makes fire gets a fault planted, and has to see it; before, it has none.

What must never happen at the door is planted as well: without it, "never" would be a word.
"""

from pathlib import Path
from typing import Any

from planted import CARRIES, CHANGED, NIGHTS, OTHER_NIGHTS, TAKEN, carry_of, night_of, overwrite, story_of

from harness.expect import expect, expect_equal, fired, noted, proves
from harness.invariants.carry import INVARIANTS
from harness.invariants.operation import OPERATION_INVARIANTS
from harness.invariants.review import REVIEW_INVARIANTS
from harness.invariants.window import WINDOW_INVARIANTS
from harness.scenario.memory.invariants import MEMORY_INVARIANTS
from harness.scenario.nights.forms import NEVER, Night
from harness.scenario.nights.play import Switch


@proves("CR-04")
def test_every_invariant_of_a_carry_sees_what_is_planted(tmp_path: Path) -> None:
    """One carry a fault: green without it, red with it."""
    for number, each in enumerate(dict.fromkeys((*INVARIANTS, *WINDOW_INVARIANTS))):
        carry = carry_of(tmp_path / str(number), note=each.rule.startswith("WN"))
        expect_equal("CR-04", each.fault(carry), None, f"{each.name}, before")
        for left in carry.out.parent.glob("out-*"):
            left.rename(left.with_name(f"was-{left.name}"))
        fault = each.fault(CARRIES[each.rule](carry))
        seen = noted("carry", each.rule, each.name, [fault] if fault else [])
        expect("CR-04", seen, f"{each.name}: planted, not seen")


@proves("CR-04")
def test_every_invariant_of_a_night_sees_what_is_planted(tmp_path: Path) -> None:
    """Those that a sabotage of the core makes fire are left to it."""
    for each in (invariant for invariant in OPERATION_INVARIANTS if invariant.rule in NIGHTS):
        play, ended = night_of(tmp_path / each.rule, OTHER_NIGHTS.get(each.rule, CHANGED))
        expect_equal("CR-04", list(each.faults(ended)), [], f"{each.name}, before")
        NIGHTS[each.rule](play)
        expect("CR-04", noted("night", each.rule, each.name, each.faults(ended)), f"{each.name}: planted, not seen")


@proves("CR-04", "CR-01")
def test_what_must_never_happen_at_the_door_can_be_seen(tmp_path: Path) -> None:
    """Each check for it sees nothing in a good night, and what was planted in a bad one."""
    changed, taken = night_of(tmp_path / "changed")[0], night_of(tmp_path / "taken", TAKEN)[0]
    for name in ("a switch without identity", "a switch before verification", "a stranger overwritten"):
        for play in (changed, taken):
            expect_equal("CR-01", NEVER[name](Night(play)), [], f"{name}, before")
    expect_equal("CR-01", NEVER["a use of the door"](Night(taken)), [], "nothing was switched when the pane was taken")
    overwrite(taken)
    taken.door.switches.append(Switch(changed.door.switches[-1].session, None, None))
    for name, check in NEVER.items():
        seen = check(Night(taken))
        expect("CR-04", seen, f"{name}: planted, not seen")
        fired(f"never {name}", seen[0])


class Chat:
    """A chat of these lines alone."""

    def __init__(self, *told: tuple[str, str, str]) -> None:
        self.lines = [{"kind": "line", "who": who, "did": did, "text": text, "where": "1"} for who, did, text in told]


@proves("CR-04")
def test_a_second_revision_is_seen() -> None:
    """No sabotage makes the gate advise twice, since the store refuses it too: the lines of such a chat are made up."""
    (once,) = (each for each in REVIEW_INVARIANTS if each.rule == "RV-12")
    one, two = Chat(("gate", "advises", "重写")), Chat(("gate", "advises", "重写"), ("gate", "advises", "再写"))
    expect_equal("CR-04", list(once.faults(one)), [], "one opinion")
    expect("CR-04", noted("review", once.rule, once.name, once.faults(two)), "two opinions are seen")


class TwoMore:
    """A store that knows of two sessions more than have labels."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def value(self, asked: str, *more: Any) -> Any:
        found = self.store.value(asked, *more)
        return found + 2 if asked == "SELECT count(*) FROM sessions" else found


@proves("CR-04")
def test_a_customer_without_a_label_is_seen(tmp_path: Path) -> None:
    """The labels are counted from the sessions themselves, so that the difference has to be planted."""
    (each,) = (invariant for invariant in MEMORY_INVARIANTS if invariant.rule == "MC-21")
    seen = story_of("memory/pinned-to-the-oldest-forty.toml", tmp_path)
    expect_equal("CR-04", list(each.faults(seen)), [], "a good story")
    seen.shop.store = TwoMore(seen.shop.store)
    expect("CR-04", noted("memory", each.rule, each.name, each.faults(seen)), "two customers without a label are seen")
