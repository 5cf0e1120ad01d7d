"""A night as one part of a run: played into the run log, held against its expectations and the invariants.

The log holds no path of the machine it ran on, so that the same scenario and seed give the same bytes anywhere.
"""

import shlex
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.facts import plain
from harness.faults import CRASHES, FAILURES, command_of, ended_of
from harness.invariants.operation import OPERATION_INVARIANTS
from harness.runlog import RunLog
from harness.scenario.failure import Failure
from harness.scenario.forms import Met
from harness.scenario.nights.course import write_course
from harness.scenario.nights.forms import Night
from harness.scenario.nights.loading import NightScenario, load_nights
from harness.scenario.nights.play import Play
from harness.scenario.nights.playing import NEXT, THIRD_PARTIES, Wrong, play_night
from harness.scenario.seen import ScenarioFault
from harness.world.kernel import Fault
from harness.world.night import OLD_SESSION


@dataclass(frozen=True, slots=True)
class How:
    """How a night is to be played: the seed of chance, where it ends, what goes wrong."""

    seed: int = 0
    until: int | None = None
    wrong: Wrong | None = None
    faults: tuple[Fault, ...] = ()
    """Of a story: what goes wrong."""


AS_TOLD = How()


@dataclass(frozen=True, slots=True)
class NightJob:
    """A night to play."""

    scenario: NightScenario
    folder: Path
    how: How = AS_TOLD

    @property
    def name(self) -> str:
        """As a run lists it."""
        return f"{self.scenario.name}: {self.scenario.title}"


@dataclass(frozen=True, slots=True)
class Judged:
    """What does not hold after a night, in words, and the expectations among it."""

    why: list[str]
    failures: list[Failure]


def wrong_of(text: str) -> Wrong:
    """What `STEP:KIND[:NEXT]` says. Raises ValueError."""
    step, _, rest = text.partition(":")
    do, _, who = rest.partition(":")
    known = (*CRASHES, *FAILURES, *THIRD_PARTIES)
    if not step.isdecimal() or int(step) < 1 or do not in known:
        raise ValueError(f"{text!r} is no STEP:KIND[:NEXT]; kinds are {', '.join(known)}")
    for each in NEXT:
        if each == (who or "recover"):
            return Wrong(int(step), do, each)
    raise ValueError(f"{who!r} is nobody who comes by; there are {', '.join(NEXT)}")


def play_job(log: RunLog, number: int, job: NightJob) -> Judged:
    """Play one night and judge it; every port call, every check and the verdict is a step of the log.

    A night that is cut short or meets a fault is held against the invariants alone. Raises `ScenarioError`.
    """
    scenario, how = job.scenario, job.how
    log.add("night", transcript=number, name=job.name, door=scenario.door, seed=how.seed, fault=str(how.wrong or ""))
    with tempfile.TemporaryDirectory() as name:
        play = play_night(scenario, Path(name) / "night", how.wrong, how.seed, how.until, log)
        _log_source(log, number, job, play)
        write_course(play, log, number)
        return _Judging(log, number, job, play).judged()


class _Judging:
    """One night that is over; what fails goes into `why`."""

    def __init__(self, log: RunLog, number: int, job: NightJob, play: Play) -> None:
        self.log = log
        self.number = number
        self.scenario = job.scenario
        self.how = job.how
        self.play = play
        self.why: list[str] = []
        self.failures: list[Failure] = []

    def judged(self) -> Judged:
        from harness.criteria.passes import why_no_pass

        if self.how == How(self.how.seed):
            self._ask_story()
            self._ask_scenario()
        if self.how.until is None:
            ended = ended_of(self.play, self.how.wrong is not None)
            for invariant in OPERATION_INVARIANTS:
                faults = list(invariant.faults(ended))
                self._check("invariant", invariant.name, invariant.rule, not faults, "; ".join(faults) or "holds")
        # What a demand asked of the household, such as its doctor, was observed as well.
        self.why += why_no_pass(self.play.night.world.step, self.scenario.expect)
        self.log.add("verdict", transcript=self.number, verdict="red" if self.why else "green", why=self.why)
        return Judged(self.why, self.failures)

    def _ask_story(self) -> None:
        for missed in self.play.missed:
            entry = self.scenario.story[missed]
            raise self.scenario.error(f"story[{missed}]: its moment never came: {entry}", "story", missed)

    def _ask_scenario(self) -> None:
        from harness.criteria.zeros import controls_of

        night = Night(self.play)
        decided = self.log.step
        place = 0 if self.scenario.twin is None else self.scenario.twin + 1
        controls = controls_of(load_nights(self.scenario.file), place)
        for number, form in enumerate(self.scenario.expect):
            try:
                met = form.met(night)
            except ScenarioFault as fault:
                raise self.scenario.error(f"expect[{number}]: {fault}", "expect", number) from None
            name = form.__struct_fields__[1]
            more = {"control": controls[number]} if number in controls else {}
            step = self._check("expectation", name, form.rule, met.ok, met.wanted, met, decided=decided, **more)
            if not met.ok:
                self.failures.append(Failure(number, met, step, decided, "the last step of the night"))

    def _check(self, by: str, name: str, rule: str, ok: bool, said: str, met: Met | None = None, **more: Any) -> int:
        shown: dict[str, Any] = {"said": plain(said), "wanted": None, "seen": None}
        if met is not None and not ok:
            shown |= {"wanted": plain(met.wanted), "seen": plain(met.seen)}
        if not ok:
            seen = f", saw {met.seen}" if met else ""
            self.why.append(f"{by} {name}: {said}{seen}")
        return self.log.add("check", transcript=self.number, by=by, name=name, rule=rule, ok=ok, **shown, **more)


def _log_source(log: RunLog, number: int, job: NightJob, play: Play) -> None:
    """The old transcript, as it stands at the end."""
    data = play.night.host.wrote(OLD_SESSION)
    wrong = job.how.wrong
    command = command_of(job.scenario, wrong) if wrong else shlex.join(["rebuild-harness", "run", job.scenario.name])
    log.add(
        "source",
        transcript=number,
        name=job.name,
        path=f"{OLD_SESSION}.jsonl",
        bytes=len(data),
        sha256=sha256(data).hexdigest(),
        lines=data.count(b"\n"),
        cli_versions=[play.night.host.version],
        expected=job.scenario.name,
        command=command,
    )
