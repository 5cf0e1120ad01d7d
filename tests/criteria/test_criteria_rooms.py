"""What must hold in the rooms is looked at by SQL: each query gets a fault planted in the store, and has to see it."""

import io
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.expect import expect, expect_equal, noted, proves
from harness.invariants.collab import KEPT, NAMES, Broken, Watch, faults
from harness.invariants.collab_ledger import SHRINKS
from harness.runlog import RunLog

if TYPE_CHECKING:
    from harness.scenario.collab.play import Played

STORY = Path(__file__).parents[2] / "scenarios" / "collab" / "two-lines-one-turn.toml"
LEVEL = 8
LIVE = "state = 'running', ended_at = NULL, end_reason = NULL"
TWO_OF_ONE_BOT = f"{LIVE}, bot = 1, session = 1 WHERE id IN (1, 2)"
ASKED = (
    "INSERT INTO delegations (from_item, to_item, session, ask, expects, at) VALUES (1, 1, 1, '写什么？', 'answer', 1)"
)
ALL_HELD = "INSERT INTO holds (scope, source, seq, at) VALUES ('everything', 'user_button', 1, 0)"
PLANTS = {
    "one live segment a work item": [f"UPDATE turns SET work_item = 1, {LIVE}"],
    "one live segment a Bot and plan": [f"UPDATE turns SET plan = 1, {TWO_OF_ONE_BOT}"],
    "one live desk a Bot and session": [f"UPDATE turns SET mode = 'desk', {TWO_OF_ONE_BOT}"],
    "an end has its reason and its time": ["UPDATE turns SET end_reason = ''"],
    "what waits has an open wait": ["UPDATE work_items SET state = 'waiting'"],
    "what is waited for can come": ["INSERT INTO waits (work_item, kind, ref) VALUES (1, 'delegation', 99)"],
    "an open delegation has Bots and places that are there": [ASKED, "UPDATE bots SET state = 'archived'"],
    "who asked and does not go on waits for it": [ASKED],
    "a closed delegation has its result, and who asked has had it once": [
        ASKED,
        "UPDATE delegations SET state = 'replied'",
    ],
    "one change of folder a segment": ["UPDATE turns SET cwd_changes = 2"],
    "a Bot is given a line once in one work item": [
        "INSERT INTO inbox_items (work_item, kind, message, author, text, prio, state, read_by_turn, seq)"
        " SELECT work_item, kind, message, author, text, prio, state, read_by_turn, seq FROM inbox_items LIMIT 1"
    ],
    "what keeps a line from being delivered can come": [
        "UPDATE messages SET state = 'arrived' WHERE author = 'user'",
        "UPDATE effects SET state = 'done'",
    ],
    "nothing is asked for by a segment that is over": ["UPDATE effects SET state = 'pending' WHERE turn IS NOT NULL"],
    "one call of a segment runs at a time": ["UPDATE calls SET state = 'started', turn = 1"],
    "no line is lost": ["DELETE FROM messages WHERE author = 'user'"],
    "a line goes its way forward": ["UPDATE messages SET state = 'arrived' WHERE author = 'user'"],
    "a segment that is over stays as it ended": ["UPDATE turns SET end_reason = 'another'"],
    "every line that was taken in is in the transcript, once": ["DELETE FROM messages WHERE author = 'user'"],
    "a segment says what it was to say, once": [
        "INSERT INTO messages (session, author, bot, seq, at, text, turn)"
        " SELECT session, author, bot, seq, at, text, turn FROM messages WHERE author = 'bot'"
    ],
    "the reply that ended a segment was sent": ["UPDATE messages SET text = 'another' WHERE author = 'bot'"],
    "nothing that is held is live but what only answers": [ALL_HELD, f"UPDATE turns SET {LIVE} WHERE id = 1"],
    "what is held has no call under way": [
        ALL_HELD,
        "UPDATE calls SET state = 'started', effect = (SELECT min(id) FROM effects), effectful = 1",
        "UPDATE effects SET state = 'started'",
    ],
    "a hold is lifted by what the user did since": [
        ALL_HELD,
        "UPDATE holds SET seq = (SELECT max(seq) FROM events), lifted_by = (SELECT max(id) FROM user_actions)",
    ],
    "a check-back under a hold is suspended, and void to who knows no holds": [
        ALL_HELD,
        "INSERT INTO waits (work_item, kind, due, state) SELECT id, 'timer', 0, 'open' FROM work_items LIMIT 1",
    ],
    "a plan under a hold of its own or its session's is not active": [
        "INSERT INTO holds (scope, plan, source, seq, at) SELECT 'plan', id, 'user_button', 1, 0 FROM plans",
        "UPDATE plans SET status = 'active'",
    ],
    "a tool is begun once for a call": [
        "INSERT INTO effects (event, kind, turn, subject, body, state)"
        " SELECT event, kind, turn, subject, body, 'done' FROM effects WHERE kind = 'run_tool'"
    ],
}
"""By the invariant's name; those that a sabotage of the core makes fire are left to it."""


@dataclass
class Ended:
    """A store that nobody works on any more."""

    store: sqlite3.Connection
    broken: Sequence[Broken]

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        return self.store.execute(sql, values).fetchall()


def evening(folder: Path) -> Path:
    """The store of a story that is over, without what it refuses: other programs may have written to it."""
    _played(folder).rooms.close()
    path = next(folder.rglob("rooms.db"))
    store = sqlite3.connect(path, isolation_level=None)
    rows = store.execute("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'index') AND sql NOT NULL")
    for kind, name in rows.fetchall():
        store.execute(f"DROP {kind} {name}")
    store.execute("PRAGMA journal_mode = DELETE")
    store.close()
    return path


@proves("CR-04")
def test_every_invariant_of_the_rooms_sees_what_is_planted(tmp_path: Path) -> None:
    rules = {name: rule for rule, name in NAMES}
    made = evening(tmp_path / "made")
    for number, (name, plant) in enumerate(PLANTS.items()):
        path = tmp_path / f"{number}.db"
        path.write_bytes(made.read_bytes())
        store = sqlite3.connect(path, isolation_level=None)
        store.execute("PRAGMA foreign_keys = OFF")
        store.execute("PRAGMA ignore_check_constraints = ON")
        watch = Watch(path, LEVEL)
        watch.look(1)
        before = list(faults(name, Ended(store, watch.broken)))
        expect_equal("CR-04", before, [], f"{name}, before")
        for sql in plant:
            store.execute(sql)
        watch.look(2)
        seen = noted("collab", rules[name], name, faults(name, Ended(store, watch.broken)))
        expect("CR-04", seen, f"{name}: planted, not seen")
        watch.close()
        store.close()


@proves("CR-04")
def test_a_hold_that_is_gone_and_one_that_is_lifted_again_are_seen(tmp_path: Path) -> None:
    """Both are changes: the hold has to stand in the store before."""
    rule, name = KEPT
    made = evening(tmp_path / "made")
    for number, plant in enumerate(("DELETE FROM holds", "UPDATE holds SET lifted_by = NULL")):
        path = tmp_path / f"{number}.db"
        path.write_bytes(made.read_bytes())
        store = sqlite3.connect(path, isolation_level=None)
        store.execute("PRAGMA foreign_keys = OFF")
        watch = Watch(path, LEVEL)
        store.execute(ALL_HELD)
        watch.look(1)
        store.execute("UPDATE holds SET lifted_by = (SELECT max(id) FROM user_actions)")
        watch.look(2)
        expect_equal("CR-04", list(faults(name, Ended(store, watch.broken))), [], f"{name}, before")
        store.execute(plant)
        watch.look(3)
        seen = noted("collab", rule, name, faults(name, Ended(store, watch.broken)))
        expect("CR-04", seen, f"{name}: planted by {plant!r}, not seen")
        watch.close()
        store.close()


@proves("CR-04")
def test_an_entry_that_is_not_in_force_any_more_is_seen_unless_the_user_ended_it(tmp_path: Path) -> None:
    rule, name = SHRINKS
    made = evening(tmp_path / "made")
    acted = [
        "INSERT INTO events (key, kind, at, body) VALUES ('just then', 'RequirementActed', 0, '{}')",
        "INSERT INTO user_actions (id, event, kind) VALUES (99, (SELECT max(seq) FROM events), 'button')",
    ]
    ended = "UPDATE requirements SET state = 'superseded', ended_by = "
    aside = "INSERT INTO requirement_exceptions (requirement, plan, by) VALUES (1, 2, "
    for number, (plant, fires) in enumerate(
        (
            (["DELETE FROM requirements"], True),
            ([f"{ended}NULL"], True),
            ([f"{ended}1"], True),
            ([*acted, f"{ended}99"], False),
            ([f"{aside}1)"], True),
            ([*acted, f"{aside}99)"], False),
        )
    ):
        path = tmp_path / f"{number}.db"
        path.write_bytes(made.read_bytes())
        store = sqlite3.connect(path, isolation_level=None)
        store.execute("PRAGMA foreign_keys = OFF")
        watch = Watch(path, LEVEL)
        store.execute("INSERT INTO user_actions (id, event, kind) VALUES (1, 1, 'button') ON CONFLICT DO NOTHING")
        store.execute(
            "INSERT INTO requirements (number, quote, span, source, scope, plan, state, at)"
            " VALUES (1, 1, '先做分镜', 'scribe', 'plan', 1, 'active', 0)"
        )
        watch.look(1)
        expect_equal("CR-04", list(faults(name, Ended(store, watch.broken))), [], f"{name}, before")
        for sql in plant:
            store.execute(sql)
        watch.look(2)
        seen = faults(name, Ended(store, watch.broken))
        if fires:
            expect("CR-04", noted("collab", rule, name, seen), f"{name}: planted by {plant!r}, not seen")
        else:
            expect_equal("CR-04", list(seen), [], f"{name}: ended by the user just then, by {plant!r}")
        watch.close()
        store.close()


@proves("CR-04")
def test_a_command_that_is_on_no_record_is_seen(tmp_path: Path) -> None:
    from harness.scenario.collab import KIND

    (recorded,) = (each for each in KIND.invariants if each.rule == "STOP-2")
    played = _played(tmp_path / "made")
    expect_equal("CR-04", list(recorded.faults(played)), [], f"{recorded.name}, before")
    played.rooms.commands.begin(9_999, {"render": "stubborn"}, None)
    seen = noted("collab", recorded.rule, recorded.name, recorded.faults(played))
    expect("CR-04", seen, f"{recorded.name}: planted, not seen")
    played.rooms.close()


def _played(folder: Path) -> "Played":
    from harness.scenario.collab.play import play
    from harness.scenario.stories.loading import load_stories

    folder.mkdir()
    return play(load_stories(STORY)[0], folder, 0, RunLog(io.StringIO()), 0)
