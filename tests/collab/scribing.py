"""An evening on which the scribe reads along: a film's plan, and what the scribe says to each of the user's words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evening import Evening

from harness.expect import expect
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect

FILM, ROOM = "新品片", "剪辑组"
FIRST_WORDS = "先前的话"


def studio(
    folder: Path,
    *,
    on: bool = True,
    leads: bool = True,
    reads_already: bool = False,
    tickets: Sequence[str] = (),
    **more: Any,
) -> tuple[Evening, int]:
    """A group with a plan, and an engine for films unless the scribe is to be off."""
    folder.mkdir(parents=True, exist_ok=True)
    home = Evening(folder, bots=["导演", "剪辑"], rooms={ROOM: ["导演", "剪辑"]}, **more)
    if leads:
        home.lead("导演", ROOM)
    plan = home.opened(FILM, to=ROOM, tickets=[(title, "导演") for title in tickets])
    if on:
        home.happens(events.EngineChosen, engine="video")
    if on and reads_already:
        _reads_already(home, plan)
    return home, plan


def studio_at_work(folder: Path, *, reads_already: bool = True, **more: Any) -> tuple[Evening, int]:
    """The same, in which the scribe has read words before."""
    return studio(folder, reads_already=reads_already, **more)


def _reads_already(home: Evening, plan: int) -> None:
    """It reads words that wait, however they have come to wait."""
    seq = home.value("SELECT max(seq) FROM events")
    quote = "INSERT INTO quotes (source, text, seq, at) VALUES ('return', ?, ?, ?)"
    home.sql(quote, FIRST_WORDS, seq, home.now)
    home.sql("INSERT INTO quote_filings (quote, plan) SELECT max(id), ? FROM quotes", plan)
    home.sql("INSERT INTO scribings (quote) SELECT max(id) FROM quotes")
    home.happens(events.EngineChosen, engine="video")
    comes(home, "{}")


def asked(home: Evening) -> Effect | None:
    """What the scribe has been asked and not answered yet."""
    return next((each for each in home.engine.open_effects() if each.kind == "scribe"), None)


def scribes(home: Evening, **patch: Any) -> Effect:
    """The scribe answers what it is asked: rows for `add`, `again`, `change`."""
    return comes(home, json.dumps(patch, ensure_ascii=False))


def comes(home: Evening, raw: str | None = None, **more: Any) -> Effect:
    """The scribe's answer comes, whatever it is."""
    effect = asked(home)
    expect("SCRB-03", effect is not None, "the scribe is asked about the words that wait")
    assert effect is not None
    home.happens(events.Scribed, effect=effect.id, raw=raw, **more)
    return effect


def says(home: Evening, text: str, plan: int, *, ticket: int | None = None, **patch: Any) -> int:
    """The user says something that is filed to a plan, and the scribe answers to it."""
    line = home.say(text, to=ROOM, files=[plan if ticket is None else (plan, ticket)])
    scribes(home, **patch)
    return line


def row(quote: str, **more: Any) -> dict[str, Any]:
    """A row of an answer that stands on a quote."""
    return {"quote": quote, **more}


def entries(home: Evening, state: str = "active") -> list[str]:
    """The words of the entries in a state, in order."""
    return [words for (words,) in home.rows("SELECT span FROM requirements WHERE state = ? ORDER BY id", state)]


def number(home: Evening, words: str) -> int:
    """The number of the newest entry that stands on these words."""
    return int(home.value("SELECT max(number) FROM requirements WHERE span = ?", words))


def times(home: Evening, words: str) -> int:
    """How often the newest entry on these words was said."""
    counted = "SELECT count(*) FROM requirement_said s JOIN requirements r ON r.id = s.requirement WHERE r.number = ?"
    return int(home.value(counted, number(home, words)))


def dropped(home: Evening) -> list[str]:
    """Why rows of answers were dropped, in order."""
    rows = home.rows("SELECT body FROM work_events WHERE type = 'scribe.dropped' ORDER BY id")
    return [json.loads(body)["reason"] for (body,) in rows]
