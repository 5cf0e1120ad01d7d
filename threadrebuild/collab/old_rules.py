"""Rules and acceptance from before there was a ledger: they are taken into it once, when a store is first opened.

What the user wrote on the board, or is found in the user's words, is in force. The rest, mostly the organizer's, is
kept as old rules whose source nobody knows, for reference only.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from threadrebuild.collab import nature, quotes, requirements, videos
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import folded, verbatim
from threadrebuild.database import Database


@dataclass(frozen=True)
class Rule:
    """A line of a plan's rules or acceptance, and the words of the user that it stands on, if there are any.

    `on_board` is whether the user wrote it there, with the action by which, where no words were kept of that.
    """

    plan: sqlite3.Row
    text: str
    quote: sqlite3.Row | None
    on_board: bool
    written_by: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is the user's."""
        return self.on_board or self.quote is not None


def take_in(db: Database) -> None:
    """Write the rules and acceptance of all plans of a store into its ledger; those of one conversation once."""
    rules: dict[tuple[int | None, int | None, str], list[Rule]] = {}
    for plan in db.rows("SELECT * FROM plans ORDER BY id"):
        for rule in _rules_of(db, plan):
            session = plan["session"]
            alone = plan["id"] if session is None else None
            rules.setdefault((session, alone, folded(rule.text)), []).append(rule)  # REQ-38
    for same in rules.values():
        _write(db, same)


def _write(db: Database, same: list[Rule]) -> None:
    """Write one entry for the same rule of one or more plans of a conversation."""
    rule = next((each for each in same if each.is_known), same[0])
    change = _as_of(db, rule)
    if _is_there(db, rule):  # REQ-38
        return
    quote = rule.quote["id"] if rule.quote is not None else None
    if quote is None and rule.on_board:
        quote = _kept(change, rule)
    span = rule.text if rule.quote is None else verbatim(rule.quote["text"], rule.text) or rule.text
    wide = rule.plan["session"] is not None and (
        len(same) > 1  # REQ-38
        or (
            nature.of_words(rule.text) in nature.CONVERSATION_WIDE  # REQ-38
            and videos.makes(db, rule.plan["id"])  # REQ-38
        )
    )
    requirements.add(
        change,
        quote,
        span,
        plan=rule.plan["id"],
        source="board" if rule.on_board else "import",
        scope="conversation" if wide else "plan",
        session=rule.plan["session"] if wide else None,
        state="active" if rule.is_known else "legacy",  # REQ-37
    )


def _rules_of(db: Database, plan: sqlite3.Row) -> Iterator[Rule]:
    newest = db.row("SELECT * FROM plan_revisions WHERE plan = ? ORDER BY number DESC", plan["id"])
    points = json.loads(newest["points"]) if newest is not None else {}
    said = db.rows(
        "SELECT q.* FROM quotes q WHERE q.erased = 0"
        " AND q.id IN (SELECT quote FROM quote_filings WHERE plan = ?) ORDER BY q.seq, q.id",
        plan["id"],
    )
    for text in dict.fromkeys([*points.get("rules", ()), *points.get("acceptance", ())]):
        if folded(text):
            yield _rule(db, plan, text, said)


def _rule(db: Database, plan: sqlite3.Row, text: str, said: list[sqlite3.Row]) -> Rule:
    cut = text.strip()[: requirements.LONGEST]
    written_by = _written_by(db, plan["id"], text)
    on_board = written_by is not None
    found = [quote for quote in said if verbatim(quote["text"], cut) is not None]
    kept = [quote for quote in found if quote["source"] == "board"]
    where = kept if on_board else found  # REQ-37
    return Rule(plan, cut, where[0] if where else None, on_board, written_by)


def _written_by(db: Database, plan: int, text: str) -> int | None:
    """The user's action that brought a line into a plan's points last; None where something else did."""
    by, stands = None, False
    for revision in db.rows("SELECT * FROM plan_revisions WHERE plan = ? ORDER BY number", plan):
        points = json.loads(revision["points"])
        stood, stands = stands, text in (*points.get("rules", ()), *points.get("acceptance", ()))
        if stands and not stood:
            by = revision["cause_id"] if revision["cause"] == "user" else None  # REQ-37
    return by


def _is_there(db: Database, rule: Rule) -> bool:
    """Whether the ledger has the same words for the plan, or its conversation, already."""
    listed = requirements.listed(db, rule.plan["id"])
    return bool(requirements.same_words([row for row in listed if row["ticket"] is None], rule.text))


def _kept(change: Change, rule: Rule) -> int:
    """Keep what the user wrote on the board, when no words were kept there yet."""
    return quotes.keep_filed(change, "board", rule.text, rule.plan["id"], None)


def _as_of(db: Database, rule: Rule) -> Change:
    """What is written of a rule is dated as the user's writing it, or as the newest that there is."""
    event = db.value("SELECT event FROM user_actions WHERE id = ?", rule.written_by)
    found = db.row("SELECT seq, at FROM events WHERE seq = ifnull(?, (SELECT max(seq) FROM events))", event)
    assert found is not None, "a plan is opened by an event"
    return Change(db, found["seq"], found["at"], db.value("SELECT level FROM meta"))
