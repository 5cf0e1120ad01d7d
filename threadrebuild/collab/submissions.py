"""Submissions: each is one handing-in of a ticket's result, with its files as their bytes were, and what came of it.

A submission is checked, and then fails its checks or is submitted. Submitted, it is in review, or waits for the user's
word, or for the next beat, until it is approved or returned. While it is undecided it can become void.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, Literal

from threadrebuild.collab import submission_checks, work
from threadrebuild.collab.change import Change, Missing
from threadrebuild.collab.hashing import File
from threadrebuild.database import Database

Origin = Literal["submit", "implicit", "answer", "organizer"]
State = Literal["checking", "check_failed", "submitted", "in_review", "awaiting", "approved", "returned", "void"]
UNDECIDED = ("checking", "submitted", "in_review", "awaiting")
PENDING = ("submitted", "in_review")
"""The states in which a review can decide on a submission."""


def hand_in(
    change: Change,
    ticket: int,
    *,
    turn: int | None,
    bot: int | None,
    origin: Origin,
    files: Sequence[File],
    parts: Sequence[str] = (),
    note: str = "",
    claims: Sequence[Any] = (),
    content: str | None = None,
) -> int:
    """Hand in a ticket's result; returns the submission, which is being checked.

    What the ticket has undecided becomes void, and the checks that bind the new one are wanted at once. Once all have
    run, also where there are none, `submission_checks.ended` settles it: at the end of this event at the earliest,
    never before this returns. A segment that waits for it then goes on. Whether this may be handed in, and by whom, the
    caller has seen to.
    """
    for before in in_states(change.db, ticket, UNDECIDED):
        void(change, before["id"], "replaced")  # SUBM-05
    submission = change.db.write(
        "INSERT INTO submissions (ticket, turn, bot, origin, content, note, claims, parts, seq, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ticket,
        turn,
        bot,
        origin,
        content,
        note,
        json.dumps(list(claims), ensure_ascii=False),
        json.dumps(list(parts), ensure_ascii=False),
        change.event,
        change.at,
    )
    for file in files:
        change.db.write(
            "INSERT INTO submission_files (submission, path, sha256) VALUES (?, ?, ?)",
            submission,
            file.path,
            file.sha256,  # SUBM-01
        )
    log(change, submission, "submission.handed_in", origin=origin)
    submission_checks.run(change, submission)
    return submission


def void(change: Change, submission: int, reason: str) -> None:
    """Let an undecided submission count no more; nothing happens to a decided one.

    Nobody reads a request to review it any more, and a segment that waits for its checks goes on.
    """
    row = of(change.db, submission)
    if row["state"] not in UNDECIDED:
        return
    set_state(change, submission, "void")
    unread = "SELECT * FROM inbox_items WHERE submission = ? AND kind = 'review' AND state IN ('queued', 'held')"
    for item in change.db.rows(unread, submission):
        change.db.write("UPDATE inbox_items SET state = 'void' WHERE id = ?", item["id"])
        work.settle_waiting(change, item["work_item"])
    log(change, submission, "submission.voided", reason=reason)
    if row["state"] == "checking":
        submission_checks.go_on(change, submission)


def set_state(change: Change, submission: int, state: State) -> None:
    """Write a submission's state, and nothing else."""
    change.db.write("UPDATE submissions SET state = ? WHERE id = ?", state, submission)


def of(db: Database, submission: int) -> sqlite3.Row:
    """A submission's row with its `plan`. Raises `Missing`."""
    row = db.row("SELECT s.*, t.plan FROM submissions s JOIN tickets t ON t.id = s.ticket WHERE s.id = ?", submission)
    if row is None:
        raise Missing(f"there is no submission {submission}")
    return row


def in_states(db: Database, ticket: int, states: Sequence[str]) -> list[sqlite3.Row]:
    """The submissions of a ticket that are in one of these states, oldest first."""
    rows = db.rows("SELECT * FROM submissions WHERE ticket = ? ORDER BY id", ticket)
    return [row for row in rows if row["state"] in states]


def files_of(db: Database, submission: int) -> list[sqlite3.Row]:
    """The files of a submission: `path`, `sha256`."""
    return db.rows("SELECT path, sha256 FROM submission_files WHERE submission = ? ORDER BY rowid", submission)


def parts_of(submission: sqlite3.Row) -> list[str]:
    """The names of the parts that a submission hands in; none for the whole ticket."""
    parts: list[str] = json.loads(submission["parts"])
    return parts


def of_plan(db: Database, plan: int) -> list[dict[str, Any]]:
    """All submissions of a plan as the user sees them, oldest first."""
    rows = db.rows(
        "SELECT s.*, t.plan FROM submissions s JOIN tickets t ON t.id = s.ticket WHERE t.plan = ? ORDER BY s.id", plan
    )
    return [_shown(db, row) for row in rows]


def listed(db: Database, plan: int, at: int) -> dict[str, Any]:
    """What `GET /v1/tasks/:id/submissions` answers. Raises `Missing` where there is no such plan."""
    del at
    if db.value("SELECT 1 FROM plans WHERE id = ?", plan) is None:
        raise Missing(f"there is no plan {plan}")
    return {"submissions": of_plan(db, plan)}


def log(change: Change, submission: int, type_: str, **body: Any) -> None:
    """Add an entry on a submission to the work log."""
    row = of(change.db, submission)
    about = {"bot": row["bot"], "plan": row["plan"], "ticket": row["ticket"], "turn": row["turn"]}
    change.log(type_, **about, submission=submission, **body)


def _shown(db: Database, row: sqlite3.Row) -> dict[str, Any]:
    names = ("id", "ticket", "bot", "origin", "state", "note", "content", "approved_by", "at")
    reviews = db.rows("SELECT * FROM reviews WHERE submission = ? ORDER BY id", row["id"])
    seen = ("bot", "outcome", "note", "same_model", "effective", "missed", "at")
    return {
        **{name: row[name] for name in names},
        "files": [dict(file) for file in files_of(db, row["id"])],
        "parts": parts_of(row),  # SUBM-01
        "claims": json.loads(row["claims"]),  # SUBM-01
        "checks": submission_checks.results(db, row["id"]),  # SUBM-01
        "reviews": [
            {name: each[name] for name in seen} | {"verdicts": json.loads(each["verdicts"])} for each in reviews
        ],
    }
