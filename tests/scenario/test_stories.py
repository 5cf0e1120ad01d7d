"""Stories of a kind: loaded with their twins, refused by file, line and reason, played, judged, and shown."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.expect import RuleBroken
from harness.runlog import read_run
from harness.scenario.checks import scenario_checks
from harness.scenario.loading import ScenarioError
from harness.scenario.stories.kinds import KINDS
from harness.scenario.stories.loading import load_stories

STORY = """\
title = "Two numbers"
kind = "sums"
first = 1

story = [
  { says = 2 },
  { says = 3 },
]

expect = [
  { rule = "TR-001", sum = 6 },
]

twins = [
  { named = "from ten", change = { first = 10 }, expect = [{ rule = "TR-002", sum = 15 }] },
  { named = "names given", change = { names = { a = "小明" } } },
]
"""


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "sums", "tests.scenario.told_kind")
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rules = tmp_path / "scenarios" / "rules"
    rules.mkdir(parents=True)
    shipped = Path(__file__).parents[2] / "scenarios" / "rules" / "rebuild.md"
    (rules / "rebuild.md").write_bytes(shipped.read_bytes())
    return tmp_path


def written(root: Path, text: str = STORY) -> Path:
    path = root / "scenarios" / "two-numbers.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_gives_its_story_and_each_twin(root: Path) -> None:
    told, ten, named = load_stories(written(root))
    assert (told.title, told.scene.first, told.rules) == ("Two numbers", 1, ("TR-001",))
    assert (ten.title, ten.scene.first, ten.rules) == ("Two numbers (twin: from ten)", 10, ("TR-002",))
    assert (named.scene.first, named.scene.names, named.rules) == (1, {"a": "小明"}, ("TR-001",))
    assert (told.place(0), ten.place(0)) == ("scenarios/two-numbers.toml:11", "scenarios/two-numbers.toml:15")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"sums"', '"sagas"', "two-numbers.toml:2: kind: 'sagas' is no kind of story"),
        ("{ says = 3 }", "{ sings = 3 }", "two-numbers.toml:7: story[1]: it begins with `sings`"),
        ("{ says = 3 }", "{ says = 300 }", "two-numbers.toml:7: story[1]: Expected `int` <= 100"),
        ("first = 1\n", 'first = "one"\n', "two-numbers.toml:3: first: Expected `int`, got `str`"),
        ("first = 1\n", "frist = 1\n", "two-numbers.toml:3: frist: unknown key"),
        ('rule = "TR-001"', 'rule = "TR-9999"', "two-numbers.toml:11: expect[0]: TR-9999 is in no table"),
        ("first = 10", "frist = 10", "two-numbers.toml:15: twins[0]: change: frist is nothing that a twin can change"),
        ("first = 10", 'first = "ten"', "two-numbers.toml:15: twins[0]: first: Expected `int`"),
        ('named = "from ten", ', "", "two-numbers.toml:15: twins[0]: Object missing required field `named`"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_stands(root: Path, old: str, new: str, said: str) -> None:
    assert old in STORY
    with pytest.raises(ScenarioError) as raised:
        load_stories(written(root, STORY.replace(old, new)))
    assert said in str(raised.value)


def test_a_run_plays_all_of_them_and_the_page_shows_what_happened(root: Path) -> None:
    out = root / "out"
    done = CliRunner().invoke(main, ["run", str(written(root)), "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert [each["verdict"] for each in json.loads(done.stdout)["scenarios"]] == ["green"] * 3
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("小明") == 6 and "What happened" in page and "Startup snapshot" not in page
    lines = [step for step in read_run(out / "run.jsonl") if step["kind"] == "line"]
    assert [line["text"] for line in lines] == ["2", "3"] * 3


def test_a_demand_or_an_invariant_that_does_not_hold_is_red_and_told_with_its_rule(root: Path) -> None:
    wrong = STORY.replace("sum = 6", "sum = 7").replace("first = 10", "first = -100")
    done = CliRunner().invoke(main, ["run", str(written(root, wrong)), "--out", str(root / "out")])
    assert done.exit_code == 1
    assert "expectation sum: the sum is 7, saw 6" in done.output
    assert "scenarios/two-numbers.toml:11: Two numbers" in done.output
    assert "invariant no sum is negative: it is negative" in done.output
    assert "again    rebuild-harness run scenarios/two-numbers.toml" in done.output


def test_controls_hear_its_expectations_and_those_of_its_twins(root: Path) -> None:
    path = written(root, STORY.replace("sum = 15", "sum = 16"))
    (check,) = scenario_checks(root)
    assert (check.file, check.rules) == (path, ("TR-001", "TR-002"))
    with pytest.raises(RuleBroken, match=r"^TR-002: scenarios/two-numbers.toml:15: wanted the sum is 16, saw 15$"):
        check.run(root)
