"""What becomes of an operation whose worker is gone: every stale state comes to an end, with its evidence (TR-L25).

Recovery proves what is, it does not do again what was done (TR-153). A switch that may have happened is judged by who
is behind the door now; a third party is never overwritten.
"""

from contextlib import suppress
from pathlib import Path

from threadrebuild.doors.claims import claims_of
from threadrebuild.doors.door import Health, Holder, Identity
from threadrebuild.operation.freeze import changed_since
from threadrebuild.operation.household import Household
from threadrebuild.operation.publishing import discard, take_back
from threadrebuild.operation.record import Operation
from threadrebuild.operation.states import Event, State
from threadrebuild.ports import Outcome

LOOKS = 3
LOOK_AGAIN_SECONDS = 1.0


def recover_stale(house: Household, may_wait: bool = True) -> list[Operation]:
    """End every stale operation. The caller holds the lock. Returns those that were moved.

    A switch that was under way takes time to judge, and may end in another one: whoever may not wait (the hook, TR-181)
    or might be killed by it (a request, TR-095) leaves it to a worker. While somebody still claims the door, the worker
    is not gone but slow, and may use it any moment: it is left alone.
    """
    moved = []
    house.store.sweep()
    for operation in house.store.all():
        if may_wait:
            _withdraw_left(house, operation)
        if not house.is_stale(operation):
            continue
        if operation.state not in (State.ACTIVATING, State.ROLLBACK_SCHEDULED):
            fail(house, operation, f"its worker was gone while it was {operation.state}")
        elif not may_wait:  # TR-181
            house.ports.spawner.start_worker(operation.id, house.door.leaves_service)
            continue
        elif not _end_at_the_door(house, operation):
            continue
        moved.append(operation)
    return moved


def _withdraw_left(house: Household, operation: Operation) -> None:
    """Take back a candidate that could not be taken back when its operation ended."""
    ended = operation.state is State.ROLLED_BACK or (operation.state is State.FAILED and not operation.switched)
    left = house.project_dir / f"{operation.new_session_id}.jsonl"
    if ended and operation.activated_at is None and left.exists():
        with suppress(OSError):
            take_back(house, operation)


def _end_at_the_door(house: Household, operation: Operation) -> bool:
    """End an operation that may have used the door, with the door claimed; False where somebody else claims it."""
    rollback = operation.state is State.ROLLBACK_SCHEDULED
    identity = operation.cas_identity_after if rollback else operation.cas_identity
    if identity is None:  # TR-L23
        fail(house, operation, "its worker was gone, and no identity is on record")
        return True
    with house.ports.locks.claim(claims_of(house.settings, identity.target)) as taken:
        if taken is not None:  # TR-L25
            return False
        if rollback:
            _end_rollback(house, operation)
        else:
            _end_switch(house, operation)
    return True


def fail(house: Household, operation: Operation, error: str, conflict: bool = False) -> None:
    """End an operation as failed; a candidate that was never switched to is removed (TR-071, TR-092)."""
    operation.error = error
    operation.session_conflict = operation.session_conflict or conflict  # TR-092
    if operation.state is not State.ROLLBACK_SCHEDULED and not _was_switched_to(operation):  # TR-071
        discard_candidate(house, operation)
    house.move(operation, Event.FAIL, error)


def discard_candidate(house: Household, operation: Operation) -> None:
    """Remove the candidate of an operation, so that no preview and no `--continue` picks it up (TR-071).

    What somebody has gone on with in the project folder is theirs, and stays.
    """
    if operation.new_session_id is not None:
        operation.candidate_discarded = discard(house, operation)


def restore(house: Household, operation: Operation, why: str) -> None:
    """Put the old session back behind the door, or fail where even that does not hold (TR-088).

    Whoever took the door since we switched is left alone (TR-107).
    """
    assert operation.source is not None and operation.cas_identity is not None and operation.new_session_id is not None
    door, identity = house.door, operation.cas_identity
    if sure_holder(house, identity, operation.new_session_id) is Holder.OTHER:  # TR-107
        fail(house, operation, f"{why}; somebody else holds the door", conflict=True)
        return
    for _ in range(LOOKS):  # the new session may have been started again in between, by the pane's own command
        back = door.switch(identity, operation.source.session_id, instead_of=operation.new_session_id)
        if not back.changed:
            break
    if back.changed:  # TR-107
        fail(house, operation, f"{why}; somebody else took the door: {back.detail}", conflict=True)
        return
    health = door.healthy(identity, operation.source.session_id) if back.ok else Health(*back[:2])
    operation.rollback_ok = health.ok
    if health.ok:
        with suppress(OSError):  # `recover` tries again; what was built stays with the backup
            take_back(house, operation)
        operation.error = why
        house.move(operation, Event.RESTORED, f"{why}; the old session is back")
    else:
        fail(house, operation, f"{why}; the old session did not come back: {health.detail}")


def sure_holder(house: Household, identity: Identity, wanted_session: str) -> Holder:
    """Who is behind the door, looked at again where it is somebody else's: one missing answer looks just like that."""
    for _ in range(LOOKS - 1):
        holder = house.door.holder(identity, wanted_session)
        if holder is not Holder.OTHER:
            return holder
        house.ports.clock.sleep(LOOK_AGAIN_SECONDS)
    return house.door.holder(identity, wanted_session)


def nothing_said_since(house: Household, operation: Operation) -> Outcome:
    """Whether the old session fell silent with the freeze: a word said up to its last moment is not in the new one."""
    assert operation.source is not None
    source = operation.source
    changed = changed_since(Path(source.path), source.bytes, source.sha256, house.settings)
    if isinstance(changed, str):
        return Outcome(False, f"{changed}, before the old session ended")
    operation.rows_after_freeze = changed
    return Outcome(True)


def _end_switch(house: Household, operation: Operation) -> None:
    assert operation.cas_identity is not None and operation.new_session_id is not None
    why = "its worker was gone while it was activating"
    holder = sure_holder(house, operation.cas_identity, operation.new_session_id)
    health = Health(False, "")
    if holder is Holder.WANTED:
        health = house.door.healthy(operation.cas_identity, operation.new_session_id)
    if health.ok and nothing_said_since(house, operation).ok:  # TR-153
        operation.cas_identity_after = health.identity
        operation.activated_at = house.now()
        house.move(operation, Event.SWITCHED, f"{why}; the new session is there and healthy")
    elif holder is Holder.UNCHANGED:
        house.door.undo(operation.cas_identity, operation.new_session_id)
        operation.switched = False
        fail(house, operation, f"{why}; nothing had been switched")
    elif holder is Holder.OTHER:
        house.door.undo(operation.cas_identity, operation.new_session_id)
        fail(house, operation, f"{why}; somebody else holds the door", conflict=True)
    else:
        operation.switched = True
        restore(house, operation, f"{why}; the new session did not live")


def _end_rollback(house: Household, operation: Operation) -> None:
    assert operation.source is not None and operation.cas_identity_after is not None
    why = "its worker was gone during the rollback"
    holder = sure_holder(house, operation.cas_identity_after, operation.source.session_id)
    if holder is Holder.WANTED and house.door.healthy(operation.cas_identity_after, operation.source.session_id).ok:
        operation.rollback_ok = True
        house.move(operation, Event.RESTORED, f"{why}; the old session is back")
        return
    if holder in (Holder.UNCHANGED, Holder.OTHER):
        house.door.undo(operation.cas_identity_after, operation.source.session_id)
    operation.rollback_ok = False
    fail(house, operation, f"{why}; behind the door: {holder.value}", conflict=holder is Holder.OTHER)


def _was_switched_to(operation: Operation) -> bool:
    return operation.switched
