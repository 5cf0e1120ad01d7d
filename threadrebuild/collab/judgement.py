"""In a group that nobody leads, each Bot judges once for each line of the user whether to step in or look on."""

import sqlite3

from threadrebuild.collab import household, messages
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Judged


def ask(change: Change, message: sqlite3.Row) -> None:
    """Let every Bot present judge a message; with nobody present it is delivered to nobody."""
    present = household.members(change.db, message["session"])
    for bot in present.values():
        effect = change.effect("judge", {"bot": bot, "line": message["text"]}, subject=f"judge:{message['id']}:{bot}")
        change.db.write("INSERT INTO judgements (message, bot, effect) VALUES (?, ?, ?)", message["id"], bot, effect)
    state = "judging" if present else "delivered"
    change.db.write("UPDATE messages SET state = ? WHERE id = ?", state, message["id"])


def came(change: Change, event: Judged) -> None:
    """Keep one judgement; once all are in, those who step in receive the message."""
    answer = {True: "join", False: "look_on", None: "failed"}[event.joins]
    change.db.write("UPDATE judgements SET answer = ? WHERE effect = ?", answer, event.effect)
    message = change.db.value("SELECT message FROM judgements WHERE effect = ?", event.effect)
    all_ = change.db.rows("SELECT * FROM judgements WHERE message = ? ORDER BY effect", message)
    if any(row["answer"] is None for row in all_):
        return
    line = messages.message_of(change, message)
    joining = [
        (row["bot"], "judged")
        for row in all_
        if row["answer"] == "join"  # JUDG-04
    ]
    messages.hand_out(change, line, joining)
    messages.advance(change, line["session"])
