"""The bytes of a transcript, a batch of lines at a time, with their digest: one pass, in memory of one batch.

What counts is the file as it was when it was opened: its first `size` bytes. What a writer appends meanwhile is not
read, and is reported.
"""

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

BATCH_BYTES = 4 * 1024 * 1024


class UnreadableInput(Exception):
    """The input is no readable transcript file; the message names it and says why."""


class TranscriptFile:
    """A transcript opened for reading; `batches` gives its lines once, then `tail`, `sha256`, `grown` are known."""

    def __init__(self, path: Path) -> None:
        if path.suffix != ".jsonl" and path.is_file():  # TR-001
            raise UnreadableInput(f"{path}: not a .jsonl file")
        try:
            if path.exists() and not path.is_file():  # opening a pipe would wait for its writer
                kind = "a directory" if path.is_dir() else "no regular file"
                raise UnreadableInput(f"{path}: {kind}, not a transcript")
            self._file = path.open("rb", buffering=0)
        except OSError as error:
            raise UnreadableInput(f"{path}: {error.strerror or error}") from None
        self.path = path
        self.size = os.fstat(self._file.fileno()).st_size
        self.sha256 = ""
        self.tail = b""
        """What follows the last line feed; empty in a file that ends with one."""
        self.grown = 0
        """Bytes that a writer appended while the file was read; they are not read."""

    def batches(self) -> Iterator[list[bytes]]:
        """Lists of lines without their line feed, in order. Raises `UnreadableInput` when the file gets shorter."""
        digest = hashlib.sha256()
        pieces: list[bytes] = []
        left = self.size
        with self._file as file, ThreadPoolExecutor(1) as beside:
            hashing: Future[None] | None = None
            while left:
                batch = self._read(file.fileno(), min(left, BATCH_BYTES))
                left -= len(batch)
                if hashing is not None:
                    hashing.result()
                if left or hashing is not None:
                    hashing = beside.submit(digest.update, batch)
                else:  # A file of one batch is done before a thread has begun.
                    digest.update(batch)
                lines = batch.split(b"\n")
                if len(lines) == 1:
                    pieces.append(batch)
                    continue
                pieces.append(lines[0])
                lines[0] = b"".join(pieces)
                pieces = [lines.pop()]
                yield lines
            if hashing is not None:
                hashing.result()
            self.grown = os.fstat(file.fileno()).st_size - self.size
        self.sha256 = digest.hexdigest()
        self.tail = b"".join(pieces)

    def _read(self, descriptor: int, count: int) -> bytes:
        try:
            batch = os.read(descriptor, count)
        except OSError as error:
            raise UnreadableInput(f"{self.path}: {error.strerror or error}") from None
        if not batch:
            raise UnreadableInput(f"{self.path}: became shorter while it was read")
        return batch


def digest_of(path: Path, size: int) -> str:
    """SHA-256 of the first `size` bytes of a file, as hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = size
        while left and (batch := file.read(min(left, BATCH_BYTES))):
            digest.update(batch)
            left -= len(batch)
    return digest.hexdigest()
