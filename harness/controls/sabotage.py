"""Sabotages: the small, deliberate faults that a proven rule's check has to notice, by what stands at the
anchor.

A condition is negated, a number shifted, a table's element taken out, any other statement skipped; what could
only crash (a definition, the last value of a function) is refused, with a word on where to anchor instead.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.controls.anchors import Anchor, anchored_files, python_anchors, sql_anchors
from harness.controls.changes import Function, changes_at
from harness.controls.sites import Slot, descendants, find_site
from harness.controls.sql import skipped_statement
from harness.rules import CatalogueError

ELSEWHERE = "put the anchor on the condition, number, table element or statement that decides"


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
        in_python = path.suffix == ".py"
        try:
            found = python_anchors(source, file) if in_python else sql_anchors(source, file)
        except SyntaxError as error:
            faults.append(f"{file}:{error.lineno}: {error.msg}")
            continue
        anchors += found
        if found:
            sabotages += _python(source, found, faults) if in_python else _sql(source, found, faults)
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
    slots = list(descendants(tree))
    lines = source.split("\n")
    for anchor in anchors:
        slot = find_site(slots, lines, anchor.at)
        if slot is None:
            faults.append(f"{anchor.place}: no statement begins here; {ELSEWHERE}")
            continue
        code = ast.unparse(slot.node).partition("\n")[0]
        changes = changes_at(slot, _function_around(slots, slot))
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


def _function_around(slots: list[Slot], site: Slot) -> Function | None:
    start = site.node.pattern if isinstance(site.node, ast.match_case) else site.node
    around = [
        slot.node
        for slot in slots
        if isinstance(slot.node, Function) and slot.node.lineno <= start.lineno <= (slot.node.end_lineno or 0)
    ]
    return around[-1] if around else None
