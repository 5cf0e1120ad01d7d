"""What a model may be asked for: only what it can read from what it is given.

Given a key, a model always fills in a value. So a field that it cannot read does not stand in the schema at all, and a
reply that brings it along is refused. A score of the whole answer vouches for no field, and is none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import inspect

OVERALL = frozenset({"score", "confidence", "conf", "certainty", "rating"})
"""What a whole answer says about itself."""


@dataclass(frozen=True)
class Question:
    """Something that models are asked: the reply's shape, and the fields that they could not read, with why not."""

    name: str
    reply: type[msgspec.Struct]
    unreadable: Mapping[str, str] = field(default_factory=dict)


def faults_of(question: Question) -> list[str]:
    """Why a question may not be asked like this; nothing where it may."""
    found = []
    for shape in _shapes(inspect.type_info(question.reply)):
        name = f"{question.name}: {shape.cls.__name__}"
        if not shape.forbid_unknown_fields:  # CR-06
            found.append(f"{name} takes whatever a model adds")
        for each in shape.fields:
            if each.encode_name in question.unreadable:  # CR-06
                why = question.unreadable.get(each.encode_name, "")
                found.append(f"{name} asks for `{each.encode_name}`, which cannot be read: {why}")
            if each.encode_name in OVERALL:  # CR-07
                found.append(f"{name} asks for `{each.encode_name}`, which vouches for no single field")
    return found


def _shapes(kind: inspect.Type) -> Iterator[inspect.StructType]:
    """All structures in a type."""
    match kind:
        case inspect.StructType():
            yield kind
            for each in kind.fields:
                yield from _shapes(each.type)
        case inspect.UnionType(types=types):
            for each_type in types:
                yield from _shapes(each_type)
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            yield from _shapes(inner)
        case inspect.DictType(value_type=inner):
            yield from _shapes(inner)
        case _:
            return
