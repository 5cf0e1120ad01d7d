"""From a scenario to a carry: its story told into a transcript, its settings checked, and what came of it.

This is the one module of the package that loads the code under test; whoever must not, imports it inside a function.
"""

from pathlib import Path

import msgspec

from harness.carrying import carry_file
from harness.scenario.loading import Scenario
from harness.scenario.seen import Seen
from harness.scenario.story import tell
from threadrebuild.carry.candidate import Candidate
from threadrebuild.carry.summary import candidate_summary, dirty_summary
from threadrebuild.config import Settings


def source_of(scenario: Scenario, folder: Path) -> Path:
    """The transcript to carry: the scenario's own, or its talk written into `folder`. Raises `ScenarioError`."""
    if scenario.transcript is not None:
        return scenario.transcript
    folder.mkdir(parents=True)
    try:
        return tell(scenario.talk).write(folder / f"{scenario.file.stem}.jsonl")
    except (TypeError, ValueError) as error:
        raise scenario.error(f"talk: {error}", "talk") from None


def settings_of(scenario: Scenario) -> Settings:
    """The settings that it is carried with. Raises `ScenarioError` for what `threadrebuild` would not take."""
    try:
        return msgspec.convert(scenario.settings, Settings)
    except msgspec.ValidationError as error:
        raise scenario.error(f"settings: {error}", "settings") from None


def seen_of(source: Path, candidate: Candidate) -> Seen:
    """A carry as expectations look at it."""
    path = None if candidate.refusal else candidate.path
    return Seen(source, path, candidate_summary(candidate), dirty_summary(candidate.plan.dirty))


def played(scenario: Scenario, folder: Path) -> Seen:
    """Carry a scenario within `folder`, and judge nothing."""
    source = source_of(scenario, folder / "told")
    return seen_of(source, carry_file(source, folder / "out", settings_of(scenario), scenario.malformed))
