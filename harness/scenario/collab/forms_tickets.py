"""What an expectation of a story of rooms may demand of tickets: how they stand, and what waits for what."""

import msgspec

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class TicketsOf(CollabForm, frozen=True, kw_only=True):
    """A plan's tickets, in order: each by its title and stage, and whether it is the sample."""

    tickets_of: Text
    tickets: list[str] = msgspec.field(name="are")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT t.title || ': ' || t.stage || iif(t.sample, ', sample', '') FROM tickets t"
            " JOIN plans p ON p.id = t.plan WHERE p.name = ? ORDER BY t.number",
            self.tickets_of,
        )
        found = [each for (each,) in rows]
        return Met(found == self.tickets, f"the tickets of {quoted(self.tickets_of)} are {self.tickets}", str(found))


class WaitsOf(CollabForm, frozen=True, kw_only=True):
    """Which tickets of a plan wait for which to be handed in first."""

    waits_of: Text
    waits: list[str] = msgspec.field(name="are")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT t.title || ' for ' || n.title FROM ticket_dependencies d JOIN tickets t ON t.id = d.ticket"
            " JOIN tickets n ON n.id = d.needs JOIN plans p ON p.id = t.plan WHERE p.name = ?"
            " ORDER BY t.number, n.number",
            self.waits_of,
        )
        found = [each for (each,) in rows]
        return Met(found == self.waits, f"in {quoted(self.waits_of)} there wait {self.waits}", str(found))


TICKET_FORMS: dict[str, type[CollabForm]] = {"tickets_of": TicketsOf, "waits_of": WaitsOf}
