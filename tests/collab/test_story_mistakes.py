"""A story that makes no sense is refused with file, line and what is wrong, before anything of it happens."""

from pathlib import Path

import pytest

from harness.scenario.collab.answers import check_times, hops_of, lines_of
from harness.scenario.loading import ScenarioError, root_of
from harness.scenario.stories.loading import load_stories

STORY = """title = "One line"
kind = "collab"
bots = { "导演" = {} }
story = [
  { at = "09:05", say = "做一支新品片", with = "导演", files = "spot" },
  { bot = "导演", hops = [{ text = "好了。" }] },
  { at = "09:10", say = "谢谢", with = "导演", files = "spot" },
  { bot = "导演", hops = [{ text = "不谢。" }] },
  { until = "09:30" },
]
expect = [{ rule = "TURN-20", says = "好了。", by = "导演" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"09:10"', '"09:04"', "story.toml:7: story[2]: it is 09:05 already, and 09:04 has passed"),
        ('"09:30"', '"09:09:59"', "story.toml:9: story[4]: it is 09:10 already, and 09:09:59 has passed"),
        ('"09:05"', '"08:59"', "story.toml:5: story[0]: it is 09:00 already, and 08:59 has passed"),
        ('{ bot = "导演", hops = [{ text = "不', '{ bot = "导", hops = [{ text = "不', ":8: story[3]: there is no Bot"),
        ('say = "谢谢", with = "导演"', 'say = "谢谢", with = "导"', ":7: story[2]: there is no room or Bot called"),
        ('"谢谢"', '"做一支新品片"', ":7: story[2]: a second line is called"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios/rules").symlink_to(root_of(Path(__file__)) / "scenarios/rules")
    file = tmp_path / "story.toml"
    file.write_text(STORY.replace(old, new, 1), encoding="utf-8")
    assert old in STORY
    (story,) = load_stories(file)
    with pytest.raises(ScenarioError) as raised:
        lines_of(story)
        hops_of(story)
        check_times(story)
    assert said in str(raised.value)
