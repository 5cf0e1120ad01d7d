"""Control lines: what the user says to stop or go on, and the buttons on such lines.

Only a reading says that a line is one. The fixed rules here say no more than whom it means.
"""

import json
import re
import sqlite3

from threadrebuild.collab import holds, household, messages
from threadrebuild.collab.change import Change
from threadrebuild.collab.holds import Scope

_EVERYTHING = re.compile("所有 ?Bot|全都停")


def carry_out(change: Change, message: sqlite3.Row) -> None:
    """Make the holds that a line asks for which says stop and nothing else; it goes nowhere else (CTRL-6)."""
    made = [holds.make(change, scope, source="user_text", message=message["id"]) for scope in scopes(change, message)]
    change.db.write(
        "UPDATE messages SET state = 'delivered', filing = 'none', control = ? WHERE id = ?",
        json.dumps({"kind": "stop", "made": made}),
        message["id"],
    )
    messages.leave_unfiled(change, message["id"])


def scopes(change: Change, message: sqlite3.Row) -> list[Scope]:
    """What a line that stops or goes on is about, by its words and where it was said."""
    session = household.session_of(change.db, message["session"])
    if _EVERYTHING.search(message["text"]):  # CTRL-21
        return [Scope("everything")]
    if session["kind"] == "direct":
        return [Scope("bot", bot=session["bot"])]  # CTRL-16
    mentioned = change.db.rows("SELECT bot FROM message_mentions WHERE message = ? ORDER BY bot", message["id"])
    if mentioned:
        return [Scope("bot", bot=row["bot"]) for row in mentioned]  # CTRL-19
    return [Scope("session", session=session["id"])]  # CTRL-17
