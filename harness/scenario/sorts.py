"""Scenarios of every sort from one file: the carry of a talk, or a night or a story with its twins."""

from pathlib import Path

from harness.scenario.loading import Scenario, load_scenario, sort_of
from harness.scenario.nights.loading import NightScenario, load_nights
from harness.scenario.stories.loading import Story, load_stories

AnyScenario = Scenario | NightScenario | Story


def load_all(path: Path) -> list[AnyScenario]:
    """Read a file: one scenario, or a night or a story followed by its twins. Raises `ScenarioError`."""
    match sort_of(path):
        case "talk":
            return [load_scenario(path)]
        case "night":
            return [*load_nights(path)]
        case "story":
            return [*load_stories(path)]
