"""A headless Chromium, and pages made from the run logs of `tests/report/report_runs.py`."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from harness.report.page import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Seen:
    """What a page did besides showing itself: console messages and errors, and requests for anything else."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


# Not for the whole run: as long as playwright's driver is open, its loop counts as running in this process, and no
# other test may call asyncio.run.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright for Python is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: no `chromium` on the path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET, chromium_sandbox=False)
        yield browser
        browser.close()


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., tuple[Any, Seen]]]:
    """A function that opens the report of a run log in a fresh window: (page, what it did besides)."""
    contexts: list[Any] = []

    def open_report(
        case: Callable[[Path], Path], width: int = 1280, scheme: str = "light", mark: str = ""
    ) -> tuple[Any, Seen]:
        target = tmp_path / "report.html"
        write_report(case(tmp_path / "run.jsonl"), target)
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page, seen = context.new_page(), Seen()
        page.on("console", lambda message: seen.console.append(message.text))
        page.on("pageerror", lambda error: seen.console.append(str(error)))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.goto(target.as_uri() + mark)
        return page, seen

    yield open_report
    for context in contexts:
        context.close()
