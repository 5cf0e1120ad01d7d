"""What the user's words ask a finished film to measure: the narrow reading that a check is proposed from.

A number that is missed costs one proposal; so a line that could mean anything else gives none (WORDS-03).
"""

import msgspec

from threadrebuild.collab import figures, measures
from threadrebuild.collab.measures import Measure


class Stated(msgspec.Struct, frozen=True):
    """One number that a line states for the finished film; `target` where it says what the film is to be."""

    measure: Measure
    target: bool


def stated(text: str, *, of_a_part: bool = False) -> list[Stated]:
    """The numbers that a line states for the finished film; `of_a_part`: it is filed on the ticket of a shot."""
    if of_a_part:
        return []
    return [Stated(measures.measure_of(figure), figure.shaped) for figure in figures.given(text)]
