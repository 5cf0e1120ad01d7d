"""Bots that end what they are at: by words or by `end_turn`, in a group or with the user, owing something or not."""

from pathlib import Path
from typing import Any

from evening import Evening, write

from harness.expect import expect_equal
from threadrebuild.collab import events

ROOM = "剪辑组"
BOTS = ("导演", "文案")


def at_work(
    folder: Path, *, level: int = 8, to: str = ROOM, owes: bool = False, more: tuple[str, ...] = ()
) -> tuple[Evening, int]:
    """A director is told to work on a plan; where it `owes`, with a ticket of its own there. Home and plan."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=[*BOTS, *more], rooms={ROOM: [*BOTS, *more]}, level=level)
    plan = home.opened("新品片", to=to, tickets=[("海报", "导演")] if owes else ())
    tell(home, plan, "剪一版", to=to)
    return home, plan


def tell(home: Evening, plan: int, text: str, *, to: str = ROOM) -> int:
    """The user says something of a plan to the director; returns the line."""
    return home.say(f"@导演 {text}" if to == ROOM else text, to=to, files=[plan])


def at_desk(folder: Path, *, level: int = 8, to: str = ROOM, files: Any = "unclear") -> Evening:
    """A director at its desk, with a line that is filed nowhere."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=BOTS, rooms={ROOM: BOTS}, level=level)
    home.say("@导演 看看这个" if to == ROOM else "看看这个", to=to, files=files)
    return home


def end_turn(**arguments: Any) -> events.Call:
    """An ending as a Bot calls for it."""
    return events.Call("end_turn", arguments)


def send(text: str, **more: Any) -> events.Call:
    """A message as a Bot sends it."""
    return events.Call("send_message", {"text": text, **more})


def look() -> events.Call:
    """A call that changes nothing."""
    return events.Call("read_file", {"path": "notes.md"})


def hops(home: Evening, bot: str, *calls: events.Call, text: str = "") -> None:
    """A Bot's model answers once, and its tools run."""
    effect = next(
        each
        for each in home.engine.open_effects()
        if each.kind == "hop" and home.value("SELECT bot FROM turns WHERE id = ?", each.turn) == home.bot(bot)
    )
    home.happens(events.Hopped, effect=effect.id, text=text, calls=calls)
    while home.run(bot):
        pass


def hears(home: Evening, plan: int, *texts: str, bot: str = "导演") -> list[int]:
    """The user adds something to what a Bot is at, which reads it; returns the inbox items."""
    lines = [tell(home, plan, text) for text in texts]
    hops(home, bot, look())
    return [home.value("SELECT id FROM inbox_items WHERE message = ? AND state = 'read'", line) for line in lines]


def codes(home: Evening, bot: str = "导演") -> list[str]:
    """What the newest turn of a Bot was sent back for, in order."""
    return [code for (code,) in home.rows("SELECT code FROM bounces WHERE turn = ? ORDER BY id", home.turn(bot)["id"])]


def told(home: Evening, bot: str = "导演") -> str:
    """What the newest turn of a Bot has read last: the answers of its calls, and what is new to it."""
    turn = home.turn(bot)["id"]
    results = home.results(turn)
    return f"{results[-1][2] if results else ''}\n{home.context(turn)}"


def work_of(home: Evening, bot: str = "导演") -> str:
    """How the work of a Bot's newest turn stands."""
    return str(home.value("SELECT state FROM work_items WHERE id = ?", home.turn(bot)["work_item"]))


def ended(home: Evening, bot: str = "导演") -> tuple[str, str | None]:
    """How the newest turn of a Bot stands, and why it ended."""
    turn = home.turn(bot)
    return turn["state"], turn["end_reason"]


def notified(home: Evening) -> list[tuple[str, str]]:
    """What the user is notified of: kind and text."""
    return [(kind, text) for kind, text in home.rows("SELECT kind, text FROM notifications ORDER BY id")]


def ask(home: Evening, text: str, *, expects: str = "answer", by: str = "文案", to: str = "导演") -> None:
    """A Bot that is at work asks another one for something, and goes on."""
    hops(home, by, events.Call("delegate", {"to": to, "ask": text, "expects": expects, "continue": True}))


# ---------------------------------------------------------------- what one rule builds on of another


def wants_a_known_reason(folder: Path) -> None:
    """What is said of reasons is said of endings that are looked at."""
    home, _ = at_work(folder)
    hops(home, "导演", end_turn(reason="finished"))
    expect_equal("END-01", ended(home), RUNNING, "an ending for no known reason")


def answers_as_it_likes(folder: Path) -> None:
    """What only answers is not looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=["导演"])
    home.happens(events.HoldMade, scope="bot", bot=home.bot("导演"))
    home.sql("UPDATE holds SET void = 1")
    home.say("到哪了？", to="导演")
    expect_equal("END-02", home.turn("导演")["mode"], "readonly", "what answers under a hold")
    hops(home, "导演", end_turn())
    expect_equal("END-02", ended(home), ("completed", "answered"), "a bare end_turn of what only answers")


def says_what_is_missing(folder: Path) -> None:
    """Who gives up says why."""
    for reason in ("blocked", "gave_up"):
        home, _ = at_work(folder / reason)
        hops(home, "导演", end_turn(reason=reason))
        expect_equal("END-08", ended(home), RUNNING, f"{reason} and nothing more")


def settles_each_line(folder: Path) -> None:
    """A line that was heard is settled."""
    home, plan = at_work(folder)
    hears(home, plan, "片头用红色")
    hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-04", ended(home), RUNNING, "an ending that says nothing of a line")


def says_why_not(folder: Path) -> None:
    """What is not adopted has a reason."""
    home, plan = at_work(folder)
    (item,) = hears(home, plan, "片头用红色")
    hops(home, "导演", end_turn(reason="done", inbox=[{"id": item, "state": "not_adopted"}]))
    expect_equal("END-05", ended(home), RUNNING, "a line that is not adopted, and nobody says why")


def minds_no_strange_ids(folder: Path) -> None:
    """What is none of the inbox is nothing to an ending."""
    home, _ = at_work(folder)
    strange = [{"id": each, "state": "whatever"} for each in (999, home.turn("导演")["trigger_item"])]
    hops(home, "导演", end_turn(reason="done", inbox=strange))
    expect_equal("END-07", (ended(home), codes(home)), (("completed", "done"), []), "ids that are none of its inbox")


def gives_up_at_the_desk(folder: Path) -> None:
    """On the desk two refusals are the end."""
    home = at_desk(folder, files="spot")
    home.say("@导演 还有这个", to=ROOM, files="spot")
    hops(home, "导演", look())
    for _ in range(2):
        if home.live("导演"):
            hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-32", ended(home), GAVE_IN, "two refusals at the desk")


RUNNING = ("running", None)
GAVE_IN = ("completed", "needs_attention")
PAGE = write("page.md")
