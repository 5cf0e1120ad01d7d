"""What ends a hold: the user's next word that it is about, another operation of the user there, or an explicit lift.

What the user says or does is never left blocked by an ordinary hold, and that ends as a whole, however many Bots it
covers. A kept hold ends by an explicit lift alone.
"""

import sqlite3
from collections.abc import Collection

from threadrebuild.collab import attribution, holds, household, reader, restarts, scopes, wakes
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import HoldLifted
from threadrebuild.collab.scope import Kind


def by_line(change: Change, message: sqlite3.Row) -> None:
    """End the holds that a line of the user is about, before anyone is woken by it."""
    if change.level < holds.FROM_LEVEL or _says_nothing_new(change, message["id"]):
        return
    to = addressed(change, message)
    for_all = lets_all_go_on(change, message)
    for hold in holds.active(change.db):
        if (
            hold["seq"] < message["seq"]  # STOP-16
            and (for_all or is_about(change, hold, message, to))  # HOLD-22 STOP-13
        ):
            _end(change, hold, action_of(change, message))


def before_hearing(change: Change, message: sqlite3.Row, kind: Kind, id_: int) -> list[sqlite3.Row]:
    """End the holds that would keep a line of the user from a Bot that is to hear it; returns those that stay over it.

    `kind` and `id_` say what the Bot is to hear it in, as for `holds.over`.
    """
    held = holds.over(change.db, kind, id_)
    if message["author"] != "user" or _says_nothing_new(change, message["id"]):
        return held
    for hold in held:
        if hold["seq"] < message["seq"]:
            _end(change, hold, action_of(change, message))  # HOLD-22 HOLD-29
    return holds.over(change.db, kind, id_)


def by_choice(change: Change, turn: sqlite3.Row, work_item: int) -> None:
    """End the holds over work that a Bot has picked for the lines that its segment has read: they land on it."""
    lines = change.db.rows(
        "SELECT DISTINCT m.* FROM inbox_items i JOIN messages m ON m.id = i.message"
        " WHERE i.read_by_turn = ? AND i.kind = 'line' ORDER BY m.id",
        turn["id"],
    )
    for line in lines:
        before_hearing(change, line, "work_item", work_item)


def by_edit(change: Change, message: sqlite3.Row, action: int) -> None:
    """End the holds that a line is about whose words the user has changed, or that keep it or the change from a Bot."""
    if change.level < holds.FROM_LEVEL or _says_nothing_new(change, message["id"]):
        return
    to = addressed(change, message)
    copies = change.db.rows(
        "SELECT id FROM inbox_items WHERE message = ? AND state IN ('queued', 'held') ORDER BY id", message["id"]
    )
    in_the_way = {hold["id"] for copy in copies for hold in holds.over(change.db, "item", copy["id"])}
    for hold in holds.active(change.db):
        if hold["id"] in in_the_way or is_about(change, hold, message, to):  # QUOT-25
            _end(change, hold, action)


def by_operation(change: Change, kind: Kind, id_: int, action: int) -> None:
    """End the holds over what the user does something to: direct insert, going on, an answer, a return.

    Raises `Suppressed` where a kept hold is over it.
    """
    for hold in holds.over(change.db, kind, id_):
        _end(change, hold, action)  # HOLD-71 QUOT-32
    left = holds.over(change.db, kind, id_)
    if left:
        bot = change.db.value("SELECT bot FROM hold_subjects WHERE kind = ? AND id = ?", kind, id_)
        raise wakes.Suppressed("user line" if kind == "item" else "continue", bot, left)


def by_answer(change: Change, work_item: int, turn: int, action: int) -> None:
    """End the holds over what the user answers, and over the conversation it was asked in."""
    for hold in over_answer(change, work_item, turn):
        _end(change, hold, action)  # ASK-15


def over_answer(change: Change, work_item: int, turn: int) -> list[sqlite3.Row]:
    """The holds over work that has asked something, and over the segment that asked."""
    return [*holds.over(change.db, "work_item", work_item), *holds.over(change.db, "turn", turn)]


def by_button(change: Change, event: HoldLifted) -> None:
    """Lift a hold at the user's press. Raises `Missing` where there is none of that number."""
    hold = holds.hold_of(change.db, event.hold)
    if hold["lifted_by"] is not None:  # HOLD-107
        return
    action = change.user_action("button", event.key)
    holds.lift(change, event.hold, action)
    restarts.by_button(change, event.hold)


def addressed(change: Change, message: sqlite3.Row) -> set[int]:
    """The Bots that a line is said to: who is named, else all who are present."""
    named = _mentioned(change, message)
    if not named or message["to_everyone"]:  # STOP-14 STOP-15
        return set(household.members(change.db, message["session"]).values())
    return named


def says_to_all(change: Change, message: sqlite3.Row) -> bool:
    """Whether a line is said in a group and names nobody."""
    session = household.session_of(change.db, message["session"])
    return session["kind"] == "group" and not message["to_everyone"] and not _mentioned(change, message)


def says_go_on(change: Change, message: sqlite3.Row) -> bool:
    """Whether a line was read as telling somebody to go on; fixed words never say so."""
    read = reader.understood(change.db, message["id"])
    return read is not None and read.control == "resume"


def lets_all_go_on(change: Change, message: sqlite3.Row) -> bool:
    """Whether a line tells all Bots to go on, wherever they are."""
    return says_go_on(change, message) and scopes.names_all(change.db, message)  # CTRL-27


def is_about(change: Change, hold: sqlite3.Row, message: sqlite3.Row, to: Collection[int]) -> bool:
    """Whether a hold is what a line is about: by where it is filed, whom it is said to, and where."""
    targets = attribution.targets(change.db, message["id"])
    plans = {target.plan for target in targets}
    match hold["scope"]:
        case "everything":
            return True  # HOLD-24
        case "bot":
            return hold["bot"] in to  # HOLD-24 CTRL-24
        case "session":
            return bool(hold["session"] == message["session"])  # HOLD-24 CTRL-26
        case "plan":
            return hold["plan"] in plans  # HOLD-24
        case "ticket":
            return hold["ticket"] in {target.ticket for target in targets}  # HOLD-24 CTRL-24 CTRL-28
        case "bot_in_plan":
            return hold["plan"] in plans and hold["bot"] in to  # STOP-12 STOP-17 STOP-18 CTRL-24 CTRL-25 CTRL-28
    turn = change.db.row("SELECT * FROM hold_subjects WHERE kind = 'turn' AND id = ?", hold["turn"])
    if turn is None or turn["bot"] not in to:
        return False
    if turn["plan"] is not None or plans:
        return turn["plan"] in plans  # CTRL-24
    # What was stopped was in no matter: the next word there is about it, but for a mere "go on", which files nowhere.
    return bool(turn["session"] == message["session"]) and not says_go_on(change, message)  # CTRL-28


def action_of(change: Change, message: sqlite3.Row) -> int:
    """What the user did by saying a line."""
    return int(change.db.value("SELECT id FROM user_actions WHERE message = ? AND kind = 'line'", message["id"]))


def _end(change: Change, hold: sqlite3.Row, action: int) -> None:
    is_over = holds.hold_of(change.db, hold["id"])["lifted_by"] is not None
    if is_over or holds.is_kept(hold):  # HOLD-21 HOLD-23 HOLD-32 CTRL-32 QUOT-26
        return
    holds.lift(change, hold["id"], action)


def _mentioned(change: Change, message: sqlite3.Row) -> set[int]:
    rows = change.db.rows("SELECT bot FROM message_mentions WHERE message = ? ORDER BY bot", message["id"])
    return {row["bot"] for row in rows}


def _says_nothing_new(change: Change, message: int) -> bool:
    """Whether a line only stops, or only asks how far things are."""
    meant = reader.meaning(change.db, message)
    asks_how_far = meant.status and meant.control == "neither"
    return (
        reader.only_stops(change.db, message) or asks_how_far  # HOLD-30 STOP-19 STAT-7
    )
