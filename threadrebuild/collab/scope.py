"""What a hold is over: a scope of one of seven kinds, and what can be under it."""

from typing import Literal, NamedTuple

Kind = Literal["turn", "work_item", "item", "wait", "hearer"]
"""What can be under a hold: a segment, a Bot's work, a copy that waits there, a check-back, who may hear a line."""


class Scope(NamedTuple):
    """What a hold is over; only the fields of its kind are set (HOLD-2)."""

    kind: Literal["everything", "bot", "session", "plan", "ticket", "bot_in_plan", "turn"]
    bot: int | None = None
    session: int | None = None
    plan: int | None = None
    ticket: int | None = None
    turn: int | None = None


NAMES: dict[str, set[str]] = {
    "everything": set(),
    "bot": {"bot"},
    "session": {"session"},
    "plan": {"plan"},
    "ticket": {"ticket"},
    "bot_in_plan": {"bot", "plan"},
    "turn": {"turn"},
}
"""What each kind of scope names."""
