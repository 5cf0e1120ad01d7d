"""Whether another version of the CLI would break the rebuild: both are run, read, rebuilt and resumed, and compared.

GO says that of all that was said in the lab's sessions nothing was lost, neither by the carry nor by the CLI that
resumed it. What merely differs between the two versions is listed, for a person to judge.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.lab.differences import Difference, differences
from harness.lab.namespace import LabFault, NoNamespace, missing
from harness.lab.records import Shape, shape_of
from harness.lab.session import TALKS, Place, Played, play
from harness.lab.trial import LOOKS, Judged, judged
from harness.lab.versions import Unavailable, program_of
from harness.report.page import write_report
from harness.runlog import RunLog
from harness.runs import CANDIDATES, PAGE, RUN_LOG, make_room, private
from threadrebuild import __version__
from threadrebuild.cli_lock import Lock, OddLock, lock_refusal, read_lock, write_lock
from threadrebuild.system import SystemFiles
from threadrebuild.transcript.lines import digest_of

SESSIONS = "sessions"


class NotLocked(Exception):
    """The version was not pinned, with the reason; a lock that was there is as it was."""


@dataclass
class Tried:
    """One version: why it could not be run, or its sessions; then what was wrong with them."""

    version: str
    unsupported: str | None = None
    sessions: list[Played] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    shape: Shape = field(default_factory=dict)
    wire: list[str] = field(default_factory=list)
    """What the CLI did to what was carried, or added to it."""
    hook: list[str] = field(default_factory=list)
    """The fields that the Stop hook was given."""
    made: list[str] = field(default_factory=list)
    """What was gone through without a fault, as `trial.LOOKS` names it."""

    def shown(self) -> dict[str, Any]:
        """As in the command's JSON."""
        return {
            "version": self.version,
            "unsupported": self.unsupported,
            "failures": self.failures,
            "warnings": self.warnings,
            "record_kinds": list(self.shape),
            "wire": self.wire,
            "hook": self.hook,
            "made": self.made,
        }


@dataclass(frozen=True)
class Checked:
    """The answer: GO or NO-GO, and why."""

    verdict: str
    reasons: list[str]
    versions: list[Tried]
    differences: list[Difference]
    report: Path

    @property
    def candidate(self) -> Tried:
        """The version that the verdict is on."""
        return self.versions[0]

    def shown(self) -> dict[str, Any]:
        """The command's JSON."""
        return {
            "verdict": self.verdict,
            "reasons": self.reasons,
            "versions": [each.shown() for each in self.versions],
            "differences": [asdict(each) for each in self.differences],
            "report": str(self.report),
        }


def cli_check(
    candidate: str, current: str | None, out: Path, command: str, said: Callable[[str], None] = lambda line: None
) -> Checked:
    """Run both versions' sessions and judge them into the folder `out`; `said` is told what is going on.

    Raises `NoNamespace` where the lab cannot run at all, and `UnusableFolder`. Rules: TR-016, TR-072, TR-156.
    """
    why = missing() or (None if shutil.which("tmux") else "tmux is not installed")
    if why is not None:
        raise NoNamespace(why)
    with TemporaryDirectory(prefix="cli-") as name:
        versions = list(dict.fromkeys([candidate, current or candidate]))
        tried = []
        for version in versions:
            said(f"{version}: sessions of the real CLI, offline")
            tried.append(record(version, Path(name)))
        return judge(tried, out, command, said)


def lock(checked: Checked, current: str | None, path: Path) -> Lock:
    """Pin the version that was checked, with the digest of its run log. Raises `NotLocked`, with nothing written.

    Rules: WN-05, WN-07.
    """
    version, runs = checked.candidate.version, checked.candidate.made
    try:
        before = read_lock(path)
        refusal = lock_refusal(
            checked.verdict, version, {current or version, before.version if before else version}, runs
        )
        if refusal is not None:
            raise NotLocked(refusal)
        log = checked.report.with_name(RUN_LOG)
        pinned = Lock(version=version, evidence=digest_of(log, log.stat().st_size), runs=tuple(runs))
        write_lock(path, pinned, SystemFiles())
    except OddLock as error:
        raise NotLocked(str(error)) from None
    except OSError as error:
        raise NotLocked(f"{path}: {error.strerror or error}") from None
    return pinned


def record(version: str, folder: Path) -> Tried:
    """Install a version and play every talk in it; a version that cannot run is unsupported, with the reason."""
    tried = Tried(version)
    try:
        program = program_of(version)
        for way in TALKS:
            tried.sessions.append(play(Place(folder / version / way, version, tuple(program)), way))
    except Unavailable as error:
        tried.unsupported = str(error)
    except LabFault as fault:
        tried.unsupported = f"the session does not run to its end: {fault}"
    return tried


def judge(tried: Sequence[Tried], out: Path, command: str, said: Callable[[str], None] = lambda line: None) -> Checked:
    """Judge the sessions of the candidate, and of the current version after it, and write run log and report."""
    make_room(out, CANDIDATES, SESSIONS)
    with private(out / RUN_LOG).open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command=command, version=__version__, settings={})
        file.flush()
        results = judged(log, out / CANDIDATES, list(_kept(tried, out / SESSIONS)))
        green = 0
        for version in tried:
            for _ in version.sessions:
                one = next(results)
                green += not one.failures
                _note(version, one)
                said(f"{one.name}: {'; '.join(one.failures) or 'carried, resumed, and sent byte for byte'}")
            version.shape = shape_of(played.transcript for played in version.sessions)
        checked = _checked(tried, out / PAGE)
        shown = checked.shown()
        log.add("lab", **{name: shown[name] for name in ("verdict", "reasons", "versions", "differences")})
        red = sum(len(version.sessions) for version in tried) - green
        log.add("end", verdict="red" if red else "green", green=green, red=red)
    write_report(out / RUN_LOG, private(checked.report))
    return checked


def _kept(tried: Sequence[Tried], folder: Path) -> Iterator[Played]:
    """The sessions, with a copy of each transcript that outlives the lab."""
    for version in tried:
        for played in version.sessions:
            copy = folder / version.version / played.way / played.transcript.name
            copy.parent.mkdir(parents=True)
            shutil.copyfile(played.transcript, copy)
            yield Played(played.place, played.way, copy, played.requests)


def _note(version: Tried, one: Judged) -> None:
    version.failures += [f"{one.name}: {each}" for each in one.failures]
    version.warnings += [f"{one.name}: {each}" for each in one.warnings]
    version.wire = sorted({*version.wire, *one.wire})
    version.hook = sorted({*version.hook, *one.hook})
    version.made = [look for look in LOOKS if look in {*version.made, *one.made}]


def _checked(tried: Sequence[Tried], report: Path) -> Checked:
    candidate, current = tried[0], tried[-1]
    reasons = list(candidate.failures)
    if candidate.unsupported:
        reasons.insert(0, f"{candidate.version} is unsupported: {candidate.unsupported}")
    verdict = "NO-GO" if reasons else "GO"
    found: list[Difference] = []
    if current is not candidate:
        if current.unsupported or candidate.unsupported:
            reasons.append("the two versions are not compared: one of them is unsupported")
        else:
            found = differences(current, candidate)
        if current.unsupported:
            reasons.append(f"{current.version} is unsupported: {current.unsupported}")
        reasons += [f"(also wrong today) {each}" for each in current.failures]
    if verdict == "GO":
        reasons.insert(0, f"all that was said in {len(candidate.sessions)} sessions was carried, and sent when resumed")
        reasons.insert(1, f"gone through without a fault: {', '.join(candidate.made) or 'nothing'}")
    return Checked(verdict, reasons, list(tried), found, report)
