"""The order of talk: the chain from the top to the last word, and what stands beside it.

The idea is a tree of nodes (a person's row, or all rows of one assistant message) in which run traces are
passed through. Where two nodes that can make a fork follow the same parent, somebody went back and said it
anew: one branch is carried, the others are listed. Anything else beside the chain is talk all the same and is
put in at its place in the file (TR-L15); following the leaf alone would lose exactly that talk.
"""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from harness.oracle.links import Links, Member, link

Above = tuple[str, int]
"""("node", number) or, where no talk stands above, ("top", the topmost member)."""


@dataclass(frozen=True)
class Order:
    """`talk`: the members carried, in order of talk. `abandoned`: of rewound branches, in file order."""

    talk: list[int]
    abandoned: list[int]
    nodes: list[int]
    """For each member, the number of its node; a run trace is a node of its own."""
    warnings: frozenset[str]


@dataclass(frozen=True)
class _Nodes:
    of: list[int]
    rows: dict[int, list[int]]
    """By number; the number is the node's first member, and so is the first of its rows."""
    above: list[Above]
    over_bridge: list[bool]
    """Whether a bridged link lies between a member and what stands above it."""


def order_of_talk(members: Sequence[Member]) -> Order:
    """Order `members`, which stand in file order. Codes of `link`, and `fork`."""
    links = link(members)
    nodes = _nodes(members, links)
    leaf = max((place for place, member in enumerate(members) if member.says), default=None)
    path = links.above(leaf)[::-1]
    lost = _abandoned(members, links, nodes, path)
    placed = _placed(members, links, path, [p for p in range(len(members)) if p not in lost])
    talk = _gathered([place for place in placed if not members[place].is_side], nodes)
    warnings = links.warnings | ({"fork"} if lost else frozenset())
    return Order(talk, sorted(lost), nodes.of, warnings)


def _parents_first(links: Links) -> list[int]:
    """All members, each after its parent, otherwise in file order."""
    children = defaultdict(list)
    for place, parent in enumerate(links.parents):
        children[parent].append(place)
    ready = list(children[None])
    ordered = []
    while ready:
        place = heapq.heappop(ready)
        ordered.append(place)
        for child in children[place]:
            heapq.heappush(ready, child)
    return ordered


def _nodes(members: Sequence[Member], links: Links) -> _Nodes:
    size = len(members)
    tops: list[Above] = [("top", place) for place in range(size)]
    nodes = _Nodes(list(range(size)), defaultdict(list), tops, [False] * size)
    by_message: dict[str, list[int]] = defaultdict(list)
    for place in _parents_first(links):
        member, parent = members[place], links.parents[place]
        if parent is not None:
            is_talk = bool(members[parent].speaker)
            nodes.above[place] = ("node", nodes.of[parent]) if is_talk else nodes.above[parent]
            nodes.over_bridge[place] = place in links.bridged or (not is_talk and nodes.over_bridge[parent])
        if member.speaker == "assistant" and member.message_id is not None:
            for number in by_message[member.message_id]:
                if _is_one_message(members, links, nodes, number, place):
                    nodes.of[place] = number
            if nodes.of[place] == place:
                by_message[member.message_id].append(place)
        nodes.rows[nodes.of[place]].append(place)
    return nodes


def _is_one_message(members: Sequence[Member], links: Links, nodes: _Nodes, number: int, place: int) -> bool:
    """Whether an assistant row follows the node of its message id, or what that follows.

    A bridge is no parent; but of two neighbours that name the same missing one the second goes on with the first.
    """
    if place in links.bridged:
        names_the_same = members[place].parent is not None and members[place].parent == members[number].parent
        return names_the_same and nodes.above[place] == ("node", number)
    if nodes.over_bridge[place]:
        return nodes.over_bridge[number] and nodes.above[place] == nodes.above[number]
    is_sibling = not nodes.over_bridge[number] and nodes.above[place] == nodes.above[number]
    return nodes.above[place] == ("node", number) or is_sibling


def _abandoned(members: Sequence[Member], links: Links, nodes: _Nodes, path: list[int]) -> set[int]:
    """All members below a branch that lost its fork."""
    branches: dict[Above, list[int]] = defaultdict(list)
    for number in nodes.rows:
        if members[number].may_fork and not nodes.over_bridge[number]:
            branches[nodes.above[number]].append(number)
    on_path = {nodes.of[place] for place in path}
    losers: set[int] = set()
    for rivals in branches.values():
        kept = next((number for number in rivals if number in on_path), max(rivals))
        losers.update(number for number in rivals if number != kept)
    lost: set[int] = set()
    for place in _parents_first(links):
        if nodes.of[place] in losers or links.parents[place] in lost:
            lost.add(place)
    return lost


def _placed(members: Sequence[Member], links: Links, path: list[int], kept: list[int]) -> list[int]:
    """`path` with the other `kept` members.

    Each stands before the first path row, after its own parent, that is later in the file.
    """
    slot_of = {place: slot for slot, place in enumerate(path)}
    before: dict[int, list[int]] = defaultdict(list)
    wanted = set(kept) - set(path)
    for place in _parents_first(links):
        if place not in wanted:
            continue
        parent = links.parents[place]
        start = 0 if parent is None else slot_of[parent] + (parent not in wanted)
        slot = next((s for s in range(start, len(path)) if path[s] > place), len(path))
        slot_of[place] = slot
        before[slot].append(place)
    talk = []
    for slot, place in enumerate(path):
        talk += [*before[slot], place]
    return talk + before[len(path)]


def _gathered(talk: list[int], nodes: _Nodes) -> list[int]:
    """`talk` with the rows of each node together, at the place of the one that comes first."""
    gathered: dict[int, list[int]] = defaultdict(list)
    for place in talk:
        gathered[nodes.of[place]].append(place)
    return [place for rows in gathered.values() for place in rows]
