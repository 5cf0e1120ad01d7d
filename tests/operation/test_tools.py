"""The seven tools, through the SDK's own client: four only read, three write, each only with its own word."""

import re
from pathlib import Path

from calling import activated, on_disk, tools_of, use
from mcp_types import TextContent

from harness.expect import expect, expect_equal, proves
from harness.world.night import Night
from threadrebuild.actions import ALLOWED_WITHOUT_ASKING
from threadrebuild.init import next_steps
from threadrebuild.operation.states import State

READING = {
    "thread_rebuild_doctor",
    "thread_rebuild_dirty",
    "thread_rebuild_plan",
    "thread_rebuild_status",
}
WRITING = {
    "thread_rebuild_request": "REBUILD",
    "thread_rebuild_cancel": "CANCEL",
    "thread_rebuild_rollback_request": "ROLLBACK",
}
NEAR_MISSES = ("", " ", "rebuild", "REBUILD ", "CANCEL.", "Rollback", "重建", "REBUILDREBUILD")


def arguments_of(name: str, confirmation: str) -> dict[str, str]:
    """What a writing tool has to be given."""
    return {"confirmation": confirmation} | ({"reason": "夜里换窗"} if name == "thread_rebuild_request" else {})


@proves("TR-131")
def test_there_are_exactly_seven_tools(tmp_path: Path) -> None:
    names = [tool.name for tool in tools_of(Night(tmp_path).house)]
    expect_equal("TR-131", sorted(names), sorted([*READING, *WRITING]), "the tools")


@proves("TR-132")
def test_four_only_read_and_say_so(tmp_path: Path) -> None:
    night = activated(tmp_path)
    for tool in tools_of(night.house):
        expect(
            "TR-132",
            tool.annotations is not None and tool.annotations.read_only_hint == (tool.name in READING),
            f"{tool.name} says whether it only reads: {tool.annotations}",
        )
    before = on_disk(tmp_path)
    for name in sorted(READING):
        answer = use(night.house, name)
        expect_equal("TR-132", bool(answer.is_error), False, f"{name} fails ({answer.content})")
        expect_equal("TR-132", on_disk(tmp_path), before, f"what lies on the disk after {name}")
    use(night.house, "thread_rebuild_rollback_request", confirmation="ROLLBACK")
    expect("TR-132", on_disk(tmp_path) != before, "a tool that writes is seen on the disk")


@proves("TR-132")
def test_reading_leaves_nothing_where_nothing_was(tmp_path: Path) -> None:
    night = Night(tmp_path)
    before = on_disk(tmp_path)
    for name in sorted(READING):
        use(night.house, name)
        expect_equal("TR-132", on_disk(tmp_path), before, f"what lies on the disk after {name}")
    expect("TR-132", not (tmp_path / "state").exists(), "there is no state folder")


@proves("TR-133")
def test_each_writing_tool_takes_its_own_word_only(tmp_path: Path) -> None:
    night = Night(tmp_path)
    before = on_disk(tmp_path)
    for name, word in WRITING.items():
        for wrong in {*NEAR_MISSES, *WRITING.values()} - {word}:
            answer = use(night.house, name, **arguments_of(name, wrong))
            expect("TR-133", answer.is_error and "wrong-word" in _text(answer), f"{name} refuses {wrong!r}: {answer}")
            expect_equal("TR-133", on_disk(tmp_path), before, f"what lies on the disk after {name} with {wrong!r}")
    for name, word in WRITING.items():
        answer = use(night.house, name, **arguments_of(name, word))
        expect("TR-133", "wrong-word" not in _text(answer), f"{name} takes {word}: {answer}")
    expect_equal("TR-133", len(night.house.store.all()), 1, "operations on record")


@proves("TR-122")
def test_only_reading_tools_are_named_as_allowed_without_asking(tmp_path: Path) -> None:
    names = {tool.name for tool in tools_of(Night(tmp_path).house)}
    expect_equal("TR-131", names, READING | WRITING.keys(), "the tools")
    expect_equal("TR-122", set(ALLOWED_WITHOUT_ASKING), READING, "tools that an allow list may name")
    root = Path(__file__).parents[2]
    shipped = [root / "README.md", *(root / "threadrebuild").rglob("*.py")]
    for path in shipped:
        text = path.read_text(encoding="utf-8")
        rules = re.findall(r"mcp__thread-?_?rebuild\w*(?:__\w+|\(|\"|\*)", text)
        allowed = [rule for rule in rules if rule.rpartition("__")[2] not in READING]
        expect_equal("TR-122", allowed, [], f"permission rules in {path.name} for more than reading")
    told = [*shipped[0].read_text(encoding="utf-8").splitlines(), *next_steps(tmp_path / "config.toml")]
    permitting = [line for line in told if "allowed without asking" in line]
    expect_equal("TR-122", len(permitting), 2, "places that tell what may be allowed: the README and init")
    for line in permitting:
        expect_equal("TR-122", set(re.findall(r"thread_rebuild_\w+", line)), READING, f"tools named in {line!r}")


def test_bad_arguments_are_an_error_of_the_tool_and_store_nothing(tmp_path: Path) -> None:
    night = Night(tmp_path)
    before = on_disk(tmp_path)
    for arguments in (
        {},
        {"reason": "r"},
        {"confirmation": "REBUILD"},
        {"reason": "r", "confirm": "REBUILD"},
        {"reason": "r", "confirmation": "REBUILD", "force": True},
        {"reason": 7, "confirmation": "REBUILD"},
        {"reason": "r", "confirmation": None},
        {"reason": "r", "confirmation": ["REBUILD"]},
    ):
        assert use(night.house, "thread_rebuild_request", **arguments).is_error, arguments
        assert on_disk(tmp_path) == before, arguments
    assert use(night.house, "thread_rebuild_status", operation_id="../../etc/passwd").is_error
    assert use(night.house, "thread_rebuild_status", operation_id="abcdef").is_error
    assert use(night.house, "thread_rebuild_status", operation="abcdef").is_error
    assert on_disk(tmp_path) == before


def test_status_is_short_however_long_the_talk_was(tmp_path: Path) -> None:
    night = Night(tmp_path)
    for number in range(300):
        night.talk(lambda talk, number=number: (talk.user(f"第 {number} 句"), talk.assistant("嗯。"))[0])  # type: ignore[misc]
    night.ask_for_rebuild()
    night.end_turn()
    night.world.run()
    answer = use(night.house, "thread_rebuild_status").structured_content
    assert answer is not None
    assert answer["operation"]["state"] == State.ACTIVATED
    assert answer["operation"]["candidate"]["items"] > 600
    assert len(_text(use(night.house, "thread_rebuild_status"))) < 20_000
    assert len(_text(use(night.house, "thread_rebuild_plan"))) < 20_000


def _text(answer: object) -> str:
    content = getattr(answer, "content", [])
    return "\n".join(part.text for part in content if isinstance(part, TextContent))
