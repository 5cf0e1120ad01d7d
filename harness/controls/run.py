"""Running controls: first every check on the code as it is, which must be green, then every sabotage.

Trials whose outcome is kept from an earlier run of the same bytes are not run again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.controls.cache import Cache
from harness.controls.checks import Check
from harness.controls.child import Outcome
from harness.controls.firings import Known
from harness.controls.pool import TIME_LIMIT_SECONDS, Job, run_jobs
from harness.controls.preload import preload
from harness.controls.sabotage import Sabotage
from harness.controls.survey import Survey
from harness.controls.verdict import Standing, standings


class BaselineRed(Exception):
    """A check is not green on the code as it is, so no control means anything; a line for each such check."""


@dataclass(frozen=True)
class Run:
    """What came of a run: the rules' standings, how many children ran, how many trials were kept, the time, and
    every outcome that is known now.
    """

    standings: list[Standing]
    children: int
    kept: int
    seconds: float
    known: Known


def run_controls(survey: Survey, prefix: str | None = None, time_limit: float = TIME_LIMIT_SECONDS) -> Run:
    """Run the controls of the rules under a prefix, and keep their outcomes under the survey's root.

    Raises `BaselineRed` before any sabotage, and `CatalogueError` when the package is loaded in this process.
    """
    begun = time.perf_counter()
    trials = survey.trials(prefix)
    runner = _Runner(survey, time_limit)
    all_asked = False
    try:
        runner.baseline(_under(survey, prefix, trials))
        runner.run(trials)
        all_asked = prefix is None
    finally:
        runner.cache.save(only_used=all_asked)
    found = standings(survey, prefix, runner.known)
    return Run(found, runner.children, runner.kept, time.perf_counter() - begun, runner.known)


class _Runner:
    def __init__(self, survey: Survey, time_limit: float) -> None:
        self.cache = Cache(survey.root, survey.package)
        self.children = 0
        self.kept = 0
        self._survey = survey
        self._time_limit = time_limit
        self._outcomes: dict[tuple[Sabotage | None, str], Outcome] = {}

    def baseline(self, checks: list[Check]) -> None:
        by_file: dict[Path, list[Check]] = {}
        for check in checks:
            by_file.setdefault(check.file, []).append(check)
        self.run([(None, group) for group in by_file.values()])
        red = [
            f"{check.name}: {outcome.shown()}"
            for check in checks
            for outcome in [self._outcomes[None, check.name]]
            if outcome.broken or outcome.error is not None
        ]
        if red:
            raise BaselineRed("\n".join(red))

    def run(self, trials: Sequence[tuple[Sabotage | None, list[Check]]]) -> None:
        jobs: list[Job] = []
        for sabotage, checks in trials:
            unknown: list[Check] = []
            for check in checks:
                kept = self.cache.get(sabotage, check)
                if kept is None:
                    unknown.append(check)
                else:
                    self._outcomes[sabotage, check.name] = kept
                    self.kept += 1
            if unknown:
                jobs.append(Job(sabotage, tuple(unknown)))
        if not jobs:
            return
        self.children += len(jobs)
        tests = {check.file for check in self._survey.checks if check.file.suffix == ".py"}
        preload(self._survey.root, self._survey.package, tests)
        for job, outcomes, heard_out in run_jobs(jobs, self._survey.root, self._survey.package, self._time_limit):
            for check in job.checks:
                self._outcomes[job.sabotage, check.name] = outcomes[check.name]
                if heard_out:
                    self.cache.put(job.sabotage, check, outcomes[check.name])

    def known(self, sabotage: Sabotage | None, check: Check) -> Outcome | None:
        return self._outcomes.get((sabotage, check.name))


def _under(survey: Survey, prefix: str | None, trials: list[tuple[Sabotage, list[Check]]]) -> list[Check]:
    """The checks that the baseline must hold for: all, or those that the trials of a prefix run."""
    if prefix is None:
        return survey.checks
    names = {check.name for _, checks in trials for check in checks}
    return [check for check in survey.checks if check.name in names]
