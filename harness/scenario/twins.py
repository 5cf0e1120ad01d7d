"""Twins: the same file with some of its tables changed, so that what it shows is seen beside what it would else be.

Keys of a twin's `change` take the place of the file's, tables within tables likewise. It keeps the expectations of the
file, or brings its own.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from harness.scenario.loading import Fault, Stated
from harness.scenario.places import line_of

T = TypeVar("T")


class Twin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One twin as it stands in the file."""

    named: str
    change: dict[str, Any]
    expect: list[dict[str, Any]] | None = None


def twins_of(values: dict[str, Any], changing: set[str], made: Callable[[int, Twin, dict[str, Any]], T]) -> Iterator[T]:
    """A file's twins, each made of its number, what is written, and the file as the twin changes it.

    `changing` are the keys that a twin may change. Raises `Fault` for the first thing wrong with one.
    """
    for number, written in enumerate(values.get("twins", [])):
        try:
            twin = msgspec.convert(written, Twin)
            foreign = sorted(twin.change.keys() - changing)
            if foreign:
                raise Fault("change", None, f"{foreign[0]} is nothing that a twin can change")
            changed = _merged(values, twin.change)
            changed["expect"] = values["expect"] if twin.expect is None else twin.expect
            changed["title"] = f"{values['title']} (twin: {twin.named})"
            yield made(number, twin, changed)
        except msgspec.ValidationError as error:
            raise Fault("twins", number, str(error)) from None
        except Fault as fault:
            at = fault.key if fault.number is None else f"{fault.key}[{fault.number}]"
            raise Fault("twins", number, f"{at}: {fault.reason}") from None


def twin_place(scenario: Stated, twin: int | None) -> str:
    """File and line of a twin."""
    return f"{scenario.name}:{line_of(scenario.file.read_text(encoding='utf-8'), 'twins', twin)}"


def _merged(values: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in change.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
