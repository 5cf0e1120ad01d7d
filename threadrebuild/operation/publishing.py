"""Publishing: a candidate lies with the operation's artifacts until the switch, and only then in the project folder.

A host that is started with `--continue` takes the newest transcript of that folder, so nothing may lie there that is
not about to be switched to. What was published and never activated is taken back, unless somebody has gone on with it.
"""

from hashlib import sha256
from pathlib import Path

from threadrebuild.carry.candidate import part_of
from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Built, Operation
from threadrebuild.transcript.lines import BATCH_BYTES, digest_of


class NotPublished(Exception):
    """The candidate could not be brought to its place; nobody has been switched to it."""


def built_path(house: Household, operation: Operation) -> Path:
    """Where the candidate is built and stays."""
    return house.store.artifacts(operation.id) / f"{operation.new_session_id}.jsonl"


def is_as_verified(path: Path, candidate: Built) -> bool:
    """Whether a file is the candidate, byte for byte. Raises OSError."""
    return digest_of(path, path.stat().st_size) == candidate.sha256


def publish(house: Household, operation: Operation) -> None:
    """Copy the candidate to its name in the project folder, whole or not at all, and prove it there (TR-067).

    Raises `NotPublished`. A file that has that name already is not overwritten.
    """
    candidate, files = operation.candidate, house.ports.files
    assert candidate is not None
    final = Path(candidate.path)
    part = part_of(final, candidate.session_id)
    copied = sha256()
    try:
        files.remove(part)
        with built_path(house, operation).open("rb") as original, files.create(part) as written:
            while batch := original.read(BATCH_BYTES):
                written.write(batch)
                copied.update(batch)
            files.sync(written)
        if copied.hexdigest() != candidate.sha256:
            raise NotPublished("the candidate is not what was verified")
        files.publish(part, final)
        files.sync_folder(final.parent)
        if not is_as_verified(final, candidate):
            raise NotPublished("what was published is not what was verified")
    except OSError as error:
        raise NotPublished(f"the candidate could not be published: {error}") from None


def take_back(house: Household, operation: Operation) -> bool:
    """Remove what was published, unless it has changed: then it is somebody's. Whether nothing is left there (TR-071).

    Raises OSError.
    """
    path, files = house.project_dir / f"{operation.new_session_id}.jsonl", house.ports.files
    files.remove(part_of(path, operation.new_session_id or ""))
    if path.exists():
        if operation.candidate is None or not is_as_verified(path, operation.candidate):
            return False
        files.remove(path)
    files.sync_folder(house.project_dir)
    return True


def discard(house: Household, operation: Operation) -> bool:
    """Take the candidate back and remove what was built, also half. Whether nothing is left. Raises OSError."""
    gone = take_back(house, operation)
    folder, files = house.store.artifacts(operation.id), house.ports.files
    files.remove(built_path(house, operation))
    for part in sorted(folder.glob(f".{operation.new_session_id}.*")):
        files.remove(part)
    if folder.is_dir():
        files.sync_folder(folder)
    return gone
