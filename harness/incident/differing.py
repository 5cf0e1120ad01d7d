"""Then and now: where what a core did with the same evidence differs from what was recorded of it.

Compared are the outcome, the figures, the items with their digests, and what may be said of the new session. Paths and
the ids of processes differ anyway and are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from threadrebuild.carry.manifest import Item, Manifest

_LOCAL = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|%\d+|(?:/[^\s/:,;]+)+|\d{4}-\d\d-\d\dT[\d:.+Z]+")
NOT_RECORDED = "not recorded"
_LEFT_OUT = frozenset({"source.path", "blocked_reason"})
"""Figures that tell of a place, or that the outcome tells anyway."""

_SHARES = ("ledger.", "categories.")
"""Figures of which only those that are not zero are recorded."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was: what, how it was recorded, and how it is today."""

    what: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class Moved:
    """An item that only one side carries; `item` is that side's, with its place in the source."""

    item: Item
    carried_now: bool


def compared(what: str, then: object, now: object) -> Iterator[Difference]:
    """The difference between two values, if there is one."""
    if then != now:
        yield Difference(what, shown(then), shown(now))


def errors(then: str | None, now: str | None) -> Iterator[Difference]:
    """How two operations ended, but for ids and places."""
    if _local(then) != _local(now):
        yield Difference("error", shown(then), shown(now))


def figures(what: str, then: dict[str, Any], now: dict[str, Any]) -> Iterator[Difference]:
    """Every figure on record, one by one. One that was not recorded then, as no core counted it yet, tells nothing."""
    before, after = dict(_flat(then)), dict(_flat(now))
    for name in [*before, *(name for name in after if name.startswith(_SHARES) and name not in before)]:
        if name not in _LEFT_OUT and not _noted(name):
            missing = 0 if name.startswith(_SHARES) else "no longer counted"
            yield from compared(f"{what} {name}", before.get(name, missing), after.get(name, missing))


def items(then: Manifest, now: Manifest) -> list[Moved]:
    """The items that only one manifest lists, in order. Two are the same by role, mark and digest."""
    sides = [[(each.role, each.word, each.injected_sha256) for each in side.items] for side in (then, now)]
    moved: list[Moved] = []
    for tag, a, b, c, d in SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_opcodes():
        if tag != "equal":
            moved += [Moved(item, False) for item in then.items[a:b]]
            moved += [Moved(item, True) for item in now.items[c:d]]
    return moved


def shown(value: object) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "nothing" if value in (None, "", {}, []) else str(value)


def _local(text: str | None) -> str:
    return _LOCAL.sub("…", text or "")


def _flat(figures: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", list(value) if isinstance(value, tuple) else value


def _noted(name: str) -> bool:
    return name.rpartition(".")[2] in ("notes", "reasons", "malformed")
