"""Every crash of a story of rooms: the application dies at each step of it, comes up again, and is looked at.

A story is played once to count its steps, then once for each step that is the application's own: before and after each
commit, before an effect is started, after it is done and before it is told. What it finds when it comes up is what was
committed; so after each commit at which it died it dies once more, at each step of its coming up. Nothing is sampled
where no share is asked for.
"""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from harness.runlog import RunLog
from harness.scenario.collab import KIND
from harness.scenario.collab.play import Played, play
from harness.scenario.stories.job import command_with
from harness.scenario.stories.loading import Story
from harness.world.kernel import Fault

DOORS = ("store", "engine", "effect", "answer")
"""Where the application is at work itself."""
ROOM = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Violation:
    """What did not hold after a crash, or two."""

    faults: tuple[Fault, ...]
    rule: str
    name: str
    said: str


@dataclass
class Crashed:
    """What came of one story: its steps, how often the application died once and twice, and what did not hold."""

    story: Story
    steps: int
    once: int = 0
    twice: int = 0
    violations: list[Violation] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How many times it was played."""
        return self.once + self.twice

    @property
    def said(self) -> str:
        """In a line."""
        twin = f" (twin {self.story.place_in_file})" if self.story.twin is not None else ""
        return f"{self.story.name}{twin}: {self.steps} steps, {self.once} crashes, {self.twice} second crashes"

    def shown(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "scenario": self.story.name,
            "twin": self.story.place_in_file,
            "steps": self.steps,
            "crashes": self.once,
            "second_crashes": self.twice,
            "violations": [
                {
                    "fault": ":".join(str(fault.step) for fault in each.faults),
                    "rule": each.rule,
                    "invariant": each.name,
                    "said": each.said,
                    "command": command_with(self.story, each.faults),
                }
                for each in self.violations
            ],
        }


def try_crashes(stories: Sequence[Story], share: int = 1) -> Iterator[Crashed]:
    """Go through every crash of each story, on all cores. Raises `ScenarioError` for a story that makes no sense.

    With `share` only one crash of so many, each story beginning with another one.
    """
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for number, story in enumerate(stories):
            own, steps = steps_of(story)
            crashed = Crashed(story, steps)
            chosen = own[number % min(share, len(own)) :: share]
            for step, seconds, found in pool.imap(_tried, [(story, step) for step in chosen], 4):
                del step
                crashed.once += 1
                crashed.twice += seconds
                crashed.violations += found
            yield crashed


def steps_of(story: Story) -> tuple[list[int], int]:
    """The application's own steps in a story in which nothing goes wrong, and how many steps there are in all."""
    with _folder() as folder:
        played = _play(story, Path(folder), ())
        calls = played.rooms.world.calls
        own = [step for step, (door, _) in enumerate(calls, start=1) if door in DOORS and step > played.set_up]
        return own, len(calls)


def _tried(job: tuple[Story, int]) -> tuple[int, int, list[Violation]]:
    """Let the application die at a step; behind a commit, then again at each step of its coming up."""
    story, step = job
    first = (Fault(step, "kill"),)
    found, calls = _violations(story, first)
    again = _coming_up(calls, step) if calls[step - 1 : step] == [("store", "committed")] else []
    for second in again:
        found += _violations(story, (*first, Fault(second, "kill")))[0]
    return step, len(again), found


def _violations(story: Story, faults: tuple[Fault, ...]) -> tuple[list[Violation], list[tuple[str, str]]]:
    with _folder() as folder:
        try:
            played = _play(story, Path(folder), faults)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            return [Violation(faults, "WORK-16", "the story came to an end", said)], []
        found = [
            Violation(faults, each.rule, each.name, said) for each in KIND.invariants for said in each.faults(played)
        ]
        calls = played.rooms.world.calls
        played.rooms.close()
        return found, calls


def _coming_up(calls: Sequence[tuple[str, str]], died: int) -> list[int]:
    """The steps of the application's coming up after it died at one: opening its store, and what it does then."""
    after = list(enumerate(calls, start=1))[died:]
    begun = next((at for at, (_, (_, call)) in enumerate(after) if call == "Started"), None)
    if begun is None:
        return []
    first = begun
    while first and after[first - 1][1][0] == "store":
        first -= 1
    # Its own commit follows: one step before it and one after.
    return [step for step, _ in after[first : begun + 3]]


def _play(story: Story, folder: Path, faults: tuple[Fault, ...]) -> Played:
    return play(story, folder, 0, RunLog(StringIO()), 0, faults)


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None)
