"""Plans under a hold: those that it covers as a whole are parked, and get their status back when it is lifted."""

from typing import Any

from threadrebuild.collab.change import Change


def park(change: Change, hold: int) -> list[dict[str, Any]]:
    """Park the active plans that a hold is over; returns what each was before."""
    return []


def restore(change: Change, hold: int) -> None:
    """Give the plans that a hold parked their status back, or hand them over to another hold that covers them."""
