"""The closing check: a look at a Bot's message to the user before it is sent, once a segment. It reminds, and no more.

It looks where the message cites a file of the workspace, or says that work goes on, in a conversation with the user and
in the work of a plan. It calls no model itself: what the message promises and claims, the reading of its words says.
"""

import sqlite3

from threadrebuild.collab import bounces, household, mentions
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import Speech

CODE = "closing_check"


def applies(change: Change, turn: sqlite3.Row, session: int) -> bool:
    """Whether a message to a session is looked at (CLOS-01)."""
    with_user = change.db.value("SELECT 1 FROM sessions WHERE id = ? AND kind IN ('direct', 'group')", session)
    return bool(with_user) and turn["plan"] is not None and bounces.may(change.db, turn["id"], CODE)


def notice(change: Change, turn: sqlite3.Row, text: str, said: Speech) -> str | None:
    """What a Bot is told instead of its message being sent; None where there is nothing to say."""
    grounds = []
    if said.going_on and not _goes_on(change, turn, text):  # CLOS-03
        grounds.append(
            f"It says “{said.going_on}”, and neither a check-back is set nor anyone named who takes it over."
        )
    if said.tested and not change.db.value("SELECT 1 FROM turn_runs WHERE turn = ?", turn["id"]):  # CLOS-04
        grounds.append("It claims a run or a test, and this turn has run no command.")
    if not grounds:
        return None
    bounces.send_back(change, turn, CODE)
    return " ".join(["Not sent yet.", *grounds, "Mend it or say how it is; the next time it is sent as it stands."])


def _goes_on(change: Change, turn: sqlite3.Row, text: str) -> bool:
    roster = household.roster(change.db)
    named = mentions.mentions_in(text, household.members(change.db, turn["session"]), roster)
    timer = "SELECT 1 FROM waits WHERE work_item = ? AND kind = 'timer' AND state IN ('open', 'suspended')"
    return bool(change.db.value(timer, turn["work_item"])) or bool({*named.bots} - {turn["bot"]})
