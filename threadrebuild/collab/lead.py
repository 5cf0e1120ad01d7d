"""The group lead, whom the user confirms and who receives what nobody is mentioned in; and each plan's own lead.

Who hands work on is counted and suggested. That appoints nobody: only the user's confirmation does.
"""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

from threadrebuild.collab import household
from threadrebuild.collab.change import Change, Conflict
from threadrebuild.collab.events import LeadSet
from threadrebuild.collab.receiver import Receiver
from threadrebuild.database import Database

COUNTED_MS = 7 * 24 * 3_600_000  # LEAD-06


def confirm(change: Change, event: LeadSet) -> None:
    """Write the lead that the user has confirmed, or clear it.

    Raises `Missing` for a session that is not there, `Conflict` for one that is no group, ValueError for what the user
    has not confirmed, and for a Bot that is not present.
    """
    if household.session_of(change.db, event.session)["kind"] != "group":
        raise Conflict("no_group", f"session {event.session} is no group")
    if not event.confirmed:  # LEAD-09
        raise ValueError("a lead is set by the user's confirmation")
    present = household.members(change.db, event.session).values()
    if event.bot is not None and event.bot not in present:  # LEAD-09
        raise ValueError(f"Bot {event.bot} is not present in session {event.session}")
    action = change.user_action("http", event.key)
    change.db.write("UPDATE session_participants SET is_lead = 0 WHERE session = ?", event.session)  # LEAD-09
    change.db.write(
        "UPDATE session_participants SET is_lead = 1, lead_by = ? WHERE session = ? AND bot = ?",
        action,
        event.session,
        event.bot,
    )
    change.log("group_lead.confirmed", bot=event.bot, session=event.session)  # LEAD-08


def receivers(db: Database, session: int, plans: Sequence[int]) -> list[Receiver]:
    """Who receives a line of a group that mentions nobody, each for the plans of the line that it leads.

    What nobody leads goes to the first of them.
    """
    led: dict[int, Receiver] = {}
    nobodys: list[int | None] = []
    for plan in plans or (None,):
        leading = _leading(db, session, plan)
        if leading is None:
            nobodys.append(plan)
            continue
        about = led[leading.bot].plans if leading.bot in led else frozenset()
        led[leading.bot] = leading._replace(plans=(about or frozenset()) | {plan})
    found = list(led.values())
    return [each._replace(plans=(each.plans or frozenset()).union(nobodys)) for each in found[:1]] + found[1:]


def of_plan(db: Database, plan: int) -> int | None:
    """The Bot that leads a plan: the one set, else who opened it, else its group's lead, else who has done most."""
    home = db.value("SELECT session FROM plans WHERE id = ?", plan)
    found = db.rows(
        "SELECT lead AS bot FROM plans WHERE id = ?1 UNION ALL"
        " SELECT t.bot FROM turns t JOIN plans p ON p.first_turn = t.id WHERE p.id = ?1 UNION ALL"
        " SELECT bot FROM session_participants WHERE session = ?2 AND is_lead = 1 UNION ALL"
        " SELECT bot FROM (SELECT bot FROM turns WHERE plan = ?1 GROUP BY bot ORDER BY count(*) DESC, bot)",
        plan,
        home,
    )
    at_work = {row["id"] for row in db.rows("SELECT id FROM bots WHERE state = 'active'")}
    return next((row["bot"] for row in found if row["bot"] in at_work), None)


def view(db: Database, session: int, at: int) -> dict[str, Any]:
    """What `GET /v1/sessions/:id/lead` answers: the confirmed lead, and who is suggested. Raises `Missing`."""
    household.session_of(db, session)
    confirmed = db.row(
        "SELECT b.id, b.name, b.state FROM session_participants p JOIN bots b ON b.id = p.bot"
        " WHERE p.session = ? AND p.is_lead = 1",
        session,
    )
    suggestion = suggested(db, session, at)
    return {
        "lead": None if confirmed is None else dict(confirmed),
        "suggested": None if suggestion is None else {"bot_id": suggestion[0], "handoffs": suggestion[1]},
    }


def suggested(db: Database, session: int, at: int) -> tuple[int, int] | None:
    """The Bot present that has handed on most in the last week, and how often; None without one that leads alone."""
    since = at - COUNTED_MS
    handed = Counter([*_mentions_sent(db, session, since), *_chats_begun(db, session, since)])
    present = household.members(db, session).values()
    counted = [(bot, count) for bot, count in handed.most_common() if bot in present]  # LEAD-07
    if len(counted) > 1 and counted[0][1] == counted[1][1]:  # LEAD-07
        return None
    return counted[0] if counted else None


def _leading(db: Database, session: int, plan: int | None) -> Receiver | None:
    present = household.members(db, session).values()
    in_order = (
        Receiver(db.value("SELECT lead FROM plans WHERE id = ?", plan), "plan_lead"),  # LEAD-01
        Receiver(
            db.value("SELECT bot FROM session_participants WHERE session = ? AND is_lead = 1", session), "group_lead"
        ),
    )
    return next((each for each in in_order if each.bot in present), None)


def _mentions_sent(db: Database, session: int, since: int) -> list[int]:
    """Who said the lines of Bots in a group that others received by mention: one for each line."""
    rows = db.rows(
        "SELECT DISTINCT m.id, m.bot, m.author FROM messages m JOIN message_receivers r ON r.message = m.id"
        " WHERE m.session = ? AND m.turn IS NOT NULL AND m.at >= ? ORDER BY m.id",
        session,
        since,
    )
    return [row["bot"] for row in rows]


def _chats_begun(db: Database, session: int, since: int) -> list[int]:
    """Who said the first line of each chat between Bots that was opened from a group."""
    rows = db.rows(
        "SELECT m.* FROM sessions s JOIN messages m ON m.session = s.id AND m.author = 'bot'"
        " WHERE s.kind = 'bots' AND s.source = ? ORDER BY m.id",
        session,
    )
    first: dict[int, sqlite3.Row] = {}
    for row in rows:
        first.setdefault(row["session"], row)  # LEAD-06
    return [row["bot"] for row in first.values() if row["at"] >= since]
