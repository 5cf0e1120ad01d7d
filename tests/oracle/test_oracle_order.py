"""The order of talk: links, bridges, nodes, forks and what stands beside the chain."""

import itertools
from pathlib import Path

from oracle_talk import Talk, result, texts, tool

from harness.oracle.links import Member, link
from harness.oracle.order import order_of_talk
from harness.oracle.speech import Said, said


def _said(talk: Talk, tmp_path: Path) -> Said:
    return said(talk.write(tmp_path))


def _fork(tmp_path: Path, *, beside: str) -> Said:
    """One parent, and after it a first branch with words of its own, then `beside` and the last branch."""
    talk = Talk()
    talk.user("起")
    answer = talk.assistant("答")
    talk.user("旧问", parent=answer)
    talk.assistant("旧答")
    if beside == "human":
        talk.user("新问", parent=answer)
    elif beside == "queued":
        talk.queued("新问", parent=answer)
    elif beside == "text-with-result":
        talk.user([result("c1"), {"type": "text", "text": "新问"}], parent=answer)
    elif beside == "behind-traces":
        trace = talk.row("system", parent=answer)
        trace = talk.user([result("c1")], parent=trace)
        talk.user("新问", parent=trace)
    elif beside == "same-words":
        talk.user("旧问", parent=answer)
    elif beside == "dangling":
        talk.user("新问", parent="nowhere")
    talk.assistant("新答")
    return _said(talk, tmp_path)


def test_two_human_messages_after_one_parent_are_a_rewind(tmp_path: Path) -> None:
    for beside in ("human", "behind-traces"):
        spoken = _fork(tmp_path, beside=beside)
        assert texts(spoken.utterances) == ["起", "答", "新问", "新答"], beside
        assert texts(spoken.abandoned) == ["旧问", "旧答"]
        assert spoken.warnings == {"fork"}


def test_the_same_words_said_again_after_a_rewind_are_another_message(tmp_path: Path) -> None:
    spoken = _fork(tmp_path, beside="same-words")
    assert texts(spoken.utterances) == ["起", "答", "旧问", "新答"]
    assert texts(spoken.abandoned) == ["旧问", "旧答"]


def test_what_makes_no_fork_is_carried_at_its_place_in_the_file(tmp_path: Path) -> None:
    for beside in ("queued", "text-with-result"):
        spoken = _fork(tmp_path, beside=beside)
        assert texts(spoken.utterances) == ["起", "答", "旧问", "旧答", "新问", "新答"], beside
        assert (spoken.abandoned, spoken.warnings) == ((), frozenset())


def test_a_broken_link_is_bridged_to_the_row_before(tmp_path: Path) -> None:
    spoken = _fork(tmp_path, beside="dangling")
    assert texts(spoken.utterances) == ["起", "答", "旧问", "旧答", "新问", "新答"]
    assert spoken.warnings == {"dangling-parent"}


def test_a_bridge_never_makes_a_fork_even_behind_traces(tmp_path: Path) -> None:
    talk = Talk()
    first = talk.assistant("一", tool("t"))
    talk.user("二")
    talk.assistant("三")
    talk.row("progress", parent=first)
    talk.row("system", parent=None)
    talk.user("四")
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["一", "二", "三", "四"]
    assert spoken.warnings == {"extra-root"}


def test_a_root_is_extra_only_behind_talk_that_is_not_its_own(tmp_path: Path) -> None:
    talk = Talk()
    talk.row("system", parent=None)
    talk.assistant("答", parent="row-3")
    talk.user("问", parent=None)
    talk.assistant("再答", parent="row-2")
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["问", "答", "再答"]
    assert spoken.warnings == frozenset()


def test_a_compaction_boundary_is_no_extra_root_and_no_rewind(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("旧")
    talk.assistant("旧答")
    talk.row("system", parent=None, subtype="compact_boundary")
    talk.user("sum", isCompactSummary=True)
    talk.user("新")
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["旧", "旧答", "新"]
    assert spoken.warnings == {"runtime-text"}


def test_a_boundary_with_a_broken_link_is_reported(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("旧")
    talk.row("system", parent="gone", subtype="compact_boundary")
    talk.user("新")
    assert _said(talk, tmp_path).warnings == {"dangling-parent"}


def test_a_file_that_begins_in_the_middle_has_no_dangling_parent(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一", parent="not here")
    talk.assistant("二")
    assert _said(talk, tmp_path).warnings == frozenset()


def test_a_circle_breaks_at_the_row_that_stands_first(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("零")
    talk.user("一", parent="row-4")
    talk.assistant("二")
    talk.user("三")
    talk.assistant("四")
    talk.user("自", parent="row-6")
    assert texts(_said(talk, tmp_path).utterances) == ["零", "一", "二", "三", "四", "自"]


def test_rows_of_one_message_are_one_node(tmp_path: Path) -> None:
    talk = Talk()
    question = talk.user("问")
    talk.assistant("甲", message_id="m", parent=question)
    call = talk.assistant(tool("c1"), message_id="m")
    talk.user([result("c1")])
    talk.assistant("乙", message_id="m", parent=question)
    talk.assistant("丙", message_id="m", parent=call)
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["问", "甲", "乙", "丙"]
    assert len({quote.node for quote in spoken.utterances[1:]}) == 1
    assert spoken.warnings == frozenset()


def test_an_id_seen_before_starts_a_new_node_elsewhere(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("问")
    talk.assistant("甲", message_id="m")
    talk.user("又问")
    talk.assistant("乙", message_id="m")
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["问", "甲", "又问", "乙"]
    assert len({quote.node for quote in spoken.utterances}) == 4


def test_two_assistant_messages_after_one_parent_are_a_rewind(tmp_path: Path) -> None:
    talk = Talk()
    question = talk.user("问")
    talk.assistant("旧", message_id="m1")
    talk.assistant("新", message_id="m2", parent=question)
    spoken = _said(talk, tmp_path)
    assert (texts(spoken.utterances), texts(spoken.abandoned)) == (["问", "新"], ["旧"])


def test_marks_and_errors_make_no_fork(tmp_path: Path) -> None:
    talk = Talk()
    question = talk.user("问")
    talk.assistant("API Error", "two blocks", isApiErrorMessage=True)
    talk.assistant("No response requested.", parent=question)
    answer = talk.assistant("答", parent=question)
    talk.user("[Request interrupted by user]")
    talk.user("再问", parent=answer)
    spoken = _said(talk, tmp_path)
    assert (texts(spoken.utterances), spoken.abandoned) == (["问", "答", "再问"], ())
    assert spoken.warnings == {"runtime-text"}


def test_of_branches_without_the_leaf_the_last_begun_is_carried(tmp_path: Path) -> None:
    talk = Talk()
    top = talk.user("起")
    attached = talk.queued("插话", parent=top)
    talk.assistant("甲", parent=top, message_id="m1")
    talk.assistant("乙", parent=top, message_id="m2")
    talk.user("叶", parent=attached)
    spoken = _said(talk, tmp_path)
    assert texts(spoken.utterances) == ["起", "插话", "乙", "叶"]
    assert texts(spoken.abandoned) == ["甲"]


def test_talk_beside_the_chain_stands_after_its_parent_and_before_what_is_later(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一")
    first = talk.assistant("二", tool("c1"), tool("c2"))
    talk.user([result("c1"), {"type": "text", "text": "旁"}], parent=first)
    talk.queued("旁二")
    talk.user([result("c2")], parent=first)
    talk.assistant("三")
    assert texts(_said(talk, tmp_path).utterances) == ["一", "二", "旁", "旁二", "三"]


def test_one_uuid_twice(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一", uuid="a")
    talk.user("二", uuid="b")
    talk.assistant("答", uuid="c")
    talk.user("一", uuid="a", parent="c")
    talk.user("二改", uuid="b", parent=None)
    source = talk.write(tmp_path)
    spoken = said(source)
    assert texts(spoken.utterances) == ["一", "二改", "答"]
    assert [quote.line for quote in spoken.utterances] == [1, 5, 3]
    assert spoken.warnings == {"duplicate-uuid"}


def test_rows_without_uuid_are_heard(tmp_path: Path) -> None:
    path = tmp_path / "source.jsonl"
    path.write_text(
        '{"type":"user","message":{"role":"user","content":"一"}}\n'
        '{"type":"assistant","message":{"role":"assistant","content":"二"}}\n'
    )
    assert texts(said(path).utterances) == ["一", "二"]


def test_a_parent_among_sub_agents_does_not_cut_the_talk(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一")
    talk.user("side", parent=None, isSidechain=True)
    talk.assistant("side", isSidechain=True)
    talk.assistant("二")
    spoken = _said(talk, tmp_path)
    assert (texts(spoken.utterances), spoken.warnings) == (["一", "二"], frozenset())


def test_hostile_shapes_raise_nothing(tmp_path: Path) -> None:
    path = tmp_path / "source.jsonl"
    shapes = [
        "null",
        "7",
        '"x"',
        "[]",
        "{}",
        "true",
        '[{"type":"text"}]',
        '[{"type":"text","text":5}]',
        "[null]",
    ]
    keys = ("message", "attachment", "content", "uuid", "parentUuid", "threadrebuild", "version", "isMeta")
    lines = [
        f'{{"type":"{kind}","uuid":"u{place}-{kind}-{key}","{key}":{shape}}}'
        for kind in ("user", "assistant", "attachment", "queue-operation", "system")
        for key in keys
        for place, shape in enumerate(shapes)
    ]
    lines += [f'{{"type":"user","message":{{"role":"user","content":{shape}}}}}' for shape in shapes]
    lines += [f'{{"type":"queue-operation","operation":"remove","content":{shape}}}' for shape in shapes]
    lines += [
        f'{{"type":"assistant","message":{{"content":[{{"type":"tool_use","name":"mcp__companion__reply",'
        f'"id":{shape},"input":{{"text":{shape},"chat_id":{shape}}}}}]}}}}'
        for shape in shapes
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert set(texts(said(path).utterances)) == {"x"}


def test_every_shape_of_four_rows_is_carried_or_abandoned_once_and_has_a_top() -> None:
    parents = (None, "missing", "0", "1", "2", "3")
    for shape in itertools.product(parents, repeat=4):
        for ids in itertools.product((None, "m"), repeat=4):
            members = [
                Member(str(place), parent, "assistant" if name else "user", True, True, name)
                for place, (parent, name) in enumerate(zip(shape, ids, strict=True))
            ]
            links = link(members)
            assert all(len(links.above(place)) <= 4 for place in range(4))
            order = order_of_talk(members)
            assert sorted(order.talk + order.abandoned) == [0, 1, 2, 3], shape
            assert 3 in order.talk
