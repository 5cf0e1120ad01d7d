"""Stories whose events come in any order: which orders there are, what they hold, and how a failing one is named."""

import math
import shlex
import sqlite3
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.runlog import RunLog
from harness.scenario.collab.orders import ALL_OF, DRAWN, SAMPLE, in_order, orders
from harness.scenario.collab.play import play
from harness.scenario.collab.scene import AnyOrder
from harness.scenario.loading import ScenarioError, root_of, scenario_files
from harness.scenario.stories.loading import Story, load_stories
from threadrebuild.collab import inbox
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target

ROOT = root_of(Path(__file__))
TOLD = [load_stories(file)[0] for file in scenario_files(ROOT / "scenarios/collab") if "any_order" in file.read_text()]
HEAD = 'title = "t"\nkind = "collab"\nbots = { "甲" = {} }\n'
LINES = "\n".join(f'  {{ say = "line {number}", with = "甲" }},' for number in range(ALL_OF + 1))
HOPS = '  { bot = "甲", each = true, hops = [{ text = "好" }] },\n'
EXPECT = 'expect = [{ rule = "TURN-20", says = "好", by = "甲", times = 1 }]\n'


def story_of(folder: Path, text: str) -> Story:
    path = folder / "story.toml"
    path.write_text(text, encoding="utf-8")
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "scenarios/rules").symlink_to(ROOT / "scenarios/rules")
    return load_stories(path)[0]


def test_ten_stories_at_least_come_in_any_order() -> None:
    assert len(TOLD) >= 10


@pytest.mark.parametrize("story", TOLD, ids=lambda story: story.file.stem)
def test_a_group_holds_two_events_on_one_work_item(story: Story, tmp_path: Path) -> None:
    (group,) = (entry for entry in story.story if isinstance(entry, AnyOrder))
    said = {each.get("label", each.get("say")) for each in group.any_order if "say" in each}
    touched = {each.get("edit", each.get("withdraw", each.get("insert"))) for each in group.any_order} - {None}
    played = play(story, tmp_path, 0, RunLog(StringIO()), 0)
    read = [
        (item, played.script.messages.get(message))
        for item, message in played.rows("SELECT work_item, message FROM inbox_items ORDER BY id")
    ]
    by_item = {item: {label for each, label in read if each == item} & (said | touched) for item, _ in read}
    of_all = sum(bool({"stop", "hold", "lift"} & each.keys()) for each in group.any_order)
    assert any(labels and len(labels) + len(labels & touched) + of_all >= 2 for labels in by_item.values())


def test_every_order_is_told_twice_but_the_one_that_is_written(tmp_path: Path) -> None:
    story = next(each for each in TOLD if each.file.stem == "three-words-while-it-renders")
    names = [each.order for each in orders(story, 0)]
    assert len(names) == len(set(names)) == 2 * math.factorial(3) - 1
    assert {name for name in names if not name.endswith(DRAWN)} == {"0.2.1", "1.0.2", "1.2.0", "2.0.1", "2.1.0"}


def test_of_a_large_group_a_sample_is_told_that_the_seed_names(tmp_path: Path) -> None:
    story = story_of(tmp_path, f"{HEAD}story = [\n  {{ any_order = [\n{LINES}\n  ] }},\n{HOPS}]\n{EXPECT}")
    first, again, other = ([each.order for each in orders(story, seed)] for seed in (1, 1, 2))
    assert first == again != other
    assert SAMPLE <= len(first) <= 2 * SAMPLE


def test_an_order_that_there_is_not(tmp_path: Path) -> None:
    for name in ("0.0.1", "0.1", "0.1.2.3", "", "1.0.2~quick"):
        with pytest.raises(ValueError, match="has no order"):
            in_order(TOLD[0], name)


@pytest.mark.parametrize("entry", ['{ at = "09:00", say = "a", with = "甲" }', '{ until = "09:00" }', '{ hop = "a" }'])
def test_what_comes_in_any_order_happens_at_no_time_of_its_own(tmp_path: Path, entry: str) -> None:
    group = f'{{ any_order = [{{ say = "b", with = "甲" }}, {entry}] }}'
    with pytest.raises(ScenarioError, match=r"story\[0\]"):
        story_of(tmp_path, f"{HEAD}story = [{group}]\n{EXPECT}")


def test_a_failing_order_is_named_with_the_command_that_plays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A change is lost where another one waits already; in the order that is written it comes first.
    received = inbox.receive
    other = "SELECT 1 FROM inbox_items WHERE state = 'queued' AND text = '片尾加 logo'"

    def loses(change: Change, message: sqlite3.Row, bot: int, why: str, target: Target) -> None:
        if message["text"] != "改成竖版" or not change.db.value(other):
            received(change, message, bot, why, target)

    monkeypatch.setattr(inbox, "receive", loses)
    path = ROOT / "scenarios/collab/orders/three-words-while-it-renders.toml"
    done = CliRunner().invoke(main, ["run", str(path), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1
    (line, *_) = [line for line in done.output.splitlines() if "again: rebuild-harness" in line]
    command = shlex.split(line.partition("again: rebuild-harness ")[2])
    again = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "again")])
    assert again.exit_code == 1, again.output
    monkeypatch.undo()
    sound = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "sound")])
    assert sound.exit_code == 0, sound.output
