"""Scenarios as checks for the controls: carried, and held against their expectations, each broken one by its rule.

Only what a scenario states is looked at here; oracle, invariants and verification speak for rules of their own.
"""

from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import tomli

from harness.controls.checks import Check
from harness.expect import RuleBroken
from harness.rules import CatalogueError
from harness.scenario.forms import look
from harness.scenario.loading import Scenario, ScenarioError, load_scenario, root_of, scenario_files, sort_of
from harness.scenario.seen import ScenarioFault


@dataclass(frozen=True)
class ScenarioCheck:
    """One scenario file, as `harness.controls.checks.Check` wants it."""

    scenario: Scenario
    file: Path

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def rules(self) -> tuple[str, ...]:
        return self.scenario.rules

    @property
    def line(self) -> int:
        return 1

    def run(self, tmp_path: Path) -> None:
        """Raises `RuleBroken`, or a group of them, for what does not hold; `ScenarioError` for what makes no sense."""
        from harness.scenario.playing import played

        seen = played(self.scenario, tmp_path)
        broken: list[RuleBroken] = []
        for number, form in enumerate(self.scenario.expect):
            try:
                met = look(form, seen)
            except ScenarioFault as fault:
                raise self.scenario.error(f"expect[{number}]: {fault}", "expect", number) from None
            if not met.ok:
                said = f"{self.scenario.place(number)}: wanted {met.wanted}, saw {met.seen}"
                broken.append(RuleBroken(form.rule, said))
        if len(broken) == 1:
            raise broken[0]
        if broken:
            raise ExceptionGroup(f"{len(broken)} expectations of {self.name} do not hold", broken)


@dataclass(frozen=True)
class NightCheck:
    """One night, as `harness.controls.checks.Check` wants it. What can happen in it is part of the code under test."""

    name: str
    rules: tuple[str, ...]
    file: Path

    @property
    def line(self) -> int:
        return 1

    def run(self, tmp_path: Path) -> None:
        """Raises `RuleBroken` for the first demand that does not hold; `ScenarioError` for what makes no sense.

        What follows in a night rests on what went before, so that one fault breaks all the demands after it.
        """
        from harness.scenario.nights.forms import Night
        from harness.scenario.nights.loading import load_night
        from harness.scenario.nights.playing import play_night

        scenario = load_night(self.file)
        night = Night(play_night(scenario, tmp_path / "night"))
        for number, form in enumerate(scenario.expect):
            try:
                met = form.met(night)
            except ScenarioFault as fault:
                raise scenario.error(f"expect[{number}]: {fault}", "expect", number) from None
            if not met.ok:
                raise RuleBroken(form.rule, f"{scenario.place(number)}: wanted {met.wanted}, saw {met.seen}")


@dataclass(frozen=True)
class StoryCheck:
    """One story with its twins, as `harness.controls.checks.Check` wants it."""

    name: str
    rules: tuple[str, ...]
    file: Path

    @property
    def line(self) -> int:
        return 1

    def run(self, tmp_path: Path) -> None:
        """Raises `RuleBroken` for the first demand that does not hold; `ScenarioError` for what makes no sense.

        Where people do something else than the story knows, its demands say what that breaks.
        """
        from harness.runlog import RunLog
        from harness.scenario.stories.kinds import kind_named
        from harness.scenario.stories.loading import Unfinished, load_stories

        for number, story in enumerate(load_stories(self.file)):
            folder = tmp_path / str(number)
            folder.mkdir()
            fault: Unfinished | None = None
            try:
                seen = kind_named(story.kind).play(story, folder, 0, RunLog(StringIO()), number)
            except Unfinished as error:
                seen, fault = error.seen, error
            for at, form in enumerate(story.expect):
                try:
                    met = form.met(seen)
                except ScenarioFault as unmet:
                    raise story.error(f"expect[{at}]: {unmet}", "expect", at) from None
                if not met.ok:
                    raise RuleBroken(form.rule, f"{story.place(at)}: wanted {met.wanted}, saw {met.seen}")
            if fault is not None:
                raise fault


def _told_check(path: Path, made: type[NightCheck] | type[StoryCheck]) -> Check:
    """Only its rules are read here."""
    file = path.resolve()
    values = tomli.loads(path.read_text(encoding="utf-8"))
    expect = [*values.get("expect", []), *(form for twin in values.get("twins", []) for form in twin.get("expect", []))]
    rules = tuple(dict.fromkeys(str(form["rule"]) for form in expect if "rule" in form))
    return made(file.relative_to(root_of(file)).as_posix(), rules, path)


def scenario_checks(root: Path) -> list[Check]:
    """The scenarios of a checkout. Raises `CatalogueError`, a line for each that cannot be read."""
    faults: list[str] = []
    checks: list[Check] = []
    for path in scenario_files(root / "scenarios"):
        try:
            match sort_of(path):
                case "talk":
                    checks.append(ScenarioCheck(load_scenario(path), path))
                case "night":
                    checks.append(_told_check(path, NightCheck))
                case "story":
                    checks.append(_told_check(path, StoryCheck))
        except ScenarioError as error:
            faults.append(str(error))
    if faults:
        raise CatalogueError("\n".join(faults))
    return checks
