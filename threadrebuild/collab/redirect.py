"""The old path of levels 0 and 1: a line of the user redirects a Bot's turn in a group, and forks it in a direct chat.

A redirect stops what the turn would still have done and starts another from the new line; a fork opens another beside
it. From level 2 on a line is read by the work that it belongs to, and neither happens.
"""

import sqlite3

from threadrebuild.collab import holds, household, inbox, tickets, turns, work
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

LAST_LEVEL = 1  # TURN-28


def receive(change: Change, message: sqlite3.Row, bot: int, why: str) -> None:
    """Let a Bot have a message: its turn in that session is forked or redirected by it, hears it, or begins with it.

    What a hold keeps back does none of that.
    """
    item = work.desk_item(change, bot, message["session"])
    live = _live_there(change, message["session"], bot, item)
    at_desk = work.live_of(change.db, item)
    is_direct = household.session_of(change.db, message["session"])["kind"] == "direct"
    if live is not None and not is_direct and message["author"] != "user":
        if live["work_item"] is not None:  # REDIR-05
            inbox.put(change, live["work_item"], message, live, why)
            return
        live = None  # One beside another hears nothing.
    taken = inbox.put(change, item, message, live or at_desk, why)
    if not taken or (live is None and at_desk is None):
        return
    if live is None:
        _open_beside(change, message, item)  # HOLD-60
    elif is_direct:  # FORK-01
        _fork(change, message, item, live)
    else:
        _redirect(change, message, item, live)  # REDIR-01


def place_of(change: Change, message: sqlite3.Row, bot: int) -> tuple[int | None, str]:
    """The ticket, if any, and the folder in which a turn works that a line opens: as the line is filed."""
    if message["plan"] is None:
        return None, ""
    ticket = _ticket_of(change.db, message, bot)
    return ticket, tickets.folder_of(change, message["plan"], ticket)


def _redirect(change: Change, message: sqlite3.Row, item: int, old: sqlite3.Row) -> None:
    """End a turn, and let the one that begins read what it has not; beside a covered one at the desk it is one, too."""
    copy = _copy(change, item, message)
    turns.end(change, old["id"], "redirected", "redirected")
    beside = work.live_of(change.db, item) is not None
    unread = change.db.rows(
        "SELECT * FROM inbox_items WHERE work_item IN (?, ?) AND state = 'queued' AND id <> ? ORDER BY id",
        old["work_item"],
        None if beside else item,
        copy["id"],
    )
    turns.open_on(change, _row(change, item), copy, also=[_carried(change, item, old), *unread], beside=beside)
    if old["work_item"] is not None:
        work.settle_waiting(change, old["work_item"])
    change.log("turn.redirected", bot=old["bot"], turn=old["id"], message=message["id"])


def _fork(change: Change, message: sqlite3.Row, item: int, live: sqlite3.Row) -> None:
    _open_beside(change, message, item)
    change.log("turn.forked", bot=live["bot"], turn=live["id"], message=message["id"])


def _open_beside(change: Change, message: sqlite3.Row, item: int) -> None:
    turns.open_on(change, _row(change, item), _copy(change, item, message), beside=True)


def _live_there(change: Change, session: int, bot: int, desk: int) -> sqlite3.Row | None:
    """The newest live turn of a Bot in a session, its desk's before one that took up work or runs beside another."""
    found = [
        turn
        for turn in change.db.rows("SELECT * FROM live_turns WHERE session = ? ORDER BY id", session)
        if turn["bot"] == bot  # REDIR-06
        if turn["mode"] != "readonly"  # HOLD-80
        if not holds.over(change.db, "turn", turn["id"])  # HOLD-60
    ]
    found.sort(key=lambda turn: bool(turn["work_item"] == desk))
    return found[-1] if found else None


def _ticket_of(db: Database, message: sqlite3.Row, bot: int) -> int | None:
    """The ticket of a line; a Bot to which another hands one that is a third's works on its own, if it has just one."""
    ticket: int | None = message["ticket"]
    owner = db.value("SELECT owner FROM tickets WHERE id = ?", ticket)
    own = db.rows(
        "SELECT id FROM tickets WHERE plan = ? AND owner = ? AND status IN ('todo', 'in progress', 'to accept')",
        message["plan"],
        bot,
    )
    if (
        message["author"] == "bot"  # TICK-08
        and owner not in (None, bot)  # TICK-08
        and len(own) == 1  # TICK-08
    ):
        return int(own[0]["id"])
    return ticket


def _carried(change: Change, item: int, old: sqlite3.Row) -> sqlite3.Row:
    """A note of what the turn that was redirected has done, for the one that begins."""
    files = change.db.rows("SELECT DISTINCT path FROM artifacts WHERE turn = ? AND written = 1 ORDER BY id", old["id"])
    calls = change.db.rows(
        "SELECT * FROM calls WHERE turn = ? AND hop = (SELECT max(hop) FROM calls WHERE turn = ?) ORDER BY ord",
        old["id"],
        old["id"],
    )
    said = [
        "The user's new line took the place of what you were doing. Nothing of it is undone.",
        f"Files written: {', '.join(row['path'] for row in files) or 'none'}",  # REDIR-05
        f"Last calls: {', '.join(_called(row) for row in calls) or 'none'}",  # REDIR-05
    ]
    before = change.db.value(
        "SELECT text FROM inbox_items WHERE read_by_turn = ? AND kind = 'note' ORDER BY id DESC", old["id"]
    )
    note = change.db.write(
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq) VALUES (?, 'note', 'app', ?, ?, ?)",
        item,
        "\n".join([*said, *(["Before that:", before] if before else [])]),
        inbox.PRIO_OTHER,
        change.event,
    )
    return _item(change, note)


def _called(call: sqlite3.Row) -> str:
    return f"{call['name']} {call['arguments']} ({call['state']})"


def _copy(change: Change, item: int, message: sqlite3.Row) -> sqlite3.Row:
    copy: int = change.db.value(
        "SELECT id FROM inbox_items WHERE work_item = ? AND message = ? AND state = 'queued'", item, message["id"]
    )
    return _item(change, copy)


def _row(change: Change, item: int) -> sqlite3.Row:
    found = change.db.row("SELECT * FROM work_items WHERE id = ?", item)
    assert found is not None
    return found


def _item(change: Change, item: int) -> sqlite3.Row:
    found = change.db.row("SELECT * FROM inbox_items WHERE id = ?", item)
    assert found is not None
    return found
