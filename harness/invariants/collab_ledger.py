"""Wishes never shrink: what the user asks for stops being in force only by what the user does just then."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

SHRINKS = ("REQ-04", "what is in force ends by what the user does just then")


@dataclass(eq=False)
class Wishes:
    """What was in force when the store was last looked at."""

    _states: dict[int, str] = field(default_factory=dict)
    _aside: frozenset[tuple[int, int]] = frozenset()
    _seen: int = 0
    """The last event of then."""

    def look(self, store: sqlite3.Connection) -> Iterator[str]:
        """Say which entries are no longer in force, without an action of the user since the last look."""
        rows = store.execute(
            "SELECT r.id, r.state, ifnull(u.event, 0) FROM requirements r LEFT JOIN user_actions u ON u.id = r.ended_by"
        ).fetchall()
        states = {entry: state for entry, state, _ in rows}
        ended = {entry for entry, _, event in rows if event > self._seen}
        for entry, state in self._states.items():
            if entry not in states:
                yield f"entry {entry} is gone"
            elif state == "active" != states[entry] and entry not in ended:
                yield f"entry {entry} was in force and is {states[entry]}"
        aside = store.execute(
            "SELECT x.requirement, x.plan, ifnull(u.event, 0) FROM requirement_exceptions x"
            " LEFT JOIN user_actions u ON u.id = x.by"
        ).fetchall()
        for entry, plan, event in aside:
            if (entry, plan) not in self._aside and event <= self._seen:
                yield f"entry {entry} is put aside in plan {plan}"
        self._states, self._aside = states, frozenset((entry, plan) for entry, plan, _ in aside)
        (self._seen,) = store.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()
