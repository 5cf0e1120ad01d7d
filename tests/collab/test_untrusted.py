"""What a model says is untrusted: odd arguments and answers are refused or left out, and never stop the engine."""

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evening import Evening, work_on
from hypothesis import given, settings
from hypothesis import strategies as st

from threadrebuild.collab import events
from threadrebuild.collab.change import Missing
from threadrebuild.collab.record import DEEPEST
from threadrebuild.collab.toolbox import OWN

NUMBERS = st.sampled_from([0, 1, 2, 3, 4, -1, 99, 2**63 - 1, 2**63, 10**30, True, 1.5])
WORDS = st.sampled_from(["", " ", "文案", "剪辑组", "@文案 看看", "@谁 看看", "new", "\0"])
LEAVES = st.none() | NUMBERS | WORDS
JSON = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(WORDS, LEAVES, max_size=2)
NEW = st.fixed_dictionaries({"new": st.fixed_dictionaries({"title": LEAVES})})
SOUND: dict[str, dict[str, Any]] = {
    "work_on": {"plan": 1},
    "send_message": {"text": "好"},
    "create_direct": {"to": "文案"},
    "choose_model": {"step": "reader"},
    "ask_user": {"question": "哪个？"},
    "check_back": {"after_minutes": 5, "note": "看渲染"},
    "end_turn": {"reason": "nothing_new"},
    "delegate": {"to": "文案", "ask": "看一下", "expects": "answer"},
    "submit": {"artifacts": ["cut.mp4"]},
    "review": {"outcome": "return"},
    "plan_items": {
        "items": [{"title": "旁白", "description": "一百字", "after": [1], "parts": ["甲"], "drop": "不要"}]
    },
}
"""A call of each tool that makes sense."""
ARGUMENTS = {
    "work_on": ("plan", "new", "quote_message_id", "ticket", "also"),
    "send_message": ("text", "files", "session"),
    "create_direct": ("to",),
    "choose_model": ("step", "model", "engine"),
    "ask_user": ("question", "options", "multiple"),
    "check_back": ("after_minutes", "note"),
    "end_turn": ("reason", "text", "answer", "note", "needs_from_user", "inbox"),
    "plan_items": ("items",),
    "submit": ("artifacts", "parts", "claims", "note", "continue"),
    "review": ("submission_id", "verdicts", "outcome", "note"),
    "delegate": ("to", "ask", "expects", "ticket", "parts", "requirement_ids", "continue"),
}
CALLS = st.sampled_from([(tool, name) for tool, names in ARGUMENTS.items() for name in names]).flatmap(
    lambda odd: (JSON | NEW).map(lambda value: events.Call(odd[0], {**SOUND[odd[0]], odd[1]: value}))
)
"""Calls with one argument that may be anything."""
KINDS: dict[str, type[events.Event]] = {"read": events.Read, "judge": events.Judged, "organizer": events.Organized}
"""What is answered by a model outside a Bot's turn."""
ANSWERS = (
    *("control", "only", "status", "faults", "releases", "about", "kind", "join", "category", "goal", "process"),
    *("progress", "done", "to_do", "stuck", "plan", "ticket", "parts"),
)
ANSWER = st.fixed_dictionaries(
    {},
    optional={
        "filings": st.lists(st.tuples(NUMBERS, NUMBERS), max_size=2) | JSON,
        "about": st.lists(
            st.fixed_dictionaries({"plan": NUMBERS}, optional={"ticket": JSON, "parts": JSON}), max_size=2
        ),
        **dict.fromkeys(ANSWERS, JSON),
    },
)


def house(folder: str, level: int = 8) -> Evening:
    home = Evening(Path(folder), bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演")])
    return home


def test_every_tool_of_the_application_is_tried() -> None:
    assert SOUND.keys() == ARGUMENTS.keys() == OWN.keys()


@settings(max_examples=80, deadline=None)
@given(calls=st.lists(CALLS, min_size=1, max_size=8), filed=st.booleans())
def test_a_call_with_odd_arguments_is_carried_out_or_refused(calls: list[events.Call], filed: bool) -> None:
    with TemporaryDirectory() as folder:
        home = house(folder)
        home.say("@导演 做分镜", to="剪辑组", files=[1] if filed else "unclear")
        home.hop("导演", *calls)
        name, state, read = home.results(home.turn("导演")["id"])[0]
        assert state in ("ok", "started") or (state == "refused" and read), (name, state)


@settings(max_examples=80, deadline=None)
@given(answer=ANSWER, level=st.sampled_from([1, 8]))
def test_an_odd_answer_is_no_answer(answer: dict[str, Any], level: int) -> None:
    with TemporaryDirectory() as folder:
        home = house(folder, level)
        home.say("做分镜", to="剪辑组", read=False)
        while effect := next((each for each in home.engine.open_effects() if each.kind in KINDS), None):
            home.happens(KINDS[effect.kind], effect=effect.id, raw=json.dumps(answer))
        line = home.value("SELECT max(id) FROM messages WHERE text = '做分镜'")
        assert home.value("SELECT state FROM messages WHERE id = ?", line) == "delivered"


def test_an_answer_that_never_closes_its_brackets_is_none(tmp_path: Path) -> None:
    home = house(str(tmp_path), level=1)
    home.say("做分镜", to="剪辑组", read=False)
    while effect := next((each for each in home.engine.open_effects() if each.kind in KINDS), None):
        home.happens(KINDS[effect.kind], effect=effect.id, raw='{"x": ' + "[" * 100_000)
    assert [failure for (failure,) in home.rows("SELECT failure IS NULL FROM readings")] == [0, 0]


def test_an_organizer_that_files_what_is_not_there_or_was_withdrawn_changes_nothing(tmp_path: Path) -> None:
    home = house(str(tmp_path), level=1)
    line = home.say("做分镜", to="剪辑组")
    home.sql("UPDATE messages SET state = 'withdrawn' WHERE id = ?", line)
    asked = next(each for each in home.engine.open_effects() if each.kind == "organizer")
    filings = [[line, 1], [99, 1], [1, 99]]
    home.happens(events.Organized, effect=asked.id, raw=json.dumps({"filings": filings, "process": "分镜"}))
    assert home.filed(line) == [(1, None)]
    assert home.value("SELECT count(*) FROM work_events WHERE type = 'organizer.answer'") == 1


def test_a_plan_does_not_stand_on_a_line_that_was_withdrawn(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    home.say("在吗", to="导演")
    home.hop("导演", events.Call("read_file", {"path": "notes.md"}), run=False)
    line = home.say("做一个 logo", to="导演")
    home.happens(events.Withdrawn, message=line)
    home.run("导演")
    home.hop("导演", work_on(new={"title": "logo"}, quote_message_id=line))
    assert home.results(home.turn("导演")["id"])[-1][:2] == ("work_on", "refused")
    assert home.plans() == ["新品片"]


def test_a_line_that_points_to_what_is_gone_is_not_taken_in(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    mark = events.Annotation("cut.mp4", "太快", delivery=99)
    for points_to in ({"reply_to": 99}, {"card_plan": 99}, {"annotations": (mark,)}, {"session": 99}):
        before = home.value("SELECT count(*) FROM events")
        try:
            home.happens(events.Line, **{"session": home.session("导演"), "text": "改", **points_to})
        except Missing:
            assert home.value("SELECT count(*) FROM events") == before
        else:
            raise AssertionError(f"{points_to} was taken in")


def test_nothing_is_said_where_a_group_was_deleted(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    group = home.session("剪辑组")
    home.say("在吗", to="导演")
    home.happens(events.SessionDeleted, session=group)
    home.hop("导演", events.Call("send_message", {"text": "在的", "session": group}))
    assert home.results(home.turn("导演")["id"])[-1][:2] == ("send_message", "refused")


def test_work_of_a_deleted_group_goes_on_in_the_direct_chat_of_its_bot(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    home.say("@导演 做分镜", to="剪辑组", files=[1])
    home.hop("导演", events.Call("read_file", {"path": "notes.md"}), run=False)
    home.say("@导演 再做配乐", to="剪辑组", files=[1])
    home.say("@文案 在吗", to="剪辑组")
    home.happens(events.SessionDeleted, session=home.session("剪辑组"))
    home.happens(events.WorkResumed, work_item=home.value("SELECT id FROM work_items WHERE plan = 1"))
    assert "再做配乐" in home.context(home.turn("导演")["id"])
    home.hop("导演", text="好了。")
    said = home.rows("SELECT session, text FROM messages WHERE author = 'bot'")
    assert said == [(home.session("导演"), "好了。")]


HALF = "\ud83d"
BEYOND_JSON: dict[str, Any] = {
    "half a character": {"text": HALF, "a": [{HALF: (HALF,)}]},
    "another half": {"\udfff": 1},
    "no number": {"a": float("nan"), "b": [float("inf"), float("-inf")]},
    "bytes": {"a": b"\xff"},
    "a set": {"a": {1}},
    "a number as name": {1: 2},
}
"""Arguments that no JSON can hold, and that a program may make of what a model has written."""


def nested(deep: int, *, lists: bool) -> dict[str, Any]:
    """Arguments with lists or objects that lie `deep` deep in each other."""
    value: Any = 1
    for _ in range(deep):
        value = [value] if lists else {"a": value}
    return {"a": value}


def test_what_no_json_holds_is_on_record_as_the_json_nearest_to_it_and_that_is_what_runs(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    home.say("@导演 做分镜", to="剪辑组", files=[1])
    for name, arguments in BEYOND_JSON.items():
        home.hop("导演", events.Call(f"mcp:{HALF}", arguments))
        record = json.loads(home.value("SELECT body FROM events WHERE kind = 'Hopped' ORDER BY seq DESC"))
        ran = home.ran[-1]
        assert {"name": ran["tool"], "arguments": ran["arguments"], "unreadable": ""} == record["calls"][0], name
    assert [ran["arguments"] for ran in home.ran] == [
        {"text": "\ufffd", "a": [{"\ufffd": ["\ufffd"]}]},
        {"\ufffd": 1},
        {"a": None, "b": [None, None]},
        {"a": "/w=="},
        {"a": [1]},
        {"1": 2},
    ]


def test_half_a_character_in_any_answer_stops_nothing(tmp_path: Path) -> None:
    home = house(str(tmp_path), level=1)
    home.say(f"做分镜{HALF}", to="剪辑组", read=False)
    while effect := next((each for each in home.engine.open_effects() if each.kind in KINDS), None):
        home.happens(KINDS[effect.kind], effect=effect.id, raw=HALF, failure=HALF)
    home.say("@导演 做分镜", to="剪辑组")
    home.hop("导演", events.Call("shell", {"command": "ls"}), run=False)
    ran = next(each for each in home.engine.open_effects() if each.kind == "run_tool")
    home.happens(events.Ran, effect=ran.id, ok=False, output=HALF, errors=HALF, written=(HALF,))
    home.hop("导演", text=f"好{HALF}")
    assert home.said("bot") == ["好\ufffd"]


def test_arguments_that_lie_too_deep_in_each_other_or_are_no_object_are_refused_to_their_bot(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    home.say("@导演 做分镜", to="剪辑组", files=[1])
    odd: list[Any] = [nested(deep, lists=lists) for deep in (DEEPEST + 1, 900, 100_000) for lists in (True, False)]
    for arguments in (*odd, "ls", None, [1], HALF):
        home.hop("导演", events.Call("shell", arguments), events.Call("read_file", {"path": "notes.md"}))
    for lists in (True, False):
        home.hop("导演", events.Call("read_file", nested(DEEPEST, lists=lists)))
    results = home.results(home.turn("导演")["id"])
    assert [state for name, state, _ in results if name == "shell"] == ["refused"] * 10
    assert [state for name, state, _ in results if name == "read_file"] == ["ok"] * 12
    assert all(read.startswith("Not run: its arguments ") for name, _, read in results if name == "shell")
    assert not [ran for ran in home.ran if ran["tool"] == "shell"]


def test_an_event_that_is_none_of_its_kind_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    line = home.say("@导演 做分镜", to="剪辑组", read=False)
    read = home.engine.open_effects()[0].id
    for kind, fields in (
        (events.Edited, {"message": line, "text": None}),
        (events.Edited, {"message": 10**30, "text": "x"}),
        (events.Edited, {"message": 2**63, "text": "x"}),
        (events.Edited, {"message": True, "text": "x"}),
        (events.Line, {"session": 1, "text": "x", "files": (5,)}),
        (events.Line, {"session": 1, "text": "x", "annotations": ("cut.mp4",)}),
        (events.SessionOpened, {"session": "attic", "title": "x"}),
        (events.Read, {"effect": read, "cost": float("nan")}),
        (events.Read, {"effect": read, "cost": "much"}),
        (events.Hopped, {"effect": read}),
        (events.Ran, {"effect": read, "ok": True}),
        (events.Killed, {"effect": read}),
    ):
        before = home.rows("SELECT * FROM events"), home.rows("SELECT * FROM effects")
        try:
            home.happens(kind, **fields)
        except ValueError:
            assert (home.rows("SELECT * FROM events"), home.rows("SELECT * FROM effects")) == before
        else:
            raise AssertionError(f"{kind.__name__} {fields} was taken in")


PIECES = (
    "x",
    "@",
    "@@ ",
    "@文案 ",
    "@文案/",
    "](",
    "](@文案",
    "http://",
    "x:/",
    "a/",
    "/@",
    "好的",
    "怎么样了",
    "? ",
    "1,",
)


def test_what_a_line_costs_grows_with_its_length_and_no_faster(tmp_path: Path) -> None:
    home = house(str(tmp_path))
    for piece in PIECES:
        began = time.process_time()
        home.say(piece * (60_000 // len(piece)), to="剪辑组", files=None)
        home.say("@文案 好", to="剪辑组", files=None)
        home.hop("文案", text=piece * (60_000 // len(piece)))
        # A pass over such a line takes milliseconds; one for each of its characters takes many seconds.
        assert time.process_time() - began < 3, piece
        home.happens(events.SessionCleared, session=home.session("剪辑组"))
