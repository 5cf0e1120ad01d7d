"""The worker: drives one operation from the end of a turn to an end state, detached from the process it will replace.

Two phases. Prepare freezes the transcript, reads only the frozen copy, builds the candidate and verifies it. Activate
compares everything once more and uses the door. Between any two steps the worker may die; what it had done is on
record.
"""

from threadrebuild.channel.handover import see_arrive
from threadrebuild.operation.activate import activate
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.prepare import prepare
from threadrebuild.operation.record import Operation
from threadrebuild.operation.recovery import recover_stale
from threadrebuild.operation.rollback import roll_back
from threadrebuild.operation.states import ENDS, State


def run_worker(house: Household, operation_id: str, worker: str) -> Operation:
    """Drive an operation to an end. `worker` names this process in the lease. Raises `Refused` for an unknown id."""
    with house.store.lock():
        operation = _loaded(house, operation_id)
        if house.is_stale(operation):
            recover_stale(house)
            return _loaded(house, operation_id)
        if operation.state not in (State.SCHEDULED, State.ROLLBACK_SCHEDULED):  # TR-095
            raise Refused("not-now", f"operation {operation_id} is {operation.state}")
        if operation.lease is not None and operation.lease.worker != "starting":  # TR-099
            raise Refused("not-now", f"operation {operation_id} already has the worker {operation.lease.worker}")
        operation.lease = house.new_lease(worker)
        house.store.save(operation)
    house.ports.clock.sleep(house.settings.activation_delay_seconds)  # TR-102
    if operation.state is State.ROLLBACK_SCHEDULED:
        roll_back(house, operation, worker)
    else:
        prepare(house, operation, worker)
        if operation.state not in ENDS:  # TR-101
            activate(house, operation, worker)
    see_arrive(house, operation)
    return operation


def _loaded(house: Household, operation_id: str) -> Operation:
    operation = house.store.load(operation_id)
    if operation is None:
        raise Refused("no-operation", f"no operation {operation_id}")
    return operation
