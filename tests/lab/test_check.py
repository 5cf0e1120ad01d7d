"""GO and NO-GO, where nothing can be run: a version that is unsupported, a machine without a namespace."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.lab import check
from harness.lab.check import Tried, judge, record
from harness.lab.versions import Unavailable
from harness.runs import UnusableFolder


def no_program(version: str) -> list[str]:
    raise Unavailable(f"the registry has no {version}")


def test_a_candidate_that_cannot_run_is_no_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "program_of", no_program)
    checked = judge([record("9.9.9", tmp_path)], tmp_path / "out", "cli-check")
    assert checked.verdict == "NO-GO"
    assert checked.reasons == ["9.9.9 is unsupported: the registry has no 9.9.9"]
    assert "NO-GO" in checked.report.read_text(encoding="utf-8")


def test_a_current_version_that_cannot_run_is_said_and_decides_nothing(tmp_path: Path) -> None:
    candidate, current = Tried("9.9.9"), Tried("1.0.0", unsupported="too old")
    checked = judge([candidate, current], tmp_path / "out", "cli-check")
    assert checked.verdict == "GO"
    assert "1.0.0 is unsupported: too old" in checked.reasons
    assert "the two versions are not compared: one of them is unsupported" in checked.reasons


def test_json_and_exit_code_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "program_of", no_program)
    monkeypatch.setattr(check, "missing", lambda: None)
    monkeypatch.setattr(check.shutil, "which", lambda name: name)
    words = ["cli-check", "--candidate", "9.9.9", "--json", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    told = json.loads(result.stdout)
    assert (result.exit_code, told["verdict"]) == (1, "NO-GO")
    assert told.keys() == {"verdict", "reasons", "versions", "differences", "report"}
    assert [version["unsupported"] for version in told["versions"]] == ["the registry has no 9.9.9"]


def test_without_a_namespace_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "missing", lambda: "no namespace: not permitted")
    result = CliRunner().invoke(main, ["cli-check", "--candidate", "2.1.199", "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "not permitted" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UnusableFolder):
        judge([], tmp_path, "cli-check")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
