"""The drill with the real Claude Code, twice in a row: it passes, and nothing of it is left anywhere."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.lab.drill_left import others
from harness.lab.drill_stages import STAGES
from harness.lab.namespace import missing
from harness.lab.versions import Unavailable, WrongBytes, program_of

VERSION = "2.1.199"

pytestmark = pytest.mark.npm


@pytest.fixture(scope="module")
def needs() -> None:
    """What the drill cannot do without; skipped with the reason where it is missing."""
    why = missing() or (None if shutil.which("tmux") else "tmux is not installed")
    if why is not None:
        pytest.skip(f"the drill cannot run here: {why}")
    try:
        program_of(VERSION)
    except WrongBytes:
        raise
    except Unavailable as error:
        pytest.skip(f"the real CLI cannot be had here: {error}")


def drilled(out: Path) -> dict[str, Any]:
    """The command's JSON."""
    result = CliRunner().invoke(main, ["drill", "--cli", VERSION, "--json", "-o", str(out)])
    told: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == (0 if told["verdict"] == "passed" else 1)
    return told


def around() -> tuple[set[str], set[str]]:
    """What a drill could leave: its folders, and processes that name such a folder."""
    folders = {str(path) for path in Path(tempfile.gettempdir()).glob("drill-*")}
    return folders, {line for _, line in others() if "/drill-" in line}


@pytest.mark.usefixtures("needs")
def test_the_drill_passes_twice_in_a_row_and_leaves_nothing(tmp_path: Path) -> None:
    before, out = around(), tmp_path / "out"
    for _ in range(2):
        told = drilled(out)
        assert (told["verdict"], told["reasons"]) == ("passed", [])
        stages = [*(stage.name for stage in STAGES), "production untouched"]
        assert [(each["name"], each["ok"]) for each in told["stages"]] == [(name, True) for name in stages]
        assert around() == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    steps = [json.loads(line) for line in (out / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    states = {row["state"] for step in steps if step["kind"] == "wire" for row in step["rows"]}
    assert "same" in states and not states & {"lost", "foreign"}
    operation = json.loads(next((out / "evidence").rglob("operations/*.json")).read_text(encoding="utf-8"))
    assert (operation["state"], operation["rollback_ok"]) == ("rolled_back", True)
    assert "The drill passed" in (out / "report.html").read_text(encoding="utf-8")
