"""What the warm parent loads before it forks: libraries, and harness modules that never reach the code under
test.

A child then pays for nothing but the package itself and the module of its check.
"""

import ast
import contextlib
import importlib
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from harness.controls.anchors import LAW
from harness.rules import CatalogueError


def preload(root: Path, package: str, check_files: Iterable[Path]) -> None:
    """Import what the package, the harness and the checks import, but for the package and the checks
    themselves.

    Raises `CatalogueError` when the package is loaded all the same: then no sabotage could take effect.
    """
    harness = _harness_modules()
    sources = [*(root / package).rglob("*.py"), *harness.values(), *check_files]
    wanted = {name for path in sources for name in _imports(path, every=True)}
    ours = {
        package,
        "harness",
        "tests",
        *(path.stem for path in sources),
        *(path.parent.name for path in sources),
    }
    libraries = {name for name in wanted if name.partition(".")[0] not in ours}
    untouched = {name for name in harness if not _reaches(name, package, harness)}
    for name in [*sorted(libraries), *sorted(untouched & wanted), "harness.expect"]:
        # A library that is not there is the business of the check that needs it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    if package in sys.modules:
        raise CatalogueError(
            f"{package} was loaded before its controls ran: harness.scenario.checks, or a module that "
            "it imports, imports it outside of a function"
        )


def _harness_modules() -> dict[str, Path]:
    folder = Path(__file__).parent.parent
    names: dict[str, Path] = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: path for name, path in names.items() if not name.endswith("__main__")}


def _reaches(name: str, package: str, modules: dict[str, Path], seen: frozenset[str] = frozenset()) -> bool:
    """Whether loading a harness module loads what is sabotaged, by the imports outside of its functions."""
    imported = _imports(modules[name], every=False) | {name.rpartition(".")[0]}
    if any(f"{target}.".startswith((f"{package}.", f"{LAW}.")) for target in [name, *imported]):
        return True
    inner = (imported & modules.keys()) - seen - {name}
    return any(_reaches(target, package, modules, seen | {name, *inner}) for target in inner)


@cache
def _imports(path: Path, *, every: bool) -> set[str]:
    """The modules that a file imports; `every`: inside functions too. `from a import b` may mean the module
    `a.b`.
    """
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        if every or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return found
