"""The main job: carry a transcript, judge the result by an independent reading, and write down every step of it.

A transcript is green when it meets the NAME.expect.json beside it, or without one when it is carried and the oracle
agrees. Results come one by one, each with its steps in the run log; nothing decides for the caller.
"""

import shlex
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.expectation import (
    Compared,
    compare_carried,
    compare_refusal,
    compare_warnings,
    expectation_path,
    read_expectation,
)
from harness.invariants.carry import INVARIANTS, Carry
from harness.oracle.judge import Finding, judge, planted, recall_samples
from harness.oracle.settings import Settings as OracleSettings
from harness.runlog import RunLog
from threadrebuild.carry.candidate import MANIFEST, Candidate, build_candidate
from threadrebuild.carry.manifest import Item, read_manifest
from threadrebuild.carry.plan import Malformed, plan_file
from threadrebuild.carry.summary import candidate_summary
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles
from threadrebuild.transcript.ledger import REASONS
from threadrebuild.transcript.lines import UnreadableInput
from threadrebuild.transcript.speech import Utterance
from threadrebuild.transcript.tokens import decoded

SESSIONS = uuid.UUID("5b6f2a3e-53c8-4d0e-9d5f-7a0d4c1f2b11")
"""Namespace of the session ids that a replay gives, so that a run can be repeated byte for byte."""
SHOWN_BYTES = 240
"""Bytes of each side that a difference shows."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One transcript's outcome. `summary` is what `threadrebuild candidate --json` answers."""

    name: str
    green: bool
    why: list[str]
    summary: dict[str, Any]


class Replay:
    """Replays transcripts one after the other into one run log and one folder of candidates."""

    def __init__(self, log: RunLog, out: Path, settings: Settings, malformed: Malformed = "block") -> None:
        self.log = log
        self.out = out
        self.settings = settings
        self.malformed = malformed
        self.number = 0

    def transcripts(self, paths: Iterable[tuple[str, Path]]) -> Iterator[Replayed]:
        """Replay each (name, path). Raises ValueError for a broken expectation, `UnreadableInput` for no transcript."""
        for name, path in paths:
            yield _One(self, name, path).replayed()
            self.number += 1


class _One:
    """One transcript on its way: every method adds its steps, and what fails goes into `why`."""

    def __init__(self, run: Replay, name: str, path: Path) -> None:
        self.run = run
        self.name = name
        self.path = path
        self.out = run.out / f"{run.number:03}-{path.stem}"
        stated = expectation_path(path)
        self.expected_path = stated if stated.exists() else None
        self.expected = read_expectation(stated) if self.expected_path else None
        self.why: list[str] = []

    def replayed(self) -> Replayed:
        before = _fingerprint(self.path)
        candidate = self._carry(self.path, self.out, self.run.malformed)
        summary = candidate_summary(candidate)
        self._log_source(candidate)
        shown = candidate
        if self.expected and self.expected.with_report and self.run.malformed == "block":
            folder = self.out.with_name(self.out.name + "-reported")
            shown = self._carry(self.path, folder, "report")
            self._compare(compare_refusal(self.expected, summary))
            self._expect_verdict(self.expected.with_report, shown)
            self._judge(shown, before, folder)
        else:
            if self.expected:
                self._compare(compare_refusal(self.expected, summary))
            else:
                self._expect_verdict("carried", candidate)
            self._judge(candidate, before, self.out)
        self._log_facts(shown)
        green = not self.why
        self._add("verdict", verdict="green" if green else "red", why=self.why)
        return Replayed(self.name, green, self.why, summary)

    def _carry(self, source: Path, out: Path, malformed: Malformed) -> Candidate:
        plan = plan_file(source, self.run.settings, malformed)
        session = str(uuid.uuid5(SESSIONS, plan.source.sha256))
        return build_candidate(plan, out, session, SystemFiles())

    def _judge(self, candidate: Candidate, before: tuple[int, str], out: Path) -> None:
        """The four judges: verification, oracle, invariants, and what was stated by hand."""
        summary = candidate_summary(candidate)
        if candidate.verification is not None:
            for check in candidate.verification.checks:
                self._check("verification", check.name, "TR-064", check.ok, check.detail)
        if candidate.refusal is None:
            self._ask_oracle(candidate)
            if self.expected:
                self._compare(compare_carried(self.expected, summary, candidate.path))
        if self.expected:
            self._compare(compare_warnings(self.expected, summary))
        malformed: Malformed = "report"

        def again(source: Path, folder: Path) -> dict[str, Any]:
            plan = plan_file(source, self.run.settings, malformed)
            return candidate_summary(build_candidate(plan, folder, candidate.session_id, SystemFiles()))

        carry = Carry(self.path, before, _fingerprint(self.path), summary, out, again)
        for invariant in INVARIANTS:
            fault = invariant.fault(carry)
            self._check("invariant", invariant.name, invariant.rule, fault is None, fault or "holds")

    def _ask_oracle(self, candidate: Candidate) -> None:
        settings = OracleSettings(
            reply_tools=self.run.settings.reply_tools,
            private_lines=self.run.settings.private_lines,
            include_open_tail=self.run.settings.include_open_tail,
            freeze_startup_snapshot=self.run.settings.freeze_startup_snapshot,
        )
        findings = judge(self.path, candidate.path, settings, candidate.plan.dropped_oldest_turns)
        agreed = "an independent reading of the source finds the same words, in the same order, byte for byte"
        self._check("oracle", "speech", "TR-L07", not findings, findings[0].sentence if findings else agreed)
        for finding in findings:
            self._log_difference(finding, candidate.path)
        if candidate.plan.dropped_oldest_turns:
            return
        for role, sentences in recall_samples(self.path).items():
            lost = [text for text, count in planted(candidate.path, sentences).items() if not count]
            said_so = f"{len(sentences)} sentences of the {role} looked up in the bytes, {len(lost)} not found"
            self._check("oracle", f"recall of the {role}", "TR-156", not lost, said_so, None, lost[:3] or None)

    def _expect_verdict(self, wanted: str, candidate: Candidate) -> None:
        seen = "refused" if candidate.refusal else "carried"
        detail = candidate.refusal.detail if candidate.refusal else "the candidate was built and verified"
        self._check("expectation", "verdict", None, seen == wanted, detail, wanted, seen)

    def _compare(self, compared: Iterable[Compared]) -> None:
        for each in compared:
            shown = (None, None) if each.ok else (each.wanted, each.seen)
            self._check("expectation", each.name, None, each.ok, each.said, *shown)

    # ---------------------------------------------------------------- the log

    def _add(self, kind: str, **fields: Any) -> None:
        self.run.log.add(kind, transcript=self.run.number, **fields)

    def _check(
        self,
        by: str,
        name: str,
        rule: str | None,
        ok: bool,
        detail: str,
        wanted: Any = None,
        seen: Any = None,
    ) -> None:
        self._add("check", by=by, name=name, rule=rule, ok=ok, said=detail, wanted=_plain(wanted), seen=_plain(seen))
        if not ok:
            self.why.append(f"{by} {name}: {detail}")

    def _log_source(self, candidate: Candidate) -> None:
        source = candidate.plan.source
        self._add(
            "source",
            name=self.name,
            path=str(self.path),
            bytes=source.size,
            sha256=source.sha256,
            lines=source.lines,
            cli_versions=source.versions,
            expected=str(self.expected_path) if self.expected_path else None,
            command=shlex.join(["rebuild-harness", "replay", str(self.path)]),
        )

    def _log_facts(self, candidate: Candidate) -> None:
        plan, source = candidate.plan, candidate.plan.source
        self._add(
            "candidate",
            verdict="refused" if candidate.refusal else "carried",
            reason=f"{candidate.refusal.reason}: {candidate.refusal.detail}" if candidate.refusal else None,
            path=None if candidate.refusal else str(candidate.path),
            session_id=candidate.session_id,
            rows=candidate.rows,
            items=candidate.items,
            bytes=0 if candidate.refusal else candidate.path.stat().st_size,
            sha256=candidate.sha256,
        )
        shares = source.ledger.shares()
        classes = [{"name": name, "bytes": count, "reason": REASONS[name]} for name, count in shares.items()]
        self._add("ledger", classes=classes, sum=source.ledger.total(), size=source.size)
        self._log_turns(candidate)
        counts = source.warning_counts
        self._add(
            "chain",
            roots=source.order.roots,
            forks=counts["fork"],
            dangling=counts["dangling-parent"],
            duplicates=counts["duplicate-uuid"],
            cycles=counts["cycle"],
            rows=source.lines,
            notes=[],
        )
        self._add("warnings", warnings=[asdict(warning) for warning in candidate.warnings])
        dirty = plan.dirty
        self._add(
            "dirty",
            categories=dirty.categories,
            total_bytes=dirty.total_bytes,
            conversation_bytes=dirty.conversation_bytes,
            noise_ratio=dirty.noise_ratio,
            should_rebuild=dirty.should_rebuild,
            reasons=list(dirty.reasons),
        )
        self._add("left", paths=source.left_behind.paths(), commands=source.left_behind.checks())

    def _log_turns(self, candidate: Candidate) -> None:
        plan = candidate.plan
        items: Iterator[Item] = iter(())
        if candidate.refusal is None:
            listed = read_manifest(candidate.path.with_name(MANIFEST)).items
            items = (item for item in listed if item.word not in ("startup", "runtime", "stamp"))
        turns = []
        for turn in plan.turns:
            shown = []
            for each in turn.utterances:
                item = next(items, None) if each.fate == "carried" else None
                shown.append(_shown(each, item))
            turns.append({"number": turn.number, "open": turn.open, "tokens": plan.tokens[turn.number], "items": shown})
        startup = {
            "frozen": bool(plan.source.startup),
            "sha256": plan.startup_sha256,
            "texts": [_plain(decoded(block.token)) for block in plan.source.startup],
        }
        abandoned = [
            {"role": each.role, "text": _plain(decoded(each.token)), "line": each.line}
            for each in plan.source.abandoned
        ]
        self._add("turns", turns=turns, startup=startup, abandoned=abandoned)

    def _log_difference(self, finding: Finding, candidate: Path) -> None:
        sides = {"source": (self.path, finding.source), "candidate": (candidate, finding.candidate)}
        shown = {name: _bytes_at(path, place) for name, (path, place) in sides.items()}
        self._add("difference", where=f"{finding.code}: {finding.sentence}", **shown)


def _shown(said: Utterance, item: Item | None) -> dict[str, Any]:
    return {
        "role": said.role,
        "origin": said.origin,
        "line": said.line,
        "offset": item.source_offset if item else None,
        "length": item.source_length if item else len(said.token),
        "text": _plain(decoded(said.token)),
        "time": said.time,
        "sha256": sha256(said.token).hexdigest(),
        "carried": said.fate == "carried",
    }


def _plain(value: Any) -> Any:
    """Text that any encoder takes: half a surrogate pair is written as its escape."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def _fingerprint(path: Path) -> tuple[int, str]:
    try:
        with path.open("rb") as file:
            digest = sha256()
            while batch := file.read(1 << 20):
                digest.update(batch)
            return file.tell(), digest.hexdigest()
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror or error}") from None


def _bytes_at(path: Path, place: tuple[int, int] | None) -> dict[str, Any] | None:
    if place is None:
        return None
    line, offset = place
    with path.open("rb") as file:
        file.seek(offset)
        found = file.read(SHOWN_BYTES)
    return {
        "line": line,
        "offset": offset,
        "bytes": found.hex(),
        "text": found.decode("utf-8", "backslashreplace"),
    }
