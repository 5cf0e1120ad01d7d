"""Gates that really fire: one that stopped nothing in any run counts as not installed, however green everything is.

A gate is whatever may say no: an invariant, or a scenario's demand for nothing. Rules have their own standing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.criteria.zeros import unwitnessed
from harness.expect import invariant_gate


class Firing(NamedTuple):
    """The run in which a gate fired, and the line that it printed."""

    run: str
    said: str


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate: its name among the firings, and the rule it stands for."""

    name: str
    rule: str


def not_installed(gates: Iterable[Gate], fired: Mapping[str, Firing]) -> list[Gate]:
    """The gates that fired in no run, or printed nothing when they did (CR-04)."""
    return [
        gate
        for gate in gates
        if gate.name not in fired or not fired[gate.name].said  # CR-04
    ]


def invariants() -> Iterator[Gate]:
    """Every invariant of the harness."""
    from importlib.util import find_spec

    from harness.invariants.carry import INVARIANTS
    from harness.invariants.operation import OPERATION_INVARIANTS
    from harness.invariants.window import WINDOW_INVARIANTS
    from harness.scenario.stories.kinds import KINDS, kind_named

    named = {("carry", each.rule, each.name) for each in (*INVARIANTS, *WINDOW_INVARIANTS)}
    named |= {("night", each.rule, each.name) for each in OPERATION_INVARIANTS}
    for kind, module in KINDS.items():
        if find_spec(module):
            named |= {(kind, each.rule, each.name) for each in kind_named(kind).invariants}
    for of, rule, name in sorted(named):
        yield Gate(invariant_gate(of, rule, name), rule)


def zeros_without_witness(root: Path, fired: Mapping[str, Firing]) -> list[Gate]:
    """The demands for nothing, in all scenarios, that neither their own file nor a sabotaged run vouches for."""
    from harness.scenario.loading import scenario_files
    from harness.scenario.sorts import load_all

    seen = {name: firing.said for name, firing in fired.items()}
    return [
        Gate(zero.gate, zero.rule)
        for path in scenario_files(root / "scenarios")
        for zero in unwitnessed(load_all(path), seen)
    ]
