"""What an expectation of a story of rooms may demand of acceptance checks."""

import json

from harness.scenario.collab.checking import name_of
from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met


class Checks(CollabForm, frozen=True, kw_only=True):
    """Exactly these checks stand in a plan, each called by what it looks at: how it is kept, and how it last ended."""

    checks_of: Text
    are: dict[str, str]
    """`active, passed`, `active, not run`, `proposal, failed`; `organizer: …` for one that the organizer wrote."""

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT c.body, c.item, c.matched, c.written_by, c.state, (SELECT outcome FROM check_runs"
            " WHERE check_id = c.id AND seq >= c.defined_seq ORDER BY id DESC LIMIT 1)"
            " FROM checks c JOIN plans p ON p.id = c.plan WHERE p.name = ? AND c.state <> 'deleted' ORDER BY c.id",
            self.checks_of,
        )
        found = {
            name_of(json.loads(body), item, matched): f"{'organizer: ' if by == 'organizer' else ''}{state}, "
            f"{(outcome or 'not run').replace('_', ' ')}"
            for body, item, matched, by, state, outcome in rows
        }
        return Met(found == self.are, f"the checks of {self.checks_of} are {self.are}", str(found))


class CheckRuns(CollabForm, frozen=True, kw_only=True):
    """What the runs of a check came to that are on record, in order."""

    runs_of: Text
    """What the check looks at."""
    came_to: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT c.body, c.item, c.matched, r.outcome FROM check_runs r JOIN checks c ON c.id = r.check_id"
            " ORDER BY r.id"
        )
        found = [end for body, item, file, end in rows if name_of(json.loads(body), item, file) == self.runs_of]
        return Met(found == self.came_to, f"the runs of {self.runs_of} come to {self.came_to}", str(found))


CHECK_FORMS: dict[str, type[CollabForm]] = {"checks_of": Checks, "runs_of": CheckRuns}
