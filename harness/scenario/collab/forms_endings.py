"""What an expectation of a story of rooms may demand of endings: what they were sent back for."""

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met


class SentBack(CollabForm, frozen=True, kw_only=True):
    """What a Bot's endings were sent back for, turn by turn, in order."""

    sent_back: Text
    codes: list[list[str]]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT (SELECT group_concat(code) FROM (SELECT code FROM bounces WHERE turn = t.id ORDER BY id))"
            " FROM turns t JOIN bots b ON b.id = t.bot WHERE b.name = ? ORDER BY t.id",
            self.sent_back,
        )
        found = [codes.split(",") if codes else [] for (codes,) in rows]
        return Met(found == self.codes, f"{self.sent_back}'s endings are sent back for {self.codes}", str(found))


class Notified(CollabForm, frozen=True, kw_only=True):
    """The user is notified of so many things that say this."""

    notified: Text
    times: int = 1

    def met(self, seen: Played) -> Met:
        rows = seen.rows("SELECT kind, text FROM notifications ORDER BY id")
        count = sum(self.notified in text for _, text in rows)
        return Met(count == self.times, f"{self.times} notifications say {self.notified}", str(rows))


ENDING_FORMS: dict[str, type[CollabForm]] = {"sent_back": SentBack, "notified": Notified}
