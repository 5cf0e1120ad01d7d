"""Activate: compare and set. Everything that was recorded is compared once more, then the door is used, then checked.

`activating` always ends (TR-089): a failed or unhealthy switch brings the old session back at once (TR-088).
"""

from pathlib import Path

from threadrebuild.doors.claims import claims_of
from threadrebuild.doors.door import Health, Holder
from threadrebuild.operation.fencing import overslept, own
from threadrebuild.operation.freeze import changed_since, neighbours_of
from threadrebuild.operation.household import Household
from threadrebuild.operation.publishing import NotPublished, built_path, is_as_verified, publish
from threadrebuild.operation.record import Operation
from threadrebuild.operation.recovery import fail, nothing_said_since, restore
from threadrebuild.operation.states import Event
from threadrebuild.operation.surroundings import changes, surroundings
from threadrebuild.ports import Outcome


def activate(house: Household, operation: Operation, worker: str) -> None:
    """Bring a verified operation to `activated`, `rolled_back` or `failed` (TR-086…TR-089)."""
    assert operation.cas_identity is not None
    with house.ports.locks.claim(claims_of(house.settings, operation.cas_identity.target)) as taken:
        if taken is None:  # TR-L34
            _switch(house, operation, worker)
            return
    with own(house, operation, worker):
        fail(house, operation, f"another operation is switching the same {taken}", conflict=True)


def _switch(house: Household, operation: Operation, worker: str) -> None:
    assert operation.candidate is not None and operation.cas_identity is not None
    session_id = operation.candidate.session_id
    with own(house, operation, worker):
        mismatch = _mismatch(house, operation)
        if mismatch is not None:  # TR-086 TR-149
            said, conflict = mismatch
            fail(house, operation, said, conflict)
            return
        operation.door_command = house.door.command(session_id)
        house.move(operation, Event.ACTIVATE)
        try:
            publish(house, operation)
        except NotPublished as error:
            fail(house, operation, str(error))
            return
        operation.switched = True
        house.store.save(operation)
        if overslept(house, operation):
            operation.switched = False
            fail(house, operation, "the worker stood still for longer than its lease; what it had compared is old")
            return
        # Once more, with nothing left to do but to use it. The door compares by itself, as far as it can (TR-109).
        if house.door.holder(operation.cas_identity, session_id) is not Holder.UNCHANGED:  # TR-107
            operation.switched = False
            fail(house, operation, "the door changed hands at the last moment", conflict=True)
            return
    switched = house.door.switch(operation.cas_identity, session_id)
    health = house.door.healthy(operation.cas_identity, session_id) if switched.ok else Health(*switched[:2])
    silence = nothing_said_since(house, operation) if health.ok else Outcome(*health[:2])
    with own(house, operation, worker):
        if silence.ok:
            operation.cas_identity_after = health.identity
            operation.activated_at = house.now()
            operation.surroundings_changed = changes(operation.surroundings, surroundings(house))  # TR-L29
            house.move(operation, Event.SWITCHED, health.detail)
        elif switched.changed:  # TR-107
            operation.switched = False
            fail(house, operation, f"the door changed hands in the moment of the switch: {switched.detail}", True)
        else:
            restore(house, operation, f"the switch failed: {silence.detail}")


def _mismatch(house: Household, operation: Operation) -> tuple[str, bool] | None:
    """The first thing that is not as it was recorded, and whether that means a third party (TR-105…TR-107)."""
    source, candidate, identity = operation.source, operation.candidate, operation.cas_identity
    assert source is not None and candidate is not None and identity is not None
    if not operation.verification.get("ok"):  # TR-065
        return "the candidate was not verified", False
    changed = changed_since(Path(source.path), source.bytes, source.sha256, house.settings)
    if isinstance(changed, str):
        return changed, False
    operation.rows_after_freeze = changed
    try:
        if not is_as_verified(built_path(house, operation), candidate):
            return "the candidate is not what was verified", False
    except OSError as error:
        return f"the candidate cannot be read any more: {error.strerror or error}", False
    own_files = {Path(source.path).name, Path(candidate.path).name}
    if neighbours_of(house, own_files) != operation.neighbours:  # TR-096 TR-106
        return "another session of this project was opened or went on since the freeze", True
    if house.door.holder(identity, candidate.session_id) is not Holder.UNCHANGED:  # TR-105
        return "the door is not held by whom it was when this was prepared", True
    return None
