"""The closing check: a look at a Bot's message to the user before it is sent, once a segment. It reminds, and no more.

It looks where the message cites a file of the workspace, or says that work goes on, in a conversation with the user and
in the work of a plan. It calls no model itself: what the message promises and claims, the reading of its words says.
"""

import json
import re
import sqlite3
from collections.abc import Sequence

from threadrebuild.collab import (
    bounces,
    check_queue,
    checks,
    continuity,
    duties,
    household,
    mentions,
    runs,
    signals,
    wordlist,
)
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import Speech
from threadrebuild.database import Database

CODE = "closing_check"
LISTED = 3  # CLOS-02
WITH_USER = ("direct", "group")


def applies(change: Change, turn: sqlite3.Row, session: int) -> bool:
    """Whether a message of a segment to a session is looked at."""
    return (
        household.session_of(change.db, session)["kind"] in WITH_USER  # CLOS-01 CLOS-09
        and turn["plan"] is not None  # CLOS-01
        and bounces.may(change.db, turn["id"], CODE)  # CLOS-05
    )


def notice(
    change: Change, turn: sqlite3.Row, session: int, text: str, files: Sequence[str], said: Speech
) -> str | None:
    """What a Bot is told instead of its message being sent; None where there is nothing to say."""
    cites = bool(files) or _cites(change.db, turn, text)
    if not (cites or said.going_on):  # CLOS-01
        return None
    grounds = [
        *(_failed(change.db, turn) if cites else ()),
        *_promised(change.db, turn, session, text, said),
        *_claimed(change.db, turn, text, said),
    ]
    if not grounds:
        return None
    bounces.send_back(change, turn, CODE)
    return " ".join(["Not sent yet.", *grounds, "Mend it or say how it is; the next time it is sent as it stands."])


def waits(change: Change, turn: sqlite3.Row, text: str, files: Sequence[str]) -> bool:
    """Whether a message that cites a file waits until the checks of files are judged anew, one after the other.

    The segment goes on where it was once one has come.
    """
    if not (files or _cites(change.db, turn, text)):
        return False
    settled = "SELECT count(*) FROM calls WHERE turn = ? AND state NOT IN ('asked', 'started')"
    moment = f"{turn['id']}:{turn['hops']}:{change.db.value(settled, turn['id'])}"
    for check in checks.active(change.db, turn["plan"]):
        subject = f"closing:{moment}:{check['id']}"
        is_judged = change.db.value("SELECT 1 FROM effects WHERE subject = ? AND state <> 'void'", subject)
        if _is_judged_on_the_spot(check) and not is_judged:
            change.effect("run_check", check_queue.body_of(change, check), turn=turn["id"], subject=subject)
            return True
    return False


def _is_judged_on_the_spot(check: sqlite3.Row) -> bool:
    """Whether a check is of a file, or measures a film that it was matched with."""
    if check["item"] is not None:
        return check["matched"] is not None  # CLOS-02
    return check["kind"] in ("file_exists", "contains", "matches")  # CLOS-02


def names_another(db: Database, turn: sqlite3.Row, session: int, text: str) -> bool:
    """Whether words of a Bot name another one, who takes over."""
    named = mentions.mentions_in(text, household.members(db, session), household.roster(db)).bots
    return any(bot != turn["bot"] for bot in named)


def _failed(db: Database, turn: sqlite3.Row) -> list[str]:
    """The acceptance checks of the plan that their last run has failed; what the user has not confirmed is left out."""
    failing = [
        check
        for check in db.rows(
            "SELECT c.*, r.outcome, r.detail, r.figures FROM checks c JOIN check_runs r ON r.id ="
            " (SELECT max(id) FROM check_runs WHERE check_id = c.id AND seq >= c.defined_seq)"
            " WHERE c.plan = ? ORDER BY c.id",
            turn["plan"],
        )
        if check["state"] == "active"  # CLOS-02
        if check["outcome"] == "failed"  # CLOS-02
        if not continuity.only_advises(check)  # CHK-19
        if not _has_run(db, turn, check)  # CLOS-02
    ]
    if not failing:
        return []
    listed = "; ".join(f"check {check['id']}: {check['detail']}" for check in failing[:LISTED])
    return [f"It cites a file, and fails {listed}. Mend the deliverable, not the check, or say why it cannot be met."]


def _promised(db: Database, turn: sqlite3.Row, session: int, text: str, said: Speech) -> list[str]:
    if (
        not said.going_on
        or _has_timer(db, turn)  # CLOS-03
        or names_another(db, turn, session, text)  # CLOS-03
        or duties.has_asked(db, turn["work_item"])  # CLOS-03
    ):
        return []
    return [
        f"It says “{said.going_on}”, and neither a check-back is set here nor anyone named who takes it over:"
        " do it now, set one, or name who does."
    ]


def _claimed(db: Database, turn: sqlite3.Row, text: str, said: Speech) -> list[str]:
    if (
        not said.tested
        or wordlist.says_not_tested(text)  # CLOS-04
        or db.value("SELECT 1 FROM turn_runs WHERE turn = ? AND kind = 'command'", turn["id"])  # CLOS-04
    ):
        return []
    return ["It claims a run or a test, and this turn has run no command."]


def _cites(db: Database, turn: sqlite3.Row, text: str) -> bool:
    """Whether a text names a file of its segment's plan: by a path in the plan's folder, or one that was written."""
    if signals.paths_in(db, text):
        return True
    paths = [row["path"] for row in db.rows("SELECT DISTINCT path FROM artifacts WHERE plan = ?", turn["plan"])]
    return any(re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text, re.ASCII) for path in paths)


def _has_run(db: Database, turn: sqlite3.Row, check: sqlite3.Row) -> bool:
    """Whether a segment has run the command of a check itself, with success."""
    if check["kind"] != "command":
        return False
    command = runs.shown(json.loads(check["body"])["command"])
    ran = "SELECT 1 FROM turn_runs WHERE turn = ? AND kind = 'command' AND success = 1 AND command = ?"
    return bool(db.value(ran, turn["id"], command))


def _has_timer(db: Database, turn: sqlite3.Row) -> bool:
    timer = "SELECT 1 FROM waits WHERE work_item = ? AND kind = 'timer' AND state IN ('open', 'suspended')"
    return bool(db.value(timer, turn["work_item"]))
