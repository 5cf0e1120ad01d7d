"""The pytest plugin from outside: what it collects, how a failure reads, what it says at the end."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_scenarios import FORK, checkout, stated, written

import harness.replay

pytest_plugins = ("pytester",)

GOOD = stated(FORK, '{ rule = "TOY-1", carried = "a hat then" }')
BAD = stated(FORK, '{ rule = "TOY-1", carried = "a scarf then" }')


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A checkout in which `pytester` runs with this plugin and no other that happens to be installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p harness.pytest_plugin")
    monkeypatch.delenv("CI", raising=False)
    checkout(pytester.path)
    return pytester


def test_scenarios_are_tests_and_other_tables_are_not(run: pytest.Pytester) -> None:
    written(run.path, GOOD, "scenarios/toy/hat.toml")
    written(run.path, "", "scenarios/rules/exceptions.toml")
    written(run.path, "", "other/settings.toml")
    run.runpytest_inprocess().assert_outcomes(passed=1)
    found = run.runpytest_inprocess("--collect-only", "-q")
    found.stdout.fnmatch_lines(["scenarios/toy/hat.toml::A made-up story"])


def test_a_failure_says_rule_sight_step_and_command(run: pytest.Pytester) -> None:
    written(run.path, BAD, "scenarios/toy/scarf.toml")
    failed = run.runpytest_inprocess()
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        [
            "*scenarios/toy/scarf.toml:13: A made-up story",
            "*TOY-1 (scenarios/rules/toy.md:5): What people say is carried.",
            "*wanted   “a scarf then” is said once",
            "*saw      not once: *",
            "*decided  step 5 (turns) of the run log*; looked at in step 12",
            "*again    rebuild-harness run scenarios/toy/scarf.toml",
        ]
    )
    failed.stdout.no_fnmatch_line("*Traceback*")
    failed.stdout.no_fnmatch_line("*runtest*")


def test_a_scenario_that_makes_no_sense_says_where(run: pytest.Pytester) -> None:
    written(run.path, "title = \n", "scenarios/toy/torn.toml")
    torn = run.runpytest_inprocess()
    torn.assert_outcomes(errors=1)
    torn.stdout.fnmatch_lines(["scenarios/toy/torn.toml:1: Invalid value*"])
    written(run.path, stated(FORK, '{ rule = "TOY-2", not_said = "x y z" }'), "scenarios/toy/torn.toml")
    senseless = run.runpytest_inprocess()
    senseless.assert_outcomes(failed=1)
    senseless.stdout.fnmatch_lines(["scenarios/toy/torn.toml:13: expect?1?: “x y z” does not stand in the source*"])


def test_a_fault_of_the_code_keeps_its_traceback(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        raise ZeroDivisionError("here")

    monkeypatch.setattr(harness.replay, "replayed", stumble)
    written(run.path, GOOD)
    run.runpytest_inprocess().stdout.fnmatch_lines(["E*ZeroDivisionError: here"])


SKIPS = """
import pytest

@pytest.mark.parametrize("n", range(2))
def test_page(n):
    pytest.skip("browser: no chromium")

@pytest.mark.skip(reason="root reads every file")
def test_rights(): ...

def test_good(): ...
"""


def test_skips_are_the_last_thing_said(run: pytest.Pytester) -> None:
    run.makepyfile(SKIPS)
    said = run.runpytest_inprocess().stdout.lines
    assert said[-1] == "3 skipped: browser: no chromium (2), root reads every file (1)"


def test_nothing_is_said_of_skips_where_there_are_none(run: pytest.Pytester) -> None:
    run.makepyfile("def test_good(): ...")
    run.runpytest_inprocess().stdout.no_fnmatch_line("*skipped:*")


def test_a_module_that_is_skipped_whole_counts_too(run: pytest.Pytester) -> None:
    run.makepyfile("import pytest\npytest.skip('no tmux here', allow_module_level=True)")
    assert run.runpytest_inprocess().stdout.lines[-1] == "1 skipped: no tmux here (1)"


def test_golden_files_are_not_blessed_in_ci(run: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    refused = run.runpytest_inprocess("--update-golden")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: --update-golden *CI is set in the environment*"])


def test_changes_and_unused_files_are_listed(run: pytest.Pytester) -> None:
    (run.path / "golden/expected/made").mkdir(parents=True)
    (run.path / "golden/made").mkdir()
    (run.path / "golden/made/here.jsonl").touch()
    for name in ("here", "gone"):
        (run.path / f"golden/expected/made/{name}.candidate").touch()
    run.makepyfile("def test_it(record_property):\n    record_property('golden-change', 'line 3 changed')")
    said = run.runpytest_inprocess("--update-golden")
    said.stdout.fnmatch_lines(
        ["*golden files*", "line 3 changed", "unused: golden/expected/made/gone.candidate has no recording*"]
    )
    said.stdout.no_fnmatch_line("*here.candidate*")


@pytest.mark.parametrize("module", ["harness.pytest_plugin", "harness.scenario.checks", "harness.golden"])
def test_loading_it_does_not_load_the_code_under_test(module: str) -> None:
    root = Path(__file__).parents[2]
    code = f"import sys, {module}; sys.exit('threadrebuild' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(root)}).returncode == 0


def test_golden_files_are_written_shown_and_then_compared(run: pytest.Pytester) -> None:
    ours = Path(__file__).parents[2]
    (run.path / "golden/made").mkdir(parents=True)
    recordings = (run.path / "golden/made/plain.jsonl", run.path / "golden/made/plenty.jsonl")
    shutil.copy(ours / "golden/made/plain.jsonl", recordings[0])
    (run.path / "tests").mkdir()
    # Under another name: the module of the suite itself may be loaded in this process.
    shutil.copy(ours / "tests/test_golden.py", run.path / "tests/test_golden_copied.py")
    expected = run.path / "golden/expected/made/plain.candidate"

    run.runpytest_inprocess("tests").assert_outcomes(failed=3, passed=1)
    written_now = run.runpytest_inprocess("tests", "--update-golden")
    written_now.stdout.fnmatch_lines(["golden/expected/made/plain.candidate", "new, 6 lines"])
    assert expected.read_bytes() == (ours / "golden/expected/made/plain.candidate").read_bytes()
    run.runpytest_inprocess("tests").assert_outcomes(passed=4)

    good = expected.read_bytes()
    expected.write_bytes(good.replace("留白".encode(), "留黑".encode(), 1))
    red = run.runpytest_inprocess("tests")
    red.assert_outcomes(failed=2, passed=2)
    red.stdout.fnmatch_lines(["*--update-golden writes it*", "line 4, byte *:", "*- *留黑*", "*+ *留白*"])
    mended = run.runpytest_inprocess("tests", "--update-golden")
    mended.stdout.fnmatch_lines(["*golden files*", "golden/expected/made/plain.candidate", "line 4, byte *:"])
    assert expected.read_bytes() == good

    recordings[0].rename(recordings[1])
    left = run.runpytest_inprocess("tests")
    left.stdout.fnmatch_lines(["unused: golden/expected/made/plain.candidate has no recording; remove it"])
    assert left.parseoutcomes()["failed"] == 4
