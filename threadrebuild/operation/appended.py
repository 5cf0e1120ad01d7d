"""What a host appended to a transcript since a certain byte: rows without speech are let through, words are not."""

from pathlib import Path

from threadrebuild.config import Settings
from threadrebuild.transcript.reader import Reader


def speech_after(path: Path, start: int, settings: Settings) -> tuple[int, int]:
    """How many texts stand after the first `start` bytes, and in how many rows.

    What cannot be read counts as a text: nobody can show that it is none. Raises OSError.
    """
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read().split(b"\n")
    reader = Reader(settings)
    reader.take(lines[:-1])
    if lines[-1]:
        reader.take_tail(lines[-1])
    texts = len(reader.said) + len(reader.queue.never_read()) + len(reader.malformed)
    return texts, reader.line
