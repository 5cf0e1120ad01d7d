"""What may be called a pass: something was seen to happen, and it was what had to. That no error came up is not enough.

And what a pass in the simulator may be called: "fixed, zero field acceptance", until the real target was looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from harness.criteria.zeros import is_absence

ZERO_FIELD = "fixed, zero field acceptance"
ACCEPTED = "accepted in the field"


@dataclass(frozen=True, slots=True)
class Field:
    """How far a green run has come: `wording` is what may be said of it, `acceptance` the id of a run on the target."""

    wording: str
    acceptance: str | None
    why: str


def why_no_pass(events: int, demands: Sequence[msgspec.Struct]) -> list[str]:
    """Why what went by without a fault is no pass: no event was observed, or only absences were asked for (CR-16)."""
    found = []
    if events == 0:  # CR-16
        found.append("observation: no event was observed, and that no error came up is none")
    if demands and all(is_absence(each) for each in demands):  # CR-16
        found.append("observation: nothing but absences is asked for, which a run that does nothing meets as well")
    return found


def field_of(version: str, accepted: Sequence[dict[str, Any]] | None) -> Field:
    """The state of a version by the run log of an `accept` on the real target; None: there was none (CR-12)."""
    if accepted is None:
        return Field(ZERO_FIELD, None, "there is no acceptance run")
    run = next((step for step in accepted if step["kind"] == "run"), {})
    made = next((step for step in accepted if step["kind"] == "acceptance"), {})
    if made.get("verdict") != "GO":  # CR-12
        return Field(ZERO_FIELD, None, f"the acceptance run says {made.get('verdict', 'nothing')}")
    if run.get("version") != version:  # CR-12
        return Field(ZERO_FIELD, None, f"the acceptance run was of version {run.get('version')}, this is {version}")
    subject = made.get("subject") or {}
    return Field(ACCEPTED, str(subject.get("transcript_sha256", "")) or None, "GO on the real target")
