"""What is looked at before a switch, stage by stage: after one in which something does not hold comes none (TR-155).

Production is only read. The plan, the candidate and the session that is resumed are made from a copy of the transcript.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from harness.accept.finding import Finding, found, recall
from harness.accept.resuming import Resume, resume_in_lab
from harness.lab.acceptance import read_only_findings
from harness.lab.namespace import LabFault, NoNamespace
from harness.lab.script import NEW_PROMPT
from harness.lab.wire import BROKEN, behaviour, carried_texts, compare, sent_texts
from harness.oracle.candidate import blocks_of
from harness.oracle.judge import recall_samples
from harness.oracle.speech import said as said_in
from harness.replay import Job, oracle_settings, replayed
from harness.runlog import RunLog
from harness.runs import CANDIDATES, private
from threadrebuild.carry.plan import plan_file
from threadrebuild.carry.summary import dirty_summary, plan_summary
from threadrebuild.cli_version import CliVersion
from threadrebuild.config import ConfigError
from threadrebuild.doctor import Report, doctor
from threadrebuild.installed_cli import InstalledCli, installed_cli
from threadrebuild.opening import household
from threadrebuild.operation.acceptance import Subject, differences, subject_of
from threadrebuild.operation.freeze import ROOM_FACTOR
from threadrebuild.operation.household import Household
from threadrebuild.operation.store import StoreError
from threadrebuild.project import source_in
from threadrebuild.transcript.lines import BATCH_BYTES, UnreadableInput, digest_of

COPY = "copy"
ROLES = ("user", "assistant")


@dataclass(frozen=True)
class Outside:
    """What of the machine is reached: the household of a configuration, and the real CLI in the lab."""

    open_household: Callable[[Path], Household] = household
    resume: Resume = resume_in_lab


@dataclass
class Looking:
    """A look at one household: what each stage found is there for the stages after it."""

    config: Path
    out: Path
    log: RunLog
    outside: Outside
    findings: list[Finding] = field(default_factory=list)
    subject: Subject | None = None
    """What the verdict is on; None until the transcript and the CLI are known."""
    opened: Household | None = None
    report: Report = field(init=False)
    source: Path = field(init=False)
    copy: Path = field(init=False)
    copied: str = field(init=False)
    """Digest of the bytes that were copied."""
    built: Path = field(init=False)
    """The candidate."""

    def look(self) -> None:
        """Go through the stages; what comes after one that fails is not checked, and says why."""
        stopped_by = ""
        for stage, look in STAGES.items():
            if stopped_by:
                said = f"not looked at: {stopped_by} has to hold first"
                self.findings.append(Finding(stage, "TR-155", "not checked", said))
                continue
            before = len(self.findings)
            try:
                self.findings += look(self)
            except (UnreadableInput, StoreError, OSError) as error:
                self.findings.append(found(stage, None, False, str(error)))
            stopped_by = next((each.name for each in self.findings[before:] if each.state != "holds"), "")

    @property
    def house(self) -> Household:
        """The household, once its configuration was read."""
        assert self.opened is not None
        return self.opened

    # ---------------------------------------------------------------- the stages, in order

    def configuration(self) -> Iterator[Finding]:
        """The file loads, and has all that its door needs."""
        try:
            self.opened = self.outside.open_household(self.config)
        except ConfigError as error:
            yield found("configuration", "TR-138", False, str(error))
            return
        yield found("configuration", "TR-138", True, f"{self.config} loads")

    def doctor(self) -> Iterator[Finding]:
        """Every check of `doctor`, command line and channels of the running process among them (TR-137, TR-L21)."""
        self.report = doctor(self.house)
        for check in self.report.checks:
            yield found(f"doctor: {check.name}", "TR-137", check.ok, check.detail)
        active = self.report.active_operation
        said = "none" if active is None else f"operation {active['id']} is {active['state']}"
        yield found("no operation under way", "TR-081", active is None, said)

    def transcript(self) -> Iterator[Finding]:
        """There is room for a backup and a candidate, and the transcript can be copied."""
        self.source = source_in(self.house.settings, None)
        size = self.source.stat().st_size
        for folder in (_existing(self.house.store.state_dir), self.house.project_dir):
            room, wanted = self.house.ports.files.free_bytes(folder), ROOM_FACTOR * size
            said = f"{folder}: {room} bytes free, {wanted} wanted for backup and candidate"
            yield found("room", None, room >= wanted, said)
        self.copy = self.out / COPY / self.source.name
        self.copy.parent.mkdir(mode=0o700)
        self.copied = _copy(self.source, self.copy, size)
        yield found("transcript", "TR-104", True, f"{self.source}: {size} bytes copied, digest {self.copied}")

    def plan(self) -> Iterator[Finding]:
        """What has to hold before anything is asked for, on the copy (TR-155)."""
        plan = plan_file(self.copy, self.house.settings)
        doctor_says = msgspec.to_builtins(self.report)
        answers = {"doctor": doctor_says, "plan": plan_summary(plan), "dirty": dirty_summary(plan.dirty)}
        for each in read_only_findings(answers):
            # What `doctor` answers stands among the findings already.
            if not each.ok or not each.name.startswith("doctor:"):
                yield found(each.name, "TR-155", each.ok, each.detail)

    def candidate(self) -> Iterator[Finding]:
        """The carry is built and verified, and an independent reading of the copy agrees."""
        if self.house.settings.carry != "dialogue":
            said = "only a carry of the dialogue is judged here, and this household carries a note"
            yield Finding("candidate", None, "not checked", said)
            return
        job = Job(self.source.name, self.copy, self.house.settings)
        done = next(replayed(self.log, self.out / CANDIDATES, [job]))
        agreed = "built and verified, and an independent reading finds the same words"
        yield found("candidate", "TR-L07", done.green, "; ".join(done.why) or agreed)
        if done.green:
            self.built = Path(done.summary["candidate"])

    def recall(self) -> Iterator[Finding]:
        """Sentences of both sides, asked of the old session and of the new one, each side by itself (TR-156)."""
        settings = oracle_settings(self.house.settings)
        samples = recall_samples(self.copy, settings)
        old, new = said_in(self.copy, settings).utterances, [each for each in blocks_of(self.built) if each.is_said]
        for role in ROLES:
            yield recall(role, samples[role], *([e.text for e in texts if e.role == role] for texts in (old, new)))

    def cli(self) -> Iterator[Finding]:
        """The installed CLI tells its version, and it is the one that was checked and locked (WN-05)."""
        cli = self._installed()
        yield found("installed CLI", None, True, f"{cli.version}, {cli.file}")
        yield _locked(cli, self.report.cli)
        self.subject = subject_of(self.house.settings, self.source, self.copy.stat().st_size, cli)

    def lab(self) -> Iterator[Finding]:
        """The installed CLI resumes the candidate in the lab, and what was carried is in its request (TR-072)."""
        cli = self._installed()
        try:
            with TemporaryDirectory(prefix="accept-") as folder:
                requests = self.outside.resume(self.built, cli, Path(folder))
        except NoNamespace as why:
            yield Finding("resumed in the lab", "TR-072", "not checked", f"the lab cannot run here: {why}")
            return
        except LabFault as fault:
            yield found("resumed in the lab", "TR-072", False, f"{cli.version} does not resume the candidate: {fault}")
            return
        sent = sent_texts(requests[-1]["messages"]) if requests else []
        pairs = compare(carried_texts(self.built, NEW_PROMPT), sent)
        rows, did = [pair.shown() for pair in pairs], behaviour(pairs)
        self.log.add("wire", transcript=0, version=cli.version, rows=rows, did=did)
        broken = sum(pair.state in BROKEN for pair in pairs)
        same = sum(pair.state == "same" for pair in pairs)
        saw = f"{cli.version} sent {same} texts byte for byte as carried; {broken} were lost or are nobody's"
        yield found("resumed in the lab", "TR-072", not broken, saw)

    def unchanged(self) -> Iterator[Finding]:
        """All that the verdict is on is still what was looked at; what was said meanwhile is no change."""
        assert self.subject is not None
        try:
            settings = self.outside.open_household(self.config).settings
        except ConfigError as error:
            yield found("unchanged", "TR-148", False, f"the configuration does not load any more: {error}")
            return
        size = self.subject.transcript_bytes
        changed = differences(self.subject, subject_of(settings, source_in(settings, None), size, self._installed()))
        if not changed and self.subject.transcript_sha256 != self.copied:
            changed = [f"the transcript was changed while it was looked at: {self.source.name}"]
        meanwhile = self.source.stat().st_size - size
        still = f"configuration, transcript and CLI are what was looked at; {meanwhile} bytes were appended meanwhile"
        yield found("unchanged", "TR-148", not changed, "; ".join(changed) or still)

    def _installed(self) -> InstalledCli:
        cli = installed_cli(self.house.settings, self.house.ports.processes)
        if isinstance(cli, str):
            raise FileNotFoundError(cli)
        return cli


STAGES: dict[str, Callable[[Looking], Iterator[Finding]]] = {
    "configuration": Looking.configuration,
    "doctor": Looking.doctor,
    "transcript": Looking.transcript,
    "plan": Looking.plan,
    "candidate": Looking.candidate,
    "recall": Looking.recall,
    "CLI": Looking.cli,
    "lab": Looking.lab,
    "unchanged": Looking.unchanged,
}


def _locked(cli: InstalledCli, seen: CliVersion | None) -> Finding:
    locked, notes = (None, []) if seen is None else (seen.locked, seen.notes)
    said = [f"{locked} is locked, and {cli.version} is installed"] if locked else []
    return found("version lock", "WN-05", locked == cli.version, "; ".join([*said, *notes]))


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(each for each in (folder, *folder.parents) if each.exists())


def _copy(source: Path, copy: Path, size: int) -> str:
    """Copy the first `size` bytes into a private file; their digest, from what was read. Raises OSError."""
    digest, left = sha256(), size
    with source.open("rb") as original, private(copy).open("wb") as written:
        while left and (batch := original.read(min(left, BATCH_BYTES))):
            written.write(batch)
            digest.update(batch)
            left -= len(batch)
    if left or digest.hexdigest() != digest_of(copy, size):
        raise OSError(f"{source}: became shorter, or another file, while it was copied")
    return digest.hexdigest()
