"""`rebuild-harness replay`: what it says of recordings that meet what is stated about them, and of others."""

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.cli import main
from harness.runlog import read_run

MADE = Path(__file__).parents[2] / "golden/made"


def _copied(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        for ending in (".jsonl", ".expect.json"):
            shutil.copy(MADE / f"{name}{ending}", folder)
    return folder


def _replay(*args: object) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, args)])


def test_what_is_stated_holds(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "plain", "poisoned", "torn-tail")
    done = _replay(talks, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:4] == [
        "green plain.jsonl",
        "green poisoned.jsonl",
        "green torn-tail.jsonl",
        "green: 3 of 3 transcripts green",
    ]
    headline = "Refused, as expected; carried with --malformed report"
    # In the count of headlines, the list, and above the transcript.
    assert (tmp_path / "out/report.html").read_text(encoding="utf-8").lower().count(headline.lower()) == 3
    candidates = sorted(path.name for path in (tmp_path / "out/candidates").iterdir())
    # Refused once, and carried when told to go on; what is poisoned leaves no folder.
    assert [name for name in candidates if "again" not in name and "carried" not in name] == [
        "000-plain",
        "002-torn-tail-reported",
    ]


def test_a_candidate_of_an_earlier_run_is_not_taken_away_to_be_replayed(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "plain")
    assert _replay(talks, "--out", tmp_path / "out").exit_code == 0
    made = next((tmp_path / "out/candidates").rglob("*.jsonl"))
    done = _replay(made, "--out", tmp_path / "out")
    assert (done.exit_code, "choose another --out" in done.stderr, made.exists()) == (2, True, True), done.output
    assert _replay(made, "--out", tmp_path / "other").exit_code in (0, 1)


def test_a_statement_that_does_not_hold_is_red_and_told_from_the_log(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "plain")
    stated = json.loads((talks / "plain.expect.json").read_bytes()) | {"turns": 4}
    (talks / "plain.expect.json").write_text(json.dumps(stated), encoding="utf-8")
    done = _replay(talks / "plain.jsonl", "--out", tmp_path / "out", "--json")
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert (said["verdict"], said["transcripts"][0]["why"]) == ("red", ["expectation turns: wanted 4, seen 3"])
    assert said["transcripts"][0]["carry"]["turns"] == 3
    steps = read_run(tmp_path / "out/run.jsonl")
    assert [(step["wanted"], step["seen"]) for step in steps if step.get("name") == "turns"] == [(4, 3)]
    end = steps[-1]
    assert (end["kind"], end["verdict"], end["green"], end["red"]) == ("end", "red", 0, 1)
    assert {label: count for label, count in end["labels"].items() if count} == {"expectation": 1}
    assert end["field"]["wording"] == "fixed, zero field acceptance"


def test_going_on_is_held_against_what_is_stated_about_it(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "torn-tail", "malformed-middle", "plain", "poisoned")
    assert _replay(talks, "--malformed", "report", "--out", tmp_path / "out").exit_code == 0
    stated = json.loads((talks / "torn-tail.expect.json").read_bytes()) | {"with_report": "refused"}
    (talks / "torn-tail.expect.json").write_text(json.dumps(stated), encoding="utf-8")
    for settings, name in (([], "with_report"), (["--malformed", "report"], "verdict")):
        done = _replay(talks / "torn-tail.jsonl", *settings, "--out", tmp_path / "out")
        assert done.exit_code == 1
        assert f"expectation {name}: wanted refused, seen carried" in done.stdout


def test_without_a_statement_it_has_to_be_carried(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "malformed-middle", "plain")
    for stated in talks.glob("*.expect.json"):
        stated.unlink()
    done = _replay(talks, "--out", tmp_path / "out")
    assert done.exit_code == 1
    first, *others = done.stdout.splitlines()[:3]
    assert first.startswith("REFUSED malformed-middle.jsonl: line 3 at byte ")
    assert first.endswith(" (--malformed report goes on and lists them)")
    assert others == ["green plain.jsonl", "red: 1 of 2 transcripts green"]
    checks = [step for step in read_run(tmp_path / "out/run.jsonl") if step["kind"] == "check"]
    assert not [check for check in checks if check["by"] == "expectation"]
    assert all(check["ok"] for check in checks)
    said = json.loads(_replay(talks, "--out", tmp_path / "out", "--json").stdout)
    assert [each["verdict"] for each in said["transcripts"]] == ["red", "green"]
    assert said["transcripts"][0]["why"] == [first.partition(": ")[2]]
    assert _replay(talks, "--malformed", "report", "--out", tmp_path / "out").exit_code == 0


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "no such file or folder"), ("empty", "no .jsonl file in this folder")]
)
def test_nothing_to_replay_ends_with_two(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "empty").mkdir()
    done = _replay(tmp_path / name, "--out", tmp_path / "out")
    assert (done.exit_code, reason in done.stderr) == (2, True)


@pytest.mark.parametrize("there", [False, True])
def test_only_the_owner_may_read_what_a_run_wrote(tmp_path: Path, there: bool) -> None:
    talks, out = _copied(tmp_path / "talks", "plain"), tmp_path / "out"
    if there:
        out.mkdir(0o755)
    for _ in range(2):
        before = os.umask(0)
        try:
            assert _replay(talks, "--out", out).exit_code == 0
        finally:
            os.umask(before)
        assert oct(out.stat().st_mode & 0o777) == "0o700"
        assert [oct((out / name).stat().st_mode & 0o777) for name in ("run.jsonl", "report.html")] == ["0o600"] * 2
        out.chmod(0o755)


@pytest.mark.parametrize("there", ["file", "file/below", "circle", "x" * 300])
def test_an_out_folder_that_cannot_be_ends_with_two(tmp_path: Path, there: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    talks = _copied(tmp_path / "talks", "plain")
    done = _replay(talks, "--out", tmp_path / there)
    assert (done.exit_code, type(done.exception)) == (2, SystemExit)
    assert done.stderr.startswith("error: ")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    "first", ["", "no json\n", "[1]\n", '{"step": 1, "kind": "source"}\n', '{"kind": "run"}\n', "[" * 9999]
)
def test_a_foreign_file_of_a_run_logs_name_is_not_written_over(tmp_path: Path, first: str) -> None:
    talks, out = _copied(tmp_path / "talks", "plain"), tmp_path / "out"
    (out / "candidates").mkdir(parents=True)
    files = [out / "run.jsonl", out / "report.html", out / "candidates/mine.txt"]
    for file in files:
        file.write_text(first)
    done = _replay(talks, "--out", out)
    assert (done.exit_code, "choose another --out" in done.stderr) == (2, True)
    assert [file.read_text() for file in files] == [first] * 3


def test_a_run_that_was_cut_short_is_written_over(tmp_path: Path) -> None:
    talks, out = _copied(tmp_path / "talks", "plain"), tmp_path / "out"
    (talks / "plain.expect.json").write_text("{")
    assert _replay(talks, "--out", out).exit_code == 2
    (talks / "plain.expect.json").unlink()
    assert _replay(talks, "--out", out).exit_code == 0


def test_a_broken_statement_ends_with_two(tmp_path: Path) -> None:
    talks = _copied(tmp_path / "talks", "plain")
    (talks / "plain.expect.json").write_text('{"verdict": "carried", "mood": 1}', encoding="utf-8")
    done = _replay(talks, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "plain.expect.json: Object contains unknown field `mood`" in done.stderr
