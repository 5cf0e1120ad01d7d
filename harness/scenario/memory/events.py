"""What can happen in a shop, each entry told to it. An entry may say `at` which time (2026-08-14 15:20); without it, it
comes a minute after the one before.
"""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from harness.scenario.memory.shop import MINUTE, BubbleOf, Shop

Text = Annotated[str, Meta(min_length=1)]


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happens, when, and about which customer."""

    at: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d \d\d:\d\d$")] | None = None
    who: str = ""

    def happen(self, shop: Shop) -> None:
        """Let it happen, at its time. Raises ValueError for one that goes back, LookupError for nobody known."""
        moment = shop.now + MINUTE if self.at is None else datetime.fromisoformat(self.at)
        if moment < shop.now:
            raise ValueError(f"{self.at} lies before {shop.now:%Y-%m-%d %H:%M}")
        shop.now = moment
        who = self.who or next(iter(shop.scene.customers))
        if who not in shop.scene.customers:
            raise LookupError(f"there is no customer {who!r}")
        self.come(shop, who)

    def come(self, shop: Shop, who: str) -> None:
        """Let it happen to a customer."""
        raise NotImplementedError


class Says(Event, frozen=True, kw_only=True):
    """A customer writes; `key`: this time under that spelling of the identity."""

    customer: Text
    key: str = ""

    def come(self, shop: Shop, who: str) -> None:
        shop.says(who, self.customer, self.key)


class Answers(Event, frozen=True, kw_only=True):
    """The assistant answers."""

    assistant: Text

    def come(self, shop: Shop, who: str) -> None:
        shop.answers(who, self.assistant)


class Chats(Event, frozen=True, kw_only=True):
    """So many things are said, by the customer and the assistant in turn; `{}` in the text is their number."""

    chats: Annotated[int, Meta(ge=1)]
    text: Text = "第{}句"

    def come(self, shop: Shop, who: str) -> None:
        shop.chats(who, self.chats, self.text)


class Learned(Event, frozen=True, kw_only=True):
    """The model notes what the customer said of themselves; an empty value is a field that is still missing."""

    learned: Annotated[dict[str, str], Meta(min_length=1)]

    def come(self, shop: Shop, who: str) -> None:
        shop.learns(who, self.learned)


class SumsUp(Event, frozen=True, kw_only=True):
    """The model sums up the talk; `repeat` makes a long text of a short one, `upto` is its watermark."""

    summary: Text
    repeat: Annotated[int, Meta(ge=1)] = 1
    upto: int = 0

    def come(self, shop: Shop, who: str) -> None:
        shop.sums_up(who, self.summary * self.repeat, self.upto)


class Reads(Event, frozen=True, kw_only=True):
    """A device shows a page of earlier talk, and it is uploaded: bubbles of role, text and label, oldest first.

    `facts` were read off it, `raw` is what else stood on the screen; `through`: the app on another device uploads it.
    """

    reads: list[BubbleOf]
    facts: dict[str, str] = {}
    raw: str = ""
    on: str = ""
    through: str = ""

    def come(self, shop: Shop, who: str) -> None:
        for device in (self.on, self.through):
            if device and device not in shop.scene.devices:
                raise LookupError(f"there is no device {device!r}")
        shop.reads(who, self.reads, self.facts, self.raw, self.on, self.through)


class Lifts(Event, frozen=True, kw_only=True):
    """A person lets a history fetch go on that a gap had stopped."""

    lifts: Literal["the gap"]

    def come(self, shop: Shop, who: str) -> None:
        shop.lifts(who)


class Broken(Event, frozen=True, kw_only=True):
    """From here on the hops that the scene names as `off` do not run."""

    broken: Literal[True]

    def come(self, shop: Shop, who: str) -> None:
        shop.broken = True


EVENTS: dict[str, type[Event]] = {
    "customer": Says,
    "assistant": Answers,
    "chats": Chats,
    "learned": Learned,
    "summary": SumsUp,
    "reads": Reads,
    "lifts": Lifts,
    "broken": Broken,
}
"""What can happen, by the key that an entry begins with."""
