"""What a message can concern: a plan, a ticket of it, a part of that."""

from typing import NamedTuple


class Target(NamedTuple):
    """One thing that a message concerns."""

    plan: int
    ticket: int | None = None
    part: str | None = None
