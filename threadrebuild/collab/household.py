"""Who there is and where they talk: Bots, sessions and their members."""

import json
import sqlite3

from threadrebuild.collab import aborting, check_backs, delegation, turns, work
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import BotAdded, BotRetired, SessionOpened
from threadrebuild.database import Database


def add_bot(change: Change, event: BotAdded) -> None:
    """Put a Bot on the roster. Raises ValueError where its name is taken or empty."""
    if not event.name.strip() or change.db.value("SELECT 1 FROM bots WHERE name = ?", event.name):
        raise ValueError(f"a Bot cannot be called {event.name!r}: the name is empty or taken")
    change.db.write(
        "INSERT INTO bots (name, model, engine, parallel_limit, asks_first) VALUES (?, ?, ?, ?, ?)",
        event.name,
        event.model,
        event.engine,
        event.parallel_limit,
        json.dumps(event.asks_first),
    )


def retire(change: Change, event: BotRetired) -> None:
    """Take a Bot off the roster: it receives nothing any more. Raises `Missing` for one that is not there."""
    if change.db.value("SELECT 1 FROM bots WHERE id = ? AND state <> 'deleted'", event.bot) is None:
        raise Missing(f"there is no Bot {event.bot}")
    change.db.write("UPDATE bots SET state = ? WHERE id = ?", event.state, event.bot)
    if event.state == "deleted":
        check_backs.void_of_bot(change, event.bot)  # HOLD-56 CHKB-08
    if change.level >= delegation.FROM_LEVEL:
        _end_work(change, event.bot, event.state)
    change.log(f"bot.{event.state}", bot=event.bot)


def _end_work(change: Change, bot: int, state: str) -> None:
    """End what a Bot is at, with all that it has begun outside, and close its work; what is unread starts nothing."""
    for turn in change.db.rows("SELECT * FROM live_turns WHERE bot = ? ORDER BY id", bot):
        aborting.give_up(change, turn["id"])  # DEL-46
        turns.end(change, turn["id"], "stopped", state)  # DEL-46
    change.db.write(
        "UPDATE inbox_items SET wakes = 0 WHERE state IN ('queued', 'held')"
        " AND work_item IN (SELECT id FROM work_items WHERE bot = ?)",
        bot,
    )
    delegation.bot_went(change, bot, state)
    work.close_all(change, bot)  # DEL-46


def open_session(change: Change, event: SessionOpened) -> None:
    """Open a place to talk. Raises ValueError for members that are not on the roster."""
    members = [bot_named(change.db, name) for name in event.members]
    direct = members[0]["id"] if event.session == "direct" else None
    session = change.db.write(
        "INSERT INTO sessions (kind, title, bot) VALUES (?, ?, ?)", event.session, event.title, direct
    )
    for bot in members:
        join(change, session, bot["id"])


def chat_between(change: Change, opener: int, other: int, source: int) -> int:
    """The chat that a Bot has opened with another from a session, made where there is none yet."""
    found = change.db.value(
        "SELECT s.id FROM sessions s JOIN session_participants p ON p.session = s.id AND p.bot = ?"
        " WHERE s.kind = 'bots' AND s.collaboration = 0 AND s.opened_by = ? AND s.source = ? AND s.state = 'open'",
        other,
        opener,
        source,
    )
    if found is not None:
        return int(found)
    return open_chat(change, opener, other, source)


def open_chat(change: Change, opener: int, other: int, source: int, *, collaboration: bool = False) -> int:
    """A new chat of two Bots; in one for `collaboration` speaking wakes nobody."""
    names = [change.db.value("SELECT name FROM bots WHERE id = ?", bot) for bot in (opener, other)]
    session = change.db.write(
        "INSERT INTO sessions (kind, title, opened_by, source, collaboration) VALUES ('bots', ?, ?, ?, ?)",
        " ↔ ".join(names),
        opener,
        source,
        int(collaboration),
    )
    for bot in (opener, other):
        join(change, session, bot)
    change.log("direct.created", bot=opener, session=session, other=other)
    return session


def join(change: Change, session: int, bot: int) -> None:
    """Make a Bot a member of a session, where it is none yet."""
    change.db.write(
        "INSERT OR IGNORE INTO session_participants (session, bot, since) VALUES (?, ?, ?)", session, bot, change.event
    )


def bot_named(db: Database, name: str) -> sqlite3.Row:
    """The Bot of exactly that name. Raises ValueError where there is none that works."""
    found = db.row("SELECT * FROM bots WHERE name = ? AND state = 'active'", name)
    if found is None:
        raise ValueError(f"no Bot is called {name!r}")
    return found


def roster(db: Database) -> dict[str, int]:
    """The Bots that work, by name."""
    rows = db.rows("SELECT id, name, state FROM bots ORDER BY id")
    return {row["name"]: row["id"] for row in rows if row["state"] == "active"}  # PULL-03


def members(db: Database, session: int) -> dict[str, int]:
    """The Bots present in a session that work, by name, in the order they joined; nobody in one that is gone."""
    found = db.rows(
        "SELECT b.id, b.name FROM session_participants p"
        " JOIN bots b ON b.id = p.bot JOIN sessions s ON s.id = p.session"
        " WHERE s.id = ? AND s.state <> 'deleted' AND b.state = 'active' ORDER BY p.since, b.id",
        session,
    )
    return {row["name"]: row["id"] for row in found}


def present(db: Database, session: int) -> set[int]:
    """Everybody who is in a session, those too that do not work any more."""
    return {row["bot"] for row in db.rows("SELECT bot FROM session_participants WHERE session = ?", session)}


def session_of(db: Database, session: int) -> sqlite3.Row:
    """A session that is still there. Raises `Missing` where it is not."""
    found = db.row("SELECT * FROM sessions WHERE id = ? AND state <> 'deleted'", session)
    if found is None:
        raise Missing(f"there is no session {session}")
    return found


def engine_of(db: Database, bot: int) -> str:
    """What runs a Bot: `endpoint` where the application does, else `claude_agent`."""
    return str(db.value("SELECT engine FROM bots WHERE id = ?", bot))


def place(db: Database, session: int | None) -> str:
    """A session as a Bot reads of it."""
    row = db.row("SELECT s.*, b.name FROM sessions s LEFT JOIN bots b ON b.id = s.bot WHERE s.id = ?", session)
    if row is None:
        return "a group that is gone"
    return f"the direct chat with {row['name']}" if row["kind"] == "direct" else str(row["title"])
