"""From a record to a night: what the operation file says happened becomes a story that can happen again.

A record names its end in the program's own sentences. Each sentence that tells of somebody's deed has an entry here;
the rest follows from the transcript itself, or cannot be played, and is then said to be missing.
"""

from collections.abc import Sequence
from typing import Any

from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State

Entry = dict[str, Any]
LONG_SECONDS = 900
"""Longer than a worker takes from the end of a turn to its own end."""
LEASE_SECONDS = 4_000
"""Longer than any lease, so that a worker that is gone counts as gone."""

_ANOTHER = "respawns the pane with another session"
_WORDS = "(something is said)"
"""What was said is not on record; only that it was."""
_WHILE = ("scheduled", "running", "verifying", "activating")

CAUSES: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("another session of this project", ({"while": "verifying", "somebody": "opens another session"},)),
    ("when the turn ended", ({"while": "scheduled", "somebody": _ANOTHER},)),
    ("when this was prepared", ({"while": "verifying", "somebody": _ANOTHER},)),
    ("at the last moment", ({"while": "verifying", "somebody": _ANOTHER},)),
    ("before the old session ended", ({"while": "activating", "user": _WORDS},)),
    ("something was said after the freeze", ({"while": "the transcript is copied", "user": _WORDS},)),
    ("the source is not what was frozen", ({"while": "verifying", "somebody": "changes the old transcript"},)),
    ("the source cannot be read any more", ({"while": "verifying", "somebody": "removes the old transcript"},)),
    ("the candidate is not what was verified", ({"while": "verifying", "somebody": "changes the candidate"},)),
    ("the candidate cannot be read any more", ({"while": "verifying", "somebody": "removes the candidate"},)),
    ("did not come back", ({"while": "verifying", "next_sessions_live": [1, 1]},)),
    ("is gone or dead", ({"while": "verifying", "next_sessions_live": [1, 0]},)),
    ("no answer in time", ({"while": "verifying", "door": "answers late"},)),
    ("the switch failed", ({"while": "verifying", "door": "refuses"},)),
)
"""Words of an error → what happened. The first that stands in it counts."""
_AFTER_ACTIVATION: tuple[tuple[str, Entry], ...] = (
    ("the door changed hands after activation", {"somebody": _ANOTHER}),
    ("the old session is not as it was left", {"somebody": "goes on in the old session"}),
)
REFUSALS = ("poison:", "nothing-to-carry:", "no-session-id:", "over-budget:", "unreadable-line:", "torn-tail:")
"""Beginnings of errors that follow from the transcript alone."""


def story_of(operation: Operation, later: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """The night of an operation, and what of it cannot be told. `later` is what was said in the new session."""
    reached = {str(step.state) for step in operation.steps}
    reasons = operation.reasons or [""]
    story: list[Entry] = [{"person": "request", "reason": reason} for reason in reasons]
    story[0] = {"at": "22:00:00"} | story[0]
    if State.CANCELLED in reached:
        return [*story, {"person": "cancel"}], []
    story.append({"hook": "Stop"})
    activated = State.ACTIVATED in reached
    deeds, untold = ([], []) if activated else _deeds(operation)
    story += [*deeds, {"wait": LONG_SECONDS}]
    if any("person" in deed or "kill" in deed for deed in deeds):
        story += [{"wait": LEASE_SECONDS}, {"person": "recover"}]
    if activated and later:
        story += [{"talk": list(later)}, {"person": "recover"}]
    if State.ROLLBACK_PENDING in reached:
        story.append({"person": "rollback-request"})
        story += [deed for words, deed in _AFTER_ACTIVATION if words in (operation.error or "")]
        story += [{"hook": "Stop"}, {"wait": LONG_SECONDS}]
    return story, untold


def _deeds(operation: Operation) -> tuple[list[Entry], list[str]]:
    error = operation.error or ""
    if not error or error.startswith(REFUSALS):
        return [], []
    for state in _WHILE:
        if f"worker was gone while it was {state}" in error:
            return [{"while": state, "kill": "worker"}], []
    for words, deeds in CAUSES:
        if words in error:
            return [dict(deed) for deed in deeds], []
    return [], [f"nothing here can bring about what the record says: {error}"]
