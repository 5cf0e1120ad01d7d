"""The rows of a candidate: new envelopes around the source's own tokens.

Neighbouring user texts become blocks of one row, since a host adds line breaks where it merges rows; an assistant
message stays a row of its own. Each row is marked with one word a block, so that carrying a candidate again yields the
same speech. What is written here meets the portable minimum that every measured version of the host resumes.
"""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from threadrebuild.carry.places import WholeMessage
from threadrebuild.carry.plan import Plan, stamp_of
from threadrebuild.transcript.speech import Role, StartupBlock, Utterance, Word

MODEL_UNKNOWN = "unknown"
"""Stands where no assistant row of the source names a model; the host then takes its default."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STEP = timedelta(milliseconds=1)
FIRST_YEAR = 2
LAST_YEAR = 9000
"""A later time is taken for none, so that later rows still have room to ascend."""


@dataclass(slots=True)
class NewBlock:
    """One block to be written: the token, its mark, and what it came from (None: a stamp, a note).

    Of a retained row the whole message is one block, marked `span` in the manifest alone.
    """

    role: Role
    word: Word | Literal["span"]
    token: bytes
    source: Utterance | StartupBlock | WholeMessage | None
    message: int | None = None
    """The assistant message it belongs to, which gets a row of its own; the blocks of a run of user rows have none."""


@dataclass(slots=True)
class NewRow:
    """One row of a candidate, as written."""

    uuid: str
    line: bytes
    blocks: list[NewBlock]
    item_ids: list[str]
    timestamp: str


def rows_of(plan: Plan, session_id: str) -> Iterator[NewRow]:
    """The candidate's rows in order; the same plan and session id give the same bytes.

    An item's id is the version 5 UUID, in the new session's namespace, of "<position>:<source uuid>" (TR-061).
    """
    namespace = uuid.UUID(session_id)
    model = _models(plan)
    last_time = _first_time(plan) - STEP
    parent: str | None = None
    position = 0
    for blocks in _grouped(_blocks(plan)):
        item_ids = []
        for block in blocks:
            source_uuid = block.source.uuid if block.source is not None else None
            item_ids.append(str(derived_id(namespace, f"{position}:{source_uuid or ''}")))
            position += 1  # TR-061
        last_time = max(_time_of(blocks) or last_time, last_time + STEP)
        message: dict[str, object] = {"role": blocks[0].role}
        if blocks[0].role == "assistant":
            message = {
                "id": "msg_" + derived_id(namespace, f"message:{item_ids[0]}").hex,
                "type": "message",
                "role": "assistant",
                "model": next(model),
            }
        timestamp = written_time(last_time)
        envelope = {
            "parentUuid": parent,  # TR-062
            "isSidechain": False,
            "userType": "external",
            "cwd": plan.source.cwd or "",
            "sessionId": session_id,  # TR-060
            "version": plan.source.versions[-1] if plan.source.versions else "",
            "type": blocks[0].role,
        }
        ending = {
            "threadrebuild": [block.word for block in blocks],  # TR-L09 TR-184
            "uuid": item_ids[0],
            "timestamp": timestamp,
        }
        content = b",".join(b'{"type":"text","text":' + block.token + b"}" for block in blocks)
        line = b'%s,"message":%s,"content":[%s]},%s\n' % (
            as_json(envelope)[:-1],
            as_json(message)[:-1],
            content,
            as_json(ending)[1:],
        )
        yield NewRow(item_ids[0], line, blocks, item_ids, timestamp)
        parent = item_ids[0]


def derived_id(namespace: uuid.UUID, name: str) -> uuid.UUID:
    """A version 5 UUID of any string, also one with half a surrogate pair, which `uuid.uuid5` cannot take."""
    digest = hashlib.sha1(namespace.bytes + name.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return uuid.UUID(bytes=digest[:16], version=5)


def written_time(time: datetime) -> str:
    """A time as rows have it."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def as_json(value: object) -> bytes:
    """Compact ASCII."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii")


def _blocks(plan: Plan) -> Iterator[NewBlock]:
    """Everything that is written, in order: snapshot, runtime summaries, then the talk (TR-036)."""
    for block in plan.source.startup:
        yield NewBlock("user", "startup", block.token, block)  # TR-036 TR-038
    for text in plan.summaries:
        yield NewBlock("user", "runtime", text.token, text)
    for turn in plan.selected:
        stamp = stamp_of(turn, plan.settings)
        if stamp is not None:
            yield NewBlock("user", "stamp", stamp, None)
        for said in turn.utterances:
            message = said.node if said.role == "assistant" else None  # TR-034
            yield NewBlock(said.role, said.origin, said.token, said, message)


def _grouped(blocks: Iterable[NewBlock]) -> Iterator[list[NewBlock]]:
    row: list[NewBlock] = []
    for block in blocks:
        if row and (block.role, block.message) != (row[0].role, row[0].message):
            yield row
            row = []
        row.append(block)
    if row:
        yield row


def _models(plan: Plan) -> Iterator[str]:
    """The model of each assistant row: its own, else its nearest neighbour's, never the synthetic one."""
    groups: list[str | None] = []
    for blocks in _grouped(_blocks(plan)):
        if blocks[0].role == "assistant":
            sources = (block.source for block in blocks)
            named = (each.model for each in sources if isinstance(each, Utterance) and each.model)
            groups.append(next(named, None))
    following: list[str | None] = [None] * len(groups)
    later: str | None = None
    for number in range(len(groups) - 1, -1, -1):
        later = groups[number] or later
        following[number] = later
    earlier: str | None = None
    for own, after in zip(groups, following, strict=True):
        earlier = own or earlier
        yield own or earlier or after or MODEL_UNKNOWN


def _first_time(plan: Plan) -> datetime:
    times = (parsed_time(said.time) for said in plan.carried)
    return next((time for time in times if time is not None), EPOCH)


def _time_of(blocks: list[NewBlock]) -> datetime | None:
    times = (parsed_time(block.source.time) for block in blocks if block.source is not None)
    return next((time for time in times if time is not None), None)


def parsed_time(time: str | None) -> datetime | None:
    """A row's time in UTC to the millisecond; None where it is none, or leaves later rows no room to ascend."""
    if time is None:  # WN-06
        return None
    try:
        parsed = datetime.fromisoformat(time)
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=UTC)
        parsed = parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if not FIRST_YEAR <= parsed.year <= LAST_YEAR:
        return None
    return parsed.replace(microsecond=parsed.microsecond // 1000 * 1000)
