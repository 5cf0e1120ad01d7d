"""The verdict on each rule: what every sabotage at its anchors came to, and the one word that follows.

A control is caught only by a check that broke in an expectation naming the rule, and whose expectation about
that rule stays whole under the sabotages of neighbouring rules. A crash is no catch, and no lack of precision
either. A check that builds on a neighbour's decision expects that first, in the neighbour's name: then it
ends there, and stays specific.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from harness.controls.checks import Check
from harness.controls.child import Outcome
from harness.controls.sabotage import Sabotage
from harness.controls.survey import Survey
from harness.rules import selected

Status = Literal["proven", "tested", "unproven", "excepted"]
Known = Callable[[Sabotage, Check], Outcome | None]


@dataclass(frozen=True)
class Control:
    """One rule under one sabotage at one of its anchors. `unspecific` says, for a check that broke for the
    rule under a neighbour's sabotage too, which one; `not_run` counts trials whose outcome is not known.
    """

    rule: str
    sabotage: Sabotage
    outcomes: dict[str, Outcome]
    unspecific: dict[str, str]
    not_run: int

    @property
    def red(self) -> list[str]:
        """The checks whose expectation about the rule broke."""
        return [name for name, outcome in self.outcomes.items() if self.rule in outcome.broken]

    @property
    def caught_by(self) -> list[str]:
        """Those of them that prove something."""
        return [name for name in self.red if name not in self.unspecific]

    @property
    def verdict(self) -> Literal["caught", "unspecific", "green", "not run"]:
        """In one word; only "caught" counts."""
        if self.not_run:
            return "not run"
        if self.caught_by:
            return "caught"
        return "unspecific" if self.red else "green"


@dataclass(frozen=True)
class Standing:
    """How a rule stands."""

    id: str
    status: Status
    checks: list[str]
    anchors: list[str]
    controls: list[Control]


def standings(survey: Survey, prefix: str | None, known: Known) -> list[Standing]:
    """The standing of every rule under a prefix, in the order of the catalogue, from the outcomes known so
    far.
    """
    found = []
    for id_ in survey.rules:
        if selected(id_, prefix):
            controls = _controls(survey, id_, known)
            anchors = [anchor.place for anchor in survey.anchors_of.get(id_, [])]
            checks = [check.name for check in survey.checks_of.get(id_, [])]
            found.append(Standing(id_, _status(survey, id_, controls), checks, anchors, controls))
    return found


def _status(survey: Survey, id_: str, controls: list[Control]) -> Status:
    if id_ in survey.excepted:
        return "excepted"
    if id_ not in survey.checks_of:
        return "unproven"
    return "proven" if controls and all(control.verdict == "caught" for control in controls) else "tested"


def _controls(survey: Survey, id_: str, known: Known) -> list[Control]:
    checks = survey.checks_of.get(id_, [])
    controls: list[Control] = []
    for anchor in survey.anchors_of.get(id_, []) if checks else []:
        unspecific: dict[str, str] = {}
        missing = 0
        for neighbour in survey.neighbours(anchor, id_):
            for sabotage in survey.sabotages_at[neighbour]:
                for check in checks:
                    outcome = known(sabotage, check)
                    missing += outcome is None
                    if outcome is not None and id_ in outcome.broken:
                        unspecific[check.name] = f"{', '.join(neighbour.rules)} at {neighbour.place} ({sabotage.what})"
        for sabotage in survey.sabotages_at[anchor]:
            outcomes = {check.name: known(sabotage, check) for check in checks}
            met = {name: outcome for name, outcome in outcomes.items() if outcome is not None}
            controls.append(Control(id_, sabotage, met, unspecific, missing + len(outcomes) - len(met)))
    return controls
