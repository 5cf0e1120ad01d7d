"""Check-backs: one-shot timers, each by which a Bot looks again at a piece of its work, where it was made.

Under a hold they are suspended, and void to a version that knows no holds. After the lift those whose time has passed
ring once.
"""

import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import holds, household, inbox, private, redirect, wakes, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import TimerRang
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Database

BY_WORK_FROM_LEVEL = 3  # HOLD-57
"""From this level on a Bot has as many as it has work; before, one in each session."""
KEY = "check_back"
"""The dedupe key of what a Bot makes by itself: one for a piece of work."""
MINUTE = 60_000
SOONEST = 1  # CHKB-01
LATEST = 7 * 24 * 60  # CHKB-01
RESTRAINED_FROM_LEVEL = 6
SOONEST_RESTRAINED = 5  # CHKB-11
HOURLY_MOST = 6  # CHKB-11
"""From that level on nobody looks again every few minutes: how soon at the earliest, and how often for one work."""


class _Wanted(msgspec.Struct, frozen=True):
    after_minutes: float
    note: str


@tool("check_back", effectful=True)
def check_back(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Let the Bot look again at what it works on, after a while."""
    wanted = checked(arguments, _Wanted)
    item = turn["work_item"] or work.desk_item(change, turn["bot"], turn["session"])
    restrained = change.level >= RESTRAINED_FROM_LEVEL
    soonest = SOONEST_RESTRAINED if restrained else SOONEST
    if not soonest <= wanted.after_minutes <= LATEST:  # CHKB-01
        raise Refused(f"A check-back is {soonest} to {LATEST} minutes from now.")
    if restrained and _made_lately(change, item) >= HOURLY_MOST:  # CHKB-11
        raise Refused(f"No more than {HOURLY_MOST} check-backs an hour for one piece of work: do not wait by asking.")
    due = change.at + round(wanted.after_minutes * MINUTE)
    wait = arm(change, item, due, note=wanted.note, session=turn["session"], turn=turn["id"])
    return f"check-back {wait}"


def arm(
    change: Change,
    work_item: int,
    due: int,
    *,
    note: str,
    session: int,
    dedupe: str = KEY,
    turn: int | None = None,
) -> int:
    """Let a Bot look again at its work at a time, in a session, in place of what that replaces; returns the wait."""
    for old in _replaced(change, work_item, session, dedupe):
        _void(change, old, "replaced")
    if change.level < BY_WORK_FROM_LEVEL:
        dedupe = f"{dedupe} in {session}"
    wait = change.db.write(
        "INSERT INTO waits (work_item, kind, due, dedupe, note, session, made_by_turn)"
        " VALUES (?, 'timer', ?, ?, ?, ?, ?)",
        work_item,
        due,
        dedupe,
        note,
        session,
        turn,
    )
    _wind(change, wait, due)
    change.log("check_back.made", bot=_bot(change.db, work_item), turn=turn, wait=wait, due=due)
    for hold in holds.over(change.db, "wait", wait):
        holds.note(change, hold["id"], suspended=[*holds.record_of(hold).get("suspended", []), wait])
        _suspend(change, wait)  # HOLD-54
    return wait


def pending(db: Database, turn: sqlite3.Row) -> list[sqlite3.Row]:
    """What a segment's Bot has made and is yet to ring: for its work, below level 3 in its session."""
    found = db.rows(
        "SELECT x.* FROM waits x JOIN work_items w ON w.id = x.work_item"
        " WHERE x.kind = 'timer' AND x.state IN ('open', 'suspended') AND w.bot = ? ORDER BY x.id",
        turn["bot"],
    )
    of_session = db.value("SELECT level FROM meta") < BY_WORK_FROM_LEVEL
    same = "session" if of_session else "work_item"
    return [each for each in found if each[same] == turn[same]]  # CHKB-03


def suspend(change: Change, hold: int) -> list[int]:
    """Suspend the check-backs, and waits for a delegation, that a hold covers and that are not; returns them."""
    rows = change.db.rows(
        "SELECT w.id FROM waits w JOIN hold_hits x ON x.kind = 'wait' AND x.id = w.id"
        " WHERE x.hold = ? AND w.kind IN ('timer', 'delegation') AND w.state = 'open' ORDER BY w.id",
        hold,
    )
    for row in rows:
        _suspend(change, row["id"])
    return [row["id"] for row in rows]


def revive(change: Change) -> None:
    """Let those go on that no hold covers any more: to ring at their time, or at once where that has passed."""
    for row in change.db.rows("SELECT * FROM waits WHERE state = 'suspended' ORDER BY id"):
        if holds.over(change.db, "wait", row["id"]):
            continue
        change.db.write("UPDATE waits SET state = 'open' WHERE id = ?", row["id"])  # HOLD-55 DEL-34
        if row["kind"] == "timer" and not _is_wound(change.db, row["id"]):
            _wind(change, row["id"], max(row["due"], change.at))  # HOLD-55


def void_in(change: Change, session: int) -> None:
    """Let nothing ring any more that was made in a session."""
    _void_where(change, "session = ?", session, "cleared")


def void_of_bot(change: Change, bot: int) -> None:
    """Let nothing ring any more for a Bot."""
    _void_where(change, "work_item IN (SELECT id FROM work_items WHERE bot = ?)", bot, "bot deleted")


def void_of_bot_in(change: Change, bot: int, session: int) -> None:
    """Let nothing ring any more that a Bot has made in a session: it is woken there by something else."""
    mine = "work_item IN (SELECT id FROM work_items WHERE bot = ?) AND session = " + str(session)
    _void_where(change, mine, bot, "replaced")


def void_of_work(change: Change, work_item: int) -> None:
    """Let nothing ring any more that is about a piece of work."""
    _void_where(change, "work_item = ?", work_item, "abandoned")


def void_of_turn(change: Change, turn: int) -> None:
    """Let nothing ring any more that a segment has made."""
    _void_where(change, "made_by_turn = ?", turn, "stopped")


def time_came(change: Change, event: TimerRang) -> None:
    """A check-back is due: its Bot is woken where it made it, unless a hold is over it, or it is gone from there."""
    subject: str = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    wait = change.db.row(
        "SELECT x.*, w.bot, w.plan, w.ticket FROM waits x JOIN work_items w ON w.id = x.work_item WHERE x.id = ?",
        int(subject.split(":")[1]),
    )
    if wait is None or wait["state"] not in ("open", "suspended"):
        return
    if wait["kind"] != "timer":  # DEL-32 CHKB-04
        return
    held = holds.over(change.db, "wait", wait["id"])
    if held:
        _suspend(change, wait["id"])  # HOLD-65
        wakes.suppress(change, "check-back", wait["bot"], held, wait=wait["id"])
        return
    _end(change, wait, "fired", None)
    if wait["bot"] in household.members(change.db, wait["session"]).values():  # CHKB-08
        _wake(change, wait)


def _made_lately(change: Change, work_item: int) -> int:
    """How many were made for a piece of work within the last hour, those replaced since included."""
    return int(
        change.db.value(
            "SELECT count(*) FROM work_events e JOIN waits x ON x.id = json_extract(e.body, '$.wait')"
            " WHERE e.type = 'check_back.made' AND x.work_item = ? AND e.at > ?",
            work_item,
            change.at - 60 * MINUTE,
        )
    )


def _replaced(change: Change, work_item: int, session: int, dedupe: str) -> list[sqlite3.Row]:
    """What a new check-back takes the place of."""
    pending = change.db.rows(
        "SELECT x.* FROM waits x JOIN work_items w ON w.id = x.work_item"
        " WHERE x.kind = 'timer' AND x.state IN ('open', 'suspended') AND w.bot = ? ORDER BY x.id",
        _bot(change.db, work_item),
    )
    if change.level < BY_WORK_FROM_LEVEL:
        return [each for each in pending if each["session"] == session]  # CHKB-03
    return [
        each for each in pending if (each["work_item"], each["dedupe"]) == (work_item, dedupe)
    ]  # HOLD-58 DEL-33 CHKB-02


def _wake(change: Change, wait: sqlite3.Row) -> None:
    plan = wait["plan"]
    if change.level <= redirect.LAST_LEVEL:  # CHKB-06
        plan = _plan_of_maker(change.db, wait["made_by_turn"])
    item = private.work_item(change, wait["bot"], plan, wait["ticket"], wait["session"])
    said = f"回看:{wait['note']}"
    copy = private.put(change, item, "check_back", said, wait["session"], plan, prio=inbox.PRIO_OTHER)
    change.log("check_back.rang", bot=wait["bot"], plan=plan, ticket=wait["ticket"], wait=wait["id"])
    private.wake_unless_held(change, copy)


def _plan_of_maker(db: Database, turn: int | None) -> int | None:
    """The plan of the segment that made a check-back, where only the line that opened it has one."""
    found: int | None = db.value(
        "SELECT m.plan FROM turns t JOIN messages m ON m.id = t.trigger_message WHERE t.id = ?", turn
    )
    return found


def _wind(change: Change, wait: int, due: int) -> None:
    change.effect("timer", {"due": due}, subject=f"check_back:{wait}")


def _is_wound(db: Database, wait: int) -> bool:
    open_ = "SELECT 1 FROM effects WHERE subject = ? AND state IN ('pending', 'started')"
    return bool(db.value(open_, f"check_back:{wait}"))


def _suspend(change: Change, wait: int) -> None:
    change.db.write("UPDATE waits SET state = 'suspended' WHERE id = ?", wait)


def _void_where(change: Change, where: str, value: int, reason: str) -> None:
    pending = f"SELECT * FROM waits WHERE kind = 'timer' AND state IN ('open', 'suspended') AND {where} ORDER BY id"
    for wait in change.db.rows(pending, value):
        _void(change, wait, reason)


def _void(change: Change, wait: sqlite3.Row, reason: str) -> None:
    _end(change, wait, "void", reason)
    change.log("check_back.voided", bot=_bot(change.db, wait["work_item"]), wait=wait["id"], reason=reason)


def _end(change: Change, wait: sqlite3.Row, state: str, reason: str | None) -> None:
    """End a wait; work that waited for nothing else rests."""
    change.db.write(
        "UPDATE work_items SET state = 'idle' WHERE id = ?1 AND state = 'waiting' AND NOT EXISTS"
        " (SELECT 1 FROM waits WHERE work_item = ?1 AND id <> ?2 AND state IN ('open', 'suspended'))",
        wait["work_item"],
        wait["id"],
    )
    change.db.write("UPDATE waits SET state = ?, void_reason = ? WHERE id = ?", state, reason, wait["id"])
    change.db.write(
        "UPDATE effects SET state = 'void' WHERE subject = ? AND state IN ('pending', 'started')",
        f"check_back:{wait['id']}",
    )


def _bot(db: Database, work_item: int) -> int:
    return int(db.value("SELECT bot FROM work_items WHERE id = ?", work_item))
