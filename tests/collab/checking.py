"""Plans with acceptance checks: the user writes them on the board, and what is run comes back as the test says."""

from typing import Any

from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

ACCEPTANCE = ("海报印得出来", "片长两分钟")
POSTER = {"path": "deliverables/poster.png"}


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


def runs(home: Evening, check: int) -> list[str]:
    """What the runs of a check that are on record came to, in order."""
    return [outcome for (outcome,) in home.rows("SELECT outcome FROM check_runs WHERE check_id = ? ORDER BY id", check)]
