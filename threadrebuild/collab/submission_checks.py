"""The checks that bind a submission: they run once it is handed in, and what failed of them sends it back.

They are run by the same queue as all checks (`check_queue`), so that each is an effect of no segment; a segment that
waits for them has nothing under way of its own. Only runs that began from the handing-in on count.
"""

import json
import sqlite3
from typing import Any, Literal

from threadrebuild.collab import (
    check_queue,
    checks,
    continuity,
    delivery,
    releases,
    speech,
    submissions,
    submit,
    tickets,
)
from threadrebuild.collab.change import Change
from threadrebuild.database import Database

Came = Literal["passed", "failed", "unfinished"]
HANDED_IN = ("submitted", "in_review")
"""The stages from which a ticket goes back to rework where a newer submission fails its checks."""


def binding(db: Database, submission: int) -> list[sqlite3.Row]:
    """The checks that bind a submission as things stand now, in the order in which they were made.

    Those on its ticket, and those of the plan that look at one of its files or at something in its ticket's folder;
    what is only proposed is among them where it measures a file of it, and is no gate.
    """
    row = submissions.of(db, submission)
    folder = db.value("SELECT folder FROM tickets WHERE id = ?", row["ticket"])
    files = {file["path"] for file in submissions.files_of(db, submission)}
    known = db.rows("SELECT * FROM checks WHERE plan = ? AND state <> 'deleted' ORDER BY id", row["plan"])
    return [check for check in known if _binds(check, row["ticket"], folder, files)]


def is_gate(check: sqlite3.Row) -> bool:
    """Whether a check blocks what it binds while it fails; what the user has not confirmed blocks nothing."""
    return bool(check["state"] == "active")  # SUBM-29


def run(change: Change, submission: int) -> None:
    """Have every check that binds a submission run as soon as it may; where none does, it has passed."""
    for check in binding(change.db, submission):
        check_queue.want(change, check, check_queue.ASKED)


def run_of(db: Database, submission: sqlite3.Row, check: sqlite3.Row) -> sqlite3.Row | None:
    """The last run of a check as it is defined now that began from a submission's handing-in on."""
    last = checks.last_run(db, check)
    return last if last is not None and last["seq"] >= submission["seq"] else None  # SUBM-28


def gates(db: Database, submission: int) -> Came:
    """How the checks that bind a submission stand: unfinished while one has not run since, failed if a gate is not
    passed."""
    row = submissions.of(db, submission)
    came = [(check, run_of(db, row, check)) for check in binding(db, submission)]
    if any(last is None for _, last in came):
        return "unfinished"
    return "failed" if any(_stops(check, last) for check, last in came) else "passed"


def are_running(db: Database, submission: int) -> bool:
    """Whether a check that binds a submission runs, or is to run."""
    return any(_is_under_way(db, check) for check in binding(db, submission))


def results(db: Database, submission: int) -> list[dict[str, Any]]:
    """What the checks that bind a submission came to since, as it is shown and told: `gate`, `outcome`, `detail`."""
    row = submissions.of(db, submission)
    found = []
    for check in binding(db, submission):
        last = run_of(db, row, check)
        found.append(
            {
                "check": check["id"],
                "sentence": check["sentence"],
                "gate": is_gate(check),
                "outcome": None if last is None else last["outcome"],
                "detail": "" if last is None else last["detail"],
                "tail": "" if last is None else last["tail"],
            }
        )
    return found


def failures(db: Database, submission: int) -> list[str]:
    """What the gates that failed said, each in a line for its Bot, word for word."""
    return [
        f"Check {each['check']} of “{each['sentence']}”: {each['detail']}"
        for each in results(db, submission)
        if each["gate"] and each["outcome"] not in (None, "passed")
    ]


def look(change: Change) -> None:
    """Settle every submission whose checks have all run by now. Called at the end of each event."""
    for row in change.db.rows("SELECT id FROM submissions WHERE state = 'checking' ORDER BY id"):
        came = gates(change.db, row["id"])
        if came == "unfinished":
            _want_what_is_missing(change, row["id"])
        else:
            ended(change, row["id"], came)


def ended(change: Change, submission: int, came: Came) -> None:
    """Take in that the checks of a submission are over: it fails, and its ticket stays or returns; or it is submitted,
    and judged (`releases.judge`). A segment that waits for it goes on."""
    row = submissions.of(change.db, submission)
    if came == "failed":
        submissions.set_state(change, submission, "check_failed")
        if tickets.of(change.db, row["ticket"])["stage"] in HANDED_IN:  # SUBM-08
            tickets.move(change, row["ticket"], "rework", by="check", turn=row["turn"])
        submissions.log(change, submission, "submission.check_failed")
    else:
        submissions.set_state(change, submission, "submitted")
        tickets.move(change, row["ticket"], "submitted", by="check", turn=row["turn"])  # SUBM-08
        tickets.move_parts(change, row["ticket"], submissions.parts_of(row), "submitted")
        submissions.log(change, submission, "submission.submitted")
        delivery.look(change, row["plan"])
        releases.judge(change, submission)
    go_on(change, submission)


def go_on(change: Change, submission: int) -> None:
    """Let a segment go on that waits for a submission's checks: its `submit` is answered, or its ending taken on."""
    row = submissions.of(change.db, submission)
    turn = change.db.row("SELECT * FROM live_turns WHERE id = ?", row["turn"])
    if turn is None:
        return
    if row["origin"] == "submit":
        submit.answer(change, turn, row)
    else:
        speech.go_on(change, turn)


def _binds(check: sqlite3.Row, ticket: int, folder: str, files: set[str]) -> bool:
    if check["ticket"] is not None:
        return bool(check["ticket"] == ticket and check["state"] == "active")
    looks_at = check["matched"] if check["item"] is not None else json.loads(check["body"]).get("path")
    return bool(looks_at) and (looks_at in files or looks_at.startswith(f"{folder}/"))


def _stops(check: sqlite3.Row, last: sqlite3.Row | None) -> bool:
    return is_gate(check) and last is not None and last["outcome"] != "passed" and not continuity.only_advises(last)


def _want_what_is_missing(change: Change, submission: int) -> None:
    """Have those checks run that are to run and do not: they came to bind it later, or came to nothing that counts."""
    row = submissions.of(change.db, submission)
    for check in binding(change.db, submission):
        if run_of(change.db, row, check) is None and not _is_under_way(change.db, check):
            check_queue.want(change, check, check_queue.ASKED)


def _is_under_way(db: Database, check: sqlite3.Row) -> bool:
    waits = "SELECT 1 FROM open_checks WHERE check_id = ?1 UNION SELECT 1 FROM check_queue WHERE check_id = ?1"
    return bool(db.value(waits, check["id"]))
