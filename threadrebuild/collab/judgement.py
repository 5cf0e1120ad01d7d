"""In a group that nobody leads, each Bot judges once for each line of the user whether to step in or look on.

A judgement is one short call without tools, and no turn: nothing can be asked or done in it, and nothing is said.
"""

import msgspec

from threadrebuild.collab import answers, holds, household, lifting, messages, reader, scribe, steps, wakes
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Judged
from threadrebuild.collab.receiver import Receiver
from threadrebuild.database import Database


class _Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    join: bool


def ask(change: Change, message: int) -> None:
    """Let every Bot present judge a message that no hold is over; with nobody to judge it is delivered to nobody."""
    line = messages.message_of(change, message)
    asked = 0
    for bot in household.members(change.db, line["session"]).values():
        held = lifting.before_hearing(change, line, "hearer", holds.hearer(message, bot))
        if held:  # HOLD-63
            wakes.suppress(change, "user line", bot, held, message=message)
            continue
        body = {"bot": bot, "model": _model(change.db, bot), "line": line["text"]}
        effect = change.effect("judge", body, subject=f"judge:{message}:{bot}")
        change.db.write("INSERT INTO judgements (message, bot, effect) VALUES (?, ?, ?)", message, bot, effect)
        asked += 1
    state = "judging" if asked else "delivered"
    change.db.write("UPDATE messages SET state = ? WHERE id = ?", state, message)
    scribe.look(change, message)


def came(change: Change, event: Judged) -> None:
    """Keep one judgement; once all are in, those who step in receive the message."""
    change.db.write("UPDATE judgements SET answer = ? WHERE effect = ?", _answer(event), event.effect)
    message = change.db.value("SELECT message FROM judgements WHERE effect = ?", event.effect)
    all_ = change.db.rows("SELECT * FROM judgements WHERE message = ? ORDER BY effect", message)
    line = messages.message_of(change, message)
    if line["state"] != "judging" or any(row["answer"] is None for row in all_):
        return
    present = household.members(change.db, line["session"]).values()
    joining = [row["bot"] for row in all_ if row["answer"] == "join" and row["bot"] in present]  # JUDG-02 TURN-01
    read = reader.understood(change.db, message)
    if read is not None and read.status:  # STAT-4
        joining = joining[:1]
    messages.hand_out(change, line, [Receiver(bot, "judged") for bot in joining])
    messages.advance(change, line["session"])


def _answer(event: Judged) -> str:
    read = _read(event.raw)
    if read is None:  # JUDG-03 JUDG-04
        return "failed"
    return "join" if read.join else "look_on"


def _read(raw: str | None) -> _Judgement | None:
    """A judgement; what a model says besides, a question to the user too, is none."""
    try:
        return answers.read(raw, _Judgement)
    except answers.Unreadable:
        return None


def _model(db: Database, bot: int) -> str:
    chosen = steps.model(db, "judgement")
    if chosen is not None:  # LEAD-01
        return chosen
    return str(db.value("SELECT model FROM bots WHERE id = ?", bot))
