"""An invariant of a store: a query that says in words what breaks it."""

from typing import NamedTuple

LIVE = "('running', 'waiting_approval', 'waiting_ask')"
"""The states of a segment that is not over."""


class Invariant(NamedTuple):
    """A rule's sentence, from which engine level on it holds, and the query that says in words what breaks it."""

    rule: str
    name: str
    level: int
    sql: str
