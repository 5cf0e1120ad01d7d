"""The beat: what was handed in, has passed its checks and has no reviewer is looked at again, as things stand then.

It calls no model and keeps nothing in mind: when it is due is a timer in the store, and what it finds is there.
"""

import sqlite3

from threadrebuild.collab import holds, parking, releases, reviewers, reviews, submission_checks
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import TimerRang
from threadrebuild.database import Database

SUBJECT = "beat"
EVERY_MS = 15_000  # SUPV-29
OF_FILES = ("submit", "implicit")
"""The origins of what checks can support; words and what the organizer has read await the user."""


def look(change: Change) -> None:
    """Have the beat come where something waits for it. Called at the end of each event."""
    wound = "SELECT 1 FROM effects WHERE kind = 'timer' AND subject = ? AND state IN ('pending', 'started')"
    if not change.db.value(wound, SUBJECT) and _waiting(change):
        change.effect("timer", {"due": change.at + EVERY_MS}, subject=SUBJECT)


def time_came(change: Change, event: TimerRang) -> None:
    """Decide what becomes of each submission that waits for the beat."""
    del event
    for row in _waiting(change):
        if change.at - row["at"] >= EVERY_MS:  # SUPV-29
            _decide(change, row)


def _decide(change: Change, row: sqlite3.Row) -> None:
    submission: int = row["id"]
    reviewer = reviewers.of(change.db, row["ticket"], row["bot"])
    if reviewer is not None:  # SUPV-29
        reviews.request(change, submission, reviewer)
        return
    if submission_checks.gates(change.db, submission) == "failed":  # SUPV-29
        note = "\n".join(submission_checks.failures(change.db, submission))
        releases.send_back(change, submission, by="beat", note=note)
        return
    if (
        row["origin"] in OF_FILES  # SUPV-30
        and is_supported(change.db, submission)  # SUPV-31 SUBM-30
    ):
        releases.approve(change, submission, by="no_reviewer")  # SUPV-31
    else:
        releases.await_word(change, submission, "unsupported")  # SUBM-31


def is_supported(db: Database, submission: int) -> bool:
    """Whether a check that the user wrote or confirmed covers what was handed in; the organizer's support nothing."""
    binding = submission_checks.binding(db, submission)
    gates = [check for check in binding if submission_checks.is_gate(check)]
    return any(check["written_by"] == "user" for check in gates)  # SUPV-31 SUBM-30


def _waiting(change: Change) -> list[sqlite3.Row]:
    """What waits for the beat: submitted, with nothing still to run, and neither held nor asleep."""
    rows = change.db.rows(
        "SELECT s.*, t.plan, p.dormant FROM submissions s JOIN tickets t ON t.id = s.ticket"
        " JOIN plans p ON p.id = t.plan WHERE s.state = 'submitted' ORDER BY s.id"
    )
    return [
        row
        for row in rows
        if not row["dormant"]  # SUPV-29
        if not _is_held(change.db, row)  # SUPV-29
        if submission_checks.gates(change.db, row["id"]) != "unfinished"
        if not submission_checks.are_running(change.db, row["id"])  # SUPV-29
    ]


def _is_held(db: Database, row: sqlite3.Row) -> bool:
    item = db.value(
        "SELECT id FROM work_items WHERE bot = ? AND plan = ? AND ticket = ?", row["bot"], row["plan"], row["ticket"]
    )
    return bool(parking.held_by(db, row["plan"])) or (item is not None and bool(holds.over(db, "work_item", item)))
