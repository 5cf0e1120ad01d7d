"""Who said what in a Claude Code transcript, decided from the file alone.

The judge's side of a carry: it follows the rules and `decisions.md`, shares nothing with the code it judges,
and keeps for every utterance the bytes that it stands in.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.oracle.links import Member
from harness.oracle.order import order_of_talk
from harness.oracle.parts import (
    Part,
    blocks,
    call_results,
    has_tool_result,
    is_written_by_runtime,
    parts_of,
    queue_parts,
)
from harness.oracle.queued import never_read
from harness.oracle.reader import Row, read_rows
from harness.oracle.settings import DEFAULTS, Settings
from harness.oracle.startup import Spoken, cut_startup
from harness.oracle.utterance import Utterance, utterance

WARNINGS = frozenset(
    (
        *("unreadable-line", "torn-tail", "lone-surrogate", "fork", "dangling-parent", "extra-root"),
        *("duplicate-uuid", "runtime-text", "unsent-reply", "mixed-versions"),
    )
)
"""The codes that `Said.warnings` is exact about."""


@dataclass(frozen=True)
class Said:
    """What a transcript says, in order of talk."""

    utterances: tuple[Utterance, ...]
    turns: int
    abandoned: tuple[Utterance, ...]
    """Of rewound branches, in file order."""
    runtime: tuple[Utterance, ...]
    """Left behind: marks, API errors, synthetic rows, and summaries of talk that is in the file.

    Those of rewound branches stand last.
    """
    summaries: tuple[Utterance, ...]
    """To be carried as the runtime's: the talk that they sum up is not in the file (TR-015)."""
    startup: tuple[Utterance, ...]
    unsent: tuple[Utterance, ...]
    """Likewise."""
    elsewhere: tuple[Utterance, ...]
    """Replies to somebody who is no private line."""
    warnings: frozenset[str]
    """Those of `WARNINGS` that hold."""
    unreadable: tuple[tuple[int, str], ...]
    """(line, why) of every line that is no row: `unreadable-line`, `torn-tail`, `not-a-row`."""


@dataclass(frozen=True)
class Heard:
    """A row of the chain with what it says."""

    row: Row
    parts: tuple[Part, ...]
    member: Member


def said(path: Path, settings: Settings = DEFAULTS) -> Said:
    """What the transcript at `path` says. Raises OSError if it cannot be read; nothing in it raises."""
    rows = read_rows(path)
    main = [row for row in rows if row.value is not None and row.value.get("isSidechain") is not True]
    heard, warnings = _heard(rows, call_results(main), settings)
    order = order_of_talk([each.member for each in heard])
    carried = [(heard[place], order.nodes[place]) for place in order.talk]
    talk = cut_startup(_once_a_message((each.row, part, node) for each, node in carried for part in each.parts))
    texts = _with_bytes(talk + _waiting(main, len(heard)))

    utterances, turns = _closed([each for each in texts if each.is_said], settings)
    summaries = tuple(each for each in texts if each.origin == "summary" and each.after == 0)
    rewound = _with_bytes((heard[place].row, part, place) for place in order.abandoned for part in heard[place].parts)
    by_runtime = [each for each in (*texts, *rewound) if each.origin in ("runtime", "summary")]
    left = tuple(each for each in by_runtime if each not in summaries)
    unsent = tuple(each for each in (*texts, *rewound) if each.origin == "unsent")
    stated = {
        "runtime-text": bool(left),
        "unsent-reply": bool(unsent),
        "lone-surrogate": any(map(_has_lone_surrogate, utterances)),
        "mixed-versions": len(_versions(main)) > 1,
    }
    warnings |= order.warnings | {row.why for row in rows} | {code for code in stated if stated[code]}
    return Said(
        utterances=utterances,
        turns=turns,
        abandoned=tuple(each for each in rewound if each.is_said),
        runtime=left,
        summaries=summaries,
        startup=tuple(each for each in texts if each.origin == "startup" and settings.freeze_startup_snapshot),
        unsent=unsent,
        elsewhere=tuple(each for each in texts if each.origin == "elsewhere"),
        warnings=frozenset(warnings & WARNINGS),
        unreadable=tuple((row.line, row.why) for row in rows if row.why),
    )


def rows_in_order(path: Path, settings: Settings = DEFAULTS) -> list[tuple[Heard, int]]:
    """The rows of the talk, whole, in its order, each with the number of its node; rewound ones are not among them."""
    rows = read_rows(path)
    main = [row for row in rows if row.value is not None and row.value.get("isSidechain") is not True]
    heard, _ = _heard(rows, call_results(main), settings)
    order = order_of_talk([each.member for each in heard])
    return [(heard[place], order.nodes[place]) for place in order.talk]


def by_turn(utterances: Iterable[Utterance]) -> list[list[Utterance]]:
    """User texts and the assistant's after them, up to the next user text (TR-018 … TR-021).

    What the assistant says first of all is an opening turn (TR-L11).
    """
    turns: list[list[Utterance]] = []
    for each in utterances:
        if not turns or (each.role == "user" and turns[-1][-1].role == "assistant"):
            turns.append([])
        turns[-1].append(each)
    return turns


def _once_a_message(talk: Iterable[Spoken]) -> list[Spoken]:
    """`talk` without what another row of the same assistant message said before, at the same time.

    A host that resumes may write rows anew: the same message and time, under another uuid.
    """
    first: dict[tuple[int, str, str], int] = {}
    kept = []
    for row, part, node in talk:
        time = (row.value or {}).get("timestamp")
        if part.is_said and part.role == "assistant" and isinstance(time, str) and time:
            line = first.setdefault((node, time, part.text), row.line)
            if line != row.line:
                continue
        kept.append((row, part, node))
    return kept


def _closed(utterances: Sequence[Utterance], settings: Settings) -> tuple[tuple[Utterance, ...], int]:
    """The utterances to be carried, and how many turns they make: an open tail may be left out (TR-020)."""
    turns = by_turn(utterances)
    if turns and not settings.include_open_tail and turns[-1][-1].role == "user":
        turns.pop()
    return tuple(each for turn in turns for each in turn), len(turns)


def _heard(rows: Iterable[Row], results: dict[str, bool], settings: Settings) -> tuple[list[Heard], set[str]]:
    """The rows of the chain, each uuid once: at its first row's place, with its last row's words (TR-L15)."""
    heard: list[Heard] = []
    places: dict[str, int] = {}
    warnings = set()
    for row in rows:
        if row.value is None or not _is_in_chain(row.value):
            continue
        is_side = row.value.get("isSidechain") is True
        parts = () if is_side else tuple(parts_of(row.value, results, settings))
        new = Heard(row, parts, _member(row, parts, is_side))
        uuid = new.member.uuid
        if uuid is None or uuid not in places:
            if uuid is not None:
                places[uuid] = len(heard)
            heard.append(new)
            continue
        if is_side:
            continue
        warnings.add("duplicate-uuid")
        old = heard[places[uuid]]
        if _words(old) != _words(new):
            heard[places[uuid]] = replace(new, member=replace(new.member, parent=old.member.parent))
    return heard, warnings


def _is_in_chain(value: dict[str, Any]) -> bool:
    return isinstance(value.get("uuid"), str) or value.get("type") in ("user", "assistant", "attachment")


def _member(row: Row, parts: Sequence[Part], is_side: bool) -> Member:
    value = row.value or {}
    kind, uuid, parent = value.get("type"), value.get("uuid"), value.get("parentUuid")
    says = any(part.is_said for part in parts)
    speaker = "user" if says and kind != "assistant" else ""
    if kind == "assistant" and not is_side and not _is_runtime_row(value, parts):
        speaker = "assistant"
    message = value.get("message")
    message_id = message.get("id") if isinstance(message, dict) else None
    return Member(
        uuid=uuid if isinstance(uuid, str) else None,
        parent=parent if parent is None or isinstance(parent, str) else "",
        speaker=speaker,
        says=says,
        may_fork=speaker == "assistant" or (kind == "user" and says and not has_tool_result(value)),
        message_id=message_id if isinstance(message_id, str) else None,
        is_side=is_side,
        is_boundary=kind == "system" and value.get("subtype") == "compact_boundary",
    )


def _is_runtime_row(value: dict[str, Any], parts: Sequence[Part]) -> bool:
    """Whether an assistant row is the runtime's: flagged so, or nothing but a known mark."""
    is_mark = len(parts) == 1 and parts[0].kind == "runtime" and len(blocks(value)) <= 1
    return is_written_by_runtime(value) or is_mark


def _words(heard: Heard) -> list[tuple[str, str, str]]:
    """What a row says, in whosever name; run traces say nothing."""
    return [(part.kind, part.role, part.text) for part in heard.parts if part.kind not in ("trace", "startup", "stamp")]


def _waiting(main: list[Row], node: int) -> list[Spoken]:
    """The prompts that were queued and never read; they stand at the end, in order of queuing."""
    return [
        (row, part, number)
        for number, row in enumerate(never_read(main), node)
        for part in queue_parts(row.value or {})
    ]


def _with_bytes(talk: Iterable[Spoken]) -> list[Utterance]:
    """The parts that anybody asks for, counted in order of talk."""
    texts: list[Utterance] = []
    spoken = 0
    for row, part, node in talk:
        if part.kind not in ("trace", "stamp"):
            texts.append(utterance(row, part, node, spoken))
            spoken += part.is_said
    return texts


def _versions(rows: Iterable[Row]) -> set[str]:
    values = [(row.value or {}).get("version") for row in rows]
    return {version for version in values if isinstance(version, str)}


def _has_lone_surrogate(each: Utterance) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in each.text)
