"""What differs between two versions: kinds of rows, fields, what the Stop hook is told, what happens on the wire."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from harness.lab.records import Shape


@dataclass(frozen=True)
class Difference:
    """What only one of the versions has."""

    what: str
    gone: list[str]
    """Only the current version has it."""
    new: list[str]
    """Only the candidate has it."""


class Seen(Protocol):
    """What was seen of a version."""

    @property
    def shape(self) -> Shape: ...
    @property
    def wire(self) -> list[str]: ...
    @property
    def hook(self) -> list[str]: ...


def differences(current: Seen, candidate: Seen) -> list[Difference]:
    """Empty where the two are alike."""
    ours, theirs = current.shape, candidate.shape
    attached = [kind for kind in sorted({*ours, *theirs}) if kind.startswith("attachment:")]
    found = [
        _between("kinds of rows", ours.keys() - attached, theirs.keys() - attached),
        _between("kinds of attachments", ours.keys() & attached, theirs.keys() & attached),
        *(_between(f"fields of {kind}", ours[kind], theirs[kind]) for kind in ours if kind in theirs),
        _between("on the wire", current.wire, candidate.wire),
        _between("fields that the Stop hook is given", current.hook, candidate.hook),
    ]
    return [each for each in found if each.gone or each.new]


def _between(what: str, ours: Iterable[str], theirs: Iterable[str]) -> Difference:
    return Difference(what, sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours)))
