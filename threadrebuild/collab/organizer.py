"""The organizer: one short call keeps a plan's points up to date. It records, and never wants anything for the user.

At the levels with one current plan a session it is asked after each line of the user, and may say which plan the line
belongs to. At every level it is asked once a plan has become quiet, and then notes nothing but how far things are.
"""

import json
import sqlite3
from typing import Any, Literal

import msgspec

from threadrebuild.collab import answers, attribution, call_backs, check_notes, check_queue, parking, plans
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
    """

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
    plan = message["plan"] or plans.current(change.db, message["session"])
    if plan is not None:
        _ask(change, AFTER_LINE, plan, message["id"])


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
    pass_, plan, cause = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect).split(":")
    try:
        notes = answers.read(event.raw, Notes)
    except answers.Unreadable as error:
        change.log("organizer.failed", plan=int(plan), failure=event.failure or str(error))
        return
    if change.level < plans.SEVERAL_FROM_LEVEL:  # QUOT-03
        _file(change, notes)
    points = plans.points_of(change.db, int(plan))
    until = check_queue.until_of(change, int(cause)) if pass_ == QUIET else None
    check_notes.noted(change, int(plan), notes.checks, until)
    now = points | {key: value for key, value in _points(notes).items() if value is not None and _may(pass_, key)}
    if notes.status == "done":
        now = check_notes.held_open(change, int(plan), points, now)
    if parking.whole_holds(change.db, int(plan)):
        now = parking.as_noted(change, int(plan), points, now)
    if now != points:
        cause_of = "message" if pass_ == AFTER_LINE else "organizer"
        plans.revise(change, int(plan), now, cause_of, int(cause))
    change.log("organizer.answer", plan=int(plan), asked=pass_)


def _ask(change: Change, pass_: str, plan: int, cause: int) -> None:
    body = {
        "plan": plan,
        "asked": pass_,
        "points": plans.points_of(change.db, plan),
        "checks": check_notes.told(change.db, plan),
    }
    change.effect("organizer", body, subject=f"{pass_}:{plan}:{cause}")


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
    return pass_ == AFTER_LINE or point == "progress"  # PLAN-20


def _points(notes: Notes) -> dict[str, object]:
    points: dict[str, object] = json.loads(msgspec.json.encode(notes))
    del points["filings"], points["checks"]
    return points


def _file(change: Change, notes: Notes) -> None:
    for message, plan in notes.filings:
        of_the_user = "SELECT 1 FROM messages WHERE id = ? AND author = 'user' AND state <> 'withdrawn'"
        if change.db.value(of_the_user, message) and change.db.value("SELECT 1 FROM plans WHERE id = ?", plan):
            attribution.put(change, message, [Target(plan)], locked=False, by="organizer")
