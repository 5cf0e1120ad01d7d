"""Which gates really fired: read off the outcomes of all runs, sabotaged or not, with the line that each printed.

A gate of the harness itself (an invariant, a scenario's demand for nothing) that fired in none is not installed.
"""

from collections.abc import Callable

from harness.controls.anchors import LAW
from harness.controls.checks import Check
from harness.controls.child import Outcome
from harness.controls.sabotage import Sabotage
from harness.controls.survey import Survey

Known = Callable[[Sabotage | None, Check], Outcome | None]
Firings = dict[str, tuple[str, str]]
"""By gate: the run in which it fired first, and what it printed."""


def firings(survey: Survey, known: Known) -> Firings:
    """Every gate that fired in a run whose outcome is known."""
    runs: list[tuple[Sabotage | None, list[Check]]] = [(None, survey.checks), *survey.trials(None)]
    found: Firings = {}
    for sabotage, checks in runs:
        for check in checks:
            outcome = known(sabotage, check)
            for gate, said in outcome.fired if outcome else ():
                found.setdefault(gate, (_run(sabotage, check), said))
    return found


def not_installed(survey: Survey, fired: Firings) -> dict[str, list[str]]:
    """What fired in no run: the harness's own gates, and demands for nothing that nobody vouches for.

    Empty for a checkout that is not the harness's own.
    """
    if not survey.root.joinpath(*LAW.split(".")).is_dir():
        return {}
    from harness.criteria.gates import Firing, invariants, not_installed, zeros_without_witness

    seen = {gate: Firing(*each) for gate, each in fired.items()}
    return {
        "not installed, for it fired in no run": [gate.name for gate in not_installed(invariants(), seen)],
        "a zero without a witness": [gate.name for gate in zeros_without_witness(survey.root, seen)],
    }


def _run(sabotage: Sabotage | None, check: Check) -> str:
    return check.name if sabotage is None else f"{check.name} under {sabotage.what!r} at {sabotage.anchor.place}"
