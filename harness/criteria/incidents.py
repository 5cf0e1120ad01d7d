"""What happened, and what was guarded against beforehand, kept apart: a line in the code is no event.

A scenario is a precaution, unless it says of what it is the record: `incident` is a date, a record that lies in the
checkout, or a rule whose row in the catalogue tells the incident.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.rules import Rule

DATE = re.compile(r"(?:\d{4}-)?\d{2}-\d{2}")
FOLDER = "incidents"
PRECAUTION = "precaution"
"""What the catalogue has in a rule's incident cell where nothing happened yet."""


def why_no_incident(incident: object, file: Path, root: Path, rules: Mapping[str, Rule]) -> str | None:
    """What is wrong with what a scenario says it is the record of; None where it may say so, or says nothing."""
    if incident is None and file.parent.name != FOLDER:
        return None
    if not isinstance(incident, str):
        return "a scenario of an incident says which: a date, a record in the checkout, or a rule that tells it"
    told_by_a_rule = incident in rules and rules[incident].incident not in ("", PRECAUTION)
    if not DATE.match(incident) and not told_by_a_rule and not (incident and (root / incident).exists()):  # CR-15
        return f"{incident!r} is no date, no record in the checkout, and no rule that tells an incident: a precaution"
    return None


def counted_apart(incidents: Iterable[str | None]) -> dict[str, int]:
    """How many scenarios are of incidents, and how many are precautions."""
    found = list(incidents)
    happened = sum(each is not None for each in found)
    return {"incidents": happened, "precautions": len(found) - happened}
