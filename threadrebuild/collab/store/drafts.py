"""A table of jobs that an abandoned draft has left: it is moved away, and the table that jobs are in now is made."""

from importlib.resources import files

from threadrebuild.database import Database, statements

TABLE = "jobs"
KNOWN_BY = "next_due"
"""A column that only the table of jobs has."""
MOVED_TO = "external_jobs_draft_{}"


def move_away(store: Database) -> None:
    """Put a namesake of the table of jobs aside; one without rows is dropped."""
    columns = {row["name"] for row in store.rows("SELECT name FROM pragma_table_info(?)", TABLE)}
    if not columns or KNOWN_BY in columns:
        return
    if store.value(f"SELECT 1 FROM {TABLE}"):  # PLAN-14
        last = store.value("SELECT ifnull(max(at), 0) FROM events")
        # Copied, not renamed: what refers to jobs is to refer to the table that jobs are in.
        store.write(f"CREATE TABLE {MOVED_TO.format(last)} AS SELECT * FROM {TABLE}")
    store.write(f"DROP TABLE {TABLE}")
    schema = (files(__package__) / "schema.sql").read_text(encoding="utf-8")
    present = {row["name"] for row in store.rows("SELECT name FROM sqlite_schema")}
    for statement in statements(schema):
        for name in (TABLE, "job_waiters"):
            if f"CREATE TABLE {name} (" in statement and name not in present - {TABLE}:
                store.write(statement)
