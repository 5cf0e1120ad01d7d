"""The adapter's review client: one request with the draft and all that the review model may go by, one answer.

An answer that does not fit the schema is none. The schema asks for nothing that the model could only guess at: no
verdict of its own, no score.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from threadrebuild.ports import Models
from threadrebuild.review.rollout import PROMPT
from threadrebuild.review.search import Search


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing wrong with a draft. `about`: the name that it rests on, or empty.

    `unsure`: the draft says it too surely. `correct`: something else is true. `other`: anything else.
    """

    kind: Literal["unsure", "correct", "other"]
    about: str
    say: str


class Reply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The review model's answer. `notes`: which fridge notes the draft violates. `look_up`: what history has to say."""

    problems: list[Problem]
    notes: list[Annotated[int, Meta(ge=0)]]
    look_up: list[str]


class Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """What the review model gets. Without `model` the relay takes the one it has."""

    prompt: str
    message_id: str
    draft: str
    evidence: list[Search]
    notes: Sequence[str] = ()
    model: str = ""


class Client:
    """Asks the review model of a name."""

    def __init__(self, models: Models, model: str) -> None:
        self._models = models
        self._model = model

    def ask(self, message_id: str, draft: str, notes: Sequence[str], evidence: Sequence[Search]) -> Reply | None:
        """The review model's answer; None where there is none, or none that can be used."""
        request = Request(
            prompt=PROMPT,
            message_id=message_id,
            draft=draft,
            evidence=list(evidence),
            notes=notes,  # RV-32
            model=self._model,  # RV-17
        )
        try:
            answer = self._models.review(msgspec.json.encode(request))
            reply = None if answer is None else msgspec.json.decode(answer, type=Reply)
        except (OSError, UnicodeEncodeError, msgspec.DecodeError, RecursionError):
            return None
        known = reply is not None and all(number < len(notes) for number in reply.notes)
        return reply if known else None
