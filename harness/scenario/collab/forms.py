"""What an expectation of a story of rooms may demand: looked at in the store, and in what was really done outside."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import ScenarioFault, quoted, times
from harness.scenario.stories.kinds import StoryForm

Count = Annotated[int, Meta(ge=0)]


class CollabForm(StoryForm, frozen=True, kw_only=True):
    """One demand on a story of rooms."""

    def met(self, seen: Played) -> Met:
        """Look. Raises `ScenarioFault` where the demand makes no sense of this story."""
        raise NotImplementedError


class Received(CollabForm, frozen=True, kw_only=True):
    """Exactly these Bots received the line."""

    received: Text
    by: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT b.name FROM message_receivers r JOIN bots b ON b.id = r.bot WHERE r.message = ?",
            message_of(seen, self.received),
        )
        return _same_set([name for (name,) in rows], self.by, f"{quoted(self.received)} is received by")


class FiledTo(CollabForm, frozen=True, kw_only=True):
    """The line is filed to exactly these plans, by name, in this order."""

    filed: Text
    to: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT p.name FROM message_filings f JOIN plans p ON p.id = f.plan WHERE f.message = ? ORDER BY f.ord",
            message_of(seen, self.filed),
        )
        found = [name for (name,) in rows]
        return Met(found == self.to, f"{quoted(self.filed)} is filed to {self.to}", str(found))


class Plans(CollabForm, frozen=True, kw_only=True):
    """Exactly these plans have been opened, in this order."""

    plans: list[str]

    def met(self, seen: Played) -> Met:
        found = [name for (name,) in seen.rows("SELECT name FROM plans ORDER BY id")]
        return Met(found == self.plans, f"the plans are {self.plans}", str(found))


class Turns(CollabForm, frozen=True, kw_only=True):
    """A Bot's turns, in order: how each ended, and (with `opened_by`) which lines opened them."""

    turns: Text
    ended: list[str]
    opened_by: list[str] | None = None

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT t.state, t.end_reason, t.trigger_message FROM turns t JOIN bots b ON b.id = t.bot"
            " WHERE b.name = ? ORDER BY t.id",
            self.turns,
        )
        ended = [state if state != "completed" else reason for state, reason, _ in rows]
        lines = [seen.script.messages.get(message, "") for _, _, message in rows]
        ok = ended == self.ended and self.opened_by in (None, lines)
        wanted = f"{self.turns}'s turns end {self.ended}" + (f", opened by {self.opened_by}" if self.opened_by else "")
        return Met(ok, wanted, f"{ended}, opened by {lines}")


class Says(CollabForm, frozen=True, kw_only=True):
    """A text is said so many times: by a Bot (or `user`, `app`), in a room or direct chat, where these are given."""

    says: Text
    by: str | None = None
    room: str | None = msgspec.field(name="in", default=None)
    times: Count = 1

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT ifnull(b.name, m.author), s.title FROM messages m JOIN sessions s ON s.id = m.session"
            " LEFT JOIN bots b ON b.id = m.bot WHERE instr(m.text, ?)",
            self.says,
        )
        found = [each for each in rows if self.by in (None, each[0]) and self.room in (None, each[1])]
        by = f" by {self.by}" if self.by else ""
        where = f" in {self.room}" if self.room else ""
        return Met(len(found) == self.times, f"{quoted(self.says)} is said{by}{where} {times(self.times)}", str(rows))


class ReadsLine(CollabForm, frozen=True, kw_only=True):
    """A line is read by a Bot, in the turn that another line opened."""

    reads: Text
    by: Text
    turn: Text = msgspec.field(name="in_turn_of")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT t.trigger_message FROM inbox_items i JOIN turns t ON t.id = i.read_by_turn"
            " JOIN bots b ON b.id = t.bot WHERE i.message = ? AND b.name = ?",
            message_of(seen, self.reads),
            self.by,
        )
        found = [seen.script.messages.get(message, "") for (message,) in rows]
        wanted = f"{self.by} reads {quoted(self.reads)} once, in the turn that {quoted(self.turn)} opened"
        return Met(found == [self.turn], wanted, f"in the turns of {found}")


class RanTool(CollabForm, frozen=True, kw_only=True):
    """A tool really ran so many times with this."""

    ran: Text
    times: Count = 1

    def met(self, seen: Played) -> Met:
        found = [f"{each.tool} {each.what}" for each in seen.script.done]
        count = sum(self.ran in each for each in found)
        return Met(count == self.times, f"{quoted(self.ran)} runs {times(self.times)}", f"ran: {found}")


class Context(CollabForm, frozen=True, kw_only=True):
    """What a Bot reads at a hop of the turn that a line opened has a text in it, or lacks it."""

    context_of: Text
    turn: Text = msgspec.field(name="for")
    hop: Annotated[int, Meta(ge=1)] = 1
    has: str | None = None
    lacks: str | None = None

    def __post_init__(self) -> None:
        if (self.has is None) == (self.lacks is None):
            raise ValueError("`context_of` demands `has` or `lacks`")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT json_extract(e.body, '$.context') FROM effects e JOIN turns t ON t.id = e.turn"
            " JOIN bots b ON b.id = t.bot WHERE e.kind = 'hop' AND b.name = ? AND t.trigger_message = ?"
            " AND json_extract(e.body, '$.hop') = ? ORDER BY e.turn, e.id",
            self.context_of,
            message_of(seen, self.turn),
            self.hop,
        )
        if not rows:
            raise ScenarioFault(f"{self.context_of} has no hop {self.hop} in a turn that {self.turn!r} opened")
        text: str = rows[0][0]
        if self.has is not None:
            return Met(self.has in text, f"{self.context_of} reads {quoted(self.has)}", quoted(text))
        assert self.lacks is not None
        return Met(self.lacks not in text, f"{self.context_of} does not read {quoted(self.lacks)}", quoted(text))


class Quotes(CollabForm, frozen=True, kw_only=True):
    """The user's words that are kept of a plan, in the order in which they were said; erased ones are not."""

    quotes: Text
    """The plan."""
    texts: list[str] = msgspec.field(name="are")

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT DISTINCT q.id, q.text FROM quotes q JOIN quote_filings f ON f.quote = q.id"
            " JOIN plans p ON p.id = f.plan WHERE p.name = ? AND q.erased = 0 ORDER BY q.seq, q.id",
            self.quotes,
        )
        found = [text for _, text in rows]
        return Met(found == self.texts, f"the words kept of {quoted(self.quotes)} are {self.texts}", str(found))


class Logged(CollabForm, frozen=True, kw_only=True):
    """So many entries of a type stand in the work log."""

    logged: Text
    times: Count = 1

    def met(self, seen: Played) -> Met:
        count = seen.rows("SELECT count(*) FROM work_events WHERE type = ?", self.logged)[0][0]
        return Met(count == self.times, f"{self.logged} is logged {times(self.times)}", times(count))


def message_of(seen: Played, label: str) -> int:
    try:
        return seen.message(label)
    except StopIteration:
        raise ScenarioFault(f"no line of this story is called {label!r}") from None


def _same_set(found: list[Any], wanted: list[Any], what: str) -> Met:
    return Met(sorted(found) == sorted(wanted), f"{what} {wanted}", str(found))


FORMS: dict[str, type[CollabForm]] = {
    "received": Received,
    "filed": FiledTo,
    "plans": Plans,
    "turns": Turns,
    "says": Says,
    "reads": ReadsLine,
    "ran": RanTool,
    "context_of": Context,
    "quotes": Quotes,
    "logged": Logged,
}
