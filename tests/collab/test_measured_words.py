"""What a line asks a film to measure, phrase by phrase: read narrowly, and nothing of what could mean anything else."""

from pathlib import Path

from filming import film, proposed, says
from hypothesis import given
from phrases import (
    DECADES,
    HEIGHTS,
    HOURS,
    MINUTES,
    RATES,
    RATIOS,
    SECONDS,
    SHAPES,
    THOUSANDS,
    Phrase,
    varied,
)

from harness.expect import expect_equal, proves
from threadrebuild.collab import events, measured_words, measures
from threadrebuild.collab.measured_words import Stated
from threadrebuild.collab.measures import Measure

# ---------------------------------------------------------------- what is read, as a target or weakly

WEAK = (
    Phrase("约 {n} 分钟", "2", MINUTES, "about", ("约",)),
    Phrase("{n} 分钟左右", "2", MINUTES, "about", ("左右",)),
    Phrase("{n} 分钟以上", "2", MINUTES, "at_least", ("以上",)),
    Phrase("不少于 {n} 分钟", "2", MINUTES, "at_least", ("不少于",)),
    Phrase("{n} 秒以内", "90", SECONDS, "at_most", ("以内",)),
    Phrase("不要超过 {n} 秒", "90", SECONDS, "at_most", ("不要超过",)),
    Phrase("不要超过 {n} 分钟", "2", MINUTES, "at_most", ("不要超过",)),
    Phrase("约 {n} 秒", "90", SECONDS, "about", ("约",)),
    Phrase("片子差不多 {n} 秒", "107", SECONDS, "about", ("差不多",)),
    Phrase("至少 {n} 秒", "90", SECONDS, "at_least", ("至少",)),
    Phrase("不超过 {n} 秒", "90", SECONDS, "at_most", ("不超过",)),
    Phrase("最多 {n} 秒", "90", SECONDS, "at_most", ("最多",)),
    Phrase("剪一支约 {n} 秒的{t}", "60", SECONDS, "about", ("约",), "宣传片"),
)
BOUNDED = (
    Phrase("最长 {n} 秒", "90", SECONDS, "at_most", ("最长",)),
    Phrase("上限 {n} 秒", "90", SECONDS, "at_most", ("上限",)),
    Phrase("顶多 {n} 秒", "90", SECONDS, "at_most", ("顶多",)),
    Phrase("别超 {n} 秒", "90", SECONDS, "at_most", ("别超",)),
    Phrase("最短 {n} 秒", "90", SECONDS, "at_least", ("最短",)),
    Phrase("下限 {n} 秒", "90", SECONDS, "at_least", ("下限",)),
    Phrase("{n} 秒打底", "90", SECONDS, "at_least", ("打底",)),
    Phrase("{n} 秒起步", "90", SECONDS, "at_least", ("起步",)),
    Phrase("最低 {n}p", "1080", HEIGHTS, "at_least", ("最低",)),
)
BY_ITSELF = (
    Phrase("{n}p 就行", "1080", HEIGHTS, "bare", ("p",)),
    Phrase("{n}K", "4", THOUSANDS, "bare", ("K",)),
    Phrase("要{n}", "竖屏", SHAPES, "bare", ("屏",)),
    Phrase("手机屏上看,{n}", "9:16", RATIOS, "bare", ("屏",)),
    Phrase("{n} fps", "30", RATES, "bare", ("fps",)),
    Phrase("每秒 {n} 帧", "30", RATES, "bare", ("每秒",)),
)
TARGET = (
    Phrase("片长约 {n} 分钟", "2", MINUTES, "about", ("片长",)),
    Phrase("改成 {n} 分钟", "3", MINUTES, "bare", ("改成",)),
    Phrase("片长 {n} 分钟", "3", MINUTES, "bare", ("片长",)),
    Phrase("时长 {n} 秒", "90", SECONDS, "bare", ("时长",)),
    Phrase("片长改成 {n} 分钟", "2", MINUTES, "bare", ("片长", "改成")),
    Phrase("剪成 {n} 秒发给我", "90", SECONDS, "bare", ("剪成",)),
    Phrase("控制在 {n} 秒", "90", SECONDS, "bare", ("控制在",)),
    Phrase("压到 {n} 秒", "90", SECONDS, "bare", ("压到",)),
    Phrase("砍到 {n} 秒", "90", SECONDS, "bare", ("砍到",)),
    Phrase("画幅 {n}", "9:16", RATIOS, "bare", ("画幅",)),
    Phrase("分辨率 {n}p", "1080", HEIGHTS, "bare", ("分辨率",)),
    Phrase("帧率 {n}", "30", RATES, "bare", ("帧率",)),
    Phrase("做成{n}", "竖屏", SHAPES, "bare", ("做成",)),
    Phrase("加中英{t},片长约 {n} 分钟", "2", MINUTES, "about", ("片长",), "音乐"),
)
VERBATIM = (
    ("片长约 2 分钟", Measure("duration", "120", "about"), True),
    ("改成 3 分钟", Measure("duration", "180"), True),
    ("片长 3 分钟", Measure("duration", "180"), True),
    ("片长改成 2 分钟", Measure("duration", "120"), True),
    ("剪成 90 秒发给我", Measure("duration", "90"), True),
    ("加中英字幕,片长约 2 分钟", Measure("duration", "120", "about"), True),
    ("帧率 24 改成 60", Measure("frame_rate", "60"), True),
    ("分辨率从 4K 降到 1080", Measure("resolution", "1080"), True),
    ("画幅 9:16", Measure("aspect", "9:16"), True),
    ("帧率 30", Measure("frame_rate", "30"), True),
    ("做成竖屏", Measure("aspect", "portrait"), True),
    ("约 2 分钟", Measure("duration", "120", "about"), False),
    ("2 分钟左右", Measure("duration", "120", "about"), False),
    ("约 90 秒", Measure("duration", "90", "about"), False),
    ("不要超过 2 分钟", Measure("duration", "120", "at_most"), False),
    ("片子差不多 107 秒", Measure("duration", "107", "about"), False),
    ("把素材剪成 90 秒", Measure("duration", "90"), False),
    ("1080p 就行", Measure("resolution", "1080"), False),
    ("1080p", Measure("resolution", "1080"), False),
    ("1920×1080", Measure("resolution", "1080"), False),
    ("4K", Measure("resolution", "2160"), False),
    ("要竖屏", Measure("aspect", "portrait"), False),
    ("剪一支约 60 秒的宣传片", Measure("duration", "60", "about"), False),
)

# ---------------------------------------------------------------- lines that say nothing

ASKS = (
    Phrase("能不能改成 {n} 秒", "90", SECONDS, None, ("能不能",)),
    Phrase("改成 {n} 秒?", "90", SECONDS, None, ("?",)),
    Phrase("约 {n} 分钟吗", "2", MINUTES, None, ("吗",)),
    Phrase("要不要 {n}K", "4", THOUSANDS, None, ("要不要",)),
    Phrase("改成 {n} 秒怎么样", "90", SECONDS, None, ("怎么样",)),
    Phrase("你觉得 {n} 秒左右", "90", SECONDS, None, ("你觉得",)),
    Phrase("改成 {n} 秒试试", "90", SECONDS, None, ("试试",)),
)
SUPPOSES = (
    Phrase("如果改成 {n} 秒", "90", SECONDS, None, ("如果",)),
    Phrase("改成 {n} 秒的话", "90", SECONDS, None, ("的话",)),
    Phrase("会不会改成 {n} 秒", "90", SECONDS, None, ("会不会",)),
)
COMPLAINS = (
    Phrase("太长了,改成 {n} 分钟", "2", MINUTES, None, ("太长了,",)),
    Phrase("不对,改成 {n} 分钟", "2", MINUTES, None, ("不对",)),
    Phrase("{n} 秒左右,短了", "107", SECONDS, None, (",短了",)),
    Phrase("{n} 秒左右,有点短", "107", SECONDS, None, (",有点短",)),
    Phrase("{n} 秒左右,偏长", "107", SECONDS, None, (",偏长",)),
    Phrase("有问题,片长 {n} 分钟", "2", MINUTES, None, ("有问题",)),
)
AS_MADE = (
    Phrase("这版改成 {n} 秒", "90", SECONDS, None, ("这版",)),
    Phrase("上一版 {n} 秒左右", "107", SECONDS, None, ("上一版",)),
    Phrase("第一版 {n} 秒左右", "107", SECONDS, None, ("第一版",)),
    Phrase("这次片长 {n} 秒", "107", SECONDS, None, ("这次",)),
    Phrase("之前约 {n} 秒", "107", SECONDS, None, ("之前",)),
    Phrase("原来片长 {n} 秒", "107", SECONDS, None, ("原来",)),
    Phrase("现在片长 {n} 秒", "107", SECONDS, None, ("现在",)),
    Phrase("你交的约 {n} 秒", "107", SECONDS, None, ("你交的",)),
    Phrase("只有约 {n} 秒", "107", SECONDS, None, ("只有",)),
    Phrase("片长才 {n} 秒", "107", SECONDS, None, ("才",)),
    Phrase("已经约 {n} 秒", "107", SECONDS, None, ("已经",)),
    Phrase("显示片长 {n} 秒", "107", SECONDS, None, ("显示",)),
    Phrase("为什么剪成 {n} 秒", "107", SECONDS, None, ("为什么",)),
    Phrase("怎么剪成 {n} 秒", "107", SECONDS, None, ("怎么",)),
    Phrase("比要求的片长约 {n} 秒", "107", SECONDS, None, ("比要求的",)),
    Phrase("粗剪约 {n} 秒", "107", SECONDS, None, ("粗剪",)),
    Phrase("完整版约 {n} 秒", "107", SECONDS, None, ("完整版",)),
    Phrase("可以,约 {n} 分钟", "2", MINUTES, None, ("可以",)),
    Phrase("还行,约 {n} 分钟", "2", MINUTES, None, ("还行",)),
    Phrase("你剪成 {n} 秒了", "107", SECONDS, None, ("了",)),
)
IN_HAND = (
    Phrase("我拍的是 {n}K", "4", THOUSANDS, None, ("我拍的",)),
    Phrase("相机 {n}K", "4", THOUSANDS, None, ("相机",)),
    Phrase("客户给的约 {n} 分钟", "2", MINUTES, None, ("客户给的",)),
    Phrase("显示器 {n}K", "4", THOUSANDS, None, ("显示器",)),
    Phrase("ffprobe 片长 {n} 秒", "107", SECONDS, None, ("ffprobe",)),
)
VERSIONS = (
    Phrase("横屏的也做一版,约 {n} 秒", "30", SECONDS, None, ("横屏的也做一版,",)),
    Phrase("竖版的也要,约 {n} 秒", "30", SECONDS, None, ("竖版的也要,",)),
    Phrase("{t}版 {n} 秒左右", "30", SECONDS, None, ("版",), "抖音"),
    Phrase("横屏版 {n} 秒左右", "30", SECONDS, None, ("横屏版",)),
    Phrase("{n}版", "横屏", SHAPES, None, ("版",)),
)
STILLS = tuple(
    Phrase(f"{still} {{n}}K", "4", THOUSANDS, None, (still,))
    for still in ("照片", "海报", "封面", "壁纸", "配图", "动图", "KV", "界面")
)
WHOLE_LINE = (*ASKS, *SUPPOSES, *COMPLAINS, *AS_MADE, *IN_HAND, *VERSIONS, *STILLS)

# ---------------------------------------------------------------- numbers that are none of the film

PARTS = (
    Phrase("开头控制在 {n} 秒以内", "5", SECONDS, None, ("开头",)),
    Phrase("logo 约 {n} 秒", "5", SECONDS, None, ("logo",)),
    Phrase("C09 做成{n}", "竖屏", SHAPES, None, ("C09",)),
    Phrase("C09 这个镜头,时长 {n} 秒", "8", SECONDS, None, ("C09", "镜头")),
    Phrase("字幕加大,约 {n} 分钟", "2", MINUTES, None, ("字幕",)),
    Phrase("这段剪成 {n} 秒", "20", SECONDS, None, ("这段",)),
    Phrase("那段剪成 {n} 秒", "20", SECONDS, None, ("那段",)),
    Phrase("采访剪成 {n} 秒", "20", SECONDS, None, ("采访",)),
    *(
        Phrase(f"{part}剪成 {{n}} 秒", "8", SECONDS, None, (part,))
        for part in ("第三镜", "片头", "片尾", "结尾", "标题", "口播", "旁白", "高潮", "场景", "空镜", "每页", "每张")
    ),
)
MATERIAL = (
    Phrase("素材约 {n} 分钟", "20", MINUTES, None, ("素材",)),
    Phrase("像{t}那支 {n} 秒左右的广告那样", "90", SECONDS, None, ("像", "那样"), "苹果"),
    Phrase("参考约 {n} 分钟", "3", MINUTES, None, ("参考",)),
    Phrase("配乐约 {n} 分钟", "3", MINUTES, None, ("配乐",)),
    Phrase("歌约 {n} 分钟", "3", MINUTES, None, ("歌",)),
    Phrase("素材在盘里,约 {n} 分钟", "20", MINUTES, None, ("素材",)),
)
NOT_CHOSEN = (
    Phrase("不要剪成 {n} 秒", "90", SECONDS, None, ("不要",)),
    Phrase("别压到 {n} 秒以下", "60", SECONDS, None, ("别",)),
    Phrase("不要 {n}K", "4", THOUSANDS, None, ("不要",)),
    Phrase("{n}K 就不要了", "4", THOUSANDS, None, ("不要了",)),
    Phrase("别把画幅做成 {n}", "16:9", RATIOS, None, ("别",)),
    Phrase("帧率 24 或 {n}", "30", RATES, None, ("24 或",)),
)
DISCARDED = (
    Phrase("{n} 分钟左右切到{t}", "1", MINUTES, None, ("切到",), "产品"),
    Phrase("{n}s 港风左右", "90", DECADES, None, ("港风",)),
    Phrase("{n} 小时以内搞出来", "2", HOURS, None, ("搞出来",)),
    Phrase("这个任务大概 {n} 小时", "3", HOURS, None, ("任务",)),
    Phrase("预算 {n}k", "2", THOUSANDS, None, ("预算",)),
    Phrase("报价 {n}k", "4", THOUSANDS, None, ("报价",)),
    Phrase("码率 {n}k", "8", THOUSANDS, None, ("码率",)),
)
NARROW = (*PARTS, *MATERIAL, *NOT_CHOSEN, *DISCARDED)
NOTHING = (
    *("太长了,改成 2 分钟", "能不能改成 90 秒?", "这版改成 90 秒", "上一版 107 秒太短了", "107 秒左右,短了"),
    *("你剪成 107 秒了,太短", "横屏的也做一版", "竖版的也要", "横屏版", "抖音版 30 秒左右", "开头控制在 5 秒以内"),
    *("logo 在 5 秒左右出现", "C09 做成竖屏", "C09 这个镜头,时长 8 秒", "素材 20 分钟", "像苹果那支 90 秒的广告那样"),
    *("不要剪成 90 秒", "别压到 60 秒以下", "24 或 30", "不要 4K", "别做成 16:9", "1 分钟左右切到产品"),
    *("90s 港风", "90s 那种感觉", "2 小时以内搞出来", "这个任务大概 3 小时", "比分 2:1", "24 帧", "淡出 24 帧"),
    *("预算 2k", "报价 4k", "码率 8k", "107 秒", ",加字幕", "要不要 4K"),
)
CANONICAL = (
    ("REQ-10", "最多 90 秒", [Measure("duration", "90", "at_most")]),
    ("REQ-10", "至少 90 秒", [Measure("duration", "90", "at_least")]),
    ("WORDS-03", "片长 3 分钟", [Measure("duration", "180")]),
    ("WORDS-10", "帧率 24 改成 60", [Measure("frame_rate", "60")]),
    ("WORDS-07", "这版改成 90 秒", []),
    ("WORDS-08", "开头控制在 5 秒以内", []),
    ("WORDS-08", "加中英字幕,片长约 2 分钟", [Measure("duration", "120", "about")]),
    ("WORDS-09", "素材约 20 分钟", []),
    ("WORDS-12", "帧率 30", [Measure("frame_rate", "30")]),
)
"""The plainest cases of each rule of the reader."""


def read(text: str, *, of_a_part: bool = False) -> list[tuple[Measure, bool]]:
    """What the reader for checks finds in a line, and whether it is a target."""
    return [(each.measure, each.target) for each in measured_words.stated(text, of_a_part=of_a_part)]


def others_hold(*rules: str) -> None:
    """What goes wrong by another rule is told by that one."""
    for other, text, wanted in CANONICAL:
        if other not in rules:
            found = [measure for measure, _ in read(text)]
            expect_equal(other, found, wanted, f"what “{text}” states")


def decided(rule: str, phrases: tuple[Phrase, ...], *, target: bool = False) -> None:
    """Each phrase states what it has to, and something else without what decides it."""
    for phrase in phrases:
        wanted = [(measure, target) for measure in phrase.read()]
        expect_equal(rule, read(phrase.text()), wanted, f"what “{phrase.text()}” states")
        otherwise = read(phrase.without()) != wanted
        expect_equal(rule, otherwise, True, f"“{phrase.without()}” states something else")


@proves("WORDS-04")
def test_a_duration_needs_a_word_that_makes_it_one() -> None:
    for text in ("107 秒", "一支 90 秒的宣传片", "2 分钟"):
        expect_equal("WORDS-04", read(text), [], f"what “{text}” states, which is vague")
    others_hold("WORDS-03", "WORDS-04")
    expect_equal("WORDS-12", read("帧率 30"), [(Measure("frame_rate", "30"), True)], "a target")
    decided("WORDS-04", WEAK)
    decided("WORDS-04", tuple(each for each in TARGET if each.unit in (MINUTES, SECONDS)), target=True)


@proves("WORDS-03")
def test_a_vague_number_is_missed_rather_than_misread() -> None:
    for text in ("107 秒", "2 分钟", "先看 30 秒", "大结局 90 秒"):
        expect_equal("WORDS-03", read(text), [], f"what “{text}” states")
    others_hold("WORDS-03")
    for text in ("片长 2 分钟", "约 2 分钟", "剪成 2 分钟"):
        values = [measure.value for measure, _ in read(text)]
        expect_equal("WORDS-03", values, ["120"], f"what “{text}” states")


@proves("WORDS-05")
def test_a_resolution_and_a_frame_count_by_themselves_but_not_a_bare_ratio_or_rate() -> None:
    for text in ("比分 2:1", "16:9", "24 帧", "淡出 24 帧", "24 或 30", "30", "请 30 个人"):
        expect_equal("WORDS-05", read(text), [], f"what “{text}” states")
    for text, rate in (("帧率 30", "30"), ("帧率 60 帧", "60")):
        expect_equal("WORDS-05", [measure.value for measure, _ in read(text)], [rate], f"what “{text}” states")
    others_hold("WORDS-05")
    decided("WORDS-05", BY_ITSELF)


@proves("WORDS-06")
def test_further_words_bound_a_number_on_one_side() -> None:
    others_hold("WORDS-06")
    decided("WORDS-06", BOUNDED)


@proves("WORDS-07")
def test_a_line_that_asks_complains_or_speaks_of_something_else_states_nothing() -> None:
    others_hold("WORDS-07")
    decided("WORDS-07", WHOLE_LINE)
    for phrase in WHOLE_LINE:
        expect_equal("WORDS-07", read(f"片长 2 分钟;{phrase.text()}"), [], f"a line with “{phrase.text()}” in it")


@proves("WORDS-08")
def test_what_is_said_of_a_part_is_none_of_the_whole_film() -> None:
    expect_equal("WORDS-08", read("开头控制在 5 秒以内"), [], "a part")
    expect_equal("WORDS-08", read("做成竖屏", of_a_part=True), [], "a line on the ticket of a shot")
    others_hold("WORDS-08")
    decided("WORDS-08", PARTS)
    for text in ("片长 2 分钟", "做成竖屏", "4K"):
        expect_equal("WORDS-08", len(read(text)), 1, f"what “{text}” states")
        expect_equal("WORDS-08", read(text, of_a_part=True), [], f"“{text}”, filed on the ticket of a shot")
    whole = [(Measure("duration", "120", "about"), True)]
    for text in ("加中英字幕,片长约 2 分钟", "字幕加大,总长改成约 2 分钟"):
        expect_equal("WORDS-08", read(text), whole, f"the whole film after a part, in “{text}”")


@proves("WORDS-08")
def test_a_line_on_the_ticket_of_a_part_states_nothing_unless_it_is_the_plans_own(tmp_path: Path) -> None:
    for title in ("C09", "片头动画", "抖音版"):
        home = film(tmp_path / title, tickets=(title,))
        says(home, "片长约 2 分钟", ticket=1)
        expect_equal("WORDS-08", proposed(home), [], f"proposals of a line on the ticket “{title}”")
    home = film(tmp_path / "plan")
    says(home, "片长约 2 分钟")
    expect_equal("WORDS-13", len(proposed(home)), 1, "proposals of a line on the plan")
    for title in ("剪辑", "新品宣传片"):
        home = film(tmp_path / title, tickets=(title,))
        says(home, "片长约 2 分钟", ticket=1)
        expect_equal("WORDS-08", len(proposed(home)), 1, f"proposals of a line on the ticket “{title}”")
    cut = film(tmp_path / "cut", tickets=("新品宣传片的片尾",))
    cut.happens(events.PlanRenamed, plan=1, name="新品宣传片的片尾和字幕")
    says(cut, "片长约 2 分钟", ticket=1)
    expect_equal("WORDS-08", len(proposed(cut)), 1, "proposals of a line on a ticket named after its plan, cut short")


@proves("WORDS-09")
def test_beside_material_only_what_is_shaped_is_read_and_never_a_target() -> None:
    expect_equal("WORDS-09", read("素材约 20 分钟"), [], "material")
    others_hold("WORDS-09")
    decided("WORDS-09", MATERIAL)
    weak = [(Measure("duration", "90"), False)]
    for text in ("把素材剪成 90 秒", "素材在盘里,剪成 90 秒"):
        expect_equal("WORDS-09", read(text), weak, f"what “{text}” states")
    whole = [(Measure("duration", "90"), True)]
    for text in ("素材在盘里,成片剪成 90 秒", "素材在盘里,片长 90 秒"):
        expect_equal("WORDS-09", read(text), whole, f"what “{text}” states")


@proves("WORDS-10")
def test_only_the_new_one_of_a_change_is_read_and_nothing_refused_or_open() -> None:
    old = [measure for measure, _ in read("帧率 24 改成 60") if measure.value == "24"]
    expect_equal("WORDS-10", old, [], "what is read of the value that is changed into another")
    others_hold("WORDS-10", "WORDS-12")
    for text, measure in (
        ("帧率 24 改成 60", Measure("frame_rate", "60")),
        ("分辨率从 4K 降到 1080", Measure("resolution", "1080")),
        ("片长 3 分钟压到 90 秒", Measure("duration", "90")),
    ):
        expect_equal("WORDS-10", read(text), [(measure, True)], f"what “{text}” states")
    for text in ("24 或 30", "片长 60 或 90 秒", "片长 90 秒还是 2 分钟", "别做成 16:9"):
        expect_equal("WORDS-10", read(text), [], f"what “{text}” states")
    decided("WORDS-10", NOT_CHOSEN)


@proves("WORDS-11")
def test_what_is_no_number_of_a_film_is_none_for_a_check_either() -> None:
    others_hold("WORDS-11")
    decided("WORDS-11", DISCARDED)


@proves("WORDS-12")
def test_a_number_is_a_target_where_its_item_is_named_or_a_verb_shapes_it() -> None:
    for text in ("片长约 2 分钟", "分辨率 1080p", "画幅 9:16", "帧率 30"):
        weak = [measure for measure, target in read(text) if not target]
        expect_equal("WORDS-12", weak, [], f"what “{text}” states beside the target")
    others_hold("WORDS-12", "WORDS-10")
    for text, measure, target in VERBATIM:
        expect_equal("WORDS-12", read(text), [(measure, target)], f"what “{text}” states")
    for phrase in TARGET:
        wanted = [(measure, True) for measure in phrase.read()]
        expect_equal("WORDS-12", read(phrase.text()), wanted, f"what “{phrase.text()}” states")
        targets = [measure for measure, target in read(phrase.without()) if target]
        expect_equal("WORDS-12", targets, [], f"targets in “{phrase.without()}”")


@proves("WORDS-12")
def test_a_weak_number_is_proposed_only_while_there_is_no_target(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "约 90 秒")
    expect_equal("WORDS-16", proposed(home), ["duration about 90"], "proposed of the one number that was said")
    says(home, "片长改成 2 分钟")
    expect_equal("WORDS-12", proposed(home), ["duration bare 120"], "proposed once there is a target")
    says(home, "约 60 秒")
    expect_equal("WORDS-12", proposed(home), ["duration bare 120"], "proposed after a weak number")
    says(home, "片长改成 3 分钟")
    expect_equal("WORDS-12", proposed(home), ["duration bare 180"], "proposed after another target")


def test_every_phrase_that_states_nothing_states_nothing() -> None:
    for text in NOTHING:
        assert measured_words.stated(text) == [], text


def test_the_same_value_in_other_words() -> None:
    first, *others = (measured_words.stated(text)[0] for text in ("约 2 分钟", "2 分钟左右", "片长 120 秒"))
    assert all(measures.same(first.measure, other.measure) for other in others)
    for text in ("片长 115 秒", "片长改成 130 秒"):
        assert not measures.same(first.measure, measured_words.stated(text)[0].measure)
    assert measured_words.stated("片长 2 分钟") == [Stated(Measure("duration", "120"), True)]


# ---------------------------------------------------------------- with any number and thing


@given(varied((*WEAK, *BOUNDED, *BY_ITSELF, *TARGET, *WHOLE_LINE, *NARROW)))
def test_any_number_and_thing_are_read_alike(case: tuple[Phrase, str, str]) -> None:
    phrase, number, thing = case
    found = [measure for measure, _ in read(phrase.text(number, thing))]
    assert found == list(phrase.read(number))
    assert read(phrase.without(number, thing)) != read(phrase.text(number, thing))
