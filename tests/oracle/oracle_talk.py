"""Transcripts and candidates made by hand, row by row, for the tests of the judge."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.oracle.speech import Said
from harness.oracle.utterance import Utterance

SESSION = "11111111-2222-4333-8444-555555555555"
LAST: Any = object()


class Talk:
    """Rows in file order; each follows the one before unless `parent` says otherwise."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last: str | None = None

    def row(self, kind: str, *, parent: Any = LAST, uuid: str | None = None, **fields: Any) -> str:
        """Add a chain row and return its uuid."""
        uuid = uuid or f"row-{len(self.lines) + 1}"
        head = {"parentUuid": self.last if parent is LAST else parent, "type": kind, "uuid": uuid}
        self.lines.append(json.dumps({**head, **fields}, ensure_ascii=False))
        self.last = uuid
        return uuid

    def user(self, content: Any, **fields: Any) -> str:
        return self.row("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, *texts: Any, message_id: str | None = None, model: str = "claude-x", **fields: Any) -> str:
        content = [text if isinstance(text, dict) else {"type": "text", "text": text} for text in texts]
        message = {"id": message_id or f"msg-{len(self.lines)}", "role": "assistant", "model": model}
        return self.row("assistant", message={**message, "content": content}, **fields)

    def queued(self, prompt: Any, mode: str = "prompt", **fields: Any) -> str:
        attachment = {"type": "queued_command", "prompt": prompt, "commandMode": mode}
        return self.row("attachment", attachment=attachment, **fields)

    def queue(self, operation: str, **fields: Any) -> None:
        """Add a queue log row, which is no part of the chain."""
        self.lines.append(json.dumps({"type": "queue-operation", "operation": operation, **fields}))

    def write(self, folder: Path) -> Path:
        path = folder / "source.jsonl"
        path.write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")
        return path


def tool(call: str, name: str = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def result(call: str, content: str = "ok", is_error: bool = False) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error}


def texts(quotes: Iterable[Utterance]) -> list[str]:
    return [quote.text for quote in quotes]


Made = list[tuple[str, list[tuple[str, bytes]]]]
"""Rows of a candidate: (role, [(word, token)])."""


def rows_of(said: Said) -> Made:
    """The rows that a whole carry has: startup and summaries, then the talk."""
    first = [*said.startup, *said.summaries]
    rows: Made = [("user", [(_word(each), each.token) for each in first])] if first else []
    node = None
    for each in said.utterances:
        is_next = bool(rows) and rows[-1][0] == each.role and (each.role == "user" or node == each.node)
        if not is_next:
            rows.append((each.role, []))
        rows[-1][1].append((_word(each), each.token))
        node = each.node
    return rows


def write_candidate(folder: Path, rows: Made, session: str = SESSION) -> Path:
    """Write `rows` with the envelope that every version of the CLI resumes; the tokens stay as they are."""
    path = folder / f"{session}.jsonl"
    path.write_bytes(b"".join(_row(place, row, session) for place, row in enumerate(rows)))
    return path


def _row(place: int, row: tuple[str, list[tuple[str, bytes]]], session: str) -> bytes:
    role, blocks = row
    uuid, parent = f'"{session}-{place}"', f'"{session}-{place - 1}"' if place else "null"
    marks = json.dumps([word for word, _ in blocks], separators=(",", ":"))
    content = b",".join(b'{"type":"text","text":' + token + b"}" for _, token in blocks)
    model = f'"id":"made-{place}","model":"claude-x",' if role == "assistant" else ""
    return (
        f'{{"parentUuid":{parent},"isSidechain":false,"userType":"external","cwd":"/home/user/project",'
        f'"sessionId":"{session}","version":"2.1.199","type":"{role}",'
        f'"message":{{{model}"role":"{role}","content":['.encode()
        + content
        + f']}},"threadrebuild":{marks},"uuid":{uuid},"timestamp":"2026-08-15T09:00:00.{place:03}Z"}}\n'.encode()
    )


def _word(each: Utterance) -> str:
    return "runtime" if each.origin == "summary" else each.origin
