"""The buttons on lines about holds: on a line of the user that may stop or go on, and on lines of the application.

A line's buttons can be pressed once in all. What a press made and lifted stands with the line, in `control.acted`:

    {"kind": "possible_control", "offer": ["stop", "continue"], "scopes": [...]}      on a line of the user (`control`)
    {"kind": "status", "offer": ["only_continue", "continue_all"], "scopes": [...], "held_ids": [...]}
    {"kind": "receipt", "verb": "stop", "hold_ids": [...], "offer": [...], "scopes": [...], "held_ids": [...]}
                                                                                  from before receipts were given up
    {"card": "new", "line": …, "plan": …, "offers": [...]}                        likewise (`cards`)
    {"card": "standing", "kind": …}, {"card": "legacy", "entries": [...]}         likewise (`ledger_cards`)

each with `"acted": {"action", "plan", "made", "lifted"}` once a button of it was pressed.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from threadrebuild.collab import (
    cards,
    control,
    dormancy,
    holds,
    household,
    ledger_cards,
    messages,
    obstacles,
    restarts,
    word_cards,
    words,
)
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import ControlPressed
from threadrebuild.collab.scope import Scope
from threadrebuild.database import Database

PLANS_MOST = 3  # CTRL-46 CTRL-47
"""For how many plans a line has a button of one kind."""


class Press(NamedTuple):
    """A button that is pressed: the line, what that carries, the plan of the button if any, and the user's action."""

    message: sqlite3.Row
    data: dict[str, Any]
    plan: int | None
    action: int


def press(change: Change, event: ControlPressed) -> None:
    """Do what a button on a line is for; nothing where one on that line was pressed before.

    Raises `Missing` for a line that is not there, ValueError for one without such a button, `Conflict` where a card's
    button fits no more.
    """
    message = messages.message_of(change, event.message)
    data = json.loads(message["control"] or "{}")
    word_cards.refuse_withdrawn(data)
    if not (
        _is_known(change.level, event.action)  # CTRL-34
        and _is_offered(change.db, data, event.action, event.plan)  # CTRL-34
    ):
        raise ValueError(f"line {event.message} has no such button")
    if "acted" in data:  # CTRL-33
        return
    if event.action == ledger_cards.ONE_BY_ONE or ledger_cards.is_settled(change.db, data):  # REQ-39
        return
    action = change.user_action("button", event.key, event.message)
    more = _ACTIONS[event.action](change, Press(message, data, event.plan, action))
    acted = {"action": event.action, "plan": event.plan, **_came_of(change, action), **(more or {})}
    known = json.dumps(data | {"acted": acted}, ensure_ascii=False)
    change.db.write("UPDATE messages SET control = ? WHERE id = ?", known, event.message)  # CTRL-33
    change.log("control.acted", message=event.message, action=event.action, made=acted["made"], lifted=acted["lifted"])


def shown(db: Database, message: int, at: int) -> dict[str, Any]:
    """What the press of a button on a line made and lifted; of a card's also what is kept. Raises `Missing`."""
    data = json.loads(db.value("SELECT control FROM messages WHERE id = ?", message) or "{}")
    acted = data.get("acted", {})
    if not acted and data.get("card") not in ledger_cards.OFFERS:
        raise Missing(f"nothing was pressed on line {message}")
    return {key: acted[key] for key in ("made", "lifted", "kept", "entries", "fills") if key in acted}


def of_line(db: Database, message: sqlite3.Row) -> list[dict[str, Any]]:
    """The buttons that a line has at this moment, each `action` with the `plan` that it is for, if any."""
    data = control.shown(db, message) or {}
    if "acted" in data:
        return []
    return [
        {"action": action} if plan is None else {"action": action, "plan": plan}
        for action in (*data.get("offer", ()), *ledger_cards.offer(db, data))
        for plan in _plans_of(db, data, action)
    ]


def _is_known(level: int, action: str) -> bool:
    """Whether a level has a button at all."""
    return level >= holds.FROM_LEVEL or action in (*ledger_cards.ACTIONS, *word_cards.ACTIONS)  # CTRL-34


def _is_offered(db: Database, data: dict[str, Any], action: str, plan: int | None) -> bool:
    if action in ledger_cards.ACTIONS:
        return ledger_cards.has_button(data, action) and plan is None
    if action in cards.ACTIONS:
        return data.get("card") == "new" and (plan is not None) == (action == cards.MERGE)
    if action not in data.get("offer", ()):
        return False
    return plan in _plans_of(db, data, action)


def _came_of(change: Change, action: int) -> dict[str, list[int]]:
    made = change.db.rows("SELECT id FROM holds WHERE seq = ? ORDER BY id", change.event)
    lifted = change.db.rows("SELECT id FROM holds WHERE lifted_by = ? ORDER BY id", action)
    return {"made": [row["id"] for row in made], "lifted": [row["id"] for row in lifted]}


def _lift(change: Change, found: Sequence[sqlite3.Row], action: int) -> list[tuple[int, restarts.Record]]:
    """Lift holds; returns what each has stopped."""
    for hold in found:
        holds.lift(change, hold["id"], action)
    return [(hold["id"], each) for hold in found for each in restarts.of_hold(change, hold["id"])]


def _restart(change: Change, stopped: Sequence[tuple[int, restarts.Record]], words: str = "") -> None:
    """Let stopped work go on with a note, what a Stop has stopped as well."""
    for hold, each in stopped:
        restarts.restart(change, hold, each, words)


def _go_on(change: Change, stopped: Sequence[tuple[int, restarts.Record]], words: str = "") -> None:
    """Let stopped work go on that the user has said to go on with: plans of it that sleep are awake by that."""
    for plan in sorted({each["plan"] for _, each in stopped if each["plan"] is not None}):
        dormancy.wake(change, plan, "continue")  # PLAN-18
    _restart(change, stopped, words)


# -------------------------------------------------------------------- on a line of the user, and on status lines


def _stop(change: Change, press: Press) -> None:
    """Make the holds that the line asks for, or that the application was asked about."""
    _hold_what_is_asked(change, press)  # CTRL-35 CTRL-49


def _hold_what_is_asked(change: Change, press: Press, *, void: bool = False) -> None:
    line = press.message["id"] if press.message["author"] == "user" else None  # CTRL-35
    for scope in control.scopes_of(press.data):
        holds.make(change, scope, source="user_button", message=line, void=void)


def _continue(change: Change, press: Press) -> None:
    """Lift what stands in the scope that the line names; where something wider is in the way, say so instead."""
    asked = control.scopes_of(press.data)
    found = control.could_lift(change.db, asked)
    if any(control.is_wider(change.db, hold, asked) for hold in found):  # CTRL-37
        obstacles.tell(change, press.message["session"], asked, found)
        return
    _go_on(change, _lift(change, found, press.action), press.message["text"])  # CTRL-36


def _only_continue(change: Change, press: Press) -> None:
    """Let the Bots asked about go on alone: what is wider is first split into one hold for each other Bot."""
    asked = control.scopes_of(press.data)
    spared = {scope.bot for scope in asked if scope.bot is not None}
    found = _standing(change.db, press.data.get("held_ids", ()))
    for hold in found:
        if control.is_wider(change.db, hold, asked):
            obstacles.split(change, hold, spared)  # CTRL-39
    _go_on(change, _lift(change, found, press.action))  # CTRL-40


def _continue_all(change: Change, press: Press) -> None:
    found = _standing(change.db, press.data.get("held_ids", ()))
    _go_on(change, _lift(change, found, press.action))  # CTRL-41


# -------------------------------------------------------------------- on a receipt of before


def _undo(change: Change, press: Press) -> None:
    """Lift what was stopped, as if it had never been; the line that stopped it is handed out like any other."""
    lines = _lines_behind(change, press.data)
    opens_there = {
        line["session"] for line in lines if household.session_of(change.db, line["session"])["kind"] == "direct"
    }
    for hold, each in _lift(change, _standing(change.db, press.data["hold_ids"]), press.action):
        if each["session"] not in opens_there:  # CTRL-44 CTRL-45
            restarts.restart(change, hold, each)  # CTRL-45
    for line in lines:
        messages.hand_out_again(change, line)  # CTRL-43


def _widen(change: Change, press: Press) -> None:
    holds.make(change, Scope("everything"), source="user_button", message=_line_behind(change, press.data))  # CTRL-46


def _also_stop(change: Change, press: Press) -> None:
    scope = Scope("plan", plan=press.plan)
    holds.make(change, scope, source="user_button", message=_line_behind(change, press.data))  # CTRL-46


def _only_stop(change: Change, press: Press) -> None:
    """Narrow each hold on a Bot to one plan: what it does there is handed over, the rest goes on."""
    narrowed = [hold for hold in _standing(change.db, press.data["hold_ids"]) if hold["scope"] == "bot"]
    for hold in narrowed:
        scope = Scope("bot_in_plan", bot=hold["bot"], plan=press.plan)
        void = bool(hold["void"])
        holds.make(change, scope, source="user_button", message=hold["source_message"], void=void)  # CTRL-47
    _restart(change, _lift(change, narrowed, press.action))  # CTRL-47


def _cancel(change: Change, press: Press) -> None:
    """Mark what was stopped void, so that it stands until it is lifted; of a line of the user, hold it as void."""
    if press.data["kind"] == "possible_control":
        _hold_what_is_asked(change, press, void=True)  # CTRL-48
        return
    for hold in _standing(change.db, press.data["hold_ids"]):
        change.db.write("UPDATE holds SET void = 1 WHERE id = ?", hold["id"])  # CTRL-48
        holds.note(change, hold["id"], voided_by=press.action)


def _lines_behind(change: Change, data: dict[str, Any]) -> list[sqlite3.Row]:
    """The lines of the user that the holds of a receipt were asked for by, in order."""
    lines = dict.fromkeys(holds.hold_of(change.db, hold)["source_message"] for hold in data["hold_ids"])
    return [messages.message_of(change, line) for line in lines if line is not None]


def _line_behind(change: Change, data: dict[str, Any]) -> int | None:
    return next((int(line["id"]) for line in _lines_behind(change, data)), None)


def _standing(db: Database, known: list[int]) -> list[sqlite3.Row]:
    return [hold for hold in holds.active(db) if hold["id"] in known]


def _plans_of(db: Database, data: dict[str, Any], action: str) -> list[int | None]:
    """For which plans a line has buttons of a kind; None is that of a button that names none."""
    match action:
        case "also_stop":
            return _worked_on_beside(db, data)
        case "only_stop":
            return _stopped_in(db, data)
        case _:
            return [None]


def _worked_on_beside(db: Database, data: dict[str, Any]) -> list[int | None]:
    """The plans where other Bots were at work when it was stopped, as far as there are buttons for them."""
    return _plans(db, data["hold_ids"], "working_beside", "%")


def _stopped_in(db: Database, data: dict[str, Any]) -> list[int | None]:
    """The plans where Bots were stopped that are held as such, as far as there are buttons for them."""
    return _plans(db, data["hold_ids"], "stopped_turns", "bot")


def _plans(db: Database, known: list[int], record: str, scope: str) -> list[int | None]:
    found = [
        each["plan"]
        for hold in (holds.hold_of(db, number) for number in known)
        if scope in ("%", hold["scope"])
        for each in holds.record_of(hold).get(record, [])
        if each["plan"] is not None
    ]
    return list(dict.fromkeys(found))[:PLANS_MOST]


def _undo_plan(change: Change, press: Press) -> dict[str, Any]:
    return {"kept": cards.undo(change, press.data)}


def _merge_plan(change: Change, press: Press) -> dict[str, Any]:
    assert press.plan is not None
    return {"kept": cards.merge(change, press.data, press.plan)}


def _make_standing(change: Change, press: Press) -> dict[str, Any]:
    session = press.message["session"]
    return {"entries": ledger_cards.make_standing(change, session, press.data, press.action)}


def _all_mine(change: Change, press: Press) -> dict[str, Any]:
    return {"entries": ledger_cards.all_mine(change, press.data, press.action)}


def _confirm_check(change: Change, press: Press) -> None:
    words.confirm_by(change, press.data["check"], press.action)  # WORDS-18


def _amend_check(change: Change, press: Press) -> dict[str, Any]:
    return {"fills": press.data["fills"]}


def _drop_check(change: Change, press: Press) -> None:
    words.drop_by(change, press.data["check"], press.action)  # WORDS-18


_ACTIONS: dict[str, Callable[[Change, Press], dict[str, Any] | None]] = {
    "stop": _stop,
    "continue": _continue,
    "only_continue": _only_continue,
    "continue_all": _continue_all,
    "undo": _undo,
    "widen": _widen,
    "also_stop": _also_stop,
    "only_stop": _only_stop,
    "cancel": _cancel,
    cards.UNDO: _undo_plan,
    cards.MERGE: _merge_plan,
    word_cards.CONFIRM: _confirm_check,
    word_cards.AMEND: _amend_check,
    word_cards.DROP: _drop_check,
    ledger_cards.MAKE_STANDING: _make_standing,
    ledger_cards.ALL_MINE: _all_mine,
}
