"""A scenario as a test of pytest: played and judged like `rebuild-harness run` does it, and its failures told in words.

The steps named in a failure are those of the run log that the command beside them writes, since it plays the same
scenario alone.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.rules import CatalogueError
from harness.runlog import RunLog
from harness.scenario.failure import command_of, told
from harness.scenario.loading import ScenarioError

if TYPE_CHECKING:
    from harness.scenario.sorts import AnyScenario

LOG = "the run log that the command writes"


class ScenarioRed(Exception):
    """A scenario that does not hold; the message is what is to be read."""


class ScenarioFile(pytest.File):
    """One TOML file: a test, and one more for each twin."""

    def collect(self) -> Iterator["ScenarioItem"]:
        """Raises `CollectError` for a file that is no scenario."""
        from harness.scenario.sorts import load_all

        try:
            scenarios = load_all(self.path)
        except CatalogueError as error:
            raise self.CollectError(str(error)) from None
        for scenario in scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.title, scenario=scenario)


class ScenarioItem(pytest.Item):
    """One scenario. Raises `ScenarioRed` or `ScenarioError` when run."""

    def __init__(self, *, scenario: "AnyScenario", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scenario = scenario

    def runtest(self) -> None:
        from harness.replay import replayed, scenario_jobs

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with (folder / "run.jsonl").open("w", encoding="utf-8") as file:
                log = RunLog(file)
                log.add("run")  # the first step of every run, so that the numbers agree
                (done,) = replayed(log, folder, scenario_jobs([self.scenario], folder))
        if not done.green:
            failures = [told(self.scenario, failure, LOG) for failure in done.failures]
            raise ScenarioRed("\n".join([*done.why, *failures, f"again: {command_of(self.scenario)}"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What does not hold, without a traceback; anything unforeseen with one."""
        if isinstance(excinfo.value, ScenarioRed | ScenarioError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.scenario.name}: {self.scenario.title}"
