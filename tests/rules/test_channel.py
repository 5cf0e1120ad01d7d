"""Messages over a chat channel: the one kind of meta record that is somebody's word, kept in its envelope."""

from pathlib import Path

from carrying import Carried, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk

SOURCES = ("companion", "telegram", "plugin:telegram:telegram", "wechat-2", "企业微信", "a b", "")


def texts_of(carried: Carried) -> list[str]:
    """What the candidate says was said, without roles."""
    return [text for _, text in carried.said]


def expect_words_are_no_blocks(carried: Carried) -> None:
    """For checks whose talk holds no injected block: none of its words is taken for one."""
    expect(
        "TR-023", not carried.plan.source.ledger.bytes["injected_block"], "words without a tag are no injected block"
    )


@proves("TR-007", "TR-013")
def test_of_meta_records_only_the_channel_message_is_speech(tmp_path: Path) -> None:
    body = '# 技能\n先读 <channel source="x"> 的说明。\n' + "很长的正文。" * 50
    talk = Talk()
    said = talk.channel("在吗")
    talk.reminder("该休息了")
    talk.meta(body)
    talk.assistant("在")
    texts = texts_of(carry(talk, tmp_path))
    expect("TR-024", said in texts, "the channel message is carried")
    expect("TR-007", body not in texts, "an ordinary meta record stays behind")
    expect("TR-013", body not in texts, "a skill body stays behind")
    expect("TR-007", not any("该休息了" in text for text in texts), "a bare reminder stays behind")
    plain = Talk()
    plain.user(body)
    plain.assistant("在")
    expect_equal("TR-007", texts_of(carry(plain, tmp_path / "plain")), [body, "在"], "the same words from a person")


@proves("TR-007")
def test_queued_input_is_let_through_though_it_is_marked_as_meta(tmp_path: Path) -> None:
    talk = Talk()
    talk.channel("开始")
    talk.tool("Bash", {"command": "sleep 4"}, result="")
    talk.queued("等一下", isMeta=True)
    talk.assistant("好")
    expect("TR-007", "等一下" in texts_of(carry(talk, tmp_path)), "queued input is carried, whatever its record's flag")


@proves("TR-013")
def test_a_skill_body_is_noise_however_long(tmp_path: Path) -> None:
    for length in (1, 799_999, 800_000, 800_001):
        body = "文" * length
        talk = Talk()
        channel = talk.channel("问")
        talk.meta(body)
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(length))
        expect("TR-024", channel in texts_of(carried), "the channel message is carried")
        expect("TR-013", body not in texts_of(carried), f"a body of {length} characters stays behind")
        words = len(f"{channel}答".encode())
        expect_equal("TR-013", carried.plan.dirty.conversation_bytes, words, "bytes of conversation")


@proves("TR-024")
def test_a_talk_held_only_over_a_channel_has_all_its_turns(tmp_path: Path) -> None:
    for number, source in enumerate(SOURCES):
        talk = Talk()
        first = talk.channel("第一句", source=source)
        talk.assistant("一")
        second = talk.channel("第二句", source=source)
        talk.assistant("二")
        carried = carry(talk, tmp_path / str(number))
        expect_words_are_no_blocks(carried)
        expect_equal("TR-024", carried.summary["source_turns"], 2, f"turns of a talk over {source!r}")
        expect_equal("TR-024", texts_of(carried), [first, "一", second, "二"], f"words over {source!r}")
        expect_equal("TR-024", carried.blocks[0].word, "channel", "where the words came from")


ENVELOPES = {
    "source first": '<channel source="companion" chat_id="me">\n嗯\n</channel>',
    "source last": '<channel chat_id="me" source="companion">嗯</channel>',
    "on lines of its own": '<channel\n  chat_id="me"\n  source="companion"\n>嗯</channel>',
    "a name with angles": '<channel user="小<3>" source="companion" title="a > b">嗯</channel>',
    "white space before it": '\n  <channel source="companion">嗯</channel>',
    "a reminder before it": '<system-reminder>\n晚\n</system-reminder>\n<channel source="companion">嗯</channel>',
}
NO_ENVELOPES = {
    "no source": '<channel chat_id="me">\n嗯\n</channel>',
    "no label": "<channel>嗯</channel>",
    "another tag": '<channels source="companion">嗯</channels>',
    "a tag with a dash": '<channel-note source="companion">嗯</channel-note>',
    "another label": '<channel data-source="companion">嗯</channel>',
    "source in another label": '<channel title="x source=">嗯</channel>',
    "source behind the tag": '<channel chat_id="me"> source="companion"',
    "a word before it": '见 <channel source="companion">嗯</channel>',
    "no bracket": 'channel source="companion" 嗯',
}


@proves("TR-024")
def test_the_envelope_decides_and_nothing_else(tmp_path: Path) -> None:
    for number, (name, text) in enumerate((ENVELOPES | NO_ENVELOPES).items()):
        talk = Talk()
        talk.meta(text)
        talk.assistant("答")
        carried = carry(talk, tmp_path / str(number))
        expect_words_are_no_blocks(carried)
        expect_equal("TR-024", text in texts_of(carried), name in ENVELOPES, f"a meta record with {name} is speech")


@proves("TR-024")
def test_every_text_of_a_channel_record_is_speech(tmp_path: Path) -> None:
    envelope = '<channel source="companion">两张图</channel>'
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}}
    parts = [{"type": "text", "text": envelope}, picture, {"type": "text", "text": "第二张是昨天的"}]
    talk = Talk()
    talk.user("", isMeta=True, message={"role": "user", "content": parts})
    talk.assistant("看到了")
    carried = carry(talk, tmp_path)
    expect_words_are_no_blocks(carried)
    expect_equal("TR-024", texts_of(carried), [envelope, "第二张是昨天的", "看到了"], "words of the record")


@proves("TR-028")
def test_the_envelope_stays_around_the_message(tmp_path: Path) -> None:
    talk = Talk()
    idle = talk.channel("早", source="telegram", chat_id="42")
    talk.tool("Bash", {"command": "sleep 4"}, result="")
    busy = talk.channel("停", source="companion", idle=False)
    typed = '<channel source="telegram" chat_id="42">原样</channel>'
    talk.user(typed)
    talk.assistant("好")
    texts = texts_of(carry(talk, tmp_path))
    expect_equal("TR-028", texts, [idle, busy, typed, "好"], "messages in their envelopes")
    shown = [[name for name in ("telegram", "companion") if f'source="{name}"' in text] for text in texts[:3]]
    expect_equal("TR-028", shown, [["telegram"], ["companion"], ["telegram"]], "channels that the new thread shows")
