"""What two pages have in common, which is how they are joined: each entry once, and never across a gap.

A relative label means something only on the day on which it was read, and beside its like: one bubble reads 今天 15:20
now, 昨天 15:20 tomorrow, and has its date where the app makes one. Labels of different forms, and of different days
without a date, are not compared, or a page read again would look like one never seen, and stop a customer for good.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from threadrebuild.memory.explicit import DATED, form_of
from threadrebuild.memory.recollection import Role


@dataclass(frozen=True, slots=True)
class Entry:
    """One bubble with the day on which its label was read; `id` where it is stored."""

    role: Role
    content: str
    label: str
    read_on: str
    id: int | None = None


def same(one: Entry, other: Entry) -> bool:
    """Whether two entries of different pages are one and the same."""
    return (
        one.role == other.role  # MC-28
        and one.content == other.content  # MC-28
        and _labels_agree(one, other)  # MC-28
    )


def joined(held: Sequence[Entry], page: Sequence[Entry]) -> list[Entry] | None:
    """What is held and a further page as one talk, in order; None where a gap lies between them."""
    partners = _common(held, page)
    if held and page and not partners:  # MC-33
        return None
    talk: list[Entry] = []
    taken = 0
    for number, entry in enumerate(page):
        upto = partners.get(number, taken - 1) + 1
        talk += held[taken:upto]
        taken = upto
        if number not in partners:  # MC-32
            talk.append(entry)
    return talk + list(held[taken:])


def _labels_agree(one: Entry, other: Entry) -> bool:
    # An empty label has no form, and so is compared with none.
    form = form_of(one.label)
    told_alike = form is not None and form == form_of(other.label) and (form == DATED or one.read_on == other.read_on)
    if not told_alike:  # MC-29 MC-30
        return True
    return _says(one.label, form) == _says(other.label, form)


def _says(label: str, form: str | None) -> str | list[int]:
    # 2025年8月30日 15:20 and 2025-08-30 15:20 are one date.
    return [int(number) for number in re.findall("[0-9]+", label)] if form == DATED else label


def _common(held: Sequence[Entry], page: Sequence[Entry]) -> dict[int, int]:
    """The longest common sequence: which entry of the page is which of those held, by their numbers.

    Of several the one by which the page reaches furthest into later talk.
    """
    longest = [[0] * (len(held) + 1) for _ in range(len(page) + 1)]
    for at in reversed(range(len(page))):
        for there in reversed(range(len(held))):
            longest[at][there] = (
                1 + longest[at + 1][there + 1]
                if same(page[at], held[there])
                else max(longest[at + 1][there], longest[at][there + 1])
            )
    found: dict[int, int] = {}
    at = there = 0
    while at < len(page) and there < len(held):
        if same(page[at], held[there]):
            found[at] = there
            at, there = at + 1, there + 1
        elif longest[at + 1][there] > longest[at][there + 1]:
            at += 1
        else:
            there += 1
    return found
