"""A round of triage: from a vague word to a count, a cause, a fix, and back to the same count on what is in use.

A round is a TOML file beside its evidence, one table a step. Where it stands is worked out from that evidence alone:
the counts are the labels of the run logs it names, and nobody can write "done".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import tomli

from harness.criteria.passes import ACCEPTED, field_of
from harness.rules import CatalogueError
from harness.runlog import read_run

Lane = Literal["site", "data", "device"]
PLACE = re.compile(r"(.+):([0-9]{1,9})")


class Step(NamedTuple):
    """One of the six steps: the table it is recorded in, and the lane that works on it."""

    table: str
    lane: Lane
    phase: str


STEPS = (
    Step("symptom", "site", "symptom"),
    Step("evidence", "data", "evidence"),
    Step("fix", "data", "fix"),
    Step("build", "device", "fix"),
    Step("use", "site", "acceptance"),
    Step("again", "data", "acceptance"),
)


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Symptom(_Table, frozen=True, kw_only=True):
    """What somebody said, in their words: never a label, and never a cause."""

    by: str
    says: str


class Evidence(_Table, frozen=True, kw_only=True):
    """The counts before anything was changed: a run log, the label they point to, and what would refute it."""

    run: str
    label: str
    hypothesis: str = ""
    refuted_at: int | None = None
    """The count of the label at or below which the hypothesis is refuted; and the label gone, after the fix."""


class Fix(_Table, frozen=True, kw_only=True):
    """The line that is the cause (file:line, from the checkout), the shared cases, and what the change costs."""

    cause: str
    cases: list[str] = []
    costs: str = ""


class Build(_Table, frozen=True, kw_only=True):
    """What was packed."""

    version: str


class Use(_Table, frozen=True, kw_only=True):
    """The run log of `accept` on the real target, after the build was put in use there."""

    acceptance: str


class Again(_Table, frozen=True, kw_only=True):
    """The run log of the opening query, run again on what is in use."""

    run: str


class Round(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One round. `holders`: who works in each lane."""

    title: str
    holders: dict[Lane, str]
    symptom: Symptom
    evidence: Evidence | None = None
    fix: Fix | None = None
    build: Build | None = None
    use: Use | None = None
    again: Again | None = None


@dataclass(frozen=True)
class Standing:
    """Where a round stands: the step that is due (None: closed), who holds it, what it lacks, and both counts."""

    title: str
    step: int | None
    table: str
    lane: str
    holder: str
    lacks: str
    wording: str
    before: Mapping[str, int]
    after: Mapping[str, int]

    def shown(self) -> dict[str, Any]:
        """As in the command's JSON."""
        return dict(vars(self))


def read_round(path: Path) -> Round:
    """Read one file. Raises `CatalogueError`, with the file and what is wrong with it."""
    try:
        return msgspec.convert(tomli.loads(path.read_text(encoding="utf-8")), Round)
    except (OSError, ValueError, RecursionError) as error:
        raise CatalogueError(f"{path}: {error}") from None


def standing(round_: Round, folder: Path, root: Path) -> Standing:
    """Where a round stands, by its evidence in `folder` and the checkout `root` (CR-09…CR-14, CR-17)."""
    looking = _Looking(round_, folder, root)
    lacks = {step.table: "; ".join(getattr(looking, step.table)()) for step in STEPS}
    done = [step.table for step in STEPS if not lacks[step.table]]
    due = next((at for at, step in enumerate(STEPS) if lacks[step.table]), None)
    wording = _wording(done, due)
    if due is None:
        return Standing(round_.title, None, "", "", "", "", wording, looking.before, looking.after)
    step = STEPS[due]
    holder = round_.holders.get(step.lane, "")
    ahead = [each.table for each in STEPS[due + 1 :] if getattr(round_, each.table) is not None]
    faults = [lacks[step.table]]
    if ahead:  # CR-09
        faults.append(f"{', '.join(ahead)} came before it: without this step nothing in them can be proved")
    if not holder:  # CR-14
        faults.append(f"nobody holds the lane {step.lane}")
    return Standing(
        round_.title,
        due + 1,
        step.table,
        step.lane,
        holder,
        "; ".join(faults),
        wording,
        looking.before,
        looking.after,
    )


def _wording(done: list[str], due: int | None) -> str:
    if due is None:
        return "verified"
    if "fix" not in done or "build" not in done:
        return "open"
    return f"fixed, {ACCEPTED}, not counted again" if "use" in done else field_of("", None).wording


class _Looking:
    """What each step lacks, in words, one after the other; nothing where its record holds."""

    def __init__(self, round_: Round, folder: Path, root: Path) -> None:
        self.round = round_
        self.folder = folder
        self.root = root
        self.before = _counts(self._steps(round_.evidence.run)) if round_.evidence else {}
        self.after = _counts(self._steps(round_.again.run)) if round_.again else {}

    def symptom(self) -> Iterator[str]:
        said = self.round.symptom
        if not said.says.strip() or not said.by.strip():
            yield "nobody's words"

    def evidence(self) -> Iterator[str]:
        """A count for each label, and a hypothesis that the counts could have refuted."""
        found = self.round.evidence
        if found is None or not self.before:  # CR-09
            yield "no count by label was taken"
            return
        if found.label not in self.before:
            yield f"{found.label!r} is no label of the count; there are {', '.join(self.before)}"
            return
        if not found.hypothesis or found.refuted_at is None:  # CR-17
            yield "no figure would prove the hypothesis wrong: it is still a symptom"
        elif self.before[found.label] <= found.refuted_at:  # CR-17
            yield f"refuted: {self.before[found.label]} counted as {found.label!r}"

    def fix(self) -> Iterator[str]:
        """The cause is a line of code, from its own source; a changed criterion has shared cases and a price."""
        found = self.round.fix
        if found is None:
            yield "cause not found"
            return
        if not self._is_line(found.cause):  # CR-10
            yield f"cause not found: {found.cause!r} is no line of the code"
        missing = [case for case in found.cases if self._read(case) is None]
        if missing or not found.cases:  # CR-11
            yield f"no shared cases: {', '.join(missing) or 'none is named'}"
        if not found.costs.strip():  # CR-11
            yield "it is not written down what the change lets through"

    def build(self) -> Iterator[str]:
        if self.round.build is None or not self.round.build.version:
            yield "nothing was packed"

    def use(self) -> Iterator[str]:
        """An acceptance run on the real target, of the version that was packed."""
        if self.round.use is None:
            yield "nobody has used it"
            return
        version = self.round.build.version if self.round.build else ""
        field = field_of(version, self._steps(self.round.use.acceptance))
        if field.wording != ACCEPTED:
            yield field.why

    def again(self) -> Iterator[str]:
        """The very query that opened the round, on the version that was packed; and the label is gone."""
        if self.round.again is None or not self.after or self.round.evidence is None:  # CR-13
            yield "the count was not taken again"
            return
        opening, closing = (_query(self._steps(each.run)) for each in (self.round.evidence, self.round.again))
        if opening != closing:  # CR-13
            yield f"another query: {closing} instead of {opening}"
        ran = next((step.get("version", "") for step in self._steps(self.round.again.run) if step["kind"] == "run"), "")
        if self.round.build is None or ran != self.round.build.version:  # CR-13
            yield f"the count is of version {ran}, not of what was packed"
        left = self.after.get(self.round.evidence.label, 0)
        if left > (self.round.evidence.refuted_at or 0):  # CR-13
            yield f"still {left} counted as {self.round.evidence.label!r}"

    def _steps(self, run: str) -> list[dict[str, Any]]:
        path = self.folder / run
        try:
            return read_run(path)
        except (OSError, ValueError) as error:
            raise CatalogueError(f"{path}: no run log: {error}") from None

    def _is_line(self, cause: str) -> bool:
        found = PLACE.fullmatch(cause)
        there = self._read(found[1]) if found else None
        return found is not None and there is not None and 1 <= int(found[2]) <= len(there.splitlines())

    def _read(self, name: str) -> bytes | None:
        """A file of the checkout; None where there is none, and for what lies outside of it."""
        try:
            path = (self.root / name).resolve()
            return path.read_bytes() if path.is_relative_to(self.root.resolve()) else None
        except (OSError, ValueError, RuntimeError):
            return None


def _counts(steps: list[dict[str, Any]]) -> dict[str, int]:
    """The labels of a run, from its last step."""
    ends = [step for step in steps if step["kind"] == "end"]
    return dict(ends[-1].get("labels") or {}) if ends else {}


def _query(steps: list[dict[str, Any]]) -> str:
    """The command of a run, but for the folder it wrote to."""
    command = next((str(step.get("command", "")) for step in steps if step["kind"] == "run"), "")
    return re.sub(r" (?:-o|--out)(?: |=)\S+", "", command)
