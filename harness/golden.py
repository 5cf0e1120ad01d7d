"""Golden files: the exact bytes that are expected from each recorded transcript, compared line by line.

They end in `.candidate`, since every `.jsonl` under golden/ is a recording, which `rebuild-harness replay golden`
carries.
"""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

SESSION = "60b1de00-0000-4000-8000-000000000000"
"""The session id that all expected candidates have."""
EXPECTED = "expected"
SUFFIX = ".candidate"
GOLDEN_CHANGE = "golden-change"
"""Name of the test property that holds what `--update-golden` changed, in words."""
SHOWN_CHARACTERS = 200
SHOWN_LINES = 10


def transcripts(golden: Path) -> list[Path]:
    """The recordings, sorted."""
    return sorted(path for path in golden.rglob("*.jsonl") if path.is_file())


def expected_path(golden: Path, transcript: Path) -> Path:
    """Where the bytes expected from a recording lie."""
    return golden / EXPECTED / transcript.relative_to(golden).with_suffix(SUFFIX)


def unused(golden: Path) -> list[Path]:
    """Expected files without a recording, sorted."""
    wanted = {expected_path(golden, path) for path in transcripts(golden)}
    return sorted(path for path in (golden / EXPECTED).rglob("*") if path.is_file() and path not in wanted)


def change(old: bytes | None, new: bytes | None) -> list[str]:
    """What differs, a few lines in words: which line, what it was and what it is; empty where nothing does.

    None stands for no file.
    """
    if old == new:
        return []
    if old is None or new is None:
        rows = len((old or new or b"").splitlines())
        return [f"new, {rows} lines" if old is None else f"no longer carried, was {rows} lines"]
    told = [line for number, lines in enumerate(_pairs(old, new), 1) for line in _differs(number, *lines)]
    more = len(told) - 3 * SHOWN_LINES
    return told[: 3 * SHOWN_LINES] + ([f"… and {more // 3} more lines"] if more > 0 else [])


def _pairs(old: bytes, new: bytes) -> Iterator[tuple[bytes, bytes]]:
    return zip_longest(old.splitlines(keepends=True), new.splitlines(keepends=True), fillvalue=b"")


def _differs(number: int, old: bytes, new: bytes) -> Iterator[str]:
    if old == new:
        return
    pairs = enumerate(zip(old, new, strict=False))
    at = next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))
    yield f"line {number}, byte {at}:"
    for sign, line in (("-", old), ("+", new)):
        begin = max(0, at - SHOWN_CHARACTERS // 4)
        # A character cut in two at either end is shown as its bytes.
        shown = line[begin : begin + SHOWN_CHARACTERS].decode("utf-8", "backslashreplace")
        yield f"  {sign} {'…' if begin else ''}{shown!r}{'…' if begin + SHOWN_CHARACTERS < len(line) else ''}"
