"""A film in the making: how the user wants it, what its Bot hands over, and what is measured of that."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from checking import ran, running
from ending import send
from evening import Evening

from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict

MASTER = "deliverables/EP01_MASTER_v1.mp4"
NEWER = "deliverables/EP01_MASTER_v2.mp4"


def film(folder: Path, *, level: int = 8, tickets: tuple[str, ...] = ()) -> Evening:
    """A plan for a film, at home in the director's chat; its number is 1."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=["导演", "剪辑师"], rooms={"剪辑组": ["导演", "剪辑师"]}, level=level)
    home.opened("新品宣传片", to="导演", tickets=[(title, "剪辑师") for title in tickets])
    return home


def says(home: Evening, *texts: str, ticket: int | None = None) -> int:
    """The user says this of the film, line by line; returns the last line."""
    return [home.say(text, to="导演", files=[(1, ticket) if ticket else 1]) for text in texts][-1]


def hands_over(home: Evening, *paths: str, ticket: int | None = None) -> None:
    """The director hands files over, in the matter of the film or of a ticket of it."""
    if not home.live("导演"):
        says(home, "继续", ticket=ticket)
    handing_over = send("好了，请看", files=list(paths))
    home.hop("导演", handing_over)
    turn = home.turn("导演")["id"]
    if home.results(turn)[-1][1] == "postponed":
        home.hop("导演", handing_over)
    while running(home) and home.value("SELECT state FROM calls WHERE turn = ? ORDER BY id DESC", turn) == "started":
        measures(home, "119.00 秒", "passed")
    home.hop("导演")


def measures(home: Evening, value: str = "107.00 秒", outcome: str = "failed", *, check: int | None = None) -> int:
    """What a check looks at is measured; the check."""
    effect = next(each for each in running(home) if check in (None, each.body["check"]))
    return ran(home, outcome, check=effect.body["check"], says="measured", path=effect.body["matched"], value=value)


def stands(home: Evening, state: str) -> list[str]:
    """The numbers of the film's checks that stand so, each as item, bound and value."""
    rows = home.rows(
        "SELECT item, bound, value FROM checks WHERE plan = 1 AND item IS NOT NULL AND state = ? ORDER BY id", state
    )
    return [" ".join(row) for row in rows]


def proposed(home: Evening) -> list[str]:
    """What is proposed."""
    return stands(home, "proposal")


def in_force(home: Evening) -> list[str]:
    """What was confirmed."""
    return stands(home, "active")


def proposal(home: Evening) -> int:
    """The one proposal."""
    (found,) = home.rows("SELECT id FROM checks WHERE item IS NOT NULL AND state = 'proposal'")
    return int(found[0])


def confirms(home: Evening, check: int | None = None) -> int:
    """The user confirms a proposal, by itself the one there is; its number."""
    number = proposal(home) if check is None else check
    home.happens(events.CheckConfirmed, check=number)
    return number


def cards(home: Evening, *, withdrawn: bool = False) -> list[dict[str, Any]]:
    """The cards about two numbers, with their message's `id`, `text` and `session`."""
    rows = home.rows("SELECT id, text, session, control FROM messages WHERE control LIKE '%measured_card%' ORDER BY id")
    shown = [
        json.loads(data) | {"id": number, "text": text, "session": session} for number, text, session, data in rows
    ]
    return [card for card in shown if withdrawn or not card.get("withdrawn")]


def refused(do: Callable[[], object]) -> str | None:
    """Why something that the user does is refused; None where it is not."""
    try:
        do()
    except Conflict as conflict:
        return conflict.code
    return None


def presses(home: Evening, action: str, card: dict[str, Any] | None = None) -> None:
    """The user presses a button, by itself of the newest card."""
    home.happens(events.ControlPressed, message=(card or cards(home)[-1])["id"], action=action)
