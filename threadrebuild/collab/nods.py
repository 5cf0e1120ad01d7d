"""Questions that only ask for a nod: confirm what is half done, or may I begin the next step. They reach nobody.

A segment's question is read for that once, whichever way it is put; the next one goes to the user as it is. What could
not be read goes there too: no fixed words tell.
"""

import sqlite3
from collections.abc import Sequence

from threadrebuild.collab import bounces, speech
from threadrebuild.collab.change import Change

FROM_LEVEL = 3
CODE = "asks_go_ahead"
SAID = " ".join(
    [
        f"{CODE}: Not asked.",
        "The wish has been stated: do not stop for a nod or a viewing, go on.",  # ASK-22
        "The user sees it when it is delivered, and can stop you at any time.",  # ASK-22
        "Where you need what only the user can give (an account, a permission, what nobody else knows) or a choice"
        " between options, say which, and then stop.",  # ASK-22
    ]
)


def is_one(change: Change, turn: sqlite3.Row, question: str, options: Sequence[str] = ()) -> bool | None:
    """Whether a question only asks for a nod and is to be sent back for it; None while it is being read."""
    if change.level < FROM_LEVEL:
        return False
    if (
        not bounces.may(change.db, turn["id"], CODE)  # ASK-23
        or bounces.is_used_up(change.db, turn, CODE)  # ASK-24
    ):
        return False
    read = speech.reading(change, turn, question, options)
    if read is None:
        return None
    only_a_nod: bool = read.nod  # ASK-25
    return only_a_nod
