"""Acceptance checks in a story: what the user does with them, and what each run of one comes to."""

import json
from collections.abc import Callable
from typing import Any, Literal, cast

from harness.scenario.collab.scene import (
    AddCheck,
    Checked,
    ConfirmCheck,
    DeleteCheck,
    EditCheck,
    RunChecks,
    SeamJudged,
    span_of,
)
from harness.scenario.stories.loading import Story
from harness.world.rooms import Reply, Rooms, Unscripted
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

CHECK_SECONDS = 1.0
OVERALL = "overall"
LOOKS_AT = ("path", "command", "glob", "file")
Outcome = Literal["passed", "failed", "out_of_bounds", "error", "gathered"]
Doing = AddCheck | EditCheck | DeleteCheck | ConfirmCheck | RunChecks


def event_of(rooms: Rooms, entry: Doing) -> Callable[[str, int], events.Event]:
    """What the user does, made of a key and a time."""
    match entry:
        case AddCheck():
            plan, body = _plan(rooms, entry.add_check), {**entry.body}
            return lambda key, at: events.CheckAdded(
                key=key, at=at, plan=plan, sentence=entry.of, check_kind=entry.kind, body=body
            )
        case EditCheck():
            check = _named(rooms, entry.edit_check)
            return lambda key, at: events.CheckEdited(
                key=key, at=at, check=check, check_kind=entry.kind, body=entry.body
            )
        case DeleteCheck():
            check = _named(rooms, entry.delete_check)
            return lambda key, at: events.CheckDeleted(key=key, at=at, check=check)
        case ConfirmCheck():
            check = _named(rooms, entry.confirm_check)
            return lambda key, at: events.CheckConfirmed(key=key, at=at, check=check)
        case RunChecks():
            plan = _plan(rooms, entry.run_checks)
            return lambda key, at: events.ChecksRun(key=key, at=at, plan=plan)


def results_of(story: Story) -> dict[str, list[Any]]:
    """What the runs of each check come to, and what is judged of each seam, one after the other.

    Raises `ScenarioError` for what is told of twice.
    """
    results: dict[str, list[Any]] = {}
    for at, entry in enumerate(story.story):
        if isinstance(entry, Checked | SeamJudged):
            name, told = (entry.checked, entry.results) if isinstance(entry, Checked) else (entry.seam, entry.answers)
            if name in results:
                raise story.error(f"story[{at}]: the runs of {name!r} are told twice", "story", at)
            results[name] = told
    return results


def reply(effect: Effect, written: str | dict[str, Any]) -> Reply:
    """What a run comes to: an outcome, or with `takes`, `tail` and what is said of it; or what a judge says."""
    if effect.kind == "judge_joint":
        return _judgement(effect, written)
    told = {"outcome": written} if isinstance(written, str) else dict(written)
    outcome = cast(Outcome, told.pop("outcome"))
    tail, takes = told.pop("tail", ""), told.pop("takes", None)
    seconds = CHECK_SECONDS if takes is None else span_of(takes)
    if outcome == "gathered":
        told = _seams(**told)
    return Reply(
        seconds,
        lambda key, at: events.CheckRan(key=key, at=at, effect=effect.id, outcome=outcome, detail=told, tail=tail),
    )


def name_of(body: dict[str, Any], item: str | None, matched: str | None) -> str:
    """What a check is called in a story: by what it looks at, as in `duration of film.mp4`."""
    if item is not None:
        return item if matched is None else f"{item} of {matched}"
    return next((str(body[each]) for each in LOOKS_AT if body.get(each)), "")


def asked_of(effect: Effect) -> str:
    """What the check is called that a run is of, or the seam that is judged."""
    if effect.kind == "judge_joint":
        return str(effect.body["seam"] or OVERALL)
    measure = effect.body["measure"]
    return name_of(effect.body["body"], measure and measure["item"], effect.body["matched"])


def _seams(seams: list[str], pictures: bool = False) -> dict[str, Any]:
    """What a continuity check has gathered of its seams, of texts also of the whole."""
    shown = {"picture": "checks/seam.png"} if pictures else {"before": "前", "after": "后"}
    return {"joints": [{"name": seam, **shown} for seam in seams], "overall": None if pictures else []}


def _judgement(effect: Effect, written: str | dict[str, Any]) -> Reply:
    failure = str(written) if written in ("fails", "error") else None
    if isinstance(written, dict):
        written = json.dumps({"clean": False, **written}, ensure_ascii=False)
    raw = None if failure else '{"clean": true}' if written == "clean" else written
    return Reply(
        CHECK_SECONDS,
        lambda key, at: events.JointJudged(key=key, at=at, effect=effect.id, raw=raw, failure=failure),
    )


def _named(rooms: Rooms, name: str) -> int:
    rows = rooms.ask("SELECT id, body, item, matched FROM checks WHERE state <> 'deleted' ORDER BY id")
    found = [check for check, body, item, matched in rows if name_of(json.loads(body), item, matched) == name]
    if len(found) != 1:
        raise Unscripted(f"{len(found)} checks are called {name!r}")
    return int(found[0])


def _plan(rooms: Rooms, name: str) -> int:
    found = rooms.ask("SELECT id FROM plans WHERE name = ?", name)
    if len(found) != 1:
        raise Unscripted(f"{len(found)} plans are called {name!r}")
    return int(found[0][0])
