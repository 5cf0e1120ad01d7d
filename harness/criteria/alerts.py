"""Telling somebody of a red run: decided by its checks, and counted only once the receiver really has the message.

What the sender answers proves nothing. A channel is proved by a message id under which the receiver reads the message
back; until then it is `channel unproved`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from harness.criteria.comparing import Decided, decide

State = Literal["delivered", "channel unproved", "not sent"]


class Channel(Protocol):
    """Where a message goes out, and where it comes in."""

    def send(self, text: str) -> str:
        """Send; the id that the receiver will know it by, empty where none was given. Raises OSError."""
        ...

    def received(self, message_id: str) -> str | None:
        """What the receiver has under an id; None where there is nothing. Raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class Told:
    """What came of telling: `message_id` only where it was read back, `decided` whether there was anything to tell."""

    state: State
    message_id: str | None
    said: str
    decided: Decided[str]

    def shown(self) -> dict[str, Any]:
        """The fields of an `alert` step of the run log."""
        return {
            "state": self.state,
            "message_id": self.message_id,
            "said": self.said,
            "by": self.decided.by,
            "sources": dict(self.decided.said),
            "against": self.decided.against,
        }


def verdict_of(steps: Sequence[dict[str, Any]]) -> Decided[str]:
    """Whether a run is red, by its checks; its last step only checks that they agree.

    A run without a last step was cut short, which is red as well.
    """
    red = any(_is_red(step) for step in steps)
    ends = [str(step["verdict"]) for step in steps if step["kind"] == "end"]
    checks = "red" if red or not ends else "green"
    return decide("checks", {"checks": checks, "last step": ends[-1] if ends else "missing"})


def tell(steps: Sequence[dict[str, Any]], channel: Channel, text: str) -> Told:
    """Send `text` where the run is red, and read it back (CR-03, CR-05)."""
    decided = verdict_of(steps)
    if decided.value == "green":  # CR-03
        return Told("not sent", None, f"{decided.by} say that the run is green", decided)
    try:
        message_id = channel.send(text)
        there = channel.received(message_id) if message_id else None
    except OSError as error:
        return Told("channel unproved", None, str(error), decided)
    if there is None or text.strip() != there.strip():  # CR-05
        seen = "the sender gave no message id" if not message_id else f"the receiver has nothing of it as {message_id}"
        return Told("channel unproved", None, seen, decided)
    return Told("delivered", message_id, f"the receiver has it as {message_id}", decided)


def _is_red(step: dict[str, Any]) -> bool:
    return (step["kind"] == "check" and not step["ok"]) or (step["kind"] == "verdict" and step["verdict"] != "green")
