"""What a judge is shown of each seam between two parts of a work, and of texts as a whole."""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from threadrebuild.checking import files, media
from threadrebuild.checking.parts import Part

SIDE = 700  # CHK-16
"""How many characters of text on each side."""
OPENING = 120
FOLDER = "checks"
"""The folder of a plan's in which such pictures are kept; what is in it was not made by a Bot, and is no work."""
_NUMBER = re.compile(r"\d[\d,.]*[ \t]*(?:%|％|‰|[A-Za-z°]{1,4}\b|[\u4e00-\u9fff]{1,2})")
_NAME = re.compile(r"[《“「『\"]([^》”」』\"\n]{1,30})[》”」』\"]|\b([A-Z][\w.-]*(?: [A-Z][\w.-]*)*)")


def between(parts: Sequence[Part], workspace: Path, folder: str, check: int, until: float) -> list[dict[str, Any]]:
    """Each seam's name and evidence: a picture by its path in the workspace, or the text on both sides.

    Raises `OutOfBounds`, `Unreadable` and `media.NoProgram`.
    """
    joints = []
    at = f"{folder}/{FOLDER}/{check}" if folder else f"{FOLDER}/{check}"  # CHK-16
    for number, (earlier, later) in enumerate(pairwise(parts), 1):
        name = f"{earlier.name}→{later.name}"
        if earlier.kind == "text":
            joints.append({"name": name, "before": earlier.text[-SIDE:], "after": later.text[:SIDE]})  # CHK-16
        else:
            picture = f"{at}/{number:02}.png"
            _show(earlier, later, files.place(workspace, picture), until)
            joints.append({"name": name, "picture": picture})
    return joints


def digest(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """What of a text's parts tells whether one thing is called and counted alike in all of them."""
    return [
        {
            "title": part.name,
            "opening": part.text[:OPENING],
            "numbers": _each_once(found[0].strip() for found in _NUMBER.finditer(part.text)),
            "names": _each_once(found[1] or found[2] for found in _NAME.finditer(part.text)),
        }
        for part in parts
    ]


def _show(earlier: Part, later: Part, picture: Path, until: float) -> None:
    """Lay the two sides of a seam side by side."""
    picture.parent.mkdir(parents=True, exist_ok=True)
    if earlier.kind == "picture":
        media.side_by_side(earlier.path, later.path, picture, until)
        return
    left, right = picture.with_suffix(".left.png"), picture.with_suffix(".right.png")
    try:
        media.last_frame(earlier.path, earlier.end, left, until)  # CHK-16
        media.first_frame(later.path, later.start, right, until)  # CHK-16
        media.side_by_side(left, right, picture, until)
    finally:
        left.unlink(missing_ok=True)
        right.unlink(missing_ok=True)


def _each_once(found: Any) -> list[str]:
    return list(dict.fromkeys(found))
