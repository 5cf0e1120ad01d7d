"""A household in which Bots ask each other for things all the time, while Bots and sessions come and go.

It lives by numbers as any random household does. New Bots come for those that are archived or deleted, and groups for
those that go, so that there is always somebody to ask.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from random_household import Household

from threadrebuild.collab import events

FEWEST, GROUPS = 3, 2
EXPECTS = ("answer", "answer", "answer", "review", "deliverable")


class Asking(Household):
    """One such household."""

    # ---------------------------------------------------------------- who comes and goes

    def joins(self, _: int, more: int) -> None:
        name = f"新人{self.steps}"
        self._take("joined", "Bot", events.BotAdded, name=name)
        self._take("joined", "direct", events.SessionOpened, session="direct", title=name, members=(name,))
        self._opens_group(name)

    def opens_a_group(self, which: int, _: int) -> None:
        self._opens_group(f"群{self.steps}")

    def goes(self, who: int, more: int) -> None:
        bot, state = self._active()[who % len(self._active())], ("archived", "deleted")[more % 2]
        self._take(state, self._part(bot), events.BotRetired, bot=bot, state=state)

    def deletes_a_group(self, which: int, more: int) -> None:
        group = self._groups()[which % len(self._groups())]
        self._empties("deleted group", group, events.SessionDeleted)

    def clears_any(self, which: int, more: int) -> None:
        session = self._of("SELECT id FROM sessions WHERE state = 'open' ORDER BY id", which)
        self._empties("emptied", session, events.SessionCleared)

    # ---------------------------------------------------------------- work, asking and answering

    def puts_to_work(self, which: int, more: int) -> None:
        """The user says something to a Bot in a group, and it is read at once as new work or as some plan's."""
        rooms = self.rooms
        group = self._groups()[which % len(self._groups())]
        present = rooms.db.rows(
            "SELECT b.name FROM session_participants p JOIN bots b ON b.id = p.bot"
            " WHERE p.session = ? AND b.state = 'active' ORDER BY b.id",
            group,
        )
        if not present:
            return
        name = present[more % len(present)]["name"]
        self._take("put to work", "", events.Line, session=group, text=f"@{name} 做第{more}版")
        line = rooms.value("SELECT max(id) FROM messages WHERE author = 'user'")
        for _ in range(3):
            for number in rooms.effects("read"):
                effect = rooms.effect(number)
                if effect.turn is None and effect.subject.split(":")[1] == str(line):
                    raw = self._filing(effect.body, more) if effect.body["reads"] == "filing" else "{}"
                    self._answer("read", "at once", effect, events.Read, raw=raw)

    def asks(self, which: int, more: int) -> None:
        effect = self._pick("hop", which)
        to = self._active()[more % len(self._active())]
        said = {"to": to, "ask": f"问题{more}", "expects": EXPECTS[more % len(EXPECTS)], "continue": more % 3 == 0}
        before = self.rooms.value("SELECT count(*) FROM delegations")
        self._answer("asks", self.rooms.mode(effect), effect, events.Hopped, calls=(events.Call("delegate", said),))
        if self.rooms.value("SELECT count(*) FROM delegations") > before:
            self.met["asks", "made"] += 1

    def answers_what_was_asked(self, which: int, more: int) -> None:
        effect = self._pick("hop", which)
        read = self.rooms.column(
            "SELECT id FROM inbox_items WHERE read_by_turn = ? AND author = 'user' ORDER BY id", effect.turn
        )
        said = {"reason": "answered", "answer": f"答{more}", "inbox": [{"id": item, "state": "done"} for item in read]}
        before = self.rooms.value("SELECT count(*) FROM delegations WHERE state = 'replied'")
        made = (events.Call("end_turn", said),)
        self._answer("replies", self.rooms.mode(effect), effect, events.Hopped, calls=made)
        if self.rooms.value("SELECT count(*) FROM delegations WHERE state = 'replied'") > before:
            self.met["replies", "taken"] += 1

    def looks_again_later(self, which: int, more: int) -> None:
        effect = self._pick("hop", which)
        made = (events.Call("check_back", {"after_minutes": 5 + more % 50, "note": "看看"}),)
        self._answer("check-back", self.rooms.mode(effect), effect, events.Hopped, calls=made)

    # ---------------------------------------------------------------- within

    def _opens_group(self, title: str) -> None:
        names = [self.rooms.value("SELECT name FROM bots WHERE id = ?", bot) for bot in self._active()]
        self._take("joined", "group", events.SessionOpened, session="group", title=f"{title}组", members=tuple(names))

    def _filing(self, body: dict[str, Any], more: int) -> str:
        plans = [plan["id"] for plan in body["candidates"]]
        if not plans or more % 3 == 0:
            return '{"kind": "new_work"}'
        return json.dumps({"kind": "plans", "about": [{"plan": plans[more % len(plans)]}]})

    def _groups(self) -> list[int]:
        return self.rooms.column("SELECT id FROM sessions WHERE kind = 'group' AND state = 'open' ORDER BY id")

    def _part(self, bot: int) -> str:
        """What a Bot has to do with open delegations."""
        sides = {
            side: self.rooms.value(
                f"SELECT 1 FROM delegations d JOIN work_items w ON w.id = d.{side}"
                " WHERE w.bot = ? AND d.state = 'open'",
                bot,
            )
            for side in ("from_item", "to_item")
        }
        if all(sides.values()):
            return "asks and is asked"
        return "asks" if sides["from_item"] else "is asked" if sides["to_item"] else "free"

    def _empties(self, name: str, session: int, kind: type[events.Event]) -> None:
        """A session is emptied: what was asked there, or at home there, is cancelled, and wakes nobody."""
        asked = self.rooms.column(
            "SELECT d.id FROM delegations d JOIN work_items f ON f.id = d.from_item"
            " JOIN work_items t ON t.id = d.to_item LEFT JOIN turns u ON u.id = d.turn"
            " LEFT JOIN plans p ON p.id = d.plan"
            " WHERE d.state = 'open' AND ?1 IN (d.session, f.session, t.session, u.session, p.session)",
            session,
        )
        self._take(name, "with requests" if asked else "without", kind, session=session)
        for one in asked:
            state = self.rooms.value("SELECT state FROM delegations WHERE id = ?", one)
            assert state == "cancelled", f"delegation {one} is {state} after session {session} was emptied"
            wakes = "SELECT wakes FROM inbox_items WHERE delegation = ? AND kind = 'reply'"
            assert self.rooms.value(wakes, one) == 0, f"the end of delegation {one} wakes somebody"


def _few(self: Household) -> bool:
    return len(self._active()) <= FEWEST


HAPPENINGS: Sequence[tuple[int, Callable[[Asking], object], Callable[[Asking, int, int], None]]] = (
    (12, lambda self: self._groups(), Asking.puts_to_work),
    (30, lambda self: self.rooms.effects("hop"), Asking.asks),
    (12, lambda self: self.rooms.effects("hop"), Asking.answers_what_was_asked),
    (4, lambda self: self.rooms.effects("hop"), Asking.speaks),
    (3, lambda self: self.rooms.effects("hop"), Asking.calls),
    (2, lambda self: self.rooms.effects("hop"), Asking.looks_again_later),
    (1, lambda self: self.rooms.effects("hop"), Asking.model_fails),
    (20, _few, Asking.joins),
    (20, lambda self: len(self._groups()) < GROUPS, Asking.opens_a_group),
    (2, lambda self: not _few(self), Asking.goes),
    (1, lambda self: self._groups(), Asking.deletes_a_group),
    (2, lambda self: True, Asking.clears_any),
    (2, lambda self: True, Asking.crashes),
    (2, lambda self: self.rooms.effects("timer"), Asking.time_comes),
    (2, lambda self: self._cut_off(), Asking.continues),
    (2, lambda self: self._cleared(), Asking.resumes),
    (12, lambda self: self._pending(), Asking.is_begun),
    (10, lambda self: self.rooms.effects("read"), Asking.reads),
    (6, lambda self: self.rooms.effects("judge"), Asking.judges),
    (8, lambda self: self.rooms.effects("run_tool"), Asking.tool_ends),
    (3, lambda self: self.rooms.effects("kill"), Asking.command_ends),
)
"""What can happen next: how often, when, and what."""
Asking.happenings = HAPPENINGS
