"""What the store refuses by itself, by plain SQL and without the chain; and a crash leaves all of it or nothing."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from memories import LI, Memories, local, page

from harness.expect import expect, expect_equal, proves
from threadrebuild.database import open_database
from threadrebuild.memory.chain import HOPS, remember
from threadrebuild.memory.claim import find_session, session_of
from threadrebuild.memory.history import held, receive
from threadrebuild.memory.recollection import Arrival


def opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")
    return connection


def refused(action: Callable[[], object], words: str) -> bool:
    """Whether the store says no, in these words."""
    try:
        action()
    except sqlite3.IntegrityError as error:
        return words in str(error)
    return False


def household(tmp_path: Path) -> sqlite3.Connection:
    """A store that the chain made, with two sessions; only SQL from here on."""
    memories = Memories(tmp_path)
    memories.learns(预算="3000")
    memories.says("你好")
    memories.says("别的客户说的", replace(LI, key="han", platform_user="u-200"))
    memories.store.close()
    return opened(tmp_path / "memory.db")


@proves("MC-06")
def test_the_store_lets_no_import_take_a_known_field(tmp_path: Path) -> None:
    store = household(tmp_path)
    words = "this field is known already"
    bring = "INTO profile_fields (session, field, value, origin) VALUES (1, ?, '800', 'imported')"
    expect("MC-06", refused(lambda: store.execute(f"INSERT OR REPLACE {bring}", ("预算",)), words), "replaced")
    change = "UPDATE profile_fields SET value = '800', origin = 'imported' WHERE field = '预算'"
    expect("MC-06", refused(lambda: store.execute(change), words), "an import changed a known field")
    store.execute(f"INSERT {bring}", ("城市",))
    known = dict(store.execute("SELECT field, value FROM profile_fields"))
    expect_equal("MC-06", known, {"预算": "3000", "城市": "800"}, "the profile")


@proves("MC-09")
def test_the_store_takes_no_line_of_another_session_into_a_prompt(tmp_path: Path) -> None:
    store = household(tmp_path)
    mine, other = store.execute("SELECT min(id), max(id) FROM messages").fetchone()
    add = "INSERT INTO prompt_lines (prompt, place, message) VALUES (1, ?, ?)"
    store.execute(add, (7, mine))
    words = "this line was said in another session"
    expect("MC-09", refused(lambda: store.execute(add, (8, other)), words), "a line of another session was taken")


@proves("MC-33")
def test_the_store_takes_no_page_over_a_gap(tmp_path: Path) -> None:
    store = household(tmp_path)
    add = "INSERT INTO pages (session, device, read_on) VALUES (?, 'phone', '2026-08-14')"
    store.execute(add, (1,))
    store.execute("INSERT INTO gaps (session, found) VALUES (1, 0)")
    words = "stopped by a gap"
    expect("MC-33", refused(lambda: store.execute(add, (1,)), words), "a page was taken over an open gap")
    store.execute(add, (2,))
    store.execute("UPDATE gaps SET lifted = 1")
    store.execute(add, (1,))
    expect_equal("MC-33", store.execute("SELECT count(*) FROM pages").fetchone()[0], 3, "pages taken")


@pytest.mark.parametrize("where", ["commit", "committed"])
def test_a_crash_leaves_a_message_remembered_or_not_there(tmp_path: Path, where: str) -> None:
    class Ended(Exception):
        pass

    def ends(name: str) -> None:
        if name == where:
            raise Ended

    store = open_database(tmp_path / "memory.db", "threadrebuild.memory", ends, durable=False)
    with pytest.raises(Ended):
        remember(store, Arrival(LI, "你好", local("2026-08-14 16:00")))
    store.close()
    again = Memories(tmp_path)
    tables = {"sessions": 1, "messages": 1, "events": len(HOPS), "prompts": 1, "prompt_lines": 1}
    wanted = tables if where == "committed" else dict.fromkeys(tables, 0)
    assert {table: again.count(table) for table in tables} == wanted


@pytest.mark.parametrize("where", ["commit", "committed"])
def test_a_crash_leaves_a_page_stored_or_not_there_and_it_may_come_again(tmp_path: Path, where: str) -> None:
    class Ended(Exception):
        pass

    def ends(name: str) -> None:
        if name == where and armed:
            raise Ended

    armed: list[bool] = []
    store = open_database(tmp_path / "memory.db", "threadrebuild.memory", ends, durable=False)
    session = session_of(store, LI, local("2026-08-14 16:00"))
    armed.append(True)
    shown = page(("我在看瓷砖", "今天 15:20"), ("灰色的", "今天 15:21"), 城市="杭州")
    with pytest.raises(Ended):
        receive(store, session, shown, local("2026-08-14 16:01"))
    store.close()
    again = Memories(tmp_path)
    tables = {"pages": 1, "page_parts": 2, "history_profiles": 1, "history": 2, "events": 1}
    wanted = tables if where == "committed" else dict.fromkeys(tables, 0)
    assert {table: again.count(table) for table in tables} == wanted
    assert again.uploads(shown) == "stored"
    assert [entry.content for entry in held(again.store, session)] == ["我在看瓷砖", "灰色的"]


def test_looking_for_a_customer_makes_no_session(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    assert find_session(memories.store, LI) is None
    memories.uploads(page(("嗯", "2026-08-14 15:20")))
    assert find_session(memories.store, LI) == 1
