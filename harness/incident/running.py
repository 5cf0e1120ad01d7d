"""The whole of `incident`: read, replay, pin, and a page that shows then and now; nothing is written before all fits.

The page shows the incident first, then the carry of the recording as `replay` would, then the night as `run` would.
"""

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from harness.facts import plain
from harness.incident.archive import read_archive
from harness.incident.differing import Moved
from harness.incident.pinning import RECORDING, SCENARIO, scenario_of, text_of
from harness.incident.replaying import Replay, replay
from harness.incident.scrubbing import SCRUBBED, scrub_archive
from harness.replay import AnyJob, Job, replayed
from harness.report.page import write_report
from harness.runlog import RunLog
from harness.runs import CANDIDATES, PAGE, RUN_LOG, make_room, private, spare
from harness.scenario.nights.job import NightJob
from harness.scenario.nights.loading import load_night
from threadrebuild import __version__
from threadrebuild.config import Settings

MOVED_MOST = 200
"""Items that the page lists; the manifest has them all."""


@dataclass(frozen=True)
class Incident:
    """What came of it. `green` says whether today's carry and the pinned night hold."""

    replay: Replay
    green: bool
    why: list[str]
    scenario: Path
    report: Path

    def shown(self) -> dict[str, Any]:
        """The command's JSON."""
        then, now = self.replay.archive.operation, self.replay.today
        return {
            "verdict": self.replay.verdict,
            "operation": then.id,
            "then": _end(then.state, then.session_conflict, then.error),
            "now": _end(now.state, now.session_conflict, now.error),
            "differences": [asdict(each) for each in self.replay.differences],
            "carried_now_only": sum(each.carried_now for each in self.replay.moved),
            "carried_then_only": sum(not each.carried_now for each in self.replay.moved),
            "notes": self.replay.notes,
            "green": self.green,
            "why": self.why,
            "scenario": str(self.scenario),
            "report": str(self.report),
        }


def incident(path: Path, scrub: bool, out: Path, command: str) -> Incident:
    """Replay an archive and write what pins it into the folder `out`; with `scrub` everything there is scrubbed.

    Raises `BadArchive`, `ScenarioError` outside of a checkout, and `UnusableFolder`.
    """
    archive = read_archive(path)
    spare([archive.operation_file], out, CANDIDATES, SCRUBBED)
    with tempfile.TemporaryDirectory(prefix="incident-") as name:
        folder = Path(name)
        if scrub:
            archive = scrub_archive(archive, folder / SCRUBBED)
        found = replay(archive, folder / "replay")
        text = scenario_of(found, f"./{RECORDING}")
        make_room(out, CANDIDATES, SCRUBBED)
        _take_back(out)
        try:
            if scrub:
                shutil.copytree(folder / SCRUBBED, out / SCRUBBED)
            shutil.copyfile(archive.transcript, private(out / RECORDING))
            private(out / SCENARIO).write_text(text, encoding="utf-8")
            return _run(found, out, command)
        except BaseException:
            _take_back(out)
            raise


def _take_back(out: Path) -> None:
    """Remove what this command writes into a folder, all of it."""
    for name in (SCENARIO, RECORDING, RUN_LOG, PAGE):
        (out / name).unlink(missing_ok=True)
    for name in (SCRUBBED, CANDIDATES):
        shutil.rmtree(out / name, ignore_errors=True)


def _run(found: Replay, out: Path, command: str) -> Incident:
    night = NightJob(load_night(out / SCENARIO), out / CANDIDATES / "night")
    jobs: list[AnyJob] = [night]
    if found.candidate.refusal is None:
        jobs.insert(0, Job(RECORDING, out / RECORDING, msgspec.convert(found.settings, Settings)))
    why: list[str] = []
    green = 0
    with private(out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=command, version=__version__, settings=found.settings)
        file.flush()
        log.add("incident", **_step(found))
        for each in replayed(log, out / CANDIDATES, jobs):
            green += each.green
            why += [f"{each.job.name}: {reason}" for reason in each.why]
        red = len(jobs) - green
        log.add("end", verdict="red" if red else "green", green=green, red=red)
    write_report(out / RUN_LOG, private(out / PAGE))
    return Incident(found, not red, why, out / SCENARIO, out / PAGE)


def _step(found: Replay) -> dict[str, Any]:
    then, now = found.archive.operation, found.today
    return {
        "operation": then.id,
        "verdict": found.verdict,
        "course": [{**msgspec.to_builtins(step), "detail": plain(step.detail)} for step in then.steps],
        "then": _end(then.state, then.session_conflict, then.error),
        "now": _end(now.state, now.session_conflict, now.error),
        "differences": [{name: plain(value) for name, value in asdict(each).items()} for each in found.differences],
        "moved": [_item(found, each) for each in found.moved[:MOVED_MOST]],
        "moved_more": max(0, len(found.moved) - MOVED_MOST),
        "notes": found.notes,
    }


def _item(found: Replay, moved: Moved) -> dict[str, Any]:
    item = moved.item
    return {
        "role": item.role,
        "origin": item.word,
        "line": item.source_line,
        "text": plain(_decoded(text_of(found, moved))),
        "when": "now" if moved.carried_now else "then",
    }


def _decoded(token: str) -> str:
    inside = token.removeprefix('"').removesuffix('"')
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside


def _end(state: object, conflict: bool, error: str | None) -> dict[str, Any]:
    return {"state": str(state), "conflict": conflict, "error": error}
