"""Operations on disk: one JSON file each, replaced as a whole, private, changed only under one exclusive lock."""

import re
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import ENDS
from threadrebuild.ports import Files, Locks

OPERATION_ID = re.compile(r"[0-9a-f][0-9a-f-]{0,63}")
_PART = ".part"


class StoreError(Exception):
    """The store cannot be used as it lies there; the message names the file and says why."""


class Store:
    """The folder `state_dir`: lock, worker log, operations, and an artifact folder for each (TR-144)."""

    def __init__(self, state_dir: Path, files: Files, locks: Locks) -> None:
        self.state_dir = state_dir
        self.worker_log = state_dir / "worker.log"
        self._operations = state_dir / "operations"
        self._files = files
        self._locks = locks

    def lock(self, limit_seconds: float | None = None) -> AbstractContextManager[None]:
        """The one lock under which states change (TR-147). Raises TimeoutError where it is not free in time."""
        self._files.make_folder(self.state_dir)
        return self._locks.hold(self.state_dir / "coordinator.lock", limit_seconds)

    def artifacts(self, operation_id: str) -> Path:
        """The private folder of an operation's backup and snapshot."""
        return self.state_dir / "artifacts" / _checked(operation_id)

    def load(self, operation_id: str) -> Operation | None:
        """One operation, or None where there is none. Raises `StoreError` where its file is no operation."""
        path = self._operations / f"{_checked(operation_id)}.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=Operation)
        except FileNotFoundError:
            return None
        except (msgspec.DecodeError, RecursionError) as error:
            raise StoreError(f"{path}: no operation: {error}") from None

    def all(self) -> list[Operation]:
        """Every operation, oldest first."""
        names = sorted(path.stem for path in self._operations.glob("*.json"))
        loaded = (self.load(name) for name in names if OPERATION_ID.fullmatch(name))
        return sorted((each for each in loaded if each is not None), key=lambda each: (each.created_at, each.id))

    def latest(self) -> Operation | None:
        """The operation that was requested last."""
        return next(reversed(self.all()), None)

    def active(self) -> Operation | None:
        """The operation that is not at an end; there is at most one (TR-081)."""
        return next((each for each in self.all() if each.state not in ENDS), None)

    def sweep(self) -> None:
        """Remove what a dead writer left half-written. The caller holds the lock, so that nobody else is writing."""
        parts = sorted(self._operations.glob(f"*{_PART}"))
        for part in parts:
            self._files.remove(part)
        if parts:
            self._files.sync_folder(self._operations)

    def save(self, operation: Operation) -> None:
        """Write an operation durably: a reader sees the old file or the new one, whole (TR-147)."""
        self._files.make_folder(self._operations)
        final = self._operations / f"{_checked(operation.id)}.json"
        part = final.with_suffix(_PART)
        self._files.remove(part)
        with self._files.create(part) as file:
            file.write(msgspec.json.format(msgspec.json.encode(operation), indent=1))
            self._files.sync(file)
        self._files.replace(part, final)
        self._files.sync_folder(self._operations)


def _checked(operation_id: str) -> str:
    if OPERATION_ID.fullmatch(operation_id) is None:  # TR-147
        raise StoreError(f"{operation_id!r} is no operation id")
    return operation_id
