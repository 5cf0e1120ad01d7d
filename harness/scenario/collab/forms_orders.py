"""What an expectation of a story of rooms may demand where its events come in any order: what holds in each of them."""

from typing import Annotated

from msgspec import Meta

from harness.scenario.collab.forms import CollabForm, message_of
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class ReadOnce(CollabForm, frozen=True, kw_only=True):
    """Exactly these Bots read the line, each once, in whichever of its turns."""

    read_once: Text
    by: Annotated[list[str], Meta(min_length=1)]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT b.name FROM inbox_items i JOIN turns t ON t.id = i.read_by_turn JOIN bots b ON b.id = t.bot"
            " WHERE i.message = ? AND i.kind = 'line'",
            message_of(seen, self.read_once),
        )
        found = [name for (name,) in rows]
        return Met(sorted(found) == sorted(self.by), f"{quoted(self.read_once)} is read once by {self.by}", str(found))


class TurnsOn(CollabForm, frozen=True, kw_only=True):
    """A Bot's turns on a plan are so many at least, and they never ran beside each other."""

    turns_on: Text
    by: Text
    least: Annotated[int, Meta(ge=1)] = 1

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT t.began_at, ifnull(t.ended_at, 9e15), t.id FROM turns t JOIN bots b ON b.id = t.bot"
            " JOIN plans p ON p.id = t.plan WHERE p.name = ? AND b.name = ? ORDER BY t.id",
            self.turns_on,
            self.by,
        )
        beside = [
            (turn, other)
            for at, (began, ended, turn) in enumerate(rows)
            for later, end, other in rows[at + 1 :]
            if later < ended and began < end
        ]
        wanted = f"{self.by} has at least {self.least} turns on {quoted(self.turns_on)}, none beside another"
        return Met(len(rows) >= self.least and not beside, wanted, f"{len(rows)} turns, beside each other {beside}")


class Opened(CollabForm, frozen=True, kw_only=True):
    """Exactly these plans have been opened, in whichever order."""

    opened: Annotated[list[str], Meta(min_length=1)]

    def met(self, seen: Played) -> Met:
        found = sorted(name for (name,) in seen.rows("SELECT name FROM plans"))
        return Met(found == sorted(self.opened), f"the plans opened are {self.opened}", str(found))


ORDER_FORMS: dict[str, type[CollabForm]] = {
    "read_once": ReadOnce,
    "turns_on": TurnsOn,
    "opened": Opened,
}
