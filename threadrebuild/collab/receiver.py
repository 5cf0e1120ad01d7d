"""Who receives a message, and what for."""

from typing import NamedTuple


class Receiver(NamedTuple):
    """A Bot that receives a message, and why; `plans` are those that it receives it for, where not for all."""

    bot: int
    why: str
    plans: frozenset[int | None] | None = None
