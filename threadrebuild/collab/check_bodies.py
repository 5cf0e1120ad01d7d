"""What each kind of check looks at. Paths, folders and commands are taken from the workspace's root."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from threadrebuild.collab import bounds

Text = Annotated[str, Meta(min_length=1)]
SECONDS = 120  # CHK-04
LONGEST_SECONDS = 600  # CHK-04


class FileExists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file is there and is not empty."""

    path: Text


class Contains(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file has this text; inverted, it has not."""

    path: Text
    text: Text
    inverted: bool = False


class Matches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something in the file matches this regular expression, whose `^` and `$` are those of lines; or nothing does."""

    path: Text
    pattern: Text
    inverted: bool = False


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command ends with this code, and prints `output` if that is given."""

    command: Text
    folder: str = ""
    exit_code: int = 0  # CHK-01
    output: str | None = None
    timeout_s: int = SECONDS


class Continuity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parts join well. They come, in order, from one of: a command that lists them, a pattern, one file."""

    command: str = ""
    glob: str = ""
    file: str = ""
    folder: str = ""


Body = FileExists | Contains | Matches | Command | Continuity
KINDS: dict[str, type[Body]] = {
    "file_exists": FileExists,
    "contains": Contains,
    "matches": Matches,
    "command": Command,
    "continuity": Continuity,
}


class Wrong(ValueError):
    """A check of this kind cannot be like that."""


class OutOfBounds(Wrong):
    """It looks at something outside the workspace."""


def read(kind: str, written: dict[str, Any]) -> Body:
    """What a check looks at, as a user or the organizer has written it. Raises `Wrong`, `OutOfBounds` (CHK-03)."""
    try:
        body = msgspec.convert(written, KINDS[kind])
        if isinstance(body, Matches):
            re.compile(body.pattern)
    except (KeyError, msgspec.ValidationError, re.error, OverflowError, RecursionError) as error:
        raise Wrong(f"no check {kind}: {error}") from None
    if isinstance(body, Command) and not 0 < body.timeout_s <= LONGEST_SECONDS:  # CHK-04
        raise Wrong(f"a command may take 1 to {LONGEST_SECONDS} seconds")
    if isinstance(body, Continuity) and sum(map(bool, (body.command, body.glob, body.file))) != 1:
        raise Wrong("parts come from one source: a command, a pattern or one file")
    if is_outside(body):  # CHK-03
        raise OutOfBounds("this looks outside the workspace")
    return body


def is_outside(body: Body) -> bool:
    """Whether a check, by what is written in it, looks outside the workspace."""
    match body:
        case Command() | Continuity(glob="", file=""):
            return bounds.command_leaves(body.command, body.folder)
        case Continuity():
            return bounds.leaves(body.glob or body.file, body.folder)
    return bounds.leaves(body.path)
