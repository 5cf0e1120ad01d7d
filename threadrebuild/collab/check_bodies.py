"""What each kind of check looks at. Paths, folders and commands are taken from the workspace's root."""

from typing import Any

import msgspec

from threadrebuild.collab import bounds

SECONDS = 120
LONGEST_SECONDS = 600


class FileExists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file is there and is not empty."""

    path: str


class Contains(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file has this text; inverted, it has not."""

    path: str
    text: str
    inverted: bool = False


class Matches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something in the file matches this regular expression, whose `^` and `$` are those of lines; or nothing does."""

    path: str
    pattern: str
    inverted: bool = False


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command ends with this code, and prints `output` if that is given."""

    command: str
    folder: str = ""
    exit_code: int = 0  # CHK-01
    output: str | None = None
    seconds: int = SECONDS


class Continuity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parts join well. They come, in order, from one of: a command that lists them, a pattern, one file."""

    command: str | None = None
    glob: str | None = None
    file: str | None = None
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


def read(kind: str, raw: dict[str, Any]) -> Body:
    """What a check looks at, as a user or the organizer has written it. Raises `Wrong`, `OutOfBounds` (CHK-03)."""
    try:
        body = msgspec.convert(raw, KINDS[kind])
    except (KeyError, msgspec.ValidationError) as error:
        raise Wrong(f"no check {kind}: {error}") from None
    if isinstance(body, Command) and not 0 < body.seconds <= LONGEST_SECONDS:  # CHK-04
        raise Wrong(f"a command may take 1 to {LONGEST_SECONDS} seconds")
    if isinstance(body, Continuity) and sum(each is not None for each in (body.command, body.glob, body.file)) != 1:
        raise Wrong("parts come from one source: a command, a pattern or one file")
    if is_outside(body):
        raise OutOfBounds("this looks outside the workspace")  # CHK-03
    return body


def is_outside(body: Body) -> bool:
    """Whether a check, by what is written in it, looks outside the workspace."""
    match body:
        case Command():
            return bounds.leaves(body.command, body.folder)
        case Continuity(command=str(command)):
            return bounds.leaves(command, body.folder)
        case Continuity():
            return bounds.climbs_out(body.glob or body.file or "", body.folder)
    return bounds.climbs_out(body.path)
