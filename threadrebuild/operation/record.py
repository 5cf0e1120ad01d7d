"""What is on record about one operation: its state, its evidence and digests, and no word of the dialogue (TR-146)."""

from typing import Any, Literal

import msgspec

from threadrebuild.channel.proof import Delivery
from threadrebuild.doors.door import Identity
from threadrebuild.operation.states import State


class Lease(msgspec.Struct, frozen=True):
    """A worker's claim: whose it is, and until when (ISO time) it holds without being renewed (TR-L25)."""

    worker: str
    until: str


class Source(msgspec.Struct, frozen=True):
    """The transcript as it was frozen: its first `bytes` bytes, their digest, and the copy that was read since."""

    path: str
    session_id: str
    bytes: int
    sha256: str
    backup: str


class Built(msgspec.Struct, frozen=True):
    """The candidate: its digests, and the ids and digests of its items in order (TR-063).

    `path` is its place in the project folder, where it lies from the switch on; it was built beside the backup.
    """

    session_id: str
    path: str
    bytes: int
    sha256: str
    startup_snapshot_sha256: str | None
    manifest: str
    manifest_sha256: str
    items: list[tuple[str, str]]


class Step(msgspec.Struct, frozen=True):
    """One thing that happened to the operation: when, which event, the state it led to, and why."""

    at: str
    event: str
    state: State
    detail: str = ""


class Operation(msgspec.Struct, kw_only=True):
    """One rebuild from request to end, as it lies in `operations/<id>.json`."""

    id: str
    state: State
    created_at: str
    updated_at: str
    door: str
    reasons: list[str] = []
    steps: list[Step] = []
    lease: Lease | None = None
    transcript_path: str | None = None
    source: Source | None = None
    neighbours: dict[str, str] = {}
    """Other transcripts of the project folder at the freeze: name → SHA-256 (TR-106)."""
    surroundings: dict[str, str] = {}
    """What of the system prompt's sources could be seen at the freeze: name → SHA-256 (TR-L29)."""
    surroundings_changed: list[str] = []
    """What of it was another when the new session started."""
    cas_identity: Identity | None = None
    """Who held the door when it was asked for; nobody else may be replaced (TR-105)."""
    cas_identity_after: Identity | None = None
    new_session_id: str | None = None
    carry: Literal["dialogue", "note"] = "dialogue"
    """What of the old session goes along; known from `preparing` on."""
    candidate: Built | None = None
    switched: bool = False
    """Whether the door was asked to bring the new session in; from then on the candidate is evidence (TR-071)."""
    candidate_discarded: bool = False
    stats: dict[str, Any] = {}
    dirty_at_prepare: dict[str, Any] = {}
    verification: dict[str, Any] = {}
    door_command: list[str] = []
    rows_after_freeze: int = 0
    """Rows without speech that the host appended to the source after the freeze."""
    session_conflict: bool = False
    error: str | None = None
    rollback_ok: bool | None = None
    activated_at: str | None = None
    proven: dict[str, bool] = {}
    """Which of the inbound and outbound probes were seen to pass since activation (TR-L20)."""
    messages: dict[str, Delivery] = {}
    """What became of the messages held during the switch: source/chat/id → state and evidence (TR-172)."""
    later_dialogue: dict[str, Any] = {}
    """What was said after activation and stays in the new session: file and number of texts (TR-L24)."""
    format: Literal[1] = 1
    """A record of another version is none that this one may go on with."""
