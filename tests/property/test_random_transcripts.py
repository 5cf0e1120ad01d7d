"""Random transcripts of every kind of record and damage: what must hold of each, whatever is in it.

The core is compared with the oracle, which decides from the same bytes by other code.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, event, given, settings

from harness.oracle.candidate import blocks_of, resume_faults
from harness.oracle.judge import judge
from harness.oracle.settings import Settings as OracleSettings
from harness.oracle.speech import WARNINGS, Said, said
from harness.world.damages import DAMAGES, HARMLESS
from harness.world.strategies import Transcript, transcripts
from threadrebuild.carry.candidate import Candidate, build_candidate
from threadrebuild.carry.plan import Plan, plan_file
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles

SESSION = "11111111-2222-4333-8444-555555555555"
OTHER_SESSION = "99999999-2222-4333-8444-555555555555"
LISTED = {"carried", "abandoned"}
REFUSALS = {"nothing-to-carry", "no-session-id"}
"""Why a random transcript may be refused when unreadable lines are only reported."""


@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(transcripts())
def test_a_random_transcript_is_carried_as_the_oracle_hears_it(transcript: Transcript) -> None:
    for kind in sorted(transcript.kinds):
        event(kind)
    with TemporaryDirectory() as folder:
        check_transcript(transcript, Path(folder))


def check_transcript(transcript: Transcript, folder: Path) -> None:
    """Everything that must hold of one transcript; raises AssertionError where it does not."""
    source = folder / "project" / "source.jsonl"
    source.parent.mkdir()
    source.write_bytes(transcript.data)
    plan = plan_file(source, Settings(), "report")
    heard = said(source)
    every_byte_is_in_one_class(plan)
    nothing_is_lost_or_invented(plan, heard)
    if not is_unsure(transcript):
        core_and_oracle_agree(plan, heard)
    if transcript.said is not None:
        assert [(each.role, each.text) for each in heard.utterances] == transcript.said
    first = build_candidate(plan, folder / "first", SESSION, SystemFiles())
    assert source.read_bytes() == transcript.data
    if first.refusal is not None:
        event(f"refused: {first.refusal.reason}")
        assert first.refusal.reason in REFUSALS, first.refusal
        assert not (folder / "first").exists()
        return
    every_byte_is_in_one_class(plan)
    if not is_unsure(transcript):
        assert judge(source, first.path, OracleSettings()) == []
    assert resume_faults(first.path) == []
    the_same_again_gives_the_same_bytes(source, folder, first)
    carried_again_only_envelopes_change(folder, first)


def is_unsure(transcript: Transcript) -> bool:
    """Whether one message id was put on all assistant rows of a file whose links are broken besides.

    Which of those rows are one message is then anybody's guess, and so is their order; but none may be lost.
    """
    damages = transcript.kinds & set(DAMAGES) - HARMLESS
    return "same-message-id" in damages and len(damages) > 1


def every_byte_is_in_one_class(plan: Plan) -> None:
    shares = plan.source.ledger.shares()
    assert sum(shares.values()) == plan.source.size, shares
    assert min(shares.values(), default=0) >= 0, shares


def nothing_is_lost_or_invented(plan: Plan, heard: Said) -> None:
    ours = [(each.role, each.token) for each in (*plan.carried, *plan.source.abandoned) if each.fate in LISTED]
    theirs = [(each.role, each.token) for each in (*heard.utterances, *heard.abandoned)]
    assert sorted(ours) == sorted(theirs)


def core_and_oracle_agree(plan: Plan, heard: Said) -> None:
    source = plan.source
    assert [(each.role, each.token) for each in plan.carried] == [(each.role, each.token) for each in heard.utterances]
    abandoned = [(each.role, each.token) for each in source.abandoned if each.fate == "abandoned"]
    assert abandoned == [(each.role, each.token) for each in heard.abandoned]
    if source.order.sequence:  # else nobody spoke on the main line, and the order of what is injected means nothing
        assert [block.token for block in source.startup] == [each.token for each in heard.startup]
    assert [each.token for each in plan.summaries] == [each.token for each in heard.summaries]
    assert source.warning_counts.keys() & WARNINGS == heard.warnings, source.warning_counts
    assert len(plan.selected) == heard.turns


def the_same_again_gives_the_same_bytes(source: Path, folder: Path, first: Candidate) -> None:
    second = build_candidate(plan_file(source, Settings(), "report"), folder / "second", SESSION, SystemFiles())
    for name in ("manifest.json", "ledger.json", first.path.name):
        assert (folder / "first" / name).read_bytes() == (folder / "second" / name).read_bytes(), name
    assert second.sha256 == first.sha256


def carried_again_only_envelopes_change(folder: Path, first: Candidate) -> None:
    again = build_candidate(plan_file(first.path, Settings()), folder / "again", OTHER_SESSION, SystemFiles())
    assert again.refusal is None, again.refusal
    assert spoken(again.path) == spoken(first.path)


def spoken(candidate: Path) -> list[list[tuple[str, str, bytes]]]:
    """Role, mark and token of each block, row by row."""
    lines = {block.line for block in blocks_of(candidate)}
    assert len(lines) == len([json.loads(line) for line in candidate.read_bytes().splitlines()])
    rows: dict[int, list[tuple[str, str, bytes]]] = {}
    for block in blocks_of(candidate):
        rows.setdefault(block.line, []).append((block.role, block.word, block.token))
    return list(rows.values())
