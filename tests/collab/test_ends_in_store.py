"""What the store itself refuses of a turn's end, whoever writes: the engine is absent, the rows are its own."""

import sqlite3
from pathlib import Path

from evening import Evening

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab.store import open_store
from threadrebuild.database import Database

ENDS = ("completed", "stopped", "interrupted", "failed", "redirected")
BLANKS = (None, "", " ", "   ", "\n\t", "\u3000")


def _store(folder: Path, level: int) -> tuple[Database, int]:
    """A store at a level that the engine made, without the engine: one live turn of a work item."""
    folder.mkdir()
    evening = Evening(folder, bots=["导演"], level=level)
    evening.say("剪一版样片", to="导演", files="spot")
    turn = evening.turn("导演")["id"]
    evening.db.close()
    return open_store(evening.path, level, durable=False), turn


def _is_refused(store: Database, sql: str, *values: object) -> bool:
    try:
        store.write(sql, *values)
    except sqlite3.IntegrityError:
        return True
    return False


@proves("END-39")
def test_a_turn_of_a_work_item_ends_with_a_reason_from_level_3_on(tmp_path: Path) -> None:
    for level, refused in ((2, False), (3, True), (8, True)):
        for end in ENDS:
            for blank in BLANKS:
                store, turn = _store(tmp_path / f"{level}-{end}-{BLANKS.index(blank)}", level)
                seen = _is_refused(store, "UPDATE turns SET state = ?, end_reason = ? WHERE id = ?", end, blank, turn)
                expect_equal("END-39", seen, refused, f"ending as {end} with {blank!r} at level {level} is refused")
                store.close()


@proves("END-39")
def test_a_turn_is_not_written_as_ended_without_a_reason_either(tmp_path: Path) -> None:
    copy = (
        "INSERT INTO turns (bot, session, work_item, mode, state, end_reason, trigger_message, began_seq, began_at)"
        " SELECT bot, session, {}, '{}', 'interrupted', ?, (SELECT min(id) FROM messages WHERE author = 'user'),"
        " began_seq, began_at FROM turns WHERE id = ?"
    )
    for level, refused in ((2, False), (3, True)):
        store, turn = _store(tmp_path / str(level), level)
        of_work = copy.format("work_item", "work")
        for blank in BLANKS:
            expect_equal("END-39", _is_refused(store, of_work, blank, turn), refused, f"{blank!r} at level {level}")
        expect("END-39", not _is_refused(store, of_work, "cut by the power", turn), "any reason in words is one")
        answer = copy.format("NULL", "readonly")
        expect("END-39", not _is_refused(store, answer, None, turn), "a read-only answer needs none")
        store.close()


@proves("END-39")
def test_a_reason_is_never_blanked_again(tmp_path: Path) -> None:
    store, turn = _store(tmp_path / "store", 8)
    store.write("UPDATE turns SET state = 'completed', end_reason = 'answered' WHERE id = ?", turn)
    expect("END-39", _is_refused(store, "UPDATE turns SET end_reason = '' WHERE id = ?", turn), "blanking is refused")
    expect(
        "END-39", not _is_refused(store, "UPDATE turns SET end_reason = 'nothing_new' WHERE id = ?", turn), "rewording"
    )
    store.close()
