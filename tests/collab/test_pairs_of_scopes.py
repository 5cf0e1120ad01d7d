"""Every pair of scopes of a hold, in a household made by chance: what each covers, how they nest, what a lift hands
over, and which of them one word ends. What is expected comes from an oracle that knows the household's facts alone.
"""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from evening import Evening

from harness.expect import expect_equal
from harness.oracle.holds import Held, Home, Said, Segment
from threadrebuild.collab import events

SCOPES = ("everything", "bot", "session", "plan", "ticket", "bot_in_plan", "turn")
BOTS = ("导演", "文案", "剪辑", "画师", "配音")
ROOMS = {"剪辑组": ("导演", "文案", "剪辑"), "海报组": ("导演", "文案", "画师")}
PLANS = {"新品片": "剪辑组", "海报": "海报组"}
CHANCES = 2
"""How many households each pair is tried in."""


@dataclass
class Household:
    """An evening with work under way, and the same as facts."""

    home: Evening
    chance: random.Random
    facts: Home
    plans: dict[str, int] = field(default_factory=dict)
    tickets: dict[tuple[str, int], int] = field(default_factory=dict)
    holds: dict[int, Held] = field(default_factory=dict)

    # ---------------------------------------------------------------- making it

    def set_to_work(self) -> None:
        """Give most Bots something to do, and let some hand it on."""
        for name, room in PLANS.items():
            self.plans[name] = self.home.opened(name, to=room, tickets=[("甲", "导演"), ("乙", "文案")])
            for number in (1, 2):
                sql = "SELECT id FROM tickets WHERE plan = ? AND number = ?"
                self.tickets[name, number] = self.home.value(sql, self.plans[name], number)
        for name, room in PLANS.items():
            for bot in ROOMS[room]:
                if self.chance.random() < 0.75:
                    ticket = self.chance.choice((None, 1, 2))
                    self.home.say(f"@{bot} 开工", to=room, files=[self.about(name, ticket)])
        for _ in range(4):
            self.hand_on()

    def hand_on(self) -> None:
        """One Bot at work asks another, in a chat of their own."""
        live = self.live()
        if not live:
            return
        teller = self.facts.segments[self.chance.choice(live)]
        other = self.chance.choice([bot for bot in BOTS if bot != teller.bot])
        chat = int(self._calls(teller, events.Call("create_direct", {"to": other})).split()[-1])
        self._calls(teller, events.Call("send_message", {"text": f"{other}来做", "session": chat}))
        self.look()

    def _calls(self, teller: Segment, call: events.Call) -> str:
        """A Bot uses a tool, again where new lines have put that off; what comes of it."""
        assert teller.number is not None
        for _ in range(3):
            assert self.home.hop(teller.bot, call, turn=teller.number)
            _, state, result = self.home.results(teller.number)[-1]
            if state == "ok":
                return result
        raise AssertionError(f"{call.name} comes to {result}")

    def about(self, plan: str, ticket: int | None) -> Any:
        """What a line is read to be about."""
        return (self.plans[plan], self.tickets[plan, ticket]) if ticket else self.plans[plan]

    def look(self) -> None:
        """Take down the facts of the segments that there are."""
        rows = self.home.rows(
            "SELECT t.id, b.name, s.title, p.name, k.number, t.woken_by_turn FROM turns t JOIN bots b ON b.id = t.bot"
            " JOIN sessions s ON s.id = t.session LEFT JOIN plans p ON p.id = t.plan"
            " LEFT JOIN tickets k ON k.id = t.ticket ORDER BY t.id"
        )
        for number, bot, session, plan, ticket, opened_by in rows:
            self.facts.segments[number] = Segment(bot, session, plan, ticket, number, opened_by)

    def live(self) -> list[int]:
        """The segments that run."""
        self.look()
        return [number for (number,) in self.home.rows("SELECT id FROM live_turns ORDER BY id")]

    # ---------------------------------------------------------------- holding

    def some(self, scope: str) -> Held:
        """A hold of a scope on something that is there."""
        plan = self.chance.choice(list(PLANS))
        match scope:
            case "bot":
                return Held(scope, bot=self.chance.choice(BOTS))
            case "session":
                return Held(scope, session=self.chance.choice(list(ROOMS)))
            case "plan":
                return Held(scope, plan=plan)
            case "ticket":
                return Held(scope, plan=plan, ticket=self.chance.choice((1, 2)))
            case "bot_in_plan":
                return Held(scope, bot=self.chance.choice(BOTS), plan=plan)
            case "turn":
                return Held(scope, turn=self.chance.choice(list(self.facts.segments)))
        return Held(scope)

    def hold(self, wanted: Held) -> int:
        """The user holds something."""
        names: dict[str, Any] = {"scope": wanted.scope}
        if wanted.bot is not None:
            names["bot"] = self.home.bot(wanted.bot)
        if wanted.session is not None:
            names["session"] = self.home.session(wanted.session)
        if wanted.ticket is not None:
            assert wanted.plan is not None
            names["ticket"] = self.tickets[wanted.plan, wanted.ticket]
        elif wanted.plan is not None:
            names["plan"] = self.plans[wanted.plan]
        if wanted.turn is not None:
            names["turn"] = wanted.turn
        besides = self.facts.below(wanted, self.live())
        self.home.happens(events.HoldMade, **names)
        number: int = self.home.value("SELECT max(id) FROM holds")
        self.holds[number] = replace(wanted, besides=besides)
        return number

    def recorded(self, hold: int, what: str) -> list[int]:
        """The segments that stand on a hold's record."""
        sql = "SELECT json_extract(e.value, '$.turn') FROM holds h, json_each(h.effect, ?) e WHERE h.id = ?"
        return [turn for (turn,) in self.home.rows(sql, f"$.{what}", hold)]

    def standing(self) -> list[int]:
        """The holds that stand."""
        return [hold for (hold,) in self.home.rows("SELECT id FROM holds WHERE lifted_by IS NULL ORDER BY id")]

    # ---------------------------------------------------------------- trying

    def places(self) -> Iterator[Segment]:
        """Where segments could open."""
        matters = [(None, None), *((plan, ticket) for plan in PLANS for ticket in (None, 1, 2))]
        for bot in BOTS:
            for plan, ticket in matters:
                yield Segment(bot, self.chance.choice([*ROOMS, bot]), plan, ticket)

    def may_open(self, place: Segment) -> bool:
        """Whether the store would take a live segment there."""
        plan = None if place.plan is None else self.plans[place.plan]
        ticket = None if place.ticket is None or place.plan is None else self.tickets[place.plan, place.ticket]
        bot = self.home.bot(place.bot)
        try:
            with self.home.db.transaction():
                # Whoever works there already would be in the way of another.
                self.home.sql("DELETE FROM turns WHERE state = 'running' AND bot = ?", bot)
                item = self.home.db.write(
                    "INSERT INTO work_items (bot, plan, ticket, session) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT DO UPDATE SET session = excluded.session RETURNING id",
                    bot,
                    plan,
                    ticket,
                    self.home.session(place.session),
                )
                item = self.home.value(
                    "SELECT id FROM work_items WHERE bot = ? AND plan IS ? AND ticket IS ? AND (plan IS NOT NULL OR"
                    " session = ?)",
                    bot,
                    plan,
                    ticket,
                    self.home.session(place.session),
                )
                self.home.sql(
                    "INSERT INTO turns (bot, session, work_item, plan, ticket, mode, state, began_seq, began_at)"
                    " VALUES (?, ?, ?, ?, ?, ?, 'running', (SELECT max(seq) FROM events), 1)",
                    bot,
                    self.home.session(place.session),
                    item,
                    plan,
                    ticket,
                    "desk" if plan is None else "work",
                )
                raise _TakenBack
        except _TakenBack:
            return True
        except sqlite3.IntegrityError as error:
            assert str(error) == "held", error
            return False


class _TakenBack(Exception):
    pass


def households(first: str, second: str, folder: Path) -> Iterator[Household]:
    """Households at work, each its own for a pair."""
    for number in range(CHANCES):
        chance = random.Random(f"{first} {second} {number}")
        (folder / str(number)).mkdir()
        home = Evening(folder / str(number), bots=dict.fromkeys(BOTS, 3), rooms=ROOMS)
        house = Household(home, chance, Home(PLANS))
        house.set_to_work()
        yield house
        home.db.close()


def check_pair(first: str, second: str, folder: Path) -> None:
    """Hold twice, look who is stopped and what may still open; then let one word be said, and lift what it leaves."""
    for house in households(first, second, folder):
        made = []
        for scope in (first, second):
            running = house.live()
            wanted = house.some(scope)
            hold = house.hold(wanted)
            made.append(hold)
            stopped = [each for each in running if house.facts.covers(house.holds[hold], house.facts.segments[each])]
            expect_equal("HOLD-2", house.recorded(hold, "stopped_turns"), stopped, f"what {wanted} stops")
            still = [each for each in house.live() if each in running]
            expect_equal("HOLD-13", still, [each for each in running if each not in stopped], "what runs on")
        for place in house.places():
            covered = any(house.facts.covers(house.holds[hold], place) for hold in made)
            expect_equal("HOLD-75", house.may_open(place), not covered, f"whether {place} may open")
        check_one_word(house, made)
        check_lifts(house)


def check_one_word(house: Household, made: list[int]) -> None:
    """One line of the user, and which of the holds it ends."""
    room = house.chance.choice(list(ROOMS))
    plan = house.chance.choice([None, *[name for name, at in PLANS.items() if at == room]])
    ticket = house.chance.choice((None, 1, 2)) if plan else None
    to = house.chance.choice([(), *((bot,) for bot in ROOMS[room])])
    said = Said(room, frozenset(to or ROOMS[room]), plan, ticket)
    files = [house.about(plan, ticket)] if plan else "unclear"
    house.home.say(" ".join([*(f"@{bot}" for bot in to), "改成夜景"]), to=room, files=files)
    left = [hold for hold in made if not house.facts.lifts(said, house.holds[hold])]
    expect_equal("HOLD-24", house.standing(), left, f"what stands after {said}")


def check_lifts(house: Household) -> None:
    """The holds that are left are lifted one after the other: what each had stopped goes on, or is handed over."""
    for hold in house.standing():
        stopped = [*house.recorded(hold, "stopped_turns"), *house.recorded(hold, "held_over")]
        others = {each: house.holds[each] for each in house.standing() if each != hold}
        before = {each: house.recorded(each, "held_over") for each in others}
        house.home.happens(events.HoldLifted, hold=hold)
        house.look()
        _, handed = house.facts.after_lift(stopped, others)
        for each in others:
            now = [*before[each], *handed.get(each, [])]
            expect_equal("HOLD-87", house.recorded(each, "held_over"), now, f"what hold {each} takes over of {hold}")
    expect_equal("HOLD-87", house.standing(), [], "the holds that stand at the end")


@pytest.mark.parametrize("second", SCOPES)
@pytest.mark.parametrize("first", SCOPES)
def test_two_holds(first: str, second: str, tmp_path: Path) -> None:
    check_pair(first, second, tmp_path)
