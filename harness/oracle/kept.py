"""Which messages of a source a window change may not lose or alter: whole values, in the order of the talk.

Left out are what is proven to have failed, what reviews have used up, and older notes; nothing else.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.oracle.parts import MARK, USER_MARKS, blocks, is_written_by_runtime
from harness.oracle.reader import Row, read_rows
from harness.oracle.settings import DEFAULTS, Settings
from harness.oracle.speech import Heard, rows_in_order
from harness.oracle.tags import leading_blocks
from harness.oracle.values import value_bytes, without

THINKING = ("thinking", "redacted_thinking")
REVIEW = ("review-evidence", "review-problems")
RECALL = "memory-retrieval"


@dataclass(frozen=True)
class Kept:
    """One value that has to be carried: its bytes, and where it stands."""

    value: bytes
    line: int
    lines: frozenset[int]
    """Those of all rows with its uuid."""
    offset: int
    node: int
    is_prompt: bool
    calls: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Failed:
    """What the host has on record of a turn that it marked failed: the uuid of the turn's prompt."""

    prompt: str


def kept_of(source: Path, settings: Settings = DEFAULTS, failed: Sequence[Failed] = ()) -> Iterator[Kept]:
    """Every value of the talk that is not left out by proof, in order."""
    twins: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(source):
        if (row.value or {}).get("type") in ("user", "assistant", "attachment"):
            twins[_main_uuid(row)].append(row)
    # Of rows with one uuid a host reads the last one, where the first one stood.
    rows = [
        (replace(heard, row=twins.get(_main_uuid(heard.row) or "-", [heard.row])[-1]), node)
        for heard, node in _with_what_they_follow(rows_in_order(source, settings))
    ]
    rows = [(heard, node) for heard, node in rows if _carries(heard)]
    rows = list(_once(rows))
    gone = set(_failed(rows, {each.prompt for each in failed}))
    rows = [(heard, node) for heard, node in rows if heard.row.line not in gone]
    taken = _used_up(rows)
    for heard, node in rows:
        places = taken.get(heard.row.line, [])
        value = value_bytes(heard.row)
        if places and len(places) == _count(heard.row):
            continue
        yield Kept(
            value=without(value, places) if places else value,
            line=heard.row.line,
            lines=frozenset(row.line for row in twins.get(_main_uuid(heard.row) or "-", [heard.row])),
            offset=heard.row.offset,
            node=node,
            is_prompt=_is_prompt(heard),
            calls=_ids(heard, "tool_use", "id"),
            results=_ids(heard, "tool_result", "tool_use_id"),
        )


def _with_what_they_follow(rows: Sequence[tuple[Heard, int]]) -> list[tuple[Heard, int]]:
    """The rows, with every run trace behind the message that it follows, however late it was written."""
    known = {heard.member.uuid: (heard, node) for heard, node in rows if heard.member.uuid is not None}
    groups: dict[int, list[tuple[Heard, int]]] = defaultdict(list)
    group = -1
    for heard, node in rows:
        above: tuple[Heard, int] | None = (heard, node)
        passed = set()
        while above is not None and not above[0].member.speaker and id(above[0]) not in passed:
            passed.add(id(above[0]))
            above = known.get(above[0].member.parent or "")
        group = above[1] if above is not None and above[0].member.speaker else group
        groups[group].append((heard, node))
    return [each for found in groups.values() for each in _parents_first(found)]


def _parents_first(rows: Sequence[tuple[Heard, int]]) -> Iterator[tuple[Heard, int]]:
    """A message and what follows it: the assistant's rows first, then as in the file, each after its parent."""
    left = sorted(rows, key=lambda each: (_value(each[0]).get("type") != "assistant", each[0].row.line))
    while left:
        waiting = {heard.member.uuid for heard, _ in left}
        ready = (each for each in left if each[0].member.parent not in waiting - {each[0].member.uuid})
        chosen = next(ready, min(left, key=lambda each: each[0].row.line))
        left.remove(chosen)
        yield chosen


def _main_uuid(row: Row) -> str:
    value = row.value or {}
    uuid = value.get("uuid")
    return uuid if isinstance(uuid, str) and value.get("isSidechain") is not True else ""


def _carries(heard: Heard) -> bool:
    value = _value(heard)
    if value.get("type") == "attachment":
        return any(part.is_said for part in heard.parts)
    message = value.get("message")
    has_content = isinstance(message, dict) and isinstance(message.get("content"), list | str)
    is_note = isinstance(value.get(MARK), list) and "note" in value[MARK]
    return value.get("type") in ("user", "assistant") and has_content and not is_note


def _once(rows: Sequence[tuple[Heard, int]]) -> Iterator[tuple[Heard, int]]:
    """What a host wrote anew counts once: blocks of the same message at the same time, in whatever rows."""
    seen: list[tuple[int, object, object, object]] = []
    anchor = -1
    for heard, node in rows:
        value = _value(heard)
        anchor = node if heard.member.speaker else anchor
        content = _message(value).get("content")
        parts = [
            (anchor, value.get("timestamp"), value.get("type"), part)
            for part in (content if isinstance(content, list) else [content])
        ]
        repeats = value.get("type") == "assistant" or _ids(heard, "tool_result", "tool_use_id")
        has_time = isinstance(value.get("timestamp"), str) and value["timestamp"] != ""
        if repeats and has_time and parts and all(part in seen for part in parts):
            continue
        seen += parts
        yield heard, node


def _failed(rows: Sequence[tuple[Heard, int]], prompts: set[str]) -> Iterator[int]:
    """Lines of what the host wrote in the assistant's place, and of turns that were stopped or are on record."""
    turns: list[list[Heard]] = [[]]
    for heard, _ in rows:
        if _is_prompt(heard):
            turns.append([])
        turns[-1].append(heard)
    for turn in turns:
        own = [each for each in turn if _value(each).get("type") == "assistant" and is_written_by_runtime(_value(each))]
        yield from (each.row.line for each in own)
        rest = [each for each in turn if each not in own and not _is_human(each)]
        rest = rest[_behind_replies(rest) :]
        marks = [place for place, each in enumerate(rest) if _is_mark(each)]
        if marks:
            yield from (each.row.line for each in rest[: marks[-1] + 1])
        elif turn and _is_prompt(turn[0]) and turn[0].member.uuid in prompts:
            yield from (each.row.line for each in rest)


def _behind_replies(rest: Sequence[Heard]) -> int:
    replies = [each for each in rest if any(part.kind == "reply" for part in each.parts)]
    calls = {call for each in replies for call in _ids(each, "tool_use", "id")}
    sent = [
        place
        for place, each in enumerate(rest)
        if each in replies or calls & set(_ids(each, "tool_result", "tool_use_id"))
    ]
    return max(sent, default=-1) + 1


def _used_up(rows: Sequence[tuple[Heard, int]]) -> dict[int, list[int]]:
    """Line → places of blocks that a review gave to a turn that is over; the newest recall packet stays."""
    found: list[tuple[int, int, int, bool]] = []
    over = -1
    for place, (heard, _) in enumerate(rows):
        value = _value(heard)
        if value.get("type") == "user":
            content = _message(value).get("content")
            texts = [content] if isinstance(content, str) else [_text(block) for block in content or ()]
            for number, text in enumerate(texts):
                tags = _tags(text)
                if tags and tags <= {RECALL, *REVIEW}:
                    found.append((place, heard.row.line, number, tags == {RECALL}))
        shows = [block for block in blocks(value) if block.get("type") not in THINKING] or not blocks(value)
        calls = _ids(heard, "tool_use", "id")
        answers = value.get("type") == "assistant" and shows and not calls and not is_written_by_runtime(value)
        if _is_human(heard) or answers:
            over = place
    newest = max((place for place, _, _, recall in found if recall), default=-1)
    taken: dict[int, list[int]] = {}
    for place, line, number, recall in found:
        if place <= over and not (recall and place == newest):
            taken.setdefault(line, []).append(number)
    return taken


def _is_human(heard: Heard) -> bool:
    return any(part.is_said and part.role == "user" for part in heard.parts)


def _is_prompt(heard: Heard) -> bool:
    return _is_human(heard) and _value(heard).get("type") == "user" and not _ids(heard, "tool_result", "tool_use_id")


def _is_mark(heard: Heard) -> bool:
    content = _message(_value(heard)).get("content")
    texts = [content] if isinstance(content, str) else [_text(block) for block in content or ()]
    texts = [text for text in texts if text is not None]
    return _value(heard).get("type") == "user" and bool(texts) and all(text in USER_MARKS for text in texts)


def _tags(text: str | None) -> set[str]:
    """The tags of a text that is nothing but closed blocks."""
    found = leading_blocks(text or "")
    return {tag for tag, _, _ in found} if found and not (text or "")[found[-1][2] :].strip() else set()


def _ids(heard: Heard, kind: str, name: str) -> tuple[str, ...]:
    wanted = "assistant" if kind == "tool_use" else "user"
    if _value(heard).get("type") != wanted:
        return ()
    found = (block for block in blocks(_value(heard)) if block.get("type") == kind)
    return tuple(str(block.get(name, "")) for block in found)


def _text(block: object) -> str | None:
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return str(block["text"])
    return None


def _count(row: Row) -> int:
    content = _message(row.value or {}).get("content")
    return len(content) if isinstance(content, list) else 1


def _value(heard: Heard) -> Mapping[str, Any]:
    return heard.row.value or {}


def _message(value: Mapping[str, Any]) -> Mapping[str, Any]:
    message = value.get("message")
    return message if isinstance(message, dict) else {}
