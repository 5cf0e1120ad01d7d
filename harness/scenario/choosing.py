"""What a command line chooses of scenarios: one story of a file, an order of its events, and what goes wrong in it."""

from collections.abc import Sequence
from pathlib import Path

from harness.rules import CatalogueError
from harness.scenario.loading import scenario_files
from harness.scenario.nights.job import How, wrong_of
from harness.scenario.nights.loading import NightScenario
from harness.scenario.sorts import AnyScenario, load_all
from harness.scenario.stories.kinds import kind_named
from harness.scenario.stories.loading import Story
from harness.world.kernel import Fault


def scenarios_among(paths: Sequence[Path]) -> list[AnyScenario]:
    """The scenarios of files and folders. Raises `CatalogueError` where one makes no sense, or a folder has none."""
    files: list[Path] = []
    for path in paths:
        inside = scenario_files(path) if path.is_dir() else [path]
        if not inside:
            raise CatalogueError(f"{path}: no scenario (.toml file) in this folder")
        files += inside
    return [each for file in files for each in load_all(file)]


def chosen(scenarios: Sequence[AnyScenario], twin: int | None, order: str | None) -> list[AnyScenario]:
    """The stories (0 the story itself, 1 its first twin) in an order of their events; without either all, as told.

    Raises ValueError where there is none.
    """
    if twin is None and order is None:
        return list(scenarios)
    stories = [each for each in scenarios if isinstance(each, Story) and twin in (None, each.place_in_file)]
    if not stories:
        raise ValueError(f"--twin and --order choose among stories (with a `kind`); there is no story {twin or 0} here")
    if order is None:
        return [*stories]
    told = [other for each in stories for other in kind_named(each.kind).orders(each, 0) if other.order == order]
    if not told:
        raise ValueError(f"--order: {stories[0].name} has no order {order!r}")
    return [*told]


def how_to_play(scenarios: Sequence[AnyScenario], seed: int, until: int | None, fault: str | None) -> How:
    """How scenarios are to be played. Raises ValueError for what makes no sense of them."""
    nights = all(isinstance(each, NightScenario) for each in scenarios)
    if nights:
        return How(seed, until, wrong_of(fault) if fault is not None else None)
    if until is None and fault is None:
        return How(seed)
    if until is None and fault is not None and all(_can_fail(each) for each in scenarios):
        return How(seed, faults=crashes_of(fault))
    if fault is not None:
        wrong_of(fault)
    other = next(each.name for each in scenarios if not isinstance(each, NightScenario))
    raise ValueError(f"--until and --fault are for nights (a `story` without a `kind`); {other} is none")


def crashes_of(text: str) -> tuple[Fault, ...]:
    """What `STEP:kill` and `STEP:kill:STEP` say: where the application dies, once or twice. Raises ValueError."""
    first, do, *again = text.split(":")
    steps = [first, *again]
    if do != "kill" or len(again) > 1 or not all(step.isdecimal() and int(step) for step in steps):
        raise ValueError(f"--fault: {text!r} is no STEP:kill or STEP:kill:STEP")
    return tuple(Fault(int(step), do) for step in steps)


def _can_fail(scenario: AnyScenario) -> bool:
    return isinstance(scenario, Story) and kind_named(scenario.kind).faulty is not None
