"""Whether the parts that several Bots have made join well: a model judges each seam of a check, and texts as a whole.

Nobody who made one part sees the seams. What is shown of them was gathered outside (`CheckRan` with "gathered").
"""

import json
import sqlite3
from typing import Any, NamedTuple

import msgspec

from threadrebuild.collab import answers, costs, steps
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import JointJudged
from threadrebuild.database import Database

STEP = "picture_judgement"
COST = "acceptance check"
AGAIN = 1  # CHK-18
LOOK_AT = (
    "Does it obey the rules of the plan?",
    "Do the two sides join? Name a transition that is missing.",
    "Is the same subject the same on both sides: people, products, names, terms, numbers and their units, places and"
    " directions?",
    "Is the style the same: in pictures manner, rendering, colours and characters; in texts tone, format and numbers?",
    "Is anything said or shown twice, or left out? What cannot be seen from this is not judged.",
)
NEARLY_IDENTICAL = "Two sides of a seam that are nearly identical are good: the parts join without a gap."
OVERALL = "Is each subject named and counted in the same way in all parts?"
ANSWER = 'Only JSON: {"clean": true or false, "problem": "in one sentence, empty where it is clean"}'
_NAMES = {"zh": ("整体", "没有问题", "判不出来"), "en": ("overall", "fine", "could not be judged")}
_MARKS = {"zh": "：", "en": ": "}


class _Judgement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    clean: bool
    problem: str = ""


class Verdict(NamedTuple):
    """What a check has come to, for `CheckRan`; `run` is the effect that it is the answer to."""

    run: int
    outcome: str
    detail: dict[str, Any]
    tail: str


def ask(change: Change, run: sqlite3.Row, gathered: dict[str, Any]) -> None:
    """Have each seam judged that was gathered for a check, the whole last; `run` is the effect that gathered them."""
    overall = [] if gathered["overall"] is None else [{"name": None, "parts": gathered["overall"]}]
    for joint in [*gathered["joints"], *overall]:
        new = change.db.write(
            "INSERT INTO check_joints (run, name, picture, shown) VALUES (?, ?, ?, ?)",
            run["id"],
            joint["name"],
            joint.get("picture"),
            _json({key: value for key, value in joint.items() if key != "name"}),
        )
        _ask(change, run, new)


def came(change: Change, event: JointJudged) -> Verdict | None:
    """Keep what the judge says of one seam; once that is known of all, what the check has come to."""
    joint = change.db.row("SELECT * FROM check_joints WHERE effect = ?", event.effect)
    assert joint is not None
    run = change.db.row("SELECT * FROM effects WHERE id = ?", joint["run"])
    assert run is not None
    _record(change, run, event)
    try:
        said = answers.read(event.raw, _Judgement)
    except answers.Unreadable:
        if event.failure is None and joint["again"] < AGAIN:
            change.db.write("UPDATE check_joints SET again = again + 1 WHERE id = ?", joint["id"])
            _ask(change, run, joint["id"])
            return None
        _judged(change, joint, "unjudged", event.failure or "")
    else:
        _judged(change, joint, "clean" if said.clean else "bad", said.problem)
    all_ = change.db.rows("SELECT * FROM check_joints WHERE run = ? ORDER BY id", joint["run"])
    return _verdict(change.db, all_) if all(each["verdict"] for each in all_) else None


def only_advises(run: sqlite3.Row) -> bool:
    """Whether a run's verdict was made from pictures: it blocks nothing, and nothing rests on it."""
    return bool(json.loads(run["figures"]).get("advisory"))


def _ask(change: Change, run: sqlite3.Row, joint: int) -> None:
    asked = json.loads(run["body"])
    row = change.db.row("SELECT * FROM check_joints WHERE id = ?", joint)
    assert row is not None
    of_whole = row["name"] is None
    body = {
        "check": asked["check"],
        "plan": asked["plan"],
        **_runs_on(change.db, row["picture"] is not None),
        "sentence": asked["sentence"],
        "rules": asked["rules"],
        "look_at": [OVERALL] if of_whole else [*LOOK_AT, NEARLY_IDENTICAL],
        "seam": row["name"],
        **json.loads(row["shown"]),
        "answer": ANSWER,
    }
    effect = change.effect("judge_joint", body, turn=run["turn"], subject=f"joint:{joint}:{row['again']}")
    change.db.write("UPDATE check_joints SET effect = ? WHERE id = ?", effect, joint)


def _runs_on(db: Database, is_picture: bool) -> dict[str, Any]:
    """Which model judges; to see pictures an endpoint's has to be marked as able to, a Claude model always is."""
    on = steps.runs_on(db, STEP)
    blind = on["account"] is None and not steps.sees(db, on["model"])
    if is_picture and blind:  # CHK-17
        on["model"] = None
    return on


def _record(change: Change, run: sqlite3.Row, event: JointJudged) -> None:
    asked = json.loads(run["body"])
    judged = json.loads(change.db.value("SELECT body FROM effects WHERE id = ?", event.effect))
    if event.cost:
        session = change.db.value("SELECT session FROM plans WHERE id = ?", asked["plan"])
        costs.book(change, COST, session, event.cost, judged["account"], category=COST)  # CHK-19
    change.log(
        "check.judged",
        plan=asked["plan"],
        check=asked["check"],
        seam=judged["seam"],
        read_by=event.model or judged["model"],
        failure=event.failure,
        raw=event.raw,
    )


def _judged(change: Change, joint: sqlite3.Row, verdict: str, problem: str) -> None:
    change.db.write("UPDATE check_joints SET verdict = ?, problem = ? WHERE id = ?", verdict, problem, joint["id"])


def _verdict(db: Database, joints: list[sqlite3.Row]) -> Verdict:
    """What the judge's words on all seams and the whole come to."""
    language = db.value("SELECT language FROM meta")
    seams = sum(each["name"] is not None for each in joints)
    wrong = [each for each in joints if each["verdict"] == "bad"]
    unjudged = [each for each in joints if each["verdict"] == "unjudged"]
    about = {
        "seams": seams,
        "advisory": any(each["picture"] is not None for each in joints),  # CHK-19
    }
    tail = "\n".join(_line(each, language) for each in joints)
    if wrong:  # CHK-18
        bad = sum(each["name"] is not None for each in wrong)
        names = "；".join(_line(each, language) for each in wrong)
        return Verdict(joints[0]["run"], "failed", {"says": "bad joints", "bad": bad, "names": names, **about}, tail)
    if unjudged:
        names = "；".join(_name(each, language) for each in unjudged)
        return Verdict(joints[0]["run"], "error", {"says": "not judged", "names": names, **about}, tail)
    return Verdict(joints[0]["run"], "passed", {"says": "joins", **about}, tail)


def _line(joint: sqlite3.Row, language: str) -> str:
    """What is said of one seam, or of the whole, with the picture that it was judged from."""
    _, fine, unknown = _NAMES[language]
    said = {"clean": fine, "unjudged": joint["problem"] or unknown, "bad": joint["problem"] or "?"}[joint["verdict"]]
    picture = f" ({joint['picture']})" if joint["picture"] else ""
    return f"{_name(joint, language)}{picture}{_MARKS[language]}{' '.join(said.split())}"


def _name(joint: sqlite3.Row, language: str) -> str:
    return joint["name"] or _NAMES[language][0]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
