"""A door: how the process of a household is recognised, switched over and checked. Three kinds, one shape.

All doors share selection, verification, fail-safe and rollback; only the proof of identity and the way to the next
process differ. A door reports failure and never raises (TR-112). Switching is compare-and-set as far as the outside
lets it be; the identity it compares is an approximation by process id or pointer, not a session lock of the host, and
`cannot_prove` says what is left open (TR-109).
"""

import re
from enum import Enum
from typing import NamedTuple, Protocol

import msgspec

from threadrebuild.ports import Outcome

SESSION_ID = re.compile(r"[0-9a-fA-F-]{1,64}")


class Identity(msgspec.Struct, frozen=True):
    """Who holds a door: the exact target (a pane's permanent id, a unit, a pointer file) and what proves it.

    `pointer` is the content of the pointer file where the door has one: None if it is absent, "" if it is empty.
    """

    target: str
    proof: str
    pointer: str | None = None


class Holder(Enum):
    """Who is behind a door, seen from an operation that recorded an identity and means to bring in a session."""

    UNCHANGED = "unchanged"
    """The process, or the pointer, that was recorded."""
    WANTED = "wanted"
    """The session that the operation means to bring in."""
    NOBODY = "nobody"
    """Nothing runs there; what ran last was the wanted session."""
    OTHER = "other"
    """Somebody else's; it must not be overwritten."""


class Health(NamedTuple):
    """Whether the wanted session lives behind a door, why it counts as that, and exactly who was seen there."""

    ok: bool
    detail: str
    identity: Identity | None = None


class Door(Protocol):
    """What an operation asks of a household's way of running the host."""

    @property
    def cannot_prove(self) -> tuple[str, ...]:
        """What a green switch through this door does not show, in words."""

    @property
    def leaves_service(self) -> bool:
        """Whether the worker has to leave a service's control group before it switches (TR-117)."""

    def identity(self, target: str | None = None) -> Identity | None:
        """Who holds the door now; None where that cannot be told: then nothing may be switched (TR-L23).

        With `target`, an identity's exact one, it is looked for there: what the configuration calls it may have moved.
        """

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        """Whether the turn that has ended, in a session and with this very process as its hook, was that of a holder.

        Other sessions of this machine, of this project, and those that a session itself starts have the same hook.
        """

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        """Who is behind the door now. What cannot be told counts as `OTHER`."""

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        """Put a session behind the door, at exactly the recorded target, in place of who was recorded there.

        Also in place of the session `instead_of`, where one is named. Anybody else stays: `changed` (TR-107).
        """

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        """Whether the session behind the door is the one wanted and stays up for the whole check time."""

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        """Take back what a switch to a session left that did not reach the process: the pointer, where there is one."""

    def command(self, session_id: str) -> list[str]:
        """What a switch to this session runs or writes, for the record."""


def is_session_id(session_id: str) -> bool:
    """Whether an id has the shape that may reach a command or a pointer file (TR-111)."""
    return SESSION_ID.fullmatch(session_id) is not None  # TR-111
