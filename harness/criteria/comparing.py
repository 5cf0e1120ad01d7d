"""Two sources compared: one of them decides, by name and beforehand; the other only shows whether they agree.

Without an authority every disagreement is a veto, always towards doing nothing, and its log looks like normal work.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decided(Generic[T]):
    """What holds, which source decided it, and what every source said."""

    value: T
    by: str
    said: Mapping[str, T]

    @property
    def against(self) -> list[str]:
        """The sources that say otherwise: inconsistent, and without a veto."""
        return [name for name, value in self.said.items() if value != self.value]


def decide(authority: str, said: Mapping[str, T]) -> Decided[T]:
    """What the authority says, beside what the others say. Raises ValueError where none of the sources is it."""
    if authority not in said:  # CR-02
        raise ValueError(f"{' and '.join(said)} are compared, and it is not said who decides: name an `authority`")
    return Decided(said[authority], authority, said)
