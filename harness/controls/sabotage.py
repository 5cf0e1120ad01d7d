"""Sabotages: the small, deliberate faults that a proven rule's check has to notice, by what stands at the
anchor.

A condition is negated, a number shifted, a table's element taken out, any other statement skipped; what could
only crash (a definition, a returned value that is no truth value) is refused, with a word on where to anchor
instead.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.controls.anchors import Anchor, anchored_files, python_anchors, sql_anchors
from harness.controls.sites import BLOCKS, Slot, children, descendants, find_site, is_element
from harness.controls.sql import skipped_statement
from harness.rules import CatalogueError

ELSEWHERE = "put the anchor on the condition, number, table element or statement that decides"
# Statements that can be left out without taking a name away from the code after them.
SKIPPABLE = ast.Expr | ast.Raise | ast.AugAssign | ast.Delete | ast.Break | ast.Continue
DISPLAYS = ast.List | ast.Tuple | ast.Set | ast.Dict
EXCHANGED: dict[type[ast.operator], ast.operator] = {
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
}

Change = tuple[str, Callable[[], None]]


@dataclass(frozen=True)
class Sabotage:
    """One fault at one anchor. `code` is what stands there. `sabotaged` makes the module's tree (or the SQL
    script) with the fault in it; it may be called once in a process, since it changes the tree where it
    stands.
    """

    anchor: Anchor
    code: str
    what: str
    sabotaged: Callable[[], ast.Module | str]


def read_sabotages(root: Path, package: str) -> tuple[list[Anchor], list[Sabotage]]:
    """All anchors of a package and every sabotage at them, in the order of files and lines.

    Raises `CatalogueError`, one line for each anchor at which nothing can be sabotaged.
    """
    anchors: list[Anchor] = []
    sabotages: list[Sabotage] = []
    faults: list[str] = []
    for path in anchored_files(root, package):
        source = path.read_text(encoding="utf-8")
        file = path.relative_to(root).as_posix()
        found = python_anchors(source, file) if path.suffix == ".py" else sql_anchors(source, file)
        anchors += found
        make = _python if path.suffix == ".py" else _sql
        try:
            sabotages += make(source, found, faults) if found else []
        except SyntaxError as error:
            faults.append(f"{file}:{error.lineno}: {error.msg}")
    if faults:
        raise CatalogueError("\n".join(faults))
    return anchors, sabotages


def _sql(source: str, anchors: list[Anchor], faults: list[str]) -> Iterator[Sabotage]:
    for anchor in anchors:
        try:
            script = skipped_statement(source, anchor.at)
        except ValueError as error:
            faults.append(f"{anchor.place}: {error}")
            continue
        code = source.split("\n")[anchor.at - 1].partition("--")[0].strip()
        yield Sabotage(anchor, code, "statement skipped", partial(str, script))


def _python(source: str, anchors: list[Anchor], faults: list[str]) -> Iterator[Sabotage]:
    tree = ast.parse(source)
    lines = source.split("\n")
    for anchor in anchors:
        slot = find_site(tree, lines, anchor.at)
        if slot is None:
            faults.append(f"{anchor.place}: no statement begins here; {ELSEWHERE}")
            continue
        code = ast.unparse(slot.node).partition("\n")[0]
        changes = list(
            _of_element(slot) if is_element(slot) else _of_statement(slot, _function_of(tree, slot))
        )
        if not changes:
            faults.append(f"{anchor.place}: nothing to sabotage at {code!r}; {ELSEWHERE}")
        names = [what for what, _ in changes]
        for at, (what, change) in enumerate(changes):
            # Two equal numbers in one statement are two sabotages.
            again = f" (no. {names[: at + 1].count(what)})" if names.count(what) > 1 else ""
            yield Sabotage(anchor, code, what + again, _changed(tree, change))


def _changed(tree: ast.Module, change: Callable[[], None]) -> Callable[[], ast.Module]:
    def sabotaged() -> ast.Module:
        change()
        return ast.fix_missing_locations(tree)

    return sabotaged


def _of_element(slot: Slot) -> Iterator[Change]:
    if isinstance(slot.parent, ast.comprehension):
        yield _negated(slot)
        return
    if isinstance(slot.parent, ast.Dict | ast.Call):
        # A key or an argument that is missing mostly crashes: the number or condition in it is what decides.
        value = Slot(slot.parent, "values", slot.index) if isinstance(slot.parent, ast.Dict) else slot
        inner = [*_conditions(value.node), *_numbers_in([value, *descendants(value.node)])]
        if inner:
            yield from inner
            return
    header = ast.unparse(slot.node).partition("\n")[0]
    yield f"element missing: {header}", slot.remove


def _of_statement(slot: Slot, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> Iterator[Change]:
    statement = slot.node
    if isinstance(slot.parent, ast.ClassDef) and _is_enum(slot.parent):
        yield _skipped(slot, "member missing")
        return
    table = _table_of(statement)
    if table is not None:
        for element in children(table, frozenset({"values", "ctx"})):
            yield from _of_element(element)
        return
    found = [*_truth(slot, function), *_conditions(statement), *_numbers_in(descendants(statement, BLOCKS))]
    found += _texts(statement)
    yield from found
    if isinstance(statement, SKIPPABLE) or _stores_in_place(statement):
        yield _skipped(slot)
    elif not found:
        yield from _arithmetic(statement) or _last_resort(slot, function)


def _truth(slot: Slot, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> list[Change]:
    """A returned or assigned truth value, negated."""
    statement = slot.node
    value = getattr(statement, "value", None)
    if not isinstance(statement, ast.Return | ast.Assign | ast.AnnAssign) or value is None:
        return []
    says_bool = isinstance(statement, ast.Return) and function is not None and _is_bool(function.returns)
    says_bool = says_bool or (isinstance(statement, ast.AnnAssign) and _is_bool(statement.annotation))
    return [_negated(Slot(statement, "value"))] if says_bool or _is_condition(value) else []


def _conditions(node: ast.AST) -> list[Change]:
    """Tests, filters and keyword truth values in a node, without the statements under it, each negated."""
    found: list[Change] = []
    if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp):
        found.append(_negated(Slot(node, "test")))
    for slot in descendants(node, BLOCKS if isinstance(node, ast.stmt) else frozenset()):
        inner = slot.node
        if isinstance(inner, ast.IfExp):
            found.append(_negated(Slot(inner, "test")))
        elif isinstance(inner, ast.comprehension):
            found += [_negated(Slot(inner, "ifs", at)) for at in range(len(inner.ifs))]
        elif isinstance(inner, ast.keyword) and isinstance(inner.value, ast.Compare):
            found.append(_negated(Slot(inner, "value")))
    return found


def _numbers_in(slots: Iterator[Slot] | list[Slot]) -> list[Change]:
    """Every number, shifted: an int by one, a float to its double. An index (`parts[0]`) is no number of a
    rule.
    """
    found: list[Change] = []
    indexes: list[ast.expr] = []
    for slot in slots:
        if isinstance(slot.node, ast.Subscript):
            index = slot.node.slice
            indexes.append(index.operand if isinstance(index, ast.UnaryOp) else index)
        value = slot.node.value if isinstance(slot.node, ast.Constant) else None
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if any(slot.node is index for index in indexes):
            continue
        shifted = value + 1 if isinstance(value, int) else (value * 2 or 1.0)
        found.append((f"{value} shifted to {shifted}", _replacing(slot, ast.Constant(shifted))))
    return found


def _texts(statement: ast.stmt) -> list[Change]:
    """A named text is emptied, a named pattern made to match nothing."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return []
    match statement.value:
        case ast.Constant(value=str() | bytes() as text):
            return [("text emptied", _replacing(Slot(statement, "value"), ast.Constant(text[:0])))]
        case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr="compile")) as call:
            pattern = next(
                (inner.node.value for inner in descendants(call) if isinstance(inner.node, ast.Constant)), ""
            )
            nothing = b"(?!)" if isinstance(pattern, bytes) else "(?!)"
            return [("pattern matches nothing", _replacing(Slot(call, "args", 0), ast.Constant(nothing)))]
        case _:
            return []


def _arithmetic(statement: ast.stmt) -> list[Change]:
    if not isinstance(statement, ast.Return | ast.Assign | ast.AnnAssign):
        return []
    return [
        (
            f"operator exchanged: {ast.unparse(slot.node)}",
            _replacing(Slot(slot.node, "op"), EXCHANGED[type(slot.node.op)]),
        )
        for slot in descendants(statement, BLOCKS)
        if isinstance(slot.node, ast.BinOp) and type(slot.node.op) in EXCHANGED
    ]


def _last_resort(slot: Slot, function: ast.FunctionDef | ast.AsyncFunctionDef | None) -> list[Change]:
    match slot.node:
        case ast.With(items=items, body=body) if not any(item.optional_vars for item in items):
            return [("context left out", _replacing(slot, ast.If(ast.Constant(True), body, [])))]
        case ast.Return(
            value=None | ast.Constant() | ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[])
        ):
            return [_skipped(slot)]
        case ast.For() | ast.AsyncFor():
            return [_skipped(slot)]
        case ast.Assign() | ast.AnnAssign(value=ast.expr()) if function is not None:
            return [_skipped(slot)]
        case _:
            return []


def _negated(slot: Slot) -> Change:
    match slot.node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            opposite: ast.expr = operand
        case ast.Constant(value=bool(value)):
            opposite = ast.Constant(not value)
        case condition:
            opposite = ast.UnaryOp(ast.Not(), condition)
    return f"negated: {ast.unparse(slot.node)}", _replacing(slot, opposite)


def _skipped(slot: Slot, what: str = "statement skipped") -> Change:
    # `if False:` rather than `pass`: a name stays local and a generator a generator.
    return what, _replacing(slot, ast.If(ast.Constant(False), [slot.node], []))


def _replacing(slot: Slot, node: ast.AST) -> Callable[[], None]:
    return lambda: slot.replace(node)


def _table_of(statement: ast.stmt) -> ast.expr | None:
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    if isinstance(value, DISPLAYS) and next(children(value, frozenset({"ctx"})), None) is not None:
        return value
    return None


def _stores_in_place(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and not any(
        isinstance(slot.node, ast.Name | ast.Tuple | ast.List)
        for slot in children(statement)
        if slot.field == "targets"
    )


def _is_condition(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Compare)
        or (isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not))
        or (isinstance(value, ast.Constant) and isinstance(value.value, bool))
    )


def _is_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


def _is_enum(definition: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith(("Enum", "Flag")) for base in definition.bases)


def _function_of(tree: ast.Module, slot: Slot) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The innermost function around a statement."""
    around = [
        found.node
        for found in descendants(tree)
        if isinstance(found.node, ast.FunctionDef | ast.AsyncFunctionDef)
        and any(inner.node is slot.node for inner in descendants(found.node))
    ]
    return around[-1] if around else None
