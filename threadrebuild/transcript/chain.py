"""The order of talk: a tree of messages by `parentUuid`, and the path through it that was really spoken.

File order is not chain order: a CLI may write an answer before its question, a rewind leaves two branches, an
attachment hangs beside the path. So rows become nodes of a tree. A node is a human message or an assistant message
(all rows of one `message.id`); run traces are passed through, that is, their uuid leads to the message above them. What
makes the tree whole again where links are broken, and what is a rewind and what is not, is settled in decisions.md.

The index holds one dictionary entry a row and a few bytes a message, so that a month of talk fits in memory.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from heapq import heappop, heappush

NONE = -1
MESSAGE_IDS_REMEMBERED = 512
"""How many of the latest message ids, at least, can still be joined by another row."""


class Kind(IntEnum):
    """What a node is. Only `HUMAN` and `ASSISTANT` nodes can make a fork."""

    HUMAN = 1
    ASSISTANT = 2
    BESIDE = 3
    """Speech that never makes a fork: queued input, words beside a tool result."""
    JOINT = 4
    """A run trace whose place matters: it has no known parent, or holds a reminder or a summary."""
    BOUNDARY = 5
    """A compaction boundary without a parent."""
    SIDE = 6
    """A sub-agent's row without a known parent."""


@dataclass(frozen=True, slots=True)
class Break:
    """A place where the chain is not whole: "extra-root", "dangling-parent" or "cycle", and the line it stands on."""

    code: str
    line: int


@dataclass(slots=True)
class Order:
    """The nodes that are carried, in order of talk, and the nodes that begin an abandoned branch."""

    sequence: list[int] = field(default_factory=list)
    abandoned: dict[int, int] = field(default_factory=dict)
    """Node → the first node of its abandoned branch."""
    breaks: list[Break] = field(default_factory=list)
    roots: int = 0


class Chain:
    """Built row by row while the file is read; `order` is asked once, at the end.

    A row whose uuid is known stands where the first one stood.
    A uuid that is `rewritten`, that is, known to come again with other words, is a node of its own from the start, and
    of the kind of its last row.
    """

    def __init__(self, rewritten: frozenset[str] = frozenset()) -> None:
        self.index: dict[str, int] = {}
        self._rewritten = rewritten
        self.parents = array("i")
        self.kinds = bytearray()
        self.lines = array("i")
        self._wanted: dict[int, str] = {}
        self._unnamed: set[int] = set()
        self._last = NONE
        """The node that the row before belongs to, or leads to."""
        self._before: dict[int, int] = {}
        """Node without a known parent → the node of the row before it."""
        self._joined_at: dict[str, int] = {}
        self._joined: dict[int, str] = {}
        """Line of a row that joined a message by a parent which is not known yet → that parent."""
        self._latest: dict[tuple[str, int | str], int] = {}
        """Message id and what it follows → its node."""
        self._message_ids: dict[int | str, str] = {}
        """Node → its message id, of the same nodes."""

    def message(self, uuid: str | None, parent: str | None, kind: Kind, line: int) -> int:
        """Add a message as a node of its own and return it."""
        if uuid is not None and uuid in self.index:
            return self._again(uuid, kind)
        above = NONE if parent is None else self.index.get(parent, NONE)
        return self._node(kind, above, parent, uuid, line)

    def assistant(self, uuid: str | None, parent: str | None, message_id: str | None, line: int) -> int:
        """Add an assistant row: to the node of its `message.id` where it continues it, else as a node of its own."""
        if uuid is not None and uuid in self.index:
            return self._again(uuid, Kind.ASSISTANT)
        above = NONE if parent is None else self.index.get(parent, NONE)
        if message_id:
            node = self._continued(message_id, above, parent)
            if node != NONE:  # TR-L15
                if above == NONE and parent is not None:
                    self._joined[line] = parent
                if uuid is not None:
                    self.index[uuid] = node
                    if uuid in self._rewritten:
                        self._joined_at[uuid] = line
                self._last = node
                return node
        node = self._node(Kind.ASSISTANT, above, parent, uuid, line)
        if message_id:
            self._remember(message_id, self._place(above, parent), node)
        return node

    def trace(self, uuid: str, parent: str | None, line: int, boundary: bool = False) -> None:
        """Add a run trace: its uuid leads to the message above it."""
        if uuid in self.index:
            self._again(uuid, Kind.JOINT)
            return
        above = NONE if parent is None else self.index.get(parent, NONE)
        if above == NONE or uuid in self._rewritten:
            self._node(Kind.BOUNDARY if boundary else Kind.JOINT, above, parent, uuid, line)
        else:
            self.index[uuid] = self._last = above

    def side(self, uuid: str, parent: str | None, line: int) -> None:
        """Add a sub-agent's row: it leads to the message above it, and is nothing by itself."""
        if uuid not in self.index:
            above = NONE if parent is None else self.index.get(parent, NONE)
            apart = above == NONE or uuid in self._rewritten
            self.index[uuid] = self._node(Kind.SIDE, above, parent, uuid, line) if apart else above

    def first_line(self, uuid: str) -> int:
        """The line of the first row with a rewritten uuid."""
        return self._joined_at.get(uuid, self.lines[self.index[uuid]])

    def _again(self, uuid: str, kind: Kind) -> int:
        node = self.index[uuid]
        if uuid in self._rewritten:
            self.kinds[node] = kind
        return node

    def _continued(self, message_id: str, above: int, parent: str | None) -> int:
        """The node that a row with this message id continues: it follows the message, or what the message follows."""
        place = self._place(above, parent)
        if self._message_ids.get(place) == message_id:
            return int(place)
        return self._latest.get((message_id, place), NONE) if parent is not None else NONE

    def _place(self, above: int, parent: str | None) -> int | str:
        """What a row follows: a node, or as long as that is not known the uuid it names."""
        return (parent or "") if above == NONE else self._past_joints(above)

    def _remember(self, message_id: str, place: int | str, node: int) -> None:
        self._latest[message_id, place] = node
        self._message_ids[node] = message_id
        if len(self._latest) > 2 * MESSAGE_IDS_REMEMBERED:
            self._latest = dict(list(self._latest.items())[-MESSAGE_IDS_REMEMBERED:])
            self._message_ids = {node: name for (name, _), node in self._latest.items()}

    def _past_joints(self, node: int) -> int:
        while node != NONE and self.kinds[node] == Kind.JOINT and self.parents[node] != NONE:
            node = self.parents[node]
        return node

    def _node(self, kind: Kind, above: int, parent: str | None, uuid: str | None, line: int) -> int:
        node = len(self.kinds)
        if above == NONE:
            self._before[node] = self._last
            if parent is not None:
                self._wanted[node] = parent
            elif uuid is None and self._last != NONE:
                above = self._last
                self._unnamed.add(node)
        self.parents.append(above)
        self.kinds.append(kind)
        self.lines.append(line)
        if uuid is not None:
            self.index[uuid] = node
        if kind != Kind.SIDE:
            self._last = node
        return node

    def order(self, leaf: int, talk: set[int], first_line: int) -> Order:
        """The order of talk from the first root to `leaf`, the node of the last main-line speech in the file.

        `talk` are the nodes in which somebody said something, for the first time in `first_line`.
        """
        found = Order()
        bridged = self._bridge(found, first_line)
        on_path = bytearray(len(self.kinds))
        path = []
        at = leaf
        while at != NONE:
            on_path[at] = 1
            path.append(at)
            at = self.parents[at]
        path.reverse()  # TR-L15
        found.sequence = path
        if len(path) < len(self.kinds):
            self._branches(found, path, on_path, bridged, talk)
        return found

    def whole(self, order: Order) -> list[int]:
        """Every node that was not rewound, in order of talk: those of `order`, and what hangs beside them wordless.

        To be asked after `order`.
        """
        placed = bytearray(len(self.kinds))
        for node in order.sequence:
            placed[node] = 1
        beside = [node for node in self._parents_first(placed) if node not in order.abandoned]
        return self._with_beside(order.sequence, beside)

    def _bridge(self, found: Order, first_line: int) -> bytearray:
        """Settle links that point forward, break circles, and tie every further root to the row before it."""
        bridged = bytearray(len(self.kinds))
        for node in self._unnamed:
            bridged[node] = 1
        dangling: set[int] = set()
        for node, parent in self._wanted.items():
            above = self.index.get(parent, NONE)
            self.parents[node] = above  # TR-L15
            if above == NONE:
                dangling.add(node)
        for line, parent in self._joined.items():
            if parent not in self.index and first_line < line:
                found.breaks.append(Break("dangling-parent", line))
        cyclic = self._break_cycles() if self._wanted else set()
        self._wanted.clear()
        roots = [node for node, above in enumerate(self.parents) if above == NONE]
        found.roots = len(roots)
        tied = _Groups(self.parents)
        for root in roots:
            before = self._before.get(root, root - 1)
            while before >= 0 and (self.kinds[before] == Kind.SIDE or tied.group(before) == tied.group(root)):
                before -= 1
            talk_before = before >= 0 and first_line < self.lines[root] and self.kinds[root] != Kind.SIDE
            if root in cyclic:
                found.breaks.append(Break("cycle", self.lines[root]))  # TR-L15
            elif talk_before and root in dangling:
                found.breaks.append(Break("dangling-parent", self.lines[root]))  # TR-L15
            elif talk_before and self.kinds[root] != Kind.BOUNDARY:
                found.breaks.append(Break("extra-root", self.lines[root]))  # TR-L15
            if before >= 0:
                self.parents[root] = before
                bridged[root] = 1
                tied.tie(root, before)
        return bridged

    def _break_cycles(self) -> set[int]:
        state = bytearray(len(self.kinds))
        broken: set[int] = set()
        for start in range(len(self.kinds)):
            walk = []
            at = start
            while at != NONE and not state[at]:
                state[at] = 1
                walk.append(at)
                at = self.parents[at]
            if at != NONE and state[at] == 1:
                circle = walk[walk.index(at) :]
                first = min(circle)
                self.parents[first] = NONE
                broken.add(first)
            for node in walk:
                state[node] = 2
        return broken

    def _branches(self, found: Order, path: list[int], on_path: bytearray, bridged: bytearray, talk: set[int]) -> None:
        carried_child: dict[int, int] = {}
        follows = {
            node: above
            for node, kind in enumerate(self.kinds)
            if kind in (Kind.HUMAN, Kind.ASSISTANT) and (above := self._message_above(node, bridged)) != NONE
        }
        for node, above in follows.items():
            best = carried_child.get(above)
            if best is None or not on_path[best]:
                carried_child[above] = node
        beside: list[int] = []
        for node in self._parents_first(on_path):
            above = self.parents[node]
            if above in found.abandoned:
                found.abandoned[node] = found.abandoned[above]
            elif node in follows and carried_child[follows[node]] != node:
                found.abandoned[node] = node  # TR-L15
            else:
                beside.append(node)
        if not talk.isdisjoint(beside):
            found.sequence = self._with_beside(path, beside)

    def _message_above(self, node: int, bridged: bytearray) -> int:
        """The message that a node follows, past run traces (else the topmost of them); `NONE` over a broken link."""
        while not bridged[node]:
            above = self.parents[node]
            if above == NONE or self.kinds[above] <= Kind.BESIDE or self.parents[above] == NONE:
                return above
            node = above
        return NONE

    def _parents_first(self, on_path: bytearray) -> Iterator[int]:
        """The nodes off the path, each after its parent, else in file order."""
        children: dict[int, list[int]] = {}
        ready: list[int] = []
        for node, above in enumerate(self.parents):
            if on_path[node]:
                continue
            if above == NONE or on_path[above]:
                ready.append(node)
            else:
                children.setdefault(above, []).append(node)
        while ready:
            node = heappop(ready)
            yield node
            for child in children.get(node, ()):
                heappush(ready, child)

    def _with_beside(self, path: list[int], beside: list[int]) -> list[int]:
        """The path with the talk beside it: each node after its parent, before what is later in the file."""
        slots = {node: number for number, node in enumerate(path)}
        on_path = frozenset(path)
        before: dict[int, list[int]] = {}
        for node in beside:
            above = self.parents[node]
            slot = 0 if above == NONE else slots[above] + (above in on_path)
            while slot < len(path) and path[slot] < node:
                slot += 1
            slots[node] = slot
            before.setdefault(slot, []).append(node)
        sequence: list[int] = []
        for number, node in enumerate(path):
            sequence.extend(before.get(number, ()))
            sequence.append(node)
        sequence.extend(before.get(len(path), ()))
        return sequence


class _Groups:
    """Which nodes hang together, by union and find over trees that share a root."""

    def __init__(self, parents: "array[int]") -> None:
        self._above = array("i", (node if above == NONE else above for node, above in enumerate(parents)))

    def group(self, node: int) -> int:
        while self._above[node] != node:
            self._above[node] = node = self._above[self._above[node]]
        return node

    def tie(self, root: int, to: int) -> None:
        self._above[self.group(root)] = self.group(to)
