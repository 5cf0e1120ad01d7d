"""The two manual steps: a person prepares, looks at the candidate, and activates, in place of the hook and its worker.

They walk the same states under the same checks. The person has to name the transcript, as the hook would (TR-004).
"""

from datetime import timedelta
from pathlib import Path

from threadrebuild.channel.handover import see_arrive
from threadrebuild.operation.activate import activate
from threadrebuild.operation.fencing import LostLease, own
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.prepare import prepare
from threadrebuild.operation.record import Lease, Operation
from threadrebuild.operation.recovery import recover_stale
from threadrebuild.operation.states import State

BY_HAND = "by hand"
LOOK_SECONDS = 3600.0
"""How long a prepared operation waits for the person to activate it; after that it counts as left behind."""


def prepare_by_hand(house: Household, transcript: Path) -> Operation:
    """Bring the pending operation to `verifying` or `failed`. Raises `Refused` where none is pending."""
    operation = _claimed(house, State.PENDING, "there is no pending request to prepare", transcript)
    try:
        prepare(house, operation, BY_HAND)
        if operation.state is State.VERIFYING:
            with own(house, operation, BY_HAND):
                until = house.ports.clock.now() + timedelta(seconds=LOOK_SECONDS)
                operation.lease = Lease(BY_HAND, until.isoformat(timespec="microseconds"))
                house.store.save(operation)
    except LostLease as error:
        raise Refused("not-now", str(error)) from None
    return operation


def activate_by_hand(house: Household) -> Operation:
    """Switch to what `prepare_by_hand` prepared. Raises `Refused` where nothing is."""
    operation = _claimed(house, State.VERIFYING, "nothing was prepared by hand")
    try:
        activate(house, operation, BY_HAND)
    except LostLease as error:
        raise Refused("not-now", str(error)) from None
    see_arrive(house, operation)
    return operation


def _claimed(house: Household, state: State, otherwise: str, transcript: Path | None = None) -> Operation:
    with house.store.lock():
        recover_stale(house, may_wait=False)
        operation = house.store.active()
        if operation is None or operation.state is not state:
            raise Refused("not-now", otherwise)
        if state is State.VERIFYING and (operation.lease is None or operation.lease.worker != BY_HAND):
            raise Refused("not-now", f"a worker is at work on operation {operation.id}")
        if transcript is not None:
            operation.transcript_path = str(transcript)
        operation.lease = house.new_lease(BY_HAND)
        house.store.save(operation)
        return operation
