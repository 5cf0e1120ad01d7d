"""A household whose plans fall asleep and wake: how they stand, and what brings that about."""

import json
from pathlib import Path
from typing import Any

from evening import MINUTE, Evening, write

from threadrebuild.collab import check_backs, events
from threadrebuild.collab.change import Change
from threadrebuild.collab.store import open_store

ROOM = "剪辑组"
HOUR = 60 * MINUTE


def house(folder: Path, *, level: int = 8) -> Evening:
    """Two Bots in a group."""
    folder.mkdir(exist_ok=True)
    return Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)


def stands(home: Evening, plan: int) -> tuple[str, bool]:
    """A plan's status, and whether it sleeps."""
    ((status, dormant),) = home.rows("SELECT status, dormant FROM plans WHERE id = ?", plan)
    return status, bool(dormant)


def sleeps(home: Evening, plan: int) -> bool:
    """Whether a plan sleeps."""
    return stands(home, plan)[1]


def closed_at(home: Evening, plan: int) -> int | None:
    """When a plan was closed."""
    found: int | None = home.value("SELECT closed_at FROM plans WHERE id = ?", plan)
    return found


def worked_on(home: Evening, plan: int, text: str = "做起来", *, to: str = "导演") -> int:
    """The user says something of a plan, 导演 does it and is done; returns the line."""
    line = home.say(text, to=to, files=[plan])
    home.hop("导演", text="好了。")
    return line


def clear(home: Evening, session: str, *, erase: bool = False) -> None:
    """The user clears a session."""
    home.happens(events.SessionCleared, session=home.session(session), erase_quotes=erase)


def delete(home: Evening, session: str, *, erase: bool = False) -> None:
    """The user deletes a group."""
    home.happens(events.SessionDeleted, session=home.session(session), erase_quotes=erase)


def path_in(home: Evening, plan: int) -> str:
    """A path in a plan's folder: words with it point to the plan."""
    return f"{home.value('SELECT folder FROM plans WHERE id = ?', plan)}/a.md"


def at(home: Evening, moment: int) -> None:
    """Time goes by, so that what happens next happens then."""
    home.now = moment - 1000


def opens_another(home: Evening, moment: int, *, to: str = "导演") -> int:
    """Another matter is opened by a desk's first side effect, at a moment; returns its plan."""
    at(home, moment - 10_000)
    home.say("另外做一张海报", to=to, files="new")
    at(home, moment)
    home.hop("导演", write("poster.png"), run=False)
    return int(home.value("SELECT max(id) FROM plans"))


def looks_again(home: Evening, plan: int | None, session: str, minutes: int) -> None:
    """导演 has made a check-back for its work on a plan, in a session."""
    with home.db.transaction():
        home.now += 1000
        event = home.db.write(
            "INSERT INTO events (key, kind, at, body) VALUES (?, 'Armed', ?, '{}')", f"armed:{home.now}", home.now
        )
        change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
        item = home.value("SELECT id FROM work_items WHERE bot = ? AND plan IS ?", home.bot("导演"), plan)
        check_backs.arm(change, item, home.now + minutes * MINUTE, note="看看片头", session=home.session(session))


def raised(home: Evening, level: int, moment: int) -> None:
    """The store is opened at a higher level, and the first thing happens at a moment."""
    home.db.close()
    home.db = home.engine.db = open_store(home.path, level, durable=False)
    at(home, moment)
    home.happens(events.BotAdded, name=f"新来的 {moment}")


def organized(home: Evening, **notes: Any) -> list[str]:
    """The organizer answers everything that it was asked; what it was asked for."""
    asked = [effect for effect in home.engine.open_effects() if effect.kind == "organizer"]
    for effect in asked:
        home.happens(events.Organized, effect=effect.id, raw=json.dumps(notes))
    return [effect.body["asked"] for effect in asked]


def quiet(home: Evening) -> None:
    """Half a minute goes by."""
    home.now += 30_000
    for effect in home.engine.open_effects():
        if effect.subject.startswith("quiet:"):
            home.happens(events.TimerRang, effect=effect.id)


def logged(home: Evening, type_: str) -> list[dict[str, Any]]:
    """What the work log says of a type: the plan beside what the entry tells."""
    rows = home.rows("SELECT plan, body FROM work_events WHERE type = ? ORDER BY id", type_)
    return [{"plan": plan, **json.loads(body)} for plan, body in rows]
