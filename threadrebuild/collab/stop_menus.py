"""What the user can stop from where: the menu of a group, the Stop of a direct chat, a plan's flowchart, the menu bar.

Each item has the fields of the request that it makes. What a hold that stands covers already is not offered again.
"""

import json
from typing import Any

from threadrebuild.collab import holds
from threadrebuild.collab.change import Missing
from threadrebuild.database import Database

Item = dict[str, Any]

_ROOMS = (
    "WITH RECURSIVE rooms (id) AS (SELECT ?1 UNION"
    " SELECT s.id FROM sessions s JOIN rooms r ON s.source = r.id WHERE s.kind = 'bots')"
)
"""A session, and the chats among Bots that were opened from it and further down."""
_AT_WORK = (
    f"{_ROOMS} SELECT s.bot, b.name, s.plan, p.name AS title FROM live_turns t"
    " JOIN hold_subjects s ON s.kind = 'turn' AND s.id = t.id JOIN bots b ON b.id = s.bot"
    " LEFT JOIN plans p ON p.id = s.plan WHERE t.session IN (SELECT id FROM rooms) ORDER BY t.id"
)
_NEWEST = "SELECT max(id) FROM live_turns WHERE session = ?"


def of_session(view: Database, session: int, at: int) -> dict[str, Any]:
    """What a session offers: a direct chat the Stop on its segment, a group the items of its menu.

    Raises `Missing` where there is no such session.
    """
    del at
    kind = view.value("SELECT kind FROM sessions WHERE id = ?", session)
    if kind is None:
        raise Missing(f"there is no session {session}")
    stop, items = None, []
    if kind == "direct":  # STOP-9 HOLD-103
        stop = view.value(_NEWEST, session)
    if kind == "group":
        items = _of_group(view, session)
    return {"stop": stop, "items": _offered(view, items)}


def of_plan(view: Database, plan: int, at: int) -> dict[str, Any]:
    """What a plan's flowchart offers. Raises `Missing` where there is no such plan."""
    del at
    name = view.value("SELECT name FROM plans WHERE id = ?", plan)
    if name is None:
        raise Missing(f"there is no plan {plan}")
    items = [
        _item("plan", plan, name),  # HOLD-103
        _item("everything"),  # HOLD-103
    ]
    return {"stop": None, "items": _offered(view, items)}


def of_menu_bar(view: Database) -> dict[str, Any]:
    """What the menu bar offers: to stop everything, be anybody at work or not; below holds, one segment's Stop."""
    if _level(view) < holds.FROM_LEVEL:
        return {"stop": in_latest_direct_chat(view), "items": []}
    items = [
        _item("everything"),  # HOLD-103 HOLD-104
    ]
    return {"stop": None, "items": _offered(view, items)}


def in_latest_direct_chat(view: Database) -> int | None:
    """The segment that runs in the direct chat which was active last, of those where one does."""
    rows = view.rows(
        "SELECT max(t.id) AS turn, (SELECT max(seq) FROM messages WHERE session = s.id) AS active"
        " FROM live_turns t JOIN sessions s ON s.id = t.session AND s.kind = 'direct' GROUP BY s.id ORDER BY s.id"
    )
    rows.sort(key=lambda row: row["active"], reverse=True)  # STOP-6
    return rows[0]["turn"] if rows else None


def _of_group(view: Database, session: int) -> list[Item]:
    at_work = view.rows(_AT_WORK, session)
    if not at_work:  # HOLD-102
        return []
    bots = {row["bot"]: row["name"] for row in at_work}
    plans = {row["plan"]: row["title"] for row in at_work if row["plan"] is not None}
    return [
        _item("session", session),  # HOLD-102
        *(_item("bot", bot, name) for bot, name in bots.items()),
        *(_item("plan", plan, title) for plan, title in plans.items()),
        _item("everything"),  # HOLD-102
    ]


def _item(scope: str, id_: int | None = None, name: str | None = None) -> Item:
    item: Item = {"scope": scope}
    if id_ is not None:
        item[scope] = id_
    if name is not None:
        item["name"] = name
    return item


def _offered(view: Database, items: list[Item]) -> list[Item]:
    if _level(view) < holds.FROM_LEVEL:
        return []
    return [item for item in items if not _is_covered(view, item)]  # HOLD-102


def _is_covered(view: Database, item: Item) -> bool:
    """Whether a hold stands over the whole of an item; one that lets a Bot go is over no more than the others."""
    home = view.value("SELECT session FROM plans WHERE id = ?", item.get("plan"))
    for hold in view.rows("SELECT * FROM holds WHERE lifted_by IS NULL"):
        let_go = json.loads(hold["effect"]).get("released_bots", [])
        over = (
            hold["scope"] == "everything"
            or (hold["scope"] == item["scope"] and hold[item["scope"]] == item[item["scope"]])
            or (hold["scope"] == "session" and home == hold["session"])
        )
        if over and (item["bot"] not in let_go if "bot" in item else not let_go):
            return True
    return False


def _level(view: Database) -> int:
    return int(view.value("SELECT level FROM meta"))
