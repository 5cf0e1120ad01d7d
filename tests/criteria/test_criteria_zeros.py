"""Demands for nothing: what they are, and who vouches for the instrument that saw nothing."""

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from harness.criteria.zeros import (
    NEVER,
    gates_at,
    nothing_through,
    something_through,
    unwitnessed,
    witness_in_file,
    zeros_of,
)
from harness.expect import expect, expect_equal, proves


class Count(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    rows: int
    of: str = ""


class Says(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    says: str
    times: int = 1
    lacks: str = ""


class Reads(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    reads: str
    has: str | None = None
    lacks: str | None = None


class In(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    place: str = msgspec.field(name="in")
    text: str | None = None
    times: int = 1
    exists: bool | None = None


class NotSent(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    not_sent: str


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    sent: list[str]


class Never(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    never: str


class NotCarried(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    not_carried: str


class State(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    state: str
    conflict: bool | None = None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    figures: dict[str, Any]


@dataclass(frozen=True)
class Told:
    name: str
    expect: tuple[msgspec.Struct, ...]
    own_expect: bool = True


def file(*stories: tuple[msgspec.Struct, ...]) -> list[Told]:
    return [Told("scenarios/a.toml", story) for story in stories]


def gates(told: list[Told], **fired: str) -> list[str]:
    return [zero.gate for zero in unwitnessed(told, fired)]


@proves("CR-01")
def test_a_zero_is_accepted_with_a_witness_alone() -> None:
    """The new definition counts 0 rows. Alone that is nothing; with the old definition's 980 beside it it is a zero."""
    zero, control = Count(rows=0, of="new"), Count(rows=980, of="old")
    first = "scenarios/a.toml expect[0]"
    expect_equal("CR-01", gates(file((zero,))), [first], "nobody vouches for this zero")
    expect_equal("CR-01", gates(file((zero, control))), [], "the same instrument counts 980 in the same run")
    expect_equal("CR-01", gates(file((zero,), (control,))), [], "or in a twin of the same file")
    expect_equal("CR-01", gates(file((zero, Sent(sent=["980"])))), [first], "another instrument vouches for nothing")
    expect_equal("CR-01", gates(file((zero, Count(rows=0, of="old")))), [first, first.replace("0]", "1]")], "two zeros")


@proves("CR-01")
def test_a_sabotaged_run_is_a_witness_too() -> None:
    """A demand that saw something, where the code was made worse, can see; it has to be this very demand."""
    told = file((Count(rows=0), Sent(sent=["好"])))
    gate = "scenarios/a.toml expect[0]"
    expect_equal("CR-01", gates(told), [gate], "without any")
    expect_equal("CR-01", [zero.gate for zero in unwitnessed(told, {gate: "3 rows"})], [], "with one")
    expect_equal("CR-01", [zero.gate for zero in unwitnessed(told, {gate + "1": "x"})], [gate], "with another's")


@proves("CR-01")
def test_a_twin_that_keeps_a_demand_keeps_its_witness() -> None:
    """It is the same demand; a twin that brings its own has to show that one."""
    zero = (Count(rows=0),)
    kept, own = Told("scenarios/a.toml", zero, own_expect=False), Told("scenarios/a.toml", zero)
    seen = {"scenarios/a.toml expect[0]": "3 rows"}
    expect_equal("CR-01", unwitnessed([*file(zero), kept], seen), [], "with the file's demand kept")
    open_ones = [zero.gate for zero in unwitnessed([*file(zero), own], seen)]
    expect_equal("CR-01", open_ones, ["scenarios/a.toml twin 1 expect[0]"], "with a demand of its own")


@proves("CR-01")
def test_what_must_never_happen_was_seen_to_happen_somewhere() -> None:
    """It has no positive twin, and is looked for by one check in all scenarios: that one has to have fired."""
    told = file((Never(never="a use of the door"), Sent(sent=["好"])))
    gate, check = gates_at(told[0], 0, 0)
    expect_equal("CR-01", (gate, check), ("scenarios/a.toml expect[0]", "never a use of the door"), "its gates")
    expect_equal("CR-01", gates_at(told[0], 0, 1), [], "a demand that has to see something is none")
    for fired, open_ones in (({}, [gate]), ({gate: "s1"}, []), ({check: "s1"}, []), ({f"{check}s": "s1"}, [gate])):
        expect_equal("CR-01", [zero.gate for zero in unwitnessed(told, fired)], open_ones, f"with {fired}")


@pytest.mark.parametrize(
    ("demand", "nothing"),
    [
        (Count(rows=0), {"rows"}),
        (Count(rows=1), set()),
        (Says(says="好", times=0), {"says"}),
        (Says(says="好", lacks="坏"), set()),
        (Reads(reads="文案", lacks="坏"), {"reads"}),
        (Reads(reads="文案", has="好"), set()),
        (Says(says=""), {"says"}),
        (Says(says="好"), set()),
        (In(place="backup", exists=False), {"in backup.exists"}),
        (In(place="backup", text="好", times=0), {"in backup"}),
        (In(place="backup", exists=True), set()),
        (NotSent(not_sent="好"), {"sent"}),
        (NotCarried(not_carried="好"), {"not_carried"}),
        (Never(never="x"), {f"{NEVER} x"}),
        (State(state="failed", conflict=False), set()),
        (
            Figures(figures={"turns": 3, "dropped": 0, "ledger": {"meta": 0}}),
            {"figures.dropped", "figures.ledger.meta"},
        ),
    ],
)
def test_what_a_demand_sees_nothing_through(demand: msgspec.Struct, nothing: set[str]) -> None:
    assert nothing_through(demand) == nothing
    assert not something_through(demand) & nothing


@pytest.mark.parametrize(
    ("zero", "control", "vouches"),
    [
        (NotSent(not_sent="好"), Sent(sent=["不"]), True),
        (NotSent(not_sent="好"), Sent(sent=[]), False),
        (In(place="backup", exists=False), In(place="backup", text="好"), True),
        (In(place="backup", exists=False), In(place="candidate", text="好"), False),
        (In(place="backup", text="好", times=0), In(place="backup", text="不"), True),
        (In(place="backup", text="好", times=0), In(place="backup", exists=True), False),
        (Figures(figures={"dropped": 0}), Figures(figures={"dropped": {"at_least": 1}}), True),
        (Figures(figures={"dropped": 0}), Figures(figures={"turns": 3}), False),
        (NotCarried(not_carried="好"), Count(rows=3), True),
    ],
)
def test_who_vouches_for_whom(zero: msgspec.Struct, control: msgspec.Struct, vouches: bool) -> None:
    told = file((zero, control))
    found = witness_in_file(zeros_of(told)[0], told)
    assert (found is not None) is vouches
    expect("CR-01", not vouches or "expect[1]" in str(found) or "source" in str(found), "it is named")
