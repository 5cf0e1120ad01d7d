"""What a Bot's last words promise: read with what they answer, sent back once where nobody goes on, then told of."""

import json
from pathlib import Path
from typing import Any

from ending import ROOM, at_work, codes, end_turn, ended, hops, look, send, tell, told
from evening import Evening, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

SAYS = "正在编写全新第 1 集设定集"
PROMISE = {"going_on": SAYS}
SOURCE = "The community-site search is still running. Once it's back, I'll compare the two…"
ENDINGS = ("done", "answered", "nothing_new")


def direct(folder: Path, words: dict[str, Any] | None = None, **more: Any) -> tuple[Evening, int]:
    """A director told to work on a plan in its direct chat, where the closing check has had its say already."""
    home, plan = at_work(folder, **{"to": "导演", **more})
    home.words = {} if words is None else words
    turn = home.turn("导演")["id"]
    home.sql("INSERT INTO bounces (turn, code, event) VALUES (?, 'closing_check', 1)", turn)
    return home, plan


def promised(home: Evening) -> bool:
    """Whether the newest turn was sent back for a promise."""
    return "promised_later" in codes(home)


def readings(home: Evening) -> list[dict[str, Any]]:
    """What each reading of a Bot's words was given, in order."""
    rows = home.rows("SELECT body FROM effects WHERE kind = 'read' AND subject LIKE 'Bot words:%' ORDER BY id")
    return [dict(json.loads(body)) for (body,) in rows]


def comes(home: Evening, **came: Any) -> None:
    """The open reading of a Bot's words comes back."""
    effect = next(each for each in home.engine.open_effects() if each.body.get("reads") == "Bot words")
    home.happens(events.Read, effect=effect.id, **came)


@proves("END-19")
def test_last_words_that_promise_are_sent_back_once_where_nothing_is_owed(tmp_path: Path) -> None:
    for reason in (*ENDINGS, "blocked", "gave_up"):
        home, _ = direct(tmp_path / reason, PROMISE)
        hops(home, "导演", send(SAYS))
        why = {"needs_from_user": "账号", "note": "没有账号"}
        hops(home, "导演", end_turn(reason=reason, **why))
        expect_equal("END-19", promised(home), reason in ENDINGS, f"sent back when it ends {reason}")
        expect_equal("END-19", ended(home)[0] == "running", reason in ENDINGS, f"whether it goes on after {reason}")
    home, _ = direct(tmp_path / "text", PROMISE)
    hops(home, "导演", text=SAYS)
    expect_equal("END-19", codes(home), ["closing_check", "promised_later"], "an ending by words")
    hops(home, "导演", text=SAYS)
    expect_equal("END-19", codes(home).count("promised_later"), 1, "how often it is sent back")
    below, _ = direct(tmp_path / "below", PROMISE, level=2)
    hops(below, "导演", text=SAYS)
    expect_equal("END-19", codes(below), ["closing_check"], "below level 3")


@proves("END-19")
def test_who_owes_waits_or_names_another_is_not_sent_back_for_a_promise(tmp_path: Path) -> None:
    timer = events.Call("check_back", {"after_minutes": 10, "note": "看渲染"})
    ask = events.Call("delegate", {"to": "文案", "ask": "写片头", "expects": "answer", "continue": True})
    for number, (what, call, text, more, back) in enumerate(
        (
            ("nothing", look(), SAYS, {}, True),
            ("a ticket of its own", look(), SAYS, {"owes": True}, False),
            ("a check-back", timer, SAYS, {}, False),
            ("a delegation", ask, SAYS, {"to": ROOM}, False),
            ("another Bot named", look(), f"{SAYS}，@文案 接着", {"to": ROOM}, False),
            ("itself named", look(), f"{SAYS}，@导演 接着", {"to": ROOM}, True),
        )
    ):
        home, _ = direct(tmp_path / str(number), PROMISE, **more)
        hops(home, "导演", call)
        hops(home, "导演", send(text))
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect_equal("END-19", promised(home), back, f"sent back with {what}")


@proves("END-19")
def test_the_last_words_are_the_closing_text_else_the_newest_message_to_the_user(tmp_path: Path) -> None:
    home, _ = direct(tmp_path / "newer", PROMISE)
    hops(home, "导演", send(SAYS))
    home.words = {}
    hops(home, "导演", send("设定集交了"))
    hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-19", ended(home), ("completed", "done"), "where a later message promises nothing")
    home, _ = direct(tmp_path / "bots", PROMISE, to=ROOM)
    hops(home, "导演", send(SAYS))
    hops(home, "导演", events.Call("create_direct", {"to": "文案"}))
    home.words = {}
    hops(home, "导演", send("设定集你看看", session=home.value("SELECT id FROM sessions WHERE kind = 'bots'")))
    home.words = PROMISE
    hops(home, "导演", end_turn(reason="done"))
    expect("END-19", promised(home), "where the later words were to another Bot")
    home, _ = direct(tmp_path / "closing", PROMISE)
    hops(home, "导演", send(SAYS))
    home.words = {}
    hops(home, "导演", text="设定集交了")
    expect_equal("END-19", ended(home), ("completed", "answered"), "where the closing text promises nothing")


@proves("END-20")
def test_unread_the_fixed_words_find_the_promise_and_read_wrong_nothing_is_lost(tmp_path: Path) -> None:
    for number, (came, text, back) in enumerate(
        (
            ({"failure": "timeout"}, f"{SAYS}。", True),
            ({"failure": "no model"}, f"{SAYS}。", True),
            ({"raw": '{"going_on":'}, f"{SAYS}。", True),
            ({"failure": "timeout"}, "设定集交了。", False),
            ({"raw": "{}"}, f"{SAYS}。", False),
            ({"raw": '{"going_on": "稍后再说"}'}, "设定集交了。", True),
        )
    ):
        home, _ = direct(tmp_path / str(number))
        home.words = None
        hops(home, "导演", text=text)
        comes(home, **came)
        expect_equal("END-20", promised(home), back, f"“{text}”, read as {came}")
        expect_equal("END-20", text in home.said("bot"), True, "that it is said in any case")


@proves("END-21")
def test_the_bounce_quotes_the_sentence_and_offers_three_ways(tmp_path: Path) -> None:
    for words in (PROMISE, {"going_on": "稍后发群里"}):
        home, _ = direct(tmp_path / words["going_on"], words)
        hops(home, "导演", text=f"设定集在做。{words['going_on']}")
        expect("END-19", promised(home), "that it is sent back")
        for part in (f"“{words['going_on']}”", "Do it now", "set a check-back and end as nothing_new", "name the Bot"):
            expect("END-21", part in told(home), f"{part} in {told(home)}")


@proves("END-22")
def test_the_second_try_ends_and_the_user_is_told_that_nobody_goes_on(tmp_path: Path) -> None:
    for to, again in ((ROOM, "@导演"), ("导演", "跟它说一声")):
        home, _ = direct(tmp_path / to, PROMISE, to=to)
        hops(home, "导演", send(SAYS))
        hops(home, "导演", end_turn(reason="done"))
        expect_equal("END-19", codes(home)[1:], ["promised_later"], "what it is sent back for")
        hops(home, "导演", end_turn(reason="done"))
        expect_equal("END-22", ended(home), ("completed", "done"), "how the second try ends")
        lines = [line for line in home.said() if SAYS in line]
        expect_equal("END-22", len(lines), 1, f"lines to the user: {home.said()}")
        expect("END-22", all(each in lines[0] for each in ("没有人接着做", again)), lines[0])
        expect_equal("END-22", ("@" in lines[0]), to == ROOM, f"whether @ is asked for in {to}")
    english, _ = direct(tmp_path / "english", PROMISE)
    english.sql("UPDATE meta SET language = 'en'")
    for _ in range(2):
        hops(english, "导演", text=SAYS)
    expect("END-22", any("nobody goes on" in line for line in english.said()), f"in English: {english.said()}")
    kept, _ = direct(tmp_path / "kept", PROMISE)
    hops(kept, "导演", text=SAYS)
    hops(kept, "导演", write("bible.md"))
    kept.words = {}
    hops(kept, "导演", text="设定集交了")
    expect_equal("END-22", kept.said(), [], "what is told of one that did it after all")


@proves("READ-17")
def test_words_are_read_with_what_their_segment_answers(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "a")
    tell(home, plan, "快点")
    hops(home, "导演", look())
    hops(home, "导演", send(SAYS))
    given = readings(home)[-1]
    expect_equal("READ-17", given["line"], SAYS, "the message")
    expect_equal("READ-17", given.get("answers_to"), ["@导演 剪一版", "@导演 快点"], "what its segment answers")
    for part in ("translate", "restates", "word for word", "tested", "nothing to do", "acknowledge", "nod"):
        expect("READ-17", part in given["asks"], f"{part} in what is asked")
    expect("READ-17", given["asks"].index("restates") < given["asks"].index("going_on"), "it is asked first")
    asked, _ = direct(tmp_path / "asked", to=ROOM)
    hops(asked, "导演", events.Call("delegate", {"to": "文案", "ask": "片头写什么？", "expects": "answer"}))
    asked.hop("文案", send("在想"))
    expect_equal(
        "READ-17", readings(asked)[-1].get("answers_to"), ["片头写什么？"], "what answers another Bot's letter"
    )


@proves("READ-17")
def test_what_a_bot_told_itself_or_was_told_by_the_application_is_nothing_it_answers(tmp_path: Path) -> None:
    home, _ = direct(tmp_path / "note", PROMISE)
    for _ in range(2):
        hops(home, "导演", text=f"{SAYS}与剧本分镜方案，写完就发到这里来。")
    given = [each.get("answers_to") for each in readings(home)]
    expect_equal("READ-17", given, [["剪一版"]], "what it answers, also once it was sent back in its own words")
    woken, _ = direct(tmp_path / "own")
    hops(woken, "导演", events.Call("check_back", {"after_minutes": 10, "note": f"{SAYS}与剧本分镜方案"}))
    hops(woken, "导演", text="好")
    woken.later(11)
    hops(woken, "导演", text="写好了")
    expect_equal("READ-17", readings(woken)[-1].get("answers_to"), [], "what one answers that its own note woke")


@proves("READ-17")
def test_a_promise_inside_what_is_relayed_is_none_and_one_beside_it_is(tmp_path: Path) -> None:
    for number, (words, back) in enumerate(
        (({"restates": True}, False), ({"restates": True, "going_on": "我稍后再润色一遍"}, True))
    ):
        home, _ = direct(tmp_path / str(number), words)
        hops(home, "导演", text="译文：社区站点的检索还在进行。我稍后再润色一遍")
        expect_equal("READ-17", promised(home), back, f"read as {words}")


@proves("READ-21")
def test_a_sentence_copied_from_what_is_answered_is_no_promise(tmp_path: Path) -> None:
    cases: tuple[tuple[str, str, str, bool], ...] = (
        ("long and copied", SOURCE, SOURCE, False),
        ("copied but for signs and width", SOURCE, SOURCE.replace("…", "。").replace(",", "，"), False),
        ("long and its own", "翻译这段", SOURCE, True),
        ("a stock phrase", "结论随后", "结论随后", True),
        ("nineteen", "稍后" + "一" * 17, "稍后" + "一" * 17, True),
        ("twenty", "稍后" + "一" * 18, "稍后" + "一" * 18, False),
        ("nineteen and signs", "稍后" + "一、" * 17, "稍后" + "一、" * 17, True),
    )
    for number, (what, line, sentence, back) in enumerate(cases):
        for read in (True, False):
            home, plan = direct(tmp_path / f"{number}{read}")
            tell(home, plan, line, to="导演")
            hops(home, "导演", look())
            home.words = {"going_on": sentence} if read else None
            hops(home, "导演", text=f"{sentence}\n译文在上面")
            if not read:
                comes(home, failure="timeout")
            answers = readings(home)[-1].get("answers_to")
            expect_equal("READ-17", answers, ["剪一版", line], "what it answers")
            expect_equal("READ-21", promised(home), back, f"{what}, {read=}")


@proves("READ-22")
def test_the_fixed_words_read_a_message_only_where_no_model_has(tmp_path: Path) -> None:
    for number, (came, what, back) in enumerate(
        (
            ({"raw": json.dumps(PROMISE)}, "read as a promise, as by the fixed words", True),
            ({"raw": "{}"}, "read as none", False),
            ({"failure": "timeout"}, "not read in time", True),
            ({"failure": "closing"}, "not read, for the application closes", True),
        )
    ):
        home, _ = direct(tmp_path / str(number))
        home.words = None
        hops(home, "导演", text=f"{SAYS}。")
        comes(home, **came)
        expect_equal("READ-21" if number == 0 else "READ-22", promised(home), back, f"sent back, {what}")


@proves("READ-27")
def test_a_message_is_read_once_by_its_words_and_what_they_answer(tmp_path: Path) -> None:
    for number, (words, more, read, what) in enumerate(
        (
            ("设定集交了", (), 1, "the same words again"),
            ("海报交了", (), 2, "other words"),
            ("设定集交了", ("先交设定集",), 2, "the same words, which answer more by now"),
        )
    ):
        home, plan = at_work(tmp_path / str(number))
        hops(home, "导演", send("设定集交了"))
        expect_equal("READ-27", len(readings(home)), 1, "readings of what is said first")
        for line in more:
            tell(home, plan, line)
            hops(home, "导演", look())
        hops(home, "导演", send(words))
        expect_equal("READ-27", home.said("bot"), ["设定集交了", words], "what has been said")
        expect_equal("READ-27", len(readings(home)), read, f"readings, with {what}")


IDLE = {"nothing": True}


@proves("READ-19")
def test_words_that_only_say_there_is_nothing_to_do_are_not_sent(tmp_path: Path) -> None:
    cases: tuple[tuple[str, str, dict[str, Any], bool], ...] = (
        ("that and no more", "这轮没有要做的", {}, False),
        ("with a file", "这轮没有要做的", {"files": ["a.md"]}, True),
        ("with a path", "这轮没有要做的，见 plans/a", {}, True),
        ("with a file's name", "这轮没有要做的，见 a.md", {}, True),
        ("with code", "这轮没有要做的：`pass`", {}, True),
        ("with a question", "这轮没有要做的？", {}, True),
        ("with a mention", "这轮没有要做的 @导演", {}, True),
        ("at 120 signs", "无" * 120, {}, False),
        ("at 121 signs", "无" * 121, {}, True),
    )
    for number, (what, text, more, sent) in enumerate(cases):
        for way in ("send", "text"):
            if way == "text" and more:
                continue
            home, _ = direct(tmp_path / f"{number}{way}", to=ROOM)
            hops(home, "导演", events.Call("delegate", {"to": "文案", "ask": "看看有没有要写的", "expects": "answer"}))
            home.words = IDLE
            if way == "send":
                home.hop("文案", send(text, **more))
            else:
                home.hop("文案", text=text)
            expect_equal("READ-19", text in home.said("bot"), sent, f"sent by {way}: {what}")
    more_, _ = direct(tmp_path / "more", to=ROOM)
    hops(more_, "导演", events.Call("delegate", {"to": "文案", "ask": "看看有没有要写的", "expects": "answer"}))
    more_.hop("文案", send("这轮写了片头"))
    expect_equal("READ-19", more_.said("bot"), ["这轮写了片头"], "what says something")
    users, _ = direct(tmp_path / "user", IDLE)
    hops(users, "导演", text="这轮没有要做的")
    expect_equal("READ-19", users.said("bot"), ["这轮没有要做的"], "what answers the user")


@proves("READ-19")
def test_one_reading_serves_all_that_looks_at_words(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "a")
    home.words = {**PROMISE, "tested": True}
    for _ in range(2):
        hops(home, "导演", send(f"{SAYS}，已测试"))
    expect("READ-19", "claims a run" in home.results(home.turn("导演")["id"])[0][2], "the closing check's claim")
    expect("READ-19", f"“{SAYS}”" in home.results(home.turn("导演")["id"])[0][2], "the closing check's promise")
    hops(home, "导演", end_turn(reason="nothing_new"))
    expect("READ-19", promised(home), "the contract's promise, on the last words")
    expect_equal("READ-19", len(readings(home)), 1, "readings")
    for way in ("ask_user", "end_turn"):
        nod, _ = direct(tmp_path / way)
        nod.nod = True
        by = {
            "ask_user": events.Call("ask_user", {"question": "能开始下一步吗"}),
            "end_turn": end_turn(reason="blocked", needs_from_user="能开始下一步吗"),
        }
        hops(nod, "导演", by[way])
        expect("READ-19", nod.results(nod.turn("导演")["id"])[0][2].startswith("asks_go_ahead"), f"a nod by {way}")
