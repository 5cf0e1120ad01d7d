"""The states of an operation and the transitions between them, as data. What is not listed here is refused."""

from enum import StrEnum


class State(StrEnum):
    """An operation is in exactly one of these (TR-078)."""

    PENDING = "pending"
    SCHEDULED = "scheduled"
    RUNNING = "running"
    VERIFYING = "verifying"
    ACTIVATING = "activating"
    ACTIVATED = "activated"
    CANCELLED = "cancelled"
    FAILED = "failed"
    ROLLBACK_PENDING = "rollback_pending"
    ROLLBACK_SCHEDULED = "rollback_scheduled"
    ROLLED_BACK = "rolled_back"


class Event(StrEnum):
    """What moves an operation."""

    REQUEST = "request"
    CANCEL = "cancel"
    SCHEDULE = "schedule"
    UNSCHEDULE = "unschedule"
    PREPARE = "prepare"
    PREPARED = "prepared"
    ACTIVATE = "activate"
    SWITCHED = "switched"
    RESTORED = "restored"
    ROLLBACK = "rollback"
    FAIL = "fail"


WORDS = {Event.REQUEST: "REBUILD", Event.CANCEL: "CANCEL", Event.ROLLBACK: "ROLLBACK"}
"""What a person has to say, exactly so, for the events that only a person may cause (TR-133)."""

ENDS = frozenset({State.ACTIVATED, State.CANCELLED, State.FAILED, State.ROLLED_BACK})  # TR-078
"""States that end a rebuild; `activated` may still be rolled back."""

HELD_BY_WORKER = frozenset(
    {State.SCHEDULED, State.RUNNING, State.VERIFYING, State.ACTIVATING, State.ROLLBACK_SCHEDULED}
)
"""States in which a worker is at work, so that its lease must not run out (TR-L25)."""

TRANSITIONS: dict[tuple[State | None, Event], State] = {
    (None, Event.REQUEST): State.PENDING,
    (State.PENDING, Event.REQUEST): State.PENDING,
    (State.PENDING, Event.CANCEL): State.CANCELLED,  # TR-082
    (State.PENDING, Event.SCHEDULE): State.SCHEDULED,
    (State.PENDING, Event.PREPARE): State.RUNNING,  # TR-084
    (State.SCHEDULED, Event.UNSCHEDULE): State.PENDING,
    (State.SCHEDULED, Event.PREPARE): State.RUNNING,
    (State.SCHEDULED, Event.FAIL): State.FAILED,
    (State.RUNNING, Event.PREPARED): State.VERIFYING,  # TR-085
    (State.RUNNING, Event.FAIL): State.FAILED,
    (State.VERIFYING, Event.ACTIVATE): State.ACTIVATING,
    (State.VERIFYING, Event.FAIL): State.FAILED,
    (State.ACTIVATING, Event.SWITCHED): State.ACTIVATED,  # TR-087
    (State.ACTIVATING, Event.RESTORED): State.ROLLED_BACK,  # TR-088
    (State.ACTIVATING, Event.FAIL): State.FAILED,
    (State.ACTIVATED, Event.ROLLBACK): State.ROLLBACK_PENDING,  # TR-090
    (State.ROLLBACK_PENDING, Event.SCHEDULE): State.ROLLBACK_SCHEDULED,  # TR-091
    (State.ROLLBACK_SCHEDULED, Event.UNSCHEDULE): State.ROLLBACK_PENDING,
    (State.ROLLBACK_SCHEDULED, Event.RESTORED): State.ROLLED_BACK,
    (State.ROLLBACK_SCHEDULED, Event.FAIL): State.FAILED,
}
"""(from, event) → to; None is "no operation yet" (TR-079…TR-094)."""


def after(state: State | None, event: Event) -> State | None:
    """The state that follows, or None where the transition is not listed (TR-094)."""
    return TRANSITIONS.get((state, event))
