"""Who receives a message: those it mentions, else whoever leads, else in an old group those who judge to step in.

What a Bot says is received as its form says: by mention in a group, by each line in a chat that a Bot opened, by
nobody as a mere notice. Whoever receives it, the one who said it waits for nothing.
"""

import sqlite3

from threadrebuild.collab import acknowledgements, attribution, holds, household, lead, tools, wakes
from threadrebuild.collab.change import Change
from threadrebuild.collab.receiver import Receiver

LEADS_FROM_LEVEL = 2
DELEGATES_FROM_LEVEL = 3  # MENT-19
"""From here on speech alone wakes nobody in a chat that was made for a delegation."""


def receivers(change: Change, message: sqlite3.Row) -> list[Receiver] | None:
    """The Bots that receive a message; None where the group has to judge."""
    if message["author"] == "user":  # JUDG-06 HAND-02
        return _of_the_user(change, message)
    found = []
    speaker = message["turn"] and change.db.row("SELECT * FROM turns WHERE id = ?", message["turn"])
    for bot, why in _of_a_bot(change, message):
        if speaker and tools.is_held(change, speaker):  # HOLD-61
            wakes.suppress(change, "bot line", bot, holds.over(change.db, "turn", speaker["id"]), message=message["id"])
            continue
        if acknowledgements.answers_one(change, message, bot):
            change.log("wake.suppressed", bot=bot, message=message["id"], reason="acknowledgement")
            continue
        found.append(Receiver(bot, why))
    return found


def _of_the_user(change: Change, message: sqlite3.Row) -> list[Receiver] | None:
    session = household.session_of(change.db, message["session"])
    if session["kind"] != "group":
        return [Receiver(bot, "direct") for bot in household.members(change.db, session["id"]).values()]
    mentioned = _mentioned(change, message)
    if mentioned or message["to_everyone"]:  # MENT-01 JUDG-05 LEAD-02
        return [Receiver(*each) for each in mentioned]
    if change.level >= LEADS_FROM_LEVEL:
        plans = [target.plan for target in attribution.targets(change.db, message["id"])]
        leading = lead.receivers(change.db, session["id"], plans)
        if leading:  # PART-02 PART-03 LEAD-03
            return leading
    return None


def _of_a_bot(change: Change, message: sqlite3.Row) -> list[tuple[int, str]]:
    session = household.session_of(change.db, message["session"])
    if session["kind"] == "group":
        return _mentioned(change, message)
    if session["kind"] == "bots" and (
        not session["collaboration"]  # MENT-20
        or change.level < DELEGATES_FROM_LEVEL  # MENT-19
    ):
        return [(bot, "direct") for bot in _others(change, message)]
    return []


def _mentioned(change: Change, message: sqlite3.Row) -> list[tuple[int, str]]:
    """Those mentioned in a group, who are present by now; not the author."""
    others = _others(change, message)
    if message["to_everyone"]:
        return [(bot, "everyone") for bot in others]
    rows = change.db.rows("SELECT bot FROM message_mentions WHERE message = ?", message["id"])
    mentioned = {row["bot"] for row in rows}
    return [(bot, "mention") for bot in others if bot in mentioned]  # PART-01


def _others(change: Change, message: sqlite3.Row) -> list[int]:
    present = household.members(change.db, message["session"]).values()
    return [bot for bot in present if bot != message["bot"]]  # MENT-07
