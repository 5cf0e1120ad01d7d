"""Who goes on with stopped work once a line of the user has ended the holds over it.

Whom the line is said to goes on from the line itself. Stopped work that the line does not reach starts again, with a
note, where the line says to go on; a line in a group that names nobody is said to all there, and takes all of it along.
"""

import sqlite3

from threadrebuild.collab import inbox, lifting, private, restarts, work
from threadrebuild.collab.change import Change

_MATTER = "FROM (SELECT * FROM hold_subjects WHERE kind = 'turn' AND id = ?) t"
"""A stopped segment with its matter, in SQL."""


def take_along(change: Change, message: sqlite3.Row) -> None:
    """Let stopped work go on for a line that has been handed out, as far as the line did not reach it itself."""
    lifted = change.db.rows(
        "SELECT h.id FROM holds h JOIN user_actions u ON u.id = h.lifted_by"
        " WHERE u.message = ? AND u.kind = 'line' ORDER BY h.id",
        message["id"],
    )
    if not lifted:
        return
    goes_on, to_all = lifting.says_go_on(change, message), lifting.says_to_all(change, message)
    if not (goes_on or to_all):  # HOLD-27 HOLD-28 HOLD-111 CTRL-30
        return
    stopped = {each["turn"]: each for hold in lifted for each in restarts.of_hold(change, hold["id"])}
    for each in stopped.values():
        if not _is_said_to(change, message, each):  # HOLD-26 HOLD-27 HOLD-28 CTRL-30
            continue
        hears = each["by_stop"] and not _reached(change, message, each)
        if goes_on or not each["by_stop"]:  # HOLD-27 HOLD-28 CTRL-30
            hears = restarts.restart(change, lifted[-1]["id"], each, message["text"])
        if to_all and hears:  # HOLD-28
            _let_hear(change, message, each)


def _is_said_to(change: Change, message: sqlite3.Row, stopped: "restarts.Record") -> bool:
    """Whether a line is said to the Bot of stopped work; in a group that names nobody, also for work of that group."""
    if lifting.lets_all_go_on(change, message) or stopped["bot"] in lifting.addressed(change, message):
        return True
    home = change.db.value(f"SELECT p.session {_MATTER} JOIN plans p ON p.id = t.plan", stopped["turn"])
    return lifting.says_to_all(change, message) and home == message["session"]


def _reached(change: Change, message: sqlite3.Row, stopped: "restarts.Record") -> bool:
    """Whether a Bot has a line for the matter of stopped work, or without a matter for what it does in that place."""
    copies = (
        " JOIN hold_subjects s ON s.kind = 'item' AND s.bot = t.bot AND s.plan IS t.plan"
        " AND (s.plan IS NOT NULL OR s.session = t.session)"
        " JOIN inbox_items i ON i.id = s.id AND i.message = ? AND i.kind = 'line' AND i.state <> 'void'"
    )
    return bool(change.db.value(f"SELECT 1 {_MATTER}{copies}", stopped["turn"], message["id"]))


def _let_hear(change: Change, message: sqlite3.Row, stopped: "restarts.Record") -> None:
    """Put a line into the inbox of stopped work that it was said to and did not reach."""
    item = private.work_item(change, stopped["bot"], stopped["plan"], stopped["ticket"], stopped["session"])
    inbox.put(change, item, message, work.live_of(change.db, item), inbox.OVERHEARD)
