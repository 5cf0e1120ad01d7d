"""What a story says of its lines and answers, sorted by what they belong to."""

from typing import Any

from harness.scenario.collab.orders import told
from harness.scenario.collab.scene import BotTurn, Say, Until, time_of
from harness.scenario.collab.script import AGAIN, EACH
from harness.scenario.stories.loading import Story


def label_of(line: Say) -> str:
    """What a line is called."""
    return line.label or line.say


def lines_of(story: Story) -> dict[str, Say]:
    """The lines that the user says, by label. Raises `ScenarioError` for two of one label, or a place that is none."""
    lines: dict[str, Say] = {}
    for at, entry in enumerate(told(story)):
        if not isinstance(entry, Say):
            continue
        if label_of(entry) in lines:
            raise story.error(f"story[{at}]: a second line is called {label_of(entry)!r}", "story", at)
        where = entry.room if entry.room is not None else entry.bot
        if where not in (story.scene.rooms if entry.room is not None else _bots(story)):
            raise story.error(f"story[{at}]: there is no room or Bot called {where!r}", "story", at)
        lines[label_of(entry)] = entry
    return lines


def hops_of(story: Story) -> dict[tuple[str, str], list[Any]]:
    """What each Bot answers, hop by hop, by the line that opens its turn.

    Raises `ScenarioError` for a turn told twice, or of a Bot that is none.
    """
    hops: dict[tuple[str, str], list[Any]] = {}
    above = ""
    for at, entry in enumerate(told(story)):
        if isinstance(entry, Say):
            above = label_of(entry)
        if isinstance(entry, BotTurn):
            if entry.bot not in _bots(story):
                raise story.error(f"story[{at}]: there is no Bot called {entry.bot!r}", "story", at)
            line = EACH if entry.each else entry.turn or above
            key = (entry.bot, line + (AGAIN if entry.again else ""))
            if key in hops:
                raise story.error(f"story[{at}]: a second turn of {key[0]} is opened by {key[1]!r}", "story", at)
            hops[key] = [hop for hop in entry.hops for _ in range(hop.times)]
    return hops


def check_times(story: Story) -> None:
    """Raise `ScenarioError` for an entry whose time has passed by the entries above it."""
    if story.order:
        return
    now = story.scene.begins
    for at, entry in enumerate(told(story)):
        wanted = entry.until if isinstance(entry, Until) else getattr(entry, "at", None)
        if wanted is None:
            continue
        if time_of(wanted) < time_of(now):
            raise story.error(f"story[{at}]: it is {now} already, and {wanted} has passed", "story", at)
        now = wanted


def _bots(story: Story) -> set[str]:
    return {*story.scene.bots, *(name for room in story.scene.rooms.values() for name in room)}
