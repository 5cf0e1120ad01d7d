"""A story of rooms as lanes: the user, each room and each Bot side by side, time going down, every turn a bar.

Only the places are made here. Time is not to scale: a pause of an hour takes a little more room than one of a minute.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from harness.report import words
from harness.report.view import Block, Step, Transcript

TOP = 34
"""Pixels above the first row, for the names of the lanes."""
ROW = 22
"""Pixels of a row: one mark stands in each."""
PAUSE_MOST = 26
"""Pixels that a pause may add."""
TIME_SHARE = 0.85
"""How wide the clock's column is, in lanes."""
NARROW = 7
"""More lanes than this are wider than a phone, and scroll."""


@dataclass(frozen=True)
class Lane:
    """One column; `start`, `width` and `middle` in percent."""

    name: str
    sort: str
    start: float
    width: float

    @property
    def middle(self) -> float:
        return round(self.start + self.width / 2, 3)


@dataclass(frozen=True)
class Heard:
    """What a line came to for one Bot, at its lane."""

    lane: Lane
    sort: str
    said: str


@dataclass(frozen=True)
class Mark:
    """Something that happened, in a row of its own: in the lane of who did it, and in the room where it was said."""

    y: int
    clock: str
    step: int
    by: Lane
    room: Lane | None
    text: str
    said: str
    heard: list[Heard] = field(default_factory=list)


@dataclass(frozen=True)
class Bar:
    """A turn, from its first row to its last; bars beside each other have a `shift`, in pixels."""

    lane: Lane
    y: int
    height: int
    shift: int
    sort: str
    step: int
    said: str


@dataclass(frozen=True)
class Band:
    """A hold over one lane, for as long as it stands."""

    lane: Lane
    y: int
    height: int
    step: int
    said: str


@dataclass(frozen=True)
class Lanes:
    """All of it. `height` in pixels."""

    lanes: list[Lane]
    marks: list[Mark]
    bars: list[Bar]
    bands: list[Band]
    height: int

    @property
    def wide(self) -> bool:
        """Whether there are more lanes than a phone shows."""
        return len(self.lanes) > NARROW


def lanes_of(each: Transcript) -> Lanes:
    """The lanes of a story, from its steps."""
    lines, turns, woke = each.lines, each.turns, each.woke
    acts = [event for event in each.events if event.said["what"] in words.ACTS]
    lanes = _lanes(lines, turns, woke)
    by_name = {(lane.sort, lane.name): lane for lane in lanes}
    user = by_name["user", "user"]
    entries = sorted(
        [*((line.said["ms"], 1, line) for line in lines), *((act.said["ms"], 0, act) for act in acts)],
        key=lambda each: (each[0], each[2].step),
    )
    rows = _rows([ms for ms, _, _ in entries], [block.said for block in [*turns, *each.holds]])
    marks = []
    for (_, is_line, block), y in zip(entries, rows.marks, strict=True):
        if is_line:
            marks.append(_line(block, y, by_name, [one for one in woke if one.said["line"] == block.step]))
        else:
            text = words.ACTS[block.said["what"]]
            marks.append(Mark(y, block.said["at"], block.step, user, None, text, f"{block.said['at']} the user {text}"))
    bands = list(_bands(each.holds, by_name, rows))
    return Lanes(lanes, marks, list(_bars(turns, by_name, rows)), bands, rows.bottom)


def _lanes(lines: Sequence[Block], turns: Sequence[Block], woke: Sequence[Block]) -> list[Lane]:
    rooms = dict.fromkeys(block.said["where"] for block in [*lines, *turns])
    speakers = [line.said["who"] for line in lines if line.said["who"] not in ("user", "app")]
    bots = dict.fromkeys([*(block.said["bot"] for block in [*turns, *woke]), *speakers])
    named = [("user", "user"), *(("room", room) for room in rooms), *(("bot", bot) for bot in bots)]
    width = 100 / (len(named) + TIME_SHARE)
    return [
        Lane(name, sort, round(width * (TIME_SHARE + at), 3), round(width, 3)) for at, (sort, name) in enumerate(named)
    ]


@dataclass(frozen=True)
class _Rows:
    """Where each mark stands, and where the times of turns are."""

    marks: list[int]
    first: dict[int, int]
    last: dict[int, int]
    bottom: int


def _rows(marks: Sequence[int], turns: Sequence[Step]) -> _Rows:
    times = sorted({*marks, *(turn["began"] for turn in turns), *(turn["ended"] for turn in turns if turn["ended"])})
    placed: list[int] = []
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    y, before = TOP, times[0] if times else 0
    for time in times:
        y += _pause(time - before)
        first[time] = y
        count = sum(mark == time for mark in marks)
        placed += [y + ROW * at for at in range(count)]
        last[time] = y + ROW * max(count - 1, 0)
        y, before = last[time] + (ROW if count else 6), time
    return _Rows(placed, first, last, y + 10)


def _pause(ms: int) -> int:
    return min(PAUSE_MOST, round(4 * math.log2(1 + ms / 10_000)))


def _line(line: Block, y: int, by_name: dict[tuple[str, str], Lane], woke: Iterable[Block]) -> Mark:
    said = line.said
    user = by_name["user", "user"]
    room = by_name["room", said["where"]]
    by = {"user": user, "app": room}.get(said["who"]) or by_name["bot", said["who"]]
    who = "" if said["who"] == "user" else f"{said['who']}: "
    heard = [
        Heard(
            by_name["bot", each.said["bot"]],
            words.BECAME.get(each.said["became"].partition(",")[0], "not"),
            f"{each.said['bot']}: {each.said['why']}; {each.said['became']}",
        )
        for each in woke
    ]
    text = f"{said['at']} {said['who']} says in {said['where']}: {said['text']}"
    step = said["event"] or line.step
    return Mark(y, said["at"], step, by, room, who + said["text"], text, heard)


def _bars(turns: Sequence[Block], by_name: dict[tuple[str, str], Lane], rows: _Rows) -> Iterable[Bar]:
    places: dict[str, list[int]] = {}
    for turn in turns:
        said = turn.said
        start = rows.first[said["began"]]
        end = rows.bottom - 4 if said["ended"] is None else rows.last[said["ended"]]
        taken = places.setdefault(said["bot"], [])
        place = next((at for at, until in enumerate(taken) if until <= start), len(taken))
        taken[place : place + 1] = [max(end, start + 8)]
        lane = by_name["bot", said["bot"]]
        # A turn right behind another is a bar of its own to the eye.
        height = max(end - start, 8) - 2
        yield Bar(lane, start, height, 14 * place, said["state"], turn.step, told(said))


def _bands(holds: Sequence[Block], by_name: dict[tuple[str, str], Lane], rows: _Rows) -> Iterable[Band]:
    for hold in holds:
        said = hold.said
        start = rows.first[said["began"]]
        end = rows.bottom if said["ended"] is None else rows.first[said["ended"]]
        over = [("room", room) for room in said["rooms"]] + [("bot", bot) for bot in said["bots"]]
        for name in over:
            if name in by_name:
                yield Band(by_name[name], start, max(end - start, 6), hold.step, told_hold(said))


def told_hold(hold: Step) -> str:
    """A hold in a sentence."""
    until = f"{hold['at']}–{hold['until'] or '…'}"
    ends = f"lifted by {hold['lifted']}" if hold["lifted"] else "it still stands"
    kept = ", ".join(f"{each['bot']} ({each['by']})" for each in hold["kept"])
    not_woken = f"; kept from waking: {kept}" if kept else ""
    return f"hold {hold['hold']} on {hold['over']}, {until}, by {hold['by']}; {ends}{not_woken}"


def told(turn: Step) -> str:
    """A turn in a sentence."""
    until = turn["until"] or "…"
    matter = turn["matter"] or ("its desk" if turn["mode"] == "desk" else turn["where"])
    end = turn["state"] if turn["reason"] in (None, turn["state"]) else f"{turn['state']}: {turn['reason']}"
    return f"{turn['bot']}, turn {turn['number']}, {turn['at']}–{until}, at {matter}; {end}"
