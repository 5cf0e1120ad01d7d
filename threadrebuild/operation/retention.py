"""How long backups are kept: artifacts of ended operations go after a configured time, and never in silence.

The operation's record says so before the first file is gone, so that no crash can leave a loss without its reason.
"""

from datetime import datetime, timedelta

from threadrebuild.operation.household import Household
from threadrebuild.operation.record import Operation, Step
from threadrebuild.operation.states import ENDS

DROPPED = "drop_backups"
"""The step of an operation whose backups were removed; it changes no state."""


def drop_old_backups(house: Household) -> list[Operation]:
    """Remove the artifacts of operations that ended more than `keep_backups_days` ago; those that had any.

    0 keeps them for ever. The caller holds the store's lock. The folder stays: a rollback may still write to it.
    Raises OSError where a file cannot be removed; the next call goes on with it.
    """
    days = house.settings.keep_backups_days
    if not days:
        return []
    kept_since = house.ports.clock.now() - timedelta(days=days)
    ended = [each for each in house.store.all() if each.state in ENDS]
    return [each for each in ended if datetime.fromisoformat(each.updated_at) < kept_since and _drop(house, each)]


def _drop(house: Household, operation: Operation) -> bool:
    folder = house.store.artifacts(operation.id)
    files = sorted(path for path in folder.glob("*") if path.is_file() or path.is_symlink())
    if not files:
        return False
    said = f"kept for {house.settings.keep_backups_days} days, now removed: {', '.join(path.name for path in files)}"
    operation.steps.append(Step(house.now(), DROPPED, operation.state, said))
    house.store.save(operation)
    for path in files:
        house.ports.files.remove(path)
    house.ports.files.sync_folder(folder)
    return True
