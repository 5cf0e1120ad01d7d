"""The judge is not the accused: nothing it imports, at any depth, is the code that it judges."""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import hides where it leads"
            names.add(node.module or "")
    return names


def _reached(start: set[str]) -> set[str]:
    """All modules that are imported from the project's own files, beginning with `start`."""
    reached: set[str] = set()
    waiting = set(start)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        path = ROOT.joinpath(*name.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                waiting |= _imports(file) - reached
        parent = name.rpartition(".")[0]
        waiting |= {parent} - reached - {""}
    return reached


def test_the_oracle_reaches_itself_and_the_standard_library_only() -> None:
    modules = {f"harness.oracle.{path.stem}" for path in (ROOT / "harness" / "oracle").glob("*.py")}
    assert len(modules) > 5
    own = {"harness", "harness.oracle"}
    foreign = {
        name
        for name in _reached(modules)
        if name not in own
        and not name.startswith("harness.oracle.")
        and name.split(".")[0] not in sys.stdlib_module_names
    }
    assert foreign == set()


def test_the_walk_would_see_a_foreign_import(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def late():\n    import threadrebuild.transcript as t\n    return t\n")
    assert _imports(module) == {"threadrebuild.transcript"}


def test_nobody_in_the_core_imports_the_oracle() -> None:
    for path in (ROOT / "threadrebuild").rglob("*.py"):
        assert not any(name.split(".")[0] == "harness" for name in _imports(path)), path.name
