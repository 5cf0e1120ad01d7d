"""A reviewed chat played: in a folder, with the faults of one run, and what expectations look at afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.runlog import RunLog
from harness.scenario.review.events import Event
from harness.scenario.stories.loading import Story
from harness.world.kernel import Fault
from harness.world.review import ReviewHouse

BOOT_SECONDS = 60.0


@dataclass(frozen=True)
class Seen:
    """A chat that is over."""

    house: ReviewHouse
    texts: tuple[str, ...]
    """All that the model wrote in the story."""

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What a reader sees, as in the run log."""
        return self.house.lines.told

    @property
    def said(self) -> list[str]:
        """The ids of all messages that the user sent."""
        return [line["where"] for line in self.lines if (line["who"], line["did"]) == ("user", "says")]

    @cached_property
    def states(self) -> dict[str, str]:
        """What became of each message that arrived."""
        return {turn.message_id: str(turn.state) for turn in self.house.store.every()}

    @property
    def surprises(self) -> list[str]:
        """What ended somebody by an error."""
        return [f"{type(error).__name__}: {error}" for _, error in self.house.world.failures]

    @property
    def sources(self) -> dict[str, list[str]]:
        """Who says which message was answered by what: the phone, and the store."""
        sent = [turn for turn in self.house.store.every() if turn.state == "sent"]
        return {
            "phone": sorted(f"{message}: {text}" for message, text in self.house.phone.shown),
            "store": sorted(f"{turn.message_id}: {turn.final}" for turn in sent),
        }

    def shown(self, message_id: str) -> list[str]:
        """What the phone showed for a message."""
        return [text for known, text in self.house.phone.shown if known == message_id]

    def searches(self) -> list[dict[str, Any]]:
        """Every search on record."""
        rows = self.house.store.database.rows("SELECT name, outcome, took_ms FROM searches ORDER BY id")
        return [dict(row) for row in rows]


def play(story: Story, folder: Path, seed: int, log: RunLog, number: int) -> Seen:
    """Let a story happen as it is told."""
    return play_chat(story, folder, seed, log, number)


def play_chat(
    story: Story,
    folder: Path,
    seed: int = 0,
    log: RunLog | None = None,
    number: int = 0,
    faults: tuple[Fault, ...] = (),
) -> Seen:
    """Let a story happen, with what goes wrong in this run. Whatever is down or left over in the end is seen to."""
    house = ReviewHouse(folder, story.scene, seed, faults, log, number)
    house.world.on_power_cut.append(lambda: house.world.start(house.nobody(), house.start_host, BOOT_SECONDS))
    house.outside(lambda: _tell(house, story.story))
    house.world.run()
    texts = [text for event in story.story for text in (getattr(event, "draft", ""), getattr(event, "revised", ""))]
    return Seen(house, tuple(text for text in texts if text))


def _tell(house: ReviewHouse, story: Sequence[Event]) -> None:
    for event in story:
        event.come(house)
        event.happen(house)
    house.quiet()
    house.start_host()
    house.quiet()
    house.try_again()
    house.quiet()
