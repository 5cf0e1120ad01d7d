"""Reviews: another Bot's verdict on a submission, per item, and its outcome. Words that something passed are none."""

import json
import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab import delegation, inbox, releases, stages, submission_checks, submissions, tickets, work
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, checked, tool
from threadrebuild.database import Database, Id

ASKED = "Review submission {id} of ticket {number:02} “{title}”."


class Verdict(msgspec.Struct, frozen=True):
    """What a reviewer says of one requirement, and what that rests on."""

    verdict: Literal["pass", "fail", "unknown", "n/a"]
    requirement: Id | None = None
    evidence: str = ""


class _Review(msgspec.Struct, frozen=True):
    outcome: Literal["approve", "return"]
    submission_id: Id | None = None
    verdicts: tuple[Verdict, ...] = ()
    note: str = ""


def request(change: Change, submission: int, reviewer: int) -> None:
    """Put a submission into the hands of its reviewer: its ticket is in review, and the request wakes the reviewer's
    work on it at once."""
    row = submissions.of(change.db, submission)
    ticket = tickets.of(change.db, row["ticket"])
    submissions.set_state(change, submission, "in_review")
    tickets.move(change, row["ticket"], "in_review", by="check", turn=row["turn"])
    tickets.move_parts(change, row["ticket"], submissions.parts_of(row), "in_review")
    home = change.db.value("SELECT session FROM plans WHERE id = ?", row["plan"])
    session = releases.place(change, submission) if home is None else home
    item = work.item(change, reviewer, row["plan"], row["ticket"], session)
    said = ASKED.format(id=submission, number=ticket["number"], title=ticket["title"])
    inbox.put_submission(change, item, "review", submission, said)  # REVW-05
    submissions.log(change, submission, "review.requested", reviewer=reviewer)


@tool("review", effectful=True)
def review(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str:
    """Decide on a submission: approve or return it. Raises `Refused`, and then nothing has changed."""
    if change.level < stages.FROM_LEVEL:
        raise Refused("There is no such tool.")
    said = checked(arguments, _Review)
    row = _reviewed(change, turn, said.submission_id)
    if row["bot"] == turn["bot"]:
        raise Refused("Nobody reviews their own work.")
    change.db.write(
        "INSERT INTO reviews (submission, bot, turn, outcome, verdicts, note, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        row["id"],
        turn["bot"],
        turn["id"],
        said.outcome,
        json.dumps(msgspec.to_builtins(said.verdicts), ensure_ascii=False),
        said.note,
        change.at,
    )
    submissions.log(change, row["id"], "review.made", reviewer=turn["bot"], outcome=said.outcome)
    if said.outcome == "approve":
        change.db.write("UPDATE reviews SET effective = 1 WHERE submission = ? AND turn = ?", row["id"], turn["id"])
        releases.approve(change, row["id"], by="review")
    else:
        releases.send_back(change, row["id"], by="review", note=said.note)
    _answer_requests(change, turn, row, said)
    return f"submission {row['id']}: {submissions.of(change.db, row['id'])['state']}"


def told(db: Database, item: sqlite3.Row) -> str:
    """What an item on a submission says to its Bot; a request to review with the files, the checks and the note."""
    if item["kind"] != "review":
        return str(item["text"])
    row = submissions.of(db, item["submission"])
    lines = [item["text"], *(f"File: {file['path']}" for file in submissions.files_of(db, row["id"]))]
    lines += [f"Part: {part}" for part in submissions.parts_of(row)]
    lines += [row["content"]] if row["content"] else []
    lines += [f"Note of who made it: {row['note']}"] if row["note"] else []
    for each in submission_checks.results(db, row["id"]):
        lines.append(f"Check {each['check']} of “{each['sentence']}”: {each['outcome'] or 'not run'}: {each['detail']}")
    return "\n".join(lines)


def _reviewed(change: Change, turn: sqlite3.Row, named: int | None) -> sqlite3.Row:
    """The submission that a review is of: the one named, else the newest pending one of the segment's ticket, then of
    its plan. Raises `Refused`."""
    found = change.db.rows(
        "SELECT s.id, s.ticket, s.state FROM submissions s JOIN tickets t ON t.id = s.ticket"
        " WHERE iif(?1 IS NULL, t.plan = ?2, s.id = ?1) ORDER BY s.ticket IS ?3 DESC, s.id DESC",
        named,
        turn["plan"],
        turn["ticket"],
    )
    can_be = [row["id"] for row in found if row["state"] in submissions.PENDING]
    if not can_be:
        raise Refused("Nothing that is handed in waits for a review there.")
    return submissions.of(change.db, can_be[0])


def _answer_requests(change: Change, turn: sqlite3.Row, row: sqlite3.Row, said: _Review) -> None:
    """Answer what this Bot was asked to review, now that it has."""
    for each in delegation.asked_of(change.db, turn["bot"], "review", row):
        outcome = "approved" if said.outcome == "approve" else "returned"
        delegation.resolve(change, each, "replied", f"Submission {row['id']} is {outcome}. {said.note}".strip())
