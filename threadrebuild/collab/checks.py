"""Acceptance checks: each hangs on one sentence of a plan's acceptance, and the application runs it itself.

What the effect "run_check" is asked, once for one check:

    {"check": id, "plan": id, "kind": "file_exists" | "contains" | "matches" | "command" | "continuity",
     "body": {...},             as it was defined (`check_bodies`)
     "measure": {"item", "value", "bound"} | null,   of a check from the user's words: then this is judged, not `kind`
     "matched": path | null,    the file that such a check measures; null where there is none yet
     "plan_folder": path,       as seen from the workspace's root; pictures go into its `checks/<check>/`
     "defined": seq,            which of its definitions this is
     "sentence": text, "rules": [text],               for the judge of continuity
     "limit_s": seconds | null}  how long it may take at most, where that is less than it would by itself

and its answer is `CheckRan`: an outcome, `tail` (how the output ends), and `detail` with what is said of it:

    {"says": one of `check_results.LINES`, and what that line names: path, text, exit_code, wanted, seconds, value, …}

`detail` is kept as `check_runs.figures`, and told in one line in the language of the interface as `check_runs.detail`.
"""

import difflib
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec

from threadrebuild.collab import (
    check_bodies,
    check_queue,
    check_results,
    continuity,
    delivery,
    final_films,
    plans,
    speech,
    words,
)
from threadrebuild.collab.change import Change, Conflict, Missing
from threadrebuild.collab.events import CheckAdded, CheckDeleted, CheckEdited, CheckRan, ChecksRun, JointJudged
from threadrebuild.database import Database

PER_PLAN = 10  # CHK-08
RUNS_KEPT = 5  # CHK-05
ALIKE = 0.5
"""How much of two sentences is the same where one is the other reworded."""


# -------------------------------------------------------------------- the user's


def add(change: Change, event: CheckAdded) -> None:
    """Add a check of the user to a plan, and run it. Raises `Missing`, `Conflict` and ValueError."""
    points = plans.points_of(change.db, event.plan)
    if event.sentence not in points["acceptance"]:
        raise ValueError(f"{event.sentence!r} is no sentence of the acceptance of plan {event.plan}")
    if is_full(change.db, event.plan):  # CHK-08
        raise Conflict("check_limit", f"plan {event.plan} has {PER_PLAN} checks already")
    body = body_of(event.check_kind, event.body)
    action = change.user_action("button", event.key)
    define(change, event.plan, event.sentence, event.check_kind, body, "user", action=action)


def edit(change: Change, event: CheckEdited) -> None:
    """Change a check, which is the user's from then on, and run it. Raises `Missing`, `Conflict` and ValueError."""
    check = of_user(change.db, event.check)
    kind = event.check_kind or check["kind"]
    body = body_of(kind, json.loads(check["body"]) if event.body is None else event.body)
    sentence = check["sentence"] if event.sentence is None else event.sentence
    if sentence != check["sentence"] and sentence not in plans.points_of(change.db, check["plan"])["acceptance"]:
        raise ValueError(f"{sentence!r} is no sentence of the acceptance of plan {check['plan']}")
    change.user_action("button", event.key)
    change.db.write("UPDATE checks SET sentence = ?, written_by = 'user' WHERE id = ?", sentence, check["id"])  # CHK-07
    redefine(change, check, kind, body)


def delete(change: Change, event: CheckDeleted) -> None:
    """Take a check away for good. Raises `Missing`."""
    check = one(change.db, event.check)
    action = change.user_action("button", event.key)
    if check["item"] is not None:
        words.let_go(change, check, action)
        return
    drop(change, check, action)


def run_all(change: Change, event: ChecksRun) -> None:
    """Run all checks of a plan. Raises `Missing` for one that is not there."""
    plans.newest_revision(change.db, event.plan)
    for check in (*active(change.db, event.plan), *words.measurable(change.db, event.plan)):
        check_queue.want(change, check, check_queue.ASKED)  # CHK-06


# -------------------------------------------------------------------- whoever writes them


def body_of(kind: str, written: dict[str, Any]) -> check_bodies.Body:
    """What a check looks at. Raises ValueError where it makes no sense, `Conflict` where it lies out of bounds."""
    try:
        return check_bodies.read(kind, written)
    except check_bodies.OutOfBounds as error:
        raise Conflict("out_of_bounds", str(error)) from None


def define(
    change: Change,
    plan: int,
    sentence: str,
    kind: str,
    body: check_bodies.Body,
    by: str,
    *,
    action: int | None = None,
    until: int | None = None,
) -> int:
    """Write a new check down and have it run, by a time `until` if there is one; `action` is the user's, if theirs."""
    check = change.db.write(
        "INSERT INTO checks (plan, sentence, kind, body, written_by, confirmed_by, defined_seq, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        plan,
        sentence,
        kind,
        msgspec.json.encode(body).decode(),
        by,
        action,
        change.event,
        change.at,
    )
    change.log("check.defined", plan=plan, check=check, by=by)
    check_queue.want(change, one(change.db, check), check_queue.DEFINED, until)  # CHK-06
    return check


def redefine(
    change: Change, check: sqlite3.Row, kind: str, body: check_bodies.Body, *, until: int | None = None
) -> None:
    """Let a check look at something else, and have it run: what ran before tells nothing of that."""
    change.db.write(
        "UPDATE checks SET kind = ?, body = ?, defined_seq = ? WHERE id = ?",
        kind,
        msgspec.json.encode(body).decode(),
        change.event,
        check["id"],
    )
    change.log("check.defined", plan=check["plan"], check=check["id"])
    check_queue.want(change, one(change.db, check["id"]), check_queue.DEFINED, until)  # CHK-06


def drop(change: Change, check: sqlite3.Row, action: int | None = None) -> None:
    """Take a check away; `action` is that of the user, if it is the user who does."""
    change.db.write("UPDATE checks SET state = 'deleted', deleted_by = ? WHERE id = ?", action, check["id"])
    check_queue.forget(change, check["id"])
    change.log("check.deleted", plan=check["plan"], check=check["id"])


def follow(change: Change, plan: int, before: Sequence[str], now: Sequence[str]) -> None:
    """Let each check of a sentence of the acceptance that was reworded hang on the new one: the most alike of these."""
    for gone in [sentence for sentence in before if sentence not in now]:
        new = [sentence for sentence in now if sentence not in before]
        likeness = {sentence: difflib.SequenceMatcher(None, gone, sentence).ratio() for sentence in new}
        to = max(new, key=lambda sentence: likeness[sentence], default=None)
        if to is not None and likeness[to] >= ALIKE:  # CHK-10
            change.db.write("UPDATE checks SET sentence = ? WHERE plan = ? AND sentence = ?", to, plan, gone)  # CHK-10


# -------------------------------------------------------------------- what came of them


def run(change: Change, check: int) -> None:
    """Have a check run as soon as it may."""
    check_queue.want(change, one(change.db, check), check_queue.DEFINED)


def ran(change: Change, event: CheckRan) -> None:
    """Keep what a run came to, and let the next one begin."""
    effect = change.db.row("SELECT * FROM effects WHERE id = ?", event.effect)
    assert effect is not None
    asked = json.loads(effect["body"])
    check = change.db.row("SELECT * FROM checks WHERE id = ? AND state <> 'deleted'", asked["check"])
    if check is not None and check["defined_seq"] == asked["defined"] and check["matched"] == asked["matched"]:
        if event.outcome == "gathered":
            continuity.ask(change, effect, event.detail)
        else:
            _keep(change, check, effect, event)
        if check["item"] is not None and event.detail.get("says") == "missing":
            final_films.miss(change, check)  # WORDS-23
    check_queue.go_on(change)
    turn = change.db.row("SELECT * FROM live_turns WHERE id = ?", effect["turn"])
    if turn is not None:
        speech.go_on(change, turn)


def judged(change: Change, event: JointJudged) -> None:
    """A model has judged one seam of a continuity check; after the last of them it has run."""
    verdict = continuity.came(change, event)
    if verdict is not None:
        end = {"effect": verdict.run, "outcome": verdict.outcome, "detail": verdict.detail, "tail": verdict.tail}
        ran(change, msgspec.convert({"key": event.key, "at": event.at, **end}, CheckRan))


def _keep(change: Change, check: sqlite3.Row, effect: sqlite3.Row, event: CheckRan) -> None:
    change.db.write(
        "INSERT INTO check_runs (check_id, began_at, seq, outcome, detail, tail, figures)"
        " SELECT ?, at, seq, ?, ?, ?, ? FROM events WHERE seq = ?",
        check["id"],
        event.outcome,
        check_results.told(change.db, event.outcome, event.detail),  # CHK-05
        event.tail[-check_results.TAIL_KEPT :],  # CHK-05
        json.dumps(event.detail, ensure_ascii=False, sort_keys=True),
        effect["event"],
    )
    change.db.write(
        "DELETE FROM check_runs WHERE check_id = ?1 AND id NOT IN"
        " (SELECT id FROM check_runs WHERE check_id = ?1 ORDER BY id DESC LIMIT ?2)",
        check["id"],
        RUNS_KEPT,
    )  # CHK-05
    delivery.look(change, check["plan"])
    change.log("check.ran", plan=check["plan"], check=check["id"], outcome=event.outcome)


# -------------------------------------------------------------------- what there is


def one(db: Database, check: int) -> sqlite3.Row:
    """A check that was not deleted. Raises `Missing`."""
    found = db.row("SELECT * FROM checks WHERE id = ? AND state <> 'deleted'", check)
    if found is None:
        raise Missing(f"there is no check {check}")
    return found


def of_user(db: Database, check: int) -> sqlite3.Row:
    """A check that the user may write to. Raises `Missing`, and `Conflict` for one from the user's own words."""
    found = one(db, check)
    if found["item"] is not None:  # WORDS-30
        raise Conflict("derived_check", "a check from the user's words is confirmed, deleted or run, and never edited")
    return found


def active(db: Database, plan: int) -> list[sqlite3.Row]:
    """The checks of a plan that are no proposals, in the order in which they were made."""
    return db.rows("SELECT * FROM checks WHERE plan = ? AND state = 'active' ORDER BY id", plan)


def is_full(db: Database, plan: int) -> bool:
    """Whether a plan has as many checks as it may; those from the user's words do not count."""
    count: int = db.value("SELECT count(*) FROM checks WHERE plan = ? AND state = 'active' AND item IS NULL", plan)
    return count >= PER_PLAN  # WORDS-30


def last_run(db: Database, check: sqlite3.Row) -> sqlite3.Row | None:
    """The last run of a check as it is defined now."""
    return db.row(
        "SELECT * FROM check_runs WHERE check_id = ? AND seq >= ? ORDER BY id DESC", check["id"], check["defined_seq"]
    )


def passing(db: Database, check: sqlite3.Row) -> bool:
    """Whether the last run of a check has passed."""
    last = last_run(db, check)
    return last is not None and last["outcome"] == "passed" and not continuity.only_advises(last)  # CHK-19


def situation(db: Database, plan: int) -> list[str]:
    """What a Bot reads of the checks of its plan, and of what came of each."""
    return [_line(db, check) for check in active(db, plan)]


def listed(db: Database, plan: int, at: int = 0) -> dict[str, Any]:
    """What `GET /v1/tasks/:id/checks` answers. Raises `Missing` where there is no such plan."""
    del at
    sentences = plans.points_of(db, plan)["acceptance"]
    rows = db.rows("SELECT * FROM checks WHERE plan = ? AND state <> 'deleted' ORDER BY id", plan)
    return {"checks": [shown(db, check) | {"unmatched": check["sentence"] not in sentences} for check in rows]}


def detail(db: Database, check: int, at: int) -> dict[str, Any]:
    """A check as the user sees it, also one that was deleted. Raises `Missing`."""
    del at
    found = db.row("SELECT * FROM checks WHERE id = ?", check)
    if found is None:
        raise Missing(f"there is no check {check}")
    return shown(db, found)


def shown(db: Database, check: sqlite3.Row) -> dict[str, Any]:
    """A check as the user sees it, with its runs, the newest first."""
    runs = db.rows("SELECT * FROM check_runs WHERE check_id = ? ORDER BY id DESC", check["id"])
    names = ("id", "plan", "sentence", "kind", "written_by", "state", "item", "value", "bound", "matched")
    return {
        **{name: check[name] for name in names},
        "body": json.loads(check["body"]),
        "runs": [{name: each[name] for name in ("outcome", "detail", "tail", "began_at")} for each in runs],
    }


def _line(db: Database, check: sqlite3.Row) -> str:
    last = last_run(db, check)
    came = "not run yet" if last is None else f"{last['outcome'].replace('_', ' ')}: {last['detail']}"
    return f"Check {check['id']} of “{check['sentence']}”: {came}"
