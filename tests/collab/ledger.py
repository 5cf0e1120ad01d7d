"""What a test sees of the ledger of an evening: what a Bot reads of it, and what the user does."""

import sqlite3
from typing import Any

from evening import Evening
from scribing import asked, scribes
from sleeping import path_in

from threadrebuild.collab import events, requirement_view

IN_FORCE, PENDING, LEGACY = requirement_view.TITLE, requirement_view.PENDING, requirement_view.LEGACY


def read(home: Evening, turn: int, title: str = IN_FORCE) -> list[str]:
    """The lines of a section of requirements, as a segment has read it last."""
    parts = home.context(turn).split("\n\n")
    return next((part.splitlines()[1:] for part in parts if part.splitlines()[0] == f"# {title}"), [])


def begun(home: Evening, plan: int, bot: str = "导演", *, ticket: int | None = None) -> int:
    """A new segment of a Bot on a plan, opened by a line that asks for nothing; the Bot ends first what it is at."""
    while home.hop(bot, text="好。"):
        pass
    place = home.value("SELECT s.title FROM sessions s JOIN plans p ON p.session = s.id WHERE p.id = ?", plan)
    # A plan that sleeps is none of those a line is read to be about: it wakes where it is named.
    named = f"{path_in(home, plan)} " if home.value("SELECT dormant FROM plans WHERE id = ?", plan) else ""
    home.say(f"@{bot} {named}开工", to=place or bot, files=[plan if ticket is None else (plan, ticket)])
    while asked(home):
        scribes(home)
    return int(home.turn(bot)["id"])


def numbers(lines: list[str]) -> list[int]:
    """The numbers of the entries that lines are about, in order."""
    return [int(line.partition("|")[0].removeprefix("R-")) for line in lines if line.startswith("R-")]


def in_force(home: Evening, plan: int, bot: str = "导演") -> list[int]:
    """The numbers of what is in force for a plan, as a new segment there reads it."""
    turn = begun(home, plan, bot)
    return numbers(read(home, turn))


def board(home: Evening, plan: int, **points: tuple[str, ...]) -> None:
    """The user changes a plan's rules or acceptance."""
    home.happens(events.BoardEdited, plan=plan, **points)


def act(home: Evening, number: int, plan: int, action: str) -> str | None:
    """The user presses a button of an entry in a plan's list; why that is refused, if it is."""
    requirement = home.value("SELECT id FROM requirements WHERE number = ?", number)
    try:
        home.happens(events.RequirementActed, requirement=requirement, plan=plan, action=action)
    except ValueError as error:
        return getattr(error, "code", str(error))
    return None


def state(home: Evening, number: int) -> str | None:
    """The state of an entry."""
    found: str | None = home.value("SELECT state FROM requirements WHERE number = ?", number)
    return found


def steps(home: Evening) -> list[tuple[Any, ...]]:
    """The steps of the user on the ledger, in order: what, of which entry, at which version of the points."""
    return home.rows(
        "SELECT substr(type, 13), json_extract(body, '$.requirement'), json_extract(body, '$.revision')"
        " FROM work_events WHERE type LIKE 'requirement.%' AND json_extract(body, '$.revision') IS NOT NULL ORDER BY id"
    )


def is_refused(home: Evening, sql: str, *values: Any) -> bool:
    """Whether the store refuses a write."""
    try:
        home.sql(sql, *values)
    except sqlite3.IntegrityError:
        return True
    return False
