"""Whatever the scribe answers, what is in force of the user's wishes changes by what the user does alone.

The oracle judges each commit: it sees what happened and how each entry stands, and shares no code with the core.
"""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from evening import Evening
from hypothesis import given, settings
from hypothesis import strategies as st
from scribing import ROOM, asked, studio

from harness.oracle.wishes import Judge
from harness.world.ledger import Ledger
from threadrebuild.collab import events
from threadrebuild.collab.engine import Effect, Engine

SHM = Path("/dev/shm")
LINES = (
    "背景要连贯,片长约 2 分钟",
    "改成 3 分钟,别用真人",
    "片尾的 logo 要放大;字幕用宋体",
    "以后每部片都要竖屏",
    "色调偏冷",
    "4K",
    "还是约 2 分钟吧",
)
RULES = ("背景要连贯", "字幕用宋体", "不要真人", "片长约 2 分钟")
ENTRIES = st.sampled_from([1, 2, 3, 4, 5, 1, 2, 3, 0, -1, 99, 2**63, 10**30, 1.5, "1", None, True])
QUOTES = st.one_of(
    st.tuples(st.just("part"), st.integers(0, 12), st.integers(1, 12)),
    st.tuples(st.just("all"), st.integers(0, 3)),
    st.sampled_from(["发明的一句话", "", "。。", "背景不用连贯", "🎬", "\0", "长" * 400, *LINES, *RULES]),
    st.sampled_from([None, 7, ["背景要连贯"], {"quote": "4K"}]),
)
WORDS = st.sampled_from(["", "背景连贯", "时长", "别的", None, 5])
ROW = st.fixed_dictionaries(
    {},
    optional={
        "quote": QUOTES,
        "entry": ENTRIES,
        "paraphrase": WORDS,
        "category": WORDS,
        "polarity": st.sampled_from(["want", "must_not", "never", None]),
        "nature": st.sampled_from(["craft", "look", "series", "other", "art", None]),
        "tickets": st.sampled_from([[], [1], [2], [1, 2], [99], "1", [10**30], None]),
        "every": st.sampled_from([True, False, "yes", 1]),
        "state": st.sampled_from(["active", "superseded"]),
        "scope": st.sampled_from(["standing", "ticket"]),
    },
)
WELL_FORMED = st.fixed_dictionaries(
    {"quote": QUOTES, "entry": st.integers(1, 5), "category": st.sampled_from(["", "别的"])}
)
ROWS: st.SearchStrategy[Any] = (
    st.lists(WELL_FORMED | ROW | st.sampled_from([None, "背景要连贯", []]), max_size=4) | WORDS
)
PATCH = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("add", "again", "change"), ROWS),
        **dict.fromkeys(("delete", "remove", "supersede", "requirements", "entries"), ROWS),
        "gone": st.lists(ENTRIES, max_size=3),
    },
)
REWRITE = st.fixed_dictionaries({"requirements": st.lists(ROW, max_size=3)}) | st.lists(ROW, max_size=3)
ODD = st.sampled_from([None, "", "{", "[]", "null", "好的", "{}", '{"add": [' * 500, '{"add": 1e999}', '{"add": NaN}'])
ANSWER = st.tuples(PATCH | PATCH | REWRITE, st.none() | st.integers(0, 60)) | st.tuples(ODD, st.none())
"""What the scribe says, and after how many characters it is cut off."""
ACTIONS = (
    *("confirm", "not_a_requirement", "not_for_this_plan", "restore", "no_longer_applies", "whole_conversation"),
    "keep",
)
STEPS = st.one_of(
    st.tuples(st.just("say"), st.integers(0, len(LINES) - 1), st.integers(0, 2), ANSWER),
    st.tuples(st.just("say"), st.integers(0, len(LINES) - 1), st.integers(0, 2), ANSWER),
    st.tuples(st.just("edit"), st.integers(0, 5), st.integers(0, len(LINES) - 1), ANSWER),
    st.tuples(st.just("act"), st.integers(1, 6), st.integers(0, 1), st.sampled_from(ACTIONS)),
    st.tuples(st.just("board"), st.integers(0, 1), st.sets(st.sampled_from(RULES))),
    st.tuples(st.just("clear"), st.booleans()),
)


class Engines(Engine):
    """An engine whose every commit is judged."""

    def __init__(self, home: Evening) -> None:
        super().__init__(home.db)
        self.judge, self.ledger = Judge(), Ledger(home.path)
        self.wrong: list[str] = []

    def handle(self, event: events.Event) -> list[Effect]:
        """Take an event in, and let the oracle see it and what came of it in the ledger."""
        self.judge.take({"kind": "event", "what": type(event).__name__, **msgspec.to_builtins(event)})
        try:
            return super().handle(event)
        finally:
            for act in self.ledger.look():
                self.wrong += self.judge.take({"kind": "act", **act})


class Household:
    """Two plans of a group, in which the scribe reads along."""

    def __init__(self, folder: Path) -> None:
        self.home, first = studio(folder, tickets=["镜头"])
        self.plans = [first, self.home.opened("第二集", to=ROOM)]
        self.ticket = int(self.home.value("SELECT id FROM tickets"))
        self.engine = self.home.engine = Engines(self.home)

    def say(self, line: int, where: int, answer: tuple[Any, int | None]) -> None:
        places: list[int | tuple[int, int]] = [self.plans[0], (self.plans[0], self.ticket), self.plans[1]]
        about = places[where]
        self.home.say(f"@导演 {LINES[line]}", to=ROOM, files=[about])
        self.scribe(answer)

    def edit(self, which: int, line: int, answer: tuple[Any, int | None]) -> None:
        said = [number for (number,) in self.home.rows("SELECT id FROM messages WHERE author = 'user' ORDER BY id")]
        if said:
            self.home.happens(events.Edited, message=said[which % len(said)], text=f"@导演 {LINES[line]}")
            self.scribe(answer)

    def act(self, requirement: int, plan: int, action: str) -> None:
        said = {"requirement": requirement, "plan": self.plans[plan], "action": action}
        try:
            self.home.happens(events.RequirementActed, **said)
        except ValueError:
            return

    def board(self, plan: int, rules: set[str]) -> None:
        self.home.happens(events.BoardEdited, plan=self.plans[plan], rules=tuple(sorted(rules)))

    def clear(self, erase: bool) -> None:
        self.home.happens(events.SessionCleared, session=self.home.session(ROOM), erase_quotes=erase)

    def scribe(self, answer: tuple[Any, int | None]) -> None:
        """Whatever the scribe is asked, it says the same each time."""
        for _ in range(20):
            effect = asked(self.home)
            if effect is None:
                return
            self.home.happens(events.Scribed, effect=effect.id, raw=raw_of(answer, str(effect.body.get("line", ""))))
        raise AssertionError("the scribe is asked on and on")


def raw_of(answer: tuple[Any, int | None], line: str) -> str | None:
    """What the scribe says of a line, as text."""
    said, cut = answer
    if said is None or isinstance(said, str):
        return said
    return json.dumps(_quoting(said, line), ensure_ascii=False)[:cut]


def _quoting(said: Any, line: str) -> Any:
    """An answer with the words that it quotes of a line."""
    match said:
        case ("part", begins, count):
            return line[begins : begins + count]
        case ("all", spaces):
            return (" " * spaces).join(line)
        case dict():
            return {name: _quoting(value, line) for name, value in said.items()}
        case list():
            return [_quoting(value, line) for value in said]
        case _:
            return said


PLAY: dict[str, Callable[..., None]] = {
    "say": Household.say,
    "edit": Household.edit,
    "act": Household.act,
    "board": Household.board,
    "clear": Household.clear,
}


@given(st.lists(STEPS, min_size=2, max_size=10))
@settings(max_examples=80, deadline=None)
def test_what_is_in_force_changes_by_what_the_user_does_alone(steps: list[tuple[Any, ...]]) -> None:
    with TemporaryDirectory(dir=SHM if SHM.is_dir() else None) as folder:
        household = Household(Path(folder))
        with closing(household.home.db), closing(household.engine.ledger):
            for name, *with_ in steps:
                PLAY[name](household, *with_)
            assert household.engine.wrong == []


def test_the_steps_reach_what_they_are_about(tmp_path: Path) -> None:
    household = Household(tmp_path)
    with closing(household.home.db), closing(household.engine.ledger):
        household.say(0, 0, ({"add": [{"quote": "背景要连贯"}, {"quote": "片长约 2 分钟"}]}, None))
        household.say(1, 0, ({"change": [{"quote": "3 分钟", "entry": 2}], "add": [{"quote": "别用真人"}]}, None))
        household.act(3, 0, "confirm")
        household.board(0, {"字幕用宋体"})
        household.board(0, set())
        rows = household.home.rows("SELECT span, state FROM requirements ORDER BY id")
        assert rows == [
            ("背景要连贯", "active"),
            ("片长约 2 分钟", "superseded"),
            ("3 分钟", "active"),
            ("别用真人", "active"),
            ("字幕用宋体", "no_longer_applies"),
        ]
        assert household.engine.wrong == []
        household.home.sql("DROP TRIGGER only_the_user_ends_a_requirement")
        household.home.sql("UPDATE requirements SET state = 'not_a_requirement' WHERE span = '背景要连贯'")
        household.say(5, 0, ({}, None))
        assert len(household.engine.wrong) == 1
