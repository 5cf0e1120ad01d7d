"""The main job: carry a transcript, judge the result by an independent reading, and write down every step of it.

A transcript is green when it meets the NAME.expect.json beside it, or the scenario that it comes with, or without both
when it is carried and the oracle agrees. Results come one by one, each with its steps in the run log; nothing decides
for the caller.
"""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.carrying import carry_file
from harness.expectation import (
    Compared,
    compare_carried,
    compare_refusal,
    compare_warnings,
    expectation_path,
    read_expectation,
)
from harness.facts import difference_of, facts_of, plain
from harness.invariants.carry import INVARIANTS, Carry
from harness.invariants.window import WINDOW_INVARIANTS
from harness.oracle.judge import judge, planted, recall_samples
from harness.oracle.settings import Settings as OracleSettings
from harness.oracle.speech import WARNINGS
from harness.oracle.window import judge_window
from harness.runlog import RunLog
from harness.scenario.failure import Failure, command_of
from harness.scenario.forms import Warned, look
from harness.scenario.loading import Scenario
from harness.scenario.nights.job import AS_TOLD, How, NightJob, play_job
from harness.scenario.nights.loading import NightScenario
from harness.scenario.playing import seen_of, settings_of, source_of
from harness.scenario.seen import ScenarioFault
from harness.scenario.sorts import AnyScenario
from harness.scenario.stories.job import StoryJob, play_story
from harness.scenario.stories.loading import Story
from threadrebuild.carry.candidate import Candidate
from threadrebuild.carry.plan import Malformed
from threadrebuild.carry.summary import candidate_summary
from threadrebuild.config import Settings
from threadrebuild.transcript.lines import UnreadableInput


@dataclass(frozen=True, slots=True)
class Job:
    """A transcript to carry, and how; with `scenario`, what it has to come to."""

    name: str
    path: Path
    settings: Settings = field(default_factory=Settings)
    malformed: Malformed = "block"
    scenario: Scenario | None = None
    note: str | None = None
    """With a window note the recent span is kept whole, instead of the dialogue alone."""


AnyJob = Job | NightJob | StoryJob


@dataclass(frozen=True, slots=True)
class Replayed:
    """One transcript's outcome. `summary` is what `threadrebuild candidate --json` answers."""

    job: AnyJob
    green: bool
    why: list[str]
    failures: list[Failure]
    """The expectations of a scenario that did not hold; `why` names them too, shortly."""
    summary: dict[str, Any]
    refused: bool = False
    """Refused, and nobody had stated what to expect; `why` begins with the reason."""


def scenario_jobs(scenarios: Iterable[AnyScenario], folder: Path, how: How = AS_TOLD) -> Iterator[AnyJob]:
    """Tell each scenario's talk into `folder`, as it is asked for; nights are played `how`. Raises `ScenarioError`."""
    for number, scenario in enumerate(scenarios):
        if isinstance(scenario, NightScenario):
            yield NightJob(scenario, folder / f"{number:03}-{scenario.file.stem}", how)
            continue
        if isinstance(scenario, Story):
            yield StoryJob(scenario, folder / f"{number:03}-{scenario.file.stem}", how.seed, how.faults)
            continue
        source = source_of(scenario, folder / f"{number:03}-{scenario.file.stem}-told")
        name = f"{scenario.name}: {scenario.title}"
        yield Job(name, source, settings_of(scenario), scenario.malformed, scenario)


def replayed(log: RunLog, out: Path, jobs: Iterable[AnyJob]) -> Iterator[Replayed]:
    """Replay jobs one after the other into one run log and one folder of candidates.

    Raises ValueError for a broken NAME.expect.json, `ScenarioError` for a scenario that makes no sense, and
    `UnreadableInput` for no transcript.
    """
    for number, job in enumerate(jobs):
        if isinstance(job, NightJob):
            played = play_job(log, number, job)
            yield Replayed(job, not played.why, played.why, played.failures, {})
        elif isinstance(job, StoryJob):
            why, failures = play_story(log, number, job)
            yield Replayed(job, not why, why, failures, {})
        else:
            yield _One(log, out, number, job).replayed()


class _One:
    """One transcript on its way: every method adds its steps, and what fails goes into `why`."""

    def __init__(self, log: RunLog, out: Path, number: int, job: Job) -> None:
        self.log = log
        self.number = number
        self.job = job
        self.path = job.path
        self.scenario = job.scenario
        self.out = out / f"{number:03}-{(job.scenario.file if job.scenario else job.path).stem}"
        stated = expectation_path(job.path)
        self.expected_path = job.scenario.file if job.scenario else stated if stated.exists() else None
        self.expected = read_expectation(stated) if self.expected_path == stated else None
        if self.expected and job.note is not None:
            self.expected = self.expected.of_window()
        self.steps: dict[str, int] = {}
        self.why: list[str] = []
        self.failures: list[Failure] = []

    def replayed(self) -> Replayed:
        before = _fingerprint(self.path)
        candidate = self._carry(self.path, self.out, self.job.malformed)
        summary = candidate_summary(candidate)
        self._log_source(candidate)
        goes_on = self.job.malformed == "block" and candidate.refusal is not None
        reported = self.expected.with_report if self.expected and goes_on else None
        shown, folder = candidate, self.out
        if reported:
            folder = self.out.with_name(self.out.name + "-reported")
            shown = self._carry(self.path, folder, "report")
        self._log_facts(shown)
        if self.expected:
            self._compare(compare_refusal(self.expected, self.job.malformed, summary))
        if reported:
            self._expect_verdict(reported, shown, "with_report")
        elif self.scenario:
            self._expect_verdict(self.scenario.verdict, shown)
            self._ask_scenario(self.scenario, shown)
        refused = None if self.expected_path else shown.refusal
        if refused:
            self.why.append(refused.detail)
        self._judge(shown, before, folder)
        green = not self.why
        self._add("verdict", verdict="green" if green else "red", why=self.why)
        return Replayed(self.job, green, self.why, self.failures, summary, refused is not None)

    def _carry(self, source: Path, folder: Path, malformed: Malformed) -> Candidate:
        return carry_file(source, folder, self.job.settings, malformed, note=self.job.note)

    def _judge(self, candidate: Candidate, before: tuple[int, str], out: Path) -> None:
        """The four judges: verification, oracle, invariants, and what was stated by hand."""
        summary = candidate_summary(candidate)
        if candidate.verification is not None:
            for check in candidate.verification.checks:
                if check.ok is not None:
                    self._check("verification", check.name, "TR-064", check.ok, check.detail)
        if candidate.refusal is None:
            if self.job.note is None:
                self._ask_oracle(candidate)
            else:
                self._ask_window_oracle(candidate, self.job.note)
            if self.expected:
                self._compare(compare_carried(self.expected, summary, self.path, candidate.path))
        if self.expected:
            self._compare(compare_warnings(self.expected, summary))

        def again(source: Path, folder: Path) -> dict[str, Any]:
            return candidate_summary(self._carry(source, folder, "report"))

        carry = Carry(self.path, before, _fingerprint(self.path), summary, out, again)
        for invariant in INVARIANTS if self.job.note is None else WINDOW_INVARIANTS:
            fault = invariant.fault(carry)
            self._check("invariant", invariant.name, invariant.rule, fault is None, fault or "holds")

    def _ask_oracle(self, candidate: Candidate) -> None:
        settings = oracle_settings(self.job.settings)
        findings = judge(self.path, candidate.path, settings, candidate.plan.dropped_oldest_turns)
        agreed = "an independent reading of the source finds the same words, in the same order, byte for byte"
        self._check("oracle", "speech", "TR-L07", not findings, findings[0].sentence if findings else agreed)
        for finding in findings:
            self._add("difference", **difference_of(finding, self.path, candidate.path))
        if candidate.plan.dropped_oldest_turns:
            return
        for role, sentences in recall_samples(self.path, settings).items():
            lost = [text for text, count in planted(candidate.path, sentences).items() if not count]
            said_so = f"{len(sentences)} sentences of the {role} looked up in the bytes, {len(lost)} not found"
            self._check("oracle", f"recall of the {role}", "TR-156", not lost, said_so, None, lost[:3] or None)

    def _ask_window_oracle(self, candidate: Candidate, note: str) -> None:
        findings = judge_window(self.path, candidate.path, note, oracle_settings(self.job.settings))
        agreed = "an independent reading of the source finds the same messages, in the same order, byte for byte"
        self._check("oracle", "span", "WN-03", not findings, findings[0].sentence if findings else agreed)
        for finding in findings:
            self._add("difference", **difference_of(finding, self.path, candidate.path))

    def _ask_scenario(self, scenario: Scenario, candidate: Candidate) -> None:
        """Each expectation by its rule, and no warning that none of them names."""
        from harness.criteria.zeros import controls_of

        seen = seen_of(self.path, candidate)
        controls = controls_of([scenario], 0)
        for number, form in enumerate(scenario.expect):
            try:
                met = look(form, seen)
            except ScenarioFault as fault:
                raise scenario.error(f"expect[{number}]: {fault}", "expect", number) from None
            name, decided = form.__struct_fields__[1], self.steps[form.decided]
            shown = (None, None) if met.ok else (met.wanted, met.seen)
            more = {"control": controls[number]} if number in controls else {}
            step = self._check("expectation", name, form.rule, met.ok, met.wanted, *shown, decided=decided, **more)
            if not met.ok:
                self.failures.append(Failure(number, met, step, decided, form.decided))
        named = {form.warning for form in scenario.expect if isinstance(form, Warned)}
        unnamed = sorted((seen.codes & WARNINGS) - named)
        what = f"no expectation names the warning {unnamed[0]}" if unnamed else "no other warning than those named"
        self._check("expectation", "warnings", None, not unnamed, what, sorted(named), sorted(seen.codes))

    def _expect_verdict(self, wanted: str, candidate: Candidate, name: str = "verdict") -> None:
        seen = "refused" if candidate.refusal else "carried"
        detail = candidate.refusal.detail if candidate.refusal else "the candidate was built and verified"
        fault = f"wanted {wanted}, seen {seen}: {detail}"
        self._check("expectation", name, None, seen == wanted, detail, wanted, seen, fault)

    def _compare(self, compared: Iterable[Compared]) -> None:
        for each in compared:
            wanted, seen = (None, None) if each.ok else (each.wanted, each.seen)
            self._check("expectation", each.name, None, each.ok, each.said, wanted, seen, each.fault)

    # ---------------------------------------------------------------- the log

    def _add(self, kind: str, **fields: Any) -> int:
        self.steps[kind] = self.log.add(kind, transcript=self.number, **fields)
        return self.steps[kind]

    def _check(
        self,
        by: str,
        name: str,
        rule: str | None,
        ok: bool,
        detail: str,
        wanted: Any = None,
        seen: Any = None,
        fault: str | None = None,
        **more: Any,
    ) -> int:
        shown = {"said": plain(detail), "wanted": plain(wanted), "seen": plain(seen)}
        step = self._add("check", by=by, name=name, rule=rule, ok=ok, **shown, **more)
        if not ok:
            self.why.append(f"{by} {name}: {fault or detail}")
        return step

    def _log_source(self, candidate: Candidate) -> None:
        source = candidate.plan.source
        self._add(
            "source",
            name=self.job.name,
            path=str(self.path),
            bytes=source.size,
            sha256=source.sha256,
            lines=source.lines,
            cli_versions=source.versions,
            expected=str(self.expected_path) if self.expected_path else None,
            command=command_of(self.scenario) if self.scenario else self._command(),
        )

    def _command(self) -> str:
        going_on = ["--malformed", "report"] if self.job.malformed == "report" else []
        with_note = [] if self.job.note is None else ["--carry", "note"]
        return shlex.join(["rebuild-harness", "replay", str(self.path), *going_on, *with_note])

    def _log_facts(self, candidate: Candidate) -> None:
        for kind, fields in facts_of(candidate):
            self._add(kind, **fields)


def oracle_settings(settings: Settings) -> OracleSettings:
    """What of the settings decides who said what, for the oracle."""
    return OracleSettings(
        reply_tools=settings.reply_tools,
        private_lines=settings.private_lines,
        include_open_tail=settings.include_open_tail,
        freeze_startup_snapshot=settings.freeze_startup_snapshot,
    )


def _fingerprint(path: Path) -> tuple[int, str]:
    try:
        with path.open("rb") as file:
            digest = sha256()
            while batch := file.read(1 << 20):
                digest.update(batch)
            return file.tell(), digest.hexdigest()
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None
