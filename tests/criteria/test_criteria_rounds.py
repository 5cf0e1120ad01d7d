"""Rounds of triage: no step without the one before it, each finding from its own source, closed where it began."""

from pathlib import Path

import pytest
from rounds_told import AFTER, BEFORE, QUERY, closed, told, without

from harness.criteria.rounds import STEPS, read_round
from harness.expect import expect, expect_equal, proves
from harness.rules import CatalogueError


@proves("CR-09")
def test_no_fix_without_a_count_before_it(tmp_path: Path) -> None:
    """The counts stand in the run log that is named; a record without one is at step 2, whatever else it holds."""
    whole = closed(tmp_path)
    expect_equal("CR-09", dict(whole.before), BEFORE, "the counts before the change")
    for uncounted in (told(tmp_path, without("evidence")), told(tmp_path, before=None)):
        expect_equal("CR-09", (uncounted.step, uncounted.table), (2, "evidence"), "the step that is due")
        expect("CR-09", "no count by label" in uncounted.lacks, f"it says so: {uncounted.lacks}")
        expect("CR-09", "fix, build" in uncounted.lacks, f"what came too early is named: {uncounted.lacks}")
    early = told(tmp_path, without("fix"), without("build"), without("use"), without("again"))
    expect("CR-09", "before it" not in early.lacks, f"nothing came too early here: {early.lacks}")


@proves("CR-17")
def test_a_hypothesis_names_the_figure_that_would_refute_it(tmp_path: Path) -> None:
    """Without such a figure it stays a symptom; and a count that meets the figure refutes it."""
    closed(tmp_path)
    for vague in (("refuted_at = 0\n", ""), ('hypothesis = "the server', '#"')):
        seen = told(tmp_path, vague)
        expect("CR-17", "still a symptom" in seen.lacks and seen.step == 2, f"no figure, no hypothesis: {seen.lacks}")
    refuted = told(tmp_path, before={**BEFORE, "read, and nothing stored": 0})
    expect("CR-17", "refuted: 0 counted" in refuted.lacks and refuted.step == 2, f"refuted: {refuted.lacks}")
    expect_equal("CR-17", told(tmp_path, before={**BEFORE, "read, and nothing stored": 1}).step, None, "one is enough")


@proves("CR-10")
def test_symptom_label_and_cause_have_their_own_sources(tmp_path: Path) -> None:
    """The reporter's words are no cause, a label is none, and a line that is not there is none."""
    closed(tmp_path)
    for words in (
        "读历史有问题",
        "read, and nothing stored",
        "memory/explicit.py",
        "memory/explicit.py:3",
        "gone.py:1",
    ):
        seen = told(tmp_path, ("memory/explicit.py:2", words))
        expect_equal("CR-10", (seen.step, seen.table), (3, "fix"), f"with {words!r} as its cause")
        expect("CR-10", "cause not found" in seen.lacks, f"it says so: {seen.lacks}")


@proves("CR-11")
def test_a_changed_criterion_has_shared_cases_and_a_price(tmp_path: Path) -> None:
    """Both are asked for by themselves, and the cases have to be there."""
    closed(tmp_path)
    for change, said in (
        (('costs = "a bare', '#"'), "what the change lets through"),
        (('cases = ["scenarios/five-forms.toml"]\n', ""), "no shared cases: none"),
        (("five-forms", "four-forms"), "no shared cases: scenarios/four-forms.toml"),
    ):
        seen = told(tmp_path, change)
        expect("CR-11", seen.step == 3 and said in seen.lacks, f"step {seen.step}: {seen.lacks}")


@proves("CR-12")
def test_fixed_is_not_verified(tmp_path: Path) -> None:
    """All merged and packed, nothing used on the real target: that is all that may be said."""
    expect_equal("CR-12", closed(tmp_path).wording, "verified", "with an acceptance and the count taken again")
    for seen in (
        told(tmp_path, without("use"), without("again")),
        told(tmp_path, accepted="NO-GO"),
        told(tmp_path, accepted_of="0.1.0"),
    ):
        expect_equal("CR-12", seen.wording, "fixed, zero field acceptance", f"the state at: {seen.lacks}")
    expect_equal("CR-12", told(tmp_path, without("build")).wording, "open", "before it is packed it is not fixed")


@proves("CR-13")
def test_a_round_closes_with_the_query_that_opened_it(tmp_path: Path) -> None:
    """An acceptance does not close it, nor another query, nor the old version, nor a label that is still there."""
    whole = closed(tmp_path)
    expect_equal("CR-13", (dict(whole.before), dict(whole.after)), (BEFORE, AFTER), "both counts are kept")
    for seen, said in (
        (told(tmp_path, without("again")), "not taken again"),
        (told(tmp_path, after=None), "not taken again"),
        (told(tmp_path, query=QUERY.replace("memory", "review")), "another query"),
        (told(tmp_path, counted_on="0.1.0"), "of version 0.1.0"),
        (told(tmp_path, after={**AFTER, "read, and nothing stored": 1}), "still 1 counted"),
    ):
        expect("CR-13", seen.step == 6 and said in seen.lacks, f"step {seen.step}: {seen.lacks}")
        expect_equal("CR-13", seen.wording, "fixed, accepted in the field, not counted again", "it is still open")


@proves("CR-14")
def test_every_step_has_a_lane_and_somebody_who_holds_it(tmp_path: Path) -> None:
    """Six steps over three lanes. With the package built and nobody in the lane of step 5, that is what is missing."""
    closed(tmp_path)
    lanes = ["site", "data", "data", "device", "site", "data"]
    phases = ["symptom", "evidence", "fix", "fix", "acceptance", "acceptance"]
    expect_equal("CR-14", [step.lane for step in STEPS], lanes, "the lanes of the steps")
    expect_equal("CR-14", [step.phase for step in STEPS], phases, "the phases of the steps")
    packed = (without("use"), without("again"))
    held = told(tmp_path, *packed)
    expect_equal("CR-14", (held.step, held.lane, held.holder), (5, "site", "现场"), "step, lane and holder")
    expect("CR-14", "nobody holds" not in held.lacks, f"it is held: {held.lacks}")
    dropped = told(tmp_path, *packed, ('site = "现场", ', ""))
    expect_equal("CR-14", (dropped.step, dropped.holder), (5, ""), "step and holder")
    expect("CR-14", "nobody holds the lane site" in dropped.lacks, f"it is nobody's: {dropped.lacks}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("[symptom]", "[symptoms]"), "unknown field `symptoms`"),
        (('says = "读历史有问题"', "says = 3"), r"\$.symptom.says"),
        (("before.jsonl", "gone.jsonl"), "gone.jsonl: no run log"),
        (("[build]", "[build"), "round.toml"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        told(tmp_path, change)


def test_nobodys_words_are_no_symptom(tmp_path: Path) -> None:
    assert told(tmp_path, ('by = "同事"', 'by = ""')).table == "symptom"
    with pytest.raises(CatalogueError, match=r"nowhere\.toml"):
        read_round(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("memory/explicit.py:2", "memory/explicit.py:" + "9" * 5000), "cause not found"),
        (("memory/explicit.py:2", "x" * 5000 + ":1"), "cause not found"),
        (("memory/explicit.py:2", "../round.toml:1"), "cause not found"),
        (("memory/explicit.py:2", "/etc/passwd:1"), "cause not found"),
        (("scenarios/five-forms.toml", "x" * 5000), "no shared cases"),
        (("scenarios/five-forms.toml", "/etc/passwd"), "no shared cases"),
        (
            ('costs = "a bare clock now passes as explicit, with a day that nobody showed"', 'costs = " "'),
            "not written",
        ),
    ],
)
def test_what_is_no_file_of_the_checkout_is_no_evidence(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    stands = told(tmp_path, change)
    assert (stands.table, said in stands.lacks) == ("fix", True), stands.lacks


def test_a_line_of_a_file_that_is_no_text_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "checkout" / "memory").mkdir(parents=True)
    (tmp_path / "checkout" / "scenarios").mkdir()
    (tmp_path / "checkout" / "scenarios" / "five-forms.toml").touch()
    (tmp_path / "checkout" / "memory" / "explicit.py").write_bytes(b"\xff\n\xfe\n")
    assert told(tmp_path).step is None
