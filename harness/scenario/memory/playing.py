"""A story of customers played from top to bottom, and what expectations look at afterwards."""

from dataclasses import dataclass
from pathlib import Path

from harness.runlog import RunLog
from harness.scenario.memory.shop import Fetch, Shop, Turn
from harness.scenario.seen import ScenarioFault, quoted
from harness.scenario.stories.loading import Story


@dataclass(frozen=True)
class Seen:
    """A story that is over."""

    shop: Shop

    def turn(self, text: str) -> Turn:
        """The turn of a message by its text, or the last one. Raises `ScenarioFault`."""
        found = [turn for turn in self.shop.turns if not text or turn.text == text]
        if not found:
            raise ScenarioFault(f"no customer said {quoted(text)}" if text else "no customer said anything")
        return found[-1]

    def customer(self, who: str) -> str:
        """A customer by name, or the first one. Raises `ScenarioFault`."""
        customers = self.shop.scene.customers
        if who and who not in customers:
            raise ScenarioFault(f"there is no customer {who!r}; there are {', '.join(customers)}")
        return who or next(iter(customers))

    def fetches(self, who: str) -> list[Fetch]:
        """The pages read for a customer."""
        return [fetch for fetch in self.shop.fetches if fetch.who == self.customer(who)]


def play(story: Story, folder: Path, seed: int, log: RunLog, number: int) -> Seen:
    """Let a story happen. Raises `ScenarioError` for one that makes no sense. Nothing in it is left to chance."""
    shop = Shop(folder, story.scene, log, number)
    for at, event in enumerate(story.story):
        try:
            event.happen(shop)
        except (LookupError, ValueError) as error:
            raise story.error(f"story[{at}]: {error}", "story", at) from error
    return Seen(shop)
