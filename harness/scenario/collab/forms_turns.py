"""What an expectation of a story of rooms may demand of turns: their calls, what was put on record, what they cost."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from harness.scenario.collab.forms import CollabForm, message_of
from harness.scenario.collab.play import Played
from harness.scenario.collab.scene import Text
from harness.scenario.forms import Met
from harness.scenario.seen import quoted


class Calls(CollabForm, frozen=True, kw_only=True):
    """What became of the calls of a Bot's turns, in order, each as `shell: ok`; of the turns that a line opened."""

    calls: Text
    turn: Text = msgspec.field(name="for")
    ended: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT c.name, c.state FROM calls c JOIN turns t ON t.id = c.turn JOIN bots b ON b.id = t.bot"
            " WHERE b.name = ? AND t.trigger_message = ? ORDER BY c.id",
            self.calls,
            message_of(seen, self.turn),
        )
        found = [f"{name}: {state}" for name, state in rows]
        return Met(found == self.ended, f"{self.calls}'s calls for {quoted(self.turn)} are {self.ended}", str(found))


class Recorded(CollabForm, frozen=True, kw_only=True):
    """These runs of a Bot are on record, in order, and nothing else is: with what they printed, nothing as ``."""

    recorded: Text
    runs: list[str]
    printed: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT r.command, ifnull(r.output, '') FROM turn_runs r JOIN turns t ON t.id = r.turn"
            " JOIN bots b ON b.id = t.bot WHERE b.name = ? ORDER BY r.turn, r.ord",
            self.recorded,
        )
        wanted = list(zip(self.runs, self.printed, strict=True))
        return Met(rows == wanted, f"{self.recorded} has {wanted} on record", str(rows))


class Cost(CollabForm, frozen=True, kw_only=True):
    """What each model call of the turn that a line opened cost, in order."""

    cost: Text
    turn: Text = msgspec.field(name="for")
    hops: list[Annotated[float, Meta(ge=0)]]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT h.cost FROM hops h JOIN turns t ON t.id = h.turn JOIN bots b ON b.id = t.bot"
            " WHERE b.name = ? AND t.trigger_message = ? ORDER BY h.turn, h.number",
            self.cost,
            message_of(seen, self.turn),
        )
        found = [cost for (cost,) in rows]
        return Met(found == self.hops, f"{self.cost}'s hops for {quoted(self.turn)} cost {self.hops}", str(found))


class Unread(CollabForm, frozen=True, kw_only=True):
    """No Bot has the line in its inbox, read or not."""

    unread: Text

    def met(self, seen: Played) -> Met:
        rows = seen.rows("SELECT state FROM inbox_items WHERE message = ?", message_of(seen, self.unread))
        return Met(not rows, f"{quoted(self.unread)} is in no inbox", f"its copies are {[state for (state,) in rows]}")


class Answered(CollabForm, frozen=True, kw_only=True):
    """The cards that show a text were answered like this, in order: an option, or words; an open one as ``."""

    answered: Text
    by: list[str]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT answer FROM (SELECT id, question, answer FROM asks"
            " UNION ALL SELECT card, question, answer FROM work_questions) WHERE instr(question, ?1) ORDER BY id",
            self.answered,
        )
        found = [_shown(answer) for (answer,) in rows]
        return Met(found == self.by, f"{quoted(self.answered)} is answered by {self.by}", str(found))


def _shown(answer: str | None) -> str:
    if answer is None or not answer.startswith("{"):
        return answer or ""
    said = msgspec.json.decode(answer)
    return "; ".join([*said["chosen"], *([said["words"]] if said["words"] else [])])


class WorkCard(CollabForm, frozen=True, kw_only=True):
    """The cards that ask for what only the user can give, of a text, in order: where each is, and how it stands."""

    asked: Text
    places: list[str] = msgspec.field(name="in")
    stands: list[Literal["open", "answered", "superseded"]]

    def met(self, seen: Played) -> Met:
        rows = seen.rows(
            "SELECT s.title, CASE WHEN q.answer IS NOT NULL THEN 'answered'"
            " WHEN q.superseded_at IS NOT NULL THEN 'superseded' ELSE 'open' END FROM work_questions q"
            " JOIN messages m ON m.id = q.card JOIN sessions s ON s.id = m.session WHERE instr(q.question, ?)"
            " ORDER BY q.id",
            self.asked,
        )
        wanted = list(zip(self.places, self.stands, strict=True))
        return Met([tuple(row) for row in rows] == wanted, f"{quoted(self.asked)} is asked: {wanted}", str(rows))


TURN_FORMS: dict[str, type[CollabForm]] = {
    "calls": Calls,
    "recorded": Recorded,
    "cost": Cost,
    "unread": Unread,
    "answered": Answered,
    "asked": WorkCard,
}
