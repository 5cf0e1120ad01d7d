"""What an expectation of a story of rooms may demand of what was ended outside, and of what still runs there."""

from typing import Annotated

from msgspec import Meta

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class ProcessesOf(CollabForm, frozen=True, kw_only=True):
    """Exactly these processes live of the commands that begin so."""

    processes_of: Text
    alive: list[str]

    def met(self, seen: Played) -> Met:
        found = seen.rooms.commands.alive(self.processes_of, seen.now)
        return Met(found == self.alive, f"of {quoted(self.processes_of)} there live {self.alive}", str(found))


class AbortedOutside(CollabForm, frozen=True, kw_only=True):
    """Exactly this was ended outside, at one moment: each `Bot: hop`, or the tool, and how it was ended."""

    aborted: list[str]

    def met(self, seen: Played) -> Met:
        begun = {effect.id: effect for effect in seen.rooms.started}
        found, times = [], set()
        for each in seen.script.aborted:
            effect = begun[each.effect]
            ((name,),) = seen.rows("SELECT b.name FROM turns t JOIN bots b ON b.id = t.bot WHERE t.id = ?", effect.turn)
            found.append(f"{name}: {effect.body.get('tool', effect.kind)}, {each.how}")
            times.add(each.at)
        ok = sorted(found) == sorted(self.aborted) and len(times) <= 1
        return Met(ok, f"at one moment these are ended: {self.aborted}", f"{found} at {sorted(times)}")


class Processes(CollabForm, frozen=True, kw_only=True):
    """So many commands are on record as running."""

    processes: Annotated[int, Meta(ge=0)]

    def met(self, seen: Played) -> Met:
        ((count,),) = seen.rows("SELECT count(*) FROM processes WHERE ended = 0")
        return Met(count == self.processes, f"{self.processes} commands are on record as running", str(count))


ABORTING_FORMS: dict[str, type[CollabForm]] = {
    "processes_of": ProcessesOf,
    "aborted": AbortedOutside,
    "processes": Processes,
}
