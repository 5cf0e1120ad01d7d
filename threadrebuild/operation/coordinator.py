"""What people and hosts may ask of operations: request, cancel, roll back, look, and the hook at the end of a turn.

Nothing here switches anything. It changes states by the table, under the lock, and starts a worker; a request never
kills the process it runs in (TR-095).
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from threadrebuild.channel.handover import messages_of, probes_of, settle
from threadrebuild.doors.door import Identity
from threadrebuild.operation.acceptance import require_acceptance
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.passed import shortcomings
from threadrebuild.operation.record import Operation, Step
from threadrebuild.operation.recovery import recover_stale
from threadrebuild.operation.retention import drop_old_backups
from threadrebuild.operation.states import ENDS, WORDS, Event, State

REASON_LONGEST = 500
HOOK_LOCK_SECONDS = 3.0  # TR-181
"""How long the hook waits for the lock. Its entry's own limit is 10 seconds, of which asking the door may take 5."""
EMPTY_REASON = "manual request"
NEXT_STEP = "reply normally now; the change follows when this turn has ended"  # TR-134
"""What the answer to a request tells the model (TR-134)."""


def request(house: Household, reason: str, confirmation: str) -> Operation:
    """Put a rebuild on record, or join the one that waits (TR-079, TR-080, TR-081).

    Nothing is put on record where nobody can be told to be behind the door (TR-L23), and without an acceptance where
    the household requires one (TR-157).
    """
    _require_word(Event.REQUEST, confirmation)
    require_acceptance(house)
    reason = (reason.strip() or EMPTY_REASON)[:REASON_LONGEST]  # TR-079
    # Looked at first: who takes the door while this waits for the lock was not asked.
    holder = house.door.identity()
    with house.store.lock():
        # Judging a switch may bring a session back, and kill the one that asks.
        recover_stale(house, may_wait=False)  # TR-095
        active = house.store.active()
        if active is None:
            return _begin(house, reason, _who_is_asked(holder))
        if active.state is not State.PENDING:  # TR-081
            raise Refused("in-progress", f"operation {active.id} is {active.state}")
        _join(house, active, reason, _who_is_asked(holder))
        return active


def _who_is_asked(holder: Identity | None) -> Identity:
    """The holder of the door; raises where it cannot be told, since any turn's end could then be taken for its."""
    if holder is None:  # TR-L23
        raise Refused("no-identity", "who is behind the door cannot be told, so nobody was asked; ask again")
    return holder


def _begin(house: Household, reason: str, holder: Identity) -> Operation:
    now = house.now()
    begun = Operation(
        id=house.ports.ids.new_operation_id(),
        state=State.PENDING,
        created_at=now,
        updated_at=now,
        door=house.settings.activation,
        reasons=[reason],
        steps=[Step(now, Event.REQUEST, State.PENDING, reason)],
        cas_identity=holder,
    )
    house.store.save(begun)
    return begun


def _join(house: Household, waiting: Operation, reason: str, holder: Identity) -> None:
    """Add a reason to the operation that waits, and see who holds the door by now: it is asked for again (TR-080)."""
    known = waiting.cas_identity
    waiting.cas_identity = holder
    if reason not in waiting.reasons:  # TR-080
        waiting.reasons.append(reason)
        house.move(waiting, Event.REQUEST, reason)
    elif waiting.cas_identity != known:
        house.move(waiting, Event.REQUEST, "asked for again, with somebody else at the door")


def cancel(house: Household, confirmation: str, operation_id: str | None = None) -> Operation:
    """Take back a request that still waits (TR-082)."""
    _require_word(Event.CANCEL, confirmation)
    return _moved_by_a_person(house, operation_id, Event.CANCEL)


def request_rollback(house: Household, confirmation: str, operation_id: str | None = None) -> Operation:
    """Ask for the old session back, at the end of the next turn (TR-090)."""
    _require_word(Event.ROLLBACK, confirmation)
    return _moved_by_a_person(house, operation_id, Event.ROLLBACK)


def status(house: Household, operation_id: str | None = None) -> dict[str, Any]:
    """The named operation or the latest, whether its worker has gone silent, and what is proven; changes nothing.

    `shortcomings` say what it lacks to have passed (TR-160). `proven` holds the probes of an activated operation, which
    without them reads as unproven (TR-L20); `messages` what may be said of those held during its switch (TR-093,
    TR-124).
    """
    operation = house.store.load(operation_id) if operation_id else house.store.latest()
    if operation is None:
        return {"operation": None, "stale": False}
    return {
        "operation": operation,
        "stale": house.is_stale(operation),
        "shortcomings": shortcomings(house, operation),
        "proven": probes_of(house, operation),
        "messages": messages_of(house, operation),
    }


def stop_hook(house: Household, transcript_path: str | None) -> dict[str, Any]:
    """The host's turn has ended: start a worker for what waits, if anything does (TR-083, TR-097…TR-099)."""
    with ExitStack() as held:
        try:
            held.enter_context(house.store.lock(HOOK_LOCK_SECONDS))
        except TimeoutError as error:
            # Whoever holds it moves operations on; what waits is taken up at the end of the next turn.
            return {"scheduled": False, "error": str(error)}
        recover_stale(house, may_wait=False)  # TR-181
        operation = house.store.active()
        if operation is None or operation.state not in (State.PENDING, State.ROLLBACK_PENDING):  # TR-098
            return {"scheduled": False}
        if operation.state is State.PENDING:
            if not transcript_path:  # TR-097
                raise Refused("no-transcript-path", "the hook's input names no transcript_path")
            operation.transcript_path = transcript_path  # TR-004
        why_not = _other_turn(house, operation, transcript_path)
        if why_not is not None:
            return {"scheduled": False, "operation": operation.id} | ({"error": why_not} if why_not else {})
        operation.lease = house.new_lease("starting")
        house.move(operation, Event.SCHEDULE, "the turn has ended")
        started = house.ports.spawner.start_worker(operation.id, house.door.leaves_service)
        if not started.ok:  # TR-083
            house.move(operation, Event.UNSCHEDULE, f"no worker could be started: {started.detail}")
            return {"scheduled": False, "operation": operation.id, "error": started.detail}
        return {"scheduled": True, "operation": operation.id}


def recover(house: Household) -> list[Operation]:
    """Bring every operation whose worker is gone to an end, with its evidence (TR-L25).

    What the probes show of the latest operation, and which held messages have arrived, goes on record with it. Backups
    that have been kept for their time are removed; their operations are among those that are given back.
    """
    with house.store.lock():
        moved = recover_stale(house)
        latest = house.store.latest()
        if latest is not None:
            _record_probes(house, latest)
            settle(house, latest.id)
        return moved + drop_old_backups(house)


def _record_probes(house: Household, operation: Operation) -> None:
    probes = probes_of(house, operation)
    if probes is None:
        return
    # A probe that passed once stays passed: later rows cannot take it back.
    proven = {name: operation.proven.get(name, False) or getattr(probes, name) for name in ("inbound", "outbound")}
    if proven != operation.proven:
        operation.proven = proven
        house.store.save(operation)


def _other_turn(house: Household, operation: Operation, transcript_path: str | None) -> str | None:
    """Why a turn that has ended is not the one that an operation waits for; "" where it is nobody's business.

    None where it is. What takes the door from here on is somebody else, also before the worker looks.
    """
    asked_of = operation.cas_identity if operation.state is State.PENDING else operation.cas_identity_after
    identity = house.door.identity(asked_of.target if asked_of else None)
    if identity is None:
        # A way back that nobody can be asked for ends in words; a rebuild waits for a turn that can be told.
        return "who holds the door cannot be told now" if operation.state is State.PENDING else None
    if not house.door.is_turn_of(identity, Path(transcript_path or "").stem):
        return ""
    # Nobody on record is nobody who was asked.
    if operation.state is State.PENDING and asked_of != identity:
        return f"somebody else has taken the door since operation {operation.id} was asked for: ask again, or cancel"
    return None


def _moved_by_a_person(house: Household, operation_id: str | None, event: Event) -> Operation:
    with house.store.lock():
        recover_stale(house, may_wait=False)  # TR-095
        operation = house.store.load(operation_id) if operation_id else house.store.latest()
        if operation is None:
            raise Refused("no-operation", f"no operation {operation_id}" if operation_id else "no operation yet")
        try:
            house.move(operation, event, "asked for by a person")
        except Refused as refusal:
            if event is Event.CANCEL and operation.state in ENDS:
                raise Refused(refusal.reason, f"nothing waits: operation {operation.id} is {operation.state}") from None
            raise
        return operation


def _require_word(event: Event, confirmation: str) -> None:
    if confirmation != WORDS[event]:  # TR-133 TR-150
        raise Refused("wrong-word", f"the confirmation must be exactly {WORDS[event]}")
