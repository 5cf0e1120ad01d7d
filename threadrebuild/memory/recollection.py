"""What the hops hand to each other: who wrote, and what has been remembered of them so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

Role = Literal["customer", "assistant"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Customer:
    """Who writes, as the channel tells it. `key` is the identity in the spelling that came; `platform_user` is empty
    on channels that carry none.
    """

    tenant: str
    channel: str
    key: str
    platform_user: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that came in."""

    customer: Customer
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Line:
    """Something said: in this session (`message`), or before it (`entry` of the history)."""

    role: Role
    content: str
    message: int | None = None
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model gets. The profile stands in `system`, so that no trimming of the talk reaches it."""

    system: str
    summary: str
    talk: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Recollection:
    """What is remembered of a customer after so many hops; `session` is None before it was claimed."""

    session: int | None = None
    profile: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    watermark: int = 0
    talk: tuple[Line, ...] = ()
    prompt: Prompt | None = None


@dataclass(frozen=True, slots=True)
class Came:
    """What a hop came to: a word that can be counted, and how many things it handled."""

    to: str
    amount: int = 0


def millis(at: datetime) -> int:
    """A moment as the store keeps it."""
    return (at - _EPOCH) // timedelta(milliseconds=1)
