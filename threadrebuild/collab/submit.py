"""The tool `submit`: a Bot hands in a ticket's result, and reads what its checks said of it.

The call stays open while the files are read (`hashing.of`; it is then carried out anew) and while the checks run
(`submission_checks`; it is then answered).
"""

import json
import sqlite3
from typing import Any

import msgspec

from threadrebuild.collab import hashing, stages, submission_checks, submissions, turns
from threadrebuild.collab.change import Change
from threadrebuild.collab.toolbox import Refused, checked, tool

NAME = "submit"
SHARED_FOLDER = "assets"
BY_STATE = {
    "submitted": "handed in; it is approved or returned without you",
    "in_review": "handed in; its reviewer has it now",
    "awaiting": "handed in; it waits for the user's word: tell the user what you have handed in",
    "approved": "handed in, and approved",
    "void": "not handed in: something newer has taken its place",
}


class HandingIn(msgspec.Struct, frozen=True):
    """What `submit` is called with."""

    artifacts: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    claims: tuple[Any, ...] = ()
    note: str = ""
    goes_on: bool = msgspec.field(name="continue", default=False)


@tool(NAME, effectful=True)
def submit(change: Change, turn: sqlite3.Row, arguments: dict[str, Any]) -> str | None:
    """Hand in files as the result of the segment's ticket; the answer comes once they were read and checked.

    Raises `Refused`, and then nothing has been handed in.
    """
    if change.level < stages.FROM_LEVEL:  # SUBM-02
        raise Refused("There is no such tool.")
    wanted = checked(arguments, HandingIn)
    if turn["ticket"] is None:
        raise Refused("Not handed in: choose by work_on which ticket this is the result of.")
    if not wanted.artifacts:
        raise Refused("Not handed in: name the files in `artifacts`.")
    _check_parts(change, turn, wanted)
    read = hashing.of(change, turn, wanted.artifacts)
    if read is None:
        return None
    missing = hashing.refusals(read)
    strange = [row["path"] for row in read if not row["reason"] and not _may_lie_there(change, turn, row["path"])]
    if missing or strange:
        said = [*missing, *(f"{path} is none of this plan's files" for path in strange)]
        raise Refused(f"Not handed in: {'; '.join(said)}.")
    submissions.hand_in(
        change,
        turn["ticket"],
        turn=turn["id"],
        bot=turn["bot"],
        origin="submit",
        files=hashing.files(read),
        parts=wanted.parts,
        note=wanted.note,
        claims=wanted.claims,
    )
    return None


def answer(change: Change, turn: sqlite3.Row, submission: sqlite3.Row) -> None:
    """Answer the call that handed something in, now that it is checked, and end its segment or let it go on."""
    call = change.db.row(
        "SELECT * FROM calls WHERE turn = ? AND name = ? AND state = 'started' ORDER BY id DESC", turn["id"], NAME
    )
    if call is None:
        return
    state, said = _said(change, submission)
    change.db.write("UPDATE calls SET state = ?, result = ? WHERE id = ?", state, said, call["id"])
    if state == "ok" and not json.loads(call["arguments"]).get("continue", False):  # SUBM-11
        turns.end(change, turn["id"], "completed", "submitted")
    else:
        turns.go_on(change, turn["id"])


def _said(change: Change, submission: sqlite3.Row) -> tuple[str, str]:
    """How the call has ended, and what its Bot reads."""
    if submission["state"] == "check_failed":
        lines = ["Not handed in: it fails its checks."]
        lines += submission_checks.failures(change.db, submission["id"])  # SUBM-08
        return "failed", "\n".join(lines)
    said = f"submission {submission['id']}: {BY_STATE.get(submission['state'], submission['state'])}"
    return ("failed" if submission["state"] == "void" else "ok"), said


def _check_parts(change: Change, turn: sqlite3.Row, wanted: HandingIn) -> None:
    known = {row["name"] for row in change.db.rows("SELECT name FROM parts WHERE ticket = ?", turn["ticket"])}
    strange = [part for part in wanted.parts if part not in known]
    if strange:
        raise Refused(f"Not handed in: {', '.join(strange)}: no such part of this ticket.")


def _may_lie_there(change: Change, turn: sqlite3.Row, path: str) -> bool:
    folder = change.db.value("SELECT folder FROM plans WHERE id = ?", turn["plan"])
    return path.startswith((f"{folder}/", f"{SHARED_FOLDER}/"))
