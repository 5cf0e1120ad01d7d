"""What an expectation of a story of rooms may demand of what Bots ask each other."""

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met


class Delegations(CollabForm, frozen=True, kw_only=True):
    """How everything that was asked stands, in the order in which it was asked."""

    delegations: list[str]

    def met(self, seen: Played) -> Met:
        found = [state for (state,) in seen.rows("SELECT state FROM delegations ORDER BY id")]
        return Met(found == self.delegations, f"what was asked is {self.delegations}", str(found))


class CameBack(CollabForm, frozen=True, kw_only=True):
    """What has come back to a Bot, in order: by whom, `bot` or `app`, each with a mark where it wakes nobody."""

    came_back: list[str]
    to: Text

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT i.author || iif(i.wakes, '', ', silently') FROM inbox_items i JOIN work_items w"
            " ON w.id = i.work_item JOIN bots b ON b.id = w.bot WHERE i.kind = 'reply' AND b.name = ? ORDER BY i.id",
            self.to,
        )
        found = [each for (each,) in rows]
        return Met(found == self.came_back, f"there came back to {self.to} {self.came_back}", str(found))


DELEGATION_FORMS: dict[str, type[CollabForm]] = {"delegations": Delegations, "came_back": CameBack}
