"""The cores reach time, chance and processes only through the ports; the harness is never imported by them."""

import ast
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from freezegun import freeze_time

import threadrebuild
from harness.world.night import Night

CORES = Path(threadrebuild.__file__).parent
ADAPTERS = {"system.py", "shell.py", "running.py", "keeper.py"}
"""The modules that may touch the machine."""
OUTSIDE = {"time", "random", "secrets", "subprocess", "socket", "threading", "signal"}
CLOCK_CALLS = {"now", "today", "utcnow", "uuid1", "uuid4"}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(CORES.rglob("*.py")):
        yield path.relative_to(CORES), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_only_the_adapters_touch_the_machine() -> None:
    offenders = {
        f"{path}: {name}" for path, tree in sources() if path.name not in ADAPTERS for name in imported(tree) & OUTSIDE
    }
    assert not offenders
    assert imported(ast.parse((CORES / "system.py").read_text())) & OUTSIDE


def test_nothing_but_the_adapters_asks_for_the_time_or_a_random_id() -> None:
    offenders = set()
    for path, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            of_a_module = isinstance(node.func.value, ast.Name) and node.func.value.id in {"datetime", "date", "uuid"}
            if path.name not in ADAPTERS and of_a_module and node.func.attr in CLOCK_CALLS:
                offenders.add(f"{path}:{node.lineno}")
    assert not offenders


def test_the_cores_know_nothing_of_the_harness() -> None:
    assert not {str(path) for path, tree in sources() if imported(tree) & {"harness", "pytest", "_pytest"}}


def test_a_night_is_the_same_whatever_the_real_clock_says(tmp_path: Path) -> None:
    """With the real clock frozen at two far-off moments, the records of two equal nights are equal."""
    records = []
    for number, moment in enumerate((datetime(1999, 12, 31), datetime(2038, 1, 19))):
        with freeze_time(moment):
            night = Night(tmp_path / str(number))
            night.talk(lambda talk: talk.user("可以换窗了"))
            night.ask_for_rebuild("夜里换窗")
            night.end_turn()
            night.world.run()
            latest = night.latest()
        steps = [(step.at, step.event, step.state, step.detail) for step in latest.steps]
        records.append(json.dumps([latest.id, latest.new_session_id, steps]))
    assert records[0] == records[1]
