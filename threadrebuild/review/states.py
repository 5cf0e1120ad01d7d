"""What a turn can be, and what it can become: draft, review once, at most one revision, final, sent.

The same moves stand in the store's table `moves`, which refuses every other one to everybody.
"""

from enum import StrEnum


class State(StrEnum):
    """Where a turn stands. `waiting`: the model does not have it yet."""

    WAITING = "waiting"
    DRAFTING = "drafting"
    REVIEW = "review"
    REVISION = "revision"
    FINAL = "final"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    STOPPED = "stopped"


RUNNING = (State.DRAFTING, State.REVIEW, State.REVISION)
"""A turn that is here when the server goes down has failed: its text is not settled."""

AT_WORK = (*RUNNING, State.FINAL)
"""Where the model may still do something, if only to end its turn."""

MOVES: tuple[tuple[State, State], ...] = (
    (State.WAITING, State.DRAFTING),
    # A turn that never reaches the model has no deadline: only a person ends it.
    (State.WAITING, State.STOPPED),  # WN-20
    (State.DRAFTING, State.REVIEW),
    (State.DRAFTING, State.FINAL),
    (State.REVIEW, State.REVISION),
    (State.REVIEW, State.FINAL),
    (State.REVISION, State.FINAL),
    *((at_work, end) for at_work in AT_WORK for end in (State.FAILED, State.STOPPED)),
    (State.FINAL, State.SENDING),
    (State.SENDING, State.SENT),
)

ENDS = frozenset(  # WN-16
    {State.SENT, State.FAILED, State.STOPPED}
)
"""Where a turn leaves its session free for the next message, however it ended."""
