"""Scenarios as checks for the controls: carried, and held against their expectations, each broken one by its rule.

What a scenario states is what breaks here; oracle, invariants and verification speak for rules of their own. But that
an invariant broke, or a demand for nothing saw something, is noted: it is what shows that they can (CR-01, CR-04).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import tomli

from harness.controls.checks import Check
from harness.expect import RuleBroken, fired, noted
from harness.rules import CatalogueError
from harness.scenario.forms import Met, look
from harness.scenario.loading import Scenario, ScenarioError, Stated, load_scenario, root_of, scenario_files, sort_of
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
        broken = list(_broken(self.scenario, 0, self.scenario.expect, lambda form: look(form, seen)))
        if len(broken) == 1:
            raise broken[0]
        if broken:
            raise ExceptionGroup(f"{len(broken)} expectations of {self.name} do not hold", broken)


@dataclass(frozen=True)
class NightCheck:
    """One night with its twins, as `harness.controls.checks.Check` wants it. What can happen in it is under test."""

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
        from harness.faults import ended_of
        from harness.invariants.operation import OPERATION_INVARIANTS
        from harness.scenario.nights.forms import Night
        from harness.scenario.nights.loading import load_nights
        from harness.scenario.nights.playing import play_night

        for number, scenario in enumerate(load_nights(self.file)):
            play = play_night(scenario, tmp_path / f"night{number}")
            night, ended = Night(play), ended_of(play, False)
            for invariant in OPERATION_INVARIANTS:
                noted("night", invariant.rule, invariant.name, invariant.faults(ended))
            broken = list(_broken(scenario, number, scenario.expect, partial(_met, night)))
            if broken:
                raise broken[0]


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
            kind = kind_named(story.kind)
            try:
                seen = kind.play(story, folder, 0, RunLog(StringIO()), number)
            except Unfinished as error:
                seen, fault = error.seen, error
            for invariant in kind.invariants:
                noted(story.kind, invariant.rule, invariant.name, invariant.faults(seen))
            broken = list(_broken(story, number, story.expect, partial(_met, seen)))
            if broken:
                raise broken[0]
            if fault is not None:
                raise fault


def _met(seen: Any, form: Any) -> Met:
    found: Met = form.met(seen)
    return found


def _broken(scenario: Stated, told: int, demands: Sequence[Any], met: Callable[[Any], Met]) -> Iterator[RuleBroken]:
    """The demands that do not hold, in order; where one was for nothing, it is noted that it saw something.

    Raises `ScenarioError` for one that makes no sense, unless one before it is broken, which may be why.
    """
    from harness.criteria.zeros import gates_at

    red = False
    for number, form in enumerate(demands):
        try:
            found = met(form)
        except ScenarioFault as fault:
            if red:
                return
            raise scenario.error(f"expect[{number}]: {fault}", "expect", number) from None
        if not found.ok:
            red = True
            for gate in gates_at(scenario, told, number):
                fired(gate, found.seen)
            yield RuleBroken(form.rule, f"{scenario.place(number)}: wanted {found.wanted}, saw {found.seen}")


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
