"""A made-up checkout: a package `toy`, a catalogue of five rules, and the tests that a case needs."""

from pathlib import Path

import click
from click.testing import CliRunner

from harness.controls.run import Run, run_controls
from harness.controls.survey import read_survey
from harness.controls.verdict import Control

CATALOGUE = """# Toy

| id | level | rule | numbers | incident | fires when |
| --- | --- | --- | --- | --- | --- |
| TOY-1 | all | The first rule. | 3 | – | a |
| TOY-2 | all | The second rule. | – | – | b |
| TOY-3 | all | The third rule. | – | – | c |
| TOY-4 | all | The fourth rule. | – | 2026-08-14 | d |
| TOY-L1 | all | A limit. | – | – | e |
"""

HEAD = "from harness.expect import RuleBroken, expect, proves\n\n"


def made_up_root(root: Path, *, code: str, tests: str, catalogue: str = CATALOGUE, sql: str | None = None) -> Path:
    """Write the checkout and return its root. `code` is `toy/core.py`; `tests` is `tests/test_toy.py`."""
    for folder in ("toy", "tests", "scenarios/rules"):
        (root / folder).mkdir(parents=True)
    (root / "scenarios/rules/toy.md").write_text(catalogue, encoding="utf-8")
    (root / "toy/__init__.py").write_text("", encoding="utf-8")
    (root / "toy/core.py").write_text(code, encoding="utf-8")
    (root / "tests/test_toy.py").write_text(HEAD + tests, encoding="utf-8")
    if sql is not None:
        (root / "toy/schema.sql").write_text(sql, encoding="utf-8")
    return root


# Two decisions whose checks are exact: each notices its own sabotage and stays green under the other's.
CODE = """
LIMIT = 3  # TOY-1


def short(text):
    return len(text) <= LIMIT


def shouted(text):
    if text.isupper():  # TOY-2
        return text + "!"
    return text
"""
TESTS = """
@proves("TOY-1")
def test_limit():
    from toy.core import short
    expect("TOY-1", short("abc") and not short("abcd"), "three pass, four do not")


@proves("TOY-2")
def test_shouted(tmp_path):
    from toy.core import shouted
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "used").touch()
    expect("TOY-2", shouted("AB") == "AB!", "shouting is marked")
"""


def run(root: Path, time_limit: float = 20.0) -> Run:
    return run_controls(read_survey(root, "toy"), time_limit=time_limit)


def found(run: Run, id_: str) -> list[Control]:
    return next(standing.controls for standing in run.standings if standing.id == id_)


def statuses(run: Run) -> dict[str, str]:
    return {standing.id: standing.status for standing in run.standings}


def invoke(command: click.Command, root: Path, *args: str) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["--root", str(root), "--package", "toy", *args])
    return result.exit_code, result.output
