"""What sort of requirement an entry is: as the scribe has called it, and of old ones by words that say enough."""

from itertools import product
from pathlib import Path

import pytest
from evening import Evening
from hypothesis import given
from hypothesis import strategies as st

from harness.expect import expect_equal, proves
from threadrebuild.collab import nature

CRAFT = {
    "画风统一": "统一",
    "色调一致": "一致",
    "背景要连贯": "连贯",
    "前三镜背景严重跳跃": "跳跃",
    "人物形象前后要一致": "一致",
    "统一字幕": "统一",
    "镜头衔接": "衔接",
    "字体必须统一": "统一",
}
"""Words that say what is to be consistent, each with the word that makes them so."""
LOOK = {"色调偏冷": "偏冷", "色调要暖": "暖", "画面再亮一点": "亮", "色彩更浓": "浓"}
"""A choice for one film, or one series, with the word that chooses."""
SERIES = {"左手": "左手", "机械臂换个颜色": "机械臂", "人设不变": "人设"}
BARE = ("一致", "统一", "风格", "节奏", "字体", "画质", "要一致", "注意节奏", "风格再想想")
OTHER = (*BARE, "这次数据要和上个月一致", "周五要交", "做一支新品片", "口径统一")
WHAT = ("背景", "画风", "色调", "人物", "服装", "道具", "镜头", "字幕", "配乐", "场景")
GLUE = ("", "要", "必须", "前后", "全程都要", "一直保持")
IN_WORDS = st.sampled_from(["", "这支片子", "EP01 ", "第二集的", "请注意,"])


def natures(texts: tuple[str, ...]) -> dict[str, str]:
    """What each of these is taken for."""
    return {text: nature.of_words(text) for text in texts}


@proves("REQ-31")
def test_an_entry_is_what_the_scribe_called_it_and_an_old_one_what_its_words_say(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    plan = home.opened("新品片", to="导演")
    home.say("画风统一;周五要交;色调偏冷;左手", to="导演", files=[plan])
    for number, (span, tag) in enumerate(
        [("画风统一", "other"), ("周五要交", "craft"), ("画风统一", None), ("周五要交", None)], 1
    ):
        home.requires(number, span, plan, nature=tag)
    found = [nature.of_entry(row) for row in home.db.rows("SELECT * FROM requirements ORDER BY id")]
    expect_equal("REQ-31", found, ["other", "craft", "craft", "other"], "entries tagged by the scribe, and untagged")
    expect_equal("REQ-31", natures(tuple(LOOK)), dict.fromkeys(LOOK, "look"), "what is a choice for one film")
    expect_equal("REQ-31", natures(OTHER), dict.fromkeys(OTHER, "other"), "bare words, and what is no film's")
    expect_equal("REQ-31", natures(tuple(CRAFT)), dict.fromkeys(CRAFT, "craft"), "what says what is consistent")
    expect_equal("REQ-31", natures(tuple(SERIES)), dict.fromkeys(SERIES, "series"), "what a series keeps to")


@pytest.mark.parametrize(("text", "decides"), [*CRAFT.items(), *LOOK.items(), *SERIES.items()])
def test_without_the_word_that_decides_it_is_nothing_of_the_kind(text: str, decides: str) -> None:
    before = nature.of_words(text)
    assert nature.of_words(text.replace(decides, "")) != before


@given(what=st.sampled_from(WHAT), glue=st.sampled_from(GLUE), word=st.sampled_from(["一致", "统一"]), around=IN_WORDS)
def test_whatever_is_to_be_consistent_it_is_craft(what: str, glue: str, word: str, around: str) -> None:
    assert nature.of_words(f"{around}{what}{glue}{word}") == "craft"
    assert nature.kind(f"{around}{what}{glue}{word}") == f"{what}一致"
    assert nature.of_words(f"{around}{glue}{word}") == "other"


@given(
    tone=st.sampled_from(["色调", "画面", "光线"]),
    chosen=st.sampled_from(["偏冷", "偏暖", "要暖", "再亮一点"]),
    around=IN_WORDS,
)
def test_whatever_tone_is_chosen_it_is_no_craft(tone: str, chosen: str, around: str) -> None:
    assert nature.of_words(f"{around}{tone}{chosen}") == "look"
    assert nature.of_words(f"{around}{tone}") == "other"


def test_one_kind_has_one_name() -> None:
    for what, said in product(WHAT, ("要连贯", "保持连续", "不要跳跃", "严重跳跃")):
        assert nature.kind(f"{what}{said}") == f"{what}连贯"
