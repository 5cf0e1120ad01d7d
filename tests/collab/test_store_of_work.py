"""What the store refuses about work items, segments and waits, shown by plain SQL while the engine is away."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from evening import Evening

from harness.expect import expect, expect_equal, proves

LIVE = ("running", "waiting_approval", "waiting_ask")


@contextmanager
def store_of(folder: Path, level: int = 8) -> Iterator[sqlite3.Connection]:
    """A store that the engine has made: a Bot with its direct chat, a group, two plans, no live segment."""
    home = Evening(folder, bots=["导演"], rooms={"剪辑组": ["导演"]}, level=level)
    for name in ("新品片", "海报"):
        home.opened(name, to="导演", tickets=[("甲", "导演"), ("乙", "导演")])
    home.db.close()
    with closing(sqlite3.connect(home.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        yield connection


def refused(connection: sqlite3.Connection, sql: str, *values: Any) -> bool:
    """Whether the store refuses a statement."""
    try:
        connection.execute(sql, values)
    except sqlite3.IntegrityError:
        return True
    return False


def add(connection: sqlite3.Connection, table: str, **values: Any) -> int:
    """Insert a row; returns its number."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    found = connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))
    return found.lastrowid or 0


def adds(connection: sqlite3.Connection, table: str, **values: Any) -> bool:
    """Whether the store takes a row."""
    try:
        add(connection, table, **values)
    except sqlite3.IntegrityError:
        return False
    return True


def segment(work_item: int | None, **values: Any) -> dict[str, Any]:
    """A live segment as a row."""
    row = {"bot": 1, "session": 1, "work_item": work_item, "mode": "work", "state": "running"}
    return row | {"began_seq": 1, "began_at": 1} | values


@proves("WORK-01")
def test_a_work_item_is_one_bot_and_matter(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        for plan, ticket in ((1, None), (1, 1), (1, 2), (2, None)):
            row = {"bot": 1, "plan": plan, "ticket": ticket}
            expect("WORK-01", adds(store, "work_items", **row, session=1), f"{row} is taken")
            expect("WORK-01", not adds(store, "work_items", **row, session=2), f"{row} is refused from another session")
        for session in (1, 2):
            expect(
                "WORK-01", adds(store, "work_items", bot=1, session=session), f"a desk in session {session} is taken"
            )
            expect("WORK-01", not adds(store, "work_items", bot=1, session=session), "a second desk there is refused")


@proves("WORK-01")
def test_every_segment_has_a_work_item_but_a_read_only_answer_that_has_none(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        item = add(store, "work_items", bot=1, session=1)
        expect("WORK-01", adds(store, "turns", **segment(item)), "a segment of a work item is taken")
        for mode in ("work", "desk", None):
            row = segment(None, mode=mode, session=2)
            expect("WORK-01", not adds(store, "turns", **row), f"a {mode} segment of no work item is refused")
        answer = segment(None, mode="readonly", trigger_message=1)
        expect("WORK-01", adds(store, "turns", **answer), "a read-only answer without a work item is taken")
        for column, value in (("work_item", item), ("plan", 1), ("ticket", 1)):
            row = {**answer, column: value, "state": "completed", "end_reason": "answered"}
            expect("WORK-01", not adds(store, "turns", **row), f"a read-only answer with a {column} is refused")
    older = tmp_path / "older"
    older.mkdir()
    with store_of(older, level=1) as store:
        expect("WORK-01", adds(store, "turns", **segment(None)), "below level 2 segments have no work items")


@proves("WORK-02")
def test_one_work_item_has_one_live_segment(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        item = add(store, "work_items", bot=1, session=1)
        first = add(store, "turns", **segment(item))
        for state in LIVE:
            store.execute("UPDATE turns SET state = ? WHERE id = ?", (state, first))
            for second in LIVE:
                refuses = not adds(store, "turns", **segment(item, state=second, session=2))
                expect("WORK-02", refuses, f"a segment {second} beside one {state} is refused")
        store.execute("UPDATE turns SET state = 'completed', end_reason = 'done' WHERE id = ?", (first,))
        expect("WORK-02", adds(store, "turns", **segment(item)), "a segment after one that has ended is taken")
        again = refused(store, "UPDATE turns SET state = 'running' WHERE id = ?", first)
        expect("WORK-02", again, "the ended one cannot live again beside it")


@proves("WORK-03")
def test_one_bot_has_one_live_segment_on_a_plan_whatever_the_tickets(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        items = {ticket: add(store, "work_items", bot=1, plan=1, ticket=ticket, session=1) for ticket in (None, 1, 2)}
        other = add(store, "work_items", bot=1, plan=2, session=1)
        first = add(store, "turns", **segment(items[1], plan=1, ticket=1))
        for state in LIVE:
            store.execute("UPDATE turns SET state = ? WHERE id = ?", (state, first))
            for ticket in (None, 2):
                row = segment(items[ticket], plan=1, ticket=ticket, session=2)
                expect(
                    "WORK-03", not adds(store, "turns", **row), f"ticket {ticket} beside ticket 1 {state} is refused"
                )
        expect("WORK-03", adds(store, "turns", **segment(other, plan=2)), "another plan is taken")
        store.execute("UPDATE turns SET state = 'completed', end_reason = 'done' WHERE id = ?", (first,))
        row = segment(items[2], plan=1, ticket=2)
        expect("WORK-03", adds(store, "turns", **row), "ticket 2 after ticket 1 has ended is taken")


@proves("WORK-10")
def test_one_bot_has_one_live_desk_in_a_session(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        items = [add(store, "work_items", bot=1, session=session) for session in (1, 2)]
        add(store, "turns", **segment(items[0], mode="desk"))
        row = segment(items[1], mode="desk")
        expect("WORK-10", not adds(store, "turns", **row), "a second desk in the session is refused")
        expect("WORK-10", adds(store, "turns", **row | {"session": 2}), "a desk in another session is taken")


@proves("DESK-29")
def test_a_segment_changes_its_folder_once(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        desk = add(store, "work_items", bot=1, session=1)
        turn = add(store, "turns", **segment(desk, mode="desk"))
        change = "UPDATE turns SET plan = ?, ticket = ?, cwd = ?, cwd_changes = ? WHERE id = ?"
        uncounted = refused(store, change, 1, 1, "work/001/01", 0, turn)
        expect("DESK-29", uncounted, "from the desk to a ticket's folder without counting it is refused")
        expect("DESK-29", not refused(store, change, 1, 1, "work/001/01", 1, turn), "the first change is taken")
        expect("DESK-29", refused(store, change, 2, None, "work/002", 2, turn), "a second change is refused")
        expect("DESK-29", refused(store, change, 2, None, "work/002", 1, turn), "nor is it taken uncounted")
        back = refused(store, "UPDATE turns SET cwd_changes = 0 WHERE id = ?", turn)
        expect("DESK-29", back, "a change is not forgotten")
        row = segment(add(store, "work_items", bot=1, session=2), cwd_changes=2)
        expect("DESK-29", not adds(store, "turns", **row), "a segment that begins with two changes is refused")


@proves("DESK-29")
def test_down_to_a_ticket_is_no_change_of_folder(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        item = add(store, "work_items", bot=1, plan=1, session=1)
        turn = add(store, "turns", **segment(item, plan=1, cwd="work/001", acted=1))
        change = "UPDATE turns SET plan = ?, ticket = ?, cwd = ? WHERE id = ?"
        down = refused(store, change, 1, 1, "work/001/01", turn)
        expect("DESK-29", not down, "from a plan down to its ticket is taken uncounted")
        aside = refused(store, change, 1, 2, "work/001/02", turn)
        expect("DESK-29", aside, "from a ticket that was worked on to another it is refused")
        store.execute("UPDATE turns SET acted = 0 WHERE id = ?", (turn,))
        expect("DESK-29", not refused(store, change, 1, 2, "work/001/02", turn), "from an untouched one it is taken")


@proves("DESK-36")
def test_a_read_only_answer_becomes_no_work(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        item = add(store, "work_items", bot=1, plan=1, session=1)
        turn = add(store, "turns", **segment(None, mode="readonly", trigger_message=1))
        for mode in ("work", "desk", None):
            change = refused(store, "UPDATE turns SET mode = ?, work_item = ? WHERE id = ?", mode, item, turn)
            expect("DESK-36", change, f"a read-only answer that becomes {mode} is refused")
        expect_equal("DESK-36", store.execute("SELECT mode FROM turns").fetchall(), [("readonly",)], "what it still is")


@proves("WORK-21")
def test_what_a_segment_has_read_stays_as_it_read_it(tmp_path: Path) -> None:
    with store_of(tmp_path) as store:
        items = [add(store, "work_items", bot=1, plan=plan, session=1) for plan in (1, 2)]
        turns = [add(store, "turns", **segment(item, plan=plan)) for plan, item in enumerate(items, 1)]
        row = {"work_item": items[0], "kind": "line", "author": "user", "text": "海报要竖版", "prio": 1, "seq": 1}
        copy = add(store, "inbox_items", **row)
        moved = not refused(store, "UPDATE inbox_items SET work_item = ? WHERE id = ?", items[1], copy)
        expect("WORK-21", moved, "an unread copy moves to other work")
        store.execute("UPDATE inbox_items SET state = 'read', read_by_turn = ? WHERE id = ?", (turns[1], copy))
        for column, value in (("work_item", items[0]), ("text", "横版"), ("read_by_turn", turns[0])):
            change = refused(store, f"UPDATE inbox_items SET {column} = ? WHERE id = ?", value, copy)
            expect("WORK-21", change, f"another {column} for what was read is refused")
        noted = not refused(store, "UPDATE inbox_items SET disposition = 'answered' WHERE id = ?", copy)
        expect("WORK-21", noted, "what came of it is noted beside it")


def test_a_waiting_work_item_has_an_open_wait(tmp_path: Path) -> None:
    with store_of(tmp_path, level=3) as store:
        item = add(store, "work_items", bot=1, plan=1, session=1)
        waiting = "UPDATE work_items SET state = 'waiting' WHERE id = ?"
        assert refused(store, waiting, item), "without a wait"
        assert not adds(store, "work_items", bot=1, plan=2, session=1, state="waiting"), "from the start"
        waits = [add(store, "waits", work_item=item, kind="timer", due=5) for _ in range(2)]
        assert not refused(store, waiting, item), "with two waits"
        assert not refused(store, "UPDATE waits SET state = 'fired' WHERE id = ?", waits[0])
        for state in ("fired", "void"):
            assert refused(store, "UPDATE waits SET state = ? WHERE id = ?", state, waits[1]), "the last one"
        assert not refused(store, "UPDATE waits SET state = 'suspended' WHERE id = ?", waits[1])
        assert refused(store, "DELETE FROM waits WHERE id = ?", waits[1])
        store.execute("UPDATE work_items SET state = 'queued' WHERE id = ?", (item,))
        assert not refused(store, "UPDATE waits SET state = 'fired' WHERE id = ?", waits[1])
        assert refused(store, waiting, item), "with none that is open"


def test_below_level_3_nothing_has_to_be_waited_for(tmp_path: Path) -> None:
    with store_of(tmp_path, level=2) as store:
        item = add(store, "work_items", bot=1, plan=1, session=1)
        assert not refused(store, "UPDATE work_items SET state = 'waiting' WHERE id = ?", item)
