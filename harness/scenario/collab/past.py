"""What is there before a story begins: plans that somebody's words have opened some time ago, and their old rules."""

import json
from collections.abc import Sequence

from harness.world.rooms import Rooms, Unscripted
from threadrebuild.collab import attribution, old_rules, plans
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target


def open_plan(rooms: Rooms, name: str, place: str) -> None:
    """Let a plan be there that was opened in a group or direct chat. Raises `Unscripted` for a place that is none."""
    assert rooms.engine is not None
    db, at = rooms.engine.db, rooms.now()
    session = db.value("SELECT id FROM sessions WHERE title = ?", place)
    if session is None:
        raise Unscripted(f"there is no room or Bot called {place!r}")
    with db.transaction():
        event = db.write("INSERT INTO events (key, kind, at, body) VALUES (?, 'Line', ?, '{}')", f"plan:{name}", at)
        line = db.write(
            "INSERT INTO messages (session, author, seq, at, text, state) VALUES (?, 'user', ?, ?, ?, 'delivered')",
            session,
            event,
            at,
            name,
        )
        change = Change(db, event, at, rooms.level)
        opening = db.row("SELECT * FROM messages WHERE id = ?", line)
        assert opening is not None
        attribution.put(
            change, line, [Target(plans.open_plan(change, title=name, opening=opening))], locked=False, by="desk"
        )


def write_old_rules(rooms: Rooms, name: str, rules: Sequence[str]) -> None:
    """Let a plan have rules that the organizer of a version without a ledger has written; the ledger takes them in."""
    assert rooms.engine is not None
    db = rooms.engine.db
    plan = db.value("SELECT id FROM plans WHERE name = ?", name)
    guard = "acceptance_and_rules_are_the_users"
    newest = plans.newest_revision(db, plan)
    points = json.loads(newest["points"]) | {"rules": list(rules)}
    with db.transaction():
        forbids = db.value("SELECT sql FROM sqlite_master WHERE name = ?", guard)
        db.write(f"DROP TRIGGER {guard}")
        db.write(
            "INSERT INTO plan_revisions (plan, number, points, cause, at) VALUES (?, ?, ?, 'organizer', ?)",
            *(plan, newest["number"] + 1, json.dumps(points, ensure_ascii=False, sort_keys=True), newest["at"]),
        )
        db.write(forbids)
        old_rules.take_in(db)
