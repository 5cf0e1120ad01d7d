"""A director and a reviewer on a film of one or more tickets: what is handed in, checked and reviewed there."""

from pathlib import Path
from typing import Any

from checking import all_ran
from evening import Evening

from threadrebuild.collab import events

ROOM, PLAN = "剪辑组", "新品片"


def studio(
    folder: Path, *titles: str, reviewed: bool = True, level: int = 8, parts: tuple[str, ...] = ()
) -> tuple[Evening, int]:
    """A plan whose tickets the director does, at work on the first; with `reviewed` another Bot reviews them."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=["导演", "审片"], rooms={ROOM: ["导演", "审片"]}, level=level)
    plan = home.opened(PLAN, to=ROOM, tickets=[(title, "导演") for title in titles or ("成片",)])
    if reviewed:
        home.sql("UPDATE tickets SET reviewer = ?", home.bot("审片"))
    for part in parts:
        home.sql("INSERT INTO parts (ticket, name) VALUES (1, ?)", part)
    begin(home, plan, 1)
    return home, plan


def begin(home: Evening, plan: int, ticket: int) -> None:
    """The user has the director work on a ticket."""
    home.say("@导演 做吧", to=ROOM, files=[(plan, ticket)])


def path_of(home: Evening, name: str, ticket: int) -> str:
    """Where a file of a ticket's folder lies."""
    return f"{home.value('SELECT folder FROM tickets WHERE id = ?', ticket)}/{name}"


def hand_in(home: Evening, *names: str, content: str = "00", comes: str | None = "passed", **more: Any) -> str:
    """The director hands in files of its ticket, and their checks come to an end; what it reads of that."""
    turn = home.turn("导演")
    home.hop("导演", events.Call("submit", {"artifacts": list(names or ("film.mp4",)), **more}))
    for effect in [each for each in home.engine.open_effects() if each.kind == "hash_files"]:
        files = tuple(
            events.HashedFile(asked=name, path=path_of(home, name, turn["ticket"]), sha256=content * 32, size=1)
            for name in effect.body["paths"]
        )
        home.happens(events.Hashed, effect=effect.id, files=files)
    if comes is not None:
        all_ran(home, comes)
    return home.results(turn["id"])[-1][2]


def review(home: Evening, outcome: str = "approve", **more: Any) -> str:
    """The reviewer decides, and says no more; what it reads of that."""
    turn = home.turn("审片")["id"]
    home.hop("审片", events.Call("review", {"outcome": outcome, **more}))
    home.hop("审片", text="审过了。")
    return home.results(turn)[-1][2]


def states(home: Evening, ticket: int = 1) -> list[str]:
    """How the submissions of a ticket stand, oldest first."""
    return [state for (state,) in home.rows("SELECT state FROM submissions WHERE ticket = ? ORDER BY id", ticket)]


def stage(home: Evening, ticket: int = 1) -> str:
    """The stage of a ticket."""
    return str(home.value("SELECT stage FROM tickets WHERE id = ?", ticket))


def stands(home: Evening, plan: int) -> tuple[str, str | None]:
    """The status of a plan, and whether it is delivered."""
    (found,) = home.rows("SELECT status, stage FROM plans WHERE id = ?", plan)
    return found[0], found[1]
