"""Expectations that name the rule they rest on.

A check says `expect("TR-069", kept + dropped == 10, "ten turns came in")`. When it fails, the exception carries
the rule, so that the controls runner can tell a red that names the sabotaged rule from any other breakage.
"""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


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


def proves(*rules: str) -> Callable[[F], F]:
    """Mark a check (a plain function that takes nothing, or `tmp_path`) as naming `rules` in its expectations.

    The controls runner calls such functions directly, without a pytest session; pytest collects them as tests.
    """

    def mark(check: F) -> F:
        check.proves = rules  # type: ignore[attr-defined]
        return check

    return mark
