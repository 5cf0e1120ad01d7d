"""What a reading can say, and how an answer is checked: it is untrusted, and what does not match what was shown goes.

A clause counts only where it stands in the line, but for spacing, punctuation and width; a number only where it was
shown.
"""

import unicodedata
from typing import Any, Literal

import msgspec

from threadrebuild.collab import answers


class Meaning(msgspec.Struct, frozen=True):
    """What a user's line means. `faults` are clauses of it, `releases` numbers of submissions that were shown."""

    control: Literal["stop", "resume", "both", "neither"] = "neither"
    only: bool = False
    status: bool = False
    faults: tuple[str, ...] = ()
    releases: tuple[int, ...] = ()


class About(msgspec.Struct, frozen=True):
    """A plan that a line is about, with a ticket and parts of it where it says so."""

    plan: int
    ticket: int | None = None
    parts: tuple[str, ...] = ()


class Filing(msgspec.Struct, frozen=True):
    """Which matter a line is about."""

    about: tuple[About, ...] = ()
    kind: Literal["plans", "new_work", "on_the_spot", "unclear"] = "unclear"


class Speech(msgspec.Struct, frozen=True):
    """What words of a Bot say; `going_on` is its own sentence by which it says that it is still at it."""

    restates: bool = False
    going_on: str = ""
    tested: bool = False
    nothing: bool = False
    status: bool = False
    nod: bool = False


def meaning_of(raw: str, body: dict[str, Any]) -> Meaning:
    """What a model said a line means. Raises `answers.Unreadable` for what is no such answer."""
    read = answers.read(raw, Meaning)
    line: str = body["line"]
    signs = _signs(line)
    stretches = [_stretch(line, signs, clause) for clause in read.faults]
    faults = tuple(stretch for stretch in stretches if stretch is not None)  # READ-20
    if read.faults and not faults:
        faults = (line,)  # READ-20
    shown = {submission["number"] for submission in body["submissions"]}
    releases = tuple(number for number in read.releases if number in shown)
    return msgspec.structs.replace(read, faults=faults, releases=releases)


def filing_of(raw: str, body: dict[str, Any]) -> Filing:
    """What a model said a line is about. Raises `answers.Unreadable` for what is no such answer."""
    read = answers.read(raw, Filing)
    shown = {plan["id"] for plan in body["candidates"]}
    known = [each for each in read.about if each.plan in shown]  # READ-13
    about = tuple(_matched(each, body["candidates"]) for each in known)
    if about:
        return Filing(about, "plans")
    asked = read.kind in body["answers"] and read.kind != "plans"
    return Filing((), read.kind if asked else "unclear")


def verbatim(text: str, said: str) -> str | None:
    """The stretch of `text` that says the same as `said` but for spacing, punctuation and width."""
    return _stretch(text, _signs(text), said)


def folded(text: str) -> str:
    """A text without spaces, punctuation and symbols, full and half width alike: for comparing, never for showing."""
    wide = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in wide if unicodedata.category(sign)[0] not in "ZPSC")


def _signs(text: str) -> tuple[str, list[int]]:
    """A text's signs for comparing, and where in the text each of them stands."""
    signs = [(sign, at) for at, character in enumerate(text) for sign in folded(character)]
    return "".join(sign for sign, _ in signs), [at for _, at in signs]


def _stretch(text: str, signs: tuple[str, list[int]], said: str) -> str | None:
    wanted = folded(said)
    all_, places = signs
    begins = all_.find(wanted)
    if not wanted or begins < 0:
        return None
    return text[places[begins] : places[begins + len(wanted) - 1] + 1]


def _matched(about: About, candidates: list[dict[str, Any]]) -> About:
    tickets = [ticket for plan in candidates if plan["id"] == about.plan for ticket in plan["tickets"]]
    declared = {ticket["id"]: ticket["parts"] for ticket in tickets}
    ticket = about.ticket if about.ticket in declared else None  # READ-13
    named = [part for part in about.parts if part in declared.get(about.ticket, [])]  # ATTR-16
    return About(about.plan, ticket, tuple(named))
