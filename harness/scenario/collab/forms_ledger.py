"""What an expectation of a story of rooms may demand of the ledger of requirements."""

from harness.scenario.collab.forms import CollabForm
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class Entry(CollabForm, frozen=True, kw_only=True):
    """The entries that stand on just these words: with a state one, in that state; with `none` there is no such one."""

    entries: Text
    state: str
    said: int | None = None
    """How often it was said."""
    replaces: str | None = None
    """The words of what it would replace."""
    scope: str | None = None
    set_apart: bool | None = None
    """Whether an edit has taken it away, and the user is asked."""

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT r.state, (SELECT count(DISTINCT quote) FROM requirement_said WHERE requirement = r.id),"
            " (SELECT span FROM requirements WHERE id = r.replaces), r.scope, r.edited_away IS NOT NULL"
            " FROM requirements r WHERE r.span = ?",
            self.entries,
        )
        wanted = (self.state, self.said, self.replaces, self.scope, self.set_apart)
        ok = not rows if self.state == "none" else len(rows) == 1 and _fits(rows[0], wanted)
        return Met(ok, f"{quoted(self.entries)} stands in the ledger as {wanted}", str(rows))


def _fits(row: tuple[object, ...], wanted: tuple[object, ...]) -> bool:
    return all(want in (None, has) for has, want in zip(row, wanted, strict=True))


LEDGER_FORMS: dict[str, type[CollabForm]] = {"entries": Entry}
