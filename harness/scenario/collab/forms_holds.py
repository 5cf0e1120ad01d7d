"""What an expectation of a story of rooms may demand of holds: which stand, which were lifted, what they kept from."""

from typing import Annotated

from msgspec import Meta

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.holding import NAMED
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import times


class Holds(CollabForm, frozen=True, kw_only=True):
    """Exactly these holds stand, in the order in which they were made, each called by what it is over."""

    holds: list[str]

    def met(self, seen: Played) -> Met:
        return _called(seen, self.holds, "lifted_by IS NULL", "the holds that stand")


class Lifted(CollabForm, frozen=True, kw_only=True):
    """Exactly these holds were lifted, in the order in which they were made."""

    lifted: list[str]

    def met(self, seen: Played) -> Met:
        return _called(seen, self.lifted, "lifted_by IS NOT NULL", "the holds that were lifted")


class Suppressed(CollabForm, frozen=True, kw_only=True):
    """A Bot was kept from being woken so many times."""

    suppressed: Text
    times: Annotated[int, Meta(ge=0)] = 1

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT e.body FROM work_events e JOIN bots b ON b.id = e.bot"
            " WHERE e.type = 'wake.suppressed' AND json_extract(e.body, '$.holds') IS NOT NULL AND b.name = ?",
            self.suppressed,
        )
        wanted = f"{self.suppressed} is kept from being woken {times(self.times)}"
        return Met(len(rows) == self.times, wanted, str([body for (body,) in rows]))


class LinesIn(CollabForm, frozen=True, kw_only=True):
    """So many lines stand in a session for all to read, said by a Bot, `user` or `app`."""

    lines_in: Text
    by: Text
    count: Annotated[int, Meta(ge=0)]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT m.text FROM messages m JOIN sessions s ON s.id = m.session LEFT JOIN bots b ON b.id = m.bot"
            " WHERE s.title = ? AND ifnull(b.name, m.author) = ? AND m.only_for IS NULL ORDER BY m.id",
            self.lines_in,
            self.by,
        )
        wanted = f"in {self.lines_in} there are {self.count} lines of {self.by}"
        return Met(len(rows) == self.count, wanted, str([text for (text,) in rows]))


def _called(seen: Played, wanted: list[str], which: str, what: str) -> Met:
    found = []
    for scope, called, turn in seen.rows(f"SELECT scope, called, turn FROM ({NAMED}) WHERE {which} ORDER BY id"):
        found.append(_of_line(seen, turn) if scope == "turn" else str(called))
    return Met(found == wanted, f"{what} are {wanted}", str(found))


def _of_line(seen: Played, turn: int) -> str:
    """A hold on a turn, called as in a story: by its Bot and the line that opened it."""
    rows = seen.rows("SELECT b.name, t.trigger_message FROM turns t JOIN bots b ON b.id = t.bot WHERE t.id = ?", turn)
    return f"turn {rows[0][0]}/{seen.script.messages.get(rows[0][1], '')}" if rows else f"turn {turn}"


HOLD_FORMS: dict[str, type[CollabForm]] = {
    "holds": Holds,
    "lifted": Lifted,
    "suppressed": Suppressed,
    "lines_in": LinesIn,
}
