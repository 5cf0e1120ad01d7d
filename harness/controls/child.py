"""One forked child: it puts one fault into the package, runs checks, and says which rules each of them broke.

The fault is put in on import, by a finder that answers for the one sabotaged module, so no file is ever
changed.
"""

import ast
import contextlib
import gc
import importlib.util
import json
import os
import resource
import shutil
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from harness.controls.anchors import LAW
from harness.controls.checks import Check
from harness.controls.sabotage import Sabotage
from harness.expect import FIRED, RuleBroken, fired

MEMORY_BYTES = 4 * 1024**3  # a fault that allocates without end must not take the machine with it


@dataclass(frozen=True)
class Outcome:
    """How one check ended: the rules its expectations found broken, or the error that kept them from being
    met. `fired`: every gate that stopped something on the way, with the line that it printed.
    """

    broken: tuple[str, ...]
    error: str | None
    seconds: float
    fired: tuple[tuple[str, str], ...] = ()

    def shown(self) -> str:
        """In a few words, for people."""
        if self.error is not None:
            return self.error
        return f"broke {', '.join(self.broken)}" if self.broken else "stayed green"


def outcome_of(written: Mapping[str, Any]) -> Outcome:
    """An outcome as `asdict` and JSON left it. Raises KeyError and TypeError where it is none."""
    fired = tuple((str(gate), str(said)) for gate, said in written["fired"])
    return Outcome(tuple(written["broken"]), written["error"], written["seconds"], fired)


def run_child(
    pipe: int, root: Path, package: str, sabotage: Sabotage | None, checks: Sequence[Check], folder: Path
) -> None:
    """Run the checks in this process and write one JSON line {check name: outcome} to `pipe`.

    To be called in a fresh fork only: it changes the import system and closes standard input and output.
    """
    gc.disable()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    silence = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(silence, standard)
    sys.path[:0] = [str(root)]
    _quiet_hypothesis()
    if sabotage is not None:
        _install(root, package, sabotage, folder)
    outcomes = {}
    for number, check in enumerate(checks):
        place = folder / str(number)
        place.mkdir()
        outcomes[check.name] = asdict(_outcome(check, place))
    with os.fdopen(pipe, "w") as out:
        out.write(json.dumps(outcomes))


class _Sabotaged(SourceFileLoader):
    """Loads a module from a syntax tree instead of its file."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    """Answers for one module; all others are found as always."""

    def __init__(self, loader: _Sabotaged) -> None:
        self._loader = loader

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._loader.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._loader.path, loader=self._loader)


def _install(root: Path, package: str, sabotage: Sabotage, folder: Path) -> None:
    faulty = sabotage.sabotaged()
    file = Path(sabotage.anchor.file)
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{LAW}.")]:
        del sys.modules[name]
    if isinstance(faulty, ast.Module):
        parts = file.with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sys.meta_path.insert(0, _Finder(_Sabotaged(name, str(root / file), faulty)))
    else:
        # A script is read in ways no finder sees: the package is imported from a copy with the fault in it.
        shutil.copytree(root / package, folder / "copy" / package)
        (folder / "copy" / file).write_text(faulty, encoding="utf-8")
        sys.path.insert(0, str(folder / "copy"))


def _outcome(check: Check, tmp_path: Path) -> Outcome:
    begun = time.perf_counter()
    broken: tuple[str, ...] = ()
    error: str | None = None
    FIRED.clear()
    try:
        check.run(tmp_path)
    except BaseException as raised:
        leaves = _leaves(raised)
        broken = tuple(sorted({leaf.rule for leaf in leaves if isinstance(leaf, RuleBroken)}))
        other = next((leaf for leaf in leaves if not isinstance(leaf, RuleBroken)), None)
        for leaf in leaves:
            if isinstance(leaf, RuleBroken):
                fired(leaf.rule, str(leaf))
        if other is not None:
            broken, error = (), _shown(other)
    return Outcome(broken, error, round(time.perf_counter() - begun, 4), tuple(FIRED.items()))


def _leaves(raised: BaseException) -> list[BaseException]:
    if isinstance(raised, BaseExceptionGroup):
        return [leaf for inner in raised.exceptions for leaf in _leaves(inner)]
    return [raised]


def _shown(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"raised {type(error).__name__}: {str(error)[:200]}{place}"


def _quiet_hypothesis() -> None:
    """Same examples each time, none shrunk, none stored: a red is enough here."""
    with contextlib.suppress(ImportError):
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("controls", database=None, derandomize=True, deadline=None, phases=phases)
        settings.load_profile("controls")
