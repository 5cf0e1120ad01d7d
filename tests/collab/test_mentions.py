"""Mentions: who is named in a line, and what that does to those who are at work, busy, or not there yet."""

from pathlib import Path

from evening import Evening, shell, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.mentions import mentions_in

NAMES = ("Beta", "文案", "Clip Editor", "审片员2")
"""What the phrases are said with: each holds for every name."""


def found(text: str, *members: str, roster: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names that `text` mentions, with these present (else the four)."""
    present = {name: number for number, name in enumerate(members or NAMES)}
    numbers = {**{name: 100 + number for number, name in enumerate(roster)}, **present}
    mentioned = mentions_in(text, present, numbers)
    return tuple(name for bot in mentioned.bots for name, number in numbers.items() if number == bot)


@proves("MENT-11")
def test_an_at_sign_in_a_path_or_link_is_no_mention() -> None:
    for name in NAMES:
        for text in (
            "https://example.com/a@{0}",
            "见 http://example.com/@{0}/x",
            "见 https://example.com/?to=@{0}",
            "[稿子](docs/ @{0}) 看",
            "[稿子](@{0})",
            "docs/中文@{0}.md 改一下".replace(" 改", "，改"),
            "（docs/中@{0}/a.md）",
        ):
            if " " in name and "docs/中" in text:  # A path has no blanks.
                continue
            expect_equal("MENT-11", found(text.format(name)), (), f"mentioned in {text.format(name)!r}")
        for text in ("https://example.com/a，@{0} 看", "https://example.com/a @{0} 看", "[@{0}](a.md) 看"):
            expect_equal("MENT-11", found(text.format(name)), (name,), f"mentioned in {text.format(name)!r}")


@proves("MENT-12")
def test_an_at_sign_behind_a_letter_a_digit_or_a_separator_is_no_mention() -> None:
    for name in NAMES:
        expect_equal("MENT-13", found(f"@{name}/@Alpha", name, "Alpha"), (name, "Alpha"), "mentioned behind a slash")
        for before in "aZ09_-/\\":
            expect_equal("MENT-12", found(f"是{before}@{name} 看"), (), f"mentioned right behind {before!r}")
        expect_equal("MENT-12", found(f"是a @{name} 看"), (name,), "mentioned behind a blank")


@proves("MENT-13")
def test_names_joined_by_a_slash_are_mentions_each() -> None:
    for name in NAMES:
        expect_equal("MENT-14", found(f"请@{name} 看"), (name,), "mentioned behind a CJK character")
        joined = f"@{name}/@Alpha 看"
        expect_equal("MENT-13", found(joined, name, "Alpha"), (name, "Alpha"), f"mentioned in {joined!r}")
        three = f"请@Gamma/@{name}/@Alpha。"
        expect_equal("MENT-13", found(three, name, "Alpha", "Gamma"), ("Gamma", name, "Alpha"), f"in {three!r}")
        expect_equal("MENT-13", found(f"@Nobody/@{name}"), (name,), "mentioned behind an unknown name")


@proves("MENT-14")
def test_behind_a_cjk_character_or_punctuation_a_mention_is_one() -> None:
    for name in NAMES:
        expect("MENT-13", "Alpha" in found(f"@{name}/@Alpha", name, "Alpha"), "a name behind a slash is mentioned")
        for before in ("请", "好。", "（", "看 a.png，", "进度/状态", "A/B测试", "、", "！", "\n", ""):
            text = f"{before}@{name} 看"
            expect_equal("MENT-14", found(text), (name,), f"mentioned in {text!r}")


@proves("MENT-09")
def test_an_unknown_name_is_nobodys() -> None:
    # Too long, of another word, of somebody outside, or of none: nobody is the closest.
    for member, names in (("Beta", ("Betta", "Betamax", "Beta-2", "eta")), ("文案", ("文件", "案子", "终审"))):
        for name in names:
            expect_equal("MENT-09", found(f"@{name} 看", member, roster=("终审官",)), (), f"mentioned by {name!r}")


@proves("MENT-08")
def test_a_short_name_fits_exactly_one_member() -> None:
    expect_equal("MENT-09", found("@文件 看", "文案"), (), "mentioned by an unknown name")
    expect_equal("MENT-08", found("@导演 看", "视频导演", "创意导演"), (), "mentioned by what fits two")
    for text, name in (
        ("@Bet 看", "Beta"),
        ("@bet看", "Beta"),
        ("@Editor，看", "Clip Editor"),
        ("@审片 看", "审片员2"),
    ):
        expect_equal("MENT-08", found(text), (name,), f"mentioned in {text!r}")
    expect_equal("MENT-08", found("@导演 看", "视频导演", "文案"), ("视频导演",), "mentioned by the end of a name")
    expect_equal("MENT-08", found("@导演 看", "导演", "视频导演"), ("导演",), "mentioned by a whole name")


@proves("MENT-01")
def test_a_mention_skips_the_judgement(tmp_path: Path) -> None:
    _mentioned(tmp_path, "MENT-01")


@proves("JUDG-05")
def test_who_is_mentioned_need_not_judge(tmp_path: Path) -> None:
    _mentioned(tmp_path, "JUDG-05")


@proves("PART-01")
def test_a_mention_names_the_receivers(tmp_path: Path) -> None:
    _mentioned(tmp_path, "PART-01")


def _mentioned(folder: Path, rule: str) -> None:
    home = Evening(folder, bots=["导演", "文案", "审片员"], rooms={"剪辑组": ["导演", "文案", "审片员"]})
    all_ = home.say("@everyone 今晚十点前交", to="剪辑组")
    wanted = "MENT-07" if rule == "PART-01" else rule
    expect_equal(wanted, sorted(received(home, all_)), sorted(["导演", "文案", "审片员"]), "who receives one for all")
    line = home.say("@文案 写三句宣传语", to="剪辑组")
    expect_equal(rule, received(home, line), {"文案": "mention"}, "who receives a line that mentions one")
    expect_equal(rule, judged(home), 0, "judgements of it")
    two = home.say("@文案/@导演 对一下", to="剪辑组")
    expect_equal(rule, received(home, two), {"文案": "mention", "导演": "mention"}, "who receives one for two")
    expect_equal(rule, judged(home), 0, "judgements of them")


@proves("MENT-07")
def test_everyone_is_everyone_in_the_group_but_the_author(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案", "审片员", "外援"], rooms={"剪辑组": ["导演", "文案", "审片员"]})
    for number, sign in enumerate(("@everyone", "@所有人")):
        all_ = home.say(f"{sign} 今晚十点前交", to="剪辑组")
        by_all = dict.fromkeys(("导演", "文案", "审片员"), "everyone")
        expect_equal("MENT-07", received(home, all_), by_all, "who receives a line to everyone")
        home.hop("导演", events.Call("send_message", {"text": f"{sign} 我先排第 {number} 版"}))
        said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        expect_equal("MENT-07", sorted(received(home, said)), ["审片员", "文案"], "who receives it, its author not")
    expect_equal("MENT-07", members(home), ["导演", "文案", "审片员"], "the group's members")


@proves("PULL-01")
def test_who_is_mentioned_joins_the_group_and_then_receives(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "外援"], rooms={"剪辑组": ["导演"]})
    line = home.say("@外援 来帮一下", to="剪辑组")
    expect_equal("PULL-01", members(home), ["导演", "外援"], "the group's members after the mention")
    expect_equal("PULL-01", received(home, line), {"外援": "mention"}, "who receives it")
    expect_equal("DESK-01", len(home.turns("外援")), 1, "turns of the Bot that joined")
    home.hop("外援", text="来了，@导演 你说")
    expect_equal("PULL-01", home.said("bot"), ["来了，@导演 你说"], "what is said in the group")


@proves("PULL-03")
def test_a_bot_that_was_deleted_does_not_come_back(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "旧人"], rooms={"剪辑组": ["导演"]})
    home.happens(events.BotRetired, bot=home.bot("旧人"), state="deleted")
    gone = home.say("@旧人 在吗", to="剪辑组")
    expect_equal("PULL-03", (received(home, gone), members(home)), ({}, ["导演"]), "who receives it, who is there")


@proves("PULL-02")
def test_a_name_that_is_not_on_the_roster_makes_no_bot(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={"剪辑组": ["导演"]})
    unknown = home.say("@终审 在吗", to="剪辑组")
    expect_equal("PULL-02", received(home, unknown), {}, "who is woken by the name")
    expect_equal("PULL-02", home.rows("SELECT name FROM bots"), [("导演",)], "Bots")
    expect_equal("PULL-02", home.said("user"), ["@终审 在吗"], "the user's line")
    home.judge(unknown, {"导演": '{"join": true}'})
    expect_equal("PULL-02", received(home, unknown), {"导演": "judged"}, "who receives it as a line for nobody")


@proves("MENT-02")
def test_a_mention_gets_past_neither_slots_nor_the_desk(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["文案"], rooms={"剪辑组": ["文案"]})
    plans = [home.opened(name, to="剪辑组") for name in ("甲片", "乙片", "丙片")]
    for plan in plans:
        home.say("@文案 开工", to="剪辑组", files=[plan])
    expect_equal("MENT-02", [turn["plan"] for turn in home.live("文案")], plans[:2], "plans that are worked on")
    queued = home.rows("SELECT plan FROM work_items WHERE state = 'queued'")
    expect_equal("MENT-02", queued, [(plans[2],)], "plans that wait for a slot")
    home.say("@文案 顺便写三句", to="剪辑组", files="new")
    expect_equal("MENT-02", home.turn("文案")["mode"], "desk", "where a line that is filed nowhere is taken up")


def _while_at_work(folder: Path, level: int) -> tuple[Evening, list[str]]:
    """An evening on which a Bot is mentioned again while its command runs; the states of its turns after that."""
    folder.mkdir(exist_ok=True)
    home = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    plan = home.opened("新品片", to="剪辑组")
    home.say("@导演 做一版", to="剪辑组", files=[plan])
    expect_equal("DESK-01", len(home.turns("导演")), 1, "segments that a line on a plan opens")
    home.hop("导演", write("a.md"))
    home.hop("导演", shell("render a"), run=False)
    home.say("@导演 改成竖版", to="剪辑组", files=[plan])
    return home, [turn["state"] for turn in home.turns("导演")]


@proves("MENT-03")
def test_a_mention_is_heard_in_the_segment_on_the_same_plan(tmp_path: Path) -> None:
    for level in (2, 8):
        home, states = _while_at_work(tmp_path / str(level), level)
        expect_equal("MENT-03", states, ["running"], f"the Bot's segments at level {level}")
        home.run("导演")
        heard = "SELECT count(*) FROM inbox_items WHERE message IS NOT NULL AND read_by_turn = ?"
        expect_equal("MENT-03", home.value(heard, home.turn("导演")["id"]), 2, "lines read in that segment")


@proves("MENT-06")
def test_a_mention_is_no_pause(tmp_path: Path) -> None:
    home, states = _while_at_work(tmp_path, 8)
    expect_equal("MENT-06", states, ["running"], "the segment of a Bot that is mentioned at work")
    home.run("导演")
    expect_equal("MENT-06", home.ran[-1]["arguments"], {"command": "render a"}, "what ran to its end")


@proves("PART-04")
def test_receiving_a_line_interrupts_nothing(tmp_path: Path) -> None:
    home, states = _while_at_work(tmp_path, 2)
    expect_equal("PART-04", states, ["running"], "the segment that receives a line")
    home.run("导演")
    expect_equal("PART-04", home.turn("导演")["hops"], 3, "hops of the segment, which goes on")


@proves("MENT-17")
def test_up_to_level_1_the_users_mention_redirects_and_a_colleagues_is_heard(tmp_path: Path) -> None:
    home, states = _while_at_work(tmp_path / "1", 1)
    expect_equal("MENT-17", states, ["redirected", "running"], "the Bot's turns at level 1")
    context = home.context(home.turn("导演")["id"])
    for carried in ("a.md", "render a", "改成竖版"):
        expect("MENT-17", carried in context, f"the new turn reads {carried!r}: {context}")
    home.say("@文案 写三句", to="剪辑组")
    home.hop("文案", text="@导演 写好了，第二句待定")
    states = [turn["state"] for turn in home.turns("导演")]
    expect_equal("MENT-17", states, ["redirected", "running"], "turns after a colleague's line")
    home.say("@导演 片尾长一点", to="剪辑组")
    expect("MENT-17", "第二句待定" in home.context(home.turn("导演")["id"]), "what was unread goes along")
    home, states = _while_at_work(tmp_path / "2", 2)
    expect("DESK-01", {turn["mode"] for turn in home.turns("导演")} == {"work"}, "no filed line opens a desk")
    expect_equal("MENT-17", states, ["running"], "the Bot's segments at level 2")


@proves("MENT-05")
def test_a_mention_about_another_plan_opens_its_own_segment_or_queues(tmp_path: Path) -> None:
    home, first, second, third = _in_its_direct_chat(tmp_path)
    other = home.say("@导演 乙片也开工", to="剪辑组", files=[second])
    of_other = [turn["plan"] for turn in home.live("导演")]
    expect_equal("MENT-05", of_other, [first, second], "what is worked on after a mention about another plan")
    expect_equal("MENT-05", home.read_in(other, "导演"), [home.turn("导演")["id"]], "the segment that reads it")
    home.say("@导演 丙片也开工", to="剪辑组", files=[third])
    queued = home.rows("SELECT plan FROM work_items WHERE state = 'queued'")
    expect_equal("MENT-05", queued, [(third,)], "what queues beyond the slots")


def _in_its_direct_chat(folder: Path) -> tuple[Evening, int, int, int]:
    """A Bot at work on the first of three plans of the group, in its direct chat."""
    home = Evening(folder, bots=["导演"], rooms={"剪辑组": ["导演"]})
    first, second, third = (home.opened(name, to="导演") for name in ("甲片", "乙片", "丙片"))
    home.say("做甲片", to="导演", files=[first])
    home.sql("UPDATE plans SET session = ?", home.session("剪辑组"))
    return home, first, second, third


@proves("MENT-04")
def test_a_mention_is_answered_where_it_was_made(tmp_path: Path) -> None:
    home, first, _, _ = _in_its_direct_chat(tmp_path)
    here = home.say("到哪一步了？", to="导演", files=[first])
    unmarked = home.value("SELECT reply_in FROM inbox_items WHERE message = ?", here)
    expect_equal("MENT-04", unmarked, None, "where a line of its own session is to be answered")
    line = home.say("@导演 你呢", to="剪辑组", files=[first])
    copies = home.value("SELECT count(*) FROM inbox_items WHERE message = ?", line)
    expect_equal("WORK-20", copies, 1, "copies of a line that it has not read")
    mark = home.value("SELECT reply_in FROM inbox_items WHERE message = ?", line)
    expect_equal("MENT-04", mark, home.session("剪辑组"), "where the mention is to be answered")
    group = home.session("剪辑组")
    answer = events.Call("send_message", {"session": group, "text": "快好了"})
    home.hop("导演", answer, plan=first)
    where = home.value("SELECT session FROM messages WHERE text = '快好了'")
    expect_equal("MENT-04", where, group, "where the answer is said")
    expect_equal("MENT-04", len([turn for turn in home.live("导演") if turn["plan"] == first]), 1, "its live segments")


@proves("MENT-10")
def test_an_unknown_name_is_sent_back_once_and_then_noted_in_the_group(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    home.say("@导演 排一下", to="剪辑组")
    home.hop("导演", events.Call("create_direct", {"to": "文案"}), events.Call("send_message", {"text": "我先排一版"}))
    expect_equal("DESK-10", home.results(home.turn("导演")["id"])[0][1], "ok", "a call of a Bot on its desk")
    expect_equal("MENT-10", home.said("bot"), ["我先排一版"], "what is said in the group without a name")
    expect_equal("MENT-18", len(home.live("导演")), 1, "live segments of a Bot that has said something in a group")
    tell = events.Call("send_message", {"text": "@文安 写三句"})
    home.hop("导演", tell)
    _, state, told = home.results(home.turn("导演")["id"])[-1]
    expect_equal("MENT-10", (state, "文安" in told), ("refused", True), "what became of the call")
    expect_equal("MENT-10", home.said("bot")[1:] + home.said(), [], "what is said after the first try")
    home.hop("导演", tell)
    expect_equal("MENT-10", home.said("bot")[1:], ["@文安 写三句"], "what is said after the second try")
    expect_equal("MENT-10", ["文安" in text for text in home.said()], [True], "notices in the group")
    expect_equal("MENT-10", len(home.turns("文案")), 0, "turns of the Bot with the closest name")
    home.hop("导演", tell)
    expect_equal("MENT-10", home.said("bot")[1:], ["@文安 写三句"], "the next message is sent back once too")
    home.hop("导演", events.Call("send_message", {"text": "@文案 写三句"}))
    expect_equal("MENT-10", home.said("bot")[2:], ["@文案 写三句"], "what is corrected goes out")
    expect_equal("MENT-10", len(home.said()), 1, "notices in the group")
    home.hop("文案", events.Call("create_direct", {"to": "导演"}))
    chat = home.session("文案 ↔ 导演")
    home.hop("文案", events.Call("send_message", {"session": chat, "text": "@文安 是谁"}))
    expect_equal("MENT-10", home.said("bot")[3:], ["@文安 是谁"], "what is said in no group is not sent back")


def received(home: Evening, message: int) -> dict[str, str]:
    """Who received a line, and why."""
    rows = home.rows(
        "SELECT b.name, r.why FROM message_receivers r JOIN bots b ON b.id = r.bot WHERE r.message = ?", message
    )
    return dict(rows)


def judged(home: Evening) -> int:
    """How many judgements were asked for."""
    return int(home.value("SELECT count(*) FROM effects WHERE kind = 'judge'"))


def members(home: Evening, room: str = "剪辑组") -> list[str]:
    """The Bots in a group, in the order they joined."""
    rows = home.rows(
        "SELECT b.name FROM session_participants p JOIN bots b ON b.id = p.bot WHERE p.session = ?"
        " ORDER BY p.since, b.id",
        home.session(room),
    )
    return [name for (name,) in rows]
