"""What a report may say: labels that add up, a pass that saw something, two states, incidents beside precautions."""

from pathlib import Path
from typing import Any

import msgspec

from harness.criteria.incidents import counted_apart, why_no_incident
from harness.criteria.labels import counted, label_of
from harness.criteria.passes import ZERO_FIELD, field_of, why_no_pass
from harness.expect import expect, expect_equal, proves
from harness.report.words import LABELS
from harness.rules import Rule


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    rule: str = "TR-001"
    rows: int


@proves("CR-08")
def test_every_failure_has_one_label_and_they_add_up() -> None:
    """Three failures: by two judges at once, by an invariant alone, by nobody known. One label each, three in all."""
    failures = [
        label_of(["expectation turns: 3, saw 2", "oracle speech: a word is lost"]),
        label_of(["invariant sum: negative"]),
        label_of(["something else went wrong"]),
    ]
    expect_equal("CR-08", failures, ["oracle", "invariant", "other"], "the labels")
    expect_equal("CR-08", label_of(["expectation turns: 3"], refused=True), "refused", "what nobody stated")
    counts = counted(failures)
    expect_equal("CR-08", sum(counts.values()), 3, "the sum of all labels")
    expect_equal("CR-08", {name for name, count in counts.items() if count}, set(failures), "what was counted")
    expect_equal("CR-08", list(counts), list(LABELS), "labels without a failure are counted too")


@proves("CR-16")
def test_running_through_is_no_pass() -> None:
    """A run without an error and without an event, and one that was only asked for absences, are no passes."""
    expect_equal("CR-16", why_no_pass(1, [Seen(rows=3)]), [], "something happened, and was asked for")
    expect_equal("CR-16", why_no_pass(1, [Seen(rows=0), Seen(rows=3)]), [], "absence beside something seen")
    expect("CR-16", "no event" in str(why_no_pass(0, [Seen(rows=3)])), "nothing happened")
    expect("CR-16", "absences" in str(why_no_pass(1, [Seen(rows=0)])), "a run that does nothing would meet it")


@proves("CR-12")
def test_a_pass_in_the_simulator_is_not_accepted_in_the_field() -> None:
    """Only a GO of this very version, on the real target, is an acceptance; until then there is one wording."""

    def log(verdict: str, version: str) -> list[dict[str, Any]]:
        subject = {"transcript_sha256": "ab12"}
        return [
            {"kind": "run", "version": version},
            {"kind": "acceptance", "verdict": verdict, "subject": subject},
        ]

    accepted = field_of("0.2.0", log("GO", "0.2.0"))
    expect_equal("CR-12", (accepted.wording, accepted.acceptance), ("accepted in the field", "ab12"), "with a GO")
    for steps in (None, [], log("NO-GO", "0.2.0"), log("GO", "0.1.0")):
        seen = field_of("0.2.0", steps)
        expect_equal("CR-12", (seen.wording, seen.acceptance), (ZERO_FIELD, None), f"with {steps}")


@proves("CR-15")
def test_a_precaution_does_not_stand_among_the_incidents(tmp_path: Path) -> None:
    """An incident has a date, a record, or a rule that tells it; a rule without an incident tells none."""
    happened = Rule("MC-03", "all", "x", "", "undated, recorded in production", "", "memory.md", 1, False)
    guarded = Rule("MC-06", "all", "x", "", "precaution", "", "memory.md", 2, False)
    untold = Rule("MC-12", "all", "x", "", "", "", "memory.md", 3, False)
    rules = {rule.id: rule for rule in (happened, guarded, untold)}
    (tmp_path / "archive").mkdir()
    inside, outside = tmp_path / "incidents" / "a.toml", tmp_path / "review" / "a.toml"

    def wrong(incident: object, file: Path = inside) -> bool:
        return why_no_incident(incident, file, tmp_path, rules) is not None

    for told in ("2026-07-21", "07-21, P0", "archive", "MC-03"):
        expect("CR-15", not wrong(told), f"{told!r} is an incident")
        expect("CR-15", not wrong(told, outside), f"{told!r} is one in any folder")
    for told in ("MC-06", "MC-12", "undated", "", None, 7, "gone"):
        expect("CR-15", wrong(told), f"{told!r} is none")
    expect("CR-15", not wrong(None, outside), "a precaution says nothing")
    expect_equal("CR-15", counted_apart(["07-21", None, None]), {"incidents": 1, "precautions": 2}, "counted apart")
