"""Paths and checks that stay behind with tool traffic, so that reading or running them again is a choice (TR-L33)."""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec
from msgspec import UNSET

from threadrebuild.transcript.rows import RawOrNone, ToolInput, read_object

CALLS_REMEMBERED = 5_000
"""The latest tool calls that are looked at; what an older one touched is no longer in anybody's mind."""
LARGE_BYTES = 4_096
"""Arguments larger than this hold a whole file: of them only the names are kept."""


class LeftBehind:
    """The latest tool calls, with their raw arguments; `paths` and `checks` read them when asked."""

    def __init__(self) -> None:
        self._calls: deque[bytes | ToolInput] = deque(maxlen=CALLS_REMEMBERED)

    def call(self, arguments: RawOrNone) -> None:
        """A tool was called."""
        if arguments is not UNSET:
            raw = bytes(arguments)
            self._calls.append(read_object(ToolInput, arguments) if len(raw) > LARGE_BYTES else raw)

    def paths(self) -> list[str]:
        """Files that tools read or wrote, each once, in the order of their last use."""
        return _latest(each.file_path or each.path or each.notebook_path for each in self._given())

    def checks(self) -> list[str]:
        """Commands that tools ran, each once, in the order of their last use."""
        return _latest(each.command for each in self._given())

    def _given(self) -> Iterator[ToolInput]:
        for call in self._calls:
            with suppress(RecursionError):  # nested so deep that no name can be read out of it
                yield call if isinstance(call, ToolInput) else read_object(ToolInput, msgspec.Raw(call))


def _latest(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(reversed([name for name in names if name])))[::-1]
