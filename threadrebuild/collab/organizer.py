"""The organizer: one short call keeps a plan's points up to date. It records, and never wants anything for the user.

At the levels with one current plan a session it is asked after each line of the user, and may say which plan the line
belongs to: another one than the current, or a new one, which then is the current. At every level it is asked once a
plan has become quiet, and then notes nothing but how far things are.
"""

import json
import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab import (
    answers,
    attribution,
    call_backs,
    check_notes,
    check_queue,
    holds,
    lifting,
    parking,
    plans,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import Organized, TimerRang
from threadrebuild.collab.target import Target
from threadrebuild.database import Database, Id

QUIET_MS = 30_000
AFTER_LINE, QUIET = "line", "quiet"


class Progress(msgspec.Struct, frozen=True):
    """How far things are."""

    done: tuple[str, ...] = ()
    to_do: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()


class Notes(msgspec.Struct, frozen=True):
    """What the organizer has understood; None stays as it was. `filings` are messages, each with its plan.

    What it says of `checks` is looked at one by one (`check_notes`).

    `matter` is the plan of the session that the line comes back to, or `new`.
    """

    matter: Literal["new"] | Id | None = None
    category: str | None = None
    goal: str | None = None
    process: str | None = None
    progress: Progress | None = None
    status: Literal["active", "done", "parked"] | None = None
    filings: tuple[tuple[Id, Id], ...] = ()
    checks: tuple[Any, ...] = ()


def after_line(change: Change, message: sqlite3.Row) -> None:
    """Ask what a line of the user changes, where the level has that."""
    if change.level >= plans.SEVERAL_FROM_LEVEL:  # PLAN-20
        return
    _ask(change, AFTER_LINE, message["plan"] or plans.current(change.db, message["session"]), message["id"])


def after_turn(change: Change, turn: sqlite3.Row) -> None:
    """Look whether the plan of a segment that has ended is quiet a while later."""
    plan = _plan_of(change.db, turn)
    if plan is not None:
        change.effect("timer", {"due": change.at + QUIET_MS}, subject=f"quiet:{plan}")


def forget(change: Change, turn: int) -> None:
    """Look no more at the plan of a segment that was stopped, however long it was planned (STOP-4)."""
    row = change.db.row("SELECT * FROM turns WHERE id = ?", turn)
    plan = _plan_of(change.db, row) if row is not None else None
    change.db.write(
        "UPDATE effects SET state = 'void' WHERE state IN ('pending', 'started')"
        " AND (subject = ? OR (kind = 'organizer' AND subject LIKE ?))",
        f"quiet:{plan}",
        f"{QUIET}:{plan}:%",
    )
    if plan is not None:
        check_queue.not_quiet(change, plan)


def time_came(change: Change, event: TimerRang) -> None:
    """Run what checks of a plan are stale that has been quiet, if it still is, and then ask how far it is."""
    subject = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    plan = int(subject.split(":")[1])
    if _is_quiet(change.db, plan, event.effect):  # PLAN-20
        check_queue.plan_quiet(change, plan, event.effect)


def after_checks(change: Change, plan: int, quiet: int) -> None:
    """Ask how far a plan is that became quiet by a timer, if it still is."""
    if _is_quiet(change.db, plan, quiet):
        _ask(change, QUIET, plan, quiet)
        call_backs.plan_quiet(change, plan)


def came(change: Change, event: Organized) -> None:
    """Write what the organizer has understood into a new version of the points; a failure changes nothing."""
    pass_, about, cause = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect).split(":")
    plan = int(about) if about else None
    try:
        notes = answers.read(event.raw, Notes)
    except answers.Unreadable as error:
        change.log("organizer.failed", plan=plan, failure=event.failure or str(error))
        return
    if change.level < plans.SEVERAL_FROM_LEVEL:  # QUOT-03
        _file(change, notes)
        line = change.db.row("SELECT * FROM messages WHERE id = ? AND state <> 'withdrawn'", int(cause))
        if pass_ == AFTER_LINE and line is not None:
            plan = _matter(change, notes, line, plan)
    if plan is not None:
        _note(change, notes, pass_, plan, int(cause))
    change.log("organizer.answer", plan=plan, asked=pass_)


def _note(change: Change, notes: Notes, pass_: str, plan: int, cause: int) -> None:
    points = plans.points_of(change.db, plan)
    until = check_queue.until_of(change, cause) if pass_ == QUIET else None
    check_notes.noted(change, plan, notes.checks, until)
    said = {key: value for key, value in _points(notes).items() if value is not None and _may(pass_, key)}
    if not _may_be(change, points["status"], said.get("status"), cause):
        said.pop("status", None)
    now = points | said
    if notes.status == "done":
        now = check_notes.held_open(change, plan, points, now)
    if parking.whole_holds(change.db, plan):
        now = parking.as_noted(change, plan, points, now)
    elif now["status"] != points["status"]:
        plans.set_status(change, plan, now["status"])
    if now != points:
        cause_of = "message" if pass_ == AFTER_LINE else "organizer"
        plans.revise(change, plan, now, cause_of, cause)


def _may_be(change: Change, before: str, wanted: object, line: int) -> bool:
    """Whether the organizer may have read in a line that a plan's status is to be another.

    What was stopped goes on only at a line that says so, and from the level of holds on nothing is parked by a reading.
    """
    if before == "parked" and wanted == "active":
        said = change.db.row("SELECT * FROM messages WHERE id = ?", line)
        return said is not None and lifting.says_go_on(change, said)  # PLAN-23
    if wanted == "parked":
        return change.level < holds.FROM_LEVEL  # PLAN-23
    return wanted is not None


def _matter(change: Change, notes: Notes, line: sqlite3.Row, plan: int | None) -> int | None:
    """The plan that a line is about, as the organizer has read it: a new one or an older one is then the current."""
    found = plan
    if notes.matter == "new":  # PLAN-19
        found = plans.open_plan(change, title="", opening=line)
    elif (
        isinstance(notes.matter, int)
        and change.db.value("SELECT session FROM plans WHERE id = ?", notes.matter) == line["session"]  # PLAN-19
    ):
        found = notes.matter
        plans.reconnect(change, found, line["session"])
    if found is not None and found != plan:
        change.db.write("DELETE FROM message_filings WHERE message = ? AND filed_by = 'slot'", line["id"])
        attribution.put(change, line["id"], [Target(found)], locked=False, by="organizer")
    return found


def _ask(change: Change, pass_: str, plan: int | None, cause: int) -> None:
    points = None if plan is None else plans.points_of(change.db, plan)
    listed = [] if plan is None else check_notes.told(change.db, plan)
    body = {"plan": plan, "asked": pass_, "points": points, "checks": listed}
    change.effect("organizer", body, subject=f"{pass_}:{'' if plan is None else plan}:{cause}")


def _is_quiet(db: Database, plan: int, quiet: int) -> bool:
    """Whether nobody is at work on a plan, or has been since the timer `quiet` was set."""
    ended_since = db.value("SELECT max(id) FROM effects WHERE subject = ?", f"quiet:{plan}") != quiet
    return not ended_since and all(_plan_of(db, turn) != plan for turn in db.rows("SELECT * FROM live_turns"))


def _plan_of(db: Database, turn: sqlite3.Row) -> int | None:
    """The plan of a segment; before segments had one, that of the line which opened it."""
    plan: int | None = turn["plan"]
    return plan or db.value("SELECT plan FROM messages WHERE id = ?", turn["trigger_message"])


def _may(pass_: str, point: str) -> bool:
    """Whether a pass may write a point: the quiet one notes how far things are, and nothing else."""
    return pass_ == AFTER_LINE or point == "progress"  # PLAN-20 PLAN-24


def _points(notes: Notes) -> dict[str, object]:
    points: dict[str, object] = json.loads(msgspec.json.encode(notes))
    del points["filings"], points["checks"], points["matter"]
    return points


def _file(change: Change, notes: Notes) -> None:
    for message, plan in notes.filings:
        of_the_user = "SELECT 1 FROM messages WHERE id = ? AND author = 'user' AND state <> 'withdrawn'"
        if change.db.value(of_the_user, message) and change.db.value("SELECT 1 FROM plans WHERE id = ?", plan):
            attribution.put(change, message, [Target(plan)], locked=False, by="organizer")
