"""Checks: whatever claims, by name, to prove rules: test functions marked `@proves`, and scenarios.

They are found by reading the source, so that the process that looks for them never loads the code under test.
"""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Protocol

from harness.rules import CatalogueError, Rule

EXPECTATIONS = {"expect", "expect_equal"}


class Check(Protocol):
    """What the controls need of a check. `run` raises `RuleBroken` (or a group of them) when an expectation
    fails.

    `file` is the absolute path of its source, `line` where it begins. A check may be run in a process that
    never saw the code under test before: whatever it needs of it, it imports within `run`.
    """

    @property
    def name(self) -> str: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def file(self) -> Path: ...
    @property
    def line(self) -> int: ...
    def run(self, tmp_path: Path) -> None: ...


@dataclass(frozen=True)
class TestCheck:
    """A module-level test function marked `@proves`, called without a pytest session."""

    __test__ = False

    name: str
    rules: tuple[str, ...]
    file: Path
    line: int
    function: str

    def run(self, tmp_path: Path) -> None:
        """Import the module by its file, as pytest would, and call the function."""
        check = getattr(_module(self.file), self.function)
        check(*[tmp_path] if inspect.signature(check).parameters else [])


def find_checks(root: Path) -> list[Check]:
    """Every check under `root`: `tests/**/test_*.py`, then scenarios as `harness.scenario.checks` gives them.

    Raises `CatalogueError` for a mark that is no list of literal ids, and a marked function that could not be
    called plainly.
    """
    faults: list[str] = []
    checks: list[Check] = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            faults.append(f"{path.relative_to(root)}:{error.lineno}: {error.msg}")
            continue
        checks += _marked_functions(tree, path, root, faults)
    if faults:
        raise CatalogueError("\n".join(faults))
    return checks + _scenario_checks(root)


def unknown_ids(root: Path, checks: list[Check], rules: dict[str, Rule]) -> list[str]:
    """One line, file:line: reason, for each id in a mark, a scenario or an `expect("…")` that no rule has."""
    faults = [
        f"{check.file.relative_to(root)}:{check.line}: {id_} is in no table of the catalogue"
        for check in checks
        for id_ in check.rules
        if id_ not in rules
    ]
    for path in sorted([*(root / "tests").rglob("*.py"), *(root / "harness").rglob("*.py")]):
        source = path.read_text(encoding="utf-8")
        if "expect" not in source:
            continue
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            faults.append(f"{path.relative_to(root)}:{error.lineno}: {error.msg}")
            continue
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(id_)), *_]) if (
                    name in EXPECTATIONS and id_ not in rules
                ):
                    place = f"{path.relative_to(root)}:{node.lineno}"
                    faults.append(f"{place}: {id_} is in no table of the catalogue")
                case _:
                    pass
    return faults


def _marked_functions(tree: ast.Module, path: Path, root: Path, faults: list[str]) -> Iterator[TestCheck]:
    file = path.relative_to(root).as_posix()
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        marks = [
            mark
            for mark in node.decorator_list
            if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "proves"
        ]
        if not marks:
            continue
        ids = [arg.value if isinstance(arg, ast.Constant) else None for mark in marks for arg in mark.args]
        taken = [arg.arg for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
        if not ids or not all(isinstance(id_, str) for id_ in ids):
            faults.append(f"{file}:{node.lineno}: `proves` needs rule ids as literal strings")
        elif isinstance(node, ast.AsyncFunctionDef) or taken not in ([], ["tmp_path"]):
            faults.append(f"{file}:{node.lineno}: {node.name} may take nothing but tmp_path to prove rules")
        else:
            rules = tuple(str(id_) for id_ in ids)
            yield TestCheck(f"{file}::{node.name}", rules, path, node.lineno, node.name)


def _scenario_checks(root: Path) -> list[Check]:
    if importlib.util.find_spec("harness.scenario.checks") is None:
        return []
    found: list[Check] = importlib.import_module("harness.scenario.checks").scenario_checks(root)
    return found


def _module(file: Path) -> ModuleType:
    name = file.stem
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == str(file):
        return sys.modules[name]
    # Helpers beside the tests are imported by their bare name, as under pytest.
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
