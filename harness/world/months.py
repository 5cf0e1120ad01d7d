"""A transcript of months: as large as asked for, in a real one's mixture, the same bytes for the same seed.

The text of each kind takes the share it had in the reference file of TR-059. Lines of text are made once and
drawn in runs, so that a gigabyte takes seconds and only a row at a time is in memory.
"""

import json
import random
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from harness.world import shapes

SHARES = {
    "tool_result": 7_895_943,
    "meta_injection": 1_010_137,
    "tool_use": 223_284,
    "conversation": 87_129,
    "system": 163_324,
    "injected_block": 13_169,
    "thinking": 1_942,
}
"""Bytes of decoded text by kind in the reference file (TR-059; conversation after TR-052)."""

# Beside its text the reference file of 10.9 MB held ids, times, usage and the like.
_TEXT_OF_FILE = sum(SHARES.values()) / 10_900_000
_VERSION = "2.1.199"
_SESSION = "0b5d9b2e-6a0f-4c39-9d0e-5f3c6a7b8c9d"
# Mean size of one text by kind, in bytes; the largest are five times as long.
_MEAN = {
    "tool_result": 10_000,
    "meta_injection": 40_000,
    "tool_use": 255,
    "conversation": 200,
    "system": 3_000,
    "injected_block": 220,
    "thinking": 160,
}
_TEXT, _PARENT, _UUID, _TIME, _ID = "@text@", "@parent@", "@uuid@", "@time@", "@id@"


def write_months(path: Path, megabytes: float, seed: int = 0) -> dict[str, int]:
    """Write a transcript of about `megabytes` million bytes to `path` and return its bytes of text by kind.

    The shares are those of `SHARES`, the median line is below 2 KB, and equal arguments give equal bytes.
    A result's copy in `toolUseResult` is left out, so that counting it or not gives the same share.
    """
    with path.open("wb") as out:
        months = _Months(out, seed)
        months.write(megabytes * 1_000_000)
    return months.written


class _Months:
    def __init__(self, out: BinaryIO, seed: int) -> None:
        self.written = dict.fromkeys(SHARES, 0)
        self._out = out
        self._random = random.Random(seed)
        self._pools = {kind: _Pool(self._random, kind) for kind in SHARES}
        self._rows = _templates()
        self._parent = b"null"
        self._id = b""
        self._count = 0

    def write(self, size: float) -> None:
        # The text of the whole file is dealt out beforehand; a kind follows where it lags behind the results.
        unit = size * _TEXT_OF_FILE / sum(SHARES.values())
        due = {kind: int(unit * share) for kind, share in SHARES.items()}
        while self.written["tool_result"] < due["tool_result"]:
            done = self.written["tool_result"] / due["tool_result"]
            for kind in ("conversation", "meta_injection", "injected_block", "system", "thinking"):
                if self.written[kind] <= done * due[kind]:
                    self._say(kind, due)
            self._call(due)
        for kind in SHARES:
            while self.written[kind] < due[kind] * 0.99:
                self._say(kind, due)

    def _say(self, kind: str, due: dict[str, int]) -> None:
        text = self._text(kind, due)
        if kind != "conversation":
            self._row(kind, text)
            return
        self._row("human", text)
        self._row("assistant", self._text(kind, due))

    def _call(self, due: dict[str, int]) -> None:
        self._row("tool_use", self._text("tool_use", due))
        self._row("tool_result", self._text("tool_result", due))

    def _text(self, kind: str, due: dict[str, int]) -> bytes:
        # A fourth power has a long tail; products, unlike logarithms, round alike on every platform.
        drawn = self._random.random()
        square = drawn * drawn
        wanted = _MEAN[kind] * 5 * square * square
        left = due[kind] - self.written[kind]
        size, token = self._pools[kind].draw(min(wanted, max(left, 80)))
        self.written[kind] += size
        return token

    def _row(self, name: str, text: bytes) -> None:
        drawn = b"%032x" % self._random.getrandbits(128)
        uuid = b'"%s-%s-4%s-a%s-%s"' % (drawn[:8], drawn[8:12], drawn[13:16], drawn[17:20], drawn[20:])
        if name != "tool_result":
            self._id = drawn[::-1]
        values = {_TEXT: text, _PARENT: self._parent, _UUID: uuid, _TIME: self._time(), _ID: self._id}
        fixed, holes = self._rows[name]
        self._out.write(fixed[0])
        for hole, rest in zip(holes, fixed[1:], strict=True):
            self._out.write(values[hole])
            self._out.write(rest)
        self._parent = uuid
        self._count += 1

    def _time(self) -> bytes:
        # Twenty seconds a row, in months of 28 days from 2025-01-01 on.
        days, seconds = divmod(self._count * 20, 86_400)
        months, day = divmod(days, 28)
        year, month = divmod(months, 12)
        hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
        day_of = b"%04d-%02d-%02d" % (2025 + year, month + 1, day + 1)
        return b'"%sT%02d:%02d:%02d.000Z"' % (day_of, hour, minute, second)


class _Pool:
    """Lines of one kind of text, as they stand inside a JSON string, with their sizes summed up."""

    def __init__(self, stream: random.Random, kind: str) -> None:
        lines = [_line(stream, kind) for _ in range(4_000)]
        self._tokens = [json.dumps(line, ensure_ascii=False)[1:-1].encode() for line in lines]
        self._ends = [0, *accumulate(len(line.encode()) + 1 for line in lines)]
        self._random = stream

    def draw(self, wanted: float) -> tuple[int, bytes]:
        """A run of lines of about `wanted` bytes: its decoded size, and its token without the quotes."""
        first = int(self._random.random() * len(self._tokens))
        token, size = [], 0
        while True:
            last = max(bisect_left(self._ends, self._ends[first] + wanted - size), first + 1)
            last = min(last, len(self._tokens))
            token += self._tokens[first:last]
            size += self._ends[last] - self._ends[first]
            if size >= wanted or last < len(self._tokens):
                return size - 1, b"\\n".join(token)
            first = 0


_ENGLISH = (
    *("the", "run", "came", "back", "clean,", "so", "keep", "that", "branch", "and", "compare", "it"),
    *("with", "what", "we", "had", "on", "Monday", "before", "lunch"),
)
_CHINESE = "我们先把昨天的记录看一遍再决定要不要改这个地方因为上次也是这样最后发现问题出在别的文件里"
_NAMES = (
    "session",
    "window",
    "ledger",
    "cursor",
    "parent",
    "anchor",
    "window_note",
    "channel",
    "digest",
    "turn",
)


def _line(stream: random.Random, kind: str) -> str:
    dice = stream.random()
    name, other = _pick(stream, _NAMES), _pick(stream, _NAMES)
    number = int(stream.random() * 100_000)
    if kind == "tool_use":
        return f"grep -rn 'def {name}_{other}' src/{name}/*.py | head -{number % 90} && echo \"{number}\""
    if kind in ("conversation", "thinking", "injected_block"):
        return _chinese(stream, 30) if dice < 0.6 else _english(stream, 14)
    if dice < 0.45:
        return f'{" " * (number % 4 * 4)}{name}_{number} = {other}.get("{name}", {number % 977})  # {other}'
    if dice < 0.75:
        clock = f"09:{number % 60:02d}:{number % 59:02d}"
        return f"2026-08-14 {clock} INFO {name}.{other}[{number}]: took {number % 997} ms"
    return _chinese(stream, 50) if dice < 0.9 else _english(stream, 18)


def _pick(stream: random.Random, words: tuple[str, ...]) -> str:
    return words[int(stream.random() * len(words))]


def _english(stream: random.Random, words: int) -> str:
    return " ".join(_pick(stream, _ENGLISH) for _ in range(words)) + "."


def _chinese(stream: random.Random, length: int) -> str:
    return "".join(_CHINESE[int(stream.random() * len(_CHINESE))] for _ in range(length)) + "。"


def _templates() -> dict[str, tuple[list[bytes], list[str]]]:
    frame = shapes.Frame(_PARENT, _UUID, _TIME, _SESSION, _VERSION)
    result = shapes.tool_result(frame, _TEXT, call="toolu_" + _ID, error=False, caller=_PARENT, prompt=_SESSION)
    result["toolUseResult"] = {"interrupted": False, "isImage": False}
    call = {"type": "tool_use", "id": "toolu_" + _ID, "name": "Bash", "input": {"command": _TEXT}}
    thought = {"type": "thinking", "thinking": _TEXT, "signature": "c2lnbmF0dXJl" * 8}
    words = {"type": "text", "text": _TEXT}
    meta = {"isMeta": True}
    reminder = f"<system-reminder>\n{_TEXT}\n</system-reminder>"
    notice = {"content": _TEXT, "isMeta": False, "level": "info"}
    rows = {
        "human": shapes.user(frame, _TEXT, prompt=_SESSION),
        "assistant": shapes.assistant(frame, words, message="msg_" + _ID),
        "tool_use": shapes.assistant(frame, call, message="msg_" + _ID, stop="tool_use"),
        "tool_result": result,
        "thinking": shapes.assistant(frame, thought, message="msg_" + _ID),
        "meta_injection": shapes.bare_user(frame, _TEXT, prompt=_SESSION, after=meta),
        "injected_block": shapes.bare_user(frame, reminder, prompt=_SESSION, after=meta),
        "system": shapes.system(frame, "informational", notice),
    }
    return {name: _holes(row) for name, row in rows.items()}


def _holes(row: shapes.Row) -> tuple[list[bytes], list[str]]:
    # Parent, uuid and time are filled in with their quotes (a root's parent is null), the rest inside theirs.
    line = json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
    for quoted in (_PARENT, _UUID, _TIME):
        line = line.replace(f'"{quoted}"', quoted)
    fixed: list[bytes] = []
    holes: list[str] = []
    while True:
        found = [(line.find(hole), hole) for hole in (_TEXT, _PARENT, _UUID, _TIME, _ID) if hole in line]
        if not found:
            return [*fixed, line.encode()], holes
        at, hole = min(found)
        fixed.append(line[:at].encode())
        holes.append(hole)
        line = line[at + len(hole) :]
