"""The survey: the catalogue, what is excepted, every anchor with its sabotages, and every check, read
together.

It knows which sabotages a rule has to be tried under: those at its own anchors, which its checks must notice,
and those at the nearest anchors of other rules before and after in the file, which they must not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.controls.anchors import Anchor
from harness.controls.checks import Check, find_checks, unknown_ids
from harness.controls.sabotage import Sabotage, read_sabotages
from harness.rules import CatalogueError, Excepted, Rule, read_exceptions, read_rules, selected


@dataclass(frozen=True)
class Survey:
    """All that is known of rules and their proof before anything is run."""

    root: Path
    package: str
    rules: dict[str, Rule]
    excepted: dict[str, Excepted]
    anchors: list[Anchor]
    sabotages: list[Sabotage]
    checks: list[Check]

    @cached_property
    def checks_of(self) -> dict[str, list[Check]]:
        """The checks that claim a rule, by its id."""
        found: dict[str, list[Check]] = {}
        for check in self.checks:
            for id_ in dict.fromkeys(check.rules):
                found.setdefault(id_, []).append(check)
        return found

    @cached_property
    def anchors_of(self) -> dict[str, list[Anchor]]:
        """The anchors of a rule, by its id."""
        found: dict[str, list[Anchor]] = {}
        for anchor in self.anchors:
            for id_ in dict.fromkeys(anchor.rules):
                found.setdefault(id_, []).append(anchor)
        return found

    @cached_property
    def sabotages_at(self) -> dict[Anchor, list[Sabotage]]:
        """The sabotages at an anchor."""
        found: dict[Anchor, list[Sabotage]] = {}
        for sabotage in self.sabotages:
            found.setdefault(sabotage.anchor, []).append(sabotage)
        return found

    def neighbours(self, anchor: Anchor, id_: str) -> list[Anchor]:
        """The nearest anchors before and after, in the same file, that are not the rule's own."""
        others = [other for other in self.anchors if other.file == anchor.file and id_ not in other.rules]
        before = [other for other in others if other.line < anchor.line]
        after = [other for other in others if other.line > anchor.line]
        return before[-1:] + after[:1]

    def trials(self, prefix: str | None) -> list[tuple[Sabotage, list[Check]]]:
        """Each sabotage with the checks to run under it, for the rules under a prefix that a check claims."""
        judged: dict[Anchor, set[str]] = {}
        for id_, anchors in self.anchors_of.items():
            if selected(id_, prefix) and id_ in self.checks_of:
                for anchor in anchors:
                    for place in [anchor, *self.neighbours(anchor, id_)]:
                        judged.setdefault(place, set()).add(id_)
        return [
            (sabotage, [check for check in self.checks if judged[sabotage.anchor] & set(check.rules)])
            for sabotage in self.sabotages
            if sabotage.anchor in judged
        ]


def read_survey(root: Path, package: str) -> Survey:
    """Read everything under `root`. Raises `CatalogueError` that lists every fault, file:line: reason."""
    rules = read_rules(root / "scenarios" / "rules")
    faults: list[str] = []
    excepted: dict[str, Excepted] = {}
    anchors: list[Anchor] = []
    sabotages: list[Sabotage] = []
    checks: list[Check] = []
    with _gathering(faults):
        excepted = read_exceptions(root / "scenarios" / "rules" / "exceptions.toml", rules)
    with _gathering(faults):
        anchors, sabotages = read_sabotages(root, package)
    with _gathering(faults):
        checks = find_checks(root)
    faults += [
        f"{anchor.place}: {id_} is in no table of the catalogue"
        for anchor in anchors
        for id_ in anchor.rules
        if id_ not in rules
    ]
    faults += unknown_ids(root, checks, rules)
    if faults:
        raise CatalogueError("\n".join(faults))
    return Survey(root, package, rules, excepted, anchors, sabotages, checks)


@contextmanager
def _gathering(faults: list[str]) -> Iterator[None]:
    try:
        yield
    except CatalogueError as error:
        faults.append(str(error))
