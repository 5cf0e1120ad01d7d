"""Whether a switch has passed: not because its state says so alone, but by all that was to come of it (TR-160)."""

from pathlib import Path

from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import State
from threadrebuild.transcript.lines import digest_of


def shortcomings(house: Household, operation: Operation) -> list[str]:
    """What an operation lacks to have passed, in words; empty where it has. Reads only.

    The old transcript counts as unchanged where its frozen part is: hosts append rows without speech.
    """
    source = operation.source
    if operation.state is not State.ACTIVATED or source is None:  # TR-160
        gone = house.is_stale(operation) and source is not None
        by_hand = f"; its worker is gone: resume session {source.session_id} by hand" if gone and source else ""
        return [f"it is {operation.state}, not activated{by_hand}"]
    found = []
    if operation.cas_identity_after in (None, operation.cas_identity):  # TR-160
        found.append("no other process than before is on record behind the door")
    if not operation.verification.get("ok"):  # TR-160
        found.append("the candidate was not verified")
    if _digest(source.path, source.bytes) != source.sha256:  # TR-160
        found.append(f"the old transcript {source.path} is not what was frozen")
    if _digest(source.backup) != source.sha256:  # TR-160
        found.append(f"the backup {source.backup} is not complete")
    return found


def _digest(path: str, size: int | None = None) -> str | None:
    """The digest of a file, or of its first `size` bytes; None where it cannot be read."""
    try:
        return digest_of(Path(path), Path(path).stat().st_size if size is None else size)
    except OSError:
        return None
