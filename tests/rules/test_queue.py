"""Input that was typed while the assistant worked: in its place, once, and only where it is somebody's word."""

from pathlib import Path
from typing import Any

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.manifest import read_manifest

VERSIONS = ("2.0.42", "2.1.112", "2.1.199", "2.1.332")


def texts_of(carried: Carried) -> list[str]:
    """What the candidate says was said, without roles."""
    return [text for _, text in carried.said]


def busy_talk(version: str = "2.1.199") -> Talk:
    """A question, and a tool that runs."""
    talk = Talk(version=version)
    talk.user("开始")
    talk.tool("Bash", {"command": "sleep 4"}, result="一")
    return talk


def expect_queue_is_known(carried: Carried) -> None:
    """For checks whose talk has no other attachments: what was queued is not taken for a host's."""
    expect("TR-180", not carried.plan.source.ledger.bytes["attachment"], "what was queued is no host's attachment")


@proves("TR-025")
def test_a_message_sent_during_a_tool_run_stands_in_its_place(tmp_path: Path) -> None:
    for version in VERSIONS:
        talk = busy_talk(version)
        talk.queued("先别删")
        at = talk.mark()
        talk.tool("Bash", {"command": "sleep 5"}, result="二")
        talk.assistant("好")
        talk.user("谢谢")
        carried = carry(talk, tmp_path / version)
        expect_queue_is_known(carried)
        wanted = [("user", "开始"), ("user", "先别删"), ("assistant", "好"), ("user", "谢谢")]
        expect_equal("TR-025", carried.said, wanted, f"words of a talk of {version}")
        item = read_manifest(carried.candidate.path.parent / "manifest.json").items[1]
        row = next(line for line in talk.bytes().decode().splitlines() if f'"uuid":"{at}"' in line)
        expect_equal("TR-025", item.source_uuid, at, "the message's own id")
        expect("TR-025", f'"timestamp":"{item.source_time}"' in row, f"{item.source_time} is the message's own time")


@proves("TR-025")
def test_every_message_of_a_busy_hour_keeps_its_order(tmp_path: Path) -> None:
    talk = busy_talk()
    talk.queued("一")
    talk.queued("二")
    talk.tool("Bash", {"command": "ls"}, result="r")
    talk.channel("三", idle=False)
    talk.assistant("好")
    talk.tool("Bash", {"command": "ls"}, result="r")
    talk.queued("四")
    carried = carry(talk, tmp_path)
    expect_queue_is_known(carried)
    expect_equal("TR-025", carried.said, talk.said, "words")
    expect_equal("TR-025", carried.summary["open_tail_turns"], 1, "open tails: nobody has answered the last one")


@proves("TR-026")
def test_a_message_that_stands_three_times_is_carried_once(tmp_path: Path) -> None:
    for version in VERSIONS:
        for remove_first in (False, True):
            talk = busy_talk(version)
            talk.queued("先别删", remove_first=remove_first)
            talk.assistant("好")
            carried = carry(talk, tmp_path / f"{version}-{remove_first}")
            expect("TR-025", "先别删" in texts_of(carried), "what stands in the attachment is carried")
            expect_equal("TR-026", talk.bytes().decode().count("queue-operation"), 2, "log records in the source")
            expect_equal("TR-026", texts_of(carried).count("先别删"), 1, f"times it is carried from {version}")
            expect_equal("TR-026", texts_of(carried), ["开始", "先别删", "好"], "words")


@proves("TR-026")
def test_a_message_that_was_sent_twice_is_carried_twice(tmp_path: Path) -> None:
    for remove_first in (False, True):
        talk = busy_talk()
        talk.queued("快点", remove_first=remove_first)
        talk.queued("快点", remove_first=remove_first)
        talk.assistant("好")
        carried = carry(talk, tmp_path / str(remove_first))
        expect_equal("TR-026", texts_of(carried), ["开始", "快点", "快点", "好"], "words")


@proves("TR-026")
def test_what_only_the_log_holds_is_carried_where_nobody_took_it_out(tmp_path: Path) -> None:
    talk = busy_talk()
    talk.enqueue("取走的")
    talk.dequeue()
    talk.user("取走的")
    talk.assistant("好")
    talk.enqueue("没人读的")
    carried = carry(talk, tmp_path)
    expect_equal("TR-026", texts_of(carried), ["开始", "取走的", "好", "没人读的"], "words")
    expect("TR-026", "never-read" in carried.codes, "what nobody read is reported")


@proves("TR-027")
def test_only_a_prompt_in_the_queue_is_speech(tmp_path: Path) -> None:
    modes: list[Any] = ["slash", "bash", "task-notification", "Prompt", "prompt ", "", None, True]
    talk = busy_talk()
    for mode in modes:
        talk.queued(f"/clear {mode}", mode=mode)
    talk.queued("先别删")
    talk.queued("/tmp 满了,先清一下")
    talk.assistant("好")
    texts = texts_of(carry(talk, tmp_path))
    expect_equal("TR-027", [text for text in texts if "clear" in text], [], "commands that became speech")
    expect("TR-027", "先别删" in texts, "a queued prompt is carried")
    expect("TR-027", "/tmp 满了,先清一下" in texts, "a queued prompt that begins with a slash is carried")


@proves("TR-027")
def test_a_queued_command_that_was_never_read_is_no_speech(tmp_path: Path) -> None:
    commands = ["/clear", "/compact", "/mcp:list-tools", "/清空", "/", "/clear\n"]
    words = ["/clear 是什么?", "clear", "去 /tmp 看看", "先 /clear", "/tmp/a 和 /tmp/b"]
    talk = busy_talk()
    talk.assistant("好")
    for text in commands + words:
        talk.enqueue(text)
    texts = texts_of(carry(talk, tmp_path))
    expect_equal("TR-027", [text for text in texts if text in commands], [], "commands that became speech")
    expect_equal("TR-027", texts, ["开始", "好", *words], "words that were never read")


@proves("TR-L12")
def test_the_words_of_a_queued_message_with_a_picture_are_speech(tmp_path: Path) -> None:
    talk = busy_talk()
    talk.queued(["看这张图", "左边那只"])
    talk.assistant("看到了")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L12", texts_of(carried), ["开始", "看这张图", "左边那只", "看到了"], "words beside the picture")
    expect("TR-L12", b'"image"' not in carried.raw, "the picture stays behind")


@proves("TR-L12")
def test_a_picture_with_words_that_nobody_read_stands_at_the_end(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}}
    talk = busy_talk()
    talk.assistant("好")
    prompt = [{"type": "text", "text": "看这张图"}, picture, "零散", 7, {"type": "text", "text": 8}]
    talk.row(type="queue-operation", operation="enqueue", content=prompt, sessionId=talk.session)
    carried = carry(talk, tmp_path)
    expect_equal("TR-L12", texts_of(carried), ["开始", "好", "看这张图"], "words")
    expect_equal("TR-L12", carried.summary["open_tail_turns"], 1, "open tails")


@proves("TR-L12")
def test_a_queued_prompt_without_words_is_no_message(tmp_path: Path) -> None:
    prompts: list[Any] = [
        None,
        7,
        {},
        {"text": "在对象里"},
        [],
        [[]],
        ["零散"],
        [{"type": "image", "text": "图上"}],
        " ",
    ]
    talk = busy_talk()
    for prompt in prompts:
        talk.attachment("queued_command", prompt=prompt, commandMode="prompt")
    talk.queued(["有字的"])
    talk.assistant("好")
    expect_equal("TR-L12", texts_of(carry(talk, tmp_path)), ["开始", "有字的", "好"], "words")
