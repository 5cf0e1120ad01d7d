"""Each entry of a talk becomes the rows that the builder writes for it."""

from collections.abc import Callable
from typing import Any

from harness.scenario.story import KINDS, Entry, Rewind, User, tell
from harness.world.talk import Talk

ONE_OF_EACH: dict[str, tuple[dict[str, Any], Callable[[Talk], Any]]] = {
    "user": ({"user": "a", "repeat": 2}, lambda talk: talk.user("aa")),
    "assistant": ({"assistant": "a", "repeat": 2}, lambda talk: talk.assistant("aa")),
    "channel": (
        {"channel": "a", "source": "telegram", "chat": "c", "busy": True},
        lambda talk: talk.channel("a", source="telegram", chat_id="c", idle=False),
    ),
    "queued": ({"queued": ["a", "b"], "mode": "x"}, lambda talk: talk.queued(["a", "b"], mode="x")),
    "waiting": ({"waiting": "a"}, lambda talk: talk.enqueue("a")),
    "reply": (
        {"reply": "a", "to": "c", "through": "t", "error": "e"},
        lambda talk: talk.reply("a", chat_id="c", tool="t", error="e"),
    ),
    "tool": (
        {"tool": "t", "input": {"x": 1}, "result": "r", "repeat": 2, "error": True, "beside": "b"},
        lambda talk: talk.tool("t", {"x": 1}, result="rr", error=True, beside="b"),
    ),
    "thinking": ({"thinking": "a"}, lambda talk: talk.thinking("a")),
    "image": ({"image": ""}, lambda talk: talk.image()),
    "startup": (
        {"startup": ["a"], "words": "b", "joined": True},
        lambda talk: talk.startup(["a"], "b", joined=True),
    ),
    "meta": ({"meta": "a", "repeat": 2}, lambda talk: talk.meta("aa")),
    "reminder": ({"reminder": "a"}, lambda talk: talk.reminder("a")),
    "command": ({"command": "/a", "output": "b"}, lambda talk: talk.command("/a", "b")),
    "subagent": ({"subagent": "a", "answer": "b"}, lambda talk: talk.sidechain("a", "b")),
    "system": ({"system": "a", "fields": {"x": 1}}, lambda talk: talk.system("a", x=1)),
    "attachment": ({"attachment": "a", "fields": {"x": 1}}, lambda talk: talk.attachment("a", x=1)),
    "compact": ({"compact": "a"}, lambda talk: talk.compact("a")),
    "api_error": ({"api_error": "a"}, lambda talk: talk.api_error("a")),
    "interrupted": ({"interrupted": "tool"}, lambda talk: talk.interrupted(for_tool=True)),
    "raw": ({"raw": "a\n"}, lambda talk: talk.raw(b"a\n")),
}


def _entry(fields: dict[str, Any]) -> Entry:
    return KINDS[next(iter(fields))](**fields)


def test_every_entry_tells_what_the_builder_would() -> None:
    assert set(ONE_OF_EACH) | {"rewind"} == set(KINDS)
    for fields, call in ONE_OF_EACH.values():
        by_hand = Talk()
        by_hand.user("before")
        call(by_hand)
        by_hand.user("behind")
        assert tell([User("before"), _entry(fields), User("behind")]).bytes() == by_hand.bytes(), fields


def test_a_rewind_takes_entries_back_and_a_second_one_counts_on_the_line_that_is_left() -> None:
    story = [User("a"), User("b"), User("c"), Rewind(2), User("d"), Rewind(2), User("e")]
    told = tell(story)
    assert told.said == [("user", "e")]
    assert sorted(text for _, text in told.abandoned) == ["a", "b", "c", "d"]
    assert tell([*story[:5]]).said == [("user", "a"), ("user", "d")]
