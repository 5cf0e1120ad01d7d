"""What the scribe has answered, checked row by row: whatever a model says, no entry in force is lost by it.

A row adds an entry, says one again or changes one, and stands on the very words that were read. A change is never more
than a proposal. A row that does not hold is dropped, and the others are kept.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from threadrebuild.collab import answers, measures, requirements
from threadrebuild.collab.change import Change
from threadrebuild.collab.understanding import folded, verbatim
from threadrebuild.database import Id

SHORTEST = 4  # SCRB-10
ADDED_MOST = 8  # SCRB-14
WIDTHS: dict[str, int] = {"ticket": 0, "plan": 1, "conversation": 2, "standing": 3}
"""The scopes, from the narrowest on."""


class Heard(NamedTuple):
    """Words of the user that were read, where they belong, and the numbers of the entries that were shown with them."""

    quote: sqlite3.Row
    plan: int
    ticket: int | None
    shown: frozenset[int]


class _Patch(msgspec.Struct, frozen=True):
    add: Any = ()
    again: Any = ()
    change: Any = ()


class _Added(msgspec.Struct, frozen=True):
    quote: str
    paraphrase: str = ""
    category: str = ""
    polarity: Literal["want", "must_not"] = "want"
    nature: Literal["craft", "look", "series", "other"] | None = None
    tickets: tuple[int, ...] = ()
    every: bool = False


class _Again(msgspec.Struct, frozen=True):
    entry: Id
    quote: str


class _Changed(msgspec.Struct, frozen=True):
    entry: Id
    quote: str
    paraphrase: str = ""
    category: str = ""
    polarity: Literal["want", "must_not"] = "want"
    nature: Literal["craft", "look", "series", "other"] | None = None


class _Dropped(Exception):
    """A row that does not hold; the message says why."""


class _Place(NamedTuple):
    """What an entry is for."""

    scope: requirements.Scope
    ticket: int | None
    session: int | None


class _Taking(NamedTuple):
    """An answer being taken in. `replaced` are the words that a same-category entry was to be replaced by."""

    change: Change
    heard: Heard
    replaced: set[str]


def take(change: Change, heard: Heard, raw: str | None) -> bool:
    """Take what holds of an answer into the ledger; whether anything did."""
    try:
        patch = answers.read(raw, _Patch)
    except answers.Unreadable:
        return False
    taking = _Taking(change, heard, set())
    landed = False
    for operation, take_row in _TAKE.items():
        rows = getattr(patch, operation)
        for number, row in enumerate(rows if isinstance(rows, list) else ()):
            try:
                with change.db.attempt():
                    take_row(taking, row)
            except (_Dropped, msgspec.ValidationError, sqlite3.IntegrityError) as error:
                _note(taking, operation, number, str(error))
            else:
                landed = True
    return landed


def _add(taking: _Taking, row: Any) -> None:
    change, heard, _ = taking
    said = msgspec.convert(row, _Added)
    span = _span(heard, said.quote)
    _expect_long_enough(heard, span)
    place = _place(change, heard, said)
    here = [entry for entry in _in_force(change, heard) if _covers(entry, place)]
    known = next((entry["id"] for entry in requirements.same_words(here, span)), None)
    if known is not None:  # SCRB-13
        requirements.say_again(change, known, heard.quote["id"], heard.plan)
        return
    said_number = measures.the_one(span, heard.quote["text"])
    others = [entry for entry in here if _is_number_of(entry, said_number, place)]
    for other in others:  # REQ-05
        _renumber(taking, other, span, said, said_number)
        return
    if _added(change, heard) >= ADDED_MOST:  # SCRB-14
        raise _Dropped(f"more than {ADDED_MOST} new entries of one line")
    requirements.add(
        change,
        heard.quote["id"],
        span,
        plan=heard.plan,
        source="scribe",
        scope=place.scope,
        ticket=place.ticket,
        session=place.session,
        **_about(said),
    )


def _again(taking: _Taking, row: Any) -> None:
    said = msgspec.convert(row, _Again)
    _span(taking.heard, said.quote)
    entry = _pointed_at(taking, said.entry)
    requirements.say_again(taking.change, entry["id"], taking.heard.quote["id"], taking.heard.plan)


def _change(taking: _Taking, row: Any) -> None:
    """A change of an entry: never more than a proposal that the user may confirm."""
    said = msgspec.convert(row, _Changed)
    span = _span(taking.heard, said.quote)
    old = _pointed_at(taking, said.entry)
    number, before = measures.the_one(span, taking.heard.quote["text"]), _number_of(old)
    if number is not None and before is not None and number.item == before.item:  # SCRB-15
        _renumber(taking, old, span, said, number)
        return
    _expect_long_enough(taking.heard, span)
    if old["category"] in ("", said.category):  # SCRB-16 REQ-27
        taking.replaced.add(folded(span))
    elif folded(span) in taking.replaced:  # SCRB-16
        raise _Dropped("these words replace another entry, of their own category, already")
    _propose(taking, old, span, said)


def _renumber(
    taking: _Taking, old: sqlite3.Row, span: str, said: _Added | _Changed, number: measures.Measure | None
) -> None:
    """Another value for the number that an entry gives is proposed; the same once more is a saying of it."""
    before = _number_of(old)
    if number is not None and before is not None and measures.same(number, before):  # SCRB-15
        requirements.say_again(taking.change, old["id"], taking.heard.quote["id"], taking.heard.plan)
        return
    _expect_long_enough(taking.heard, span)
    _propose(taking, old, span, said)


def _propose(taking: _Taking, old: sqlite3.Row, span: str, said: _Added | _Changed) -> None:
    change, heard, _ = taking
    same = "SELECT 1 FROM requirements WHERE replaces = ? AND quote = ? AND folded(span) = folded(?)"
    if change.db.value(same, old["id"], heard.quote["id"], span):
        raise _Dropped("it is proposed already")
    requirements.propose(change, old["id"], heard.quote["id"], span, plan=heard.plan, source="scribe", **_about(said))


def _about(said: _Added | _Changed) -> dict[str, Any]:
    return {
        "paraphrase": said.paraphrase,
        "category": said.category,  # SCRB-16
        "polarity": said.polarity,
        "nature": said.nature,  # SCRB-17
    }


def _span(heard: Heard, said: str) -> str:
    """The user's own words that a row stands on. Raises `_Dropped` where they are not in what was read."""
    found = verbatim(heard.quote["text"], said) or ""
    if not found:  # SCRB-09
        raise _Dropped("its quote is not in the line")
    return found[: requirements.LONGEST]


def _expect_long_enough(heard: Heard, span: str) -> None:
    """Raise `_Dropped` for words too few to say what is wanted, unless the user said no more or they are a number."""
    whole = folded(span) == folded(heard.quote["text"])
    if len(folded(span)) < SHORTEST and not whole and not measures.states_only(span):  # SCRB-10
        raise _Dropped("its quote is too short to say anything")


def _pointed_at(taking: _Taking, number: int) -> sqlite3.Row:
    """The entry that a row points at. Raises `_Dropped` for one that was not shown, or is not in force any more."""
    row = taking.change.db.row("SELECT * FROM requirements WHERE number = ?", number)
    if number not in taking.heard.shown:  # SCRB-11
        raise _Dropped(f"entry {number} was not shown")
    if row is None or row["state"] != "active":  # SCRB-11
        raise _Dropped(f"entry {number} is not in force any more")
    return row


def _place(change: Change, heard: Heard, said: _Added) -> _Place:
    """What a new entry is for."""
    named = list(dict.fromkeys(said.tickets))
    only = named if len(named) == 1 else []  # SCRB-12 REQ-28
    for ticket in (_ticket(change, heard, number) for number in only):
        if ticket is not None:
            return _Place("ticket", ticket, None)
    conversation = change.db.value("SELECT session FROM plans WHERE id = ?", heard.plan)
    if said.every and conversation is not None:  # SCRB-12 REQ-28 REQ-29
        return _Place("conversation", None, conversation)
    if not named and heard.ticket is not None:  # SCRB-12 REQ-28
        return _Place("ticket", heard.ticket, None)
    return _Place("plan", None, None)


def _ticket(change: Change, heard: Heard, number: int) -> int | None:
    found: int | None = change.db.value("SELECT id FROM tickets WHERE plan = ? AND number = ?", heard.plan, number)
    return found


def _in_force(change: Change, heard: Heard) -> list[sqlite3.Row]:
    """The entries in force where words belong, those too that the user has set aside there."""
    listed = requirements.listed(change.db, heard.plan, heard.ticket)
    return [entry for entry in listed if entry["state"] == "active"]


def _covers(entry: sqlite3.Row, place: _Place) -> bool:
    """Whether an entry is for no less than a place."""
    if entry["scope"] == "ticket":
        return bool(entry["ticket"] == place.ticket)  # SCRB-13
    return WIDTHS[entry["scope"]] >= WIDTHS[place.scope]  # SCRB-13


def _is_number_of(entry: sqlite3.Row, number: measures.Measure | None, place: _Place) -> bool:
    """Whether an entry gives a number for what words give one for: that of a shot is none of its film's."""
    return number is not None and entry["item"] == number.item and entry["ticket"] == place.ticket


def _number_of(entry: sqlite3.Row) -> measures.Measure | None:
    return measures.Measure(entry["item"], entry["value"], entry["bound"]) if entry["item"] is not None else None


def _added(change: Change, heard: Heard) -> int:
    """How many entries the line has added so far, by all its words."""
    count: int = change.db.value(
        "SELECT count(*) FROM requirements r JOIN quotes q ON q.id = r.quote WHERE r.source = 'scribe'"
        " AND r.replaces IS NULL AND (q.id = ? OR q.message = ?)",
        heard.quote["id"],
        heard.quote["message"],
    )
    return count


def _note(taking: _Taking, operation: str, number: int, reason: str) -> None:
    taking.change.log(  # SCRB-09
        "scribe.dropped",
        plan=taking.heard.plan,
        ticket=taking.heard.ticket,
        quote=taking.heard.quote["id"],
        operation=operation,
        number=number,
        reason=reason,
    )


_TAKE: dict[str, Callable[[_Taking, Any], None]] = {
    "change": _change,  # SCRB-07
    "again": _again,  # SCRB-07
    "add": _add,  # SCRB-07
}
"""How a row of each kind is taken, in this order."""
