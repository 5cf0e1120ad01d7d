"""Verifies a candidate as it stands on disk: by code, from the bytes, never by asking a model whether it remembers.

It reads with the standard library, line by line, and knows nothing of how the candidate was built but the manifest.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from threadrebuild.carry.manifest import Manifest
from threadrebuild.carry.places import speech_spans
from threadrebuild.carry.whole_rows import NOTE_CHECKS, Pairs, holds_note, payload_spans, whole_row_faults
from threadrebuild.transcript.speech import WORDS

_UUID_MEMBER = re.compile(rb'"uuid"\s*:\s*"([^"]*)"')
_BATCH = 1 << 20


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold, whether it does, and where it does not; `ok` is None where nothing was compared."""

    name: str
    ok: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of a candidate, in a fixed order."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check that was made holds."""
        return all(check.ok is not False for check in self.checks)


CHECKS = {
    "parses": "every line is one JSON object",
    "kind": "rows are user and assistant rows of the same role, with text blocks only",
    "session_id": "every row names the session, and so does the file",
    "item_id": "row ids are the manifest's, and each stands once",
    "parent": "each row's parent is the row before it; the first has none",
    "timestamp": "times ascend strictly",
    "model": "every assistant row names a model that is not synthetic",
    "blank": "no block is blank, no row empty",
    "mark": "every row says of each block where it came from",
    "item_count": "as many blocks and rows as the manifest lists",
    "digest": "every block's bytes have the manifest's digest, and so has the file",
    "new_ids": "no id stands in another transcript of the project folder",
}
"""Check → what must hold (TR-064)."""
NO_MANIFEST = {"item_count": "no manifest beside it", "digest": "no manifest beside it"}
NO_NEIGHBOUR = {"new_ids": "no other transcript beside it"}
"""Check → why it was not made."""
ONCE = "each row has an id that stands once; they are compared with no manifest"


def verify_candidate(
    path: Path, session_id: str, manifest: Manifest | None, neighbours: Iterable[Path] = ()
) -> Verification:
    """Check a candidate file against the rules and, where there is one, its manifest.

    `neighbours` are the other transcripts whose ids must not come again. Raises OSError where it cannot be read.
    """
    faults: dict[str, str] = {}

    def fault(check: str, line: int, said: str) -> None:
        faults.setdefault(check, f"line {line}: {said}" if line else said)

    ids: Counter[str] = Counter()
    digest = sha256()
    items = manifest.items if manifest is not None else None
    parent: str | None = None
    last_time: datetime | None = None
    rows = blocks = number = 0
    with_note = False
    pairs = Pairs()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            digest.update(line)
            row = _object(line)
            if row is None:
                fault("parses", number, "not one JSON object")
                continue
            rows += 1
            ids[str(row.get("uuid"))] += 1
            with_note |= rows == 1 and holds_note(row)
            whole = with_note and rows > 1 and (items is None or (blocks < len(items) and items[blocks].word == "span"))
            content_faults = whole_row_faults(row) if whole else _text_faults(row)
            for check, said in (*_row_faults(row, session_id, parent), *content_faults, *pairs.faults(row)):
                fault(check, number, said)
            parent = row.get("uuid") if isinstance(row.get("uuid"), str) else None
            time = _time(row.get("timestamp"))
            if time is None or (last_time is not None and time <= last_time):  # TR-072
                fault("timestamp", number, f"{row.get('timestamp')!r} does not come after the row before")
            last_time = time or last_time
            try:
                spans = payload_spans(line, row.get("type")) if whole else speech_spans(line)[0]
            except ValueError as error:
                fault("parses", number, str(error))
                continue
            for place, span in enumerate(spans):
                blocks += 1
                if items is None:
                    continue
                if blocks > len(items):
                    fault("item_count", number, "a block that the manifest does not list")
                    continue
                item = items[blocks - 1]
                if item.injected_sha256 != sha256(line[span.start : span.end]).hexdigest():  # TR-063
                    fault("digest", number, f"block {place} has other bytes than item {item.position}")
                role = "assistant" if row.get("type") == "assistant" else "user"
                if (item.row, item.block, item.role) != (rows - 1, place, role):
                    fault("item_count", number, f"block {place} stands where item {item.position} does not")
                if place == 0 and item.item_id != row.get("uuid"):
                    fault("item_id", number, f"the row's id is not that of item {item.position}")
    for check, said in pairs.faults_at_end():
        fault(check, 0, said)
    twice = [name for name, count in ids.items() if count > 1]
    if twice:
        fault("item_id", 0, f"id {twice[0]} stands {ids[twice[0]]} times")
    if not rows:
        fault("blank", 0, "the candidate holds no row")
    if manifest is not None:
        if (blocks, rows) != (len(manifest.items), manifest.rows):
            fault(
                "item_count",
                0,
                f"{blocks} blocks in {rows} rows, {len(manifest.items)} in {manifest.rows} listed",
            )
        if digest.hexdigest() != manifest.candidate_sha256:
            fault("digest", 0, "the file's digest is not the manifest's")
        if manifest.session_id != session_id:
            fault("session_id", 0, f"the manifest is of session {manifest.session_id}")
    unmade = dict(NO_MANIFEST) if manifest is None else {}
    others = list(neighbours)
    if not others:
        unmade |= NO_NEIGHBOUR
    for neighbour in others:
        known = next((name for name in _ids_in(neighbour) if name in ids), None)
        if known is not None:
            fault("new_ids", 0, f"id {known} stands in {neighbour.name} too")
    names = CHECKS | NOTE_CHECKS if with_note else CHECKS
    holds = names if manifest is not None else names | {"item_id": ONCE}
    return Verification(
        tuple(
            Check(name, None, unmade[name])
            if name in unmade
            else Check(name, name not in faults, faults.get(name, holds[name]))
            for name in names
        )
    )


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and line.endswith(b"\n") else None


def _row_faults(row: dict[str, Any], session_id: str, parent: str | None) -> Iterator[tuple[str, str]]:
    if row.get("isSidechain") is True:
        yield "kind", "a row of a sub-agent"
    if row.get("sessionId") != session_id:  # TR-060
        yield "session_id", f"names session {row.get('sessionId')!r}"
    if "parentUuid" not in row or row["parentUuid"] != parent:  # TR-062
        yield "parent", f"its parent is {row.get('parentUuid')!r}"
    if not isinstance(row.get("uuid"), str):  # TR-072
        yield "item_id", "a row without an id"


def _text_faults(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    kind = row.get("type")
    message = row.get("message")
    message = message if isinstance(message, dict) else {}
    content = message.get("content")
    if kind not in ("user", "assistant") or message.get("role") != kind or "toolUseResult" in row:  # TR-060
        yield "kind", f"a row of kind {kind!r} with role {message.get('role')!r}"
    if not isinstance(content, list) or not content:
        yield "blank", "a row without blocks"
        content = []
    for block in content:
        if not isinstance(block, dict) or set(block) != {"type", "text"} or block["type"] != "text":  # TR-064
            yield "kind", "a block that is not plain text"
        elif not isinstance(block["text"], str) or not block["text"].strip():
            yield "blank", "a block without a visible character"
    model = message.get("model")
    if kind == "assistant" and (not isinstance(model, str) or model in ("", "<synthetic>")):  # TR-072
        yield "model", f"model {model!r}"
    marks = row.get("threadrebuild")
    known = [mark for mark in marks if isinstance(mark, str) and mark in WORDS] if isinstance(marks, list) else []
    if known != marks or len(marks) != len(content):
        yield "mark", "there is not one known mark for each block"


def _time(value: object) -> datetime | None:
    """A time with its zone; one without cannot be compared with the others."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None


def _ids_in(path: Path) -> Iterator[str]:
    """Every id of a row in another transcript, found by its bytes, without parsing."""
    with path.open("rb") as file:
        rest = b""
        while batch := file.read(_BATCH):
            batch = rest + batch
            last = 0
            for match in _UUID_MEMBER.finditer(batch):
                last = match.end()
                yield match[1].decode("utf-8", "replace")
            rest = batch[max(last, len(batch) - 128) :]
