"""`rebuild-harness run`: its exit codes, its line for each scenario, its run log and report."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from made_scenarios import FORK, checkout, stated, written

from harness.cli import main
from harness.runlog import read_run
from threadrebuild import __version__

GOOD = stated(FORK, '{ rule = "TOY-1", carried = "a hat then" }')
BAD = stated(FORK, '{ rule = "TOY-1", carried = "a scarf then" }', '{ rule = "TOY-2", not_carried = "a wet street" }')
REFUSED = stated('{ rule = "TOY-3", refused = "nothing-to-carry" }', head='talk = [ { meta = "x" } ]\n')


def _run(*args: object) -> Result:
    return CliRunner().invoke(main, ["run", *map(str, args)])


def test_a_green_folder(tmp_path: Path) -> None:
    written(tmp_path, GOOD, "scenarios/a.toml")
    written(tmp_path, REFUSED, "scenarios/b/b.toml")
    done = _run(tmp_path / "scenarios", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "green scenarios/a.toml: A made-up story",
        "green scenarios/b/b.toml: A made-up story",
        "green: 2 of 2 scenarios green",
        "fixed, zero field acceptance: there is no acceptance run",
        str(tmp_path / "out/report.html"),
    ]
    assert "A made-up story" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_a_red_one_names_steps_of_its_own_run_log(tmp_path: Path) -> None:
    written(tmp_path, GOOD, "scenarios/a.toml")
    path = written(tmp_path, BAD, "scenarios/b.toml")
    done = _run(tmp_path / "scenarios", "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "red: 1 of 2 scenarios green" in done.stdout
    steps = {step["step"]: step for step in read_run(tmp_path / "out/run.jsonl")}
    check = next(step for step in steps.values() if step["kind"] == "check" and not step["ok"])
    assert (check["rule"], check["name"], check["transcript"]) == ("TOY-1", "carried", 1)
    assert (steps[check["decided"]]["kind"], steps[check["decided"]]["transcript"]) == ("turns", 1)
    place = f"step {check['decided']} (turns) of {tmp_path / 'out/run.jsonl'}; looked at in step {check['step']}"
    assert place in done.stdout
    source = next(step for step in steps.values() if step["kind"] == "source" and step["transcript"] == 1)
    assert source["command"] == "rebuild-harness run scenarios/b.toml"
    assert source["expected"] == str(path)


def test_alone_it_has_the_same_steps_each_time(tmp_path: Path) -> None:
    path = written(tmp_path, BAD)
    logs = []
    for name in ("one", "two"):
        done = _run(path, "--out", tmp_path / name)
        assert done.exit_code == 1
        # The numbers that the pytest plugin names for the same scenario.
        assert "decided  step 5 (turns) of " in done.stdout
        assert "looked at in step 12" in done.stdout
        logs.append((tmp_path / name / "run.jsonl").read_text().replace(f"/{name}", ""))
    assert logs[0] == logs[1]


def test_json_is_one_object(tmp_path: Path) -> None:
    done = _run(written(tmp_path, BAD), "--out", tmp_path / "out", "--json")
    said = json.loads(done.stdout)
    assert (done.exit_code, said["verdict"]) == (1, "red")
    assert [each["why"] for each in said["scenarios"]] == [["expectation carried: “a scarf then” is said once"]]


def test_a_warning_that_no_expectation_names_is_red(tmp_path: Path) -> None:
    path = written(tmp_path, stated('{ rule = "TOY-1", carried = "a hat then" }'))
    done = _run(path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "no expectation names the warning fork" in done.stdout


def test_a_refusal_that_nobody_expected_is_red(tmp_path: Path) -> None:
    path = written(tmp_path, stated('{ rule = "TOY-3", figures = { turns = 0 } }', head='talk = [ { meta = "x" } ]\n'))
    done = _run(path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "expectation verdict: wanted carried, seen refused: nobody said anything" in done.stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("title = \n", "scenarios/toy/story.toml:1: Invalid value"),
        (stated(FORK, '{ rule = "TOY-2", not_carried = "no such" }'), "scenarios/toy/story.toml:13: expect[1]: "),
        (
            stated(FORK, head='settings = { x = 1 }\ntalk = [ { user = "x" } ]\n'),
            "scenarios/toy/story.toml:2: settings: ",
        ),
    ],
)
def test_what_makes_no_sense_ends_with_two(tmp_path: Path, text: str, reason: str) -> None:
    done = _run(written(tmp_path, text), "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {reason}")


def test_no_scenario_no_file_and_a_foreign_folder_end_with_two(tmp_path: Path) -> None:
    checkout(tmp_path)
    assert "no scenario" in _run(tmp_path / "scenarios", "--out", tmp_path / "out").stderr
    assert "No such file" in _run(tmp_path / "scenarios/none.toml", "--out", tmp_path / "out").stderr
    path = written(tmp_path, GOOD)
    done = _run(path, "--out", tmp_path / "scenarios")
    assert (done.exit_code, "choose another --out" in done.stderr) == (2, True)


@pytest.mark.parametrize("option", [("--until", "3"), ("--fault", "3:kill"), ("--fault", "")])
def test_only_nights_can_be_cut_short_or_go_wrong(tmp_path: Path, option: tuple[str, str]) -> None:
    done = _run(written(tmp_path, GOOD), "--out", tmp_path / "out", *option)
    assert done.exit_code == 2
    assert ("scenarios/toy/story.toml is none" in done.stderr) == bool(option[1])
    assert not (tmp_path / "out").exists()


def test_the_version() -> None:
    done = CliRunner().invoke(main, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"rebuild-harness {__version__}\n")


def test_what_settings_leave_out_is_not_missed(tmp_path: Path) -> None:
    head = 'settings = { private_lines = ["me"] }\ntalk = [ { user = "what did you tell them" }, '
    head += '{ reply = "the group hears this", to = "group" }, { reply = "and you hear this" } ]\n'
    path = written(tmp_path, stated('{ rule = "TOY-2", not_carried = "the group hears this" }', head=head))
    assert _run(path, "--out", tmp_path / "out").exit_code == 0
