"""The lock of the CLI's version: written after a GO, refused where a run is missing, compared with what is here."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.expect import expect, expect_equal, proves
from harness.lab import check
from harness.lab.check import Checked, NotLocked, Tried, judge, lock
from harness.world.night import Night
from threadrebuild.cli_lock import LOCK_NAME, REQUIRED_RUNS, Lock, OddLock, lock_refusal, read_lock, write_lock
from threadrebuild.cli_version import serving_version
from threadrebuild.doctor import Report, doctor
from threadrebuild.ports import Answer
from threadrebuild.system import SystemFiles

T = TypeVar("T")
BOTH = ("window change", "review")
DIGEST = "ab" * 32


def in_world(night: Night, action: Callable[[], T]) -> T:
    """What an action answers that takes steps in the simulated world."""
    answers: list[T] = []
    night.world.start(night.world.process("check"), lambda: answers.append(action()))
    night.world.run()
    return answers[0]


def examined(
    folder: Path, installed: str, serving: str, runs: tuple[str, ...] = BOTH, locked: str = "2.1.199"
) -> Report:
    """The report on a household whose lock names `locked`."""
    night = Night(folder)
    house = replace(night.house, config=folder / "config.toml")
    write_lock(folder / LOCK_NAME, Lock(version=locked, evidence=DIGEST, runs=runs), SystemFiles())
    night.processes.on_call = lambda command, given: Answer(0, f"{installed} (Claude Code)\n".encode())
    night.talk(lambda talk: talk.assistant("收到", version=serving))
    return in_world(night, lambda: doctor(house))


def version_check(report: Report) -> bool | None:
    return next((check.ok for check in report.checks if check.name == "cli_version"), None)


@proves("WN-05")
def test_another_version_is_noticed(tmp_path: Path) -> None:
    same = examined(tmp_path / "same", "2.1.199", "2.1.199")
    notes = same.cli.notes if same.cli else None
    expect_equal("WN-05", (version_check(same), notes), (True, []), "the pinned version is installed and serves")
    for installed in ("2.1.200", "2.1.198", "2.2.199", "2.1.19"):
        other = examined(tmp_path / installed, installed, "2.1.199")
        expect_equal("WN-05", version_check(other), False, f"{installed} is installed and 2.1.199 pinned")
        expect("WN-05", not other.ok, "doctor is not content")
    serving = examined(tmp_path / "serving", "2.1.199", "2.1.200")
    said = " ".join(serving.cli.notes if serving.cli else [])
    expect(
        "WN-05", "2.1.200" in said and "2.1.199" in said, "another version that serves is named beside the pinned one"
    )
    expect_equal("WN-05", version_check(serving), True, "what serves until the next start is no fault of the program")


def test_a_household_without_a_lock_is_told_and_asks_no_program(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    report = in_world(night, lambda: doctor(replace(night.house, config=tmp_path / "config.toml")))
    assert version_check(report) is None
    assert report.cli is not None
    assert report.cli.notes == [f"no version of the CLI is locked: there is no {tmp_path / LOCK_NAME}"]


def test_a_lock_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    night = Night(tmp_path / "night")
    for content in (
        "version = 3\n",
        "version",
        'version = "2.1.199"\n',
        f'version = "2"\nevidence = "{DIGEST}"\nrun = []\n',
    ):
        (tmp_path / LOCK_NAME).write_text(content)
        with pytest.raises(OddLock, match=LOCK_NAME):
            read_lock(tmp_path / LOCK_NAME)
        report = in_world(night, lambda: doctor(replace(night.house, config=tmp_path / "config.toml")))
        assert version_check(report) is False


def test_a_program_that_tells_no_version_is_not_the_locked_one(tmp_path: Path) -> None:
    assert version_check(examined(tmp_path, "no version", "2.1.199")) is False


def test_rows_of_a_carry_do_not_say_who_serves(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rows = [{"version": "2.1.199"}, {"type": "mode"}, {"version": "2.0.42", "threadrebuild": ["speech"]}, []]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "cut off")
    assert serving_version(path) == "2.1.199"
    path.write_text("")
    assert serving_version(path) is None


@proves("WN-07")
def test_no_upgrade_without_both_runs() -> None:
    expect_equal("WN-07", REQUIRED_RUNS, BOTH, "runs that an upgrade needs")
    expect_equal(
        "WN-07", lock_refusal("GO", "2.2.0", {"2.1.199"}, [*BOTH, "carry"]), None, "an upgrade after both runs"
    )
    for run in BOTH:
        refusal = lock_refusal("GO", "2.2.0", {"2.1.199"}, [each for each in BOTH if each != run])
        expect("WN-07", refusal is not None and run in refusal, f"an upgrade without {run} is refused, and it is named")
    expect("WN-07", lock_refusal("GO", "2.2.0", {"2.2.0", "2.1.199"}, ["carry"]), "in use is another version as well")
    expect_equal("WN-07", lock_refusal("GO", "2.2.0", {"2.2.0"}, ["carry"]), None, "what is in use is no upgrade")
    expect("WN-07", lock_refusal("NO-GO", "2.2.0", {"2.2.0"}, BOTH), "a NO-GO pins nothing, whatever was run")


def checked(out: Path, *made: str, failures: tuple[str, ...] = ()) -> Checked:
    """A check with a run log, by made-up findings."""
    done = judge([Tried("2.2.0")], out, "cli-check")
    done.candidate.made[:] = made
    return replace(done, verdict="NO-GO" if failures else "GO")


def test_a_go_is_locked_with_the_digest_of_its_run_log(tmp_path: Path) -> None:
    path = tmp_path / LOCK_NAME
    pinned = lock(checked(tmp_path / "out", "carry", "resume"), None, path)
    assert (read_lock(path), pinned.version, pinned.runs) == (pinned, "2.2.0", ("carry", "resume"))
    assert pinned.evidence == check.digest_of(
        tmp_path / "out" / "run.jsonl", (tmp_path / "out" / "run.jsonl").stat().st_size
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == [LOCK_NAME, "out"]


def test_what_is_not_locked_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / LOCK_NAME
    with pytest.raises(NotLocked, match="NO-GO"):
        lock(checked(tmp_path / "bad", *BOTH, failures=("lost",)), None, path)
    with pytest.raises(NotLocked, match=r"2\.1\.199 to 2\.2\.0 .* review"):
        lock(checked(tmp_path / "current", "window change"), "2.1.199", path)
    assert not path.exists()
    write_lock(path, Lock(version="2.1.199", evidence=DIGEST, runs=()), SystemFiles())
    before = path.read_bytes()
    with pytest.raises(NotLocked, match="window change, review"):
        lock(checked(tmp_path / "pinned", "carry"), None, path)
    assert path.read_bytes() == before
    path.write_text("no lock")
    with pytest.raises(NotLocked, match="no lock of a version"):
        lock(checked(tmp_path / "odd", *BOTH), None, path)
    with pytest.raises(NotLocked, match="No such file"):
        lock(checked(tmp_path / "nowhere", *BOTH), None, tmp_path / "missing" / LOCK_NAME)


@pytest.mark.parametrize(("verdict", "code"), [("GO", 0), ("NO-GO", 1)])
def test_the_command_locks_beside_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str, code: int
) -> None:
    done = replace(checked(tmp_path / "out", "carry"), verdict=verdict)
    monkeypatch.setattr(check, "cli_check", lambda *words: done)
    monkeypatch.setenv("KAEL_REBUILD_CONFIG", str(tmp_path / "config.toml"))
    result = CliRunner().invoke(main, ["cli-check", "--candidate", "2.2.0", "--lock", "--json"])
    told = json.loads(result.stdout)["lock"]
    assert (result.exit_code, told["path"]) == (code, str(tmp_path / LOCK_NAME))
    assert (tmp_path / LOCK_NAME).exists() == (verdict == "GO") == (told["why_not"] is None)
    assert told["missing"] == (list(BOTH) if verdict == "GO" else [])
    said = CliRunner().invoke(main, ["cli-check", "--candidate", "2.2.0", "--lock"]).stdout
    assert ("locked in" in said, "not locked: the check ended with NO-GO" in said) == (verdict == "GO", verdict != "GO")
