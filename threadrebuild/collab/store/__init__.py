"""The store of the collaboration core: one SQLite file at an engine level that only rises.

An older version works on the same file: what a higher level forbids is refused to it by the triggers, which look at the
level that the file has.
"""

from pathlib import Path

from threadrebuild.collab import old_rules, quotes, stages, understanding
from threadrebuild.collab.store import coverage, drafts
from threadrebuild.database import Database, Step, open_database

NEWEST_LEVEL = 8
SEVERAL_FROM_LEVEL = 2
"""From this level on a session has no current plan: those of before are taken over by the first event after that."""
REASONS_FROM_LEVEL = 3
"""From this level on a segment that is over has a reason for it."""


def open_store(
    path: Path, level: int = NEWEST_LEVEL, step: Step = lambda name: None, *, durable: bool = True
) -> Database:
    """Open the store at `path`, made where there is none, and raise it to `level` where it is lower.

    Raises ValueError for a level that is none, and for a file that is at a higher one than asked for.
    """
    if not 0 <= level <= NEWEST_LEVEL:
        raise ValueError(f"{path}: there is no engine level {level}, only 0 to {NEWEST_LEVEL}")
    functions = {"folded": understanding.folded}
    store = open_database(path, __name__, step, durable=durable, besides=coverage.VIEW, functions=functions)
    with store.transaction():
        drafts.move_away(store)
        present = store.value("SELECT level FROM meta")
        if present is None:
            store.write("INSERT INTO meta (one, level) VALUES (1, ?)", level)
        elif present > level:
            raise ValueError(f"{path}: is at engine level {present}, and level {level} was asked for")
        elif present < level:
            if present < REASONS_FROM_LEVEL <= level:  # END-40
                _give_ends_a_reason(store)
            if present < stages.FROM_LEVEL <= level:
                _give_stages(store)
            store.write("UPDATE meta SET level = ?", level)
            if present < SEVERAL_FROM_LEVEL <= level:
                store.write("UPDATE meta SET raised_from = ?", present)
        if not store.value("SELECT quotes_kept FROM meta"):  # QUOT-11
            quotes.backfill(store)
            store.write("UPDATE meta SET quotes_kept = 1")
        if not store.value("SELECT rules_taken_in FROM meta"):  # REQ-37
            old_rules.take_in(store)
            store.write("UPDATE meta SET rules_taken_in = 1")  # REQ-37
    return store


def _give_stages(store: Database) -> None:
    """Let tickets stand at the stage that their status says; of one to be accepted nothing has been handed in yet."""
    stages = {"in progress": "in progress", "to accept": "in progress", "done": "approved", "parked": "dropped"}
    for status, stage in stages.items():
        store.write("UPDATE tickets SET stage = ? WHERE status = ?", stage, status)


def _give_ends_a_reason(store: Database) -> None:
    """Let what ended without a reason have ended for what it ended as."""
    ended = store.rows("SELECT id, state, end_reason FROM turns WHERE ended_at IS NOT NULL ORDER BY id")
    for turn in ended:
        if not (turn["end_reason"] or "").strip():  # END-40
            store.write("UPDATE turns SET end_reason = ? WHERE id = ?", turn["state"], turn["id"])
