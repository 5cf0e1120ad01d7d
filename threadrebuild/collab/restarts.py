"""Stopped work that goes on: how far it had got is on the hold's record, and is told to its Bot alone in a note."""

from typing import Any

from threadrebuild.collab.change import Change

LAST_CALLS = 3


def where_it_stood(change: Change, turn: int) -> dict[str, Any]:
    """How far a segment has got: its plan and session, its last step, files written, its last calls (HOLD-16)."""
    row = change.db.row("SELECT id AS turn, bot, plan, ticket, session, hops AS step FROM turns WHERE id = ?", turn)
    assert row is not None
    files = change.db.rows("SELECT DISTINCT path FROM artifacts WHERE turn = ? AND written = 1 ORDER BY id", turn)
    calls = change.db.rows(
        "SELECT name, arguments FROM (SELECT * FROM calls WHERE turn = ? ORDER BY id DESC LIMIT ?) ORDER BY id",
        turn,
        LAST_CALLS,
    )
    return {
        **dict(row),
        "files": [each["path"] for each in files],
        "calls": [f"{each['name']} {each['arguments']}" for each in calls],
    }
