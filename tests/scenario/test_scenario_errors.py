"""A scenario that makes no sense is refused with file, line and reason, before or while it is played."""

from pathlib import Path

import pytest
from made_scenarios import FORK, TALK, checkout, scenario, stated, written

from harness.rules import CatalogueError
from harness.scenario.checks import ScenarioCheck, scenario_checks
from harness.scenario.loading import ScenarioError, load_scenario, scenario_files
from harness.scenario.places import line_of

SAID = '{ rule = "TOY-1", carried = "a hat then" }'
# TALK has nine lines, so the first expectation stands on line 12.
FIRST = 1 + TALK.count("\n") + 2

WRONG = {
    "no TOML": ("title = \n", ":1: ", "Invalid value"),
    "unknown key": (stated(SAID) + "colour = 1\n", f":{FIRST + 2}: ", "a scenario has title, transcript, talk"),
    "wrong type": (stated(SAID) + 'malformed = "maybe"\n', f":{FIRST + 2}: ", "Invalid enum value 'maybe'"),
    "no title": (TALK + f"expect = [{SAID}]\n", ":1: ", "missing required field `title`"),
    "title of another type": ("title = 3\n" + TALK + f"expect = [{SAID}]\n", ":1: ", "Expected `str`, got `int`"),
    "neither": (stated(SAID, head=""), ":1: ", "either `transcript` or `talk`"),
    "both": (stated(SAID, head='transcript = "x.jsonl"\n' + TALK), ":1: ", "either `transcript` or `talk`"),
    "no such transcript": (stated(SAID, head='transcript = "x.jsonl"\n'), ":2: ", "x.jsonl: no such file"),
    "nothing expected": (stated(), f":{FIRST - 1}: ", "cannot fail"),
    "talk is no list": (stated(SAID, head="talk = 3\n"), ":2: ", "Expected `array | null`, got `int`"),
    "an entry is no table": (stated(SAID, head="talk = [\n\n  3,\n]\n"), ":4: ", "Expected `object`, got `int`"),
    "unknown entry": (stated(SAID, head='talk = [\n  { shout = "x" },\n]\n'), ":3: ", "it begins with `shout`"),
    "empty entry": (stated(SAID, head="talk = [ { } ]\n"), ":2: ", "it is empty"),
    "unknown part of an entry": (
        stated(SAID, head='talk = [\n  { user = "x" },\n  { user = "y", loud = true },\n]\n'),
        ":4: ",
        "unknown field `loud`; `user` takes user, repeat",
    ),
    "entry of another type": (stated(SAID, head="talk = [ { user = 3 } ]\n"), ":2: ", "Expected `str | array`"),
    "a date": (stated(SAID, head="talk = [ { system = 'x', fields = { t = 2026-08-14 } } ]\n"), ":2: ", "as strings"),
    "unknown form": (stated(SAID, '{ rule = "TOY-1", whispered = "x" }'), f":{FIRST + 1}: ", "begins with `whispered`"),
    "no rule": (stated('{ carried = "x" }'), f":{FIRST}: ", "missing required field `rule`"),
    "unknown rule": (stated('{ rule = "TOY-9", carried = "x" }'), f":{FIRST}: ", "TOY-9 is in no table"),
    "carried no time": (stated('{ rule = "TOY-1", carried = "x", times = 0 }'), f":{FIRST}: ", "`int` >= 1"),
    "carried as nobody": (stated('{ rule = "TOY-1", carried = "x", as = "tool" }'), f":{FIRST}: ", "'tool'"),
    "no text": (stated('{ rule = "TOY-1", not_carried = "" }'), f":{FIRST}: ", "length >= 1"),
    "an order of one": (stated('{ rule = "TOY-1", in_order = ["x"] }'), f":{FIRST}: ", "length >= 2"),
    "at least nothing": (stated('{ rule = "TOY-1", ledger = "x", at_least = 0 }'), f":{FIRST}: ", "`int` >= 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path: Path, name: str) -> None:
    text, place, reason = WRONG[name]
    path = written(tmp_path, text)
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)
    assert f"scenarios/toy/story.toml{place}" in str(raised.value)
    assert reason in str(raised.value)


SENSELESS = {
    "absence of what never was": ('{ rule = "TOY-2", not_carried = "a dry street" }', "does not stand in the source"),
    "silence about what never was": ('{ rule = "TOY-2", not_said = "a dry street" }', "does not stand in the source"),
    "unknown class": ('{ rule = "TOY-2", ledger = "crumbs", at_least = 1 }', "no class 'crumbs'"),
    "unknown figure": ('{ rule = "TOY-1", figures = { mood = 1 } }', "no figure 'mood'"),
    "unknown dirty figure": ('{ rule = "TOY-1", dirty = { mood = 1 } }', "no figure 'mood'"),
    "unknown warning": ('{ rule = "TOY-3", no_warning = "spoon" }', "no warning is called 'spoon'"),
}


@pytest.mark.parametrize("name", SENSELESS)
def test_a_demand_that_cannot_fail_is_an_error(tmp_path: Path, name: str) -> None:
    text, reason = SENSELESS[name]
    story = scenario(tmp_path, SAID, text)
    with pytest.raises(ScenarioError) as raised:
        ScenarioCheck(story, story.file).run(_folder(tmp_path))
    assert f"story.toml:{FIRST + 1}: expect[1]: " in str(raised.value)
    assert reason in str(raised.value)


@pytest.mark.parametrize(
    ("head", "place", "reason"),
    [
        ("settings = { carry_max_tokens = 7 }\n" + TALK, ":2: settings: ", "at least 5000"),
        ("settings = { colour = 7 }\n" + TALK, ":2: settings: ", "unknown field `colour`"),
        ('talk = [ { user = "x" }, { rewind = 2 } ]\n', ":2: talk: ", "rewind = 2: 1 entries stand before it"),
        ('talk = [ { system = "x", fields = { subtype = "y" } } ]\n', ":2: talk: ", "subtype"),
    ],
)
def test_what_cannot_be_played_is_an_error(tmp_path: Path, head: str, place: str, reason: str) -> None:
    story = scenario(tmp_path, SAID, head=head)
    with pytest.raises(ScenarioError) as raised:
        ScenarioCheck(story, story.file).run(_folder(tmp_path))
    assert place in str(raised.value)
    assert reason in str(raised.value)


def test_a_missing_file_a_file_in_another_encoding_and_a_file_without_catalogue(tmp_path: Path) -> None:
    root = checkout(tmp_path / "checkout")
    with pytest.raises(ScenarioError, match=r"scenarios/none.toml: No such file"):
        load_scenario(root / "scenarios/none.toml")
    (root / "scenarios/latin.toml").write_bytes(b'title = "caf\xe9"\n')
    with pytest.raises(ScenarioError, match=r"latin.toml: byte 12: not UTF-8"):
        load_scenario(root / "scenarios/latin.toml")


def test_a_file_without_a_catalogue_near_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "story.toml").write_text(stated(SAID), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"no scenarios/rules/ in a folder above it"):
        load_scenario(tmp_path / "story.toml")


def test_every_broken_scenario_of_a_checkout_is_named(tmp_path: Path) -> None:
    written(tmp_path, stated(SAID), "scenarios/good.toml")
    written(tmp_path, "title = \n", "scenarios/a/bad.toml")
    written(tmp_path, stated(), "scenarios/b/bad.toml")
    with pytest.raises(CatalogueError) as raised:
        scenario_checks(tmp_path)
    assert [line.split(": ")[0] for line in str(raised.value).splitlines()] == [
        "scenarios/a/bad.toml:1",
        f"scenarios/b/bad.toml:{FIRST - 1}",
    ]


def test_the_files_beside_the_catalogue_are_no_scenarios(tmp_path: Path) -> None:
    path = written(tmp_path, stated(SAID, FORK))
    written(tmp_path, "", "scenarios/rules/exceptions.toml")
    assert scenario_files(tmp_path / "scenarios") == [path]
    assert scenario_files(tmp_path / "scenarios/rules") == []


def test_lines_are_found_in_every_spelling_of_a_list() -> None:
    inline = 'a = 1\ntalk = [ 1, 2 ]\nb = """\nx\n"""\n'
    assert [line_of(inline, "talk", number) for number in (0, 1)] == [2, 2]
    assert line_of(inline, "b") == 3
    spread = 'talk = [\n  # why\n\n  "one",\n  """two\n  lines""", # [\n  "three"\n]\n'
    assert [line_of(spread, "talk", number) for number in range(3)] == [4, 5, 7]
    tables = "[[expect]]\nx = 1\n\n[[expect]]\nx = 2\n"
    assert [line_of(tables, "expect", number) for number in (0, 1)] == [1, 4]
    assert line_of(tables, "nowhere") == 1


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "played"
    folder.mkdir()
    return folder
