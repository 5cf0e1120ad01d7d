"""What the scribe answers, checked row by row: what holds of it lands in the ledger, and the rest is dropped."""

import json
from pathlib import Path

from evening import Evening
from scribing import FILM, ROOM, asked, comes, dropped, entries, number, row, says, scribes, studio_at_work, times

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, requirements

STANDS = "SELECT scope, ticket, session, plan FROM requirements WHERE span = ?"


def stands(home: Evening, words: str) -> tuple[str, int | None, int | None, int]:
    """What an entry is for: scope, ticket, conversation, and the plan that recorded it."""
    found = home.rows(STANDS, words)
    expect_equal("SCRB-12", len(found), 1, f"entries on {words!r}")
    scope, ticket, session, plan = found[0]
    return scope, ticket, session, plan


def replaces(home: Evening) -> list[tuple[str, str, str, str]]:
    """The pending replacements: their words, what they would replace, their category, and that one's state."""
    return [
        (words, old, category, state)
        for words, old, category, state in home.rows(
            "SELECT n.span, o.span, n.category, o.state FROM requirements n JOIN requirements o ON o.id = n.replaces"
            " WHERE n.state = 'pending' ORDER BY n.id"
        )
    ]


@proves("SCRB-07", "REQ-03", "REQ-04")
def test_a_patch_adds_says_again_and_changes_and_takes_nothing_away(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(home, "@导演 背景要连贯,字幕用宋体", plan, add=[row("背景要连贯"), row("字幕用宋体")])
    before = entries(home)
    expect_equal("SCRB-07", before, ["背景要连贯", "字幕用宋体"], "what was added")
    says(
        home,
        "@导演 背景要连贯,字幕改用黑体",
        plan,
        again=[row("背景要连贯", entry=1)],
        change=[row("字幕改用黑体", entry=2)],
        delete=[1, 2],
        requirements=[],
        superseded=[1],
    )
    expect_equal("SCRB-07", times(home, "背景要连贯"), 2, "how often the one was said")
    expect_equal("SCRB-07", replaces(home), [("字幕改用黑体", "字幕用宋体", "", "active")], "the change")
    expect_equal("SCRB-07", entries(home), before, "what is in force after an answer that deletes")
    says(home, "@导演 标题用红色", plan, add=[row("标题用红色")])
    expect_equal("SCRB-07", entries(home), [*before, "标题用红色"], "what is in force after an answer that says less")


@proves("SCRB-09")
def test_each_row_stands_on_the_lines_own_words_or_is_dropped_alone(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(
        home,
        "@导演 第 1、2 镜,背景　要连贯!字幕用宋体",
        plan,
        add=[
            row("背景要连贯", paraphrase="前后一致"),
            row("背景不要连贯"),
            row("", paraphrase="要 4K"),
            {"paraphrase": "没有引文"},
            row("字幕用宋体", nature="made up"),
            row("字幕用宋体", tickets="all"),
            17,
            row("字幕用宋体"),
        ],
        again=[row("字幕用宋体", entry=2**70), row("字幕用宋体", entry=-1)],
    )
    short = "SELECT count(*) FROM work_events WHERE type = 'scribe.dropped' AND body LIKE '%\"number\": 0, %too short%'"
    expect_equal("SCRB-10", home.value(short), 0, "first rows that are too short")
    expect_equal("SCRB-09", entries(home), ["背景　要连贯", "字幕用宋体"], "what is recorded, in the line's own words")
    reasons = dropped(home)
    expect_equal("SCRB-09", len(reasons), 8, "rows dropped, each with a reason on record")
    expect("SCRB-09", "its quote is not in the line" in reasons, f"why: {reasons}")


@proves("SCRB-10")
def test_a_quote_says_something_by_itself(tmp_path: Path) -> None:
    cases = (
        ("@导演 人物要稳,好", "好", False),
        ("@导演 人物要稳,好", "人物要", False),
        ("@导演 人物要稳,好", "人、物、要", False),
        ("@导演 人物要稳,好", "人物要稳", True),
        ("太暗", "太暗", True),
        ("太暗!", "太", False),
        ("@导演 竖着拍,4K", "4K", True),
        ("@导演 剪成 90 秒给我", "90 秒", True),
        ("@导演 剪成 90 秒给我", "给我", False),
    )
    for nth, (line, quote, kept) in enumerate(cases):
        for operation in ("add", "change"):
            home, plan = studio_at_work(tmp_path / f"{nth}{operation}")
            says(home, "@导演 背景要连贯", plan, add=[row("背景要连贯")])
            expect("SCRB-09", "its quote is not in the line" not in dropped(home), "the quote is in the line")
            expect_equal("SCRB-10", entries(home), ["背景要连贯"], "what is there already")
            home.say(line, to=ROOM, files=[plan])
            scribes(home, **{operation: [row(quote, entry=1)]})
            shown = [each for each in dropped(home) if "was not shown" in each]
            expect_equal("SCRB-11", shown, [], "rows that point at nothing")
            found = [words for (words,) in home.rows("SELECT span FROM requirements WHERE id > 1")]
            expect_equal("SCRB-10", found, [quote] if kept else [], f"{operation} on {quote!r} of {line!r}")
            landed = [] if kept else ["its quote is too short to say anything"]
            expect_equal("SCRB-10", dropped(home), landed, f"what is dropped: {operation} on {quote!r} of {line!r}")


@proves("SCRB-11")
def test_a_row_points_at_what_was_shown_and_is_still_in_force(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    other = home.opened("海报", to=ROOM)
    says(home, "@导演 背景要连贯,字幕用宋体", plan, add=[row("背景要连贯"), row("字幕用宋体")])
    says(home, "@导演 海报要红色的", other, add=[row("海报要红色的")])
    home.say("@导演 背景要连贯些,字幕大一点", to=ROOM, files=[plan])
    home.happens(events.RequirementActed, requirement=2, plan=plan, action="no_longer_applies")
    scribes(
        home,
        again=[row("背景要连贯", entry=1), row("字幕大一点", entry=2), row("字幕大一点", entry=3)],
        change=[row("字幕大一点", entry=2), row("字幕大一点", entry=3), row("字幕大一点", entry=9)],
    )
    expect_equal(
        "SCRB-11",
        dropped(home),
        [
            "entry 2 is not in force any more",
            "entry 3 was not shown",
            "entry 9 was not shown",
            "entry 2 is not in force any more",
            "entry 3 was not shown",
        ],
        "rows dropped",
    )
    said = [times(home, words) for words in ("背景要连贯", "字幕用宋体", "海报要红色的")]
    expect_equal("SCRB-11", said, [2, 1, 1], "how often each was said")


@proves("SCRB-12", "REQ-28", "REQ-29")
def test_what_a_new_entry_is_for(tmp_path: Path) -> None:
    cases = (
        ({"tickets": [1]}, False, "ticket 1"),
        ({"tickets": [2]}, True, "ticket 2"),
        ({"tickets": [1, 2]}, False, "plan"),
        ({"tickets": [1, 2]}, True, "plan"),
        ({"tickets": [7]}, False, "plan"),
        ({}, True, "ticket 1"),
        ({}, False, "plan"),
        ({"every": True}, False, "conversation"),
        ({"every": True, "tickets": [1]}, False, "ticket 1"),
        ({"every": True}, True, "conversation"),
        ({"nature": "craft"}, False, "plan"),
        ({"nature": "look"}, False, "plan"),
        ({"nature": "series"}, False, "plan"),
    )
    for nth, (more, filed_under, wanted) in enumerate(cases):
        home, plan = studio_at_work(tmp_path / str(nth), tickets=("片头", "镜头一"))
        tickets = [ticket for (ticket,) in home.rows("SELECT id FROM tickets ORDER BY number")]
        says(
            home,
            "@导演 要还原真实的比赛镜头",
            plan,
            ticket=tickets[0] if filed_under else None,
            add=[row("要还原真实的比赛镜头", **more)],
        )
        scope, ticket, session, of = stands(home, "要还原真实的比赛镜头")
        found = f"ticket {tickets.index(ticket) + 1}" if ticket is not None else scope
        expect_equal("SCRB-12", found, wanted, f"what it is for: {more}, filed under a ticket: {filed_under}")
        in_chat = home.session(ROOM) if wanted == "conversation" else None
        expect_equal("SCRB-12", (session, of), (in_chat, plan), f"its conversation and plan: {more}")


@proves("REQ-28", "REQ-29")
def test_what_is_said_of_one_plan_binds_that_plan_and_what_is_said_of_all_the_next_one(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    only = ("要还原真实的比赛镜头", "对手的形象", "完全看不出来英雄角色")
    says(home, f"@导演 {'，'.join(only)}", plan, add=[row(words, nature="craft", category="还原") for words in only])
    every = "以后每部片都要片尾放店名"
    says(home, f"@导演 {every}", plan, add=[row(every, every=True)])
    other = home.opened("下一部片", to=ROOM)
    seen = [each["span"] for each in requirements.applying(home.db, other)]
    expect_equal("REQ-29", [words for words in seen if words in only], [], "wishes for one plan, seen in another")
    expect_equal("REQ-28", seen, [every], "wishes that apply to the next plan")
    home.say("@导演 开工", to=ROOM, files=[other])
    context = home.context(home.turns("导演")[-1]["id"])
    wishes = next(part for part in context.split("\n\n") if part.startswith("# 用户要求"))
    expect("REQ-29", not any(words in wishes for words in only), "a Bot at the other plan reads none of them")
    expect("REQ-28", every in wishes, f"a Bot at the next plan reads the wish for all: {wishes}")


@proves("SCRB-13", "REQ-33")
def test_the_same_words_in_force_here_are_one_more_saying(tmp_path: Path) -> None:
    words = "片尾放店名"
    scopes = {"ticket 1": {"tickets": [1]}, "ticket 2": {"tickets": [2]}, "plan": {}, "conversation": {"every": True}}
    absorbs = {
        "ticket 1": ["ticket 1"],
        "ticket 2": ["ticket 2"],
        "plan": ["ticket 1", "ticket 2", "plan"],
        "conversation": ["ticket 1", "ticket 2", "plan", "conversation"],
    }
    for old, old_more in scopes.items():
        for new, new_more in scopes.items():
            home, plan = studio_at_work(tmp_path / f"{old}-{new}", tickets=("片头", "镜头一"))
            says(home, f"@导演 {words}", plan, add=[row(words, **old_more)])
            expect_equal("SCRB-12", dropped(home), [], f"rows dropped: for {old}")
            says(home, "@导演 再说一遍,片尾,放店名", plan, add=[row("片尾,放店名", **new_more)])
            expect_equal("SCRB-12", dropped(home), [], f"rows dropped: for {old}, then for {new}")
            one = new in absorbs[old]
            expect_equal("SCRB-13", len(entries(home)), 1 if one else 2, f"entries: for {old}, then for {new}")
            expect_equal("SCRB-13", times(home, words), 2 if one else 1, f"sayings: for {old}, then for {new}")
    home, plan = studio_at_work(tmp_path / "aside")
    other = home.opened("下一部片", to=ROOM)
    says(home, f"@导演 {words}", plan, add=[row(words, every=True)])
    home.happens(events.RequirementActed, requirement=1, plan=other, action="not_for_this_plan")
    expect_equal("SCRB-13", requirements.applying(home.db, other), [], "what applies where it was set aside")
    says(home, f"@导演 {words}", other, add=[row(words)])
    applies = [each["span"] for each in requirements.applying(home.db, other)]
    expect_equal("SCRB-13", (applies, len(entries(home))), ([words], 1), "what applies once it is said there again")


@proves("SCRB-14")
def test_no_more_than_eight_new_entries_come_of_a_line(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    words = [f"第{nth}条要求" for nth in "一二三四五六七八九"]
    line = says(home, f"@导演 {'，'.join(words)}", plan, add=[row(each) for each in words])
    expect("SCRB-13", entries(home) + dropped(home), "the rows are new entries, or dropped")
    expect_equal("SCRB-14", entries(home), words[:8], "the entries of a line with nine wishes")
    home.happens(events.Edited, message=line, text=f"@导演 {'，'.join(words)}，第十条要求")
    scribes(home, add=[row("第十条要求")])
    expect_equal("SCRB-14", len(entries(home)), 8, "the entries of the line once it is edited")
    while asked(home) is not None:
        scribes(home)
    says(home, f"@导演 {words[8]}", plan, add=[row(words[8])])
    expect_equal("SCRB-14", entries(home), words, "the entries once another line says the ninth")


@proves("SCRB-15", "REQ-05")
def test_another_value_for_a_number_is_proposed_and_the_same_is_one_more_saying(tmp_path: Path) -> None:
    for operation in ("change", "add"):
        home, plan = studio_at_work(tmp_path / operation)
        says(home, "@导演 片子约 2 分钟", plan, add=[row("约 2 分钟", category="时长")])
        says(home, "@导演 还是约 2 分钟吧", plan, **{operation: [row("约 2 分钟", entry=1, category="别的")]})
        expect_equal("SCRB-15", (times(home, "约 2 分钟"), replaces(home)), (2, []), f"the same value, by {operation}")
        says(home, "@导演 改成 3 分钟", plan, **{operation: [row("改成 3 分钟", entry=1, category="别的")]})
        wanted = [("改成 3 分钟", "约 2 分钟", "别的", "active")]
        expect_equal("REQ-05", replaces(home), wanted, f"another value, by {operation}")
        expect_equal("REQ-05", entries(home), ["约 2 分钟"], f"what is in force, by {operation}")
        says(home, "@导演 时长2 分钟左右", plan, **{operation: [row("时长2 分钟左右", entry=1)]})
        expect_equal("SCRB-15", (times(home, "约 2 分钟"), replaces(home)), (3, wanted), f"reworded, by {operation}")
    home.happens(events.RequirementActed, requirement=2, plan=plan, action="confirm")
    expect_equal("REQ-05", entries(home), ["改成 3 分钟"], "what is in force once the user has confirmed it")


@proves("REQ-05")
def test_the_number_of_a_ticket_is_none_of_its_films(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, tickets=("镜头一",))
    says(home, "@导演 片子约 2 分钟", plan, add=[row("约 2 分钟")])
    says(home, "@导演 这里剪成 8 秒", plan, add=[row("剪成 8 秒", tickets=[1])])
    expect_equal("REQ-05", entries(home), ["约 2 分钟", "剪成 8 秒"], "the numbers of a film and of a ticket of it")
    says(home, "@导演 这里改成 9 秒", plan, add=[row("改成 9 秒", tickets=[1])])
    expect_equal("REQ-05", replaces(home), [("改成 9 秒", "剪成 8 秒", "", "active")], "another value for the ticket's")


@proves("SCRB-15", "SCRB-16", "REQ-27")
def test_every_other_change_is_proposed_whatever_its_category(tmp_path: Path) -> None:
    cases = (("风格", "风格"), ("风格", "形式"), ("", "形式"), ("风格", ""))
    for nth, (old, new) in enumerate(cases):
        home, plan = studio_at_work(tmp_path / str(nth))
        says(home, "@导演 用原创风格化角色", plan, add=[row("原创风格化角色", category=old)])
        words = "改成基于英雄联盟地图 + 英雄模型 + 真人模型的形式来还原"
        says(home, f"@导演 {words}", plan, change=[row(words, entry=1, category=new)])
        rule = "SCRB-16" if old and old != new else "SCRB-15"
        expect_equal(rule, replaces(home), [(words, "原创风格化角色", new, "active")], f"from {old!r} to {new!r}")
    home, plan = studio_at_work(tmp_path / "board")
    home.happens(events.BoardEdited, plan=plan, rules=("机械臂在左手",))
    says(home, "@导演 机械臂改成右手", plan, change=[row("机械臂改成右手", entry=1, category="设定")])
    wanted = [("机械臂改成右手", "机械臂在左手", "设定", "active")]
    expect_equal("REQ-27", replaces(home), wanted, "a change of what was written on the board")
    says(home, "@导演 用原创风格化角色", plan, add=[row("原创风格化角色", category="风格")])
    old = number(home, "原创风格化角色")
    says(
        home,
        "@导演 都换成真人",
        plan,
        change=[row("都换成真人", entry=old, category="设定"), row("都换成真人", entry=1, category="设定")],
    )
    aimed = [each[:2] for each in replaces(home)][1:]
    both = [("都换成真人", "原创风格化角色"), ("都换成真人", "机械臂在左手")]
    expect_equal("REQ-27", aimed, both, "a change of both in one answer")


@proves("SCRB-16")
def test_words_that_replace_an_entry_of_their_category_are_not_aimed_at_another_as_well(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(home, "@导演 片子约 2 分钟", plan, add=[row("约 2 分钟")])
    says(home, "@导演 还是约 2 分钟", plan, change=[row("约 2 分钟", entry=1)])
    expect_equal("SCRB-15", times(home, "约 2 分钟"), 2, "how often a number was said")
    says(
        home,
        "@导演 用原创角色,镜头要快",
        plan,
        add=[row("用原创角色", category="风格"), row("镜头要快", category="节奏")],
    )
    says(
        home,
        "@导演 改用真人模型,节奏放慢些",
        plan,
        change=[
            row("改用真人模型", entry=2, category="风格"),
            row("改用,真人模型", entry=3, category="风格"),
            row("节奏放慢些", entry=2, category="节奏"),
        ],
    )
    expect_equal(
        "SCRB-16",
        [each[:2] for each in replaces(home)],
        [("改用真人模型", "用原创角色"), ("节奏放慢些", "用原创角色")],
        "what is proposed",
    )
    says(home, "@导演 改用真人模型", plan, change=[row("改用真人模型", entry=3, category="风格")])
    expect_equal("SCRB-16", len(replaces(home)), 3, "what is proposed once another answer aims there")


@proves("SCRB-17")
def test_the_nature_that_the_scribe_tells_is_kept(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    natures = ("craft", "look", "series", "other", None)
    words = [f"第{nth}条要求" for nth in "一二三四五"]
    says(
        home,
        f"@导演 {'，'.join(words)}",
        plan,
        add=[row(each, nature=nature) for each, nature in zip(words, natures, strict=True)],
    )
    expect_equal("SCRB-09", entries(home), words, "the entries")
    expect_equal(
        "SCRB-17",
        [nature for (nature,) in home.rows("SELECT nature FROM requirements ORDER BY id")],
        list(natures),
        "the natures in the ledger",
    )


@proves("SCRB-09")
def test_words_are_erased_while_they_are_read(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    home.say("@导演 背景要连贯", to=ROOM, files=[plan])
    effect = asked(home)
    assert effect is not None
    home.happens(events.SessionCleared, session=home.session(ROOM), erase_quotes=True)
    expect_equal("SCRB-09", asked(home), None, "what is read of words that are erased")
    body = home.value("SELECT body FROM effects WHERE id = ?", effect.id)
    expect("SCRB-09", "连贯" not in body, f"what is left of them in what was handed to the model: {body}")
    home.happens(events.Scribed, effect=effect.id, raw=json.dumps({"add": [row("背景要连贯")]}))
    expect_equal("SCRB-09", entries(home), [], "the entries of words that are erased")
    expect_equal("SCRB-09", number_of_entries(home), 0, "all entries")


def number_of_entries(home: Evening) -> int:
    """How many entries there are, in whatever state."""
    return int(home.value("SELECT count(*) FROM requirements"))


@proves("SCRB-18")
def test_no_answer_takes_anything_out_of_force(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(home, "@导演 背景要连贯,字幕用宋体", plan, add=[row("背景要连贯"), row("字幕用宋体")])
    raws = (
        '{"requirements": []}',
        json.dumps({"change": [row("不要了", entry=1), row("都不要", entry=2)], "supersede": [1, 2]}),
        json.dumps({"again": [row("不要了", entry=1, state="superseded")]}),
        '{"add": ' + "[" * 2000 + "]" * 2000 + "}",
        '{"add": [1e999, null, {"quote": {"quote": 3}}]}',
    )
    for raw in raws:
        home.say("@导演 不要了,都不要", to=ROOM, files=[plan])
        comes(home, raw)
        expect_equal("SCRB-18", entries(home), ["背景要连贯", "字幕用宋体"], f"what is in force after {raw[:60]}")
    expect_equal("SCRB-18", (number(home, "字幕用宋体"), FILM), (2, FILM), "its number")
