"""Complaints that the scribe has recorded nothing of: the user's whole line is kept, for the user to confirm.

They are kept where work had been delivered when the user spoke, and nothing is measured by them.
"""

import sqlite3
from typing import Any

from threadrebuild.collab import reader, requirements, wordlist
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import folded
from threadrebuild.database import Database

WORDS = (
    *("太假", "不对", "跳跃", "穿帮", "反了", "太短", "重做", "不行", "有问题", "错乱"),  # REQ-17
    *("太长", "太丑", "不像", "看不出", "糊了", "模糊", "太暗", "太亮", "太慢", "太快", "太吵", "太乱", "假得"),
    *("失真", "卡顿", "错了", "错别字", "变形"),
)
"""Words of quality or refusal by which a complaint is told where nobody has read the line, beside the fixed ones."""
DELIVERED = "status IN ('to accept', 'done') OR stage IN ('submitted', 'in_review', 'approved')"


def capture(change: Change, quote: sqlite3.Row, plan: int, ticket: int | None) -> None:
    """Keep words of the user as one pending entry, where they find fault with what had been delivered by then."""
    if not was_delivered(change.db, plan, quote["seq"]):  # REQ-17
        return
    if not _complains(change.db, quote):  # REQ-17
        return
    words = quote["text"].strip()[: requirements.LONGEST]
    if not folded(words):
        return
    scope: requirements.Scope = "ticket" if ticket is not None else "plan"  # REQ-20
    about: dict[str, Any] = {"plan": plan, "ticket": ticket if scope == "ticket" else None, "scope": scope}
    requirements.add(
        change,
        quote["id"],
        words,
        source="complaint",
        state="pending",  # REQ-20
        **about,
    )


def was_delivered(db: Database, plan: int, seq: int) -> bool:
    """Whether something of a plan had been delivered when an event happened, whatever has become of it since."""
    ways = [
        bool(db.value("SELECT 1 FROM plans WHERE id = ? AND delivered_seq < ?", plan, seq)),  # REQ-19
        _was_done(db, plan, seq),  # REQ-19
    ]
    return any(ways)


def found_in(text: str) -> bool:
    """Whether words find fault, by themselves."""
    return any(word in text for word in WORDS) or bool(wordlist.meaning_of(text).faults)


def _was_done(db: Database, plan: int, seq: int) -> bool:
    """Whether a ticket waited to be accepted, or was, when an event happened: as it stood then, not as it stands."""
    was = db.value(
        "WITH stood AS (SELECT ifnull(w.status, t.status) AS status, ifnull(w.stage, t.stage) AS stage FROM tickets t"
        "   LEFT JOIN ticket_was w ON w.rowid ="
        "     (SELECT min(rowid) FROM ticket_was WHERE ticket = t.id AND until_seq >= ?2)"
        "   WHERE t.plan = ?1)"
        f" SELECT 1 FROM stood WHERE {DELIVERED}",
        plan,
        seq,
    )
    return bool(was)


def _complains(db: Database, quote: sqlite3.Row) -> bool:
    """Whether words find fault: as the line was read, else by the words."""
    is_line = quote["message"] is not None and quote["root"] is None and quote["source"] == "said"
    read = reader.understood(db, quote["message"]) if is_line else None
    if read is not None:  # REQ-17
        return bool(read.faults)
    return found_in(quote["text"])
