"""A line's way: it arrives, is read, is filed, and is delivered to those who receive it, each step stored.

Lines of the user go one after the other in each session: a later one is filed and delivered only once the one before
has been, or after 45 s. What a Bot says does not queue.
"""

import sqlite3
from collections.abc import Sequence

from threadrebuild.collab import (
    asks,
    attribution,
    control,
    desk,
    going_on,
    household,
    inbox,
    judgement,
    lifting,
    mentions,
    organizer,
    participation,
    quotes,
    reader,
    redirect,
    scribe,
    signals,
)
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.events import Line, TimerRang
from threadrebuild.collab.receiver import Receiver

BEHIND_MS = 45_000  # TURN-14


def arrive(change: Change, line: Line) -> None:
    """Take in a line of the user.

    Raises `Missing` where the session, or a line or plan that it points to, is not there, ValueError where it says
    nothing or answers a line of another session.
    """
    session = household.session_of(change.db, line.session)
    if not line.text.strip() and not line.files and not line.annotations:
        raise ValueError("a line needs words, files or annotations")
    if line.reply_to is not None and message_of(change, line.reply_to)["session"] != session["id"]:
        raise ValueError(f"line {line.reply_to} was not said in session {session['id']}")
    if line.card_plan is not None and not change.db.value("SELECT 1 FROM plans WHERE id = ?", line.card_plan):
        raise Missing(f"there is no plan {line.card_plan}")
    for each in line.annotations:
        if each.delivery is not None:
            message_of(change, each.delivery)
    message = change.db.write(
        "INSERT INTO messages (session, author, seq, at, text, reply_to, card_plan) VALUES (?, 'user', ?, ?, ?, ?, ?)",
        session["id"],
        change.event,
        change.at,
        line.text,
        line.reply_to,
        line.card_plan,
    )
    change.user_action("line", line.key, message)
    _attach(change, message, line.files)
    if session["kind"] == "files":  # QUOT-04
        change.db.write("UPDATE messages SET state = 'delivered' WHERE id = ?", message)
        return
    found = note_mentions(change, message, pulls_in=session["kind"] == "group")
    _keep_words(change, message, line, found.rest)
    reader.ask_meaning(change, message)  # READ-01 READ-28 CTRL-5 TURN-16
    advance(change, session["id"])


def say(
    change: Change, turn: sqlite3.Row, session: int, text: str, files: Sequence[str] = (), *, parent: int | None = None
) -> int:
    """Post what a Bot says in a turn, and let those hear it who receive it; returns the message."""
    message = _post(change, turn, session, text, parent)
    _attach(change, message, files)
    in_group = household.session_of(change.db, session)["kind"] == "group"
    unknown = note_mentions(change, message, pulls_in=in_group).unknown
    attribution.file(change, message)
    deliver(change, message_of(change, message))  # TURN-18
    if in_group and unknown:
        note(change, session, f"Nobody here is called {', '.join(unknown)}: nobody was woken by that.")  # MENT-10
    return message


def show_card(change: Change, turn: sqlite3.Row, text: str, *, session: int | None = None) -> int:
    """Post what a Bot waits for from the user, where its turn is or in another session; that wakes nobody."""
    message = _post(change, turn, turn["session"] if session is None else session, text)
    attribution.file(change, message)
    change.db.write("UPDATE messages SET state = 'delivered' WHERE id = ?", message)
    return message


def note(change: Change, session: int, text: str, *, only_for: int | None = None) -> int:
    """Post a line of the application, which wakes nobody; `only_for` is a Bot that alone reads it."""
    return change.db.write(
        "INSERT INTO messages (session, author, seq, at, text, state, filing, only_for)"
        " VALUES (?, 'app', ?, ?, ?, 'delivered', 'none', ?)",
        session,
        change.event,
        change.at,
        text,
        only_for,
    )


def advance(change: Change, session: int) -> None:
    """Bring the user's lines of a session as far as they can go, in the order in which they were said.

    What was read as a mere stop goes before those that are still being read.
    """
    waiting = change.db.rows(
        "SELECT * FROM messages WHERE session = ? AND author = 'user' AND state IN ('arrived', 'filed', 'judging')"
        " ORDER BY id",
        session,
    )
    waiting.sort(key=lambda line: not control.only_stops(change, line))  # READ-23 CTRL-5 TURN-16
    for message in waiting:
        if message["head_at"] is None:
            change.db.write("UPDATE messages SET head_at = ? WHERE id = ?", change.at, message["id"])
            change.effect("timer", {"due": change.at + BEHIND_MS}, subject=f"behind:{message['id']}")
            reader.ask_filing(change, message["id"])  # ATTR-04 ATTR-05
        _go_on(change, message["id"])
        now = message_of(change, message["id"])
        if now["state"] != "delivered" and change.at < now["head_at"] + BEHIND_MS:  # TURN-12 TURN-13 TURN-17 READ-28
            break


def hand_out_again(change: Change, message: sqlite3.Row) -> None:
    """Hand out a line that had been carried out as a stop, as if it had not: like any other, and not read for that."""
    if message["state"] == "withdrawn":
        return
    change.db.write(
        "UPDATE messages SET state = 'arrived', filing = NULL, head_at = NULL, control = ? WHERE id = ?",
        control.HANDED_BACK,  # CTRL-43
        message["id"],
    )
    advance(change, message["session"])


def time_came(change: Change, event: TimerRang) -> None:
    """A line has waited for the one before it for long enough."""
    subject: str = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    advance(change, message_of(change, int(subject.split(":")[1]))["session"])


def deliver(change: Change, message: sqlite3.Row) -> None:
    """Give a filed message to those who receive it; where its group has to judge first, ask them."""
    receivers = participation.receivers(change, message)
    if receivers is None:
        judgement.ask(change, message["id"])
        return
    hand_out(change, message, receivers)


def hand_out(change: Change, message: sqlite3.Row, receivers: Sequence[Receiver]) -> None:
    """Let its receivers have a message, and those of the user's lines hear it who work on its plan."""
    for receiver in receivers:
        hand_over(change, message, receiver)
    if message["author"] == "user":
        inbox.listen_in(change, message, receivers)
        going_on.take_along(change, message)
    change.db.write("UPDATE messages SET state = 'delivered' WHERE id = ?", message["id"])
    scribe.look(change, message["id"])  # SCRB-02


def hand_over(change: Change, message: sqlite3.Row, receiver: Receiver) -> None:
    """Let one Bot have a message: in the work that it is filed to, or on its desk."""
    bot, why, plans = receiver
    change.db.write(
        "INSERT OR IGNORE INTO message_receivers (message, bot, why) VALUES (?, ?, ?)", message["id"], bot, why
    )
    if change.level <= redirect.LAST_LEVEL:  # REDIR-03 REDIR-04 MENT-03 MENT-06 MENT-17 PART-04
        redirect.receive(change, message, bot, why)
        return
    targets = attribution.targets(change.db, message["id"])
    about = list(  # ATTR-03
        dict.fromkeys(target.plan for target in targets if plans is None or target.plan in plans)
    )
    answered = asks.take(change, bot, message, about)
    if answered is not None:
        about = [plan for plan in about if plan != answered["plan"]]
    elif not targets:  # DESK-01 PLAN-08 TURN-07
        desk.receive(change, message, bot, why)
    for plan in about:
        inbox.receive(change, message, bot, why, next(target for target in targets if target.plan == plan))


def message_of(change: Change, message: int) -> sqlite3.Row:
    """A message. Raises `Missing` where there is none of that number."""
    found = change.db.row("SELECT * FROM messages WHERE id = ?", message)
    if found is None:
        raise Missing(f"there is no message {message}")
    return found


def note_mentions(change: Change, message: int, *, pulls_in: bool) -> mentions.Mentions:
    """Store whom a message mentions; in a group, those on the roster who are not present join it."""
    row = message_of(change, message)
    present = household.members(change.db, row["session"])
    found = mentions.mentions_in(row["text"], present, household.roster(change.db))
    for bot in found.bots:
        if bot not in present.values():
            if not pulls_in:
                continue
            household.join(change, row["session"], bot)  # PULL-01
        if bot != row["bot"]:
            change.db.write("INSERT INTO message_mentions (message, bot) VALUES (?, ?)", message, bot)
    change.db.write("UPDATE messages SET to_everyone = ? WHERE id = ?", int(found.everyone), message)
    return found


def _keep_words(change: Change, message: int, line: Line, rest: str) -> None:
    """Keep each annotation, and the line, unless beside annotations it only says for whom they are."""
    says_something = rest if line.annotations else line.text  # QUOT-04
    if says_something.strip():
        quotes.keep(change, "said", line.text, session=line.session, message=message)  # QUOT-01 QUOT-06
    for each in line.annotations:
        change.db.write(
            "INSERT INTO annotations (message, path, delivery, text) VALUES (?, ?, ?, ?)",
            message,
            each.path,
            each.delivery,
            each.text,
        )
        plan, ticket = signals.of_annotation(change.db, each)
        quotes.keep_filed(change, "annotation", each.text, plan, ticket, session=line.session)  # QUOT-04


def _post(change: Change, turn: sqlite3.Row, session: int, text: str, parent: int | None = None) -> int:
    return change.db.write(
        "INSERT INTO messages (session, author, bot, seq, at, text, turn, parent) VALUES (?, 'bot', ?, ?, ?, ?, ?, ?)",
        session,
        turn["bot"],
        change.event,
        change.at,
        text,
        turn["id"],
        parent,
    )


def leave_unfiled(change: Change, message: int) -> None:
    """Ask no more what a line is about that goes nowhere."""
    change.db.write(
        "UPDATE effects SET state = 'void' WHERE subject LIKE ? AND state IN ('pending', 'started')",
        f"{reader.FILING}:{message}:%",
    )


def _go_on(change: Change, message: int) -> None:
    row = message_of(change, message)
    if row["state"] == "arrived" and control.only_stops(change, row):
        control.carry_out(change, row)  # CTRL-6 TURN-16
        return
    if row["state"] == "arrived" and reader.is_read(change.db, message):  # READ-23
        attribution.file(change, message)  # READ-05
        change.db.write("UPDATE messages SET state = 'filed' WHERE id = ?", message)
        row = message_of(change, message)
        organizer.after_line(change, row)
        lifting.by_line(change, row)  # CTRL-23
        control.offer(change, row)
    if row["state"] == "filed":
        deliver(change, row)  # STAT-1 CTRL-31


def _attach(change: Change, message: int, files: Sequence[str]) -> None:
    for ord_, path in enumerate(files):
        change.db.write("INSERT INTO message_files (message, ord, path) VALUES (?, ?, ?)", message, ord_, path)
