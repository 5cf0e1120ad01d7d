"""What is required of a plan, as it is read: by a Bot in its situation, and by the user beside the plan's points.

Both read the one list of `requirements.listed`.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from threadrebuild.collab import measures, plans, requirement_actions, requirements
from threadrebuild.database import Database

TITLE = "用户要求"
PENDING = "待用户确认的取代或建议(还没生效,不要当要求执行)"
LEGACY = "旧规则(出处未核实,只作参考)"
ONCE_SHOWN = 20  # REQ-41
ONCE_LONGEST = 2000  # REQ-41
OTHERS_SHOWN = 10  # REQ-43
_FOR = {"plan": "这件事", "conversation": "整个会话", "standing": "每件视频的事"}
_SOURCES = {  # REQ-46
    "answer": "answer",
    "annotation": "annotation",
    "board": "written on flow chart",
}


def sections(db: Database, plan: int, ticket: int | None) -> list[tuple[str, list[str]]]:
    """What a Bot reads of it: what is in force, what waits for the user, old rules; each a title and lines."""
    rows = [
        row
        for row in requirements.listed(db, plan, ticket)
        if not row["set_aside"]  # REQ-44
    ]
    pending, legacy = (
        [_line(db, plan, row) for row in rows if row["state"] == state][:OTHERS_SHOWN]  # REQ-43
        for state in ("pending", "legacy")
    )
    active = requirements.applying(db, plan, ticket)
    return [(TITLE, _active(db, plan, active)), (PENDING, pending), (LEGACY, legacy)]


def of_plan(db: Database, plan: int, at: int) -> dict[str, Any]:
    """What `GET /v1/tasks/:id/requirements` answers. Raises `Missing` where there is no such plan."""
    plans.newest_revision(db, plan)
    return {"requirements": [_shown(db, plan, row) for row in requirements.listed(db, plan)]}


def one(db: Database, requirement: int, at: int) -> dict[str, Any]:
    """What pressing a button of an entry is answered with. Raises `Missing` where there is none."""
    row = requirements.entry(db, requirement)
    return {name: row[name] for name in ("id", "number", "state", "scope")}


def source(row: sqlite3.Row) -> str:
    """Where an entry comes from, as the user is told."""
    if row["source"] == "complaint":  # REQ-46
        return "whole complaint captured"
    if row["quote"] is None or row["state"] == "legacy":  # REQ-46
        return "legacy rule"
    return _SOURCES.get(row["quote_source"], "said")


def _active(db: Database, plan: int, rows: Sequence[sqlite3.Row]) -> list[str]:
    lines, once, length, full = [], 0, 0, False
    left_out = 0
    for row in rows:
        line = _line(db, plan, row)
        if row["times"] < 2:
            once, length = once + 1, length + len(line)
            full = full or once > ONCE_SHOWN or length > ONCE_LONGEST
            if full:
                left_out += 1
                continue
        lines.append(line)
    return [*lines, f"还有 {left_out} 条"] if left_out else lines  # REQ-41


def _line(db: Database, plan: int, row: sqlite3.Row) -> str:
    """One entry, as a Bot reads it."""
    retold = f"(转述:{row['paraphrase']})" if row["paraphrase"] else ""
    said = [f"用户已说 {row['times']} 次" + (f"(跨 {row['plans']} 个规划)" if row["plans"] > 1 else "")]
    replaces = db.value("SELECT number FROM requirements WHERE id = ?", row["replaces"])
    return "|".join(  # REQ-42
        [
            f"R-{row['number']}",
            f"「{row['span']}」{retold}",
            *(said if row["times"] > 1 else []),  # REQ-42
            f"适用:{_applies_to(row)}",
            *([f"取代 R-{replaces}"] if replaces is not None else []),
            *_checks(db, plan, row),
        ]
    )


def _applies_to(row: sqlite3.Row) -> str:
    if row["ticket"] is not None:
        return f"任务 {row['ticket_number']:02} {row['ticket_title']}"
    return _FOR[row["scope"]] + (f",继承自「{row['origin']}」" if row["inherited"] else "")  # REQ-32 REQ-42


def _checks(db: Database, plan: int, row: sqlite3.Row) -> list[str]:
    """The checks from the user's words on the number that an entry has."""
    if row["item"] is None:
        return []
    number = measures.Measure(row["item"], row["value"], row["bound"])
    found = []
    for check in db.rows(
        "SELECT * FROM checks WHERE plan = ? AND item = ? AND state <> 'deleted' ORDER BY id", plan, row["item"]
    ):
        measured = measures.Measure(check["item"], check["value"], check["bound"])
        if measures.same(number, measured):  # REQ-42
            waits = "(待用户确认)" if check["state"] == "proposal" else ""  # REQ-42
            found.append(f"挂检查:{measures.limits_worded(measured)}{waits}")
    return found


def _shown(db: Database, plan: int, row: sqlite3.Row) -> dict[str, Any]:
    """One entry, as the user sees it."""
    return {
        **{name: row[name] for name in ("id", "number", "paraphrase", "state", "scope", "times", "plans", "message")},
        "quote": row["span"],
        "polarity": row["polarity"],
        "source": source(row),
        "applies_to": _applies_to(row),
        "inherited_from": row["origin"] if row["inherited"] else None,
        "set_aside": bool(row["set_aside"]),
        "edited_away": row["edited_away"] is not None,  # REQ-47
        "actions": requirement_actions.offered(db, plan, row),
    }
