"""The startup package: what the runtime put before the first real message, cut off it at token level.

Only reminders count; other blocks there are run traces, and nothing that comes later stands in
(TR-036 … TR-042).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from harness.oracle.parts import Part
from harness.oracle.reader import Row
from harness.oracle.tags import STARTUP_TAG, has_envelope, leading_blocks

Spoken = tuple[Row, Part, int]
"""A part with its row and the number of its node."""


def cut_startup(talk: Iterable[Spoken]) -> list[Spoken]:
    """`talk` with the startup package set apart, as parts of kind `startup` before the first message."""
    parts: list[Spoken] = []
    has_begun = False
    for row, part, node in talk:
        is_user_row = part.role == "user" and part.path[0] == "message" and not part.is_marked
        pieces = [part]
        if not has_begun and is_user_row and part.is_said and not has_envelope(part.text):
            found = leading_blocks(part.text)
            rest = replace(part, start=found[-1][2]) if found else part
            pieces = [*_reminders(part, found), rest]
        elif not has_begun and is_user_row and part.kind == "trace":
            pieces = _whole(part)
        has_begun |= part.is_said
        parts += [(row, piece, node) for piece in pieces]
    return parts


def _whole(part: Part) -> list[Part]:
    """What a text of the runtime's brings to the package: all of it, or its reminders among other blocks."""
    indent = len(part.text) - len(part.text.lstrip())
    found = [(tag, start + indent, end + indent) for tag, start, end in leading_blocks(part.text[indent:])]
    if not found or part.text[found[-1][2] :].strip():
        return []
    if all(tag == STARTUP_TAG for tag, _, _ in found):
        return [replace(part, kind="startup")]
    return _reminders(part, found)


def _reminders(part: Part, found: Sequence[tuple[str, int, int]]) -> list[Part]:
    return [replace(part, kind="startup", start=start, end=end) for tag, start, end in found if tag == STARTUP_TAG]
