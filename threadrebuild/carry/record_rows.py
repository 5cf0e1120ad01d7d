"""Rows of the session record and their order: each where its node stands, an assistant message before its results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Literal

from threadrebuild.transcript.chain import Chain, Order

Kind = Literal["user", "assistant", "attachment"]


@dataclass(slots=True, eq=False)
class RecordRow:
    """One row of the main line. `line` counts from 1; `offset` and `size` are the row's bytes in the source."""

    line: int
    offset: int
    size: int
    kind: Kind
    uuid: str | None
    parent: str | None
    time: str | None
    node: int
    calls: tuple[str, ...] = ()
    results: tuple[tuple[str, bool], ...] = ()
    """The calls that it answers, each with whether it failed."""
    thinking: bool = False
    """Whether it holds thinking."""
    silent: bool = False
    """Whether it holds nothing but thinking."""
    model: str | None = None
    tokens: int = 0
    image_tokens: int = 0
    """Of images that stand in the message itself."""
    human: bool = False
    """Whether somebody's words stand in it that are no reply of the assistant's."""
    interruption: bool = False
    by_host: bool = False
    """Whether the host wrote it in the assistant's place: an API error, a synthetic reply."""
    older_note: bool = False
    lines: list[int] = field(default_factory=list)
    """Every line with this row's uuid; the last one counts."""
    blocks: tuple[int, ...] = ()
    """A number for each block, equal for blocks that hold the same."""

    @property
    def answers(self) -> bool:
        """Whether a turn can end with it: the assistant speaks and calls nothing."""
        return self.kind == "assistant" and not (self.silent or self.by_host or self.calls)

    @property
    def prompts(self) -> bool:
        """Whether a person speaks here and a turn begins, rather than beside a tool's result or while it runs."""
        return self.human and self.kind == "user" and not self.results


def ordered(rows: Sequence[RecordRow], chain: Chain, order: Order) -> list[RecordRow]:
    """The rows in order of talk."""
    nodes = chain.whole(order)
    place = {node: number for number, node in enumerate(nodes)}
    groups: dict[int, list[RecordRow]] = {}
    for row in rows:
        groups.setdefault(row.node, []).append(row)
    ordered: list[RecordRow] = []
    for node in sorted(groups, key=lambda node: place.get(node, len(place))):
        ordered += _within(groups[node])
    return ordered


def _within(rows: Sequence[RecordRow]) -> Iterator[RecordRow]:
    """The rows of one node: the assistant's first, otherwise in file order, each after its parent."""
    known = {row.uuid for row in rows if row.uuid is not None}
    children: dict[str, list[int]] = {}
    ready: list[tuple[bool, int]] = []
    for number, row in enumerate(rows):
        if row.parent in known and row.parent != row.uuid:
            children.setdefault(row.parent or "", []).append(number)
        else:
            heappush(ready, (row.kind != "assistant", number))
    left = set(range(len(rows)))
    while left:
        number = heappop(ready)[1] if ready else min(left)  # a circle of parents is broken at its first row
        if number not in left:
            continue
        left.discard(number)
        yield rows[number]
        for child in children.get(rows[number].uuid or "", ()):
            heappush(ready, (rows[child].kind != "assistant", child))


def each_once(rows: Iterable[RecordRow], shares: Counter[str]) -> Iterator[RecordRow]:
    """Leave out what a resuming host wrote anew under another uuid: blocks of the same message and time.

    It may cut a message into other rows than before.
    """
    seen: dict[tuple[object, ...], set[int]] = {}
    for row in rows:
        known = seen.setdefault((row.node, row.time, row.kind), set())
        if row.time and (row.results or row.kind == "assistant") and row.blocks and known.issuperset(row.blocks):
            shares["duplicate"] += row.size
            continue
        known.update(row.blocks)
        yield row
