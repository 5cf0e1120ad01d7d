"""A random household in which the scribe reads along, and the user works on the ledger and on checks.

The oracle of wishes judges every commit: whatever else happens, what is in force changes by what the user does alone.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from random_holds import HELD_HAPPENINGS, HeldHousehold, HeldRooms
from random_household import Happening, Household

from harness.oracle.wishes import Judge
from harness.world.ledger import Ledger
from threadrebuild.collab import events, requirement_actions, requirements
from threadrebuild.collab.engine import Effect

WISHES = (
    "背景要连贯,片长做成 2 分钟",
    "片长改成 3 分钟",
    "成片要竖屏,帧率 24 fps",
    "以后每部片都要用宋体",
    "太假了,重做",
    "还是做成 2 分钟吧",
    "色调偏冷",
)
RULES = ("背景要连贯", "不要真人", "字幕用宋体", "片长做成 2 分钟")
SENTENCES = ("海报印得出来", "片长两分钟")
OUTCOMES = ("passed", "failed", "out_of_bounds", "error")


class LedgerRooms(HeldRooms):
    """Rooms of an engine for films, whose ledger is judged after every commit."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.wishes = Judge()
        self.ledger = Ledger(self.watch.path)
        self.take(events.EngineChosen, engine="video")

    def close(self) -> None:
        """Let go of the store."""
        self.ledger.close()
        super().close()

    def _step(self, name: str) -> None:
        taking = self._taking if hasattr(self, "ledger") else None
        super()._step(name)
        if name != "committed" or not hasattr(self, "ledger"):
            return
        if taking is not None:
            self.wishes.take({"kind": "event", "what": type(taking).__name__, **msgspec.to_builtins(taking)})
        for act in self.ledger.look():
            self.acted += self.wishes.take({"kind": "act", **act})

    def patch(self, effect: Effect, which: int, more: int) -> str | None:
        """What the scribe says of words: of each sort, by number; None where it could not be read."""
        line = str(effect.body["line"])
        part = line[which % 7 :][: 4 + more % 9]
        shown = [entry["number"] for entry in effect.body["entries"]] or [99]
        entry = shown[more % len(shown)]
        said: list[Any] = [
            {},
            {"add": [{"quote": line}]},
            {"add": [{"quote": part, "every": more % 2 == 0}, {"quote": "发明的话"}]},
            {"add": [{"quote": clause} for clause in line.replace("，", ",").split(",")]},
            {"again": [{"entry": entry, "quote": part}]},
            {"change": [{"entry": entry, "quote": line, "category": "别的"}]},
            {"gone": shown},
            {"requirements": [], "delete": shown},
            None,
        ]
        chosen = said[which % len(said)]
        return None if chosen is None else json.dumps(chosen, ensure_ascii=False)


class WishingHousehold(HeldHousehold):
    """One household whose user wishes for things, takes some back, and has them checked."""

    rooms_of = LedgerRooms
    lines = (*HeldHousehold.lines, *WISHES, *WISHES)
    rooms: LedgerRooms

    # ---------------------------------------------------------------- the user

    def acts_on_an_entry(self, which: int, more: int) -> None:
        self._act(*self._entries()[which % len(self._entries())], more)

    def settles_what_is_pending(self, which: int, more: int) -> None:
        self._act(*self._pending_entries()[which % len(self._pending_entries())], more)

    def _act(self, plan: int, entry: int, actions: tuple[str, ...], more: int) -> None:
        action = actions[more % len(actions)]
        state = str(self.rooms.value("SELECT state FROM requirements WHERE id = ?", entry))
        self._take("ledger", f"{action}: {state}", events.RequirementActed, requirement=entry, plan=plan, action=action)

    def presses_a_stale_page(self, which: int, more: int) -> None:
        entry = self._of("SELECT id FROM requirements ORDER BY id", which)
        plan = self._of("SELECT id FROM plans ORDER BY id", more)
        action = ("confirm", "restore", "no_longer_applies", "not_for_this_plan", "keep")[more % 5]
        said = {"requirement": entry, "plan": plan, "action": action}
        self._take("stale page", "", events.RequirementActed, **said)

    def writes_rules(self, which: int, more: int) -> None:
        plan = self._of("SELECT id FROM plans ORDER BY id", which)
        rules = tuple(rule for at, rule in enumerate(RULES) if more >> at & 1)
        self._take("rules", "written", events.BoardEdited, plan=plan, rules=rules, acceptance=SENTENCES[: more % 3])

    def adds_a_check(self, which: int, more: int) -> None:
        plan = self._of("SELECT id FROM plans ORDER BY id", which)
        kind, body = [
            ("file_exists", {"path": f"{more}.png"}),
            ("contains", {"path": "稿.md", "text": "价格"}),
            ("command", {"command": "make test"}),
            ("file_exists", {"path": "../outside"}),
        ][more % 4]
        said = {"plan": plan, "sentence": SENTENCES[more % 2], "check_kind": kind, "body": body}
        self._take("check", "added", events.CheckAdded, **said)

    def edits_a_check(self, which: int, more: int) -> None:
        check = self._of("SELECT id FROM checks WHERE state <> 'deleted' ORDER BY id", which)
        self._take("check", "edited", events.CheckEdited, check=check, sentence=SENTENCES[more % 2])

    def deletes_a_check(self, which: int, _: int) -> None:
        check = self._of("SELECT id FROM checks WHERE state <> 'deleted' ORDER BY id", which)
        self._take("check", "deleted", events.CheckDeleted, check=check)

    def confirms_a_check(self, which: int, _: int) -> None:
        check = self._of("SELECT id FROM checks WHERE state = 'proposal' ORDER BY id", which)
        self._take("check", "confirmed", events.CheckConfirmed, check=check)

    def runs_checks(self, which: int, _: int) -> None:
        plan = self._of("SELECT plan FROM checks WHERE state <> 'deleted' ORDER BY id", which)
        self._take("check", "run", events.ChecksRun, plan=plan)

    # ---------------------------------------------------------------- what comes back

    def scribes(self, which: int, more: int) -> None:
        effect = self._pick("scribe", which)
        raw = self.rooms.patch(effect, which, more)
        state = "unread" if raw is None else next(iter(json.loads(raw)), "nothing")
        self._answer("scribed", state, effect, events.Scribed, raw=raw, failure="timeout" if raw is None else None)

    def check_ends(self, which: int, more: int) -> None:
        outcome = OUTCOMES[more % len(OUTCOMES)]
        self._answer("check ends", outcome, self._pick("run_check", which), events.CheckRan, outcome=outcome)

    def hands_a_film_in(self, which: int, more: int) -> None:
        effect = self._pick("hop", which)
        made = (events.Call("send_message", {"text": "成片好了", "files": [f"成片{more % 3}.mp4"]}),)
        self._answer("hands in", self.rooms.mode(effect), effect, events.Hopped, calls=made)

    # ---------------------------------------------------------------- within

    def _entries(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """What has buttons: a plan, an entry of its list, and its buttons there."""
        db = self.rooms.db
        return [
            (plan, row["id"], actions)
            for plan in self.rooms.column("SELECT id FROM plans ORDER BY id")
            for row in requirements.listed(db, plan)
            if (actions := requirement_actions.offered(db, plan, row))
        ]

    def _pending_entries(self) -> list[tuple[int, int, tuple[str, ...]]]:
        waiting = self.rooms.column("SELECT id FROM requirements WHERE state = 'pending'")
        return [each for each in self._entries() if each[1] in waiting]


def _any(sql: str) -> Any:
    return lambda self: self.rooms.value(sql)


_PLAN = _any("SELECT 1 FROM plans")
_CHECK = _any("SELECT 1 FROM checks WHERE state <> 'deleted'")
LEDGER_HAPPENINGS: Sequence[Happening] = (
    *HELD_HAPPENINGS,
    (8, lambda self: self._entries(), WishingHousehold.acts_on_an_entry),
    (4, lambda self: self._pending_entries(), WishingHousehold.settles_what_is_pending),
    (1, _any("SELECT 1 FROM requirements"), WishingHousehold.presses_a_stale_page),
    (4, _PLAN, WishingHousehold.writes_rules),
    (3, _PLAN, WishingHousehold.adds_a_check),
    (1, _CHECK, WishingHousehold.edits_a_check),
    (1, _CHECK, WishingHousehold.deletes_a_check),
    (6, _any("SELECT 1 FROM checks WHERE state = 'proposal'"), WishingHousehold.confirms_a_check),
    (2, _CHECK, WishingHousehold.runs_checks),
    (20, lambda self: self.rooms.effects("scribe"), WishingHousehold.scribes),
    (8, lambda self: self.rooms.effects("run_check"), WishingHousehold.check_ends),
    (3, lambda self: self.rooms.effects("hop"), WishingHousehold.hands_a_film_in),
)
WishingHousehold.happenings = LEDGER_HAPPENINGS
WishingHousehold.quietly = {
    **Household.quietly,
    "scribe": lambda self, effect: self._answer("scribed", "quietly", effect, events.Scribed, raw="{}"),
    "run_check": lambda self, effect: self._answer("check ends", "quietly", effect, events.CheckRan, outcome="passed"),
}
