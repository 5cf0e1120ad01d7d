"""Gates that fired, and questions that models can answer."""

from typing import Literal

import msgspec

from harness.criteria.gates import Firing, Gate, invariants, not_installed
from harness.criteria.replies import Question, faults_of
from harness.expect import FIRED, expect_equal, noted, proves


@proves("CR-04")
def test_a_gate_that_never_fired_is_not_installed() -> None:
    """One gate has a run in which it said no, and what it printed; one never did; one did without a word."""
    gates = [Gate("held", "TR-001"), Gate("always passed", "TR-002"), Gate("mute", "TR-003")]
    fired = {"held": Firing("a.toml under `x` negated", "two sessions are live"), "mute": Firing("b.toml", "")}
    missing = [gate.name for gate in not_installed(gates, fired)]
    expect_equal("CR-04", missing, ["always passed", "mute"], "gates that are not installed")
    expect_equal("CR-04", not_installed(gates[:1], fired), [], "a gate that fired is installed")


def test_what_an_invariant_says_when_it_breaks_is_kept_as_its_firing() -> None:
    before = dict(FIRED)
    FIRED.clear()
    name = "the old transcript is untouched"
    assert noted("night", "TR-148", name, []) == []
    assert noted("night", "TR-148", name, iter(["was 3 bytes", "is 4"])) == ["was 3 bytes", "is 4"]
    assert {f"night invariant TR-148: {name}": "was 3 bytes"} == FIRED
    assert {Gate(f"{of} invariant TR-148: {name}", "TR-148") for of in ("night", "carry")} < set(invariants())
    FIRED.clear()
    FIRED.update(before)


class Problem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: Literal["unsure", "correct"]
    say: str


class Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    problems: list[Problem]
    worst: Problem | None = None


class Dated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    problems: list[Problem]
    shown_at: str


class Open(msgspec.Struct, frozen=True):
    problems: list[Problem]


class Scored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    conf: float


class Nested(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    by_name: dict[str, Scored]


BLIND = {"shown_at": "the page that is given shows no time"}


@proves("CR-06")
def test_a_field_that_cannot_be_read_is_not_asked_for() -> None:
    """Not ignored when it comes, but gone from the schema; and a schema that takes anything asks for everything."""

    def asked(reply: type[msgspec.Struct], unreadable: dict[str, str] = BLIND) -> list[str]:
        return [fault for fault in faults_of(Question("history", reply, unreadable)) if "single field" not in fault]

    expect_equal("CR-06", asked(Reply), [], "a schema of readable fields")
    expect_equal(
        "CR-06",
        asked(Dated),
        ["history: Dated asks for `shown_at`, which cannot be read: the page that is given shows no time"],
        "a schema with a field that cannot be read",
    )
    expect_equal("CR-06", asked(Open), ["history: Open takes whatever a model adds"], "an open schema")
    expect_equal("CR-06", asked(Dated, {}), [], "where the time can be read, it may be asked for")


@proves("CR-07")
def test_a_score_of_the_whole_answer_vouches_for_no_field() -> None:
    """It does not stand in any schema, however deep, so that nothing can be accepted by it."""

    def scored(reply: type[msgspec.Struct]) -> list[str]:
        return [fault for fault in faults_of(Question("page", reply)) if "single field" in fault]

    expect_equal("CR-07", scored(Reply), [], "a schema without a score")
    expect_equal(
        "CR-07", scored(Scored), ["page: Scored asks for `conf`, which vouches for no single field"], "with a score"
    )
    expect_equal("CR-07", len(scored(Nested)), 1, "with a score further down")
