"""The phrases of the rules, word for word, each with what it has to be read as."""

from fractions import Fraction
from pathlib import Path

from filming import film, hands_over, proposal, proposed, says
from scribing import ROOM, dropped, entries, row, studio, times
from scribing import says as told

from harness.expect import expect, expect_equal, proves
from threadrebuild.checking import media
from threadrebuild.collab import complaints, events, films, measured_words, measures, nature, requirements
from threadrebuild.collab.figures import Bound
from threadrebuild.collab.measures import Measure

# ---------------------------------------------------------------- what the ledger reads


def seconds(value: int, bound: Bound = "bare") -> Measure:
    """A duration."""
    return Measure("duration", str(value), bound)


NO_NUMBER = {
    "REQ-X01": ("第 3 秒",),
    "REQ-X02": ("12 秒处",),
    "REQ-X03": ("前 3 秒",),
    "REQ-X04": ("logo 放在 3 秒",),
    "REQ-X05": ("字幕定在 5 秒",),
    "REQ-X06": ("3-5 分钟",),
    "REQ-X07": ("一两分钟",),
    "REQ-X08": ("5 分钟内回复我",),
    "REQ-X09": ("限你 3 分钟弄完",),
    "REQ-X10": ("给你 10 分钟",),
    "REQ-X11": ("等 5 分钟",),
    "REQ-X12": ("渲染要 20 分钟",),
    "REQ-X13": ("3 分钟前",),
    "REQ-X14": ("半小时左右能好吗",),
    "REQ-X15": ("预计 30 分钟出片",),
    "REQ-X16": ("2k 字",),
    "REQ-X17": ("不要 4K",),
    "REQ-X18": ("不是 3 分钟",),
    "REQ-X22": ("比分 2:1",),
    "REQ-X23": ("24 帧",),
    "REQ-X25": ("90s 港风",),
    "REQ-X26": ("80s 复古",),
    "REQ-X33": ("横幅", "竖幅"),
}
ONE_NUMBER = (
    ("REQ-X19", "剪成 90 秒发给我", seconds(90)),
    ("REQ-X20", "压在 90 秒以内", seconds(90, "at_most")),
    ("REQ-X21", "时长定在 90 秒", seconds(90)),
    ("REQ-X27", "不要超过 3 分钟", seconds(180, "at_most")),
    ("REQ-X28", "不能少于 2 分钟", seconds(120, "at_least")),
    ("REQ-X29", "至少要 2 分钟", seconds(120, "at_least")),
    ("REQ-X30", "能不能改成 90 秒", seconds(90)),
    ("REQ-X31", "要不要 4K", Measure("resolution", "2160")),
    ("REQ-X32", "竖屏", Measure("aspect", "portrait")),
    ("REQ-X32", "横屏", Measure("aspect", "landscape")),
    ("REQ-X34", "1分30秒", seconds(90)),
    ("REQ-X35", "2m30s", seconds(150)),
)


@proves("REQ-X01", "REQ-X02", "REQ-X03", "REQ-X04", "REQ-X05", "REQ-X06", "REQ-X07", "REQ-X08", "REQ-X09", "REQ-X10")
@proves("REQ-X11", "REQ-X12", "REQ-X13", "REQ-X14", "REQ-X15", "REQ-X16", "REQ-X17", "REQ-X18", "REQ-X22", "REQ-X23")
@proves("REQ-X25", "REQ-X26", "REQ-X33")
def test_what_is_no_number_to_the_ledger() -> None:
    for rule, phrases in NO_NUMBER.items():
        for text in phrases:
            expect_equal(rule, measures.in_words(text), [], f"what “{text}” gives")


@proves("REQ-X19", "REQ-X20", "REQ-X21", "REQ-X24", "REQ-X27", "REQ-X28", "REQ-X29")
@proves("REQ-X30", "REQ-X31", "REQ-X32", "REQ-X34", "REQ-X35")
def test_what_is_a_number_to_the_ledger() -> None:
    for rule, text, wanted in ONE_NUMBER:
        expect_equal(rule, measures.in_words(text), [wanted], f"what “{text}” gives")
    for form in ("帧率 N", "N fps", "每秒 N 帧"):
        for number in ("24", "60"):
            text = form.replace("N", number)
            expect_equal("REQ-X24", measures.in_words(text), [Measure("frame_rate", number)], f"what “{text}” gives")
    for rule, text in (("REQ-X30", "能不能改成 90 秒"), ("REQ-X31", "要不要 4K")):
        expect_equal(rule, measured_words.stated(text), [], f"what “{text}” states for a check")


@proves("REQ-X38", "REQ-X39")
def test_a_number_alone_is_a_quote_however_short(tmp_path: Path) -> None:
    for rule, line, quote in (
        ("REQ-X38", "90 秒", "90 秒"),
        ("REQ-X38", "4K", "4K"),
        ("REQ-X38", "16:9", "16:9"),
        ("REQ-X39", "我想了想,这支宣传片要放在店里的大屏上循环播,所以片长 2 分钟,别的你看着办", "片长 2 分钟"),
    ):
        home, plan = studio(tmp_path / quote.replace(":", "."))
        told(home, f"@导演 {line}", plan, add=[row(quote)])
        expect_equal(rule, (entries(home), dropped(home)), ([quote], []), f"what is recorded of “{line}”")


@proves("REQ-X36", "REQ-X37")
def test_another_number_is_proposed_and_the_same_one_is_said_again(tmp_path: Path) -> None:
    for operation in ("add", "change"):
        home, plan = studio(tmp_path / operation)
        told(home, "@导演 约 2 分钟", plan, add=[row("约 2 分钟")])
        again = {operation: [row("还是约 2 分钟吧", entry=1)]}
        told(home, "@导演 还是约 2 分钟吧", plan, **again)
        found = (entries(home), entries(home, "pending"), times(home, "约 2 分钟"))
        expect_equal("REQ-X37", found, (["约 2 分钟"], [], 2), f"the same number, by {operation}")
        other = {operation: [row("改成 3 分钟", entry=1)]}
        told(home, "@导演 改成 3 分钟", plan, **other)
        found_then = (entries(home), entries(home, "pending"))
        expect_equal("REQ-X36", found_then, (["约 2 分钟"], ["改成 3 分钟"]), f"another number, by {operation}")


@proves("REQ-X40", "REQ-X41", "REQ-X42", "REQ-X43")
def test_what_is_said_for_every_film_and_what_for_one(tmp_path: Path) -> None:
    for rule, phrase in (
        ("REQ-X40", "以后每部片都要"),
        ("REQ-X40", "每部片都要"),
        ("REQ-X41", "这个系列一直用"),
        ("REQ-X42", "以后都这样"),
    ):
        home, plan = studio(tmp_path / phrase)
        told(home, f"@导演 片尾放店名，{phrase}", plan, add=[row("片尾放店名", every=True)])
        following = home.opened("下一部片", to=ROOM)
        spans = [each["span"] for each in requirements.applying(home.db, following)]
        expect_equal(rule, spans, ["片尾放店名"], f"what the next film has of “{phrase}”")
    home, plan = studio(tmp_path / "one")
    wishes = ("要还原真实的比赛镜头", "对手的形象", "完全看不出来英雄角色")
    told(home, f"@导演 {'，'.join(wishes)}", plan, add=[row(words, nature="craft") for words in wishes])
    expect_equal("REQ-X43", entries(home), list(wishes), "what the film itself has")
    following = home.opened("下一部片", to=ROOM)
    expect_equal("REQ-X43", requirements.applying(home.db, following), [], "what the next film has of it")


@proves("REQ-X44", "REQ-X45", "REQ-X46", "REQ-X47", "REQ-X48")
def test_what_nature_the_words_of_an_old_entry_have() -> None:
    for rule, text, wanted in (
        ("REQ-X44", "这次数据要和上个月一致", "other"),
        ("REQ-X45", "画风统一", "craft"),
        ("REQ-X45", "色调一致", "craft"),
        ("REQ-X46", "色调偏冷", "look"),
        ("REQ-X46", "色调要暖", "look"),
        ("REQ-X47", "左手", "series"),
        ("REQ-X48", "背景要连贯", "craft"),
        ("REQ-X48", "背景连贯", "craft"),
    ):
        expect_equal(rule, nature.of_words(text), wanted, f"the nature of “{text}”")


@proves("REQ-X49", "REQ-X50", "REQ-X51")
def test_a_change_in_words_waits_and_a_quote_stays_in_the_users_words(tmp_path: Path) -> None:
    pending = "SELECT n.span, o.span, n.category FROM requirements n JOIN requirements o ON o.id = n.replaces"
    board, plan = studio(tmp_path / "board")
    board.happens(events.BoardEdited, plan=plan, rules=("机械臂在左手",))
    told(board, "@导演 机械臂改成右手", plan, change=[row("机械臂改成右手", entry=1, category="设定")])
    expect_equal("REQ-X49", board.rows(pending), [("机械臂改成右手", "机械臂在左手", "设定")], "what waits")
    expect_equal("REQ-X49", entries(board), ["机械臂在左手"], "what is in force")

    home, plan = studio(tmp_path / "basis")
    told(home, "@导演 用原创风格化角色", plan, add=[row("原创风格化角色", category="风格")])
    basis = "改成基于英雄联盟地图 + 英雄模型 + 真人模型的形式来还原"
    told(home, f"@导演 {basis}", plan, change=[row(basis, entry=1, category="形式")])
    expect_equal("REQ-X50", home.rows(pending), [(basis, "原创风格化角色", "形式")], "what waits")

    leaps, plan = studio(tmp_path / "leaps")
    told(leaps, "@导演 前三镜背景严重跳跃", plan, add=[row("前三镜背景严重跳跃", paraphrase="前三镜背景要连贯")])
    found = leaps.rows("SELECT span, paraphrase FROM requirements")
    expect_equal("REQ-X51", found, [("前三镜背景严重跳跃", "前三镜背景要连贯")], "quote and paraphrase")


@proves("REQ-X52")
def test_words_of_bad_quality() -> None:
    for word in ("太假", "不对", "跳跃", "穿帮", "反了", "太短", "重做", "不行", "有问题", "错乱"):
        expect("REQ-X52", complaints.found_in(f"这里{word}"), f"“{word}” complains")
    expect("REQ-X52", not complaints.found_in("这里很好"), "praise does not")


# ---------------------------------------------------------------- what is read for a check

NOTHING = {
    "WORDS-X13": ("太长了,改成 2 分钟",),
    "WORDS-X14": ("能不能改成 90 秒?",),
    "WORDS-X15": ("这版改成 90 秒",),
    "WORDS-X16": ("上一版 107 秒太短了",),
    "WORDS-X17": ("107 秒左右,短了",),
    "WORDS-X18": ("你剪成 107 秒了,太短",),
    "WORDS-X19": ("横屏的也做一版", "竖版的也要", "横屏版"),
    "WORDS-X20": ("抖音版 30 秒左右",),
    "WORDS-X21": ("开头控制在 5 秒以内",),
    "WORDS-X22": ("logo 在 5 秒左右出现",),
    "WORDS-X23": ("C09 做成竖屏",),
    "WORDS-X24": ("C09 这个镜头,时长 8 秒",),
    "WORDS-X26": ("素材 20 分钟",),
    "WORDS-X27": ("像苹果那支 90 秒的广告那样",),
    "WORDS-X29": ("不要剪成 90 秒",),
    "WORDS-X30": ("别压到 60 秒以下",),
    "WORDS-X33": ("24 或 30",),
    "WORDS-X34": ("不要 4K", "别做成 16:9"),
    "WORDS-X35": ("1 分钟左右切到产品",),
    "WORDS-X36": ("90s 港风", "90s 那种感觉"),
    "WORDS-X37": ("2 小时以内搞出来",),
    "WORDS-X38": ("这个任务大概 3 小时",),
    "WORDS-X39": ("比分 2:1",),
    "WORDS-X40": ("24 帧", "淡出 24 帧"),
    "WORDS-X41": ("预算 2k", "报价 4k", "码率 8k"),
}
STATED = (
    ("WORDS-X01", "约 2 分钟", "duration", False, ("108", "132")),
    ("WORDS-X01", "2 分钟左右", "duration", False, ("108", "132")),
    ("WORDS-X02", "片长约 2 分钟", "duration", True, ("108", "132")),
    ("WORDS-X03", "2 分钟以上", "duration", False, ("120", None)),
    ("WORDS-X03", "不少于 2 分钟", "duration", False, ("120", None)),
    ("WORDS-X04", "90 秒以内", "duration", False, (None, "90")),
    ("WORDS-X04", "不要超过 90 秒", "duration", False, (None, "90")),
    ("WORDS-X05", "不要超过 2 分钟", "duration", False, (None, "120")),
    ("WORDS-X06", "约 90 秒", "duration", False, ("81", "99")),
    ("WORDS-X07", "改成 3 分钟", "duration", True, ("162", "198")),
    ("WORDS-X07", "片长 3 分钟", "duration", True, ("162", "198")),
    ("WORDS-X08", "片长改成 2 分钟", "duration", True, ("108", "132")),
    ("WORDS-X09", "剪成 90 秒发给我", "duration", True, ("81", "99")),
    ("WORDS-X10", "1080p 就行", "resolution", False, ("972", "1188")),
    ("WORDS-X11", "要竖屏", "aspect", False, (None, "1")),
    ("WORDS-X12", "片子差不多 107 秒", "duration", False, ("96.3", "117.7")),
    ("WORDS-X25", "加中英字幕,片长约 2 分钟", "duration", True, ("108", "132")),
    ("WORDS-X28", "把素材剪成 90 秒", "duration", False, ("81", "99")),
    ("WORDS-X31", "帧率 24 改成 60", "frame_rate", True, ("54", "66")),
    ("WORDS-X32", "分辨率从 4K 降到 1080", "resolution", True, ("972", "1188")),
    ("WORDS-X42", "画幅 9:16", "aspect", True, ("0.556875", "0.568125")),
    ("WORDS-X43", "帧率 30", "frame_rate", True, ("27", "33")),
    ("WORDS-X44", "做成竖屏", "aspect", True, (None, "1")),
    ("WORDS-X48", "1080p", "resolution", False, ("972", "1188")),
    ("WORDS-X48", "1920×1080", "resolution", False, ("972", "1188")),
    ("WORDS-X49", "4K", "resolution", False, ("1944", "2376")),
)
"""Each with its item, whether it is a target, and the least and the most that a film may then have."""
SAYS_NOTHING = (
    ("WORDS-L01", ("吗", "？", "?", "能不能", "要不要", "怎么样", "你觉得", "试试")),
    ("WORDS-L02", ("如果", "会不会", "的话")),
    ("WORDS-L03", ("短了", "有点短", "偏长")),
    ("WORDS-L04", ("上一版", "这版", "这次", "第一版", "之前", "原来", "现在", "你交的", "只有", "才", "已经")),
    ("WORDS-L04", ("显示", "为什么", "怎么", "比要求的……", "粗剪", "完整版", "可以", "还行", "107 秒了")),
    ("WORDS-L05", ("我拍的是", "相机", "客户给的", "显示器", "ffprobe")),
    ("WORDS-L06", ("横屏的也做一版", "竖版的也要", "抖音版 30 秒左右", "横屏版")),
    ("WORDS-L07", ("照片", "海报", "封面", "壁纸", "配图", "动图", "KV", "界面")),
)


@proves("WORDS-X13", "WORDS-X14", "WORDS-X15", "WORDS-X16", "WORDS-X17", "WORDS-X18", "WORDS-X19", "WORDS-X20")
@proves("WORDS-X21", "WORDS-X22", "WORDS-X23", "WORDS-X24", "WORDS-X26", "WORDS-X27", "WORDS-X29", "WORDS-X30")
@proves("WORDS-X33", "WORDS-X34", "WORDS-X35", "WORDS-X36", "WORDS-X37", "WORDS-X38", "WORDS-X39", "WORDS-X40")
@proves("WORDS-X41")
def test_what_states_nothing_of_a_film() -> None:
    for rule, phrases in NOTHING.items():
        for text in phrases:
            expect_equal(rule, measured_words.stated(text), [], f"what “{text}” states")


@proves("WORDS-X01", "WORDS-X02", "WORDS-X03", "WORDS-X04", "WORDS-X05", "WORDS-X06", "WORDS-X07", "WORDS-X08")
@proves("WORDS-X09", "WORDS-X10", "WORDS-X11", "WORDS-X12", "WORDS-X25", "WORDS-X28", "WORDS-X31", "WORDS-X32")
@proves("WORDS-X42", "WORDS-X43", "WORDS-X44", "WORDS-X48", "WORDS-X49")
def test_what_states_a_number_of_a_film() -> None:
    for rule, text, item, target, (least, most) in STATED:
        wanted = [(item, target, (least and Fraction(least), most and Fraction(most)))]
        found = [
            (each.measure.item, each.target, measures.limits(each.measure)) for each in measured_words.stated(text)
        ]
        expect_equal(rule, found, wanted, f"what “{text}” states, and what a film may then have")


@proves("WORDS-X45", "WORDS-X46", "WORDS-X47")
def test_what_is_the_same_number_and_what_is_another(tmp_path: Path) -> None:
    home = film(tmp_path / "lines")
    same = ("约 2 分钟", "2 分钟左右", "片长 120 秒")
    says(home, same[0])
    known = proposal(home)
    says(home, *same[1:])
    expect_equal("WORDS-X45", (proposal(home), len(proposed(home))), (known, 1), f"proposals after {same}")
    for text, wanted in (("片长 115 秒", "duration bare 115"), ("片长改成 130 秒", "duration bare 130")):
        says(home, text)
        expect_equal("WORDS-X46", proposed(home), [wanted], f"proposals after “{text}”")
    board = film(tmp_path / "board")
    goal = "剪一支约 60 秒的宣传片"
    board.happens(events.BoardEdited, plan=1, goal=goal)
    board.happens(events.BoardEdited, plan=1, goal=f"{goal},加字幕")
    said = board.value("SELECT count(*) FROM film_statements")
    expect_equal("WORDS-X47", (proposed(board), said), (["duration about 60"], 1), "proposals, and how often it counts")


@proves("WORDS-X50")
def test_a_film_that_is_turned_as_it_plays_is_upright() -> None:
    shown = {"width": 1920, "height": 1080, "side_data_list": [{"rotation": 90}]}
    seen = media.seen(shown, {"duration": "60"})
    flat = media.seen({"width": 1920, "height": 1080}, {"duration": "60"})
    portrait = Measure("aspect", "portrait")
    found = (measures.meets(portrait, seen), measures.meets(portrait, flat))
    expect_equal("WORDS-X50", found, (True, False), "whether it is portrait: turned, and not")


@proves("WORDS-L01", "WORDS-L02", "WORDS-L03", "WORDS-L04", "WORDS-L05", "WORDS-L06", "WORDS-L07")
def test_words_with_which_a_whole_line_states_nothing() -> None:
    for rule, words in SAYS_NOTHING:
        expect_equal(rule, len(measured_words.stated("片长 2 分钟")), 1, "what the line states without them")
        for word in words:
            for text in (f"片长 2 分钟,{word}", f"{word},片长 2 分钟"):
                expect_equal(rule, measured_words.stated(text), [], f"what “{text}” states")


# ---------------------------------------------------------------- which file is measured

NOT_MEASURED = (
    ("WORDS-F02", ("master_shot_03.mp4",)),
    ("WORDS-F04", ("C09_final.mp4",)),
    ("WORDS-F05", ("EP01_MASTER_9x16.mp4",)),
    ("WORDS-F06", ("EP01_30s_MASTER.mp4",)),
    ("WORDS-F07", ("EP01_douyin_MASTER.mp4",)),
    ("WORDS-F08", ("EP01_trailer_MASTER.mp4",)),
    ("WORDS-F09", ("intro_MASTER.mp4",)),
    ("WORDS-F10", ("logo_sting_final.mp4",)),
    ("WORDS-F11", ("EP01_MASTER_720p_preview.mp4",)),
    ("WORDS-F12", ("EP01_MASTER_proxy.mp4",)),
    ("WORDS-F13", ("竖版_MASTER.mp4", "片头_MASTER.mp4", "镜头_MASTER.mp4")),
    ("WORDS-F14", tuple(f"{folder}MASTER.mp4" for folder in ("footage/", "raw/", "ref/", "素材/", "参考/"))),
)


@proves("WORDS-F02", "WORDS-F03", "WORDS-F04", "WORDS-F05", "WORDS-F06", "WORDS-F07", "WORDS-F08", "WORDS-F09")
@proves("WORDS-F10", "WORDS-F11", "WORDS-F12", "WORDS-F13", "WORDS-F14")
def test_a_file_that_is_not_measured() -> None:
    for rule, paths in NOT_MEASURED:
        expect(rule, films.rank("deliverables/EP01_MASTER_v1.mp4", "work/001") is not None, "a master is measured")
        for path in paths:
            expect_equal(rule, films.rank(f"deliverables/{path}", "work/001"), None, f"the rank of {path}")
    expect_equal("WORDS-F03", films.rank("EP01finale.mp4", "work/001"), None, "the rank of what is no final film")


@proves("WORDS-F01")
def test_a_master_that_is_shown_again_is_as_old_as_it_was(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长约 2 分钟")
    older, newer = (f"deliverables/EP01_MASTER_v{number}.mp4" for number in (1, 2))
    for path, wanted in ((older, older), (newer, newer), (older, newer)):
        hands_over(home, path)
        expect_equal("WORDS-F01", home.value("SELECT matched FROM checks"), wanted, f"the film after {path}")
