"""The rows of a candidate with a window note: the opening with the note, then each retained row with ids of its own.

A retained row is the source's row byte for byte, but for what names the session and the row's place in it: ids, parent,
and its time where times would not ascend. Whatever else a version writes or leaves out stays as it is.
"""

import re
import uuid
from collections.abc import Iterator

from threadrebuild.carry.places import SourceChanged, WholeMessage
from threadrebuild.carry.plan import Plan
from threadrebuild.carry.record_rows import RecordRow
from threadrebuild.carry.rows import (
    EPOCH,
    STEP,
    NewBlock,
    NewRow,
    as_json,
    derived_id,
    parsed_time,
    written_time,
)
from threadrebuild.carry.span_bytes import message_of
from threadrebuild.carry.stripping import row_bytes
from threadrebuild.carry.window import Window
from threadrebuild.transcript.spans import members
from threadrebuild.transcript.speech import Role

_OBJECT = re.compile(rb"\s*\{")


def window_rows(plan: Plan, window: Window, session_id: str) -> Iterator[NewRow]:
    """The candidate's rows in order; the same plan and session id give the same bytes.

    Raises `SourceChanged` where a row is no longer what was planned.
    """
    namespace = uuid.UUID(session_id)
    known = (time for row in window.rows if (time := parsed_time(row.time)) is not None)
    last_time = next(known, EPOCH) - STEP
    opening = [NewBlock("user", "startup", block.token, block) for block in window.opening]
    opening.append(NewBlock("user", "note", window.note.token, None))  # WN-01
    first = _new_row(plan, session_id, opening, 0, None, written_time(last_time))
    yield first
    parent, position = first.uuid, len(opening)
    new_ids = {
        row.uuid: str(derived_id(namespace, f"{position + place}:{row.uuid or ''}"))
        for place, row in enumerate(window.rows)
        if row.uuid is not None
    }
    with plan.source.path.open("rb") as file:
        for row in window.rows:
            line = row_bytes(row, file)
            item_id = str(derived_id(namespace, f"{position}:{row.uuid or ''}"))
            own = parsed_time(row.time)
            later = last_time + STEP
            last_time = max(own or later, later)
            written_at = written_time(last_time)
            if row.time is not None and row.time.endswith("Z") and own == last_time:
                written_at = row.time
            try:
                block = _block(line, row, window)
                written = _rewritten(line, row, block, session_id, item_id, parent, written_at, new_ids)
            except (ValueError, KeyError) as error:
                raise SourceChanged(f"line {row.line} is no longer the row that was read: {error}") from None
            yield NewRow(item_id, written, [block], [item_id], written_at)
            parent, position = item_id, position + 1
    if window.waiting:  # WN-02
        blocks = [NewBlock("user", "queued", said.token, said) for said in window.waiting]
        yield _new_row(plan, session_id, blocks, position, parent, written_time(last_time + STEP))


def _block(line: bytes, row: RecordRow, window: Window) -> NewBlock:
    message = message_of(line, row, window.stripping)
    source = WholeMessage(row.uuid, row.time, row.line, row.offset + message.start, message.whole)
    role: Role = "assistant" if row.kind == "assistant" else "user"
    return NewBlock(role, "span", message.carried, source)


def _rewritten(
    line: bytes,
    row: RecordRow,
    block: NewBlock,
    session_id: str,
    item_id: str,
    parent: str,
    time: str,
    new_ids: dict[str, str],
) -> bytes:
    found = members(line.decode("latin-1"))
    new: dict[str, bytes] = {
        "sessionId": as_json(session_id),
        "uuid": as_json(item_id),
        "parentUuid": as_json(parent),
        "timestamp": as_json(time),
    }
    if "session_id" in found:
        new["session_id"] = as_json(session_id)
    if "sourceToolAssistantUUID" in found:  # WN-06
        caller = found["sourceToolAssistantUUID"]
        known = new_ids.get(line[caller.start : caller.end].decode("utf-8").strip('"'))
        if known is not None:
            new["sourceToolAssistantUUID"] = as_json(known)
    if time == row.time and "timestamp" in found:
        del new["timestamp"]
    payload = "attachment" if row.kind == "attachment" else "message"
    changes = {**new, payload: block.token}
    pieces, at = [], 0
    for name, span in sorted(found.items(), key=lambda each: each[1].start):
        if name in changes:
            pieces += [line[at : span.start], changes.pop(name)]
            at = span.end
    written = b"".join((*pieces, line[at:])).rstrip(b" \t\r\n")
    missing = b"".join(as_json(name) + b":" + value + b"," for name, value in changes.items())
    begin = _OBJECT.match(written)
    assert begin is not None
    return written[: begin.end()] + missing + written[begin.end() :] + b"\n"


def _new_row(
    plan: Plan, session_id: str, blocks: list[NewBlock], position: int, parent: str | None, time: str
) -> NewRow:
    """A row of the carry's own, marked with a word a block."""
    namespace = uuid.UUID(session_id)
    ids = [
        str(derived_id(namespace, f"{position + number}:{block.source.uuid or '' if block.source else ''}"))
        for number, block in enumerate(blocks)
    ]
    envelope = {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": plan.source.cwd or "",
        "sessionId": session_id,
        "version": plan.source.versions[-1] if plan.source.versions else "",
        "type": "user",
    }
    ending = {"threadrebuild": [block.word for block in blocks], "uuid": ids[0], "timestamp": time}
    content = b",".join(b'{"type":"text","text":' + block.token + b"}" for block in blocks)
    message = b',"message":{"role":"user","content":[%s]},' % content
    return NewRow(ids[0], as_json(envelope)[:-1] + message + as_json(ending)[1:] + b"\n", blocks, ids, time)
