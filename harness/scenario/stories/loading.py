"""Stories read from TOML; a file with `twins` gives the story and each of its variations.

A twin is the same file with some of its tables changed: keys of its `change` take the place of the file's, tables
within tables likewise. It keeps the expectations of the file, or brings its own.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from harness.scenario.loading import Fault, ScenarioError, Stated, entries, fault_of, forms, read_scenario
from harness.scenario.places import line_of
from harness.scenario.stories.kinds import KINDS, StoryForm, kind_named

FRAME = ("title", "kind", "story", "expect", "twins")


class _Frame(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that every story has; the others set its scene."""

    title: str
    kind: str
    story: list[dict[str, Any]]
    expect: list[dict[str, Any]]
    twins: list[dict[str, Any]] = []


class _Twin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    named: str
    change: dict[str, Any]
    expect: list[dict[str, Any]] | None = None


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

    def place(self, number: int) -> str:
        """File and line of an expectation; of a twin that brings its own, the line of the twin."""
        if self.own_expect:
            return super().place(number)
        line = line_of(self.file.read_text(encoding="utf-8"), "twins", self.twin)
        return f"{self.name}:{line}"


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
    told = [_story(file, root, values)]
    for number, written in enumerate(frame.twins):
        try:
            told.append(_twin(file, root, values, number, msgspec.convert(written, _Twin)))
        except msgspec.ValidationError as error:
            raise Fault("twins", number, str(error)) from None
        except Fault as fault:
            at = fault.key if fault.number is None else f"{fault.key}[{fault.number}]"
            raise Fault("twins", number, f"{at}: {fault.reason}") from None
    return told


def _twin(file: Path, root: Path, values: dict[str, Any], number: int, twin: _Twin) -> Story:
    scene = {field.encode_name for field in msgspec.structs.fields(kind_named(values["kind"]).scene)}
    foreign = sorted(twin.change.keys() - scene - {"story"})
    if foreign:
        raise Fault("change", None, f"{foreign[0]} is nothing that a twin can change")
    changed = _merged(values, twin.change)
    changed["expect"] = values["expect"] if twin.expect is None else twin.expect
    changed["title"] = f"{values['title']} (twin: {twin.named})"
    return replace(_story(file, root, changed), twin=number, own_expect=twin.expect is None)


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


def _merged(values: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    merged = dict(values)
    for key, value in change.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged
