"""Any order: a group of events that may come in whatever order, and the story once for each of them.

What a story says of such a group has to hold however its events come, and whichever of the answers under way comes
first: each order is told twice, with answers that take as long as the story says, and with times drawn by chance.
"""

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

from harness.scenario.collab.scene import AnyOrder, Happening
from harness.scenario.stories.loading import Story
from harness.world.rooms import Rooms
from threadrebuild.collab.engine import Effect

ALL_OF = 6
"""Of a group of more events than this only a sample of orders is told."""
SAMPLE = math.factorial(ALL_OF)
DRAWN = "~drawn"
"""Behind an order: how long answers take is drawn."""
STRETCH = 16.0
"""How many times longer, or shorter, an answer may take than it was told."""
READ_SECONDS = 20.0
"""After which nobody waits for a reading any more (READ-22)."""
_NAME = re.compile(rf"(\d+(?:\.\d+)+)({DRAWN})?")


def orders(story: Story, seed: int) -> Iterator[Story]:
    """A story once for each other order of its group, named `2.0.1`: which event comes first, second, third."""
    group = _group(story)
    if group is None:
        return
    told = tuple(range(len(group.any_order)))
    for order in _orders(len(told), seed):
        name = ".".join(map(str, order))
        for behind in ("", DRAWN):
            if order != told or behind:
                yield in_order(story, name + behind)


def in_order(story: Story, name: str) -> Story:
    """A story with its group in an order. Raises ValueError for one that this story does not have."""
    found, group = _NAME.fullmatch(name), _group(story)
    places = [int(place) for place in found[1].split(".")] if found else []
    if group is None or sorted(places) != list(range(len(group.any_order))):
        raise ValueError(f"{story.name} has no order {name!r}")
    return replace(story, order=name)


def told(story: Story) -> tuple[Any, ...]:
    """The entries of a story one after the other, those of its group in the order that it has."""
    entries: list[Any] = []
    for entry in story.story:
        if isinstance(entry, AnyOrder):
            found = _NAME.fullmatch(story.order)
            places = [int(place) for place in found[1].split(".")] if found else range(len(entry.any_order))
            first = Happening(at=entry.at, after=entry.after)
            entries += [first, *(entry.entries()[place] for place in places)]
        else:
            entries.append(entry)
    return tuple(entries)


def pace(rooms: Rooms, story: Story) -> Callable[[Effect, float], float]:
    """How long answers take in a story told in an order."""
    if not story.order.endswith(DRAWN):
        return lambda effect, seconds: seconds
    stream = rooms.world.random(f"pace:{story.order}")
    return lambda effect, seconds: _drawn(stream, effect, seconds)


def _drawn(stream: random.Random, effect: Effect, seconds: float) -> float:
    drawn = seconds * math.pow(STRETCH, stream.uniform(-1, 1))
    return min(drawn, READ_SECONDS) if effect.kind == "read" else drawn


def _group(story: Story) -> AnyOrder | None:
    return next((entry for entry in story.story if isinstance(entry, AnyOrder)), None)


def _orders(count: int, seed: int) -> Iterator[tuple[int, ...]]:
    if count <= ALL_OF:
        yield from permutations(range(count))
        return
    stream = random.Random(f"{seed}:orders")
    for _ in range(SAMPLE):
        yield tuple(stream.sample(range(count), count))
