"""Check-backs: times at which a Bot is to look again at its work. Under a hold they wait for it to be lifted."""

from threadrebuild.collab.change import Change

SUSPENDED = "held"
"""Why a suspended check-back is void for a version that knows no holds (HOLD-53)."""


def suspend(change: Change, hold: int) -> list[int]:
    """Suspend the check-backs that a hold covers; returns them."""
    rows = change.db.rows(
        "SELECT w.id FROM waits w JOIN hold_hits x ON x.kind = 'wait' AND x.id = w.id"
        " WHERE x.hold = ? AND w.kind = 'timer' AND w.state = 'open' ORDER BY w.id",
        hold,
    )
    for row in rows:
        change.db.write("UPDATE waits SET state = 'suspended' WHERE id = ?", row["id"])
    return [row["id"] for row in rows]


def revive(change: Change) -> None:
    """Let those wait again that no hold covers any more."""
    for row in change.db.rows("SELECT id FROM waits WHERE state = 'suspended' ORDER BY id"):
        if not change.db.value("SELECT 1 FROM hold_hits WHERE kind = 'wait' AND id = ?", row["id"]):
            change.db.write("UPDATE waits SET state = 'open' WHERE id = ?", row["id"])  # HOLD-55
