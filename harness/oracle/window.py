"""Which messages must stand in a candidate with a window note: decided from the source, byte for byte and in order.

The span is a suffix of the talk. Everything after the note has to be that suffix, whole, without what is proven to have
failed and without what reviews have used up, and it begins where a person speaks and no pair of call and result is cut.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.oracle.judge import Finding
from harness.oracle.kept import THINKING, Failed, Kept, kept_of
from harness.oracle.parts import MARK
from harness.oracle.reader import Row, read_rows, string_spans
from harness.oracle.settings import DEFAULTS, Settings
from harness.oracle.speech import rows_in_order, said
from harness.oracle.values import value_bytes


def judge_window(
    source: Path, candidate: Path, note: str, settings: Settings = DEFAULTS, failed: Sequence[Failed] = ()
) -> list[Finding]:
    """What is wrong with `candidate` as a window change of `source`; empty where they agree (WN-01, WN-03, WN-17).

    Codes beside those of `judge`: note, split-pair, split-message, begins-within-a-turn, lone-thinking.
    """
    rows = read_rows(candidate)
    wanted = list(kept_of(source, settings, failed))
    spoken = said(source, settings)
    in_talk = {heard.row.line for heard, _ in rows_in_order(source, settings)}
    waiting = [each.token for each in spoken.utterances if each.line not in in_talk]
    last = rows[-1:] if waiting else []
    middle = rows[1 : len(rows) - len(last)]
    seen = [value_bytes(row) for row in middle]
    begin = len(wanted) - len(seen)
    found = list(_differences(wanted, middle, seen))
    if not found:
        found += _edge(wanted, begin)
    in_span = {line for each in wanted[max(begin, 0) :] for line in each.lines}
    startup = [each.token for each in spoken.startup if each.line not in in_span]
    found += _opening(rows[:1], startup, note)
    if waiting and _texts(last[0]) != waiting:
        found.append(Finding("left-out", "what was queued and never read does not stand at the end", None, None))
    return found


def _differences(wanted: Sequence[Kept], rows: Sequence[Row], seen: Sequence[bytes]) -> Iterator[Finding]:
    begin = len(wanted) - len(seen)
    if begin < 0:
        yield Finding("invented", f"{-begin} messages more than the source has", None, None)
        return
    for kept, row, value in zip(wanted[begin:], rows, seen, strict=True):
        if kept.value != value:
            everywhere = {each.value for each in wanted}
            code = "out-of-order" if value in everywhere else "re-encoded" if _equal(kept.value, value) else "changed"
            place = next((at for at, pair in enumerate(zip(kept.value, value, strict=False)) if pair[0] != pair[1]), 0)
            sentence = f"the message of line {kept.line} has other bytes in row {row.line}, from byte {place} on"
            yield Finding(code, sentence, (kept.line, kept.offset), (row.line, row.offset))
            return


def _edge(wanted: Sequence[Kept], begin: int) -> Iterator[Finding]:
    """Where the span begins, and how it ends."""
    older, span = wanted[:begin], wanted[begin:]
    called = {call for each in older for call in each.calls}
    cut = [each for each in span if called & set(each.results)]
    if cut:
        yield Finding("split-pair", "the cut lies between a call and its result", (cut[0].line, cut[0].offset), None)
    if older and span and older[-1].node == span[0].node:
        yield Finding("split-message", "the cut lies within a message", (span[0].line, span[0].offset), None)
    if older and span and not span[0].is_prompt and any(each.is_prompt for each in older):
        yield Finding("begins-within-a-turn", "the span begins within a turn", (span[0].line, span[0].offset), None)
    last = [each for each in span if each.node == span[-1].node] if span else []
    if last and all(_is_silent(each.value) for each in last):
        yield Finding("lone-thinking", "thinking stands alone at the end", (last[-1].line, last[-1].offset), None)


def _opening(first: Sequence[Row], startup: Sequence[bytes], note: str) -> Iterator[Finding]:
    value = (first[0].value if first else None) or {}
    words = value.get(MARK)
    if value.get("type") != "user" or words != ["startup"] * len(startup) + ["note"]:
        yield Finding("note", f"the first row is marked {words!r}, not as opening and note", None, None)
        return
    texts = _texts(first[0])
    if texts[:-1] != list(startup):
        yield Finding("startup-missing", "the opening is not the startup package", None, None)
    if json.loads(texts[-1]) != note:
        yield Finding("note", "the note has other words", None, None)


def _texts(row: Row) -> list[bytes]:
    shape = string_spans(row.raw)["message"]["content"]
    spans = [block["text"] for block in shape] if isinstance(shape, list) else [shape]
    return [row.raw[span.start : span.end] for span in spans]


def _equal(one: bytes, other: bytes) -> bool:
    try:
        return bool(json.loads(one) == json.loads(other))
    except (ValueError, RecursionError):
        return False


def _is_silent(value: bytes) -> bool:
    content = json.loads(value).get("content")
    return isinstance(content, list) and bool(content) and all(block.get("type") in THINKING for block in content)
