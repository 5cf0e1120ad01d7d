"""The numbers of requirements, phrase by phrase: what the words around a number make of it, and what it is without."""

from pathlib import Path

from hypothesis import given
from phrases import (
    DECADES,
    HEIGHTS,
    MINUTES,
    RATES,
    RATIOS,
    SECONDS,
    SHAPES,
    THOUSANDS,
    Phrase,
    Read,
    varied,
)
from scribing import row, studio
from scribing import says as said

from harness.expect import expect_equal, proves
from threadrebuild.collab import measures
from threadrebuild.collab.measures import Measure

# ---------------------------------------------------------------- what a quote gives, with its qualifier

QUALIFIED = (
    Phrase("约 {n} 分钟", "2", MINUTES, "about", ("约",)),
    Phrase("{n} 分钟左右", "2", MINUTES, "about", ("左右",)),
    Phrase("最多 {n} 秒", "90", SECONDS, "at_most", ("最多",)),
    Phrase("{n} 秒以内", "90", SECONDS, "at_most", ("以内",)),
    Phrase("至少 {n} 分钟", "2", MINUTES, "at_least", ("至少",)),
    Phrase("{n} 分钟以上", "2", MINUTES, "at_least", ("以上",)),
)
OF_EACH_ITEM = (
    Phrase("{n} 秒", "90", SECONDS, "bare", ("秒",)),
    Phrase("{n}K", "4", THOUSANDS, "bare", ("K",)),
    Phrase("{n}p", "1080", HEIGHTS, "bare", ("p",)),
    Phrase("画幅 {n}", "16:9", RATIOS, "bare", ("画幅",)),
    Phrase("帧率 {n}", "30", RATES, "bare", ("帧率",)),
)

# ---------------------------------------------------------------- what is no number of a film

ELSEWHERE = (
    Phrase("第 {n} 秒", "3", SECONDS, None, ("第",)),
    Phrase("{n} 秒处", "12", SECONDS, None, ("处",)),
    Phrase("前 {n} 秒", "3", SECONDS, None, ("前",)),
    Phrase("{t} 放在 {n} 秒", "3", SECONDS, None, ("放在",), "logo"),
    Phrase("{t}定在 {n} 秒", "5", SECONDS, None, ("定在",), "字幕"),
    Phrase("3-{n} 分钟", "5", MINUTES, None, ("3-",)),
    Phrase("一两分钟", "", MINUTES, None, ("一",)),
    Phrase("{n} 分钟内回复我", "5", MINUTES, None, ("回复",)),
    Phrase("限你 {n} 分钟弄完", "3", MINUTES, None, ("限你", "弄完")),
    Phrase("给你 {n} 分钟", "10", MINUTES, None, ("给你",)),
    Phrase("等 {n} 分钟", "5", MINUTES, None, ("等",)),
    Phrase("渲染要 {n} 分钟", "20", MINUTES, None, ("渲染",)),
    Phrase("{n} 分钟前", "3", MINUTES, None, ("前",)),
    Phrase("{n} 分钟后再看", "10", MINUTES, None, ("后",)),
    Phrase("{n} 分钟左右能好吗", "30", MINUTES, None, ("能好",)),
    Phrase("预计 {n} 分钟出片", "30", MINUTES, None, ("预计", "出片")),
    Phrase("{n}k 字", "2", THOUSANDS, None, ("字",)),
    Phrase("不要 {n}K", "4", THOUSANDS, None, ("不要",)),
    Phrase("{n}K 就不要了", "4", THOUSANDS, None, ("不要",)),
    Phrase("不是 {n} 分钟", "3", MINUTES, None, ("不是",)),
)
VERBATIM_ELSEWHERE = (
    *("第 3 秒", "12 秒处", "前 3 秒", "logo 放在 3 秒", "字幕定在 5 秒", "3-5 分钟", "一两分钟", "5 分钟内回复我"),
    *("限你 3 分钟弄完", "给你 10 分钟", "等 5 分钟", "渲染要 20 分钟", "3 分钟前", "半小时左右能好吗"),
    *("预计 30 分钟出片", "2k 字", "不要 4K", "不是 3 分钟"),
)

# ---------------------------------------------------------------- what makes it one, or another one

SHAPED = (
    Phrase("剪成 {n} 秒发给我", "90", SECONDS, "bare", ("剪成",)),
    Phrase("压在 {n} 秒以内", "90", SECONDS, "at_most", ("以内",)),
    Phrase("压在 {n} 秒以内发给我", "90", SECONDS, "at_most", ("压在",)),
    Phrase("时长定在 {n} 秒", "90", SECONDS, "bare", ("时长",)),
    Phrase("时长定在 {n} 秒开始渲染", "90", SECONDS, "bare", ("时长",)),
    Phrase("改成 {n} 分钟给我", "3", MINUTES, "bare", ("改成",)),
    Phrase("控制在 {n} 秒之内完成", "45", SECONDS, "at_most", ("控制在",)),
)
FRAMED = (
    Phrase("画幅 {n}", "9:16", RATIOS, "bare", ("画幅",)),
    Phrase("比例用 {n}", "16:9", RATIOS, "bare", ("比例",)),
    Phrase("手机屏,{n}", "9:16", RATIOS, "bare", ("屏",)),
    Phrase("要{n}", "竖屏", SHAPES, "bare", ("屏",)),
    Phrase("大屏上比分 {n}", "2:1", RATIOS, None, ("比分",)),
)
RATED = (
    Phrase("帧率 {n}", "24", RATES, "bare", ("帧率",)),
    Phrase("{n} fps", "24", RATES, "bare", ("fps",)),
    Phrase("每秒 {n} 帧", "24", RATES, "bare", ("每秒",)),
)
ERAS = (
    Phrase("{n}s 港风", "90", DECADES, None, ("港风",)),
    Phrase("{n}s 复古", "80", DECADES, None, ("复古",)),
    Phrase("{n}s 那种感觉", "90", DECADES, None, ("那种感觉",)),
)
LIMITED = (
    Phrase("不要超过 {n} 分钟", "3", MINUTES, "at_most", ("超过",)),
    Phrase("不能少于 {n} 分钟", "2", MINUTES, "at_least", ("少于",)),
    Phrase("至少要 {n} 分钟", "2", MINUTES, "at_least", ("至少",)),
    Phrase("能不能改成 {n} 秒", "90", SECONDS, "bare", ("能",)),
    Phrase("要不要 {n}K", "4", THOUSANDS, "bare", ("要",)),
)
SHORT_UNITS = (
    Phrase("1分{n}秒", "30", SECONDS._replace(value=lambda n: str(60 + int(SECONDS.value(n)))), "bare", ("1分",)),
    Phrase("2m{n}s", "30", DECADES._replace(value=lambda n: str(120 + int(n))), "bare", ("2m",)),
    Phrase("片长 {n}分", "10", MINUTES, "bare", ("片长",)),
    Phrase("时长 {n}分", "10", MINUTES, "bare", ("时长",)),
)
EVERYTHING = (
    *(*QUALIFIED, *OF_EACH_ITEM, *ELSEWHERE, *SHAPED, *FRAMED, *RATED, *ERAS, *LIMITED, *SHORT_UNITS),
    Phrase("还是约 {n} 分钟吧", "2", MINUTES, "about", ("约",)),
)
CANONICAL = (
    ("REQ-11", "第 3 秒", ()),
    ("REQ-11", "不要 4K", ()),
    ("REQ-10", "最多 90 秒", (Measure("duration", "90", "at_most"),)),
    ("REQ-10", "至少 90 秒", (Measure("duration", "90", "at_least"),)),
    ("REQ-12", "剪成 90 秒发给我", (Measure("duration", "90"),)),
    ("REQ-13", "画幅 9:16", (Measure("aspect", "9:16"),)),
    ("REQ-14", "帧率 24", (Measure("frame_rate", "24"),)),
    ("REQ-15", "不要超过 3 分钟", (Measure("duration", "180", "at_most"),)),
    ("REQ-16", "片长 10分", (Measure("duration", "600"),)),
    ("WORDS-06", "最长 90 秒", (Measure("duration", "90", "at_most"),)),
    ("WORDS-10", "帧率 24 或 30", ()),
    ("WORDS-11", "码率 8k", ()),
)
"""The plainest cases of each rule of the reader."""


def read(text: str) -> Read:
    """What the reader of the ledger finds in a text."""
    return tuple(measures.in_words(text))


def others_hold(rule: str) -> None:
    """What goes wrong by another rule is told by that one."""
    for other, text, wanted in CANONICAL:
        if other != rule:
            expect_equal(other, read(text), wanted, f"what “{text}” gives")


def decided(rule: str, phrases: tuple[Phrase, ...]) -> None:
    """Each phrase is read as it has to be, and otherwise without what decides it."""
    for phrase in phrases:
        expect_equal(rule, read(phrase.text()), phrase.read(), f"what “{phrase.text()}” gives")
        otherwise = read(phrase.without()) != phrase.read()
        expect_equal(rule, otherwise, True, f"“{phrase.without()}” gives something else")


@proves("REQ-10")
def test_a_quote_is_read_with_its_qualifier_and_kept_only_where_it_is_one_number() -> None:
    decided("REQ-10", QUALIFIED)
    others_hold("REQ-10")
    decided("REQ-10", OF_EACH_ITEM)
    for text in ("片长 2 分钟,彩蛋 5 秒", "先剪 90 秒,再剪 60 秒", "4K,30 fps", "好看一点"):
        expect_equal("REQ-10", measures.the_one(text), None, f"the one number of “{text}”")
    one = measures.the_one("加中英字幕,片长约 2 分钟")
    expect_equal("REQ-10", one, Measure("duration", "120", "about"), "the one number among other words")


@proves("REQ-10")
def test_an_entry_keeps_the_number_of_a_quote_that_gives_exactly_one(tmp_path: Path) -> None:
    for place, (line, quote, wanted) in enumerate(
        [
            ("片长约 2 分钟,背景换成夜景", "片长约 2 分钟", ("duration", "120", "about")),
            ("画幅改一下,16:9", "16:9", ("aspect", "16:9", "bare")),
            ("片长 2 分钟,彩蛋 5 秒", "片长 2 分钟,彩蛋 5 秒", (None, None, None)),
            ("背景换成夜景", "背景换成夜景", (None, None, None)),
        ]
    ):
        home, plan = studio(tmp_path / str(place))
        said(home, line, plan, add=[row(quote)])
        kept = home.rows("SELECT item, value, bound FROM requirements")
        expect_equal("REQ-10", kept, [wanted], f"what is kept of “{quote}”, out of “{line}”")


@proves("REQ-11")
def test_a_moment_a_range_a_deadline_or_what_is_not_wanted_is_no_number() -> None:
    others_hold("REQ-11")
    for text in VERBATIM_ELSEWHERE:
        expect_equal("REQ-11", read(text), (), f"what “{text}” gives")
    decided("REQ-11", ELSEWHERE)


@proves("REQ-12")
def test_a_number_right_after_a_shaping_verb_counts_whatever_follows() -> None:
    expect_equal("REQ-12", read("剪成 90 秒发给我"), (Measure("duration", "90"),), "a shaped number before a wish")
    others_hold("REQ-12")
    decided("REQ-12", SHAPED)
    expect_equal("REQ-12", read("90 秒发给我"), (), "a number that nothing shapes, and that is a deadline")


@proves("REQ-13")
def test_a_ratio_needs_a_word_for_the_frame_and_is_no_score() -> None:
    others_hold("REQ-13")
    expect_equal("REQ-13", read("竖屏,比例 9:16"), (Measure("aspect", "9:16"),), "a shape beside a ratio")
    decided("REQ-13", FRAMED)
    for text, shape in (("竖屏", "portrait"), ("横屏", "landscape")):
        expect_equal("REQ-13", read(text), (Measure("aspect", shape),), f"what “{text}” gives")
    for text in ("比分 2:1", "横幅", "竖幅", "16:9"):
        expect_equal("REQ-13", read(text), (), f"what “{text}” gives")
    quoted = tuple(measures.in_words("16:9", "画幅 16:9"))
    expect_equal("REQ-13", quoted, (Measure("aspect", "16:9"),), "a quote out of a line about the frame")


@proves("REQ-14")
def test_a_frame_rate_has_three_forms_and_a_decade_is_none_of_seconds() -> None:
    others_hold("REQ-14")
    decided("REQ-14", RATED)
    decided("REQ-14", ERAS)
    for text in ("24 帧", "淡出 24 帧", "90s 港风", "80s 复古"):
        expect_equal("REQ-14", read(text), (), f"what “{text}” gives")
    for text in ("90s", "片长 90s", "剪成 90s 港风", "90s 左右"):
        expect_equal("REQ-14", [each.value for each in read(text)], ["90"], f"seconds in “{text}”")


@proves("REQ-15")
def test_not_over_and_not_under_are_limits_and_a_question_is_no_refusal() -> None:
    others_hold("REQ-15")
    decided("REQ-15", LIMITED)
    for text in ("别超 3 分钟", "不要超过 3 分钟", "不得高于 3 分钟"):
        expect_equal("REQ-15", read(text), (Measure("duration", "180", "at_most"),), f"what “{text}” gives")
    for text in ("不能少于 2 分钟", "不要低于 2 分钟", "至少要 2 分钟"):
        expect_equal("REQ-15", read(text), (Measure("duration", "120", "at_least"),), f"what “{text}” gives")


@proves("REQ-16")
def test_short_minutes_stand_before_seconds_or_after_a_word_for_the_length() -> None:
    for text in ("10分", "2m", "考了 10 分"):
        expect_equal("REQ-16", read(text), (), f"what “{text}” gives")
    others_hold("REQ-16")
    decided("REQ-16", SHORT_UNITS)
    for text, seconds in (("1分30秒", "90"), ("2m30s", "150"), ("片长 10分", "600"), ("时长 2m", "120")):
        expect_equal("REQ-16", read(text), (Measure("duration", seconds),), f"what “{text}” gives")


# ---------------------------------------------------------------- with any number and thing


@given(varied(EVERYTHING))
def test_any_number_and_thing_are_read_alike(case: tuple[Phrase, str, str]) -> None:
    phrase, number, thing = case
    assert read(phrase.text(number, thing)) == phrase.read(number)


@given(varied(EVERYTHING))
def test_without_what_decides_any_number_is_read_otherwise(case: tuple[Phrase, str, str]) -> None:
    phrase, number, thing = case
    assert read(phrase.without(number, thing)) != phrase.read(number)


def test_a_quote_of_nothing_but_a_number_is_known() -> None:
    for text in ("90 秒", "4K", "16:9", "片长 2 分钟", "竖屏", "约 2 分钟", "帧率 30", "1080p 就行", "1分30秒"):
        assert measures.states_only(text), text
    for text in ("太假", "第 3 秒", "不要 4K", "背景 4K", "片长 2 分钟,竖屏", "", "字幕 16:9"):
        assert not measures.states_only(text), text


def test_numbers_in_chinese_and_halves() -> None:
    said = {
        "两分钟": "120",
        "一百二十秒": "120",
        "一百零五秒": "105",
        "十五秒": "15",
        "二十秒": "20",
        "半分钟": "30",
        "一个半小时": "5400",
        "两分半钟": "150",
        "1.5 分钟": "90",
        "1 小时 5 分钟": "3900",
    }
    assert {text: [each.value for each in read(text)] for text in said} == {
        text: [value] for text, value in said.items()
    }
