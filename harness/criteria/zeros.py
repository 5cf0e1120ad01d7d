"""Expectations of nothing, and what shows that the instrument which saw nothing can see something.

A dead instrument and true absence print the same. So each such demand needs a witness: a demand on the same instrument,
in the same file, that has to see something; or else a sabotaged run in which this very demand saw something. What must
never happen is looked for by one check for all scenarios: that check has to have seen it, in whatever run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

DENIES = {
    "not_said": "carried",
    "no_warning": "warning",
    "not_because": "state.says",
    "not_sent": "sent",
}
"""Demands that something is not there, and the instrument that would show it."""
PLANTED = frozenset({"not_carried"})
"""Demands that look, by the same query in the same run, where the text has to be, and refuse where it is not found."""
NEVER, EXISTS = "never", "exists"


class Stated(Protocol):
    """A scenario, or one of the twins of a file."""

    @property
    def name(self) -> str: ...
    @property
    def expect(self) -> Sequence[msgspec.Struct]: ...


@dataclass(frozen=True, slots=True)
class Zero:
    """One demand that sees nothing: `gate` names it among all scenarios, `instruments` are what it looks through."""

    gate: str
    rule: str
    instruments: frozenset[str]
    kept: str
    """The gate of the file's own demand, where a twin keeps it; else its own."""


def gates_at(scenario: Stated, told: int, number: int) -> list[str]:
    """What is noted as fired when a demand is not met: itself, and its check for what must never happen.

    Nothing for a demand that has to see something. `told` counts the stories of a file, from 0.
    """
    found = nothing_through(scenario.expect[number])
    nevers = sorted(each for each in found if each.startswith(NEVER))
    return [_gate_name(scenario, told, number), *nevers] if found else []


def zeros_of(told: Sequence[Stated]) -> list[Zero]:
    """Every demand of a file (its story and its twins, in order) that is met by seeing nothing."""
    return [
        Zero(_gate_name(each, place, number), _rule(demand), frozenset(found), _kept_name(each, place, number))
        for place, each in enumerate(told)
        for number, demand in enumerate(each.expect)
        if (found := nothing_through(demand))
    ]


def controls_of(told: Sequence[Stated], place: int) -> dict[int, str | None]:
    """The demands for nothing of one story of a file, by number: what shows that its instrument sees something.

    None where nothing in the file does: then what the zero means is not known from this run.
    """
    names = {_gate_name(told[place], place, number): number for number in range(len(told[place].expect))}
    return {names[zero.gate]: witness_in_file(zero, told) for zero in zeros_of(told) if zero.gate in names}


def witness_in_file(zero: Zero, told: Sequence[Stated]) -> str | None:
    """The demands of the same file that show each instrument of a zero to see something; None where one is missing."""
    if zero.instruments <= PLANTED:
        return "the same query finds it in the source"
    shown = {
        instrument: _gate_name(each, place, number)
        for place, each in enumerate(told)
        for number, demand in enumerate(each.expect)
        for instrument in something_through(demand)
    }
    witnesses = {shown.get(each, "") for each in zero.instruments - PLANTED}
    if "" in witnesses:  # CR-01
        return None
    return ", ".join(sorted(witnesses))


def unwitnessed(told: Sequence[Stated], fired: Mapping[str, str]) -> list[Zero]:
    """The zeros of a file that nothing vouches for. `fired`: what was seen, in any sabotaged run, by gate."""
    return [
        zero
        for zero in zeros_of(told)
        if witness_in_file(zero, told) is None and not fired.keys() & {zero.gate, zero.kept, *zero.instruments}  # CR-01
    ]


def nothing_through(demand: msgspec.Struct) -> set[str]:
    """The instruments through which a demand has to see nothing; none for a demand that has to see something."""
    head, base = _head(demand)
    if head == NEVER:
        return {f"{NEVER} {getattr(demand, head)}"}
    if head in DENIES or head in PLANTED:
        return {base}
    found = {path for name, value in _stated(demand) for path in _empty_paths(base, name, value)}
    # Where a demand also says what was seen, that vouches for what was not.
    only_lacks = getattr(demand, "lacks", None) and (hasattr(demand, "has") or not getattr(demand, head))
    return found | ({base} if only_lacks else set())


def is_absence(demand: msgspec.Struct) -> bool:
    """Whether a demand asks for an absence and nothing else, so that a run in which nothing happens meets it too."""
    head, base = _head(demand)
    return head == NEVER or bool(nothing_through(demand) & {base, f"{base}.{EXISTS}"})


def something_through(demand: msgspec.Struct) -> set[str]:
    """The instruments that a demand shows to see something, when it is met."""
    head, base = _head(demand)
    nothing = nothing_through(demand)
    if head == NEVER or head in DENIES or head in PLANTED:
        return set()
    found = {f"{base}.{name}" for name, value in _stated(demand) if name == EXISTS and value}
    if getattr(demand, EXISTS, None) is None:
        # A text that was found in a place shows that the place is there as well.
        found |= {base, f"{base}.{EXISTS}"}
        for name, value in _stated(demand):
            found |= set(_filled_paths(f"{base}.{name}" if name != head else base, value))
    return found - nothing


def _gate_name(scenario: Stated, told: int, number: int) -> str:
    twin = f" twin {told}" if told else ""
    return f"{scenario.name}{twin} expect[{number}]"


def _kept_name(scenario: Stated, told: int, number: int) -> str:
    return _gate_name(scenario, told if getattr(scenario, "own_expect", True) else 0, number)


def _rule(demand: msgspec.Struct) -> str:
    return str(getattr(demand, "rule", ""))


def _head(demand: msgspec.Struct) -> tuple[str, str]:
    """The key that names a demand, and the instrument it looks through."""
    field = msgspec.structs.fields(demand)[1]
    if field.encode_name == "in":
        return field.name, f"in {getattr(demand, field.name)}"
    return field.name, DENIES.get(field.name, field.name)


def _stated(demand: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields that say something else than their default; the rule, and words that only choose, say nothing here."""
    for field in msgspec.structs.fields(demand)[1:]:
        value = getattr(demand, field.name)
        if value != field.default and not (field.default is msgspec.NODEFAULT and value is None):
            yield field.name, value


def _empty_paths(base: str, name: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _empty_paths(f"{base}.{key}", key, inner)
    elif name == EXISTS and value is False:
        yield f"{base}.{EXISTS}"
    elif not value and not isinstance(value, bool):
        # A flag that is false is a reading, and no absence.
        yield base


def _filled_paths(path: str, value: Any) -> Iterator[str]:
    if value:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _filled_paths(f"{path}.{key}", inner)
