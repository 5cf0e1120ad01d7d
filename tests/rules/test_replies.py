"""What the assistant says through a tool: speech where the user heard it, and nothing where nobody or another did."""

from pathlib import Path
from typing import Any

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk

REPLIES = (
    "mcp__companion__reply",
    "mcp__my-companion-2__reply",
    "mcp__plugin_companion_companion__reply",
    "mcp__telegram__reply",
    "mcp__plugin_telegram_telegram__reply",
)
NO_REPLIES = (
    "mcp__companion__react",
    "mcp__companion__group_send",
    "mcp__companion__send_attachment",
    "mcp__companion__reply_all",
    "mcp__companion__edit_message",
    "mcp__telegram__react",
    "mcp__telegram__download_attachment",
    "mcp__slack__reply",
    "mcp__companion_reply",
    "companion__reply",
    "Mcp__companion__reply",
    "mcp__Companion__reply",
    "reply",
)


def texts_of(carried: Carried) -> list[str]:
    """What the candidate says was said, without roles."""
    return [text for _, text in carried.said]


def said_through(tool: str, arguments: dict[str, Any], **result: Any) -> Talk:
    """A question over a channel, answered through a tool."""
    talk = Talk()
    talk.channel("在吗")
    talk.tool(tool, arguments, **{"result": "sent"} | result)
    return talk


def expect_default_pattern_harms_nobody(carried: Carried) -> None:
    """Nothing is refused for signs of poison in a talk without any."""
    expect("TR-075", carried.summary["reason"] != "poison", "the talk shows no sign of poison")


@proves("TR-029")
def test_what_is_said_over_a_channel_is_speech(tmp_path: Path) -> None:
    for tool in REPLIES:
        talk = Talk()
        asked = talk.channel("在吗")
        talk.reply("在,你说", tool=tool)
        carried = carry(talk, tmp_path / tool)
        expect_default_pattern_harms_nobody(carried)
        expect_equal("TR-029", carried.said, [("user", asked), ("assistant", "在,你说")], f"words with {tool}")
        expect_equal("TR-029", carried.summary["open_tail_turns"], 0, "turns without an answer")


@proves("TR-029")
def test_the_bytes_of_the_argument_are_carried(tmp_path: Path) -> None:
    for number, token in enumerate((r'"\u5728\/\n\"\ud83d\ude00"', '"在 😀"', r'"\\u4f60\t好"')):
        talk = Talk()
        talk.channel("在吗")
        talk.reply(text_token=token)
        carried = carry(talk, tmp_path / str(number))
        expect_default_pattern_harms_nobody(carried)
        expect_equal("TR-029", [block.token for block in carried.blocks[1:]], [token.encode()], "bytes of the reply")


@proves("TR-030")
def test_only_private_replies_are_speech(tmp_path: Path) -> None:
    for tool in NO_REPLIES:
        talk = said_through(tool, {"chat_id": "me", "text": "大家好"})
        talk.reply("在")
        carried = carry(talk, tmp_path / tool)
        expect("TR-030", "大家好" not in texts_of(carried), f"a call of {tool} is not carried")
        expect("TR-L13", "reply-shape" not in carried.codes, "the reply has the shape of one")
        expect("TR-030", "在" in texts_of(carried), "a private reply is carried")


@proves("TR-031")
def test_text_and_reply_in_one_record_are_both_speech(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": REPLIES[0], "input": {"chat_id": "me", "text": "频道里说的"}}
    before, after = {"type": "text", "text": "终端里说的"}, {"type": "text", "text": "又一句"}
    orders = [[before, call], [call, before], [before, call, after], [call, call | {"id": "t2"}]]
    for number, blocks in enumerate(orders):
        talk = Talk()
        talk.channel("在吗")
        message = {"id": "msg_1", "role": "assistant", "model": "claude-opus-4-8", "content": blocks}
        talk.row(type="assistant", uuid=talk.new_id(), parentUuid=talk.mark(), sessionId=talk.session, message=message)
        carried = carry(talk, tmp_path / str(number))
        source = carried.plan.source
        expect("TR-L17", source.ledger.total() == source.size, "every byte is booked once")
        expect("TR-L03", "other-recipient" not in carried.codes, "without private lines every recipient counts")
        wanted = [block.get("text") or block["input"]["text"] for block in blocks]
        expect_equal("TR-031", texts_of(carried)[1:], wanted, "words of the record")


@proves("TR-L03")
def test_a_reply_to_somebody_else_is_not_carried_and_is_listed(tmp_path: Path) -> None:
    others: list[Any] = ["group-7", "ME", "me ", "", '一"二', 43, None]
    for number, other in enumerate(others):
        talk = said_through(REPLIES[0], {"chat_id": other, "text": "大家好"})
        talk.tool(REPLIES[0], {"chat_id": "me", "text": "在"}, result="sent")
        carried = carry(talk, tmp_path / str(number), private_lines=("me", "42"))
        expect("TR-L03", "大家好" not in texts_of(carried), f"a reply to {other!r} is not carried")
        expect("TR-031", "在" in texts_of(carried), "a reply to the user is carried")
        expect_equal("TR-L03", "other-recipient" in carried.codes, True, "it is listed")
        size = len('"大家好"'.encode())
        expect_equal("TR-L03", carried.summary["ledger"].get("other_recipient"), size, "bytes left behind for it")


@proves("TR-L03")
def test_each_private_line_is_the_user_however_it_is_spelled(tmp_path: Path) -> None:
    lines = ("me", "42", '一"二', "-7", "a\\b")
    for number, recipient in enumerate(["me", "42", 42, '一"二', -7, "a\\b"]):
        talk = said_through(REPLIES[0], {"chat_id": recipient, "text": "在"})
        carried = carry(talk, tmp_path / str(number), private_lines=lines)
        expect_equal("TR-L03", "other-recipient" in carried.codes, False, f"{recipient!r} is somebody else")
        expect("TR-031", "在" in texts_of(carried), "a reply to the user is carried")


@proves("TR-L03")
def test_without_private_lines_all_count_and_one_note_names_them(tmp_path: Path) -> None:
    talk = said_through(REPLIES[0], {"chat_id": "me", "text": "一"})
    talk.tool(REPLIES[0], {"chat_id": "me", "text": "二"}, result="sent")
    talk.tool(REPLIES[3], {"chat_id": "group-7", "text": "三"}, result="sent")
    carried = carry(talk, tmp_path)
    expect_equal("TR-L03", texts_of(carried)[1:], ["一", "二", "三"], "replies")
    notes = [warning for warning in carried.candidate.warnings if warning.code == "reply-recipients"]
    expect_equal("TR-L03", [note.line for note in notes], [0], "lines of notes on recipients: one, on the whole file")
    named = notes[0].detail
    expect("TR-L03", "'me' (2)" in named and "'group-7' (1)" in named, f"{named!r} names both, with counts")
    known = carry(talk, tmp_path / "known", private_lines=("me", "group-7"))
    expect("TR-L03", "reply-recipients" not in known.codes, "no note where the private lines are known")


@proves("TR-L04")
def test_a_reply_whose_call_failed_was_not_said(tmp_path: Path) -> None:
    talk = Talk()
    talk.channel("在吗")
    talk.reply("没送到", error="chat not reachable")
    talk.reply("送到了")
    carried = carry(talk, tmp_path)
    expect("TR-L04", "没送到" not in texts_of(carried), "a reply that failed is not carried")
    expect("TR-031", "送到了" in texts_of(carried), "a reply that arrived is carried")
    expect("TR-L04", "unsent-reply" in carried.codes, "it is listed")
    size = len('"没送到"'.encode())
    expect_equal("TR-L04", carried.summary["ledger"].get("unsent_reply"), size, "bytes left behind for it")
    sent = Talk()
    sent.channel("在吗")
    sent.reply("没送到")
    carried = carry(sent, tmp_path / "sent")
    expect_equal("TR-L04", texts_of(carried)[1:], ["没送到"], "the same reply where the call did not fail")
    expect("TR-L04", not carried.codes & {"unsent-reply", "reply-without-result"}, "nothing is reported")


@proves("TR-L04")
def test_a_failure_that_stands_before_its_call_counts(tmp_path: Path) -> None:
    talk = Talk()
    talk.channel("在吗")
    lines = talk.bytes().splitlines(keepends=True)
    talk.reply("没送到", error="chat not reachable")
    call, result = talk.bytes().splitlines(keepends=True)[len(lines) :]
    talk.reply("送到了")
    last = talk.bytes().splitlines(keepends=True)[len(lines) + 2 :]
    carried = carry(b"".join([*lines, result, call, *last]), tmp_path)
    expect("TR-L04", "没送到" not in texts_of(carried), "a reply that failed is not carried")
    expect("TR-L04", "unsent-reply" in carried.codes, "it is listed")


@proves("TR-L04")
def test_a_reply_without_a_result_is_carried_and_noted(tmp_path: Path) -> None:
    talk = Talk()
    talk.channel("在吗")
    talk.tool(REPLIES[0], {"chat_id": "me", "text": "在"})
    carried = carry(talk, tmp_path)
    expect_equal("TR-L04", texts_of(carried)[1:], ["在"], "a reply without a result")
    expect("TR-L04", "reply-without-result" in carried.codes, "it is noted")


@proves("TR-L13")
def test_a_reply_of_another_shape_is_reported_and_not_guessed(tmp_path: Path) -> None:
    plain = carry(said_through(REPLIES[0], {"chat_id": "me", "text": "在"}), tmp_path / "plain")
    expect("TR-L13", "reply-shape" not in plain.codes, "a reply with a text is not reported")
    expect("TR-030", "在" in texts_of(plain), "and carried")
    shapes: list[dict[str, Any]] = [
        {"chat_id": "me", "message": "在"},
        {"chat_id": "me", "text": ["在"]},
        {"chat_id": "me", "text": {"text": "在"}},
        {"chat_id": "me", "Text": "在"},
        {"chat_id": "me", "text": None, "body": "在"},
        {"chat_id": "me", "text": 7},
        {"chat_id": "me", "text": ""},
        {"chat_id": "me", "text": " \n"},
        {"file": "/tmp/在.txt"},
        {},
    ]
    for number, arguments in enumerate(shapes):
        carried = carry(said_through(REPLIES[0], arguments), tmp_path / str(number))
        expect("TR-L13", "reply-shape" in carried.codes, f"a reply with {arguments} is reported")
        expect_equal("TR-L13", texts_of(carried)[1:], [], f"replies taken from {arguments}")


@proves("TR-L13")
def test_a_household_says_where_its_words_live(tmp_path: Path) -> None:
    talk = said_through("mcp__house__say", {"text": "在"})
    unknown = carry(talk, tmp_path / "unknown")
    expect_equal("TR-L13", texts_of(unknown)[1:], [], "words of a tool that is no reply by default")
    known = carry(talk, tmp_path / "known", reply_tools=("mcp__house__*",))
    expect("TR-L13", "reply-shape" not in known.codes, "the configured tool has the shape of a reply")
    expect("TR-030", len(known.said) == 2, "the configured tool speaks")
    expect_equal("TR-L13", texts_of(known)[1:], ["在"], "words of a tool that the household names")
