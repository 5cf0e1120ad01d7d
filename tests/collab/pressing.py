"""Buttons on lines are pressed: on the user's own, and on what earlier versions of the application have written."""

import json
from collections.abc import Sequence
from typing import Any

from evening import Evening
from stopping import STOP, speak

from threadrebuild.collab import buttons, events


def press(home: Evening, line: int, action: str, plan: int | None = None) -> dict[str, Any]:
    """The user presses a button on a line; returns what came of it."""
    home.happens(events.ControlPressed, message=line, action=action, plan=plan)
    acted = carried(home, line).get("acted", {})
    return {key: acted[key] for key in ("made", "lifted", "kept") if key in acted}


def posted(home: Evening, session: str, data: dict[str, Any], text: str = "已停下") -> int:
    """A line of the application from an older store, with what it carries."""
    home.sql(
        "INSERT INTO messages (session, author, seq, at, text, state, filing, control)"
        " VALUES (?, 'app', 1, 1, ?, 'delivered', 'none', ?)",
        home.session(session),
        text,
        json.dumps(data),
    )
    return int(home.value("SELECT max(id) FROM messages"))


def receipt(
    home: Evening,
    session: str,
    hold_ids: Sequence[int],
    *offer: str,
    scopes: Sequence[dict[str, Any]] = (),
    held_ids: Sequence[int] = (),
) -> int:
    """A receipt of a stop, as they were written before they were given up."""
    data: dict[str, Any] = {"kind": "receipt", "verb": "stop", "hold_ids": list(hold_ids), "offer": list(offer)}
    return posted(home, session, data | {"scopes": list(scopes), "held_ids": list(held_ids)})


def card(home: Evening, session: str, line: int, plan: int, *offers: int) -> int:
    """A card about a line that opened a plan, as they were posted before they were given up."""
    return posted(home, session, {"card": "new", "line": line, "plan": plan, "offers": list(offers)}, "新开")


def offered(home: Evening, line: int) -> list[tuple[str, int | None]]:
    """The buttons that a line has at this moment, each with its plan."""
    row = home.db.row("SELECT * FROM messages WHERE id = ?", line)
    assert row is not None
    return [(each["action"], each.get("plan")) for each in buttons.of_line(home.db, row)]


def carried(home: Evening, line: int) -> dict[str, Any]:
    """What a line carries, as it is stored."""
    found: dict[str, Any] = json.loads(home.value("SELECT control FROM messages WHERE id = ?", line) or "{}")
    return found


def kept(home: Evening, text: str, *, to: str) -> int:
    """The hold that a line asks for, marked void since; returns it."""
    speak(home, text, STOP, to=to)
    number = int(home.value("SELECT max(id) FROM holds"))
    home.sql("UPDATE holds SET void = 1 WHERE id = ?", number)
    return number


def lines_for_all(home: Evening) -> int:
    """How many lines stand in all sessions for all to read."""
    return int(home.value("SELECT count(*) FROM messages WHERE only_for IS NULL"))


def notes(home: Evening, bot: str) -> list[str]:
    """What a Bot was told of work that goes on."""
    sql = (
        "SELECT i.text FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.kind = 'restart' AND w.bot = ? ORDER BY i.id"
    )
    return [text for (text,) in home.rows(sql, home.bot(bot))]
