"""The ledger: what the user asks for, each entry standing on a part of the user's own words.

It is only added to: an entry comes, or is said again. Only what the user does ends one; models merely propose.
"""

import sqlite3
from typing import Any, Literal

from threadrebuild.collab import measures, videos
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.understanding import folded
from threadrebuild.database import Database

Source = Literal["scribe", "complaint", "board", "import"]
Scope = Literal["ticket", "plan", "conversation", "standing"]
State = Literal["active", "pending", "superseded", "no_longer_applies", "not_a_requirement", "legacy"]
LONGEST = 300  # REQ-01
_LISTED = """
  SELECT r.*, o.name AS origin, t.number AS ticket_number, t.title AS ticket_title, q.source AS quote_source,
    q.message AS message,
    (SELECT count(DISTINCT quote) FROM requirement_said WHERE requirement = r.id) AS times,
    (SELECT count(DISTINCT plan) FROM requirement_said WHERE requirement = r.id) AS plans,
    (SELECT max(s.seq) FROM requirement_said said JOIN quotes s ON s.id = said.quote
      WHERE said.requirement = r.id) AS said_last,
    EXISTS (SELECT 1 FROM requirement_exceptions WHERE requirement = r.id AND plan = :plan) AS set_aside,
    r.plan <> :plan AS inherited
  FROM requirements r JOIN plans o ON o.id = r.plan LEFT JOIN tickets t ON t.id = r.ticket
    LEFT JOIN quotes q ON q.id = r.quote
  WHERE r.state IN ('active', 'pending', 'legacy') AND (
    r.plan = :plan
    OR (r.scope = 'conversation' AND (
      r.session = (SELECT session FROM plans WHERE id = :plan)
      OR r.id IN (SELECT requirement FROM requirement_heirs WHERE plan = :plan)))
    OR (r.scope IN ('conversation', 'standing')
      AND r.id IN (SELECT requirement FROM requirement_said WHERE plan = :plan))
    OR (r.scope = 'standing' AND :films)
  )
"""


def add(
    change: Change,
    quote: int | None,
    span: str,
    *,
    plan: int,
    source: Source,
    scope: Scope,
    ticket: int | None = None,
    session: int | None = None,
    state: State = "active",
    paraphrase: str = "",
    category: str = "",
    polarity: Literal["want", "must_not"] = "want",
    nature: str | None = None,
    replaces: int | None = None,
) -> int:
    """Write a new entry, at most 300 code points of a quote of the user; returns its id.

    `session` is the conversation that it is for. Raises `sqlite3.IntegrityError` for words that the quote has not.
    """
    words = span.strip()[:LONGEST]
    number = change.db.value("SELECT ifnull(max(number), 0) + 1 FROM requirements")
    said = measures.the_one(words, change.db.value("SELECT text FROM quotes WHERE id = ?", quote) or "")
    requirement = change.db.write(
        "INSERT INTO requirements (number, quote, span, paraphrase, category, nature, polarity, source, scope, plan,"
        " ticket, session, state, item, value, bound, replaces, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        number,
        quote,
        words,
        paraphrase,
        category,
        nature,
        polarity,
        source,
        scope,
        plan,
        ticket,
        session,
        state,
        *((None, None, None) if said is None else (said.item, said.value, said.bound)),  # REQ-10
        replaces,
        change.at,
    )
    change.log("requirement.added", plan=plan, ticket=ticket, requirement=requirement, source=source, state=state)
    return requirement


def say_again(change: Change, requirement: int, quote: int, plan: int) -> None:
    """Count one more saying of an entry, in a plan, where it applies again if it was set aside there."""
    change.db.write(
        "INSERT OR IGNORE INTO requirement_sayings (requirement, quote, plan) VALUES (?, ?, ?)",
        requirement,
        quote,
        plan,
    )
    apply_again(change, requirement, plan)
    change.log("requirement.said_again", plan=plan, requirement=requirement, quote=quote)


def apply_again(change: Change, requirement: int, plan: int) -> None:
    """Where the user had set an entry aside, it is in force again."""
    change.db.write(  # REQ-33
        "DELETE FROM requirement_exceptions WHERE requirement = ? AND plan = ?", requirement, plan
    )


def propose(change: Change, replaces: int, quote: int, span: str, *, plan: int, source: Source, **more: Any) -> int:
    """Write down that an entry would be replaced, if the user confirms it; the entry itself stays as it is.

    What it is for is what the entry is for. Returns the proposal's id; raises as `add` does.
    """
    old = entry(change.db, replaces)
    return add(
        change,
        quote,
        span,
        plan=old["plan"] if old["ticket"] is not None else plan,
        source=source,
        scope=old["scope"],
        ticket=old["ticket"],
        session=old["session"],
        state="pending",  # QUOT-21
        replaces=replaces,
        **more,
    )


def leave(change: Change, session: int) -> None:
    """A conversation goes: what was for it is for the plans that were in it, and is not inherited any more."""
    change.db.write(  # REQ-07
        "INSERT INTO requirement_heirs (requirement, plan) SELECT r.id, p.id FROM requirements r"
        " JOIN plans p ON p.session = r.session WHERE r.session = ?",
        session,
    )
    change.db.write("UPDATE requirements SET session = NULL WHERE session = ?", session)  # REQ-07


def applying(db: Database, plan: int, ticket: int | None = None) -> list[sqlite3.Row]:
    """The entries in force for a plan, as a Bot and the user read them: nearest to the ticket first.

    Each has `times`, `plans` (in how many it was said), `said_last`, `inherited` and the name of its `origin`.
    """
    return [
        row
        for row in listed(db, plan, ticket)
        if row["state"] == "active"  # REQ-40
        if not row["set_aside"]  # REQ-33 REQ-40
    ]


def listed(db: Database, plan: int, ticket: int | None = None) -> list[sqlite3.Row]:
    """All that stands in a plan's list, those too that are not in force there: pending, old rules, and `set_aside`."""
    found = db.rows(_LISTED, plan=plan, films=videos.delivered(db, plan))
    return sorted(
        found,
        key=lambda row: (
            row["scope"] == "standing",  # REQ-40
            row["scope"] == "conversation",  # REQ-40
            row["ticket"] is not None and row["ticket"] != ticket,  # REQ-40
            row["ticket"] is None,  # REQ-40
            -row["times"],  # REQ-40
            -(row["said_last"] or 0),  # REQ-40
            row["id"],
        ),
    )


def same_words(rows: list[sqlite3.Row], words: str) -> list[sqlite3.Row]:
    """Those entries that stand on just these words, but for spacing, punctuation and width."""
    wanted = folded(words.strip()[:LONGEST])
    return [row for row in rows if wanted and folded(row["span"]) == wanted]


def entry(db: Database, requirement: int) -> sqlite3.Row:
    """An entry of the ledger. Raises `Missing` where there is none of that id."""
    found = db.row("SELECT * FROM requirements WHERE id = ?", requirement)
    if found is None:
        raise Missing(f"there is no requirement {requirement}")
    return found
