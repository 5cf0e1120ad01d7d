"""A door that cannot raise: whatever its controller does, an operation gets an answer and goes on to an end (TR-089).

A program that is missing, a time limit, an error nobody foresaw: each is a failed result, and an identity or a holder
that cannot be told counts as somebody else's.
"""

from collections.abc import Callable

from threadrebuild.doors.door import Door, Health, Holder, Identity
from threadrebuild.ports import Outcome


class GuardedDoor:
    """A `Door` around another one."""

    def __init__(self, door: Door) -> None:
        self._door = door

    @property
    def cannot_prove(self) -> tuple[str, ...]:
        """What the door itself says."""
        return self._door.cannot_prove

    @property
    def leaves_service(self) -> bool:
        """What the door itself says."""
        return self._door.leaves_service

    def identity(self, target: str | None = None) -> Identity | None:
        """None where it cannot be told."""
        try:
            return self._door.identity(target)
        except Exception:
            return None

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        """Not where it cannot be told."""
        try:
            return self._door.is_turn_of(identity, session_id)
        except Exception:
            return False

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        """`OTHER` where it cannot be told."""
        try:
            return self._door.holder(recorded, wanted_session)
        except Exception:
            return Holder.OTHER

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        """A failed switch where it raises."""
        return _answered(lambda: self._door.switch(recorded, session_id, instead_of))

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        """Not healthy where it raises."""
        try:
            return self._door.healthy(recorded, session_id)
        except Exception as error:  # TR-089
            return Health(False, _said(error))

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        """Not undone where it raises."""
        return _answered(lambda: self._door.undo(recorded, session_id))

    def command(self, session_id: str) -> list[str]:
        """What the door itself says."""
        return self._door.command(session_id)


def _answered(use: Callable[[], Outcome]) -> Outcome:
    try:
        return use()
    except Exception as error:  # TR-089
        return Outcome(False, _said(error))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
