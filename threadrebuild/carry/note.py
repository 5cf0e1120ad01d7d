"""The window note: what the host wrote down about the talk that is older than the retained span, as it stands."""

import json
from dataclasses import dataclass
from pathlib import Path

from threadrebuild.carry.plan import estimate
from threadrebuild.config import Settings
from threadrebuild.transcript.lines import UnreadableInput


@dataclass(frozen=True, slots=True)
class Note:
    """A note as the JSON token that is written, and its estimated tokens."""

    token: bytes
    tokens: int


def note_of(text: str, settings: Settings) -> Note:
    """A note of these words."""
    token = json.dumps(text, ensure_ascii=False).encode("utf-8")
    return Note(token, estimate(token, settings))


def read_note(path: Path, settings: Settings) -> Note:
    """Read a note. Raises `UnreadableInput` where there is none: no file, no UTF-8, nothing written in it."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: a window note is UTF-8: {error.reason}") from None
    if not text.strip().strip("\ufeff").strip():
        raise UnreadableInput(f"{path}: an empty window note")
    return note_of(text, settings)
