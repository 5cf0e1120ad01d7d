"""Sabotages of SQL scripts: the anchored statement is left out, or the anchored constraint of a table.

A whole `create table` is never left out, since everything would crash; its checks are anchored one by one.
"""

import re
import sqlite3

_CONSTRAINT = re.compile(r"\s*(?:constraint|check|unique|foreign|primary)\b", re.IGNORECASE)


def skipped_statement(script: str, line: int) -> str:
    """The script without the statement (or the table constraint on a line of its own) at a line, from 1.

    Raises `ValueError` where no statement stands, and at any other line of a `create table`.
    """
    lines = script.split("\n")
    first, last = _statement_at(lines, line)
    statement = "\n".join(lines[first - 1 : last])
    if not re.search(r"^\s*create\s+(?:temp\w*\s+)?table\b", statement, re.IGNORECASE | re.MULTILINE):
        return "\n".join([*lines[: first - 1], *lines[last:]])
    if not _CONSTRAINT.match(lines[line - 1]):
        raise ValueError("put the anchor on a trigger, an index, or a table constraint on a line of its own")
    return _without_constraint(lines, line)


def _statement_at(lines: list[str], line: int) -> tuple[int, int]:
    first = 1
    for last in range(1, len(lines) + 1):
        text = "\n".join(lines[first - 1 : last])
        if not re.sub(r"--.*", "", text).strip():
            first = last + 1
        elif sqlite3.complete_statement(text):
            if first <= line <= last:
                return first, last
            first = last + 1
    raise ValueError("no statement stands here")


def _without_constraint(lines: list[str], line: int) -> str:
    code = re.sub(r"--.*", "", lines[line - 1]).strip()
    before = lines[: line - 1]
    if not code.endswith(","):
        # The last constraint: the comma that parted it from the line before goes with it.
        above = next(at for at in range(len(before) - 1, -1, -1) if re.sub(r"--.*", "", before[at]).strip())
        before[above] = re.sub(r",(\s*(?:--.*)?)$", r"\1", before[above])
    return "\n".join([*before, *lines[line:]])
