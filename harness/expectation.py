"""What must be true of a transcript's carry, written by hand in the NAME.expect.json beside it.

The fields are described in golden/README.md. What is compared is what a person would look at: the candidate file, read
by the oracle's reader, and the figures that the command prints.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from harness.oracle.candidate import blocks_of
from harness.oracle.judge import planted
from harness.oracle.speech import WARNINGS
from threadrebuild.carry.plan import Malformed

SHOWN = 200  # characters of a side in one line; the run log holds it whole


class Spoken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who said it, and the decoded text."""

    role: str
    text: str


class NoteExpectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What comes of a window change of the transcript, where that is not what comes of carrying its dialogue."""

    verdict: str
    reason: str | None = None
    with_report: str | None = None


class Expectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a NAME.expect.json; what is None is not stated."""

    verdict: str
    reason: str | None = None
    line: int | None = None
    with_report: str | None = None
    utterances: list[Spoken] | None = None
    raw_tokens: list[str] | None = None
    raw_times: int = 1
    absent: list[str] | None = None
    absent_as_speech: list[str] | None = None
    turns: int | None = None
    warnings: list[str] | None = None
    abandoned: list[Spoken] | None = None
    startup_frozen: bool | None = None
    startup_contains: list[str] | None = None
    note: NoteExpectation | None = None

    def of_window(self) -> "Expectation":
        """What a window change comes to: its verdict. What stands in it whole is the oracle's to say."""
        if self.note is not None:
            return Expectation(verdict=self.note.verdict, reason=self.note.reason, with_report=self.note.with_report)
        return Expectation(verdict=self.verdict, reason=self.reason, line=self.line)


@dataclass(frozen=True, slots=True)
class Compared:
    """One stated thing: its field, whether it holds, both sides, and the fault in one short line."""

    name: str
    ok: bool
    said: str
    wanted: Any
    seen: Any
    fault: str


def expectation_path(transcript: Path) -> Path:
    """Where the expectation of a transcript stands."""
    return transcript.with_name(transcript.stem + ".expect.json")


def read_expectation(path: Path) -> Expectation:
    """Read an expectation. Raises ValueError naming file and reason."""
    try:
        # The standard library's decoder keeps half a surrogate pair, which texts here may hold.
        return msgspec.convert(json.loads(path.read_bytes()), Expectation)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise ValueError(f"{path}: {error}") from None


def compare_refusal(expected: Expectation, malformed: Malformed, summary: dict[str, Any]) -> Iterator[Compared]:
    """Compare verdict, reason and line of a carry; the verdict of one that goes on is what `with_report` states."""
    if malformed == "report" and expected.with_report is not None:
        yield _same("verdict", expected.with_report, summary["verdict"])
        return
    yield _same("verdict", expected.verdict, summary["verdict"])
    for name in ("reason", "line"):
        if (wanted := getattr(expected, name)) is not None:
            yield _same(name, wanted, summary[name])


def compare_carried(
    expected: Expectation, summary: dict[str, Any], source: Path, candidate: Path
) -> Iterator[Compared]:
    """Compare everything that is stated about a candidate."""
    raw = candidate.read_bytes()
    said = [block for block in blocks_of(candidate) if block.is_said]
    if expected.utterances is not None:
        wanted = [[each.role, each.text] for each in expected.utterances]
        yield _same("utterances", wanted, [[block.role, block.text] for block in said])
    for token in expected.raw_tokens or ():
        count = raw.count(token.encode("utf-8", "surrogatepass"))
        ok = count >= expected.raw_times
        yield _true("raw_tokens", ok, "the token stands in it byte for byte", token, f"{count} times")
    # What was never there proves nothing by being absent (CR-01).
    for text, count in planted(source, [*(expected.absent or ()), *(expected.absent_as_speech or ())]).items():
        if not count:
            yield _true("absent", False, "the text stands in the source, where it could be lost", text, "nowhere")
    for text, count in planted(candidate, expected.absent or ()).items():
        yield _true("absent", count == 0, "the text stands nowhere in it", text, f"{count} times")
    for text in expected.absent_as_speech or ():
        count = sum(text in block.text for block in said)
        yield _true("absent_as_speech", count == 0, "nobody says it", text, f"{count} times")
    if expected.turns is not None:
        yield _same("turns", expected.turns, summary["turns"])
    if expected.abandoned is not None:
        wanted = [[each.role, each.text] for each in expected.abandoned]
        yield _same("abandoned", wanted, [[each["role"], each["text"]] for each in summary["abandoned"]])
    if expected.startup_frozen is not None:
        yield _same("startup_frozen", expected.startup_frozen, summary["startup"]["frozen"])
    startup = "\n".join(block.text for block in blocks_of(candidate) if block.word == "startup")
    for text in expected.startup_contains or ():
        yield _true("startup_contains", text in startup, "the startup snapshot holds it", text, startup[:400])


def compare_warnings(expected: Expectation, summary: dict[str, Any]) -> Iterator[Compared]:
    """Exactly the stated ones of the codes that expectations are exact about."""
    if expected.warnings is not None:
        seen = {warning["code"] for warning in summary["warnings"]} & WARNINGS
        yield _same("warnings", sorted(expected.warnings), sorted(seen))


def _same(name: str, wanted: Any, seen: Any) -> Compared:
    return Compared(name, wanted == seen, f"{name} as stated", wanted, seen, _sides(wanted, seen))


def _true(name: str, ok: bool, said: str, wanted: Any, seen: Any) -> Compared:
    return Compared(name, ok, said, wanted, seen, f"{said}: {_sides(wanted, seen)}")


def _sides(wanted: Any, seen: Any) -> str:
    return f"wanted {_short(wanted)}, seen {_short(seen)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
