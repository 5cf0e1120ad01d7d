"""Which row follows which: `parentUuid` where it holds, else the row before in the file.

A broken link, a further root and the one link that closes a circle are bridged, so that every row hangs on
the talk before it. Of a circle that link is taken for broken whose row stands first in the file: it points
forward.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """A row that takes part in the chain, as far as its place in the talk depends on it."""

    uuid: str | None
    parent: str | None
    """None for a root; a link of any other shape than a string is "" and so broken."""
    speaker: str
    """"user" | "assistant" for rows of the talk, "" for run traces, which are passed through."""
    says: bool
    """Something is said in it, so that it can be the leaf."""
    may_fork: bool
    message_id: str | None = None
    is_side: bool = False
    is_boundary: bool = False


@dataclass(frozen=True)
class Links:
    """`parents[i]` is the place of member i's parent in the list of members, or None at the top."""

    parents: list[int | None]
    bridged: frozenset[int]
    warnings: frozenset[str]

    def above(self, place: int | None) -> list[int]:
        """`place` and its ancestors, from the nearest to the top."""
        chain = []
        while place is not None:
            chain.append(place)
            place = self.parents[place]
        return chain


def link(members: Sequence[Member]) -> Links:
    """Link `members`, which stand in file order. Codes: `dangling-parent`, `extra-root`, `cycle` (TR-L15)."""
    places = {member.uuid: place for place, member in enumerate(members) if member.uuid is not None}
    parents = [None if member.parent is None else places.get(member.parent) for member in members]
    broken = {place: "dangling-parent" for place, member in enumerate(members) if parents[place] is None}
    broken.update({place: "extra-root" for place in broken if members[place].parent is None})
    for place in _closing_links(parents):
        parents[place] = None
        broken[place] = "cycle"

    tops = _tops(parents)
    hung: dict[int, int] = {}
    warnings = set()
    for place, code in sorted(broken.items()):
        is_after_talk = any(members[earlier].says for earlier in _before(place, members, tops, hung))
        is_expected = members[place].is_side or (members[place].is_boundary and code == "extra-root")
        if code == "cycle" or (is_after_talk and not is_expected):
            warnings.add(code)
        row_before = next(_before(place, members, tops, hung), None)
        if row_before is not None:
            parents[place] = row_before
            hung[place] = tops[row_before]
    return Links(parents, frozenset(broken), frozenset(warnings))


def _closing_links(parents: Sequence[int | None]) -> list[int]:
    """One place of each circle: the first in the file."""
    closing = []
    seen: set[int] = set()
    for start in range(len(parents)):
        trail: dict[int, None] = {}
        place: int | None = start
        while place is not None and place not in seen and place not in trail:
            trail[place] = None
            place = parents[place]
        if place is not None and place in trail:
            closing.append(min(list(trail)[list(trail).index(place) :]))
        seen.update(trail)
    return closing


def _tops(parents: Sequence[int | None]) -> list[int]:
    """For each place the topmost one above it; `parents` holds no circle."""
    tops: dict[int, int] = {}
    for start in range(len(parents)):
        trail = []
        place = start
        while place not in tops and (parent := parents[place]) is not None:
            trail.append(place)
            place = parent
        top = tops.setdefault(place, place)
        tops.update(dict.fromkeys(trail, top))
    return [tops[place] for place in range(len(parents))]


def _before(place: int, members: Sequence[Member], tops: Sequence[int], hung: Mapping[int, int]) -> Iterator[int]:
    """The earlier members of the main line, from the nearest, that do not hang on `place` themselves.

    `hung` leads over the bridges made so far, from one top to the next.
    """
    for earlier in range(place - 1, -1, -1):
        top = tops[earlier]
        while top in hung:
            top = hung[top]
        if top != place and not members[earlier].is_side:
            yield earlier
