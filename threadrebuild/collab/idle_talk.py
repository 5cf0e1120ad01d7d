"""Words of a Bot that only say that there is nothing to do: they are not sent, and nobody is woken by them.

What answers the user is sent whatever it says, and what may say more by its shape is not even read for that.
"""

import re
import sqlite3
from collections.abc import Sequence

from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import Speech
from threadrebuild.database import Database

LONGEST = 120  # READ-19
NOT_SENT = "Not sent: it only says that there is nothing to do. End the turn without words."
_SAYS_MORE = re.compile(r"[?？@`/\\]|\.[A-Za-z0-9]+\b")


def may_be(db: Database, turn: sqlite3.Row, text: str, files: Sequence[str] = ()) -> bool:
    """Whether words may say just that: by their shape, and since their segment has read nothing of the user."""
    return (
        0 < len(text.strip()) <= LONGEST  # READ-19
        and not files
        and not _SAYS_MORE.search(text)  # READ-19
        and not db.value("SELECT 1 FROM inbox_items WHERE read_by_turn = ? AND author = 'user'", turn["id"])
    )


def is_dropped(change: Change, turn: sqlite3.Row, text: str, said: Speech) -> bool:
    """Whether words are not sent because they only say that there is nothing to do."""
    if not (
        said.nothing  # READ-19
        and may_be(change.db, turn, text)
    ):
        return False
    change.log("words.not_sent", bot=turn["bot"], plan=turn["plan"], ticket=turn["ticket"], turn=turn["id"], text=text)
    return True
