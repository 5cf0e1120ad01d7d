"""Stories read from TOML; a file with `twins` gives the story and each of its variations.

What sets the scene are the tables of the story's kind.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from harness.scenario.loading import Fault, ScenarioError, Stated, entries, fault_of, forms, read_scenario
from harness.scenario.stories.kinds import KINDS, StoryForm, kind_named
from harness.scenario.twins import Twin, twin_place, twins_of

FRAME = ("title", "kind", "story", "expect", "twins")


class _Frame(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that every story has; the others set its scene."""

    title: str
    kind: str
    story: list[dict[str, Any]]
    expect: list[dict[str, Any]]
    twins: list[dict[str, Any]] = []


@dataclass(frozen=True)
class Story(Stated):
    """One story: its scene (the kind's own tables), what happens, and what is expected of it."""

    expect: tuple[StoryForm, ...]
    kind: str
    scene: Any
    story: tuple[Any, ...]
    twin: int | None = None
    """Which of the file's twins this is; None for the story itself."""
    own_expect: bool = True
    """Whether the expectations stand at the top level of the file, and not in a twin."""
    order: str = ""
    """In which order its events come, where they may come in any; empty as it is told."""

    @property
    def choice(self) -> tuple[str, ...]:
        """What the command says that plays this one of a file's stories."""
        return (*super().choice, *(("--twin", str(self.place_in_file), "--order", self.order) if self.order else ()))

    @property
    def place_in_file(self) -> int:
        """Which story of the file it is, from 0; its twins come after the story itself."""
        return 0 if self.twin is None else self.twin + 1

    def place(self, number: int) -> str:
        """File and line of an expectation; of a twin that brings its own, the line of the twin."""
        return super().place(number) if self.own_expect else twin_place(self, self.twin)


class Unfinished(ScenarioError):
    """A story whose people asked for other answers than it has; `seen` is what came of it all the same."""

    def __init__(self, error: ScenarioError, seen: Any) -> None:
        super().__init__(str(error))
        self.seen = seen


def load_stories(path: Path) -> list[Story]:
    """Read one file: the story, then its twins. Raises `ScenarioError` for the first thing wrong with it."""
    return read_scenario(path, _stories)


def _stories(file: Path, root: Path, values: dict[str, Any]) -> list[Story]:
    frame = _frame(values)
    if frame.kind not in KINDS:
        raise Fault("kind", None, f"{frame.kind!r} is no kind of story; there are {', '.join(KINDS)}")
    if not frame.story:
        raise Fault("story", None, "tells nothing")
    scene = {field.encode_name for field in msgspec.structs.fields(kind_named(frame.kind).scene)}

    def twin(number: int, twin: Twin, changed: dict[str, Any]) -> Story:
        return replace(_story(file, root, changed), twin=number, own_expect=twin.expect is None)

    return [_story(file, root, values), *twins_of(values, scene | {"story"}, twin)]


def _frame(values: dict[str, Any]) -> _Frame:
    try:
        return msgspec.convert(values, _Frame)
    except msgspec.ValidationError as error:
        raise fault_of(error, values, _Frame) from None


def _story(file: Path, root: Path, values: dict[str, Any]) -> Story:
    frame = _frame(values)
    kind = kind_named(frame.kind)
    set_scene = {key: value for key, value in values.items() if key not in FRAME}
    try:
        scene = msgspec.convert(set_scene, kind.scene)
    except msgspec.ValidationError as error:
        raise fault_of(error, set_scene, kind.scene) from None
    story: tuple[Any, ...] = tuple(entries("story", frame.story, kind.events))
    return Story(file, root, frame.title, tuple(forms(frame.expect, root, kind.forms)), frame.kind, scene, story)
