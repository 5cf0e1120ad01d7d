"""What a check comes to, as event CheckRan says it; `says` is one of the lines of check_results.py."""

from typing import Any, Literal, NamedTuple


class Ran(NamedTuple):
    """An outcome, what its line of explanation names, and how the output ends.

    "gathered" is none yet: the parts of a continuity check are found, and their seams are to be judged.
    """

    outcome: Literal["passed", "failed", "out_of_bounds", "error", "gathered"]
    detail: dict[str, Any]
    tail: str = ""


class OutOfBounds(Exception):
    """A path leads out of the workspace."""


class Unreadable(Exception):
    """What a check looks at cannot be read, and why."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        self.path = path
        self.why = why


def passed(says: str, **about: Any) -> Ran:
    """It is as the check wants it."""
    return Ran("passed", {"says": says, **about})


def failed(says: str, **about: Any) -> Ran:
    """It is not."""
    return Ran("failed", {"says": says, **about})


def unreadable(path: str, why: str) -> Ran:
    """It cannot be told, which is no evidence for either."""
    return Ran("error", {"says": "unreadable", "path": path, "why": why})
