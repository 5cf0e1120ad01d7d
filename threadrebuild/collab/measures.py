"""Measured numbers in the user's words, for the ledger: a duration, a resolution, an aspect ratio or a frame rate."""

from typing import Literal

import msgspec


class Measure(msgspec.Struct, frozen=True):
    """A measured number. `value`: seconds, the short side in pixels, a ratio or a way up, or frames a second."""

    item: Literal["duration", "resolution", "aspect", "frame_rate"]
    value: str
    bound: Literal["bare", "about", "at_least", "at_most"]


def the_one(text: str) -> Measure | None:
    """The measured number of a text that has exactly one."""
    return None
