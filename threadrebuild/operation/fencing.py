"""Fencing: a worker changes an operation only while the operation is still its own."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation


class LostLease(Exception):
    """Somebody else has moved the operation on; this worker must not touch anything any more."""


def overslept(house: Household, operation: Operation) -> bool:
    """Whether this worker stood still for longer than its lease: what it compared is old, and others may have acted."""
    return house.is_stale(operation)  # TR-L25


@contextmanager
def own(house: Household, operation: Operation, worker: str) -> Iterator[None]:
    """Hold the lock with the proof that `operation` on disk is as this worker left it, and renew the lease.

    Raises `LostLease` where it is not: then a recovery has judged the worker dead and the operation has gone on.
    """
    with house.store.lock():
        stored = house.store.load(operation.id)
        ours = stored is not None and stored.lease is not None and stored.lease.worker == worker
        if not ours or stored is None or stored.state is not operation.state:  # TR-L25
            raise LostLease(f"operation {operation.id} was taken from worker {worker}")
        operation.lease = house.new_lease(worker)
        if house.journal is not None:
            house.journal.hold(operation.lease.until)  # TR-L22
        yield
