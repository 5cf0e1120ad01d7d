"""The suite's own plugin: scenarios are tests, golden files are kept, and no skip is silent.

It is loaded before anything is measured or sabotaged, so whatever it needs of the project it imports inside a function.
"""

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from harness.scenario.item import ScenarioFile


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden`."""
    parser.getgroup("rebuild-harness").addoption(
        "--update-golden",
        action="store_true",
        help="Write golden/expected/ anew where the oracle agrees with the new bytes, and show what changes.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to bless in CI what nobody has looked at."""
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--update-golden writes what is expected anew, and CI is set in the environment: "
            "run it where a person looks at the changes"
        )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ScenarioFile | None":
    """Scenarios: the TOML files under scenarios/, but for those beside the catalogue."""
    if file_path.suffix != ".toml" or not file_path.is_relative_to(parent.config.rootpath):
        return None
    parts = file_path.relative_to(parent.config.rootpath).parts
    if parts[0] != "scenarios" or parts[:2] == ("scenarios", "rules"):
        return None
    from harness.scenario.item import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What changed in golden files, and which of them no recording uses."""
    from harness.golden import GOLDEN_CHANGE, unused

    changes = [
        str(text)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, text in getattr(report, "user_properties", ())
        if name == GOLDEN_CHANGE
    ]
    left = unused(config.rootpath / "golden")
    if changes or left:
        terminalreporter.section("golden files")
    for change in changes:
        terminalreporter.write_line(change)
    for path in left:
        terminalreporter.write_line(f"unused: {path.relative_to(config.rootpath)} has no recording; remove it")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """After everything else that is printed: how many tests were skipped, and why."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    # A worker of pytest-xdist hands its reports on and has no terminal to write to.
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    reasons = Counter(_reason(report) for report in reporter.stats.get("skipped", ()))
    if reasons:
        shown = ", ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
        reporter.write_line(f"{reasons.total()} skipped: {shown}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    longrepr = report.longrepr
    text = str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
