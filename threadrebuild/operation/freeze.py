"""Freezing: a stable transcript is copied, and from then on only the copy is read (TR-103, TR-104)."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from threadrebuild.config import Settings
from threadrebuild.operation.appended import speech_after
from threadrebuild.operation.household import Household
from threadrebuild.transcript.lines import BATCH_BYTES, digest_of

TAIL_BYTES = 1 << 16
ROOM_FACTOR = 3
"""Room that is asked for on a disk before the freeze, in sizes of the transcript: backup, candidate, and a margin."""


class NotFrozen(Exception):
    """The transcript could not be frozen; nothing was touched."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """What was frozen: the first `size` bytes of the source, their digest, and the copy."""

    size: int
    sha256: str
    copy: Path


def freeze(house: Household, source: Path, copy: Path) -> Frozen:
    """Wait until the transcript is stable, copy it, and prove that the copy is what was stable."""
    for folder in (copy.parent, house.project_dir):
        house.ports.files.make_folder(folder)
        room, wanted = house.ports.files.free_bytes(folder), ROOM_FACTOR * _size(source)
        if room < wanted:
            raise NotFrozen(f"{folder}: {room} bytes free, {wanted} wanted for backup and candidate")
    size, digest = _stable(house, source)
    files = house.ports.files
    files.remove(copy)
    copied = sha256()
    with source.open("rb") as original, files.create(copy) as written:
        left = size
        while left and (batch := original.read(min(left, BATCH_BYTES))):
            written.write(batch)
            copied.update(batch)
            left -= len(batch)
        files.sync(written)
    files.sync_folder(copy.parent)
    if copied.hexdigest() != digest or digest_of(copy, size) != digest:  # TR-104 TR-168
        raise NotFrozen("the copy is not what was stable a moment ago; nothing was touched, it is safe to try again")
    return Frozen(size, digest, copy)


def changed_since(source: Path, frozen_size: int, frozen_sha256: str, settings: Settings) -> str | int:
    """What happened to the source since the freeze: a sentence that forbids going on, or the rows appended (TR-086).

    Newer hosts append cost and mode rows after a turn; such rows hold no speech and are counted.
    """
    try:
        if _size(source) < frozen_size or digest_of(source, frozen_size) != frozen_sha256:
            return "the source is not what was frozen"
        speech, rows = speech_after(source, frozen_size, settings)
    except OSError as error:
        return f"the source cannot be read any more: {error.strerror or error}"
    if speech:  # TR-096 OPS-02
        return "something was said after the freeze"
    return rows


def neighbours_of(house: Household, own: set[str]) -> dict[str, str]:
    """Digest of every other transcript in the project folder: name → SHA-256 (TR-106).

    Sub-agents' files and the operation's own files do not count.
    """
    found = {}
    for path in sorted(house.project_dir.glob("*.jsonl")):
        if path.name in own or path.name.startswith("agent-"):  # TR-179
            continue
        found[path.name] = digest_of(path, _size(path))
    return found


def goes_on_in(house: Household, source: Path) -> str | None:
    """The name of another transcript in which this very session goes on; None where there is none.

    Version 1.0.128, resumed in a terminal, writes to a new file and goes on naming the old one to its hook.
    """
    _, last = _last_said_by(source)
    for path in sorted(house.project_dir.glob("*.jsonl")):
        session, at = _last_said_by(path)
        is_other = path.name != source.name and not path.name.startswith("agent-")
        if is_other and session == source.stem and at > last:
            return path.name
    return None


def _last_said_by(path: Path) -> tuple[str, str]:
    """Session id and time of the last row that has both, looked for in the last bytes of a file; else empty."""
    with path.open("rb") as file:
        file.seek(max(0, _size(path) - TAIL_BYTES))
        lines = file.read().splitlines()
    for line in reversed(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        named = (row.get("sessionId"), row.get("timestamp")) if isinstance(row, dict) else ()
        if named and all(isinstance(each, str) for each in named):
            return str(named[0]), str(named[1])
    return "", ""


def _stable(house: Household, source: Path) -> tuple[int, str]:
    """Size and digest of a file that did not change for one interval. Raises `NotFrozen` at the deadline."""
    settings, clock = house.settings, house.ports.clock
    waited = 0.0
    before = _fingerprint(source)
    while waited < settings.stable_file_timeout_seconds:  # TR-103
        clock.sleep(settings.stable_file_seconds)
        waited += settings.stable_file_seconds
        now = _fingerprint(source)
        if now == before:  # TR-103 OPS-03
            return now
        before = now
    raise NotFrozen(f"{source.name} kept growing for {settings.stable_file_timeout_seconds} s")


def _fingerprint(path: Path) -> tuple[int, str]:
    size = _size(path)
    return size, digest_of(path, size)


def _size(path: Path) -> int:
    return path.stat().st_size
