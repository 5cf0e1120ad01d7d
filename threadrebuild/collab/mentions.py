"""Who is mentioned in a line: `@` and a name, where it does not stand in a path, a link or an address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

EVERYONE = "everyone"
_NO_MENTIONS = re.compile(r"\]\([^)]*\)|[A-Za-z][A-Za-z0-9+.-]*://\S+")  # MENT-11
_GLUED = re.compile(r"[A-Za-z0-9_\-/\\]")  # MENT-12
_TOKEN = re.compile(r"[\w\-]+")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Those mentioned, in order: Bots by number, whether all, and names that nobody has."""

    bots: tuple[int, ...] = ()
    everyone: bool = False
    unknown: tuple[str, ...] = ()
    rest: str = ""
    """The line without its mentions."""

    def __bool__(self) -> bool:
        return self.everyone or bool(self.bots)


def mentions_in(text: str, members: Mapping[str, int], roster: Mapping[str, int]) -> Mentions:
    """Find the mentions in `text`. `members` and `roster` are Bots by name; who is present comes first.

    A shortened name counts where it begins exactly one member's name (MENT-08).
    """
    masked = _NO_MENTIONS.sub(lambda match: " " * len(match[0]), text)
    names = {**roster, **members}
    bots: dict[int, None] = {}
    unknown: dict[str, None] = {}
    everyone = False
    rest: list[str] = []
    at, ended = 0, -1
    while True:
        sign = masked.find("@", at)
        if sign < 0:
            break
        before = masked[sign - 1] if sign else ""
        joined = before == "/" and sign - 1 == ended  # MENT-13
        if _GLUED.match(before) and not joined:
            rest.append(text[at : sign + 1])
            at = sign + 1
            continue
        after = masked[sign + 1 :]
        name, length = _name_at(after, names, members)
        rest.append(text[at:sign])
        if name == EVERYONE:
            everyone = True
        elif name in names:
            bots[names[name]] = None
        elif length:
            unknown[after[:length]] = None
        at = ended = sign + 1 + length
    rest.append(text[at:])
    return Mentions(tuple(bots), everyone, tuple(unknown), "".join(rest))


def _name_at(after: str, names: Mapping[str, int], members: Mapping[str, int]) -> tuple[str | None, int]:
    """The name that a text begins with, and how many characters of it are that name."""
    for name in sorted((*names, EVERYONE), key=len, reverse=True):
        if after.casefold().startswith(name.casefold()) and not _goes_on(after, len(name)):
            return name, len(name)
    token = _TOKEN.match(after)
    if token is None:
        return None, 0
    for length in range(len(token[0]), 0, -1):
        short = after[:length]
        fits = [name for name in members if name.casefold().startswith(short.casefold())]
        if len(fits) == 1 and not _goes_on(after, length):  # MENT-08
            return fits[0], length
    return None, len(token[0])


def _goes_on(after: str, length: int) -> bool:
    """Whether a Latin word goes on behind a name: `@Beta` is not in `@Betamax`."""
    return bool(re.match(r"[A-Za-z0-9_]{2}", after[length - 1 : length + 1]))
