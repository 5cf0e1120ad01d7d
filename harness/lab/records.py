"""The shape of a transcript: which kinds of rows stand in it and which fields they have.

A kind that was never seen is no fault, and no silence either: it is named.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.oracle.reader import read_rows

Shape = dict[str, frozenset[str]]
"""The fields of every kind of row, those of its message or attachment with a dot before them."""

KNOWN = frozenset(
    {
        *("user", "assistant", "summary", "last-prompt", "mode", "permission-mode", "ai-title", "custom-title"),
        *("file-history-snapshot", "atis-latch", "api-request", "api-request-blob", "api-request-shape"),
        *("cost-state", "tools-used"),
        *("queue-operation:enqueue", "queue-operation:dequeue", "queue-operation:remove", "queue-operation:popAll"),
        *("system:informational", "system:stop_hook_summary", "system:turn_duration", "system:api_error"),
        *("system:compact_boundary", "system:local_command"),
        *("attachment:queued_command", "attachment:skill_listing", "attachment:agent_listing_delta"),
        *("attachment:deferred_tools_delta", "attachment:total_tokens_reminder", "attachment:environment"),
        *("attachment:model", "attachment:session_context", "attachment:date", "attachment:remote_session_change"),
        *("attachment:prompt_snapshot", "attachment:auto_mode", "attachment:mcp_instructions_delta"),
    }
)
"""What versions up to 2.1.332 were seen to write in the lab's sessions and in those of `golden/`."""


def shape_of(transcripts: Iterable[Path]) -> Shape:
    """The kinds of rows in some transcripts, each with all fields that any row of it has."""
    shape: dict[str, set[str]] = {}
    for path in transcripts:
        for row in read_rows(path):
            if row.value is not None:
                shape.setdefault(kind_of(row.value), set()).update(_fields(row.value))
    return {kind: frozenset(shape[kind]) for kind in sorted(shape)}


def rows_with(transcript: Path, text: str) -> str:
    """The kinds of the rows that hold a text, as in `2 × assistant, queue-operation:enqueue`; empty where none does."""
    spelled = json.dumps(text)[1:-1]
    values = [row.value for row in read_rows(transcript) if row.value is not None]
    kinds = Counter(kind_of(value) for value in values if spelled in json.dumps(value))
    return ", ".join(f"{count} × {kind}" if count > 1 else kind for kind, count in kinds.items())


def kind_of(value: dict[str, Any]) -> str:
    """A row's type, with what tells rows of one type apart."""
    attachment = value.get("attachment")
    finer = attachment.get("type") if isinstance(attachment, dict) else None
    finer = finer or value.get("subtype") or value.get("operation")
    return f"{value.get('type')}:{finer}" if finer else str(value.get("type"))


def _fields(value: dict[str, Any]) -> set[str]:
    inner = value.get("message") or value.get("attachment")
    below = {f".{name}" for name in inner} if isinstance(inner, dict) else set()
    return {*value, *below}
