"""The application dies at a share of the steps of every story of rooms; `rebuild-harness faults` lets it die at all."""

import gc
import json
import shlex
import weakref
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.runlog import RunLog
from harness.scenario.collab import KIND
from harness.scenario.collab.crashes import steps_of, try_crashes
from harness.scenario.collab.play import play
from harness.scenario.loading import root_of, scenario_files
from harness.scenario.stories.loading import Story, load_stories
from threadrebuild.collab import turns
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Started

ROOT = root_of(Path(__file__))
SHARE = 64
"""Of how many crashes of a story the suite plays one."""
SHORT = ROOT / "scenarios/collab/one-line-to-one-bot.toml"


def _stories() -> list[Story]:
    files = [file for folder in ("collab", "incidents") for file in scenario_files(ROOT / "scenarios" / folder)]
    return [story for file in files if 'kind = "collab"' in file.read_text() for story in load_stories(file)]


def test_a_share_of_the_crashes_of_every_story_loses_no_line_and_answers_none_twice() -> None:
    crashed = list(try_crashes(_stories(), SHARE))
    assert [each for tried in crashed for each in tried.shown()["violations"]] == []
    assert all(tried.once for tried in crashed)
    assert sum(tried.twice for tried in crashed) > len(crashed)


def test_a_story_that_was_looked_at_is_let_go_with_the_next(tmp_path: Path) -> None:
    (story,) = load_stories(SHORT)
    looked_at = []
    for name in ("first", "second"):
        tmp_path.joinpath(name).mkdir()
        played = play(story, tmp_path / name, 0, RunLog(StringIO()), 0)
        assert [said for each in KIND.invariants for said in each.faults(played)] == []
        played.rooms.close()
        looked_at.append(weakref.ref(played))
        del played
    gc.collect()
    assert looked_at[0]() is None


def test_every_crash_of_a_short_story() -> None:
    done = CliRunner().invoke(main, ["faults", str(SHORT), "--json"])
    assert done.exit_code == 0, done.output
    ((story,), (own, steps)) = json.loads(done.stdout), steps_of(load_stories(SHORT)[0])
    assert (story["steps"], story["crashes"]) == (steps, len(own))
    # Where it died behind a commit it dies again before the opening's commit or behind it, before what was left is
    # taken in, and before or behind that commit.
    commits, rest = divmod(story["second_crashes"], 5)
    # A commit has a step before it, one behind, and that of its event or effect; an answer has one more.
    assert rest == 0 and 3 * commits < len(own) < 4 * commits
    assert story["violations"] == []


def test_what_a_crash_breaks_is_named_with_the_command_that_plays_it_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def forgets(change: Change, event: Started) -> None:
        change.db.write("UPDATE effects SET state = 'void' WHERE state IN ('pending', 'started')")

    monkeypatch.setattr(turns, "restarted", forgets)
    monkeypatch.setattr("threadrebuild.collab.engine.HANDLERS", _handlers() | {Started: forgets})
    done = CliRunner().invoke(main, ["faults", str(SHORT), "--json"])
    assert done.exit_code == 1
    violations = json.loads(done.stdout)[0]["violations"]
    assert {each["rule"] for each in violations} >= {"READ-28", "TURN-08"}
    command = shlex.split(violations[0]["command"])
    again = CliRunner().invoke(main, [*command[1:], "--out", str(tmp_path / "out")])
    assert again.exit_code == 1
    assert violations[0]["invariant"] in again.output


def _handlers() -> dict[object, object]:
    from threadrebuild.collab.engine import HANDLERS

    return dict(HANDLERS)
