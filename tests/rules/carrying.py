"""Carries a made-up talk in the test's own folder and shows the result as the oracle's reader sees it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.expect import expect
from harness.oracle.candidate import Block, blocks_of
from harness.world.talk import Talk
from threadrebuild.carry.candidate import Candidate, build_candidate
from threadrebuild.carry.plan import Malformed, Plan, plan_file
from threadrebuild.carry.summary import candidate_summary
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles
from threadrebuild.transcript.tokens import decoded

SESSION = "11111111-2222-4333-8444-555555555555"


@dataclass(frozen=True)
class Carried:
    """What a carry made: the plan, the candidate with its summary, and the candidate's blocks (none if refused)."""

    plan: Plan
    candidate: Candidate
    summary: dict[str, Any]
    blocks: list[Block]

    @property
    def said(self) -> list[tuple[str, str]]:
        """Role and text of everything that the candidate says somebody said."""
        return [(block.role, block.text) for block in self.blocks if block.is_said]

    @property
    def planned(self) -> list[tuple[str, str, str]]:
        """Role, origin and text of everything that the plan takes along, whether or not a candidate was built."""
        return [(said.role, said.origin, decoded(said.token)) for said in self.plan.carried]

    @property
    def codes(self) -> set[str]:
        """The codes of all warnings."""
        return {warning.code for warning in self.candidate.warnings}

    @property
    def raw(self) -> bytes:
        """The candidate's bytes."""
        return self.candidate.path.read_bytes()


def expect_talk_is_found(carried: Carried) -> None:
    """What was said makes turns, and is not refused for being nothing: what many checks build on."""
    expect("TR-017", carried.plan.turns, "what was said makes turns")
    refused = carried.summary["reason"] == "nothing-to-carry"
    expect("TR-066", not (refused and carried.plan.selected), "somebody spoke in this file")


def carry(
    talk: Talk | bytes, folder: Path, malformed: Malformed = "block", session: str = SESSION, **settings: Any
) -> Carried:
    """Write a talk as a transcript into `folder`, carry it, and read the candidate back."""
    source = folder / "project" / "source.jsonl"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(talk if isinstance(talk, bytes) else talk.bytes())
    plan = plan_file(source, Settings(**settings), malformed)
    candidate = build_candidate(plan, folder / "out", session, SystemFiles())
    blocks = [] if candidate.refusal else blocks_of(candidate.path)
    return Carried(plan, candidate, candidate_summary(candidate), blocks)
