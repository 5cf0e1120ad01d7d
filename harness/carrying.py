"""A carry with nothing left to chance: the session id follows from the source, and equal runs give equal bytes."""

import uuid
from pathlib import Path

from threadrebuild.carry.candidate import Candidate, build_candidate
from threadrebuild.carry.note import note_of
from threadrebuild.carry.plan import Malformed, plan_file
from threadrebuild.carry.window import plan_window
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles

SESSIONS = uuid.UUID("5b6f2a3e-53c8-4d0e-9d5f-7a0d4c1f2b11")
"""Namespace of the session ids that the harness gives."""
NOTE = "便签: what was said before this window, folded  into one note."
"""The window note of recordings that come with none."""


def carry_file(
    source: Path,
    out: Path,
    settings: Settings,
    malformed: Malformed = "block",
    session_id: str | None = None,
    note: str | None = None,
) -> Candidate:
    """Plan and build into the folder `out`; without a session id one is derived from the source's bytes.

    With `note` a window is changed: the note and the recent span whole. Raises `UnreadableInput` where there is no
    readable file.
    """
    if note is None:
        plan = plan_file(source, settings, malformed)
    else:
        plan = plan_window(source, settings, note_of(note, settings), malformed)
    return build_candidate(plan, out, session_id or str(uuid.uuid5(SESSIONS, plan.source.sha256)), SystemFiles())
