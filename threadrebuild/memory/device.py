"""The device: what a page of talk looked like there, and its labels made absolute before it is uploaded.

"Today 15:20" means something only beside the clock that stood above it, so that only the device that showed a page
converts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from threadrebuild.memory.labels import read_label
from threadrebuild.memory.recollection import Role
from threadrebuild.ports import Clock

DEFAULT_ZONE = "Asia/Shanghai"


@dataclass(frozen=True, slots=True)
class Bubble:
    """One thing said, as a page shows it. The label is empty where the page shows none."""

    role: Role
    content: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as one device showed it on one of its days (YYYY-MM-DD), oldest bubble first.

    `facts` were read off it; `raw` is all that was on the screen, for the audit.
    """

    shown_on: str
    day: str
    bubbles: tuple[Bubble, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    raw: str = ""


class Device:
    """A device with a clock, set to the user's zone."""

    def __init__(self, name: str, clock: Clock, zone: tzinfo | None = None) -> None:
        self.name = name
        self._clock = clock
        self._zone = zone or ZoneInfo(DEFAULT_ZONE)

    def now(self) -> datetime:
        """What its clock shows."""
        return self._clock.now().astimezone(self._zone)

    def show(self, bubbles: tuple[Bubble, ...], facts: Mapping[str, str], raw: str) -> Page:
        """The page that stands on its screen now."""
        return Page(self.name, f"{self.now():%Y-%m-%d}", bubbles, facts, raw)

    def converted(self, page: Page) -> Page:
        """The page as it is uploaded. A page of another device is left alone."""
        bubbles = page.bubbles
        if page.shown_on == self.name:  # MC-24
            bubbles = tuple(map(self._absolute, bubbles))  # MC-22
        return replace(page, bubbles=bubbles)

    def _absolute(self, bubble: Bubble) -> Bubble:
        reading = read_label(bubble.label, self.now())
        if reading.refused:  # MC-26
            return bubble
        return replace(bubble, label=reading.absolute)
