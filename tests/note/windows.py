"""A window change of a talk, made and read back: what the checks of window notes build on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.expect import expect, expect_equal
from harness.oracle.reader import read_rows
from harness.oracle.values import value_bytes
from harness.world.talk import Talk
from threadrebuild.carry.candidate import Candidate, build_candidate
from threadrebuild.carry.failures import FailedTurn
from threadrebuild.carry.note import note_of
from threadrebuild.carry.plan import Malformed, Plan
from threadrebuild.carry.summary import candidate_summary
from threadrebuild.carry.window import plan_window
from threadrebuild.config import Settings
from threadrebuild.ports import Files
from threadrebuild.system import SystemFiles

SESSION = "11111111-2222-4333-8444-555555555555"
NOTE = "早先：他养了一缸鱼，周三喂。"


@dataclass(frozen=True)
class Changed:
    """What a window change made."""

    source: Path
    plan: Plan
    candidate: Candidate
    summary: dict[str, Any]

    @property
    def raw(self) -> bytes:
        """The candidate's bytes; none where it is refused."""
        return b"" if self.candidate.refusal else self.candidate.path.read_bytes()

    @property
    def reason(self) -> str | None:
        """Why it is refused."""
        return self.candidate.refusal.reason if self.candidate.refusal else None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The candidate's rows."""
        return [json.loads(line) for line in self.raw.splitlines()]

    @property
    def span(self) -> list[bytes]:
        """The whole values behind the opening row, as they stand."""
        return [] if self.candidate.refusal else [value_bytes(row) for row in read_rows(self.candidate.path)[1:]]

    @property
    def codes(self) -> set[str]:
        """The codes of all warnings."""
        return {warning.code for warning in self.candidate.warnings}


def change(
    talk: Talk | bytes,
    folder: Path,
    note: str = NOTE,
    failures: Sequence[FailedTurn] = (),
    malformed: Malformed = "block",
    context_reading: int | None = None,
    files: Files | None = None,
    **settings: Any,
) -> Changed:
    """Write a talk as a transcript into `folder`, change its window, and read the candidate back."""
    source = folder / "project" / "source.jsonl"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(talk if isinstance(talk, bytes) else talk.bytes())
    chosen = Settings(**settings)
    plan = plan_window(source, chosen, note_of(note, chosen), malformed, failures, context_reading)
    candidate = build_candidate(plan, folder / "out", SESSION, files or SystemFiles())
    return Changed(source, plan, candidate, candidate_summary(candidate))


BROKEN = {
    "source-changed": "TR-148",
    "verification-failed": "TR-064",
    "span-differs": "WN-03",
    "still-full": "WN-12",
    "note-too-long": "WN-09",
    "needs-human": "WN-19",
}
"""Why a window may stay as it is, and the rule that decides so."""


def expect_made(rule: str, changed: Changed, *reasons: str) -> None:
    """The window is changed: what `rule` is about does not stand in its way, nor does another rule.

    `reasons` are those for which `rule` itself is to blame.
    """
    expect_no_other_rule(changed, *reasons)
    expect_equal(rule, changed.reason, None, "reason to refuse")


def expect_no_other_rule(changed: Changed, *reasons: str) -> None:
    """If the window stays as it is, it is for one of these reasons."""
    for reason, other in BROKEN.items():
        if reason not in reasons:
            expect(other, changed.reason != reason, f"{changed.candidate.refusal}")


def values_of(talk: Talk) -> list[bytes]:
    """Every whole message of a talk as it stands, in the order of the file."""
    rows = [json.loads(line) for line in talk.bytes().splitlines()]
    lines = talk.bytes().splitlines()
    found = []
    for line, row in zip(lines, rows, strict=True):
        if isinstance(row.get("message"), dict):
            begin = line.index(b'"message":') + len(b'"message":')
            _, end = json.JSONDecoder().raw_decode(line.decode("latin-1"), begin)
            found.append(line[begin:end])
    return found
