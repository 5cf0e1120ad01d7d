"""The stages of the drill in order, as data, and what was seen of each.

A drill passes where every stage was reached and saw what it has to see; nothing is passed by being left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.lab import drill_after as after
from harness.lab import drill_before as before
from harness.lab.drill_talk import Drill

NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Stage:
    """One stage: its name, the rule that asks for it, and what does it and says what was seen."""

    name: str
    rule: str
    play: Callable[[Drill], str]


@dataclass(frozen=True)
class Seen:
    """What came of a stage: `ok` is None where it was not reached."""

    name: str
    rule: str
    ok: bool | None
    saw: str


STAGES = (
    Stage("a throwaway session", "TR-154", before.start),
    Stage("installed", "TR-100", before.install),
    Stage("a household of its own", "TR-154", before.own_household),
    Stage("read-only checks", "TR-155", before.checks),
    Stage("shown by the host", "TR-185", before.shown_by_the_host),
    Stage("a message before", "TR-159", before.message_before),
    Stage("the plan shown", "TR-157", before.plan_shown),
    Stage("the request", "TR-095", before.request),
    Stage("the Stop hook", "TR-098", before.scheduled),
    Stage("the switch", "TR-087", after.switched),
    Stage("passed", "TR-160", after.passed),
    Stage("recall", "TR-156", after.recalled),
    Stage("the talk goes on", "TR-072", after.goes_on),
    Stage("a message after", "TR-159", after.message_after),
    Stage("by heart", "TR-158", after.by_heart),
    Stage("the rollback", "TR-091", after.rolled_back),
    Stage("said in between", "TR-L24", after.said_in_between),
    Stage("the old session", "TR-148", after.old_session),
    Stage("nothing left", "TR-162", after.nothing_left),
)
"""The last one is played in any case: a drill that failed leaves nothing either."""


def shortcomings(seen: Sequence[Seen]) -> list[str]:
    """Why a drill has not passed, in order; empty where it has (TR-160)."""
    failed = [f"{each.name}: {each.saw}" for each in seen if each.ok is False]
    left_out = [each.name for each in seen if each.ok is None]
    missing = [stage.name for stage in STAGES if stage.name not in [each.name for each in seen]]
    return failed + [f"not reached: {', '.join(names)}" for names in (left_out + missing,) if names]
