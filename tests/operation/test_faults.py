"""The fault suite itself: it goes through every step, sees what is broken, and prints what can be played again."""

import json
import os
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from harness.cli import main
from harness.faults import CRASHES, calls_of, try_faults
from harness.scenario.nights.loading import load_night
from harness.scenario.nights.playing import NEXT, THIRD_PARTIES
from harness.scenario.nights.story import EVENTS

ROOT = Path(__file__).resolve().parents[2]
NIGHTS = ROOT / "scenarios" / "rebuild" / "nights"
CANCELLED = NIGHTS / "taken-back-in-time.toml"
SHARE = 197
"""Of how many faults of a night the suite plays one; `rebuild-harness faults` plays all."""
SWITCHED = NIGHTS / "a-window-is-changed.toml"


def test_every_step_is_tried_in_every_way() -> None:
    done = CliRunner().invoke(main, ["faults", str(CANCELLED), "--json"])
    assert done.exit_code == 0, done.output
    (tried,) = json.loads(done.stdout)
    calls = calls_of(load_night(CANCELLED))
    files = [call for door, call in calls if door == "files"]
    assert tried["scenario"] == "scenarios/rebuild/nights/taken-back-in-time.toml"
    assert tried["steps"] == len(calls)
    assert tried["crashes"] == len(calls) * len(CRASHES) * len(NEXT)
    assert tried["writes"] == 2 * len(files) + files.count("write")
    assert tried["others"] == len(calls) * len(THIRD_PARTIES)
    assert tried["violations"] == []


def test_a_share_of_the_faults_of_every_night_leaves_nothing_behind() -> None:
    nights = [night for path in sorted(NIGHTS.glob("*.toml")) if (night := load_night(path)).every_step]
    tried = list(try_faults(nights, SHARE))
    assert [(each.scenario.name, each.shown()["violations"]) for each in tried if each.violations] == []
    assert len(tried) == len(nights)
    for kind in ("crashes", "writes", "calls", "others"):
        assert sum(each.shown()[kind] for each in tried), f"the share holds no {kind}"


def test_a_violation_is_red_and_names_the_command_that_plays_it_again(tmp_path: Path) -> None:
    # Whoever hides a half-written file from the sweep leaves it behind where the process was killed while writing it.
    code = """
import sys
from harness.cli import main
from threadrebuild.operation.store import Store
Store.sweep = lambda self: None
main()
"""
    done = _python("-c", code, "faults", str(CANCELLED), "--json")
    assert done.returncode == 1, done.stderr
    (tried,) = json.loads(done.stdout)
    violation = tried["violations"][0]
    assert violation["rule"] == "TR-149"
    words = violation["command"].split()
    assert words[0] == "rebuild-harness"
    again = _python("-c", code, *words[1:], "--out", str(tmp_path / "again"))
    assert again.returncode == 1
    assert violation["said"] in again.stdout
    sound = CliRunner().invoke(main, [*words[1:], "--out", str(tmp_path / "sound")])
    assert sound.exit_code == 0, sound.output


def test_the_run_log_of_a_night_is_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    logs = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        done = _python(
            "-c", "from harness.cli import main; main()", "run", str(SWITCHED), "--out", str(out), hashes=seed
        )
        assert done.returncode == 0, done.stdout
        lines = (out / "run.jsonl").read_bytes().splitlines()
        logs.append(lines[1:])  # the first line holds the command, with the folder
    assert logs[0] == logs[1]


def test_a_night_can_be_cut_short_at_any_step(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["run", str(SWITCHED), "--until", "20", "--out", str(out)])
    assert done.exit_code == 0, done.output
    steps = [json.loads(line) for line in (out / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [step["address"] for step in steps if step["kind"] == "port"] == list(range(1, 21))


def test_unknown_faults_are_usage_errors(tmp_path: Path) -> None:
    for fault in ("x:kill", "0:kill", "3:burn", "3:kill:nobody"):
        done = CliRunner().invoke(main, ["run", str(SWITCHED), "--fault", fault, "--out", str(tmp_path / "out")])
        assert done.exit_code == 2, fault


def test_the_manual_names_everything_that_can_happen() -> None:
    manual = (ROOT / "scenarios" / "README.md").read_text(encoding="utf-8")
    assert [name for name in EVENTS if f"`{name}`" not in manual] == []


def _python(*words: str, hashes: str = "0") -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONHASHSEED": hashes, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
