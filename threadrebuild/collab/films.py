"""Which delivered files may be the finished film, by their names and where they lie."""

from typing import Literal

Rank = Literal[0, 1, 2, 3, 4, 5]


def rank(path: str, plan_folder: str) -> int | None:
    """How early a delivered file comes when the finished film is looked for, 0 first; None is never measured."""
    return 0


def is_another_version(text: str) -> bool:
    """Whether a title speaks of another version of the film, or of a trailer."""
    return False


def names_a_part(title: str) -> bool:
    """Whether a title names a shot or another part of the film."""
    return False
