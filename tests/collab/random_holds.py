"""A random household whose user stops, holds, narrows, widens, lifts and says go on, by words, Stop, menus and buttons.

Once its steps are done everything still held is lifted, and then nothing may be left behind.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from random_household import HAPPENINGS, Happening, Household
from random_rooms import MEANINGS, Rooms

from threadrebuild.collab import events

SCOPES = ("everything", "bot", "session", "plan", "ticket", "bot_in_plan", "turn")
WORDS_OF_CONTROL = (
    "停下",
    "全都停",
    "你停一下",
    "你们全都停",
    "@导演 停下",
    "先停,把第三镜换成夜景",
    "今天先停,明天继续",
    "继续",
    "@文案 继续",
    "所有 Bot 继续",
    "停了吗",
    "片尾的 logo 再大一点",
)
CONTROL = (
    '{"control": "stop", "only": true}',
    '{"control": "stop", "only": false}',
    '{"control": "resume", "only": true}',
    '{"control": "resume", "only": false}',
    '{"control": "both", "only": true}',
    '{"control": "neither", "status": true}',
)


class HeldRooms(Rooms):
    """Rooms in which every other line is read to stop, to go on, or to ask how far things are."""

    meanings = (*MEANINGS, *CONTROL)

    def calls(self, turn: int | None, numbers: Sequence[int]) -> tuple[events.Call, ...]:
        """As everywhere, and some look again later."""
        later = events.Call("check_back", {"after_minutes": 5, "note": "look again"})
        return tuple(
            later if number % 9 == 0 else call
            for number, call in zip(numbers, super().calls(turn, numbers), strict=True)
        )


class HeldHousehold(Household):
    """One household whose user stops and lets go on, over and over."""

    rooms_of = HeldRooms
    lines = (*Household.lines, *WORDS_OF_CONTROL)

    # ---------------------------------------------------------------- the user

    def stops(self, which: int, _: int) -> None:
        turn, mode = self._of_live(which)
        self._take("Stop", mode, events.StopPressed, turn=turn)

    def holds(self, which: int, more: int) -> None:
        scope = SCOPES[which % len(SCOPES)]
        names = self._named(scope, more)
        if names is not None:
            self._take("hold", scope, events.HoldMade, scope=scope, **names)

    def keeps(self, which: int, _: int) -> None:
        """An older version marks a hold void, which then ends by a lift alone."""
        hold = self._standing("void = 0")[which % len(self._standing("void = 0"))]
        self.rooms.db.write("UPDATE holds SET void = 1 WHERE id = ?", hold["id"])
        self._note("kept", hold["scope"], True)

    def lets_one_go(self, which: int, more: int) -> None:
        """An older version had let a Bot go under a hold."""
        hold = self._standing("scope IN ('everything', 'session')")
        chosen, bot = hold[which % len(hold)], self._active()[more % len(self._active())]
        let_go = [*json.loads(chosen["effect"]).get("released_bots", []), bot]
        sql = "UPDATE holds SET effect = json_set(effect, '$.released_bots', json(?)) WHERE id = ?"
        self.rooms.db.write(sql, json.dumps(let_go), chosen["id"])
        self._note("let go", chosen["scope"], True)

    def lifts(self, which: int, _: int) -> None:
        hold = self._standing()[which % len(self._standing())]
        state = "a kept one" if hold["void"] else "a Stop's" if hold["by_stop"] else "an ordinary one"
        self._take("lift", state, events.HoldLifted, hold=hold["id"])

    def presses_a_button(self, which: int, more: int) -> None:
        line, offer = self._buttons()[which % len(self._buttons())]
        action = offer[more % len(offer)]
        self._take("button", str(action), events.ControlPressed, message=line, action=action)

    def turns_a_plan(self, which: int, more: int) -> None:
        plans = self.rooms.db.rows("SELECT id, status FROM plans ORDER BY id")
        plan, status = plans[which % len(plans)], ("parked", "active", "done")[more % 3]
        self._take("turned on the board", status, events.BoardEdited, plan=plan["id"], status=status)

    # ---------------------------------------------------------------- within

    def _settle(self) -> None:
        """All comes back, twice: while what is held is held, and once all of it is lifted. Then nothing is left."""
        super()._settle()
        while standing := self._standing():
            self._take("lift", "at the end", events.HoldLifted, hold=standing[0]["id"])
        super()._settle()
        left = self.rooms.db.rows(
            "SELECT 'copy ' || id AS what FROM inbox_items WHERE state = 'held' UNION ALL"
            " SELECT 'check-back ' || id FROM waits WHERE state = 'suspended'"
        )
        assert not left, f"held after the last lift: {[row['what'] for row in left]}"

    def _named(self, scope: str, more: int) -> dict[str, Any] | None:
        """What a scope names, of all that there is; None where there is none of that."""
        found: dict[str, Any] = {}
        tables = {"bot": "bots", "session": "sessions", "plan": "plans", "ticket": "tickets", "turn": "turns"}
        for field in {"everything": (), "bot_in_plan": ("bot", "plan")}.get(scope, (scope,)):
            found[field] = self._of(f"SELECT id FROM {tables[field]} ORDER BY id DESC", more)
        return None if None in found.values() else found

    def _standing(self, which: str = "1") -> list[sqlite3.Row]:
        return self.rooms.db.rows(f"SELECT * FROM holds WHERE lifted_by IS NULL AND {which} ORDER BY id")

    def _of_live(self, which: int) -> tuple[int, str]:
        rows = self.rooms.db.rows("SELECT id, mode FROM live_turns ORDER BY id")
        chosen = rows[which % len(rows)]
        return chosen["id"], str(chosen["mode"])

    def _buttons(self) -> list[tuple[int, list[str]]]:
        """The lines with buttons that nobody has pressed, each with what it offers."""
        rows = self.rooms.db.rows("SELECT id, control FROM messages WHERE control IS NOT NULL ORDER BY id")
        known = [(row["id"], json.loads(row["control"])) for row in rows]
        return [(line, data["offer"]) for line, data in known if data.get("offer") and "acted" not in data]


HELD_HAPPENINGS: Sequence[Happening] = (
    *HAPPENINGS,
    (6, lambda self: self.rooms.value("SELECT 1 FROM live_turns"), HeldHousehold.stops),
    (6, lambda self: len(self._standing()) < 4, HeldHousehold.holds),
    (1, lambda self: self._standing("void = 0"), HeldHousehold.keeps),
    (1, lambda self: self._standing("scope IN ('everything', 'session')"), HeldHousehold.lets_one_go),
    (4, lambda self: self._standing(), HeldHousehold.lifts),
    (6, lambda self: self._buttons(), HeldHousehold.presses_a_button),
    (2, lambda self: self.rooms.value("SELECT 1 FROM plans"), HeldHousehold.turns_a_plan),
)
HeldHousehold.happenings = HELD_HAPPENINGS
