"""The pointer door: no process stays up; a runner calls the host once per turn for the session that a file names.

Switching replaces the file's one line and kills nothing; the runner's next call picks the new session up (TR-120).
"""

from threadrebuild.doors.door import Health, Holder, Identity
from threadrebuild.doors.pointer_file import NoPointer, PointerFile, session_in
from threadrebuild.ports import Outcome


class PointerDoor:
    """Identity is the pointer's content; healthy is a pointer that can be read and names the session (TR-120)."""

    cannot_prove = (
        "a pointer that names the new session does not prove that the runner's next call takes it, or succeeds",
        "the pointer's content is an approximation: this is no session lock of the host",  # TR-109
        "a call that was under way while the pointer changed still belongs to the old session",
        "the pointer is compared and then replaced, in two steps: who writes it just between them is overwritten",
    )
    leaves_service = False

    def __init__(self, pointer: PointerFile) -> None:
        self._pointer = pointer

    def identity(self, target: str | None = None) -> Identity | None:
        """What the pointer holds now; None where that cannot be told (TR-L23)."""
        try:
            content = self._pointer.read()
        except NoPointer:
            return None
        proof = "absent" if content is None else session_in(content) or "empty"
        return Identity(str(self._pointer.path), proof, content)

    def is_turn_of(self, identity: Identity, session_id: str) -> bool:
        """By the session that the pointer names; the runner tells the hook of no other."""
        return identity.proof == session_id

    def holder(self, recorded: Identity, wanted_session: str) -> Holder:
        """By the pointer's content alone."""
        now = self.identity()
        if now is None:
            return Holder.OTHER
        if now == recorded:
            return Holder.UNCHANGED
        return Holder.WANTED if now.proof == wanted_session else Holder.OTHER

    def switch(self, recorded: Identity, session_id: str, instead_of: str | None = None) -> Outcome:
        """Write the pointer; nothing is signalled."""
        return self._pointer.take_over(recorded.pointer, session_id, instead_of)

    def healthy(self, recorded: Identity, session_id: str) -> Health:
        """Whether the pointer can be read and names this session."""
        now = self.identity()
        if now is None or now.proof != session_id:
            return Health(False, f"{self._pointer.path} does not name {session_id}")
        return Health(True, f"{self._pointer.path} names {session_id}", now)

    def undo(self, recorded: Identity, session_id: str) -> Outcome:
        """Give the pointer back what it held."""
        return self._pointer.give_back(recorded.pointer, session_id)

    def command(self, session_id: str) -> list[str]:
        """The pointer file and what is written into it."""
        return ["write", str(self._pointer.path), session_id]
