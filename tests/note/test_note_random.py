"""Random sessions with thinking, tools and images: the oracle compares whole messages, byte for byte."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from windows import NOTE, Changed, change

from harness.oracle.window import judge_window
from harness.world.strategies import Transcript, transcripts

REASONS = {"needs-human", "nothing-to-carry", "no-session-id", "poison", "still-full"}
"""Why a window may stay as it is."""
UNSETTLED = {"fork", "same-message-id", "missing-field", "wrong-type", "dangling-parent"}
"""Damages to links: the place of a run trace whose own link is broken, or which is a message's sibling, is open."""


@settings(deadline=None)
@given(transcripts(most_steps=14), st.sampled_from((60, 200, 30_000)))
def test_a_random_session_is_kept_whole_or_not_at_all(transcript: Transcript, budget: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        changed = change(transcript.data, Path(name), malformed="report", retained_tokens=budget)
        every_byte_is_in_one_class(changed)
        if changed.reason is not None:
            assert changed.reason in REASONS, changed.candidate.refusal
            assert not (Path(name) / "out").exists()
            return
        found = judge_window(changed.source, changed.candidate.path, NOTE)
        if transcript.kinds & UNSETTLED:
            found = [finding for finding in found if finding.code != "out-of-order"]
        assert found == []
        assert changed.summary["verification"]["ok"]


def every_byte_is_in_one_class(changed: Changed) -> None:
    shares = changed.plan.source.ledger.shares()
    assert sum(shares.values()) == changed.plan.source.size, shares
    assert min(shares.values(), default=0) >= 0, shares
