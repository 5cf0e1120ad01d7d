"""Who receives a message: those it mentions, else whoever leads, else in an old group those who judge to step in."""

import sqlite3

from threadrebuild.collab import attribution, household, lead
from threadrebuild.collab.change import Change


def receivers(change: Change, message: sqlite3.Row) -> list[tuple[int, str]] | None:
    """The Bots that receive a message, each with the reason why; None where the group has to judge."""
    session = household.session_of(change.db, message["session"])
    present = household.members(change.db, session["id"])
    others = [bot for bot in present.values() if bot != message["bot"]]
    if session["kind"] == "direct":
        return [(session["bot"], "direct")] if message["author"] == "user" else []
    mentioned = [
        row["bot"] for row in change.db.rows("SELECT bot FROM message_mentions WHERE message = ?", message["id"])
    ]
    if session["kind"] == "bots":
        return [(bot, "direct") for bot in others] if not session["collaboration"] else []
    if message["to_everyone"]:
        return [(bot, "everyone") for bot in others]  # MENT-07
    if mentioned:
        return [(bot, "mention") for bot in mentioned if bot in others]  # MENT-01 PART-01
    if message["author"] != "user":
        return []  # JUDG-06
    targets = attribution.targets(change.db, message["id"])
    leading = lead.receiver(change.db, session["id"], [target.plan for target in targets])
    return [leading] if leading is not None else None  # PART-02 PART-03
