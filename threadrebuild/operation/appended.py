"""What a host appended to a transcript since a certain byte: rows without speech are let through, words are not."""

from pathlib import Path

from threadrebuild.channel.proof import batches_of, said_since
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


def said_after(path: Path, start: int, settings: Settings) -> int:
    """How many texts were said in a session since its first `start` bytes were carried into it. Raises OSError.

    What cannot be read counts here too; what was carried holds no such line.
    """
    reader = Reader(settings)
    for lines in batches_of(path):
        reader.take(lines)
    return len(said_since(reader.said, start)) + len(reader.queue.never_read()) + len(reader.malformed)
