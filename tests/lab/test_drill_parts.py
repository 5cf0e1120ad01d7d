"""What decides in a drill, with made-up findings: nothing passes by being left out; a failure keeps its evidence."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.lab import drill as lab
from harness.lab.acceptance import READ_ONLY, items_of, read_only_findings
from harness.lab.drill_after import not_once
from harness.lab.drill_before import named_outside, not_offered
from harness.lab.drill_inside import SEEN, WIRE
from harness.lab.drill_left import Left, marked, writable
from harness.lab.drill_stages import NOT_REACHED, STAGES, Seen, shortcomings
from harness.lab.namespace import LabFault
from harness.lab.versions import Unavailable
from threadrebuild.actions import TOOLS
from threadrebuild.config import Settings

ALL = [Seen(stage.name, stage.rule, True, "seen") for stage in STAGES]


def test_a_drill_passes_only_with_every_stage() -> None:
    assert shortcomings(ALL) == []
    for number, stage in enumerate(STAGES):
        failed = [*ALL[:number], Seen(stage.name, stage.rule, False, "something else"), *ALL[number + 1 :]]
        assert shortcomings(failed) == [f"{stage.name}: something else"]
        unreached = [*ALL[:number], Seen(stage.name, stage.rule, None, NOT_REACHED), *ALL[number + 1 :]]
        assert shortcomings(unreached) == [f"not reached: {stage.name}"]
        assert shortcomings([*ALL[:number], *ALL[number + 1 :]]) == [f"not reached: {stage.name}"]


GOOD = {
    "doctor": {
        "activation": "tmux",
        "project_dir_exists": True,
        "transcript_count": 1,
        "workdir_matches_project": True,
        "claude_binary": "/usr/bin/claude",
        "tmux_target_alive": True,
        "identity": ["%0", "1"],
        "ok": True,
    },
    "plan": {
        "source_session_id": "an id",
        "blocked_reason": None,
        "selected_turns": 3,
        "source_turns": 3,
        "dropped_oldest_turns": 0,
        "startup_frozen": True,
        "startup": {"frozen": True, "sha256": "a digest"},
    },
    "dirty": {"noise_ratio": 0.5, "should_rebuild": False, "reasons": []},
}
SPOILT = [
    ("doctor", "project_dir_exists", False),
    ("doctor", "transcript_count", 0),
    ("doctor", "workdir_matches_project", False),
    ("doctor", "claude_binary", "claude"),
    ("doctor", "claude_binary", None),
    ("doctor", "tmux_target_alive", False),
    ("doctor", "identity", None),
    ("doctor", "ok", False),
    ("plan", "source_session_id", None),
    ("plan", "blocked_reason", "poison"),
    ("plan", "selected_turns", 2),
    ("plan", "dropped_oldest_turns", 1),
    ("plan", "startup_frozen", False),
    ("dirty", "noise_ratio", 1.5),
    ("dirty", "should_rebuild", True),
]


def test_every_read_only_check_holds_or_is_the_last() -> None:
    """Rule: TR-155."""
    assert [finding.ok for finding in read_only_findings(GOOD)] == [True] * len(READ_ONLY)
    assert {(answer, field) for answer, field, _ in SPOILT} == {(each.answer, each.field) for each in READ_ONLY}
    for answer, field, value in SPOILT:
        findings = read_only_findings({**GOOD, answer: {**GOOD[answer], field: value}})
        assert (findings[-1].name, findings[-1].ok) == (f"{answer}: {field}", False)
        assert all(finding.ok for finding in findings[:-1])
    missing = read_only_findings({**GOOD, "plan": {}})
    assert not missing[-1].ok and "does not say" in missing[-1].detail


def test_no_startup_package_is_right_where_there_is_none_to_freeze() -> None:
    """Rule: TR-040."""
    plan = {**GOOD["plan"], "startup_frozen": False, "startup": {"frozen": False, "sha256": None}}
    assert all(finding.ok for finding in read_only_findings({**GOOD, "plan": plan}))


def test_every_rule_of_acceptance_has_somebody_who_settles_it() -> None:
    settled = {item.rule for who in ("checks", "drill", "person") for item in items_of(who)}
    assert settled == {f"TR-{number}" for number in range(154, 163)}
    assert {item.rule for item in items_of("person")} == {"TR-157", "TR-158", "TR-159"}


def test_a_configuration_that_names_another_place_is_no_drill(tmp_path: Path) -> None:
    """Rule: TR-154."""
    own = tmp_path / "drill"
    keys = ("project_dir", "claude_workdir", "channel_dir", "state_dir")
    paths = {key: str(own / key) for key in keys}
    assert named_outside(Settings(tmux_socket="drill", **paths), own, "drill") == []
    for key in keys:
        live = Settings(tmux_socket="drill", **{**paths, key: str(tmp_path / "live")})
        assert named_outside(live, own, "drill") == [key]
    assert named_outside(Settings(**paths), own, "drill") == ["tmux_socket"]
    assert named_outside(Settings(tmux_socket="drill"), own, "drill") == ["state_dir"]


def test_the_others_quotation_is_not_what_was_said() -> None:
    """Rule: TR-156."""
    said = [("user", "a sentence"), ("assistant", "another")]
    assert not_once(said, [*said, ("user", "more")]) == []
    assert not_once(said, [("assistant", "a sentence"), said[1]]) == [said[0]]
    assert not_once(said, [*said, said[1]]) == [said[1]]


def test_a_tool_that_is_nowhere_offered_is_named() -> None:
    names = [f"mcp__thread-rebuild__{tool.name}" for tool in TOOLS]
    assert not_offered({"tools": [{"name": name} for name in names]}) == []
    assert not_offered({"tools": [{"name": name} for name in names[1:]]}) == [TOOLS[0].name]


def test_a_host_of_this_user_that_changed_is_no_drill_that_passed() -> None:
    """Rule: TR-154."""
    assert lab.untouched({"%1": 10}, {"%1": 10, "%2": 20}, Left()).ok
    assert not lab.untouched({"%1": 10}, {"%1": 11}, Left()).ok
    assert not lab.untouched({"%1": 10}, {}, Left()).ok
    left = lab.untouched({}, {}, Left(processes=("process 7: claude",)))
    assert not left.ok and "process 7: claude" in left.saw


def test_what_is_left_is_looked_for(tmp_path: Path) -> None:
    """Rule: TR-162."""
    assert Left().said() == []
    assert len(Left(("a",), ("b",), ("c",)).said()) == 3
    assert marked("THREADREBUILD_DRILL", str(tmp_path)) == []
    folder = tmp_path / "drill"
    folder.mkdir()
    assert str(tmp_path) in writable(folder), "outside of the lab it can be written beside the folder"
    assert [path.name for path in tmp_path.iterdir()] == ["drill"]


Inside = Callable[[Path], None]


def played_by(monkeypatch: pytest.MonkeyPatch, inside: Inside) -> None:
    """Let something else happen where the stages would run."""
    monkeypatch.setattr(lab, "missing", lambda: None)
    monkeypatch.setattr(lab.shutil, "which", lambda name: name)
    monkeypatch.setattr(lab, "program_of", lambda version: ["claude"])
    monkeypatch.setattr(lab, "run_inside", lambda module, folder, *words, seconds: inside(Path(folder)))


def test_a_failure_keeps_its_evidence_and_says_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inside(folder: Path) -> None:
        seen = [*ALL[:1], {"name": STAGES[1].name, "rule": STAGES[1].rule, "ok": False, "saw": "init: no pane"}]
        lines = [json.dumps(each if isinstance(each, dict) else vars(each)) for each in seen]
        (folder / SEEN).write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / WIRE).write_text("null", encoding="utf-8")
        (folder / "config.toml").write_text("# as it was", encoding="utf-8")
        os.mkfifo(folder / "socket")
        raise LabFault("the last of what it said")

    played_by(monkeypatch, inside)
    result = CliRunner().invoke(main, ["drill", "--json", "-o", str(tmp_path / "out")])
    told = json.loads(result.stdout)
    assert (result.exit_code, told["verdict"]) == (1, "failed")
    assert told["reasons"][0] == f"{STAGES[1].name}: init: no pane"
    assert told["reasons"][1] == "the drill itself: the last of what it said"
    assert told["reasons"][2].startswith(f"not reached: {STAGES[2].name}")
    assert (tmp_path / "out" / "evidence" / "config.toml").read_text(encoding="utf-8") == "# as it was"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "The drill failed" in page and "init: no pane" in page and "Do not rely on it" not in page


def test_where_it_cannot_run_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(version: str) -> list[str]:
        raise Unavailable(f"the registry has no {version}")

    played_by(monkeypatch, lambda folder: None)
    monkeypatch.setattr(lab, "program_of", gone)
    result = CliRunner().invoke(main, ["drill", "--cli", "9.9.9", "-o", str(tmp_path / "out")])
    assert (result.exit_code, result.stderr) == (2, "error: the registry has no 9.9.9\n")
    monkeypatch.setattr(lab, "missing", lambda: "no namespace: not permitted")
    result = CliRunner().invoke(main, ["drill", "-o", str(tmp_path / "out")])
    assert result.exit_code == 2 and "not permitted" in result.stderr
    assert not (tmp_path / "out").exists()
    assert CliRunner().invoke(main, ["drill", "--cli", "latest"]).exit_code == 2
