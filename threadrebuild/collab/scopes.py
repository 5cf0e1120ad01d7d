"""Whom a line that stops or goes on means, by its words and the place where it was said: fixed rules, no reading.

They settle the scope alone and carry nothing out; what they miss is missed. The narrower scope wins.
"""

import re
import sqlite3

from threadrebuild.collab import household, mentions, parking, signals
from threadrebuild.collab.scope import Scope
from threadrebuild.database import Database

SPOKE_WITHIN_MS = 10 * 60_000  # CTRL-18
FOLLOWS_A_NAME = (",", "，", "、", "你", "也")  # CTRL-20
"""What stands behind a name, without an `@`, of somebody whom a line is said to."""
_EVERYTHING = re.compile("所有 ?Bot|全都停", re.IGNORECASE)  # CTRL-21
_ALL = re.compile("所有 ?Bot|全都", re.IGNORECASE)  # CTRL-27
_NARROWER = re.compile("你|这个?群|本群|群里|私聊|这件事")  # CTRL-22
_THIS_MATTER = re.compile("这件事")  # CTRL-2
_YOU = re.compile("你(?!们)")  # CTRL-18


def of_line(db: Database, message: sqlite3.Row) -> list[Scope]:
    """What a line is about that stops, or goes on: one hold for each of these would be what it asks for."""
    session = household.session_of(db, message["session"])
    named, everyone = _named(db, message)
    if (
        _EVERYTHING.search(message["text"])  # CTRL-21
        and not named  # CTRL-22
        and not everyone  # CTRL-22
        and not _NARROWER.search(message["text"])  # CTRL-22
    ):
        return [Scope("everything")]
    if named:  # CTRL-19
        return [Scope("bot", bot=bot) for bot in named]
    matters = _this_matter(db, message)
    if len(matters) == 1:  # CTRL-2
        return [Scope("plan", plan=plan) for plan in matters]
    if session["kind"] == "direct":  # CTRL-16
        return [Scope("bot", bot=session["bot"])]
    found = [Scope("bot", bot=bot) for bot in _you(db, message)]
    found.append(Scope("session", session=session["id"]))  # CTRL-17 CTRL-18
    return found


def names_all(db: Database, message: sqlite3.Row) -> bool:
    """Whether a line that goes on means all Bots, wherever they are; with anything narrower in it, it does not."""
    named, everyone = _named(db, message)
    return bool(_ALL.search(message["text"])) and not (named or everyone or _NARROWER.search(message["text"]))


def _named(db: Database, message: sqlite3.Row) -> tuple[list[int], bool]:
    """The Bots that a line names, by `@` or as somebody it is said to; and whether it names all who are present."""
    present, roster = household.members(db, message["session"]), household.roster(db)
    found = mentions.mentions_in(message["text"], present, roster)
    called = [roster[name] for name in _called(found.rest, roster)]
    return list(dict.fromkeys([*found.bots, *called])), found.everyone


def _called(text: str, names: dict[str, int]) -> list[str]:
    """The names in a text that it is said to, without an `@`: a name in mid-sentence is only spoken of."""
    by_length = sorted(names, key=len, reverse=True)
    any_name, follows = ("|".join(re.escape(each) for each in each_of) for each_of in (by_length, FOLLOWS_A_NAME))
    spoken_to = re.finditer(rf"(?<![A-Za-z0-9_])({any_name})(?={follows})", text) if names else ()
    return [match[1] for match in spoken_to]


def _this_matter(db: Database, message: sqlite3.Row) -> set[int]:
    """What "this matter" can be: the plans that the line refers to, else those that are open here."""
    if not _THIS_MATTER.search(message["text"]):
        return set()
    referred = {target.plan for target in signals.references(db, message)}
    goes_on = f"dormant = 0 AND (status = 'active' OR ({parking.WOULD_GO_ON}))"
    open_here = f"SELECT id FROM plans WHERE session = ? AND {goes_on}"
    return referred or {row["id"] for row in db.rows(open_here, message["session"])}


def _you(db: Database, message: sqlite3.Row) -> list[int]:
    """The one Bot that "you" is in a group: the one replied to, else the only one that spoke to the user lately."""
    if not _YOU.search(message["text"]):
        return []
    replied = db.rows("SELECT bot FROM messages WHERE id = ? AND bot IS NOT NULL", message["reply_to"])
    if replied:  # CTRL-18
        return [each["bot"] for each in replied]
    spoke = db.rows(
        "SELECT DISTINCT m.bot FROM messages m WHERE m.session = ? AND m.author = 'bot' AND m.id < ? AND m.at >= ?"
        " AND NOT EXISTS (SELECT 1 FROM message_mentions WHERE message = m.id)",
        message["session"],
        message["id"],
        message["at"] - SPOKE_WITHIN_MS,
    )
    return [each["bot"] for each in spoke] if len(spoke) == 1 else []  # CTRL-18
