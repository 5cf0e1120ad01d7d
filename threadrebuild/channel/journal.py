"""The journal: inbound messages are held from the freeze to the handover, so that none goes to a process about to die.

The worker holds, the channel looks before each sending. What comes in meanwhile lies here, a file a message, until it
is found in the transcript of the session that lives on; only then is it delivered. A hold runs out by itself, so that a
worker that dies cannot silence a household.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from threadrebuild.channel.message import Message, MessageId
from threadrebuild.ports import Clock, Files, Locks

SENDING_SECONDS_MOST = 5.0
"""How long a hold waits for a sending that has begun; what went out by then, the cursor's step back covers."""


class _Hold(msgspec.Struct):
    until: str


class Journal:
    """The folder `channel_dir`, which worker and channel share; a channel written in another language needs only this:

    `hold.json` (`until`: ISO, UTC, microseconds) while messages are held; `sending.lock`, flocked exclusively around
    each look and sending; `journal/<number>-<digest of the id>.json` with the fields of `Message`.
    """

    def __init__(self, folder: Path, files: Files, locks: Locks, clock: Clock) -> None:
        self._folder = folder
        self._messages = folder / "journal"
        self._hold = folder / "hold.json"
        self._lock = folder / "sending.lock"
        self._files = files
        self._locks = locks
        self._clock = clock

    def hold(self, until: str) -> None:
        """Hold inbound messages until an ISO time; on return no sending that looked before is under way."""
        self._files.make_folder(self._folder)
        self._write(self._hold, msgspec.json.encode(_Hold(until)))
        with suppress(TimeoutError), self._locks.hold(self._lock, SENDING_SECONDS_MOST):
            pass

    def release(self) -> None:
        """Let messages through again. Where that fails the hold runs out by itself."""
        with suppress(OSError):
            self._files.remove(self._hold)
            self._files.sync_folder(self._folder)

    @contextmanager
    def sending(self) -> Iterator[bool]:
        """Whether a message may go out now; while the context lasts, no hold begins."""
        self._files.make_folder(self._folder)
        with self._locks.hold(self._lock):
            yield not self._held()

    def append(self, message: Message) -> None:
        """Keep a message durably, once however often it comes."""
        self._files.make_folder(self._messages)
        path = self._path(message)
        if not path.exists():
            self._write(path, msgspec.json.encode(message))

    def entries(self) -> list[Message]:
        """The messages kept and not closed, in the order of the relay's numbers."""
        paths = sorted(self._messages.glob("*.json"))
        return [msgspec.json.decode(path.read_bytes(), type=Message) for path in paths]

    def close(self, delivered: Iterable[MessageId]) -> None:
        """Drop the messages that were found in the session that lives on."""
        found = set(delivered)
        for message in self.entries():
            if message.id in found:
                self._files.remove(self._path(message))
                self._files.sync_folder(self._messages)

    def _held(self) -> bool:
        try:
            until = msgspec.json.decode(self._hold.read_bytes(), type=_Hold).until
        except (OSError, msgspec.DecodeError, RecursionError):
            return False
        return self._clock.now().isoformat(timespec="microseconds") <= until

    def _path(self, message: Message) -> Path:
        identity = sha256("\0".join(message.id).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._messages / f"{message.number:020d}-{identity}.json"

    def _write(self, final: Path, content: bytes) -> None:
        part = final.with_suffix(".part")
        self._files.remove(part)
        with self._files.create(part) as file:
            file.write(content)
            self._files.sync(file)
        self._files.replace(part, final)
        self._files.sync_folder(final.parent)
