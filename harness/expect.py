"""Expectations that name the rule they rest on.

A check says `expect("TR-069", kept + dropped == 10, "ten turns came in")`. When it fails, the exception carries
the rule, so that the controls runner can tell a red that names the sabotaged rule from any other breakage.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])
SAID_MOST = 200
"""Characters of a line that is kept of what a gate printed."""

FIRED: dict[str, str] = {}
"""What went red, or saw something that was not to be, in this process: the first line that each gate printed. The
controls empty it before a check and keep what stands in it afterwards (CR-04)."""


class RuleBroken(AssertionError):
    """An expectation about `rule` did not hold."""

    def __init__(self, rule: str, said: str) -> None:
        super().__init__(f"{rule}: {said}")
        self.rule = rule


def expect(rule: str, holds: object, said: str) -> None:
    """Raise `RuleBroken` unless `holds` is true. `said` states what was expected and what was seen."""
    if not holds:
        raise RuleBroken(rule, said)


def expect_equal(rule: str, seen: object, wanted: object, what: str) -> None:
    """Raise `RuleBroken` unless `seen == wanted`; the message shows both."""
    if seen != wanted:
        raise RuleBroken(rule, f"{what}: wanted {wanted!r}, saw {seen!r}")


def fired(gate: str, said: str) -> None:
    """Note that a gate (a rule, an invariant, an expectation of nothing) really stopped something, and what it said."""
    FIRED.setdefault(gate, said[:SAID_MOST])


def noted(of: str, rule: str, name: str, faults: Iterable[str]) -> list[str]:
    """What breaks an invariant `of` carries, nights or a kind of story; the first of it is noted as its firing."""
    found = list(faults)
    if found:
        fired(invariant_gate(of, rule, name), found[0])
    return found


def invariant_gate(of: str, rule: str, name: str) -> str:
    """What an invariant is called among the gates."""
    return f"{of} invariant {rule}: {name}"


def proves(*rules: str) -> Callable[[F], F]:
    """Mark a check (a plain function that takes nothing, or `tmp_path`) as naming `rules` in its expectations.

    The controls runner calls such functions directly, without a pytest session; pytest collects them as tests.
    """

    def mark(check: F) -> F:
        check.proves = rules  # type: ignore[attr-defined]
        return check

    return mark
