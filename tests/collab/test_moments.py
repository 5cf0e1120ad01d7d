"""An expectation at a time looks at the store as it was then."""

from io import StringIO
from pathlib import Path

import pytest

from harness.runlog import RunLog
from harness.scenario.loading import ScenarioError, root_of
from harness.scenario.stories.job import StoryJob, play_story
from harness.scenario.stories.loading import load_stories

STORY = """
title = "A render of ten minutes"
kind = "collab"
bots = {{ "导演" = {{}} }}
story = [
  {{ at = "09:00", say = "做一支新品片", with = "导演", files = "new", label = "wish" }},
  {{ bot = "导演", hops = [{{ calls = [{{ shell = "render a", takes = "10m" }}] }}, {{ text = "好了。" }}] }},
  {{ until = "{until}" }},
]
expect = [
  {{ rule = "TURN-20", says = "好了。", by = "导演" }},
  {{ rule = "TURN-20", says = "好了。", by = "导演", times = 0, at = "09:05" }},
  {{ rule = "WORK-14", work = "做一支新品片", by = "导演", is = ["running"], at = "09:05" }},
  {{ rule = "WORK-14", work = "做一支新品片", by = "导演", is = ["idle"], at = "{late}" }},
  {{ rule = "TURN-11", ran = "render a", times = {ran}, at = "09:05" }},
]
"""


def why(folder: Path, until: str = "09:30", late: str = "09:20", ran: int = 0) -> list[str]:
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "scenarios/rules").symlink_to(root_of(Path(__file__)) / "scenarios/rules")
    (folder / "story.toml").write_text(STORY.format(until=until, late=late, ran=ran), encoding="utf-8")
    (story,) = load_stories(folder / "story.toml")
    return play_story(RunLog(StringIO()), 0, StoryJob(story, folder / "out"))[0]


def test_the_store_and_what_was_done_are_seen_as_they_were(tmp_path: Path) -> None:
    assert why(tmp_path) == []


def test_what_was_not_so_yet_is_red(tmp_path: Path) -> None:
    (fault,) = why(tmp_path, ran=1)
    assert "“render a” runs once" in fault


@pytest.mark.parametrize("late", ["half past nine", "24:00", ""])
def test_a_time_that_is_none(tmp_path: Path, late: str) -> None:
    with pytest.raises(ScenarioError, match=r"expect\[3\]: .*a time is written as 09:00"):
        why(tmp_path, late=late)
