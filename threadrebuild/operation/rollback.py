"""Rollback: the old session comes back behind the door, under the same checks; what was said since is kept (TR-L24)."""

from pathlib import Path

from threadrebuild.doors.claims import claims_of
from threadrebuild.doors.door import Health, Holder, Identity
from threadrebuild.operation.appended import said_after
from threadrebuild.operation.fencing import overslept, own
from threadrebuild.operation.freeze import changed_since
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation
from threadrebuild.operation.recovery import fail
from threadrebuild.operation.states import Event
from threadrebuild.transcript.lines import BATCH_BYTES


def roll_back(house: Household, operation: Operation, worker: str) -> None:
    """Bring a scheduled rollback to `rolled_back`, or to `failed` on a conflict or an unhealthy session (TR-091)."""
    identity = operation.cas_identity_after
    if identity is None:  # TR-L23
        with own(house, operation, worker):
            fail(house, operation, "no identity was recorded after activation: no identity, no switch")
        return
    with house.ports.locks.claim(claims_of(house.settings, identity.target)) as taken:
        if taken is None:  # TR-L34
            _switch_back(house, operation, identity, worker)
            return
    with own(house, operation, worker):
        fail(house, operation, f"another operation is switching the same {taken}", conflict=True)


def _switch_back(house: Household, operation: Operation, identity: Identity, worker: str) -> None:
    assert operation.source is not None
    with own(house, operation, worker):
        if house.door.holder(identity, operation.source.session_id) is not Holder.UNCHANGED:  # TR-108
            fail(house, operation, "the door changed hands after activation", conflict=True)
            return
        if not Path(operation.source.path).exists():
            fail(house, operation, "the old transcript is gone from the project folder; the backup has it")
            return
        source = operation.source
        changed = changed_since(Path(source.path), source.bytes, source.sha256, house.settings)
        if isinstance(changed, str):  # TR-L24
            fail(house, operation, f"the old session is not as it was left: {changed}", conflict=True)
            return
        _keep_later_dialogue(house, operation)  # TR-L24
        house.store.save(operation)
        if overslept(house, operation):
            fail(house, operation, "the worker stood still for longer than its lease; what it had compared is old")
            return
        if house.door.holder(identity, operation.source.session_id) is not Holder.UNCHANGED:  # TR-107
            fail(house, operation, "the door changed hands at the last moment", conflict=True)
            return
    back = house.door.switch(identity, operation.source.session_id)
    health = house.door.healthy(identity, operation.source.session_id) if back.ok else Health(*back[:2])
    with own(house, operation, worker):
        operation.rollback_ok = health.ok
        if health.ok:
            house.move(operation, Event.RESTORED, health.detail)
        else:
            fail(house, operation, f"the old session did not come back: {health.detail}", conflict=back.changed)


def _keep_later_dialogue(house: Household, operation: Operation) -> None:
    """Copy the new session's transcript beside the backup, and say how much was said in it since activation."""
    assert operation.candidate is not None
    path = Path(operation.candidate.path)
    copy = house.store.artifacts(operation.id) / path.name
    said = said_after(path, operation.candidate.bytes, house.settings)
    operation.later_dialogue = {"file": str(copy), "texts": said}
    files = house.ports.files
    files.remove(copy)
    with path.open("rb") as original, files.create(copy) as written:
        while batch := original.read(BATCH_BYTES):
            written.write(batch)
        files.sync(written)
    files.sync_folder(copy.parent)
