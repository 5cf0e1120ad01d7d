"""What an expectation of a story of rooms may demand of plans: which of them sleep, and what their maps show."""

from typing import Annotated

import msgspec
from msgspec import Meta

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted, times


class Asleep(CollabForm, frozen=True, kw_only=True):
    """Exactly these plans sleep."""

    asleep: list[str]

    def met(self, seen: Played) -> Met:
        found = [name for (name,) in seen.rows("SELECT name FROM plans WHERE dormant = 1 ORDER BY id")]
        return Met(found == self.asleep, f"the plans that sleep are {self.asleep}", str(found))


class Mapped(CollabForm, frozen=True, kw_only=True):
    """A text stands so many times in the newest map of a plan's folder."""

    mapped: Text
    folder: Text = msgspec.field(name="in")
    times: Annotated[int, Meta(ge=0)] = 1

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT json_extract(body, '$.text') FROM effects WHERE kind = 'mirror'"
            " AND json_extract(body, '$.path') = 'work/' || ? || '/map.md' ORDER BY id DESC",
            self.folder,
        )
        text = str(rows[0][0]) if rows else ""
        wanted = f"{quoted(self.mapped)} stands {times(self.times)} in the map of {self.folder}"
        return Met(text.count(self.mapped) == self.times, wanted, quoted(text))


PLAN_FORMS: dict[str, type[CollabForm]] = {
    "asleep": Asleep,
    "mapped": Mapped,
}
