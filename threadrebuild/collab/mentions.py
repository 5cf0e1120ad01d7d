"""Who is mentioned in a line: `@` and a name, where it does not stand in a path, a link or an address.

A name ends where it ends: nobody is guessed at. Only a whole word that fits exactly one member shortens its name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EVERYONE = ("everyone", "所有人")
# Each is looked for in one pass, however long a line is: no stretch is tried from each of its characters on.
_LINK_TARGET = re.compile(r"\]\([^)]*\)")  # MENT-11
_URL = re.compile(r"(?<![A-Za-z0-9+.-])[0-9+.-]*+[A-Za-z][A-Za-z0-9+.-]*+://[!-~]+")  # MENT-11
_ENDS = r"\s，。、；：！？（）《》「」“”"
_PATH = re.compile(  # MENT-11
    rf"(?<![^{_ENDS}])(?=[^{_ENDS}@]*[/\\])[^{_ENDS}@]*@[\w-]+(?:[/\\](?!@)|\.[A-Za-z0-9])"
)
_GLUED = re.compile(r"[A-Za-z0-9_\-/\\]")  # MENT-12
_TOKEN = re.compile(r"[A-Za-z0-9_\-]+|[\w\-]+")
_GOES_ON_AS_NAME = re.compile(r"[A-Za-z0-9_]-?[A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Those mentioned, in order: Bots by number, whether all, and names that nobody has."""

    bots: tuple[int, ...] = ()
    everyone: bool = False
    unknown: tuple[str, ...] = ()
    rest: str = ""
    """The line without its mentions."""


def mentions_in(text: str, members: Mapping[str, int], roster: Mapping[str, int]) -> Mentions:
    """Find the mentions in `text`. `members` and `roster` are Bots by name; who is present comes first."""
    closed = text.rfind(")") + 1  # behind it no link's target ends, and none is looked for
    masked = _LINK_TARGET.sub(_blank, text[:closed]) + text[closed:]
    for pattern in (_URL, _PATH):
        masked = pattern.sub(_blank, masked)
    names = {**roster, **members}
    longest_first = sorted((*names, *EVERYONE), key=len, reverse=True)
    bots: dict[int, None] = {}
    unknown: dict[str, None] = {}
    everyone = False
    rest: list[str] = []
    begun, ended = 0, -1
    for sign in (match.start() for match in re.finditer("@", masked)):
        joined = masked[sign - 1 : sign] == "/" and sign - 1 == ended  # MENT-13
        if sign < begun or (_is_glued(masked[sign - 1 : sign]) and not joined):
            continue
        name, length = _name_at(masked, sign + 1, longest_first, members)
        end = sign + 1 + length
        if name in EVERYONE:
            everyone = True
        elif name is not None:
            bots[names[name]] = None
        elif length:
            unknown[text[sign + 1 : end]] = None
        rest.append(text[begun:sign])
        begun = ended = end
    rest.append(text[begun:])
    return Mentions(tuple(bots), everyone, tuple(unknown), "".join(rest))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _is_glued(before: str) -> bool:
    """Whether an @ stands right behind a letter, digit or separator; behind a CJK character it begins a mention."""
    return bool(_GLUED.match(before))  # MENT-14


def _name_at(text: str, begin: int, names: Sequence[str], members: Mapping[str, int]) -> tuple[str | None, int]:
    """Whose name begins in a text, and how many characters of it are that name; nobody's where it is unknown."""
    for name in names:
        folded = name.casefold()
        begins = text[begin : begin + len(folded)].casefold().startswith(folded)
        if begins and not _goes_on(text, begin + len(name)):
            return name, len(name)
    token = _TOKEN.match(text, begin)
    if token is None:
        return None, 0
    fits = [name for name in members if _shortens(token[0].casefold(), name.casefold())]  # MENT-09 PULL-02
    short = next(iter(fits), None)
    if len(fits) > 1:  # MENT-08
        short = None
    return short, len(token[0])


def _shortens(short: str, name: str) -> bool:
    """Whether a word is a name's beginning, or its end from the beginning of a word on."""
    begins_word = not short[0].isascii() or not re.match(r"\w", name[: -len(short)][-1:])
    return name.startswith(short) or (name.endswith(short) and begins_word)


def _goes_on(text: str, end: int) -> bool:
    """Whether a Latin word goes on behind a name: `@Beta` is not in `@Betamax`, nor in `@Beta-2`."""
    return bool(_GOES_ON_AS_NAME.match(text[end - 1 : end + 2]))
