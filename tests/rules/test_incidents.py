"""Incidents in what a carry takes along: each as it happened, with the part beside it that shows it can be seen.

The stories of the same incidents, for people to read, are scenarios.
"""

from pathlib import Path

from carrying import Carried, carry
from weighing import small_talk, weigh

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk

TOOL = "mcp__companion__reply"


def texts_of(carried: Carried) -> list[str]:
    """What the candidate says was said, without roles."""
    return [text for _, text in carried.said]


def expect_words_are_no_blocks(folder: Path) -> Carried:
    """A small talk that was typed: none of its words is taken for an injected block."""
    carried = carry(small_talk(), folder)
    expect("TR-023", not carried.plan.source.startup, "words without a tag are no block that was put in")
    return carried


@proves("TR-152")
def test_two_exceptions_widen_the_allow_list_and_no_third(tmp_path: Path) -> None:
    expect_words_are_no_blocks(tmp_path / "typed")
    talk = Talk()
    asked = talk.channel("账整理好了吗")
    talk.reminder("该休息了")
    talk.meta("先读目录，再算两遍")
    talk.tool("Bash", {"command": "sum ledger"}, result="42 rows")
    talk.queued("房租单列")
    talk.reply("单列了")
    talk.tool("mcp__companion__react", {"chat_id": "me", "text": "赞"}, result="ok")
    talk.attachment("hook_success", content="钩子的话")
    carried = carry(talk, tmp_path / "channel")
    wanted = [("user", asked), ("user", "房租单列"), ("assistant", "单列了")]
    expect_equal("TR-152", carried.said, wanted, "what is let through: channel, queue, and the reply to the user")


@proves("TR-164")
def test_a_talk_over_a_channel_arrives_on_both_sides_sentence_by_sentence(tmp_path: Path) -> None:
    typed = expect_words_are_no_blocks(tmp_path / "typed")
    expect("TR-007", len(typed.said) == 2, "what is typed is not taken for what the host put in")
    talk = Talk()
    talk.channel("薄荷浇了没有")
    talk.reply("浇了，早上七点。")
    talk.channel("那罗勒呢")
    talk.tool("Bash", {"command": "sensor basil"}, result="11%")
    talk.channel("不急，你先查", idle=False)
    talk.reply("罗勒有点干。", tool="mcp__telegram__reply")
    talk.channel("好，明早补水")
    carried = carry(talk, tmp_path / "channel")
    expect("TR-180", carried.plan.source.ledger.bytes["attachment"] == 0, "a queued message is no injected attachment")
    users = ["薄荷浇了没有", "那罗勒呢", "不急，你先查", "好，明早补水"]
    replies = ["浇了，早上七点。", "罗勒有点干。"]
    for role, sentences in (("user", users), ("assistant", replies)):
        said = [text for who, text in carried.said if who == role]
        found = [sum(sentence in text for text in said) for sentence in sentences]
        expect_equal("TR-164", found, [1] * len(sentences), f"times that each sentence of the {role} arrives")
    expect_equal("TR-164", carried.summary["selected_turns"], 3, "turns that were spoken")


@proves("TR-175")
def test_words_in_tool_traffic_are_reported_and_not_attributed(tmp_path: Path) -> None:
    said = Talk()
    said.channel("信写好了吗")
    said.reply("写好了，在这里")
    usual = carry(said, tmp_path / "said")
    expect("TR-175", "reply-shape" not in usual.codes, "words in the usual field are placed")
    expect("TR-030", "写好了，在这里" in texts_of(usual), "the tool is a reply")
    talk = Talk()
    talk.channel("信写好了吗")
    talk.tool("Write", {"file_path": "/letters/07.md", "content": "海边的第一个冬天"}, result="written")
    talk.tool(TOOL, {"chat_id": "me", "file": "/letters/07.md"}, result="sent")
    talk.tool("Read", {"file_path": "/letters/07.md"}, result="海边的第一个冬天")
    carried = carry(talk, tmp_path / "files")
    expect("TR-175", "reply-shape" in carried.codes, "a reply whose words lie elsewhere is reported")
    expect_equal(
        "TR-175", [role for role, _ in carried.said], ["user"], "nobody is given words, or a path, to have said"
    )


@proves("TR-176")
def test_a_window_ten_minutes_old_is_told_to_measure_and_not_to_rebuild(tmp_path: Path) -> None:
    plain = weigh(small_talk(), tmp_path)
    expect("TR-053", not plain.reasons, "a small talk is under every budget, and shows no image")
    fresh = Talk()
    fresh.user("早")
    fresh.meta("x" * 998)
    fresh.assistant("早")
    dirty = weigh(fresh, tmp_path, dirty_budget_bytes=1000)
    expect_equal("TR-055", dirty.total_bytes, 1000, "bytes of run traces")
    expect("TR-053", dirty.notes or dirty.reasons, "the budget is reached")
    expect_equal("TR-176", (dirty.should_rebuild, dirty.reasons), (False, ()), "advice to a fresh window")
    told = any("measure this household's noise" in note for note in dirty.notes)
    expect("TR-176", told, "the household is told to calibrate its budget")
    fresh.tool("Bash", {"command": "ls"}, result="y" * 998)
    worked = weigh(fresh, tmp_path, dirty_budget_bytes=1000)
    expect("TR-176", worked.should_rebuild, "work that reaches the budget by itself is a reason")
