"""Moments of a night that a story can wait for: the states of an operation, and what can be seen on disk and door."""

from collections.abc import Callable

from harness.scenario.nights.play import Play

STATES = (
    *("pending", "scheduled", "running", "verifying", "activating", "activated"),
    *("cancelled", "failed", "rollback_pending", "rollback_scheduled", "rolled_back"),
)


def _state(state: str) -> Callable[[Play], bool]:
    def holds(play: Play) -> bool:
        latest = play.latest()
        return latest is not None and latest.state == state

    return holds


def _filled(place: str) -> Callable[[Play], bool]:
    def holds(play: Play) -> bool:
        path = play.place(place)
        return path is not None and path.exists() and path.stat().st_size > 0

    return holds


def _behind(who: str) -> Callable[[Play], bool]:
    return lambda play: play.behind() == who


def _worker_alive(play: Play) -> bool:
    return any(each.alive and each.command[0] == "worker" for each in play.night.world.processes.values())


MOMENTS: dict[str, Callable[[Play], bool]] = {
    **{state: _state(state) for state in STATES},
    "the transcript is copied": _filled("backup"),
    "the candidate is there": _filled("candidate"),
    "the candidate is published": _filled("new session"),
    "the new session is behind the door": _behind("new session"),
    "the old session is behind the door": _behind("old session"),
    "nobody is behind the door": _behind("nobody"),
    "a worker is at work": _worker_alive,
    "no worker is at work": lambda play: not _worker_alive(play),
}
"""Each moment by the words a story uses for it, and whether it is now."""
