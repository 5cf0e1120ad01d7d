"""A window change of a lab's session: a note and the recent span whole, resumed by the real CLI, block by block.

What a dialogue carry leaves behind is what counts here: tool calls, their results, and thinking with its signature.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from harness.carrying import SESSIONS
from harness.lab.wire import Carried, Sent
from harness.oracle.reader import read_rows
from harness.oracle.window import judge_window
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.carry.note import note_of
from threadrebuild.carry.window import plan_window
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles

NOTE = "便签: what was said before this window, folded  into one note."
SPELLED = {
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id", "content"),
    "thinking": ("thinking", "signature"),
}
"""Kinds of blocks besides text, and what of each has to arrive."""


def change_window(source: Path, out: Path) -> tuple[Path | None, list[str]]:
    """Carry with a note into `out`: the candidate, and why it is none or what the oracle says against it."""
    settings, note = Settings(), note_of(NOTE, Settings())
    plan = plan_window(source, settings, note)
    built = build_candidate(plan, out, str(uuid.uuid5(SESSIONS, f"{plan.source.sha256} {NOTE}")), SystemFiles())
    if built.refusal is not None:
        return None, [f"{built.refusal.reason}: {built.refusal.detail}"]
    return built.path, [finding.sentence for finding in judge_window(source, built.path, NOTE)]


def carried_blocks(candidate: Path, prompt: str) -> list[Carried]:
    """Every block that has to be sent when the candidate is resumed with a prompt."""
    found = []
    for row in read_rows(candidate):
        message = (row.value or {}).get("message")
        if isinstance(message, dict):
            found += [Carried(message["role"], text, row.line) for text in _spelled(message["content"])]
    return [*found, Carried("user", prompt, 0)]


def sent_blocks(messages: Iterable[dict[str, Any]]) -> list[Sent]:
    """Every block of a request."""
    return [
        Sent(message["role"], text, place)
        for place, message in enumerate(messages)
        for text in _spelled(message["content"] or "")
    ]


def _spelled(content: Any) -> Iterator[str]:
    """Texts as they are, other blocks as JSON of what has to arrive; a text alone in a result is a string."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if block["type"] == "text":
            yield block["text"]
            continue
        told = {name: block.get(name) for name in SPELLED.get(block["type"], block)}
        inner = told.get("content")
        if isinstance(inner, list) and [each.get("type") for each in inner] == ["text"]:
            told["content"] = inner[0]["text"]
        yield json.dumps({"type": block["type"], **told}, ensure_ascii=False)
