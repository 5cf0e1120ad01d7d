"""A scripted relay of models: its answers are found by the label of a message and the kind of question, never by order.

What a script lets a model answer is held against the schema first, so that no story rests on an answer that could not
come; only an answer said to be nonsense may be anything.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from harness.world.kernel import World

REVIEW_MS = 500


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that the review model finds wrong."""

    kind: Literal["unsure", "correct", "other"] = "other"
    about: str = ""
    say: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the review model answers about one draft; nothing: it approves."""

    problems: list[Problem] = []
    notes: list[int] = []
    look_up: list[str] = []
    down: bool = False
    """It does not answer in time."""
    nonsense: str = ""
    """It answers this, whatever it is."""
    takes_ms: int = REVIEW_MS

    def answer(self) -> bytes | None:
        """The bytes that come back."""
        if self.down or self.nonsense:
            return self.nonsense.encode() or None
        said = {"problems": self.problems, "notes": self.notes, "look_up": self.look_up}
        return msgspec.json.encode(said)


@dataclass
class ScriptedModels:
    """`ports.Models`. `asked` holds every request, as it came over the wire."""

    world: World
    pinned: str
    answers: Mapping[tuple[str, str], Verdict]
    labels: dict[str, str] = field(default_factory=dict)
    """The label of each message id."""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def review(self, request: bytes) -> bytes | None:
        asked = json.loads(request)
        label = self.labels.get(asked["message_id"], "")
        fault = self.world.take_step("models", "review", label=label, model=asked["model"])
        self.asked.append(asked)
        verdict = self.answers.get((label, "review"), Verdict())
        self.world.sleep(verdict.takes_ms / 1000)
        return None if fault == "no" else verdict.answer()

    def pinned_prompt(self) -> str:
        return "" if self.world.take_step("models", "pinned_prompt") == "no" else self.pinned
