"""What a Bot has handed off and not got back: a stop of the Bot stops that too, three levels down."""

from threadrebuild.collab.change import Change

LEVELS_DOWN = 3  # HOLD-8


def cover(change: Change, hold: int) -> None:
    """Fix what a hold covers besides its scope: segments that lines of covered ones opened, and theirs in turn."""
    row = change.db.row("SELECT * FROM holds WHERE id = ?", hold)
    assert row is not None
    if row["source"] not in ("user_text", "user_button"):
        return
    reached = [each["id"] for each in change.db.rows("SELECT id FROM hold_hits WHERE hold = ? AND kind = 'turn'", hold)]
    for _ in range(LEVELS_DOWN):
        below = ",".join(str(turn) for turn in reached)
        reached = [
            each["id"]
            for each in change.db.rows(
                f"SELECT id FROM live_turns t WHERE woken_by_turn IN ({below}) AND NOT EXISTS"
                " (SELECT 1 FROM hold_hits WHERE hold = ? AND kind = 'turn' AND id = t.id) ORDER BY id",
                hold,
            )
        ]
        for turn in reached:
            change.db.write("INSERT INTO hold_cover (hold, turn) VALUES (?, ?)", hold, turn)
