"""A store in SQLite: private, durable, one writer at a time, and a step before and after every commit.

What the schema forbids, it forbids to everybody: foreign keys are checked, and triggers speak by `RAISE(ABORT, …)`.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import urlencode
from zlib import crc32

import msgspec

BUSY_MS = 5_000
"""How long a writer waits for another process to finish."""
LARGEST_ID = 2**63 - 1
Id = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
"""The number of a row, in what comes from outside: SQLite takes no larger one."""
STATEMENTS_KEPT = 1_000
"""How many statements stay prepared: more than any store has, since triggers make some of them dear to prepare."""
Step = Callable[[str], object]
"""Told `commit` right before and `committed` right after each commit, so that a run can end at either."""

_LOOKS_ONLY = {
    "mode": "ro",  # OPS-05
}
"""How SQLite opens a store of somebody that is only to be looked at."""


class Database:
    """One open store. Rows come as `sqlite3.Row`."""

    def __init__(self, connection: sqlite3.Connection, step: Step) -> None:
        self._connection = connection
        self._step = step

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside count, or none. A transaction within another is part of it.

        Raises `sqlite3.IntegrityError` where the schema forbids one, and then nothing has been written.
        """
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._step("commit")
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._step("committed")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Within a transaction: where what is inside raises, its writes are undone, and the transaction goes on."""
        self._connection.execute("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK TO attempt")
            raise
        finally:
            self._connection.execute("RELEASE attempt")

    def write(self, sql: str, *values: Any, **named: Any) -> int:
        """Run one statement, in a transaction of its own where none is open; return the id of the last row inserted."""
        if self._connection.in_transaction:
            return self._run(sql, values, named).lastrowid or 0
        with self.transaction():
            return self._run(sql, values, named).lastrowid or 0

    def rows(self, sql: str, *values: Any, **named: Any) -> list[sqlite3.Row]:
        """All rows of a query."""
        return self._run(sql, values, named).fetchall()

    def row(self, sql: str, *values: Any, **named: Any) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found: sqlite3.Row | None = self._run(sql, values, named).fetchone()
        return found

    def value(self, sql: str, *values: Any, **named: Any) -> Any:
        """The first column of the first row of a query, or None."""
        found = self.row(sql, *values, **named)
        return None if found is None else found[0]

    def _run(self, sql: str, values: tuple[Any, ...], named: dict[str, Any]) -> sqlite3.Cursor:
        given = {name: whole(each) for name, each in named.items()} if named else tuple(map(whole, values))
        try:
            return self._connection.execute(sql, given)
        except OverflowError:
            raise ValueError("a number is larger than any that a store has") from None


def open_database(
    path: Path,
    package: str,
    step: Step = lambda name: None,
    *,
    durable: bool = True,
    besides: str = "",
    functions: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
) -> Database:
    """Open the store at `path`, made where there is none yet from the `schema.sql` of a package and what is `besides`.

    A store that is not `durable` survives its process, and no power cut. The schema may use `functions` of one text;
    of nothing they make nothing.

    Raises OSError for a file that cannot be made private, `sqlite3.DatabaseError`, which names the file, for one that
    is no store, or one of another schema.
    """
    path.touch(mode=0o600)
    path.chmod(0o600)
    try:
        schema = (files(package) / "schema.sql").read_text(encoding="utf-8") + besides
        return _opened(path, schema, step, durable, functions)
    except sqlite3.DatabaseError as error:
        raise type(error)(f"{path}: {error}") from None


def whole(value: Any) -> Any:
    """A value with U+FFFD for each half of a surrogate pair, as a text has that was cut inside a character."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _opened(
    path: Path, schema: str, step: Step, durable: bool, functions: Mapping[str, Callable[[str], str]]
) -> Database:
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000, cached_statements=STATEMENTS_KEPT)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        connection.execute("PRAGMA recursive_triggers = ON")
        for name, function in functions.items():
            connection.create_function(name, 1, _of_text(function), deterministic=True)
        _make(connection, schema)
    except BaseException:
        connection.close()
        raise
    return Database(connection, step)


def view_database(path: Path) -> Database:
    """Look into the store at `path`: every query sees what has been committed, and every write is refused.

    Raises `sqlite3.OperationalError` where there is none.
    """
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{urlencode(_LOOKS_ONLY)}", uri=True, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return Database(connection, lambda name: None)


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _make(connection: sqlite3.Connection, schema: str) -> None:
    # Whoever comes second waits for the first one's tables and finds them.
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        for statement in statements(schema):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_mark(schema)}")
    connection.execute("COMMIT")
    if connection.execute("PRAGMA user_version").fetchone()[0] != _mark(schema):
        raise sqlite3.DatabaseError("a store of another schema: of another version, or of something else")


def _of_text(function: Callable[[str], str]) -> Callable[[str | None], str | None]:
    return lambda text: None if text is None else function(text)


def _mark(schema: str) -> int:
    """What tells one schema from another; comments and spaces make no other one."""
    said = " ".join(re.sub("--.*", "", schema).split())
    return crc32(said.encode()) >> 1 or 1
