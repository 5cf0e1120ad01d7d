"""What must hold of a household after every commit, and what must have become of every line once all is quiet.

The store is looked into from outside, over a connection of its own and by SQL of its own: the core's views, modules and
levels' switches are not asked. What needs the past (an order of states) is remembered between two looks.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from harness.invariants.collab_holds import HELD
from harness.invariants.collab_ledger import SHRINKS, Wishes
from harness.invariants.invariant import LIVE, Invariant

BEHIND_MS = 45_000
"""How long a line waits for the one before it (TURN-14)."""
SLOTS = 2
"""Work segments of a Bot at once, where its row says nothing usable (WORK-09)."""
OPEN = "('pending', 'started')"
CHECKED = (
    "(EXISTS (SELECT 1 FROM submissions s JOIN tickets k ON k.id = s.ticket WHERE s.turn = t.id"
    " AND s.state = 'checking' AND (EXISTS (SELECT 1 FROM check_queue q WHERE q.plan = k.plan)"
    " OR EXISTS (SELECT 1 FROM effects e WHERE e.kind IN ('run_check', 'judge_joint')"
    f" AND e.state IN {OPEN} AND json_extract(e.body, '$.plan') = k.plan)))"
    f" AND NOT EXISTS (SELECT 1 FROM effects e WHERE e.turn = t.id AND e.state IN {OPEN}))"
)
"""Whether a segment `t` has handed something in and waits for nothing but its checks, which are to run."""
BY_WORDS = "NOT EXISTS (SELECT 1 FROM calls c WHERE c.turn = h.turn AND c.hop = h.number)"
"""Whether a hop `h` has asked for no tool: what is said in it is said to all."""
WAY = ("arrived", "filed", "judging", "delivered", "withdrawn")
"""A line's states, in the order in which it may come to them."""


class Broken(NamedTuple):
    """What did not hold: after which step of the world, and what was seen."""

    step: int
    rule: str
    name: str
    said: str

    def __str__(self) -> str:
        return f"after step {self.step}: {self.said}"


class Ended(Protocol):
    """A household once all is quiet."""

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]: ...
    @property
    def broken(self) -> Sequence[Broken]: ...


STEADY = (
    Invariant(
        "WORK-02",
        "one live segment a work item",
        0,
        f"SELECT 'work item ' || work_item || ' has ' || count(*) || ' live segments' FROM turns"
        f" WHERE work_item IS NOT NULL AND state IN {LIVE} GROUP BY work_item HAVING count(*) > 1",
    ),
    Invariant(
        "WORK-03",
        "one live segment a Bot and plan",
        0,
        f"SELECT 'Bot ' || bot || ' has ' || count(*) || ' live segments on plan ' || plan FROM turns"
        f" WHERE plan IS NOT NULL AND state IN {LIVE} GROUP BY bot, plan HAVING count(*) > 1",
    ),
    Invariant(
        "WORK-10",
        "one live desk a Bot and session",
        2,
        f"SELECT 'Bot ' || bot || ' has ' || count(*) || ' live desks in session ' || session FROM turns"
        f" WHERE mode = 'desk' AND state IN {LIVE} GROUP BY bot, session HAVING count(*) > 1",
    ),
    Invariant(
        "TURN-06",
        "no more work segments than slots",
        2,
        "SELECT 'Bot ' || b.id || ' has ' || count(*) || ' work segments' FROM turns t JOIN bots b ON b.id = t.bot"
        f" WHERE t.mode = 'work' AND t.state IN {LIVE} GROUP BY b.id HAVING count(*) >"
        f" iif(typeof(b.parallel_limit) = 'integer' AND b.parallel_limit > 0, b.parallel_limit, {SLOTS})",
    ),
    Invariant(
        "END-39",
        "an end has its reason and its time",
        3,
        "SELECT 'segment ' || id || ' is ' || state || ' with reason ' || quote(end_reason) || ' at '"
        f" || quote(ended_at) FROM turns WHERE (state IN {LIVE}) <> (ended_at IS NULL)"
        f" OR (state NOT IN {LIVE} AND work_item IS NOT NULL AND trim(ifnull(end_reason, '')) = '')",
    ),
    Invariant(
        "END-36",
        "what waits has an open wait",
        3,
        "SELECT 'work item ' || id || ' waits for nothing' FROM work_items WHERE state = 'waiting'"
        " AND id NOT IN (SELECT work_item FROM waits WHERE state IN ('open', 'suspended'))",
    ),
    Invariant(
        "DEL-29",
        "what is waited for can come",
        3,
        "SELECT 'wait ' || w.id || ' is for nothing that can come' FROM waits w WHERE (w.kind = 'delegation'"
        " AND w.state IN ('open', 'suspended') AND NOT EXISTS (SELECT 1 FROM delegations d WHERE d.id = w.ref"
        " AND d.state = 'open' AND d.from_item = w.work_item)) OR (w.kind = 'timer' AND w.state = 'open'"
        f" AND NOT EXISTS (SELECT 1 FROM effects WHERE subject = 'check_back:' || w.id AND state IN {OPEN}))",
    ),
    Invariant(
        "DEL-41",
        "an open delegation has Bots and places that are there",
        3,
        "SELECT 'delegation ' || d.id || ' is open, and somebody or somewhere is gone' FROM delegations d"
        " WHERE d.state = 'open' AND (EXISTS (SELECT 1 FROM work_items w JOIN bots b ON b.id = w.bot"
        " WHERE w.id IN (d.from_item, d.to_item) AND b.state <> 'active')"
        " OR EXISTS (SELECT 1 FROM sessions s WHERE s.id = d.session AND s.state = 'deleted'))",
    ),
    Invariant(
        "DEL-13",
        "who asked and does not go on waits for it",
        3,
        "SELECT 'delegation ' || d.id || ' is open, and nobody waits for it' FROM delegations d WHERE d.state = 'open'"
        " AND d.goes_on = 0 AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.kind = 'delegation' AND w.ref = d.id"
        " AND w.work_item = d.from_item AND w.state IN ('open', 'suspended'))",
    ),
    Invariant(
        "DEL-45",
        "a closed delegation has its result, and who asked has had it once",
        3,
        "SELECT 'delegation ' || d.id || ' is ' || d.state || ', and of its result there are ' || (SELECT count(*)"
        " FROM inbox_items i WHERE i.delegation = d.id AND i.kind = 'reply') || ' copies' FROM delegations d"
        " WHERE (d.state = 'open') <> (d.result IS NULL) OR (SELECT count(*) FROM inbox_items i"
        " WHERE i.delegation = d.id AND i.kind = 'reply') > (d.state <> 'open')",
    ),
    Invariant(
        "DESK-29",
        "one change of folder a segment",
        0,
        "SELECT 'segment ' || id || ' has changed its folder ' || cwd_changes || ' times' FROM turns"
        " WHERE cwd_changes NOT IN (0, 1)",
    ),
    Invariant(
        "WORK-14",
        "what is called running runs, and nothing else does",
        2,
        "SELECT 'work item ' || w.id || ' is ' || w.state || ' and has ' || (SELECT count(*) FROM turns t"
        f" WHERE t.work_item = w.id AND t.state IN {LIVE}) || ' live segments' FROM work_items w WHERE"
        f" (w.state = 'running') <> EXISTS (SELECT 1 FROM turns t WHERE t.work_item = w.id AND t.state IN {LIVE})",
    ),
    Invariant(
        "TURN-08",
        "a segment waits for one thing, which can come",
        0,
        "SELECT 'segment ' || t.id || ' is ' || t.state || ' with ' || (SELECT count(*) FROM effects e"
        f" WHERE e.turn = t.id AND e.state IN {OPEN}) || ' open effects and ' || (SELECT count(*) FROM asks a"
        " WHERE a.turn = t.id AND a.answer IS NULL AND a.closed = 0) || ' open cards' FROM turns t WHERE"
        f" (SELECT count(*) FROM effects e WHERE e.turn = t.id AND e.state IN {OPEN})"
        f" <> (t.state = 'running' AND NOT {CHECKED})"
        " OR (SELECT count(*) FROM asks a WHERE a.turn = t.id AND a.answer IS NULL AND a.closed = 0)"
        " <> (t.state IN ('waiting_approval', 'waiting_ask'))",
    ),
    Invariant(
        "WORK-12",
        "what is queued has something to read, and a reason not to start",
        2,
        "SELECT 'work item ' || w.id || ' is queued although it could start, or for nothing' FROM work_items w"
        " JOIN bots b ON b.id = w.bot LEFT JOIN plans p ON p.id = w.plan WHERE w.state = 'queued' AND ("
        " NOT EXISTS (SELECT 1 FROM inbox_items i WHERE i.work_item = w.id AND i.state = 'queued' AND i.wakes = 1)"
        " OR NOT (b.state <> 'active' OR ifnull(p.dormant, 0)"
        f" OR EXISTS (SELECT 1 FROM turns t WHERE t.bot = w.bot AND t.state IN {LIVE}"
        "   AND iif(w.plan IS NULL, t.mode = 'desk' AND t.session = w.session, t.plan = w.plan))"
        f" OR (w.plan IS NOT NULL AND (SELECT count(*) FROM turns t WHERE t.bot = w.bot AND t.mode = 'work'"
        f"   AND t.state IN {LIVE})"
        f"   >= iif(typeof(b.parallel_limit) = 'integer' AND b.parallel_limit > 0, b.parallel_limit, {SLOTS}))))",
    ),
    Invariant(
        "WORK-11",
        "what is unread waits where it will be read",
        2,
        "SELECT 'inbox item ' || i.id || ' is unread, and its work item ' || w.id || ' is ' || w.state"
        " FROM inbox_items i JOIN work_items w ON w.id = i.work_item WHERE i.state = 'queued' AND i.wakes = 1"
        " AND w.state NOT IN ('queued', 'running')",
    ),
    Invariant(
        "WORK-20",
        "a Bot is given a line once in one work item",
        2,
        "SELECT 'message ' || message || ' is ' || count(*) || ' times in the inbox of work item ' || work_item"
        " FROM inbox_items WHERE kind = 'line' AND message IS NOT NULL AND state <> 'void' GROUP BY work_item, message"
        " HAVING count(*) > 1",
    ),
    Invariant(
        "WORK-11",
        "what a Bot receives is in its inbox, or was the answer it waited for",
        0,
        "SELECT 'message ' || r.message || ' was received by Bot ' || r.bot || ' and is in no inbox of its'"
        " FROM message_receivers r JOIN messages m ON m.id = r.message WHERE NOT EXISTS (SELECT 1 FROM inbox_items i"
        " JOIN work_items w"
        " ON w.id = i.work_item WHERE i.message = r.message AND w.bot = r.bot) AND NOT EXISTS (SELECT 1 FROM asks a"
        " JOIN user_actions u ON u.id = a.answered_by JOIN turns t ON t.id = a.turn"
        " WHERE u.message = r.message AND t.bot = r.bot)"
        # Where the segment that read it was cleared with its session, its copy went too (QUOT-09).
        " AND NOT (m.was_read AND EXISTS (SELECT 1 FROM work_events WHERE type LIKE 'session.%'))",
    ),
    Invariant(
        "READ-28",
        "the lines of a session are delivered in order",
        0,
        "SELECT 'line ' || later.id || ' was delivered before line ' || m.id || ', which is ' || m.state"
        " FROM messages m JOIN messages later ON later.session = m.session AND later.id > m.id WHERE"
        " m.author = 'user' AND later.author = 'user' AND m.state IN ('arrived', 'filed', 'judging')"
        " AND later.state = 'delivered'"
        f" AND (m.head_at IS NULL OR (SELECT max(at) FROM events) < m.head_at + {BEHIND_MS})"
        # A mere stop goes first (READ-23).
        " AND NOT EXISTS (SELECT 1 FROM readings r WHERE r.message = later.id AND r.subject = 'user words'"
        " AND json_extract(r.answer, '$.control') = 'stop' AND json_extract(r.answer, '$.only') = 1)",
    ),
    Invariant(
        "READ-28",
        "what keeps a line from being delivered can come",
        0,
        "SELECT 'line ' || m.id || ' is ' || m.state || ', and nothing is asked that could bring it on' FROM messages m"
        " WHERE m.author = 'user' AND m.state IN ('arrived', 'filed', 'judging') AND NOT EXISTS (SELECT 1"
        " FROM effects e JOIN messages of ON of.session = m.session AND of.id <= m.id WHERE"
        f" e.state IN {OPEN} AND (e.subject = 'behind:' || of.id OR e.subject LIKE 'user words:' || of.id || ':%'"
        " OR e.subject LIKE 'filing:' || of.id || ':%' OR e.subject LIKE 'judge:' || of.id || ':%'))",
    ),
    Invariant(
        "TURN-21",
        "nothing is asked for by a segment that is over",
        0,
        "SELECT 'effect ' || e.id || ' is ' || e.state || ' for segment ' || t.id || ', which is ' || t.state"
        f" FROM effects e JOIN turns t ON t.id = e.turn WHERE e.state IN {OPEN} AND t.state NOT IN {LIVE}",
    ),
    Invariant(
        "TURN-08",
        "one call of a segment runs at a time",
        0,
        "SELECT 'segment ' || turn || ' runs ' || count(*) || ' calls at once' FROM calls WHERE state = 'started'"
        " GROUP BY turn HAVING count(*) > 1",
    ),
    *HELD,
)
"""Looked at after every commit."""
LOST = ("WORK-11", "no line is lost")
ORDER = ("READ-28", "a line goes its way forward")
ENDS = ("TURN-21", "a segment that is over stays as it ended")
KEPT = ("HOLD-95", "a hold is never deleted, and stays lifted")


@dataclass(eq=False)
class Watch:
    """Looks into the store at `path` after every commit, and keeps what did not hold."""

    path: Path
    level: int
    broken: list[Broken] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._store = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, isolation_level=None)
        steady = [(at, each) for at, each in enumerate(STEADY) if each.level <= self.level]
        self._query = " UNION ALL ".join(f"SELECT {at}, * FROM ({each.sql})" for at, each in steady)
        self._lines: dict[int, str] = {}
        self._ended: dict[int, tuple[str, str]] = {}
        self._holds: dict[int, int | None] = {}
        self._wishes = Wishes()

    def look(self, step: int) -> None:
        """Look, once, at what was committed by a step of the world."""
        self._store.execute("BEGIN")
        for at, said in self._store.execute(self._query):
            self._note(step, STEADY[at].rule, STEADY[at].name, said)
        self._look_at_lines(step)
        self._look_at_ends(step)
        self._look_at_holds(step)
        for said in self._wishes.look(self._store):
            self._note(step, *SHRINKS, said)
        self._store.execute("COMMIT")

    def snapshot(self) -> sqlite3.Connection:
        """The store as it is now, to be looked at later."""
        copy = sqlite3.connect(":memory:")
        self._store.backup(copy)
        return copy

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _look_at_lines(self, step: int) -> None:
        now = dict(self._store.execute("SELECT id, state FROM messages WHERE author = 'user'"))
        for line, state in self._lines.items():
            if line not in now:
                if not self._store.execute("SELECT 1 FROM work_events WHERE type LIKE 'session.%'").fetchone():
                    self._note(step, *LOST, f"line {line} is gone")
            elif WAY.index(now[line]) < WAY.index(state):
                self._note(step, *ORDER, f"line {line} was {state} and is {now[line]}")
        self._lines = now

    def _look_at_ends(self, step: int) -> None:
        rows = self._store.execute(f"SELECT id, state, ifnull(end_reason, '') FROM turns WHERE state NOT IN {LIVE}")
        now = {turn: (state, reason) for turn, state, reason in rows}
        for turn, end in self._ended.items():
            if now.get(turn, end) != end:
                self._note(step, *ENDS, f"segment {turn} ended as {end}, and now as {now[turn]}")
        self._ended = now

    def _look_at_holds(self, step: int) -> None:
        now = dict(self._store.execute("SELECT id, lifted_by FROM holds"))
        for hold, lifted_by in self._holds.items():
            if hold not in now:
                self._note(step, *KEPT, f"hold {hold} is gone")
            elif lifted_by is not None and now[hold] != lifted_by:
                self._note(step, *KEPT, f"hold {hold} was lifted by {lifted_by} and now by {now[hold]}")
        self._holds = now

    def _note(self, step: int, rule: str, name: str, said: str) -> None:
        if not any((each.name, each.said) == (name, said) for each in self.broken):
            self.broken.append(Broken(step, rule, name, said))


QUIET = (
    Invariant(
        "READ-28",
        "every line was delivered or taken back",
        0,
        "SELECT 'line ' || id || ' is still ' || state FROM messages WHERE author = 'user'"
        " AND state NOT IN ('delivered', 'withdrawn')",
    ),
    Invariant(
        "WORK-11",
        "every line that was taken in is in the transcript, once",
        0,
        "SELECT 'line ' || e.key || ' is in the transcript ' || count(m.id) || ' times' FROM events e"
        " LEFT JOIN messages m ON m.seq = e.seq AND m.author = 'user' WHERE e.kind = 'Line'"
        " AND NOT EXISTS (SELECT 1 FROM work_events WHERE type LIKE 'session.%')"
        " GROUP BY e.seq HAVING count(m.id) <> 1",
    ),
    Invariant(
        "WORK-14",
        "nothing runs that nobody will hear of",
        0,
        "SELECT 'segment ' || id || ' is still running' FROM turns t WHERE state = 'running' AND NOT EXISTS"
        " (SELECT 1 FROM effects e WHERE e.turn = t.id AND e.state = 'started' AND e.kind = 'run_tool')",
    ),
    Invariant(
        "TURN-20",
        "a segment says what it was to say, once",
        0,
        "SELECT 'segment ' || m.turn || ' has said ' || count(*) || ' times “' || m.text || '”' FROM messages m"
        " WHERE m.author = 'bot' AND m.turn IN (SELECT id FROM turns) GROUP BY m.turn, m.text HAVING count(*) >"
        f" (SELECT count(*) FROM hops h WHERE h.turn = m.turn AND h.text = m.text AND {BY_WORDS})"
        " + (SELECT count(*) FROM calls c WHERE c.turn = m.turn AND c.name = 'send_message' AND c.state = 'ok'"
        "    AND ifnull(json_extract(c.arguments, '$.text'), '') = m.text)"
        # Each card that asks the user something is a line of its own.
        " + (SELECT count(*) FROM asks a WHERE a.turn = m.turn)"
        " + (SELECT count(*) FROM work_questions q WHERE q.turn = m.turn)",
    ),
    Invariant(
        "TURN-20",
        "the reply that ended a segment was sent",
        0,
        "SELECT 'segment ' || t.id || ' has ended by “' || h.text || '” and has not said it' FROM turns t"
        f" JOIN hops h ON h.turn = t.id AND h.number = t.hops WHERE t.state = 'completed' AND {BY_WORDS}"
        " AND trim(h.text) <> '' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn = t.id AND m.text = h.text)"
        # What only says that there is nothing to do is not sent, and what was said in a session goes with it.
        " AND NOT EXISTS (SELECT 1 FROM work_events WHERE (type = 'words.not_sent' AND turn = t.id)"
        "    OR type LIKE 'session.%')",
    ),
    Invariant(
        "WORK-16",
        "a tool is begun once for a call",
        0,
        "SELECT 'call ' || json_extract(body, '$.call') || ' was begun ' || count(*) || ' times' FROM effects"
        " WHERE kind = 'run_tool' AND json_extract(body, '$.call') IS NOT NULL"
        " GROUP BY json_extract(body, '$.call') HAVING count(*) > 1",
    ),
)
"""Looked at once nobody has anything left to do."""
NAMES = tuple(
    dict.fromkeys([*((each.rule, each.name) for each in (*STEADY, *QUIET)), LOST, ORDER, ENDS, KEPT, SHRINKS])
)
"""Rule and name of all that is looked at."""


def faults(name: str, ended: Ended) -> Iterator[str]:
    """What broke the invariant of a name, in words: while things went on, or now that all is quiet."""
    yield from (str(each) for each in ended.broken if each.name == name)
    for each in QUIET:
        if each.name == name:
            yield from (str(said) for (said,) in ended.rows(each.sql))
