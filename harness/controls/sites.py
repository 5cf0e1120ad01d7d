"""What an anchor stands at: a statement, or one element of something that lists several on lines of their
own.

Every finding is a `Slot`, a place in the syntax tree that can be read, replaced and emptied where it stands.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Fields that hold the statements under a header; what an anchor on the header means ends before them.
BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases", "decorator_list", "returns"})
# What may stand before an element that begins its line.
_OPENERS: dict[type[ast.AST], str] = {
    ast.BoolOp: r"\s*(?:(?:and|or)\b ?)?\(*",
    ast.comprehension: r"\s*if\b ?\(*",
    ast.Match: r"\s*case\b ?\(*",
}


@dataclass(frozen=True)
class Slot:
    """The child `parent.field`, or `parent.field[index]`."""

    parent: ast.AST
    field: str
    index: int | None = None

    @property
    def node(self) -> Any:
        """What stands there now."""
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def replace(self, node: ast.AST) -> None:
        """Put another node there; it takes over the place in the file."""
        ast.copy_location(node, self.node)
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node

    def remove(self) -> None:
        """Take the element out; a dictionary's value goes with its key, and what may not be empty is
        filled.
        """
        if isinstance(self.parent, ast.BoolOp):
            # An operand is out when it decides nothing.
            self.replace(ast.Constant(isinstance(self.parent.op, ast.And)))
            return
        del getattr(self.parent, self.field)[self.index]
        match self.parent:
            case ast.Dict():
                del self.parent.values[self.index or 0]
            case ast.Try(handlers=[], finalbody=[]):
                self.parent.finalbody = [ast.Pass()]
            case ast.Match(cases=[]):
                self.parent.cases = [ast.match_case(ast.MatchAs(), None, [ast.Pass()])]
            case ast.Set(elts=[]):
                # `{*()}` is how an empty set is spelled as a display.
                self.parent.elts = [ast.Starred(ast.Tuple([], ast.Load()), ast.Load())]
            case _:
                pass


def children(node: ast.AST, but: frozenset[str] = frozenset()) -> Iterator[Slot]:
    """The slots directly under a node, leaving out some fields."""
    for field, value in ast.iter_fields(node):
        if field in but:
            continue
        if isinstance(value, ast.AST):
            yield Slot(node, field)
        elif isinstance(value, list):
            yield from (Slot(node, field, at) for at, item in enumerate(value) if isinstance(item, ast.AST))


def descendants(node: ast.AST, but: frozenset[str] = frozenset()) -> Iterator[Slot]:
    """All slots under a node, in the order of the source; not inside f-strings, which are words, not
    decisions.
    """
    for slot in children(node, but):
        yield slot
        if not isinstance(slot.node, ast.JoinedStr):
            yield from descendants(slot.node)


def find_site(slots: list[Slot], lines: list[str], line: int) -> Slot | None:
    """What stands at a line, of all slots of a module: the innermost element on lines of its own, else the
    outermost statement whose header it is, else None.
    """
    elements = [
        (last - first, slot)
        for slot in slots
        for first, last in [_span_of_element(slot, lines)]
        if first <= line <= last
    ]
    if elements:
        return min(elements, key=lambda found: found[0])[1]
    for slot in slots:
        if isinstance(slot.node, ast.stmt) and slot.node.lineno <= line <= _header_end(slot.node):
            return slot
    return None


def is_element(slot: Slot) -> bool:
    """Whether a slot is one of several: an entry, a keyword argument, an operand, a filter, a handler, a
    case.
    """
    return slot.index is not None and (
        (isinstance(slot.parent, ast.Dict) and slot.field == "keys")
        or (isinstance(slot.parent, ast.List | ast.Tuple | ast.Set) and slot.field == "elts")
        or (isinstance(slot.parent, ast.Call) and slot.field == "keywords")
        or (isinstance(slot.parent, ast.BoolOp) and slot.field == "values")
        or (isinstance(slot.parent, ast.comprehension) and slot.field == "ifs")
        or isinstance(slot.node, ast.ExceptHandler | ast.match_case)
    )


def _span_of_element(slot: Slot, lines: list[str]) -> tuple[int, int]:
    nothing = (1, 0)
    if not is_element(slot):
        return nothing
    start = slot.node.pattern if isinstance(slot.node, ast.match_case) else slot.node
    before = lines[start.lineno - 1].encode()[: start.col_offset].decode()
    if not re.fullmatch(_OPENERS.get(type(slot.parent), r"\s*\(*"), before):
        return nothing
    if isinstance(slot.node, ast.ExceptHandler | ast.match_case):
        return start.lineno, max(start.lineno, slot.node.body[0].lineno - 1)
    # Brackets around an element belong to no node: it ends where its neighbour or its container's end begins.
    assert slot.index is not None
    siblings: list[Any] = slot.parent.values if isinstance(slot.parent, ast.Dict) else getattr(slot.parent, slot.field)
    last: int = siblings[slot.index].end_lineno
    if slot.index + 1 < len(siblings):
        following = siblings[slot.index + 1].lineno
        return nothing if following == last else (start.lineno, max(last, following - 1))
    end = getattr(slot.parent, "end_lineno", None)
    return start.lineno, last if end is None else max(last, end - 1)


def _header_end(statement: ast.stmt) -> int:
    blocks = [getattr(statement, field, None) for field in ("body", "cases")]
    first = next((block[0] for block in blocks if block), None)
    if first is None:
        return statement.end_lineno or statement.lineno
    begin = first.pattern if isinstance(first, ast.match_case) else first
    decorators = getattr(begin, "decorator_list", [])
    end: int = max(statement.lineno, min(node.lineno for node in [begin, *decorators]) - 1)
    return end
