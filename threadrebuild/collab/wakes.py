"""Wakes that a hold keeps back: each is on record once, with what would have woken whom and which holds forbid it."""

import sqlite3
from collections.abc import Sequence
from typing import Any, Literal

from threadrebuild.collab.change import Change, Conflict

HELD = "held"
"""The code with which an operation is refused that a kept hold is in the way of."""
Kind = Literal[
    "user line",
    "bot line",
    "check-back",
    "chat quiet",
    "plan quiet",
    "schedule",
    "continue",
    "restart",
    "delegation",
    "job",
    "review",
    "supervisor",
]
"""What would have woken a Bot."""
BY_COPY: dict[str, Kind] = {
    "line": "user line",
    "edit": "user line",
    "correction": "user line",
    "check_back": "check-back",
    "report": "chat quiet",
    "nudge": "plan quiet",
    "schedule": "schedule",
    "restart": "restart",
    "request": "delegation",
    "reply": "delegation",
    "review": "review",
    "rework": "review",
    "job": "job",
    "note": "supervisor",
}
"""By the kind of what waits in an inbox."""


class Suppressed(Conflict):
    """What the user asks for does not go while a hold stands; that it was asked for is on record."""

    def __init__(self, kind: Kind, bot: int, held: Sequence[sqlite3.Row]) -> None:
        super().__init__(HELD, "the user has stopped this for as long as the hold is not lifted")
        self.kind, self.bot, self.held = kind, bot, held


def suppress(change: Change, kind: Kind, bot: int, held: Sequence[sqlite3.Row], **about: Any) -> None:
    """Put on record that a Bot is not woken."""
    change.log("wake.suppressed", bot=bot, kind=kind, holds=[hold["id"] for hold in held], **about)  # HOLD-64


def kind_of(copy: sqlite3.Row) -> Kind:
    """What would have woken a Bot by a copy in its inbox."""
    return "bot line" if copy["author"] == "bot" and copy["kind"] == "line" else BY_COPY[copy["kind"]]
