"""A household that lives by numbers: whatever can happen next, by which of it all and with what.

Every step is one event, chosen among those that can be; what each met is counted. Once its steps are done, everything
that is asked for comes back, until nobody has anything left to do.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from random_rooms import BOTS, JUDGED, LINES, ORGANIZED, SPOKEN, WORDS, Rooms

from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

LEVELS = (8, 8, 8, 2, 1)
MOST = 4_000
Step = tuple[str, int, int]
"""What happens, to which, and with what: numbers of any size, taken round."""


class Household:
    """One household on one engine: what has happened in it so far, and what each of that met."""

    rooms_of: type[Rooms] = Rooms
    lines: Sequence[str] = LINES
    happenings: "Sequence[Happening]" = ()
    """How often something may happen, when, and what."""
    quietly: "Mapping[str, Callable[[Any, Effect], None]]" = MappingProxyType({})
    """How what is asked for comes back once nothing else happens any more, by kind."""

    def __init__(self, level: int) -> None:
        self.rooms = self.rooms_of(level)
        self.done: list[Step] = []
        self.met: Counter[tuple[str, str]] = Counter()
        self.steps = 0
        self.nothing = 0

    def live(self, steps: Iterable[Step]) -> None:
        """Live through these steps, leaving out what cannot be when it comes, and settle what is left.

        Raises AssertionError where an invariant does not hold, and whatever comes up.
        """
        by_name = {each.__name__: (can, each) for _, can, each in self.happenings}
        try:
            for step in steps:
                name, which, more = step
                can, happens = by_name[name]
                if can(self):
                    self.done.append(step)
                    happens(self, which, more)
            self._settle()
        finally:
            self.rooms.close()

    def any_steps(self, seed: int, count: int) -> Iterator[Step]:
        """So many steps that can be when they are taken, by the seed alone."""
        numbers = random.Random(seed)
        for _ in range(count):
            name = numbers.choice(
                [each.__name__ for weight, can, each in self.happenings if can(self) for _ in range(weight)]
            )
            yield name, numbers.randrange(MOST), numbers.randrange(MOST)

    # ---------------------------------------------------------------- the user

    def says(self, where: int, text: int) -> None:
        rooms = self.rooms
        rooms.now += (0, 1_000, 30_000)[text % 3]
        session = self._of("SELECT id FROM sessions WHERE kind <> 'bots' AND state = 'open' ORDER BY id", where)
        words, file = self.lines[text % len(self.lines)], text % 5 == 0
        state = rooms.bot_is(self._addressee(session, words))
        reply = self._of("SELECT id FROM messages WHERE session = ? ORDER BY id", text, session) if file else None
        said = {"session": session, "text": words, "files": ("ref.png",) if file else (), "reply_to": reply}
        self._take("line with a file" if file else "line", state, events.Line, **said)

    def edits(self, which: int, text: int) -> None:
        line = self._newest(self._lines(), which)
        words = f"{self.lines[text % len(self.lines)]}，{text}"
        self._take("edited", self.rooms.line_is(line), events.Edited, message=line, text=words)

    def withdraws(self, which: int, _: int) -> None:
        line = self._newest(self._lines("NOT was_read"), which)
        self._take("withdrawn", self.rooms.line_is(line), events.Withdrawn, message=line)

    def inserts(self, which: int, _: int) -> None:
        line = self._unread()[which % len(self._unread())]
        self._take("inserted", self.rooms.line_is(line), events.Inserted, message=line)

    def answers(self, which: int, more: int) -> None:
        card, mode = self._cards("ask")[which % len(self._cards("ask"))]
        said = {"chosen": ("a",)} if more % 2 else {"words": "都行"}
        self._take("answered", mode, events.Answered, ask=card, **said)

    def allows(self, which: int, more: int) -> None:
        card, mode = self._cards("approval")[which % len(self._cards("approval"))]
        may = bool(more % 2)
        self._take("allowed" if may else "not allowed", mode, events.Approved, ask=card, allowed=may)

    def continues(self, which: int, _: int) -> None:
        turn, state = self._cut_off()[which % len(self._cut_off())]
        self._take("continued", state, events.Continued, turn=turn)

    def resumes(self, which: int, _: int) -> None:
        item = self._cleared()[which % len(self._cleared())]
        self._take("resumed", "cleared", events.WorkResumed, work_item=item)

    def leads(self, room: int, who: int) -> None:
        session = self._of("SELECT id FROM sessions WHERE kind = 'group' ORDER BY id", room)
        led = self.rooms.value("SELECT 1 FROM session_participants WHERE session = ? AND is_lead = 1", session)
        present = [*self.rooms.column("SELECT bot FROM session_participants WHERE session = ?", session), None]
        bot = present[who % len(present)]
        state = "somebody leads" if led else "nobody leads"
        self._take("lead", state, events.LeadSet, session=session, bot=bot, confirmed=True)

    def clears(self, where: int, more: int) -> None:
        session = self._of("SELECT id FROM sessions WHERE kind <> 'bots' ORDER BY id", where)
        live = self.rooms.value("SELECT 1 FROM live_turns WHERE session = ?", session)
        state = "at work" if live else "quiet"
        self._take("cleared", state, events.SessionCleared, session=session, erase_quotes=bool(more % 2))

    def retires(self, who: int, _: int) -> None:
        bot = self._active()[who % len(self._active())]
        self._take("retired", self.rooms.bot_is(bot), events.BotRetired, bot=bot, state="archived")

    def writes_on_the_board(self, which: int, more: int) -> None:
        tickets = self.rooms.column("SELECT id FROM tickets ORDER BY id")
        if more % 2 and tickets:
            there, title = tickets[which % len(tickets)], f"ticket {more}"
            self._take("edited on the board", "ticket", events.TicketEdited, ticket=there, title=title)
        else:
            plan, goal = self._of("SELECT id FROM plans ORDER BY id", which), f"goal {more}"
            self._take("edited on the board", "plan", events.BoardEdited, plan=plan, goal=goal)

    # ---------------------------------------------------------------- what comes back

    def is_begun(self, which: int, _: int) -> None:
        pending = self._pending()
        assert self.rooms.engine.begin(pending[which % len(pending)])

    def reads(self, which: int, answer: int) -> None:
        effect = self._pick("read", which)
        if effect.turn is not None:
            self._answer_words(effect, SPOKEN[answer % len(SPOKEN)])
            return
        line = int(effect.subject.split(":")[1])
        first = self.rooms.value("SELECT head_at IS NOT NULL FROM messages WHERE id = ?", line)
        raw = self.rooms.reading(effect, answer)
        state = "first in its session" if first else "behind another"
        self._answer("read", state, effect, events.Read, raw=raw, failure="timeout" if raw is None else None)

    def judges(self, which: int, answer: int) -> None:
        effect = self._pick("judge", which)
        line = int(effect.subject.split(":")[1])
        open_ = self.rooms.value("SELECT count(*) FROM judgements WHERE message = ? AND answer IS NULL", line)
        raw = JUDGED[answer % len(JUDGED)]
        state = "the last" if open_ == 1 else "with others to come"
        self._answer("judged", state, effect, events.Judged, raw=raw, failure="error" if raw is None else None)

    def calls(self, which: int, calls: int) -> None:
        effect = self._pick("hop", which)
        made = self.rooms.calls(effect.turn, [calls, *([calls * 7, calls * 31][: calls % 3])])
        self._answer("calls", self.rooms.mode(effect), effect, events.Hopped, calls=made)

    def runs_a_command(self, which: int, more: int) -> None:
        effect = self._pick("hop", which)
        made = (events.Call("shell", {"command": f"make {more}"}),)
        self._answer("calls", self.rooms.mode(effect), effect, events.Hopped, calls=made)

    def speaks(self, which: int, words: int) -> None:
        effect = self._pick("hop", which)
        self._answer("says", self.rooms.mode(effect), effect, events.Hopped, text=WORDS[words % len(WORDS)])

    def model_fails(self, which: int, _: int) -> None:
        effect = self._pick("hop", which)
        self._answer("model fails", self.rooms.mode(effect), effect, events.Hopped, failure="gone")

    def tool_ends(self, which: int, more: int) -> None:
        effect = self._pick("run_tool", which)
        written = (str(effect.body["arguments"].get("path")),) if effect.body["tool"] == "write_file" else ()
        name = "tool fails" if more % 4 == 0 else "tool ends"
        self._answer(name, self.rooms.mode(effect), effect, events.Ran, ok=name == "tool ends", written=written)

    def time_comes(self, which: int, _: int) -> None:
        effect = self._pick("timer", which)
        self.rooms.now = max(self.rooms.now, int(effect.body["due"]))
        self._answer("time comes", effect.subject.partition(":")[0], effect, events.TimerRang)

    def organizes(self, which: int, answer: int) -> None:
        effect = self._pick("organizer", which)
        self._answer("organized", "quiet", effect, events.Organized, raw=ORGANIZED[answer % len(ORGANIZED)])

    def command_ends(self, which: int, _: int) -> None:
        self._answer("command ends", "killed", self._pick("kill", which), events.Killed)

    def crashes(self, _: int, more: int) -> None:
        under_way = "something" if self.rooms.value("SELECT 1 FROM live_turns WHERE state = 'running'") else "nothing"
        self._take("crash", f"{under_way} under way", events.Started, cause=("crash", "stop")[more % 2])

    def comes_again(self, which: int, _: int) -> None:
        before = self.rooms.value("SELECT count(*) FROM events")
        self.rooms.again(self.rooms.late[which % len(self.rooms.late)])
        assert self.rooms.value("SELECT count(*) FROM events") == before, "a repeat is known by its key"
        self._note("comes again", "taken in before", False)

    # ---------------------------------------------------------------- within

    def _take(self, name: str, state: str, kind: type[events.Event], /, **fields: Any) -> None:
        self._note(name, state, self.rooms.take(kind, **fields))

    def _answer(self, name: str, state: str, effect: Effect, kind: type[events.Event], /, **fields: Any) -> None:
        begun = self.rooms.engine.begin(effect.id) or bool(
            self.rooms.value("SELECT 1 FROM effects WHERE id = ? AND state = 'started'", effect.id)
        )
        assert begun, f"{effect} was open, and could not be begun"
        self._take(name, state, kind, effect=effect.id, **fields)

    def _answer_words(self, effect: Effect, raw: str | None) -> None:
        failure = "timeout" if raw is None else None
        self._answer("words read", self.rooms.mode(effect), effect, events.Read, raw=raw, failure=failure)

    def _note(self, name: str, state: str, changed: bool) -> None:
        self.steps += 1
        self.nothing += not changed
        self.met[name, state] += changed or state == "taken in before"
        assert not self.rooms.broken(), "\n".join(map(str, self.rooms.broken()))

    def _settle(self) -> None:
        """Everything that is asked for comes back, until nobody has anything left to do; then no line is missing."""
        for _ in range(5_000):
            for kind, answered in self.quietly.items():
                open_ = self.rooms.effects(kind)
                if open_:
                    answered(self, self.rooms.effect(open_[0]))
                    break
            else:
                break
        else:
            raise AssertionError("what is asked for never ends")
        assert not self.rooms.broken(), "\n".join(map(str, self.rooms.broken()))
        assert not self.rooms.lost(), self.rooms.lost()

    def _of(self, sql: str, which: int, *values: Any) -> Any:
        found = self.rooms.column(sql, *values)
        return found[which % len(found)] if found else None

    def _newest(self, lines: list[int], which: int) -> int:
        """One of the last few, which are still on their way the most."""
        return lines[-4:][which % len(lines[-4:])]

    def _pick(self, kind: str, which: int) -> Effect:
        found = self.rooms.effects(kind)
        return self.rooms.effect(found[which % len(found)])

    def _pending(self) -> list[int]:
        return self.rooms.column("SELECT id FROM effects WHERE state = 'pending' ORDER BY id")

    def _lines(self, which: str = "1") -> list[int]:
        sql = f"SELECT id FROM messages WHERE author = 'user' AND state <> 'withdrawn' AND {which} ORDER BY id"
        return self.rooms.column(sql)

    def _unread(self) -> list[int]:
        return self.rooms.column(
            "SELECT DISTINCT message FROM inbox_items WHERE state = 'queued' AND author = 'user' AND kind = 'line'"
            " AND message IS NOT NULL ORDER BY message"
        )

    def _cards(self, kind: str) -> list[tuple[int, str]]:
        rows = self.rooms.db.rows(
            "SELECT a.id, t.mode FROM asks a JOIN turns t ON t.id = a.turn WHERE a.kind = ? AND a.answer IS NULL"
            " AND a.closed = 0 ORDER BY a.id",
            kind,
        )
        return [(row["id"], row["mode"]) for row in rows]

    def _cut_off(self) -> list[tuple[int, str]]:
        rows = self.rooms.db.rows(
            "SELECT id, state FROM turns WHERE state IN ('interrupted', 'failed') AND work_item IS NOT NULL"
            " AND id NOT IN (SELECT continues FROM inbox_items WHERE continues IS NOT NULL) ORDER BY id"
        )
        return [(row["id"], row["state"]) for row in rows]

    def _cleared(self) -> list[int]:
        return self.rooms.column(
            "SELECT DISTINCT work_item FROM inbox_items WHERE state = 'queued' AND message IS NULL AND wakes = 0"
            " AND kind = 'line' ORDER BY work_item"
        )

    def _active(self) -> list[int]:
        return self.rooms.column("SELECT id FROM bots WHERE state = 'active' ORDER BY id")

    def _addressee(self, session: int, text: str) -> int | None:
        """Whom a line is for, as far as its first name, the chat or the lead tell."""
        rooms = self.rooms
        direct = rooms.value("SELECT bot FROM sessions WHERE id = ?", session)
        named = next((name for name in BOTS if f"@{name}" in text), None)
        lead = "SELECT bot FROM session_participants WHERE session = ? AND is_lead = 1"
        found = direct or rooms.value("SELECT id FROM bots WHERE name = ?", named) or rooms.value(lead, session)
        return None if found is None else int(found)


def _open(kind: str) -> Callable[[Household], object]:
    return lambda self: self.rooms.effects(kind)


def _after(count: int) -> Callable[[Household], object]:
    return lambda self: self.rooms.events > count


Happening = tuple[int, Callable[[Any], object], Callable[[Any, int, int], None]]
HAPPENINGS: Sequence[Happening] = (
    (14, lambda self: True, Household.says),
    (4, lambda self: self._lines(), Household.edits),
    (4, lambda self: self._lines("NOT was_read"), Household.withdraws),
    (4, lambda self: self._unread(), Household.inserts),
    (3, lambda self: self._cards("ask"), Household.answers),
    (8, lambda self: self._cards("approval"), Household.allows),
    (4, lambda self: self._cut_off(), Household.continues),
    (4, lambda self: self._cleared(), Household.resumes),
    (2, lambda self: True, Household.leads),
    (1, _after(60), Household.clears),
    (4, lambda self: self.rooms.events > 120 and len(self._active()) == len(BOTS), Household.retires),
    (1, lambda self: self.rooms.value("SELECT 1 FROM plans"), Household.writes_on_the_board),
    (24, lambda self: self._pending(), Household.is_begun),
    (24, _open("read"), Household.reads),
    (12, _open("judge"), Household.judges),
    (24, _open("hop"), Household.calls),
    (10, _open("hop"), Household.runs_a_command),
    (7, _open("hop"), Household.speaks),
    (1, _open("hop"), Household.model_fails),
    (12, _open("run_tool"), Household.tool_ends),
    (2, _open("timer"), Household.time_comes),
    (6, _open("organizer"), Household.organizes),
    (6, _open("kill"), Household.command_ends),
    (2, _after(20), Household.crashes),
    (1, _after(20), Household.comes_again),
)
"""What can happen next: how often, when, and what."""
Household.happenings = HAPPENINGS
Household.quietly = {
    "read": lambda self, effect: self._answer("read", "quietly", effect, events.Read, raw="{}"),
    "judge": lambda self, effect: self._answer("judged", "quietly", effect, events.Judged, raw='{"join": true}'),
    "run_tool": lambda self, effect: self._answer("tool ends", "quietly", effect, events.Ran, ok=True),
    "hop": lambda self, effect: self._answer("says", "quietly", effect, events.Hopped, text="好了。"),
    "kill": lambda self, effect: self._answer("command ends", "quietly", effect, events.Killed),
    "organizer": lambda self, effect: self._answer("organized", "quietly", effect, events.Organized, raw="{}"),
    "timer": lambda self, effect: self._answer("time comes", "quietly", effect, events.TimerRang),
}
