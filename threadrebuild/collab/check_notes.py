"""The organizer's part in a plan's acceptance checks: those that it writes, and those that keep it from closing things.

What it says of checks is untrusted, and is looked at item by item. It writes and changes only its own, and of commands
only those that were seen to work in the plan, or that the user has written.
"""

import fnmatch
import json
import re
import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from threadrebuild.collab import check_bodies, check_results, checks, continuity, plans
from threadrebuild.collab.change import Change
from threadrebuild.database import Database, Id

NEW_AT_ONCE = 3  # CHK-08
HINDERING = (
    None,  # CHK-11
    "failed",  # CHK-11
)
"""What the last run of a check came to that keeps the organizer from closing things; None where it has not run."""
_OF_A_WORD = "[A-Za-z0-9_./-]"


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check as the organizer wants it: a new one, or with an `id` one of its own as it is to be, or to go."""

    id: Id | None = None
    sentence: str | None = None
    kind: str | None = None
    body: dict[str, Any] | None = None
    delete: bool = False


def noted(change: Change, plan: int, items: Sequence[Any], until: int | None) -> None:
    """Write what the organizer has noted of checks, as far as it may; the rest is logged and left out."""
    new = 0
    for item in items:
        try:
            note = msgspec.convert(item, Note)
            if note.id is not None:
                _change_own(change, plan, note, until)
            elif new == NEW_AT_ONCE:  # CHK-08
                raise ValueError("these are enough new ones")
            else:
                _add(change, plan, note, until)
                new += 1
        except ValueError as error:
            change.log("organizer.check_refused", plan=plan, why=str(error))


def told(db: Database, plan: int) -> list[dict[str, Any]]:
    """What the organizer is told of a plan's checks, and of what came of each."""
    return [_told(db, check) for check in checks.active(db, plan)]


def held_open(change: Change, plan: int, before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """A plan's points as the organizer may write them that takes the plan for done.

    With a check that has failed, or has not run as it is, the plan stays open, and what is stuck names that.
    """
    hindering = [check for check in checks.active(change.db, plan) if _hinders(change.db, check)]
    if not hindering:
        return now
    progress = now["progress"]
    stuck = [said for said in (_stuck(change.db, check) for check in hindering) if said not in progress["stuck"]]
    return now | {
        "status": before["status"],  # CHK-11
        "progress": progress | {"stuck": [*progress["stuck"], *stuck]},  # CHK-11
    }


def _hinders(db: Database, check: sqlite3.Row) -> bool:
    last = checks.last_run(db, check)
    advice = last is not None and continuity.only_advises(last)
    return not advice and (last and last["outcome"]) in HINDERING


def _stuck(db: Database, check: sqlite3.Row) -> str:
    last = checks.last_run(db, check)
    return f"{check['sentence']}：{check_results.not_run(db) if last is None else last['detail']}"


def _told(db: Database, check: sqlite3.Row) -> dict[str, Any]:
    last = checks.last_run(db, check)
    return {
        **{name: check[name] for name in ("id", "sentence", "kind")},
        "body": json.loads(check["body"]),
        "yours": check["written_by"] == "organizer",
        "outcome": last and last["outcome"],
        "detail": last and last["detail"],
    }


def _add(change: Change, plan: int, note: Note, until: int | None) -> None:
    if checks.is_full(change.db, plan):  # CHK-08
        raise ValueError("the plan has as many checks as it may")
    kind, sentence = note.kind or "", note.sentence or ""
    body = _body(change, plan, kind, note.body or {})
    _must_be_accepted_by(change, plan, sentence)
    if _stands_or_was_deleted(change.db, plan, kind, body):
        raise ValueError("there is this check already, or the user has deleted it")
    checks.define(change, plan, sentence, kind, body, "organizer", until=until)


def _change_own(change: Change, plan: int, note: Note, until: int | None) -> None:
    check = change.db.row("SELECT * FROM checks WHERE id = ? AND state = 'active'", note.id)
    if check is None or check["plan"] != plan or check["written_by"] != "organizer":  # CHK-08
        raise ValueError(f"check {note.id} is none of the organizer's here")
    if note.delete:
        checks.drop(change, check)
        return
    kind = note.kind or check["kind"]
    body = _body(change, plan, kind, json.loads(check["body"]) if note.body is None else note.body)
    sentence = check["sentence"] if note.sentence is None else note.sentence
    if sentence != check["sentence"]:
        _must_be_accepted_by(change, plan, sentence)
        change.db.write("UPDATE checks SET sentence = ? WHERE id = ?", sentence, check["id"])
    if (kind, msgspec.to_builtins(body)) != (check["kind"], json.loads(check["body"])):
        checks.redefine(change, check, kind, body, until=until)


def _body(change: Change, plan: int, kind: str, written: dict[str, Any]) -> check_bodies.Body:
    """What a check of the organizer looks at. Raises ValueError where it cannot, or may not, be so."""
    body = checks.body_of(kind, written)
    if isinstance(body, check_bodies.Command | check_bodies.Continuity) and body.command:
        # To stand in the user's words is enough for a command, but tells of no parts.
        if not _has_succeeded(change.db, plan, body.command, body.folder) and (
            isinstance(body, check_bodies.Continuity)  # CHK-20
            or not _was_written(change.db, plan, body.command)  # CHK-08
        ):
            raise ValueError("that command has not succeeded in the plan, and the user has not written it")
    elif isinstance(body, check_bodies.Continuity):
        pattern = "/".join(filter(None, (body.folder, body.glob or body.file)))
        if not any(fnmatch.fnmatchcase(path, pattern) for path in _delivered(change.db, plan)):  # CHK-20
            raise ValueError("the plan has delivered no such parts")
    return body


def _must_be_accepted_by(change: Change, plan: int, sentence: str) -> None:
    if sentence not in plans.points_of(change.db, plan)["acceptance"]:  # CHK-01
        raise ValueError(f"{sentence!r} is no sentence of the acceptance")


def _stands_or_was_deleted(db: Database, plan: int, kind: str, body: check_bodies.Body) -> bool:
    rows = db.rows("SELECT * FROM checks WHERE plan = ? AND kind = ? AND item IS NULL", plan, kind)
    same = [row for row in rows if json.loads(row["body"]) == msgspec.to_builtins(body)]
    return any(
        row["state"] == "active"  # CHK-08
        or row["deleted_by"] is not None  # CHK-07
        for row in same
    )


def _has_succeeded(db: Database, plan: int, command: str, folder: str) -> bool:
    """Whether a segment of a plan has run exactly this command, in that folder, with success."""
    rows = db.rows(
        "SELECT c.result, c.arguments, e.body FROM calls c JOIN turns t ON t.id = c.turn JOIN effects e"
        " ON e.id = c.effect WHERE t.plan = ? AND c.name = 'shell' AND c.state = 'ok'",
        plan,
    )
    return any(
        json.loads(row["arguments"]).get("command") == command
        and json.loads(row["body"])["folder"] == folder  # CHK-08
        and json.loads(row["result"])["exit_code"] == 0  # CHK-08
        for row in rows
    )


def _was_written(db: Database, plan: int, command: str) -> bool:
    """Whether a command stands, word for word, in a line of the user that is filed to a plan."""
    whole = re.compile(f"(?<!{_OF_A_WORD}){re.escape(command)}(?!{_OF_A_WORD})")
    rows = db.rows(
        "SELECT DISTINCT q.text FROM quotes q JOIN quote_filings f ON f.quote = q.id"
        " WHERE f.plan = ? AND q.erased = 0 AND q.source = 'said'",
        plan,
    )
    return any(whole.search(row["text"]) for row in rows)  # CHK-08


def _delivered(db: Database, plan: int) -> list[str]:
    """The files that Bots have delivered in a plan."""
    rows = db.rows(
        "SELECT DISTINCT f.path FROM message_files f JOIN messages m ON m.id = f.message WHERE m.author = 'bot'"
        " AND (m.plan = ?1 OR m.id IN (SELECT message FROM message_filings WHERE plan = ?1))",
        plan,
    )
    return [row["path"] for row in rows]
