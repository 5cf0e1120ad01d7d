"""Prepare: identity, freeze, plan from the frozen copy, candidate beside it, verification, all on record.

Any step that does not match abandons the whole operation with the door untouched (TR-149).
"""

from pathlib import Path

from threadrebuild.carry.candidate import MANIFEST, Candidate, build_candidate
from threadrebuild.carry.configured import plan_configured
from threadrebuild.carry.manifest import read_manifest
from threadrebuild.carry.plan import Plan
from threadrebuild.carry.summary import dirty_summary, figures, verification_summary
from threadrebuild.operation.acceptance import require_acceptance
from threadrebuild.operation.fencing import LostLease, own
from threadrebuild.operation.freeze import NotFrozen, freeze, goes_on_in, neighbours_of
from threadrebuild.operation.household import Household, Refused
from threadrebuild.operation.publishing import discard
from threadrebuild.operation.record import Built, Operation, Source
from threadrebuild.operation.recovery import fail
from threadrebuild.operation.states import Event
from threadrebuild.operation.surroundings import surroundings
from threadrebuild.project import source_in
from threadrebuild.project_folder import folder_fault
from threadrebuild.transcript.lines import UnreadableInput, digest_of

SNAPSHOT = "startup_snapshot.txt"


class _Abandoned(Exception):
    """A step did not match."""


class _TakenOver(_Abandoned):
    """Somebody else has the door since the turn ended."""


def prepare(house: Household, operation: Operation, worker: str) -> None:
    """Bring a scheduled operation to `verifying`, or to `failed` with the reason (TR-084, TR-085)."""
    with own(house, operation, worker):
        operation.new_session_id = house.ports.ids.new_session_id()
        operation.carry = house.settings.carry
        house.move(operation, Event.PREPARE)
    try:
        _prepare(house, operation, worker)
    except LostLease:
        # Recovery has ended this operation; what was built since then is nobody's.
        discard(house, operation)
        raise
    except (_Abandoned, NotFrozen, UnreadableInput, Refused, OSError) as error:
        with own(house, operation, worker):
            fail(house, operation, str(error), conflict=isinstance(error, _TakenOver))


def _prepare(house: Household, operation: Operation, worker: str) -> None:
    assert operation.transcript_path is not None and operation.new_session_id is not None
    fault = folder_fault(house.settings)
    if fault is not None:  # TR-003
        raise _Abandoned(fault)
    # The pane that it was then, even where its place has another number by now.
    identity = house.door.identity(operation.cas_identity.target if operation.cas_identity else None)
    if identity is None:  # TR-L23
        raise _Abandoned("the door's identity cannot be told: no identity, no switch")
    if operation.cas_identity not in (None, identity):  # TR-L34 TR-105
        raise _TakenOver("the door is not held by whom it was when the turn ended")
    source = source_in(house.settings, Path(operation.transcript_path))
    # A request is about the newest session; whose turn has ended, or whom a person names, may be another.
    require_acceptance(house, source)
    folder = house.store.artifacts(operation.id)
    copy = folder / f"{source.stem}.jsonl"
    frozen = freeze(house, source, copy)
    own_files = {source.name, f"{operation.new_session_id}.jsonl"}
    neighbours = neighbours_of(house, own_files)
    elsewhere = goes_on_in(house, source)
    if elsewhere is not None:
        raise _Abandoned(f"the session goes on in {elsewhere}, and the hook named {source.name}")
    with own(house, operation, worker):
        operation.cas_identity = identity
        operation.neighbours = neighbours
        operation.surroundings = surroundings(house)  # TR-L29
        operation.source = Source(str(source), source.stem, frozen.size, frozen.sha256, str(copy))
        house.store.save(operation)
    plan = plan_configured(copy, house.settings)
    if plan.source.sha256 != frozen.sha256:
        raise _Abandoned("the backup is not what was frozen")
    operation.stats = figures(plan)  # TR-073 TR-146
    operation.dirty_at_prepare = dirty_summary(plan.dirty)
    if plan.refusal is not None:
        raise _Abandoned(f"{plan.refusal.reason}: {plan.refusal.detail}")
    candidate = build_candidate(plan, folder, operation.new_session_id, house.ports.files, project=house.project_dir)
    if candidate.refusal is not None:
        raise _Abandoned(f"{candidate.refusal.reason}: {candidate.refusal.detail}")
    _keep_snapshot(house, plan, folder)  # TR-144
    with own(house, operation, worker):
        operation.candidate = _built(candidate, plan, house.project_dir)
        assert candidate.verification is not None
        operation.verification = verification_summary(candidate.verification)
        house.move(operation, Event.PREPARED, f"{candidate.items} items in {candidate.rows} rows")


def _built(candidate: Candidate, plan: Plan, project: Path) -> Built:
    manifest = candidate.path.with_name(MANIFEST)
    items = [(item.item_id, item.injected_sha256) for item in read_manifest(manifest).items]
    return Built(
        session_id=candidate.session_id,
        path=str(project / candidate.path.name),
        bytes=candidate.path.stat().st_size,
        sha256=candidate.sha256,
        startup_snapshot_sha256=plan.startup_sha256,
        manifest=str(manifest),
        manifest_sha256=digest_of(manifest, manifest.stat().st_size),
        items=items,
    )


def _keep_snapshot(house: Household, plan: Plan, folder: Path) -> None:
    """The startup snapshot's raw tokens, a line feed between them, beside the backup (TR-144)."""
    path = folder / SNAPSHOT
    house.ports.files.remove(path)
    with house.ports.files.create(path) as file:
        file.write(b"\n".join(block.token for block in plan.source.startup))
        house.ports.files.sync(file)
    house.ports.files.sync_folder(folder)
