"""How a failing expectation is told: its rule in full, what was seen instead, where it was decided, and the command."""

import shlex
from dataclasses import dataclass

from harness.rules import Rule
from harness.scenario.forms import Met
from harness.scenario.loading import RULES, Stated, catalogue


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that did not hold: its index, and the steps of the run log with its check and its decision."""

    number: int
    met: Met
    check: int
    decided: int
    kind: str


def told(scenario: Stated, failure: Failure, log: str) -> str:
    """A failing expectation as a few lines; `log` says which run log the steps are of."""
    rule: Rule = catalogue(scenario.root)[scenario.expect[failure.number].rule]
    return "\n".join(
        (
            f"{scenario.place(failure.number)}: {scenario.title}",
            f"  {rule.id} ({RULES}/{rule.file}:{rule.line}): {rule.text}",
            f"  wanted   {failure.met.wanted}",
            f"  saw      {failure.met.seen}",
            f"  decided  step {failure.decided} ({failure.kind}) of {log}; looked at in step {failure.check}",
            f"  again    {command_of(scenario)}",
        )
    )


def command_of(scenario: Stated) -> str:
    """The command that plays this scenario alone."""
    return shlex.join(["rebuild-harness", "run", scenario.name, *scenario.choice])
