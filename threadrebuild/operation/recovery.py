"""What becomes of an operation whose worker is gone: every stale state comes to an end, with its evidence (TR-L25).

Recovery proves what is, it does not do again what was done (TR-153). A switch that may have happened is judged by who
is behind the door now; a third party is never overwritten.
"""

from pathlib import Path

from threadrebuild.carry.candidate import part_of
from threadrebuild.doors.door import Holder
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import Event, State


def recover_stale(house: Household, may_wait: bool = True) -> list[Operation]:
    """End every stale operation. The caller holds the lock. Returns those that were moved.

    A switch that was under way takes time to judge, and may end in another one: whoever may not wait (the hook, TR-181)
    or might be killed by it (a request, TR-095) leaves it to a worker.
    """
    moved = []
    for operation in house.store.all():
        if not house.is_stale(operation):
            continue
        if operation.state not in (State.ACTIVATING, State.ROLLBACK_SCHEDULED):
            fail(house, operation, f"its worker was gone while it was {operation.state}")
        elif not may_wait:  # TR-181
            house.ports.spawner.start_worker(operation.id, house.door.leaves_service)
            continue
        elif operation.state is State.ACTIVATING:
            _end_switch(house, operation)
        else:
            _end_rollback(house, operation)
        moved.append(operation)
    return moved


def fail(house: Household, operation: Operation, error: str, conflict: bool = False) -> None:
    """End an operation as failed; a candidate that was never switched to is removed (TR-071, TR-092)."""
    operation.error = error
    operation.session_conflict = operation.session_conflict or conflict
    if operation.state is not State.ROLLBACK_SCHEDULED and not _was_switched_to(operation):
        discard_candidate(house, operation)
    house.move(operation, Event.FAIL, error)


def discard_candidate(house: Household, operation: Operation) -> None:
    """Remove the candidate of an operation from the project folder, so that no preview picks it up (TR-071)."""
    if operation.new_session_id is None:
        return
    path = house.project_dir / f"{operation.new_session_id}.jsonl"
    house.ports.files.remove(part_of(path, operation.new_session_id))
    house.ports.files.remove(path)
    house.ports.files.sync_folder(house.project_dir)
    operation.candidate_discarded = True


def restore(house: Household, operation: Operation, why: str) -> None:
    """Put the old session back behind the door, or fail where even that does not hold (TR-088)."""
    assert operation.source is not None and operation.cas_identity is not None
    door, identity = house.door, operation.cas_identity
    back = door.switch(identity, operation.source.session_id)
    if back.ok:
        back = door.healthy(identity, operation.source.session_id)
    operation.rollback_ok = back.ok
    if back.ok:
        operation.error = why
        house.move(operation, Event.RESTORED, f"{why}; the old session is back")
    else:
        fail(house, operation, f"{why}; the old session did not come back: {back.detail}")


def _end_switch(house: Household, operation: Operation) -> None:
    assert operation.cas_identity is not None and operation.new_session_id is not None
    why = "its worker was gone while it was activating"
    holder = house.door.holder(operation.cas_identity, operation.new_session_id)
    if holder is Holder.WANTED and house.door.healthy(operation.cas_identity, operation.new_session_id).ok:
        operation.cas_identity_after = house.door.identity()
        operation.activated_at = house.now()
        house.move(operation, Event.SWITCHED, f"{why}; the new session is there and healthy")
    elif holder is Holder.UNCHANGED:
        house.door.undo(operation.cas_identity)
        fail(house, operation, f"{why}; nothing had been switched")
    elif holder is Holder.OTHER:
        fail(house, operation, f"{why}; somebody else holds the door", conflict=True)
    else:
        operation.switched = True
        restore(house, operation, f"{why}; the new session did not live")


def _end_rollback(house: Household, operation: Operation) -> None:
    assert operation.source is not None and operation.cas_identity_after is not None
    why = "its worker was gone during the rollback"
    holder = house.door.holder(operation.cas_identity_after, operation.source.session_id)
    if holder is Holder.WANTED and house.door.healthy(operation.cas_identity_after, operation.source.session_id).ok:
        operation.rollback_ok = True
        house.move(operation, Event.RESTORED, f"{why}; the old session is back")
        return
    if holder is Holder.UNCHANGED:
        house.door.undo(operation.cas_identity_after)
    operation.rollback_ok = False
    fail(house, operation, f"{why}; behind the door: {holder.value}", conflict=holder is Holder.OTHER)


def _was_switched_to(operation: Operation) -> bool:
    return operation.switched


def backup_of(house: Household, operation: Operation, session_id: str) -> Path:
    """Where an operation keeps its copy of a transcript."""
    return house.store.artifacts(operation.id) / f"{session_id}.jsonl"
