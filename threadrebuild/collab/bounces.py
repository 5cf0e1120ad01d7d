"""Bounces: an ending that is sent back with a reason, and its segment goes on. Each code has its budget in one table.

Some codes are sent back once a segment and no more; some share two between them, attributions included. With the shared
two used up the work needs attention.
"""

import sqlite3

from threadrebuild.collab.change import Change
from threadrebuild.database import Database

SHARED = 2  # END-32


ONCE = (
    "open_duties",  # END-12
    "asks_go_ahead",  # ASK-23
    "promised_later",  # END-19
    "said_nothing",  # END-23
    "closing_check",  # CLOS-05
)
"""What a segment is sent back for once, and no more."""
OWN = (
    "promised_later",  # END-32
    "said_nothing",  # END-32
    "closing_check",  # CLOS-05
)
"""What does not draw on the shared budget; all other codes do, those of attributions (DESK-27) included."""


def may(db: Database, turn: int, code: str) -> bool:
    """Whether a segment can still be sent back for this: not once it was, where that is enough."""
    return code not in ONCE or not was(db, turn, code)


def was(db: Database, turn: int, code: str) -> bool:
    """Whether a segment was sent back for this."""
    return bool(db.value("SELECT 1 FROM bounces WHERE turn = ? AND code = ?", turn, code))


def is_used_up(db: Database, turn: sqlite3.Row, code: str) -> bool:
    """Whether a code is shared and none of the shared bounces is left; on the desk the last of them is none."""
    used = int(db.value("SELECT bounces FROM turns WHERE id = ?", turn["id"]))
    if turn["mode"] == "desk":  # END-32
        used += 1
    return code not in OWN and used >= SHARED  # END-18 END-32


def send_back(change: Change, turn: sqlite3.Row, code: str) -> None:
    """Count a bounce of a segment."""
    note(change, turn, code)
    if code not in OWN:
        change.db.write("UPDATE turns SET bounces = bounces + 1 WHERE id = ?", turn["id"])
    change.log("ending.bounced", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"], code=code)


def note(change: Change, turn: sqlite3.Row, code: str) -> None:
    """Let it be known that a segment has been told this, where it is no ending that it was told at."""
    change.db.write("INSERT INTO bounces (turn, code, event) VALUES (?, ?, ?)", turn["id"], code, change.event)
