"""The acceptance drill by itself: a rebuild of a throwaway session of the real CLI, from request to rollback.

The stages run in the lab's namespace; out here is decided what came of them, and looked for what they left.
"""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.lab.drill_after import FROZEN
from harness.lab.drill_house import MARK
from harness.lab.drill_inside import SEEN, WIRE
from harness.lab.drill_left import Left, marked
from harness.lab.drill_stages import Seen, shortcomings
from harness.lab.namespace import LabFault, NoNamespace, missing, run_inside
from harness.lab.trial import OpenLog
from harness.lab.versions import program_of
from harness.replay import Job, replayed
from harness.report.page import write_report
from harness.runlog import RunLog
from harness.runs import CANDIDATES, PAGE, RUN_LOG, make_room, private
from threadrebuild import __version__
from threadrebuild.doors.host_process import HOST, host_under
from threadrebuild.system import SystemProcesses, Tmux

INSIDE = "harness.lab.drill_inside"
EVIDENCE = "evidence"
DRILL_SECONDS = 240.0
DOOR = "tmux"
OUTSIDE = "production untouched"


@dataclass(frozen=True)
class Drilled:
    """The answer: whether the drill passed and why not, what was seen of each stage, and where its evidence lies."""

    version: str
    seen: list[Seen]
    evidence: Path
    report: Path

    @property
    def reasons(self) -> list[str]:
        """Why it has not passed."""
        return shortcomings(self.seen)

    @property
    def passed(self) -> bool:
        """Whether every stage saw what it has to see."""
        return not self.reasons

    def shown(self) -> dict[str, Any]:
        """As in the command's JSON."""
        return {
            "verdict": "passed" if self.passed else "failed",
            "reasons": self.reasons,
            "version": self.version,
            "door": DOOR,
            "stages": [asdict(each) for each in self.seen],
            "evidence": str(self.evidence),
            "report": str(self.report),
        }


def drill(version: str, out: Path, command: str, said: Callable[[str], None] = lambda line: None) -> Drilled:
    """Run the drill with a version of the CLI, and write run log, report and evidence into the folder `out`.

    Raises `NoNamespace` where the lab cannot run, `Unavailable` where the version cannot be had, and `UnusableFolder`.
    """
    why = missing() or (None if shutil.which("tmux") else "tmux is not installed")
    if why is not None:
        raise NoNamespace(why)
    program = program_of(version)
    make_room(out, CANDIDATES, EVIDENCE)
    with private(out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=command, version=__version__, settings={})
        file.flush()
        said(f"{version}: a throwaway household of the real CLI, offline; this takes about a minute")
        drilled = Drilled(version, played(version, program, out / EVIDENCE), out / EVIDENCE, out / PAGE)
        for each in drilled.seen:
            said(f"{'ok  ' if each.ok else 'FAIL' if each.ok is False else '–   '} {each.name}: {each.saw}")
        _write_down(log, drilled, out / CANDIDATES)
    write_report(out / RUN_LOG, private(drilled.report))
    return drilled


def played(version: str, program: Sequence[str], evidence: Path) -> list[Seen]:
    """Play the drill in a folder of its own, keep its evidence, and look whether anything outside has changed."""
    hosts = hosts_of_this_user()
    with TemporaryDirectory(prefix="drill-") as name:
        try:
            run_inside(INSIDE, name, version, *program, seconds=DRILL_SECONDS)
            fault = None
        except LabFault as error:
            fault = Seen("the drill itself", "TR-161", False, str(error))
        finally:
            _keep(Path(name), evidence)
        left = marked(MARK, name)
    seen = _seen(evidence / SEEN) + ([fault] if fault else [])
    return [*seen, untouched(hosts, hosts_of_this_user(), Left(processes=tuple(left)))]


def untouched(before: Mapping[str, int], after: Mapping[str, int], left: Left) -> Seen:
    """What is said of this user's own panes: those that held the host still hold the same process (TR-154)."""
    changed = [pane for pane, pid in before.items() if after.get(pane) != pid]
    said = [*(f"pane {pane} no longer holds process {before[pane]}" for pane in changed), *left.said()]
    good = f"{len(before)} panes of this user hold the host, the same processes as before; none of the drill's is left"
    return Seen(OUTSIDE, "TR-154", not said, "; ".join(said) or good)


def hosts_of_this_user() -> dict[str, int]:
    """The panes of this user's own tmux server that hold the host, each with the host's process."""
    processes = SystemProcesses()
    found = {pane.id: host_under(pane.pid, HOST, processes) for pane in Tmux().every().values() if not pane.dead}
    return {pane: pid for pane, pid in found.items() if pid is not None}


def _keep(folder: Path, evidence: Path) -> None:
    """Copy what the drill wrote, but for temporary files, programs and sockets."""

    def passed_over(place: str, names: list[str]) -> list[str]:
        top = Path(place) == folder
        kinds = {name: Path(place, name) for name in names}
        odd = [name for name, path in kinds.items() if path.is_symlink() or not (path.is_file() or path.is_dir())]
        return odd + [name for name in ("tmp", "bin") if top and name in kinds]

    shutil.copytree(folder, evidence, ignore=passed_over)
    evidence.chmod(0o700)


def _seen(path: Path) -> list[Seen]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Seen(**json.loads(line)) for line in lines]


def _write_down(log: RunLog, drilled: Drilled, candidates: Path) -> None:
    """The old session judged like any transcript, the wire of the new one, and what the drill came to."""
    why, frozen = list(drilled.reasons), drilled.evidence / FROZEN
    jobs = [Job("the old session", frozen)] if frozen.exists() else []
    for number, done in enumerate(replayed(OpenLog(log), candidates, jobs)):
        why = [*done.why, *why]
        wire = json.loads((drilled.evidence / WIRE).read_text(encoding="utf-8"))
        if wire:
            log.add("wire", transcript=number, **wire)
        log.add("verdict", transcript=number, verdict="red" if why else "green", why=why)
    shown = drilled.shown()
    log.add("drill", **{name: shown[name] for name in ("verdict", "reasons", "version", "door", "stages")})
    red, green = (len(jobs), 0) if why else (0, len(jobs))
    log.add("end", verdict="red" if why else "green", green=green, red=red)
