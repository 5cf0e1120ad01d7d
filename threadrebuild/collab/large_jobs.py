"""Large jobs: matters that come out well only in pieces, with one done first to set the standard, the sample.

A reading of the user's words marks such a matter, once, and never overrides what the user has said of it. Until it is
split, and where a ticket waits for another that has not been handed in, nothing is made and nothing handed in.
"""

import json
import sqlite3
from typing import Literal

import msgspec

from threadrebuild.collab import answers, reader, stages, steps
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import PlanSized, Read
from threadrebuild.collab.toolbox import Refused
from threadrebuild.database import Database

READS = "large job"
KINDS = (
    "minutes of video or more",  # LARGE-01
    "a whole episode",  # LARGE-01
    "a book or report of many chapters",  # LARGE-01
    "a site of many pages",  # LARGE-01
    "a batch of dozens of like things",  # LARGE-01
)
ASKS = (
    "Is what the user wants here a large job (large: yes, no, unclear; and why, in a few words): one that comes out"
    f" well only if it is split into pieces and one is done first to set the standard: {'; '.join(KINDS)}?"
    " Judge by the thing wanted, not by how it is put; where it is not said, it is unclear."
)
HANDED_IN = ("submitted", "in_review", "approved")
GOES_ON = ("rework", "in progress")
"""How a ticket may stand that was handed in, whole or in part, and that is worked on again."""
MAKES = "mcp:"
"""How the names of outside calls begin that have side effects."""
HANDS_IN = "submit"
SPLIT_FIRST = (
    "This is a large job that is not split yet: split it first with plan_items, one item of it as the sample."
    " Until then nothing is made by outside calls and nothing handed in; reading, notes, scripts and local commands"
    " are open."
)
NO_APPROVAL = "Do not ask the user to approve the sample: once it is handed in, the other tickets begin."
NO_STILLS = "Still images that pad the running time are no way to make do here."


class _Size(msgspec.Struct, frozen=True):
    large: Literal["yes", "no", "unclear"] = "unclear"
    why: str = ""


def ask(change: Change, plan: int, message: int) -> None:
    """Have it read, once for a matter, whether a line and what was said before of it want a large job."""
    asked = "SELECT 1 FROM effects WHERE kind = 'read' AND subject = ?"
    unread = change.db.value("SELECT large FROM plans WHERE id = ?", plan) is None
    if change.level < stages.FROM_LEVEL or not unread or change.db.value(asked, f"{READS}:{plan}"):  # LARGE-02
        return
    said = change.db.rows(
        "SELECT q.text FROM quotes q JOIN quote_filings f ON f.quote = q.id WHERE f.plan = ? AND q.erased = 0"
        " AND q.message IS NOT ? ORDER BY q.id",
        plan,
        message,
    )
    body = {
        "reads": READS,
        "asks": ASKS,  # LARGE-01
        "line": change.db.value("SELECT text FROM messages WHERE id = ?", message),
        "message": message,
        "said": [row["text"] for row in said],  # LARGE-02
        "tools": [],
        "effort": "lightest",
        "limit_ms": reader.LIMIT_MS,
        **steps.runs_on(change.db, "reader"),
    }
    change.effect("read", body, subject=f"{READS}:{plan}")


def came(change: Change, event: Read, effect: sqlite3.Row) -> None:
    """Mark a matter as large, or as none, as it was read; what could not be read marks nothing."""
    plan = int(effect["subject"].partition(":")[2])
    message = json.loads(effect["body"])["message"]
    answer, failure = reader.said(change, event, effect, lambda raw, body: answers.read(raw, _Size))
    session = change.db.value("SELECT session FROM messages WHERE id = ?", message)
    reader.keep(change, event, effect, str(plan), answer, failure, session=session)
    if answer is None:
        return
    read = msgspec.json.decode(answer, type=_Size)
    large = "yes" if read.large == "yes" else "no"  # LARGE-02
    if change.db.value("SELECT large FROM plans WHERE id = ?", plan) is None:  # LARGE-04
        _mark(change, plan, large, "reading", read.why)


def size(change: Change, event: PlanSized) -> None:
    """Write what the user says of a matter: that it is large, or that it is not to be split. Raises `Missing`."""
    if change.db.value("SELECT 1 FROM plans WHERE id = ?", event.plan) is None:
        raise Missing(f"there is no plan {event.plan}")
    change.user_action("http", event.key)
    _mark(change, event.plan, event.large, "user", "")  # LARGE-04


def refusal(change: Change, turn: sqlite3.Row, tool: str) -> str | None:
    """Why a call makes nothing and hands nothing in here; None where nothing is in its way."""
    if change.level < stages.FROM_LEVEL or not tool.startswith((MAKES, HANDS_IN)):  # LARGE-05 LARGE-06
        return None
    if is_unsplit(change.db, turn["plan"]):  # LARGE-05
        return f"Not run. {SPLIT_FIRST}"
    if turn["ticket"] is None:
        return None
    needs = unmet(change.db, turn["ticket"])
    return f"Not run: this ticket waits for {_named(needs)} to be handed in." if needs else None  # LARGE-09


def see_that_it_can_begin(change: Change, ticket: int | None) -> None:
    """Raise `Refused` for a ticket that waits for another."""
    needs = unmet(change.db, ticket) if ticket is not None and change.level >= stages.FROM_LEVEL else []
    if needs:  # LARGE-09
        raise Refused(f"Not run: that ticket waits for {_named(needs)} to be handed in.")


def is_unsplit(db: Database, plan: int | None) -> bool:
    """Whether a matter is a large job that has no sample yet."""
    large = db.value("SELECT large FROM plans WHERE id = ?", plan)
    return large == "yes" and sample_of(db, plan) is None


def sample_of(db: Database, plan: int | None) -> int | None:
    """The ticket that is a plan's sample."""
    found: int | None = db.value("SELECT id FROM tickets WHERE plan = ? AND sample = 1", plan)
    return found


def unmet(db: Database, ticket: int) -> list[sqlite3.Row]:
    """The tickets that one waits for: each has to have been handed in, but need not be approved.

    What was handed in once keeps nobody waiting, while it is worked on again, nor does what is dropped or parked; and
    what is approved waits for nothing.
    """
    if db.value("SELECT stage FROM tickets WHERE id = ?", ticket) == "approved":  # TICK-31
        return []
    needed = db.rows(
        "SELECT t.* FROM ticket_dependencies d JOIN tickets t ON t.id = d.needs WHERE d.ticket = ? ORDER BY t.number",
        ticket,
    )
    return [row for row in needed if not _is_met(db, row)]


def waits_for(db: Database, ticket: int) -> str:
    """What a ticket waits for, in words that go on; none where it can begin."""
    needs = unmet(db, ticket) if db.value("SELECT level FROM meta") >= stages.FROM_LEVEL else []
    return f", waits for {_named(needs)} to be handed in" if needs else ""


def choose_sample(change: Change, ticket: sqlite3.Row, wanted: bool) -> None:
    """Make a ticket the sample, as the user wants. Raises `Conflict` where it cannot be that, ValueError to end it."""
    if not wanted:
        raise ValueError("a plan's sample is changed by choosing another")
    large = change.db.value("SELECT large FROM plans WHERE id = ?", ticket["plan"]) == "yes"
    if not (large or sample_of(change.db, ticket["plan"]) is not None):  # TICK-33
        raise Conflict("no_large_job", "only a large job has a sample")
    if change.level < stages.FROM_LEVEL or ticket["stage"] in ("approved", "dropped"):  # TICK-33
        raise Conflict("finished", "only an unfinished ticket can be made the sample")
    if ticket["sample"]:  # TICK-33
        raise Conflict("is_sample", "this ticket is the sample already")
    make_sample(change, ticket["plan"], ticket["id"])


def make_sample(change: Change, plan: int, ticket: int) -> None:
    """Let a ticket be its plan's one sample; the tickets that are not done wait for it."""
    change.db.write("UPDATE tickets SET sample = 0 WHERE plan = ?", plan)
    of_before = "of_sample = 1 AND ticket IN (SELECT id FROM tickets WHERE plan = ?)"
    change.db.write(f"DELETE FROM ticket_dependencies WHERE {of_before}", plan)
    change.db.write("UPDATE tickets SET sample = 1 WHERE id = ?", ticket)
    change.log("ticket.is_sample", plan=plan, ticket=ticket)
    bind_to_sample(change, plan)


def bind_to_sample(change: Change, plan: int) -> None:
    """Let every ticket that is not approved wait for the sample, but for the sample and what that itself needs."""
    sample = sample_of(change.db, plan)
    if sample is None or change.level < stages.FROM_LEVEL:
        return
    needed = change.db.rows(
        "WITH RECURSIVE needed(ticket) AS (SELECT ?1 UNION"
        "   SELECT d.needs FROM ticket_dependencies d JOIN needed n ON d.ticket = n.ticket)"
        " SELECT ticket FROM needed",
        sample,
    )
    first = {row["ticket"] for row in needed}
    for row in change.db.rows("SELECT id, stage FROM tickets WHERE plan = ? ORDER BY id", plan):
        if row["stage"] != "approved" and row["id"] not in first:  # LARGE-08
            insert = "INSERT OR IGNORE INTO ticket_dependencies (ticket, needs, of_sample) VALUES (?, ?, 1)"
            change.db.write(insert, row["id"], sample)


def situation(db: Database, plan: int) -> list[str]:
    """What a segment reads of a matter that is a large job."""
    if db.value("SELECT level FROM meta") < stages.FROM_LEVEL:
        return []
    lines = []
    if is_unsplit(db, plan):
        lines.append(SPLIT_FIRST)  # LARGE-06
    if sample_of(db, plan) is not None:
        lines.append(NO_APPROVAL)  # LARGE-14
    if db.value("SELECT large FROM plans WHERE id = ?", plan) == "yes":
        lines.append(NO_STILLS)  # LARGE-15
    return lines


def _is_met(db: Database, needed: sqlite3.Row) -> bool:
    was = "SELECT 1 FROM ticket_was WHERE ticket = ? AND stage IN ('submitted', 'in_review', 'approved')"
    return (
        needed["stage"] in HANDED_IN  # LARGE-10
        or needed["stage"] == "dropped"  # LARGE-10
        or (needed["stage"] in GOES_ON and db.value(was, needed["id"]) is not None)  # LARGE-10
    )


def _mark(change: Change, plan: int, large: str, by: str, why: str) -> None:
    change.db.write("UPDATE plans SET large = ? WHERE id = ?", large, plan)
    change.log("plan.sized", plan=plan, large=large, by=by, why=why)


def _named(tickets: list[sqlite3.Row]) -> str:
    return ", ".join(f"the sample #{row['number']:02}" if row["sample"] else f"#{row['number']:02}" for row in tickets)
