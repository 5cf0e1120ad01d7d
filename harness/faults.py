"""Every fault at every step: a night is played once to count its steps, then once for each way a step can fail.

After each run somebody comes by (the hook, a request, `recover`), and the invariants are held against what is left.
Nothing is sampled. A fault is an address, so each violation names the command that plays it again.
"""

import multiprocessing
import os
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from harness.invariants.operation import Ended, broken, spoken
from harness.scenario.nights.loading import NightScenario
from harness.scenario.nights.play import Play
from harness.scenario.nights.playing import NEXT, THIRD_PARTIES, Wrong, play_night
from harness.world.night import OLD_SESSION

CRASHES = ("kill", "power", "hang")
"""What can happen to whoever is at work at a step; afterwards each of `NEXT` comes by first."""
ANSWERS_NO = frozenset(
    {
        *(("panes", "find"), ("panes", "every"), ("panes", "respawn")),
        *(("services", "main_pid"), ("services", "start_command"), ("services", "restart")),
        *(("processes", "command_line"), ("processes", "descendants")),
        *(("spawner", "start_worker"), ("locks", "hold"), ("locks", "claim"), ("files", "free_bytes")),
    }
)
"""Calls whose result can say that nothing was done or found."""
ANSWERS_LATE = frozenset({("panes", "respawn"), ("services", "restart"), ("spawner", "start_worker")})
"""Calls that can do what was asked and then not answer in time."""
FAILURES = ("eio", "enospc", "short", "no", "late")
"""The ways in which a call can fail by itself; `_failures` says which call can fail how."""
NEVER_FAIL = frozenset({"clock", "ids"})
ROOM = Path("/dev/shm")


@dataclass(frozen=True, slots=True)
class Violation:
    """One invariant that did not hold after one fault."""

    wrong: Wrong
    rule: str
    name: str
    said: str


@dataclass
class Tried:
    """What came of one scenario: how many runs of each kind there were, and what did not hold."""

    scenario: NightScenario
    steps: int
    crashes: int = 0
    writes: int = 0
    calls: int = 0
    others: int = 0
    """Runs in which somebody who is no part of it did something just before a step."""
    open: int = 0
    """How many of them met the very gap that the door names in `cannot_prove`."""
    violations: list[Violation] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How many nights were played."""
        return self.crashes + self.writes + self.calls + self.others

    @property
    def said(self) -> str:
        """In a line."""
        counts = f"{self.crashes} crashes, {self.writes} failed writes, {self.calls} failed calls"
        gap = f" ({self.open} in the gap of the door)" if self.open else ""
        return f"{self.scenario.name}: {self.steps} steps, {counts}, {self.others} third parties{gap}"

    def shown(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "scenario": self.scenario.name,
            "steps": self.steps,
            "crashes": self.crashes,
            "writes": self.writes,
            "calls": self.calls,
            "others": self.others,
            "open": self.open,
            "violations": [
                {
                    "fault": str(each.wrong),
                    "rule": each.rule,
                    "invariant": each.name,
                    "said": each.said,
                    "command": command_of(self.scenario, each.wrong),
                }
                for each in self.violations
            ],
        }


def try_faults(scenarios: Sequence[NightScenario], share: int = 1) -> Iterator[Tried]:
    """Go through every fault of each scenario, on all cores. Raises `ScenarioError` for one that makes no sense.

    With `share` only one of so many, each scenario beginning with another one.
    """
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for number, scenario in enumerate(scenarios):
            calls = calls_of(scenario)
            tried = Tried(scenario, len(calls))
            wrongs = list(_wrongs(calls))[number % share :: share]
            for wrong, found in zip(wrongs, pool.imap(_tried, [(scenario, each) for each in wrongs], 16), strict=True):
                fails = wrong.do in FAILURES
                is_write = fails and calls[wrong.step - 1][0] == "files"
                tried.crashes += wrong.do in CRASHES
                tried.others += wrong.do in THIRD_PARTIES
                tried.writes += is_write
                tried.calls += fails and not is_write
                tried.violations += found.violations
                tried.open += found.open
            yield tried


def calls_of(scenario: NightScenario) -> list[tuple[str, str]]:
    """The door and call of each step of a night without faults."""
    with _folder() as folder:
        return play_night(scenario, Path(folder) / "night").night.world.calls


def violations_of(scenario: NightScenario, play: Play, wrong: Wrong | None) -> Iterator[Violation]:
    """What does not hold after a night."""
    for invariant, seen in broken(ended_of(play, wrong is not None)):
        yield Violation(wrong or Wrong(0, "none"), invariant.rule, invariant.name, seen)


def ended_of(play: Play, faulty: bool) -> Ended:
    """A night as the invariants look at it."""
    held = spoken(play.night.host.transcript(OLD_SESSION))
    return Ended(play.night, (*held, *play.words), frozenset(play.meddled), faulty, tuple(play.asked_at), play.chat)


def command_of(scenario: NightScenario, wrong: Wrong) -> str:
    """The command that plays one fault again."""
    return shlex.join(["rebuild-harness", "run", scenario.name, "--fault", str(wrong)])


def _wrongs(calls: Sequence[tuple[str, str]]) -> Iterator[Wrong]:
    for step, call in enumerate(calls, start=1):
        for do in CRASHES:
            yield from (Wrong(step, do, who) for who in NEXT)
        # Afterwards the turn of whoever is behind the door ends; a person looks at the very last in every run.
        yield from (Wrong(step, do, "hook") for do in THIRD_PARTIES)
        # Who fails at a call goes on, or ends as if killed there: for that each of NEXT has come by already.
        yield from (Wrong(step, do) for do in _failures(call))


def _failures(call: tuple[str, str]) -> Iterator[str]:
    """The ways in which a call can fail by itself."""
    if call[0] in NEVER_FAIL:
        return
    yield "eio"
    if call[0] == "files" and call[1] != "free_bytes":
        yield "enospc"
    if call == ("files", "write"):
        yield "short"
    if call in ANSWERS_NO:
        yield "no"
    if call in ANSWERS_LATE:
        yield "late"


class _Found(NamedTuple):
    violations: list[Violation]
    open: bool


def _tried(job: tuple[NightScenario, Wrong]) -> _Found:
    scenario, wrong = job
    with _folder() as folder:
        try:
            play = play_night(scenario, Path(folder) / "night", wrong)
            return _Found(list(violations_of(scenario, play, wrong)), play.night.in_the_gap)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            return _Found([Violation(wrong, "TR-089", "the run came to an end", said)], False)


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None)
