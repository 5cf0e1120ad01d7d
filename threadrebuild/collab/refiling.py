"""Refiling: a line was filed to the wrong matter, and the user puts it right by merging on an old "new" card (`cards`).

Where the line is filed changes, and with it what nobody has read yet. What was read stays history: whoever read it is
told where the line belongs now, and a segment that is still at it, not to act on it there any more.
"""

import sqlite3

from threadrebuild.collab import attribution, holds, inbox, messages, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.target import Target

BELONGS_HERE = "The user has moved this line here; it is to be done in this plan: “{text}”"
BELONGS_ELSEWHERE = (
    "The user has moved the line “{text}” to {where}. It will be done there; do not act on it here any more."
)


def refile(change: Change, message: int, now: list[Target]) -> None:
    """File a line to these targets and no others, or to none; its unread copies, words and requirements go with it."""
    line = messages.message_of(change, message)
    before = attribution.targets(change.db, message)
    attribution.exchange(change, message, now)
    _rehang_requirements(change, message, before, now)  # ATTR-27
    come = [target for target in now if target not in before] or now  # DESK-41
    for item in _copies(change, message, "i.state IN ('queued', 'held')"):
        if item["plan"] not in {target.plan for target in now}:
            _move(change, line, item, come)
    for item in _copies(change, message, "i.state = 'read'"):
        _correct(change, line, item, now, come)
    main = now[0].plan if now else None
    change.log(  # ATTR-21
        "attribution.changed",
        plan=main,
        message=message,
        before=[target._asdict() for target in before],
        now=[target._asdict() for target in now],
    )


def _copies(change: Change, message: int, where: str) -> list[sqlite3.Row]:
    return change.db.rows(
        "SELECT i.*, w.bot, w.plan FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        f" WHERE i.message = ? AND i.kind = 'line' AND {where} ORDER BY i.id",
        message,
    )


def _move(change: Change, line: sqlite3.Row, item: sqlite3.Row, now: list[Target]) -> None:
    """Let an unread copy be read where the line belongs now: in each plan that its Bot has no copy in yet."""
    change.db.write("UPDATE inbox_items SET state = 'superseded' WHERE id = ?", item["id"])  # ATTR-24
    for target in _missing(change, line["id"], item["bot"], now):  # ATTR-22
        _put(change, line, item["bot"], target, "line", item["author"], item["text"])
    work.settle_waiting(change, item["work_item"])


def _correct(change: Change, line: sqlite3.Row, item: sqlite3.Row, now: list[Target], come: list[Target]) -> None:
    """Tell a Bot that has read a line where it belongs now, and its segment, if that is still at it, to leave it."""
    for target in _missing(change, line["id"], item["bot"], come):  # ATTR-23
        _put(change, line, item["bot"], target, "correction", "app", BELONGS_HERE.format(text=item["text"]))
    turn = change.db.row("SELECT * FROM live_turns WHERE id = ?", item["read_by_turn"])
    if turn is not None and turn["plan"] not in {target.plan for target in now}:  # ATTR-26
        names = [str(change.db.value("SELECT name FROM plans WHERE id = ?", target.plan)) for target in now]
        where = ", ".join(f"plan “{name}”" for name in dict.fromkeys(names)) or "no plan"
        change.db.write(
            "INSERT INTO inbox_items (work_item, kind, author, text, prio, wakes, seq)"
            " VALUES (?, 'note', 'app', ?, ?, 0, ?)",
            turn["work_item"],
            BELONGS_ELSEWHERE.format(text=item["text"], where=where),
            inbox.PRIO_USER,
            change.event,
        )


def _missing(change: Change, message: int, bot: int, now: list[Target]) -> list[Target]:
    """The first target in each plan that a Bot has no copy of a line in."""
    has = change.db.rows(
        "SELECT w.plan FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.message = ? AND w.bot = ? AND i.state IN ('queued', 'held', 'read')",
        message,
        bot,
    )
    first = {target.plan: target for target in reversed(now)}
    missing = set(first) - {copy["plan"] for copy in has}
    return [first[plan] for plan in dict.fromkeys(target.plan for target in now) if plan in missing]


def _put(change: Change, line: sqlite3.Row, bot: int, target: Target, kind: str, author: str, text: str) -> None:
    """Put a copy into a Bot's work on a target: into its live segment there, or to wait, under a hold as held."""
    live = work.live_turn(change.db, bot, target.plan)
    item = live["work_item"] if live else work.item(change, bot, target.plan, target.ticket, line["session"])
    held = bool(holds.over(change.db, "work_item", item))
    change.db.write(
        "INSERT INTO inbox_items (work_item, kind, message, author, text, prio, state, seq)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        item,
        kind,
        line["id"],
        author,
        text,
        inbox.PRIO_USER,
        "held" if held else "queued",  # ATTR-22 ATTR-25
        change.event,
    )
    if live is None and not held:
        work.queue(change, item)  # ATTR-22


def _rehang_requirements(change: Change, message: int, before: list[Target], now: list[Target]) -> None:
    """Let what was required in a line stand under its main target now: one scope each, never several."""
    left = {target.plan for target in before} - {target.plan for target in now}
    if not now:
        return
    change.db.write(
        "UPDATE requirements SET plan = ?1, ticket = iif(scope IN ('ticket', 'plan'), ?2, NULL),"
        " scope = iif(scope IN ('ticket', 'plan'), iif(?2 IS NULL, 'plan', 'ticket'), scope) WHERE quote IN"
        " (SELECT id FROM quotes WHERE message = ?3 AND source = 'said')"
        f" AND plan IN ({','.join(str(plan) for plan in sorted(left))})",
        now[0].plan,
        now[0].ticket,
        message,
    )
