"""A window change on the wire: every block counts, and is the same however a version wraps it."""

from typing import Any

from harness.lab.window import sent_blocks

CALL = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "echo", "more": [1, 2]}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def result(content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "t", "content": content, **fields}


def spelled(*blocks: Any) -> list[str]:
    return [each.text for each in sent_blocks([{"role": "user", "content": list(blocks)}])]


def test_a_text_is_the_same_alone_and_in_a_list() -> None:
    assert [each.text for each in sent_blocks([{"role": "user", "content": "a  b"}])] == ["a  b"]
    assert spelled({"type": "text", "text": "a  b", "cache_control": {"type": "ephemeral"}}) == ["a  b"]
    assert spelled() == [""], "an empty message is seen as well"


def test_a_result_is_the_same_in_both_shapes_and_with_what_a_version_adds() -> None:
    plain = spelled(result("out"))
    assert spelled(result([{"type": "text", "text": "out"}], is_error=False)) == plain
    assert spelled(result("out ")) != plain
    assert spelled(result([{"type": "text", "text": "out"}, {"type": "text", "text": ""}])) != plain


def test_every_part_of_a_call_and_of_a_thought_counts() -> None:
    for block, changes in (
        (CALL, [{"id": "u"}, {"name": "Read"}, {"input": {"command": "echo", "more": [2, 1]}}]),
        (THOUGHT, [{"thinking": "hm "}, {"signature": "c2lo"}]),
    ):
        assert spelled({**block, "cache_control": {}}) == spelled(block)
        for change in changes:
            assert spelled({**block, **change}) != spelled(block)


def test_a_block_of_an_unknown_kind_counts_as_it_is() -> None:
    assert spelled({"type": "new", "a": 1}) != spelled({"type": "new", "a": 2})
