"""The store under the cores: private, all or nothing, and made once however many come."""

import re
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.expect import expect, expect_equal, proves
from threadrebuild.database import Database, open_database, view_database

SCHEMA = """\
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL); -- one statement
CREATE TRIGGER none_is_empty BEFORE INSERT ON notes WHEN NEW.text = '' BEGIN
  SELECT RAISE(ABORT, 'empty');
END;
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "packages" / "little_store"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "schema.sql").write_text(SCHEMA)
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.delitem(sys.modules, "little_store", raising=False)
    return "little_store"


@contextmanager
def opened(path: Path, package: str, said: list[str] | None = None) -> Iterator[Database]:
    steps: list[str] = [] if said is None else said
    store = open_database(path, package, steps.append)
    try:
        yield store
    finally:
        store.close()


def test_a_store_is_private_and_keeps_what_was_committed(tmp_path: Path, package: str) -> None:
    path = tmp_path / "store.db"
    with opened(path, package) as store:
        assert store.write("INSERT INTO notes (text) VALUES (?)", "鱼") == 1
        assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.glob("store.db*")} == {0o600}
    with opened(path, package) as store:
        assert store.value("SELECT text FROM notes WHERE id = :id", id=1) == "鱼"
        assert store.row("SELECT text FROM notes WHERE id = 2") is None


def test_a_transaction_is_all_or_nothing_and_one_within_another_is_part_of_it(tmp_path: Path, package: str) -> None:
    said: list[str] = []
    with opened(tmp_path / "store.db", package, said) as store:
        with pytest.raises(sqlite3.IntegrityError, match="empty"), store.transaction():
            store.write("INSERT INTO notes (text) VALUES ('a')")
            store.write("INSERT INTO notes (text) VALUES ('')")
        assert store.rows("SELECT * FROM notes") == [] and said == []
        with store.transaction():
            store.write("INSERT INTO notes (text) VALUES ('a')")
            store.write("INSERT INTO notes (text) VALUES ('b')")
        assert said == ["commit", "committed"]
        assert [row["text"] for row in store.rows("SELECT text FROM notes ORDER BY id")] == ["a", "b"]


def test_a_run_that_ends_before_a_commit_has_written_nothing_and_one_after_it_has(tmp_path: Path, package: str) -> None:
    class Ended(Exception):
        pass

    def ends_at(name: str) -> None:
        if name == where:
            raise Ended

    for where, kept in (("commit", 0), ("committed", 1)):
        path = tmp_path / f"{where}.db"
        store = open_database(path, package, ends_at)
        with pytest.raises(Ended):
            store.write("INSERT INTO notes (text) VALUES ('a')")
        store.close()
        with opened(path, package) as again:
            assert again.value("SELECT count(*) FROM notes") == kept


def test_many_who_open_a_new_store_at_once_make_it_once(tmp_path: Path, package: str) -> None:
    code = (
        "import sys; from pathlib import Path; from threadrebuild.database import open_database\n"
        "open_database(Path(sys.argv[1]), 'little_store').write(\"INSERT INTO notes (text) VALUES ('a')\")"
    )
    path = tmp_path / "store.db"
    folders = [str(tmp_path / "packages"), str(Path(__file__).parents[2])]
    start = f"import sys; sys.path[:0] = {folders!r}\n{code}"
    running = [subprocess.Popen([sys.executable, "-c", start, str(path)]) for _ in range(6)]
    assert [each.wait() for each in running] == [0] * 6
    with opened(path, package) as store:
        assert store.value("SELECT count(*) FROM notes") == 6


def test_a_file_that_is_no_store_is_refused_and_kept(tmp_path: Path, package: str) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"no store at all, but long enough to be looked at" * 40)
    before = path.read_bytes()
    with pytest.raises(sqlite3.DatabaseError, match=re.escape(str(path))):
        open_database(path, package)
    assert path.read_bytes() == before


def test_a_store_of_another_schema_is_refused_by_name_and_kept(tmp_path: Path, package: str) -> None:
    path, schema = tmp_path / "store.db", tmp_path / "packages" / package / "schema.sql"
    with opened(path, package) as store:
        store.write("INSERT INTO notes (text) VALUES ('here')")
    schema.write_text(f"-- said otherwise\n{SCHEMA}")
    with opened(path, package) as store:
        assert store.value("SELECT text FROM notes") == "here"
    schema.write_text(f"{SCHEMA}CREATE TABLE more (id INTEGER PRIMARY KEY);\n")
    with pytest.raises(sqlite3.DatabaseError, match=re.escape(f"{path}: a store of another schema")):
        open_database(path, package)
    schema.write_text(SCHEMA)
    with opened(path, package) as store:
        assert store.value("SELECT text FROM notes") == "here"


def test_a_text_cut_inside_a_character_is_kept_but_for_that_character(tmp_path: Path, package: str) -> None:
    with opened(tmp_path / "store.db", package) as store:
        store.write("INSERT INTO notes (text) VALUES (?)", "鱼 \ud83d")
        store.write("INSERT INTO notes (text) VALUES (:text)", text="\ud83d\udc1f")
        assert [row["text"] for row in store.rows("SELECT text FROM notes ORDER BY id")] == ["鱼 \ufffd", "🐟"]
        assert store.value("SELECT id FROM notes WHERE text = ?", "鱼 \ud83d") == 1


@proves("OPS-05")
def test_somebodys_store_is_looked_at_and_never_written(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    owner = sqlite3.connect(path)
    owner.execute("CREATE TABLE lines (text TEXT)")
    owner.execute("INSERT INTO lines VALUES ('鱼喂了')")
    owner.commit()
    view = view_database(path)
    expect_equal("OPS-05", view.value("SELECT text FROM lines"), "鱼喂了", "what the view sees")
    refused = False
    try:
        view.write("INSERT INTO lines VALUES ('x')")
    except sqlite3.OperationalError:
        refused = True
    view.close()
    expect("OPS-05", refused, "a write through the view is refused")
    expect_equal("OPS-05", owner.execute("SELECT count(*) FROM lines").fetchone()[0], 1, "lines in the store")
    owner.close()
