"""What the commands say and when they fail, what is kept from run to run, and which checks are refused."""

import json
import sys
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import click
import pytest
from made_up import CODE, TESTS, invoke, made_up_root, run, statuses

from harness.controls.cli import controls, rules
from harness.controls.run import BaselineRed
from harness.controls.survey import read_survey
from harness.expect import expect
from harness.rules import CatalogueError


@dataclass(frozen=True)
class Story:
    """A scenario as the controls see it."""

    name: str
    rules: tuple[str, ...]
    file: Path
    line: int

    def run(self, tmp_path: Path) -> None:
        from toy.core import shouted  # type: ignore[import-not-found]

        expect(self.rules[0], shouted("AB") == "AB!", "shouting is marked")


def test_scenarios_are_checks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests="")
    file = root / "scenarios/shout.toml"
    file.write_text("")
    stories = [Story("scenarios/shout.toml", ("TOY-2",), file, 4)]
    module = ModuleType("harness.scenario.checks")
    module.__spec__ = ModuleSpec("harness.scenario.checks", None)
    module.scenario_checks = lambda root: stories  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "harness.scenario.checks", module)
    assert statuses(run(root))["TOY-2"] == "proven"
    stories[:] = [Story("scenarios/shout.toml", ("TOY-9",), file, 4)]
    with pytest.raises(CatalogueError, match=r"scenarios/shout.toml:4: TOY-9 is in no table"):
        read_survey(root, "toy")


def test_an_equivalent_sabotage_fails_the_command_and_is_named(tmp_path: Path) -> None:
    code = "def f(x):\n    if x:  # TOY-1\n        return 'same'\n    return 'same'\n"
    tests = """
@proves("TOY-1")
def test_f():
    from toy.core import f
    expect("TOY-1", f(True) == "same", "always the same")
"""
    root = made_up_root(tmp_path / "r", code=code, tests=tests)
    status, said = invoke(controls, root)
    assert status == 1
    assert "TOY-1 green: toy/core.py:2: if x:" in said
    assert "negated: x" in said
    assert "tests/test_toy.py::test_f stayed green" in said
    assert "1 controls: 0 caught, 0 unspecific, 1 stayed green" in said


def test_an_anchor_without_any_check_is_reported_and_fails_nothing(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE + "\n\nOTHER = 5  # TOY-4\n", tests=TESTS)
    status, said = invoke(controls, root)
    assert status == 0
    assert "anchored, but no check names them (unproven): TOY-4" in said


def test_nothing_is_run_when_a_check_is_red_without_any_sabotage(tmp_path: Path) -> None:
    tests = TESTS.replace('"AB!"', '"AB?"')
    root = made_up_root(tmp_path / "r", code=CODE, tests=tests)
    with pytest.raises(BaselineRed, match="test_shouted: broke TOY-2"):
        run(root)
    status, said = invoke(controls, root)
    assert (status, "no control was run" in said) == (1, True)


def test_outcomes_are_kept_until_a_byte_changes(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    # One child for the green run, and one for each of two sabotages; each runs both checks.
    first, second = run(root), run(root)
    assert (first.children, first.kept) == (3, 0)
    assert (second.children, second.kept) == (0, 6)
    assert statuses(first) == statuses(second)
    (root / "tests/test_toy.py").write_text((root / "tests/test_toy.py").read_text() + "\n")
    assert run(root).children == 3
    (root / "toy/other.py").write_text("X = 1\n")
    assert run(root).children == 3


def test_rules_says_what_was_never_run(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    _, said = invoke(rules, root)
    assert "Controls were never run on this code" in said
    assert "0 proven, 2 tested, 3 unproven, 0 excepted of 5 rules" in said
    assert invoke(controls, root)[0] == 0
    status, said = invoke(rules, root, "--json")
    document = json.loads(said)
    assert (status, document["counts"]) == (0, {"proven": 2, "tested": 0, "unproven": 3, "excepted": 0})
    [row] = [row for row in document["rules"] if row["id"] == "TOY-2"]
    assert (row["status"], row["checks"], row["anchors"]) == (
        "proven",
        ["tests/test_toy.py::test_shouted"],
        ["toy/core.py:10"],
    )
    assert (row["control"]["total"], row["control"]["caught"]) == (1, 1)


@pytest.mark.parametrize("command", [rules, controls])
@pytest.mark.parametrize("prefix", ["nosuch", "TO", "TOY-9", "toy"])
def test_a_prefix_of_no_rule_is_a_wrong_use(tmp_path: Path, command: click.Command, prefix: str) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    status, said = invoke(command, root, "--prefix", prefix)
    assert (status, f"no rule begins with '{prefix}'" in said) == (2, True)


def test_a_prefix_runs_only_what_its_rules_need(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    status, said = invoke(controls, root, "--prefix", "TOY-1", "--json")
    document = json.loads(said)
    assert status == 0
    assert [(row["rule"], row["verdict"]) for row in document["controls"]] == [("TOY-1", "caught")]
    # TOY-1's check: green without sabotage, red under its own, green under the neighbour's.
    assert document["totals"]["children"] == 3


def test_an_excepted_rule(tmp_path: Path) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    entry = "[TOY-3]\nkind = 'presentation'\nreason = 'A colour.'\n"
    (root / "scenarios/rules/exceptions.toml").write_text(entry)
    assert statuses(run(root))["TOY-3"] == "excepted"


def test_ids_that_no_rule_has_are_all_named_with_file_and_line(tmp_path: Path) -> None:
    tests = '@proves("TOY-7")\ndef test_a():\n    expect("TOY-8", True, "x")\n'
    root = made_up_root(tmp_path / "r", code="X = 1  # TOY-9\n", tests=tests)
    (root / "scenarios/rules/exceptions.toml").write_text("[TOY-6]\nkind = 'conduct'\nreason = 'x'\n")
    with pytest.raises(CatalogueError) as caught:
        read_survey(root, "toy")
    said = str(caught.value)
    assert "exceptions.toml:1: TOY-6" in said
    assert "toy/core.py:1: TOY-9" in said
    assert "tests/test_toy.py:4: TOY-7" in said
    assert "tests/test_toy.py:5: TOY-8" in said
    assert invoke(rules, root)[0] == 1


@pytest.mark.parametrize(
    "marked",
    [
        "@proves(ID)\ndef test_a():\n    pass\n",
        '@proves("TOY-1")\ndef test_a(tmp_path, other):\n    pass\n',
        '@proves("TOY-1")\nasync def test_a():\n    pass\n',
    ],
)
def test_a_marked_function_that_cannot_be_called_plainly_is_refused(tmp_path: Path, marked: str) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=marked)
    with pytest.raises(CatalogueError, match=r"tests/test_toy.py:4: "):
        read_survey(root, "toy")


def test_another_interpreter_is_started_where_the_package_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root = made_up_root(tmp_path / "r", code=CODE, tests=TESTS)
    monkeypatch.setitem(sys.modules, "toy", ModuleType("toy"))
    with pytest.raises(CatalogueError, match="toy was loaded before"):
        run(root)
    status, _ = invoke(controls, root, "--prefix", "TOY-1")
    assert status == 0
    assert "1 controls: 1 caught" in capfd.readouterr().out
