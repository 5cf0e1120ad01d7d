"""Whose word a text is: runtime or person, startup or talk, sent or not, queued or read."""

import json
from pathlib import Path

import pytest
from oracle_talk import Talk, result, texts, tool

from harness.oracle.settings import Settings
from harness.oracle.speech import said
from harness.oracle.tags import TAGS, is_only_blocks, leading_blocks, raw_length

REMINDER = "<system-reminder>keep it short</system-reminder>"
CHANNEL = '<channel source="companion" chat_id="me">\n在吗\n</channel>'
REPLY = "mcp__companion__reply"


@pytest.mark.parametrize("tag", TAGS)
def test_one_block_of_each_tag_beside_a_word_leaves_the_word(tmp_path: Path, tag: str) -> None:
    talk = Talk()
    block = f"<{tag}>noise</{tag}>"
    talk.user([{"type": "text", "text": block}, {"type": "text", "text": "词"}])
    talk.assistant("好")
    talk.user(block)
    talk.user(f"说说 {block}")
    assert texts(said(talk.write(tmp_path)).utterances) == ["词", "好", f"说说 {block}"]


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("<heartbeat>a</heartbeat>", True),
        (" \n<heartbeat>a</heartbeat>\n\n<command-name>/x</command-name> ", True),
        ("<heartbeat><heartbeat>a</heartbeat></heartbeat>", True),
        ("<heartbeat><heartbeat>a</heartbeat>", False),
        ("<heartbeat>a</heartbeat></heartbeat>", False),
        ("<heartbeat>a</heartbeat>.", False),
        ("<heartbeat>a", False),
        ("<Heartbeat>a</Heartbeat>", False),
        ('<heartbeat at="09:00">a</heartbeat>', True),
        ("<heartbeats>a</heartbeats>", False),
        ("<channel>a</channel>", False),
        ("", False),
    ],
)
def test_nothing_but_closed_blocks(text: str, only: bool) -> None:
    assert is_only_blocks(text) is only


def test_leading_blocks_begin_at_the_very_start() -> None:
    assert leading_blocks(f"x {REMINDER}") == []
    assert [text for text, _, _ in leading_blocks(f" {REMINDER}x")] == ["system-reminder"]
    assert [text for text, _, _ in leading_blocks(f"{REMINDER}\n<heartbeat>a</heartbeat> x")] == [
        "system-reminder",
        "heartbeat",
    ]


def test_a_cut_counts_characters_of_the_text_and_bytes_of_the_token() -> None:
    inner = rb"\ud83d\ude00\ud83d\u0041\\\"" + "一x".encode()
    assert json.loads(b'"' + inner + b'"') == '😀\ud83dA\\"一x'
    assert [raw_length(inner, count) for count in range(8)] == [0, 12, 18, 24, 26, 28, 31, 32]


def test_meta_rows_speak_only_in_an_envelope(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("a long skill body", isMeta=True)
    talk.user(CHANNEL, isMeta=True)
    talk.user([{"type": "text", "text": REMINDER}, {"type": "text", "text": CHANNEL}], isMeta=True)
    talk.user(f"see {CHANNEL}", isMeta=True)
    talk.assistant("在")
    spoken = said(talk.write(tmp_path))
    assert [(q.origin, q.text) for q in spoken.utterances] == [
        ("channel", CHANNEL),
        ("channel", CHANNEL),
        ("speech", "在"),
    ]
    assert spoken.runtime == ()


def test_tool_traffic_thinking_and_sub_agents_are_silent(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("看看")
    talk.assistant({"type": "thinking", "thinking": "t"}, tool("c1", text="secret"))
    talk.user([result("c1", "found"), {"type": "text", "text": "停"}])
    talk.user("side", isSidechain=True)
    talk.assistant("side answer", isSidechain=True)
    talk.row("system", content="hook said", parent="row-3")
    talk.row("future-kind", message={"role": "user", "content": "text of an unknown kind"})
    talk.assistant("停了")
    assert texts(said(talk.write(tmp_path)).utterances) == ["看看", "停", "停了"]


def test_a_text_beside_a_result_is_speech_whatever_the_shape(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("跑")
    talk.user("found", toolUseResult="found")
    talk.user([{"type": "text", "text": "found too"}], toolUseResult={"stdout": "x"})
    talk.user([result("c1"), {"type": "text", "text": "停"}], toolUseResult="ok")
    assert texts(said(talk.write(tmp_path)).utterances) == ["跑", "found", "found too", "停"]


def test_parts_keep_their_order_and_say_how_they_were_sent(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("说")
    talk.assistant(tool("c1", REPLY, chat_id=7, text="先"), "后", tool("c2", REPLY, chat_id=8, text="别人"))
    talk.user([result("c1")])
    talk.assistant(tool("c3", REPLY, chat_id=7, text="没发出"))
    talk.user([result("c3", is_error=True)])
    talk.assistant(tool("c4", REPLY, chat_id=7, message="other argument"), tool("c5", "mcp__x__reply", text="x"))
    source = talk.write(tmp_path)
    everyone = said(source)
    assert [(q.origin, q.text) for q in everyone.utterances[1:]] == [
        ("reply", "先"),
        ("speech", "后"),
        ("reply", "别人"),
    ]
    assert texts(everyone.unsent) == ["没发出"]
    assert everyone.warnings == {"unsent-reply"}
    private = said(source, Settings(private_lines=("7",)))
    assert texts(private.utterances) == ["说", "先", "后"]
    assert texts(private.elsewhere) == ["别人"]


def test_what_the_runtime_wrote_without_a_tag(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一")
    talk.assistant("API Error: 529", isApiErrorMessage=True)
    talk.assistant("No response requested.")
    talk.assistant("made up by the program", model="<synthetic>", isApiErrorMessage=False)
    talk.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    talk.user("[Request interrupted by user] was on my screen")
    talk.assistant("(no content)")
    spoken = said(talk.write(tmp_path))
    assert texts(spoken.utterances) == [
        "一",
        "[Request interrupted by user] was on my screen",
        "(no content)",
    ]
    assert len(spoken.runtime) == 4
    assert spoken.warnings == {"runtime-text"}


def test_a_summary_is_carried_only_without_the_talk_it_sums_up(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("they talked", isCompactSummary=True)
    talk.assistant("接着来")
    talk.user("they talked on", isCompactSummary=True)
    talk.user("好")
    spoken = said(talk.write(tmp_path))
    assert texts(spoken.summaries) == ["they talked"]
    assert texts(spoken.runtime) == ["they talked on"]
    assert (texts(spoken.utterances), spoken.turns) == (["接着来", "好"], 2)


def test_blank_texts_are_nothing(tmp_path: Path) -> None:
    talk = Talk()
    talk.user(" \n\t")
    talk.user([{"type": "text", "text": ""}, {"type": "text", "text": "\b\f"}])
    talk.assistant("\u3000")
    assert texts(said(talk.write(tmp_path)).utterances) == ["\b\f"]


def test_startup_is_cut_at_token_level_and_white_space_stays(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("<command-name>/model</command-name>")
    talk.user(REMINDER, isMeta=True)
    talk.user(f"{REMINDER}\n<heartbeat>b</heartbeat>\n\n第一句 {REMINDER}")
    talk.assistant("听到")
    talk.user(f"{REMINDER} 第二句")
    source = talk.write(tmp_path)
    spoken = said(source)
    assert texts(spoken.startup) == [REMINDER, REMINDER]
    assert texts(spoken.utterances) == [f"\n\n第一句 {REMINDER}", "听到", f"{REMINDER} 第二句"]
    first = spoken.utterances[0]
    assert source.read_bytes()[first.offset : first.offset + first.length] == first.token[1:-1]
    thawed = said(source, Settings(freeze_startup_snapshot=False))
    assert (thawed.startup, texts(thawed.utterances)) == ((), texts(spoken.utterances))


def test_what_is_no_user_row_of_a_person_brings_no_package(tmp_path: Path) -> None:
    talk = Talk()
    talk.queued(REMINDER)
    talk.user(f"{REMINDER} they talked", isCompactSummary=True)
    talk.user("第一句")
    spoken = said(talk.write(tmp_path))
    assert (spoken.startup, texts(spoken.utterances)) == ((), ["第一句"])
    assert texts(spoken.summaries) == [f"{REMINDER} they talked"]


@pytest.mark.parametrize("first", ["channel", "assistant", "envelope-inside"])
def test_real_speech_first_leaves_no_package(tmp_path: Path, first: str) -> None:
    talk = Talk()
    if first == "channel":
        talk.user(CHANNEL, isMeta=True)
    elif first == "assistant":
        talk.assistant("我先说")
    else:
        talk.user(REMINDER + CHANNEL, isMeta=True)
    talk.user(REMINDER, isMeta=True)
    talk.user(f"{REMINDER} 后来")
    spoken = said(talk.write(tmp_path))
    assert spoken.startup == ()
    assert texts(spoken.utterances)[1:] == [f"{REMINDER} 后来"]


def test_turns_and_the_open_tail(tmp_path: Path) -> None:
    talk = Talk()
    talk.assistant("开场")
    talk.user("一")
    talk.user("二")
    talk.assistant("答")
    talk.user(REMINDER, isMeta=True)
    talk.assistant("又答")
    talk.user("没人答")
    talk.queue("enqueue", content="也没人读")
    source = talk.write(tmp_path)
    assert said(source).turns == 3
    assert texts(said(source).utterances)[-2:] == ["没人答", "也没人读"]
    closed = said(source, Settings(include_open_tail=False))
    assert (closed.turns, texts(closed.utterances)) == (2, ["开场", "一", "二", "答", "又答"])


def test_only_an_open_tail_is_left_out(tmp_path: Path) -> None:
    talk = Talk()
    closing = Settings(include_open_tail=False)
    assert said(talk.write(tmp_path), closing).turns == 0
    talk.user("问")
    talk.assistant("答")
    assert texts(said(talk.write(tmp_path), closing).utterances) == ["问", "答"]


def _queued(tmp_path: Path, *steps: str) -> list[str]:
    """`+text` enqueue, `-` dequeue, `~text` remove, `~` remove without a text, `@text` attachment."""
    talk = Talk()
    talk.user("跑")
    for step in steps:
        if step[0] == "+":
            talk.queue("enqueue", content=step[1:])
        elif step[0] == "-":
            talk.queue("dequeue")
        elif step[0] == "~":
            talk.queue("remove", **({"content": step[1:]} if step[1:] else {}))
        else:
            talk.queued(step[1:])
    return [q.text for q in said(talk.write(tmp_path)).utterances[1:]]


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        (["+a", "+b"], ["a", "b"]),
        (["+a", "+b", "-"], ["b"]),
        (["-", "+a"], ["a"]),
        (["+a", "~a"], []),
        (["+a", "+a", "~a"], ["a"]),
        (["+a", "@a", "~a"], ["a"]),
        (["+a", "~a", "@a"], ["a"]),
        (["+a", "+a", "~a", "@a"], ["a", "a"]),
        (["~a", "+a", "@a"], ["a"]),
        (["+a", "+b", "~b"], ["a"]),
        (["+a", "~", "@z"], ["z"]),
        (["+a", "+b", "~", "@b", "-"], ["b"]),
        (["+a", "+b", "@b", "~"], ["b", "a"]),
        (["+a", "+b", "~", "@b"], ["b", "a"]),
        (["+a", "+b", "~"], ["b"]),
        (["+a", "+b", "+c", "~", "~", "@b", "@c"], ["b", "c", "a"]),
        (["+/clear", "+/not a command", "+a /b"], ["/not a command", "a /b"]),
        (["+<task-notification>x</task-notification>", "+ "], []),
    ],
)
def test_queued_and_never_read(tmp_path: Path, steps: list[str], left: list[str]) -> None:
    assert _queued(tmp_path, *steps) == left


def test_a_queued_picture_keeps_its_text_and_a_command_is_none(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("跑")
    talk.queued([{"type": "image"}, {"type": "text", "text": "看图"}])
    talk.queued("/clear", mode="command")
    talk.queued(REMINDER)
    assert [(q.origin, q.text) for q in said(talk.write(tmp_path)).utterances[1:]] == [("queued", "看图")]


def test_the_mark_decides_and_the_text_is_not_looked_at(tmp_path: Path) -> None:
    talk = Talk()
    blocks = [{"type": "text", "text": text} for text in (REMINDER, "stamped", REMINDER, "词", "sum")]
    words = ["startup", "stamp", "speech", "queued", "runtime"]
    talk.user(blocks, threadrebuild=words)
    talk.user([{"type": "text", "text": REMINDER}], threadrebuild=["no such word"])
    talk.user([{"type": "text", "text": REMINDER}], threadrebuild=["speech", "speech"])
    spoken = said(talk.write(tmp_path))
    assert [(q.origin, q.text) for q in spoken.utterances] == [("speech", REMINDER), ("queued", "词")]
    assert texts(spoken.startup) == [REMINDER]
