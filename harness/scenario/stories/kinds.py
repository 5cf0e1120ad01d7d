"""The kinds of story that there are. A kind's package is loaded only where a story of it is played or judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from harness.scenario.forms import Demand, Met

if TYPE_CHECKING:
    from harness.criteria.replies import Question
    from harness.runlog import RunLog
    from harness.scenario.stories.loading import Story

KINDS = {
    "collab": "harness.scenario.collab",
    "review": "harness.scenario.review",
    "memory": "harness.scenario.memory",
}
"""Each kind's package, which has a `KIND`."""


class StoryForm(Demand, frozen=True, kw_only=True):
    """One demand. Its second field is the key that names it."""

    def met(self, seen: Any) -> Met:
        """Look at what `Kind.play` returned. Raises `ScenarioFault` where the demand makes no sense of it."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class StoryInvariant:
    """What holds after every story of a kind, whether or not it is asked for: a rule's sentence, and what breaks it."""

    rule: str
    name: str
    faults: Callable[[Any], Iterator[str]]
    by: str = "invariant"
    """Who judges."""


def _no_other(story: "Story", seed: int) -> "Iterator[Story]":
    return iter(())


class Plays(Protocol):
    """Lets a story happen in a new folder and returns what expectations look at.

    Steps of its world and `line` steps (what a reader of the report should see) go into the log, all of them with
    `transcript=number`. Raises `ScenarioError` for a story that makes no sense.
    """

    def __call__(self, story: "Story", folder: Path, seed: int, log: "RunLog", number: int) -> Any: ...


@dataclass(frozen=True)
class Kind:
    """One kind of story. `scene` has the tables beside title, kind, story, expect and twins."""

    scene: type[msgspec.Struct]
    events: Mapping[str, type]
    forms: Mapping[str, type[StoryForm]]
    play: Plays
    invariants: Sequence[StoryInvariant] = ()
    questions: "Sequence[Question]" = ()
    """What models are asked in a story, and may answer."""
    faulty: "Callable[..., Any] | None" = None
    """Like `play`, with faults of the world after the rest; None where nothing can fail."""
    orders: "Callable[[Story, int], Iterator[Story]]" = _no_other
    """A story, by a seed of chance, once more for each other order in which its events may come."""


def kind_named(name: str) -> Kind:
    """Load a kind. Raises KeyError where there is none, TypeError where it asks models what they cannot know."""
    from harness.criteria.replies import faults_of

    found = import_module(KINDS[name]).KIND
    assert isinstance(found, Kind)
    faults = [fault for question in found.questions for fault in faults_of(question)]
    if faults:
        raise TypeError(f"kind {name}: {'; '.join(faults)}")
    return found
