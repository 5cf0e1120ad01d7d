"""An archive: the evidence of one operation as it lies in a state folder, checked against its own digests before use.

It holds `operations/<id>.json` and `artifacts/<id>/` (the copy of the old transcript, manifest, ledger, startup
snapshot and, after a rollback, the new session), and may hold `worker.log` and the household's `config.toml`. How it
ended is told by the operation file, never by an empty log (TR-171).
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from threadrebuild.carry.candidate import LEDGER, MANIFEST
from threadrebuild.carry.manifest import Manifest, read_manifest
from threadrebuild.carry.rows import parsed_time
from threadrebuild.config import CONFIG_NAME, FACTS_OF_DOOR, ConfigError, Settings, load_settings
from threadrebuild.doors.door import is_session_id
from threadrebuild.operation.prepare import SNAPSHOT
from threadrebuild.operation.record import Operation
from threadrebuild.operation.retention import DROPPED
from threadrebuild.transcript.lines import digest_of

OPERATIONS = "operations"
ARTIFACTS = "artifacts"
WORKER_LOG = "worker.log"


class BadArchive(ValueError):
    """An archive that cannot be used; the message names the file and says why."""


@dataclass(frozen=True)
class Archive:
    """One operation's evidence. `config` and `later` are None where the archive has none."""

    root: Path
    operation_file: Path
    operation: Operation
    transcript: Path
    """The copy of the old transcript, whole and with the digest on record."""
    manifest: Manifest | None
    """None where no candidate was built."""
    later: Path | None
    """The new session's transcript, as it stood when the old one came back."""
    settings: Settings
    config: Path | None
    notes: tuple[str, ...]
    """What a reader should know about the evidence itself."""

    @property
    def artifacts(self) -> Path:
        """The operation's own folder."""
        return self.root / ARTIFACTS / self.operation.id


def read_archive(path: Path) -> Archive:
    """Read and check an archive; touches nothing. Raises `BadArchive`."""
    root, operation_file, notes = _found(path)
    operation = _operation(operation_file)
    if operation.new_session_id is not None and not is_session_id(operation.new_session_id):
        raise BadArchive(f"{operation_file}: {operation.new_session_id!r} is no session id")
    if operation.door not in FACTS_OF_DOOR:
        raise BadArchive(f"{operation_file}: {operation.door!r} is no door; there are {', '.join(FACTS_OF_DOOR)}")
    if operation.carry != "dialogue":
        raise BadArchive(f"{operation_file}: carries a window note; only carries of the dialogue can be replayed")
    folder = root / ARTIFACTS / operation.id
    if operation.source is None:
        why = operation.error or "nothing had been asked of a worker"
        raise BadArchive(f"{operation_file}: ended as {operation.state} before a transcript was copied ({why})")
    if not folder.is_dir():
        raise BadArchive(f"{folder}: no such folder; without the copy of the transcript nothing can be replayed")
    transcript = folder / Path(operation.source.backup).name
    _compare(transcript, operation.source.sha256, operation, operation.source.bytes)
    if operation.candidate is not None:
        _compare(folder / MANIFEST, operation.candidate.manifest_sha256, operation)
        if operation.candidate.startup_snapshot_sha256 is not None:
            _compare(folder / SNAPSHOT, operation.candidate.startup_snapshot_sha256, operation)
        _json(folder / LEDGER)
    settings, config, more = _settings(root, operation)
    return Archive(
        root,
        operation_file,
        operation,
        transcript,
        _manifest(folder / MANIFEST) if operation.candidate is not None else None,
        _later(folder, operation),
        settings,
        config,
        (*notes, *more),
    )


def _found(path: Path) -> tuple[Path, Path, list[str]]:
    """The root of an archive and the operation's file: the one named, or the one that was requested last."""
    if not path.exists():
        raise BadArchive(f"{path}: no such file or folder")
    if not path.is_dir():
        if path.parent.name != OPERATIONS:
            raise BadArchive(
                f"{path}: not in a folder `{OPERATIONS}`, so there is no copy of the transcript with it; what "
                "`threadrebuild export --redact` prints holds none either: name the state folder itself"
            )
        return path.parent.parent, path, []
    files = sorted((path / OPERATIONS).glob("*.json"))
    if not files:
        raise BadArchive(f"{path / OPERATIONS}: no operation file (<id>.json) in it")
    times = {file: _operation(file).created_at for file in files}
    latest = max(files, key=lambda file: (times[file], file.name))
    others = len(files) - 1
    return path, latest, [f"the latest of {len(files)} operations; name another's file to see it"] if others else []


def _operation(file: Path) -> Operation:
    try:
        operation = msgspec.json.decode(file.read_bytes(), type=Operation)
    except OSError as error:
        raise BadArchive(f"{file}: {error.strerror or error}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadArchive(f"{file}: no operation: {error}") from None
    if parsed_time(operation.created_at) is None:
        raise BadArchive(f"{file}: created_at: {operation.created_at!r} is no time")
    if operation.id != file.stem:
        raise BadArchive(f"{file}: is the record of operation {operation.id}")
    return operation


def _compare(file: Path, sha256: str, operation: Operation, size: int | None = None) -> None:
    """Raises `BadArchive` where a file is not what is on record."""
    try:
        there = file.stat().st_size
        found = digest_of(file, there)
    except OSError as error:
        dropped = next((step for step in operation.steps if step.event == DROPPED), None)
        why = f"; dropped on {dropped.at}: {dropped.detail}" if dropped else ""
        raise BadArchive(f"{file}: {error.strerror or error}{why}") from None
    if size not in (None, there):
        raise BadArchive(f"{file}: {there} bytes, {size} are on record")
    if found != sha256:
        raise BadArchive(f"{file}: its SHA-256 is {found}, {sha256} is on record")


def _manifest(file: Path) -> Manifest:
    try:
        return read_manifest(file)
    except ValueError as error:
        raise BadArchive(str(error)) from None


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise BadArchive(f"{file}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise BadArchive(f"{file}: no JSON: {error}") from None


def _later(folder: Path, operation: Operation) -> Path | None:
    if operation.candidate is None or not operation.later_dialogue:
        return None
    later = folder / f"{operation.new_session_id}.jsonl"
    if not later.is_file():
        raise BadArchive(f"{later}: the later dialogue is on record, and the file is not there")
    carried = operation.candidate.bytes
    if later.stat().st_size < carried or digest_of(later, carried) != operation.candidate.sha256:
        raise BadArchive(f"{later}: does not begin with the {carried} bytes of the candidate on record")
    return later


def _settings(root: Path, operation: Operation) -> tuple[Settings, Path | None, list[str]]:
    """The household's settings, or what the record shows of them."""
    config = root / CONFIG_NAME
    if config.exists():
        try:
            return load_settings(config), config, []
        except ConfigError as error:
            raise BadArchive(str(error)) from None
    shown = {
        "fixed_load_tokens": operation.stats.get("fixed_load_tokens"),
        "dirty_budget_bytes": operation.dirty_at_prepare.get("dirty_budget_bytes"),
    }
    known = {name: value for name, value in shown.items() if value is not None}
    try:
        settings = msgspec.convert(known, Settings)
    except msgspec.ValidationError as error:
        raise BadArchive(f"{operation.id}.json: {error}") from None
    return settings, None, [f"no {CONFIG_NAME} in the archive: settings are the defaults, and what the record shows"]
