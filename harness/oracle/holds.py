"""What a hold covers, what one word lifts, and what becomes of stopped work at a lift: decided from plain facts.

A household is told as it stands: who works where, on what, and whose line opened each segment. Nothing of the core is
asked, neither its store's views nor its modules.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

LEVELS_DOWN = 3


@dataclass(frozen=True)
class Segment:
    """A segment, or a place where one could open: who, in which session, on which plan and ticket, opened by whose."""

    bot: str
    session: str
    plan: str | None = None
    ticket: int | None = None
    number: int | None = None
    """None for one that could open."""
    opened_by: int | None = None
    """The segment whose line opened it."""


@dataclass(frozen=True)
class Held:
    """A hold: its scope, with what that names, and what it was found to cover besides as it was made."""

    scope: str
    bot: str | None = None
    session: str | None = None
    plan: str | None = None
    ticket: int | None = None
    turn: int | None = None
    by_stop: bool = False
    besides: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Said:
    """A line of the user: where, to whom, and what it is filed to."""

    session: str
    to: frozenset[str]
    plan: str | None = None
    ticket: int | None = None


@dataclass
class Home:
    """A household: the session that each plan was opened in, and the segments that are there or were."""

    plans: Mapping[str, str]
    segments: dict[int, Segment] = field(default_factory=dict)

    def covers(self, hold: Held, segment: Segment) -> bool:
        """Whether a hold is over a segment, by its scope or besides."""
        return self._in_scope(hold, segment) or segment.number in hold.besides or segment.opened_by in hold.besides

    def below(self, hold: Held, live: Collection[int]) -> frozenset[int]:
        """The live segments that covered work has handed off by its lines: three levels down, and never back up."""
        found = set()
        for number in live:
            above = self._handed_down(number)[:-1][::-1][:LEVELS_DOWN]
            if any(self._in_scope(hold, self.segments[each]) for each in above):
                found.add(number)
        return frozenset(found)

    def lifts(self, said: Said, hold: Held) -> bool:
        """Whether one word of the user ends a hold."""
        spoken_to = hold.bot in said.to
        match hold.scope:
            case "everything":
                return True
            case "bot":
                return spoken_to
            case "session":
                return said.session == hold.session
            case "plan":
                return said.plan == hold.plan
            case "ticket":
                return said.plan == hold.plan and said.ticket == hold.ticket
            case "bot_in_plan":
                return spoken_to and said.plan == hold.plan
        assert hold.turn is not None
        segment = self.segments[hold.turn]
        return segment.bot in said.to and said.plan == segment.plan

    def after_lift(
        self, stopped: Iterable[int], standing: Mapping[int, Held]
    ) -> tuple[list[int], dict[int, list[int]]]:
        """Of what a lifted hold had stopped: what goes on, and what is handed over to which of those that stand."""
        goes_on: list[int] = []
        handed: dict[int, list[int]] = {}
        for number in stopped:
            over = [key for key, hold in standing.items() if self.covers(hold, self.segments[number])]
            ordinary = [key for key in over if not standing[key].by_stop]
            if over:
                handed.setdefault((ordinary or over)[0], []).append(number)
            else:
                goes_on.append(number)
        return goes_on, handed

    def _in_scope(self, hold: Held, segment: Segment) -> bool:
        match hold.scope:
            case "everything":
                return True
            case "bot":
                return segment.bot == hold.bot
            case "session":
                return hold.session in (segment.session, self.plans.get(segment.plan or ""))
            case "plan":
                return segment.plan == hold.plan
            case "ticket":
                return (segment.plan, segment.ticket) == (hold.plan, hold.ticket)
            case "bot_in_plan":
                return (segment.bot, segment.plan) == (hold.bot, hold.plan)
        return segment.number == hold.turn

    def _handed_down(self, number: int) -> list[int]:
        """The segments by whose lines work came to one, itself last; a line back to who is among them is an answer."""
        segment = self.segments[number]
        if segment.opened_by is None:
            return [number]
        before = self._handed_down(segment.opened_by)
        names = [self.segments[each].bot for each in before]
        return [*before[: names.index(segment.bot)], number] if segment.bot in names else [*before, number]
