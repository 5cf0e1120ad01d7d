"""Two Bots of a group who work for the user on two plans of it, and what came of each line that was said to them."""

from pathlib import Path
from typing import Any

from evening import Evening, shell
from stopping import ROOM, TALK, held, hold, speak

from threadrebuild.collab import events, holds
from threadrebuild.collab.change import Change
from threadrebuild.collab.scope import Scope

OTHER_ROOM = "海报组"
FILM, POSTER = 1, 2
STATUS = {"status": True}
NIGHT = "片头换成夜景"
CHECK_BACK = events.Call("check_back", {"after_minutes": 30, "note": "看看渲染"})


def rooms(folder: Path, *, level: int = 8, lead: str = "") -> Evening:
    """A director and a copywriter in two groups, and a film and a poster that belong to the first group."""
    folder.mkdir(parents=True, exist_ok=True)
    both = ["导演", "文案"]
    home = Evening(folder, bots={"导演": 3, "文案": 3}, rooms={ROOM: both, OTHER_ROOM: both}, level=level)
    if lead:
        home.lead(lead, ROOM)
    home.opened("新品片", to=ROOM)
    home.opened("海报", to=ROOM)
    return home


def begins(home: Evening, bot: str, plan: int, *, calls: tuple[events.Call, ...] = ()) -> int:
    """A Bot is told to work on a plan, and renders; returns its turn."""
    speak(home, f"@{bot} 做起来", TALK, to=ROOM, plan=plan)
    home.hop(bot, *calls, shell("render"), plan=plan, run=False)
    return int(home.live(bot)[-1]["id"])


def stop(home: Evening, turn: int) -> None:
    """Stop is pressed on a turn."""
    home.happens(events.StopPressed, turn=turn)


def kept(home: Evening, source: str, **over: Any) -> None:
    """A hold that only a lift ends: an old parking that was adopted (`legacy`), or one that voids (`void`)."""
    with home.db.transaction():
        home.now += 1000
        event = home.db.write(
            "INSERT INTO events (key, kind, at, body) VALUES (?, 'Started', ?, '{}')", f"kept:{home.now}", home.now
        )
        change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
        if source == "legacy":
            holds.make(change, Scope(**over), source="legacy")
        else:
            holds.make(change, Scope(**over), source="user_button", void=True)


def opened(home: Evening, bot: str) -> list[tuple[str, str, int | None, bool]]:
    """Each turn of a Bot: how it stands, the line or note that opened it, its plan, and whether it continues one."""
    rows = home.rows(
        "SELECT t.state, iif(m.only_for IS NULL, m.text, 'note'), t.plan, t.continues IS NOT NULL"
        " FROM turns t JOIN messages m ON m.id = t.trigger_message WHERE t.bot = ? ORDER BY t.id",
        home.bot(bot),
    )
    return [(state, text, plan, bool(on)) for state, text, plan, on in rows]


def running(home: Evening, bot: str) -> list[tuple[str, int | None]]:
    """What a Bot's live turns were opened by, and on which plan."""
    return [(text, plan) for state, text, plan, _ in opened(home, bot) if state == "running"]


def notes(home: Evening) -> list[str]:
    """What was told to one Bot alone."""
    return [text for (text,) in home.rows("SELECT text FROM messages WHERE only_for IS NOT NULL ORDER BY id")]


def stand(home: Evening) -> list[str]:
    """The scopes of the holds that stand, in order."""
    return [str(scope) for scope, *_ in held(home)]


def stopped_twice(folder: Path, **more: Any) -> Evening:
    """The director was stopped in the film and in the poster."""
    home = rooms(folder, **more)
    for turn in [begins(home, "导演", plan) for plan in (FILM, POSTER)]:
        stop(home, turn)
    return home


def over(home: Evening) -> list[int]:
    """The plans that Stop still holds."""
    return [plan for (plan,) in home.rows("SELECT plan FROM holds WHERE lifted_by IS NULL ORDER BY id")]


def hears_and_is_held(home: Evening) -> int:
    """The director is stopped with a line in its inbox that it has not read; returns that."""
    begins(home, "导演", FILM)
    line = speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    hold(home, "bot", bot="导演")
    return line
