"""A night read from TOML: a door, what the session already holds, the story of the night, and what must be true of it.

Nothing is played here: what a scenario states is settled before anything happens.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from harness.scenario.loading import Fault, Stated, entries, fault_of, forms, read_scenario, recording_of
from harness.scenario.nights.forms import NIGHT_FORMS, NightForm
from harness.scenario.nights.story import EVENTS, Event
from harness.scenario.story import KINDS, Entry
from harness.scenario.twins import Twin, twin_place, twins_of
from harness.world.night import DoorKind

SCENE = ("door", "talk", "channel", "settings", "story")
"""What a twin may change."""


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The top level as it stands in the file."""

    title: str
    door: DoorKind = "tmux"
    talk: str | list[dict[str, Any]] = []
    channel: bool = False
    settings: dict[str, Any] = {}
    story: list[dict[str, Any]]
    faults: Literal["every step", "none"] = "every step"
    expect: list[dict[str, Any]]
    twins: list[dict[str, Any]] = []


@dataclass(frozen=True)
class NightScenario(Stated):
    """One night. `talk` is what the session holds at its beginning: a recording, entries to be told, or small talk."""

    expect: tuple[NightForm, ...]
    door: DoorKind
    talk: Path | tuple[Entry, ...]
    settings: dict[str, Any]
    story: tuple[Event, ...]
    every_step: bool
    """Whether the fault suite goes through it."""
    channel: bool = False
    """Whether the user also speaks over a chat channel, whose messages are held during a switch."""
    twin: int | None = None
    """Which of the file's twins this is; None for the night itself."""
    own_expect: bool = True
    """Whether the expectations stand at the top level of the file, and not in a twin."""

    def place(self, number: int) -> str:
        """File and line of an expectation; of a twin that brings its own, the line of the twin."""
        return super().place(number) if self.own_expect else twin_place(self, self.twin)


def load_night(path: Path) -> NightScenario:
    """The night of a file, without its twins. Raises `ScenarioError`."""
    return load_nights(path)[0]


def load_nights(path: Path) -> list[NightScenario]:
    """Read one file: the night, then its twins. Raises `ScenarioError` for the first thing wrong with it."""
    return read_scenario(path, _nights)


def _nights(file: Path, root: Path, values: dict[str, Any]) -> list[NightScenario]:
    def twin(number: int, twin: Twin, changed: dict[str, Any]) -> NightScenario:
        # Faults go through the night itself; its twin is there to be compared with.
        told = _night(file, root, changed)
        return replace(told, every_step=False, twin=number, own_expect=twin.expect is None)

    return [_night(file, root, values), *twins_of(values, set(SCENE), twin)]


def _night(file: Path, root: Path, values: dict[str, Any]) -> NightScenario:
    try:
        written = msgspec.convert(values, _Written)
    except msgspec.ValidationError as error:
        raise fault_of(error, values, _Written) from None
    if not written.story:
        raise Fault("story", None, "tells nothing")
    return NightScenario(
        file,
        root,
        written.title,
        tuple(forms(written.expect, root, NIGHT_FORMS)),
        written.door,
        _talk(file, root, written.talk),
        written.settings,
        tuple(entries("story", written.story, EVENTS)),
        written.faults == "every step",
        written.channel,
    )


def _talk(file: Path, root: Path, written: str | list[dict[str, Any]]) -> Path | tuple[Entry, ...]:
    if not isinstance(written, str):
        return tuple(entries("talk", written, KINDS))
    recording = recording_of(file, root, written)
    if not recording.is_file():
        raise Fault("talk", None, f"{written}: no such file in {root}")
    return recording
