"""Plans with acceptance checks: the user writes them on the board, and what is run comes back as the test says."""

import json
from pathlib import Path
from typing import Any

from ending import at_work, end_turn, hops, tell
from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

ACCEPTANCE = ("海报印得出来", "价格写清楚")
POSTER = {"path": "deliverables/poster.png"}


def accepted_work(folder: Path, *, level: int = 8, owes: bool = False) -> tuple[Evening, int]:
    """A director at work on a plan whose acceptance the user has written. Home and plan."""
    home, plan = at_work(folder, level=level, owes=owes)
    accepted(home, plan)
    return home, plan


def quiet(home: Evening, *calls: events.Call) -> None:
    """The director does something, ends, and a minute passes."""
    if calls:
        hops(home, "导演", *calls)
    turn = home.turn("导演")["id"]
    read = home.rows("SELECT id FROM inbox_items WHERE read_by_turn = ? ORDER BY id", turn)
    hops(home, "导演", end_turn(reason="done", inbox=[{"id": item, "state": "done"} for (item,) in read]))
    home.later(1)


def organizers(home: Evening) -> list[Effect]:
    """The calls of the organizer that are under way."""
    return [each for each in home.engine.open_effects() if each.kind == "organizer"]


def organized(home: Evening, *notes: dict[str, Any], **more: Any) -> None:
    """The organizer answers, with what it notes of checks."""
    raw = json.dumps({"checks": list(notes), **more}, ensure_ascii=False)
    home.happens(events.Organized, effect=organizers(home)[0].id, raw=raw)


def asks_organizer(home: Evening, *notes: dict[str, Any], plan: int | None = None) -> None:
    """A plan becomes quiet, after another segment where it is named, and the organizer notes checks, which then run."""
    if plan is not None:
        tell(home, plan, "再看看")
    quiet(home)
    all_ran(home)
    organized(home, *notes)
    all_ran(home)


def accepted(home: Evening, plan: int, *acceptance: str) -> None:
    """The user writes what a plan's work is accepted by."""
    home.happens(events.BoardEdited, plan=plan, acceptance=acceptance or ACCEPTANCE)


def added(home: Evening, plan: int, kind: str = "file_exists", body: dict[str, Any] | None = None, of: int = 0) -> int:
    """The user adds a check to a sentence of the acceptance; its number."""
    home.happens(events.CheckAdded, plan=plan, sentence=ACCEPTANCE[of], check_kind=kind, body=body or POSTER)
    return int(home.value("SELECT max(id) FROM checks"))


def running(home: Evening) -> list[Effect]:
    """The checks that are under way, in the order in which they began."""
    return [each for each in home.engine.open_effects() if each.kind == "run_check"]


def ran(home: Evening, outcome: str = "passed", *, check: int | None = None, tail: str = "", **detail: Any) -> int:
    """A check that is under way comes to its end, by itself the first; its number."""
    effect = next(each for each in running(home) if check in (None, each.body["check"]))
    home.happens(events.CheckRan, effect=effect.id, outcome=outcome, detail=detail, tail=tail)
    return int(effect.body["check"])


def all_ran(home: Evening, outcome: str = "passed", **detail: Any) -> list[int]:
    """All checks come to their ends, one after the other; their numbers."""
    done = []
    while running(home):
        done.append(ran(home, outcome, **detail))
    return done


def under_way(home: Evening) -> list[int]:
    """The checks that are under way."""
    return [each.body["check"] for each in running(home)]


def runs(home: Evening, check: int) -> list[str]:
    """What the runs of a check that are on record came to, in order."""
    return [outcome for (outcome,) in home.rows("SELECT outcome FROM check_runs WHERE check_id = ? ORDER BY id", check)]
