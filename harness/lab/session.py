"""Sessions of the real CLI: played from a script in a namespace, or resumed there, with all that went over the wire.

Everything of a session lies in one folder: its home, its temporary files, its working directory and its requests.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from harness.lab.namespace import run_inside
from harness.lab.script import PRINTED, TYPED, Turn
from threadrebuild.project_folder import folder_name

INSIDE = "harness.lab.inside"
PLAY_SECONDS = 150
RESUME_SECONDS = 60

Way = Literal["printed", "typed"]
TALKS: dict[Way, tuple[Turn, ...]] = {"printed": PRINTED, "typed": TYPED}


@dataclass(frozen=True)
class Place:
    """Where a session of a version lives: its folder, and the first words of the command that runs the CLI."""

    folder: Path
    version: str
    program: tuple[str, ...]

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def tmp(self) -> Path:
        return self.folder / "tmp"

    @property
    def hook_input(self) -> Path:
        """What the Stop hook was given, one object a line."""
        return self.folder / "stops.jsonl"

    @property
    def household(self) -> Path:
        """The folder of our own configuration and store."""
        return self.folder / "household"

    @property
    def tools(self) -> Path:
        """The file by which the CLI is told of our server."""
        return self.household / "tools.json"

    @property
    def project(self) -> Path:
        """The folder that the CLI writes transcripts to."""
        return self.home / ".claude" / "projects" / folder_name(str(self.work))


@dataclass(frozen=True)
class Played:
    """A session that was played: what the CLI wrote, and the bodies of its main requests."""

    place: Place
    way: Way
    transcript: Path
    requests: list[dict[str, Any]]

    @property
    def written(self) -> str:
        """Where the CLI wrote the transcript."""
        return str(self.place.project / self.transcript.name)

    @property
    def asks_tools(self) -> bool:
        """Whether our own tools were called."""
        return any(turn.served for turn in TALKS[self.way])

    @property
    def planted(self) -> list[tuple[str, str]]:
        """(role, text) of all that was said."""
        return [each for turn in TALKS[self.way] for each in turn.planted]

    @property
    def in_order(self) -> list[tuple[str, str]]:
        """The same in the order in which it is talk: what was typed early follows what it came in on."""
        return [each for turn in TALKS[self.way] for each in turn.in_order]


def play(place: Place, way: Way) -> Played:
    """Play the talk of `way` in a new session. Raises `NoNamespace`, and `LabFault` where the CLI does not go along."""
    told = _inside(place, way, "", PLAY_SECONDS)
    return Played(place, way, place.project / f"{told['session']}.jsonl", told["requests"])


def resume(played: Played, session: str) -> list[dict[str, Any]]:
    """Resume a session of the same project, the way the other was played; the bodies of the main requests."""
    requests: list[dict[str, Any]] = _inside(played.place, played.way, session, RESUME_SECONDS)["requests"]
    return requests


def _inside(place: Place, way: Way, session: str, seconds: float) -> dict[str, Any]:
    for folder in (place.home, place.work, place.tmp):
        folder.mkdir(parents=True, exist_ok=True)
    words = [str(place.folder), place.version, way, session, *place.program]
    told: dict[str, Any] = json.loads(run_inside(INSIDE, *words, seconds=seconds))
    return told
