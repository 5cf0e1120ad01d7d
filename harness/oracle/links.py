"""Which row follows which: `parentUuid` where it holds, else the row before in the file.

A broken link, a further root and the one link that closes a circle are bridged, so that every row hangs on
the talk before it. Of a circle that link is taken for broken whose row stands first in the file: it points
forward.
"""

from collections.abc import Sequence
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

    links = Links(parents, frozenset(broken), frozenset())
    warnings = set()
    for place, code in sorted(broken.items()):
        member = members[place]
        before = [earlier for earlier in range(place - 1, -1, -1) if not members[earlier].is_side]
        is_after_talk = any(members[earlier].says and place not in links.above(earlier) for earlier in before)
        parents[place] = next((earlier for earlier in before if place not in links.above(earlier)), None)
        is_expected = member.is_side or (member.is_boundary and code == "extra-root")
        if code == "cycle" or (is_after_talk and not is_expected):
            warnings.add(code)
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
