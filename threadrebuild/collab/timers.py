"""Times that were waited for, each handed to the concept that waits."""

from collections.abc import Callable

from threadrebuild.collab import beat, call_backs, check_backs, dormancy, messages, organizer, schedules
from threadrebuild.collab.change import Change
from threadrebuild.collab.events import TimerRang

WAITING: dict[str, Callable[[Change, TimerRang], None]] = {
    "behind": messages.time_came,
    "check_back": check_backs.time_came,
    "quiet": organizer.time_came,
    "chat_quiet": call_backs.time_came,
    "schedule": schedules.time_came,
    dormancy.AGING: dormancy.time_came,
    beat.SUBJECT: beat.time_came,
}
"""By how the subject of a timer begins."""


def rang(change: Change, event: TimerRang) -> None:
    """Let whoever waits for a time go on."""
    subject = change.db.value("SELECT subject FROM effects WHERE id = ?", event.effect)
    WAITING[subject.partition(":")[0]](change, event)
