"""What can be changed at a site, by the kind of code that stands there: what sabotages are made of.

A condition is negated, a number shifted, a table's element taken out, any other statement skipped.
"""

import ast
from collections.abc import Callable, Iterator

from harness.controls.sites import BLOCKS, Slot, children, descendants, is_element

Function = ast.FunctionDef | ast.AsyncFunctionDef
Change = tuple[str, Callable[[], None]]

# Statements that can be left out without taking a name away from the code after them.
SKIPPABLE = ast.Expr | ast.Raise | ast.AugAssign | ast.Delete | ast.Break | ast.Continue
DISPLAYS = ast.List | ast.Tuple | ast.Set | ast.Dict
EXCHANGED: dict[type[ast.operator], ast.operator] = {
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
}


def changes_at(slot: Slot, function: Function | None) -> list[Change]:
    """What to do to a site, each with its name; nothing where every change could only crash.

    `function` is the innermost one around it, whose return type tells truth values from others.
    """
    return list(_of_element(slot) if is_element(slot) else _of_statement(slot, function))


def _of_element(slot: Slot) -> Iterator[Change]:
    if isinstance(slot.parent, ast.comprehension):
        yield _negated(slot)
        return
    if isinstance(slot.parent, ast.Dict | ast.Call):
        # A key or an argument that is missing mostly crashes: the number or condition in it is what decides.
        in_dict = isinstance(slot.parent, ast.Dict)
        value = Slot(slot.parent, "values", slot.index) if in_dict else Slot(slot.node, "value")
        inner = [_negated(value)] if _is_condition(value.node) else []
        inner += [*_conditions(value.node), *_numbers_in([value, *descendants(value.node)])]
        if inner:
            yield from inner
            return
    header = ast.unparse(slot.node).partition("\n")[0]
    yield f"element missing: {header}", slot.remove


def _of_statement(slot: Slot, function: Function | None) -> Iterator[Change]:
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


def _truth(slot: Slot, function: Function | None) -> list[Change]:
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


def _last_resort(slot: Slot, function: Function | None) -> list[Change]:
    match slot.node:
        case ast.With(items=items, body=body) if not any(item.optional_vars for item in items):
            return [("context left out", _replacing(slot, ast.If(ast.Constant(True), body, [])))]
        case ast.Return() as early if function is not None and _goes_on_without(early, function):
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


def _goes_on_without(early: ast.Return, function: Function) -> bool:
    """Whether other code decides when a return is left out, or None does, which may be returned anyway."""
    last = function.body[-1]
    at_the_end = last is early or any(slot.node is early for slot in descendants(last))
    if not at_the_end or function.returns is None:
        return not at_the_end
    parts = [Slot(function, "returns"), *descendants(function.returns)]
    return any(isinstance(part.node, ast.Constant) and part.node.value is None for part in parts)


def _is_bool(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


def _is_enum(definition: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith(("Enum", "Flag")) for base in definition.bases)
