"""The holds of a story of rooms as a reader of its report sees them: over what and whom, how long, what they did."""

import json
from typing import Any

from harness.runlog import RunLog
from harness.scenario.collab.holding import NAMED
from harness.scenario.collab.play import Played
from harness.world.rooms import clock

BY = {
    "user_text": "words of the user",
    "user_button": "a button or menu",
    "legacy": "the application, for a plan that was parked before holds existed",
    "migration": "the application, for a plan whose group was deleted",
}
_BOTS = {
    "everything": "SELECT id FROM bots",
    "bot": "SELECT ?1",
    "session": "SELECT bot FROM session_participants WHERE session = ?2",
    "plan": "SELECT bot FROM turns WHERE plan = ?3",
    "ticket": "SELECT bot FROM turns WHERE ticket = ?4",
    "bot_in_plan": "SELECT ?1",
    "turn": "SELECT bot FROM turns WHERE id = ?5",
}
"""Whom a hold of each scope is over, as far as they were seen at work on that."""


def write_holds(played: Played, log: RunLog, number: int, turns: dict[int, int]) -> None:
    """Add the story's `held` steps; `turns` are the steps with its turns."""
    rows = played.rows(
        "SELECT h.id, h.scope, h.called, h.bot, h.session, h.plan, h.ticket, h.turn, h.source, h.by_stop, h.void, h.at,"
        " m.text, h.effect, e.key, s.title, (SELECT w.at FROM work_events w WHERE w.type = 'control.lift'"
        " AND json_extract(w.body, '$.hold') = h.id), l.text, u.kind"
        f" FROM ({NAMED}) h JOIN events e ON e.seq = h.seq LEFT JOIN messages m ON m.id = h.source_message"
        " LEFT JOIN sessions s ON s.id = h.session"
        " LEFT JOIN user_actions u ON u.id = h.lifted_by LEFT JOIN messages l ON l.id = u.message ORDER BY h.id"
    )
    for row in rows:
        hold, scope, called, *over, source, by_stop, void, at, words, effect, key, room, lifted, line, action = row
        stopped = [each["turn"] for each in json.loads(effect).get("stopped_turns", [])]
        log.add(
            "held",
            transcript=number,
            hold=hold,
            over=_called(played, scope, called, over[-1]),
            by=f"“{words}”" if words else "Stop" if by_stop else BY[source],
            void=bool(void),
            rooms=[room] if room is not None else [],
            bots=_bots(played, scope, over, stopped),
            began=at,
            ended=lifted,
            at=clock(at),
            until=None if lifted is None else clock(lifted),
            lifted=None if lifted is None else f"“{line}”" if line and action == "line" else "a button",
            stopped=[{"number": turn, "turn": turns.get(turn)} for turn in stopped],
            kept=_kept(played, hold),
            event=played.rooms.logged.get(key),
        )


def _called(played: Played, scope: str, called: str, turn: int | None) -> str:
    if scope == "everything":
        return "everything"
    if scope != "turn":
        return called.replace("bot_in_plan", "Bot in plan").replace("bot ", "Bot ")
    bot = played.rows("SELECT b.name FROM turns t JOIN bots b ON b.id = t.bot WHERE t.id = ?", turn)
    return f"turn {turn} of {bot[0][0]}" if bot else f"turn {turn}"


def _bots(played: Played, scope: str, over: list[Any], stopped: list[int]) -> list[str]:
    sql = (
        f"SELECT name FROM bots WHERE id IN ({_BOTS[scope]})"
        " OR id IN (SELECT bot FROM turns WHERE id IN (SELECT value FROM json_each(?6))) ORDER BY id"
    )
    return [str(name) for (name,) in played.rows(sql, *over, json.dumps(stopped))]


def _kept(played: Played, hold: int) -> list[dict[str, str]]:
    """Who was kept from waking, by what, and when."""
    rows = played.rows(
        "SELECT w.at, b.name, json_extract(w.body, '$.kind'), m.text FROM work_events w JOIN bots b ON b.id = w.bot"
        " LEFT JOIN messages m ON m.id = json_extract(w.body, '$.message') WHERE w.type = 'wake.suppressed'"
        " AND EXISTS (SELECT 1 FROM json_each(w.body, '$.holds') WHERE value = ?) ORDER BY w.id",
        hold,
    )
    return [
        {"at": clock(at), "bot": bot, "by": kind if text is None else f"{kind} “{text}”"}
        for at, bot, kind, text in rows
    ]
