"""A kind of story made for the tests: somebody says numbers aloud, and the sum is what comes of it."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from harness.runlog import RunLog
from harness.scenario.forms import Met
from harness.scenario.stories.kinds import Kind, StoryForm, StoryInvariant
from harness.scenario.stories.loading import Story


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    first: int = 0
    names: dict[str, str] = {}


class Says(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    says: Annotated[int, Meta(le=100)]


class Sum(StoryForm, frozen=True, kw_only=True):
    sum: int

    def met(self, seen: Any) -> Met:
        return Met(seen == self.sum, f"the sum is {self.sum}", str(seen))


def play(story: Story, folder: Path, seed: int, log: RunLog, number: int) -> int:
    assert folder.is_dir()
    total: int = story.scene.first
    for event in story.story:
        total += event.says
        log.add("line", transcript=number, at="22:00:00", who="小明", where="", did="says", text=str(event.says))
    return total


KIND = Kind(
    Scene,
    {"says": Says},
    {"sum": Sum},
    play,
    [StoryInvariant("TR-001", "no sum is negative", lambda seen: iter(["it is negative"] if seen < 0 else []))],
)
