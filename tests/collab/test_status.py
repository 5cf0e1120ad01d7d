"""A line that only asks how far things are goes to the Bot that it is said to, who alone answers it."""

from pathlib import Path

from evening import DOWN, Evening, shell
from readings import FILING, MEANING, comes, says
from stopping import ROOM, TALK, at_work, delivered, folder_of, held, is_taken, speak, stop

from harness.expect import expect_equal, proves

STATUS = {"control": "neither", "only": True, "status": True}
QUESTIONS = ("怎么样了", "第二集推进到哪一步了", "最终成片呢", "报一下{t}的进度", "第{n}版{t}推进到哪一步了")
NUMBERS, THINGS = ("三", "12"), ("海报", "teaser")
LEVELS = (0, 1, 2, 8)


def questions() -> list[str]:
    """Questions how far things are, verbatim and with other numbers and things in them."""
    said = [frame.format(n=n, t=t) for frame in QUESTIONS for n, t in zip(NUMBERS, THINGS, strict=True)]
    return list(dict.fromkeys(said))


@proves("STAT-1", "STAT-2", "STAT-4")
def test_an_idle_bot_is_woken_to_answer_itself(tmp_path: Path) -> None:
    for level in LEVELS:
        home = Evening(folder_of(tmp_path, level), bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
        for number, text in enumerate(questions()):
            line = speak(home, text, STATUS)
            expect_equal("STAT-1", home.said("app"), [], f"what the application answers to “{text}” at level {level}")
            expect_equal("STAT-1", delivered(home, line), 1, f"who gets “{text}” at level {level}")
            expect_equal("STAT-4", home.turn("导演")["trigger_message"], line, f"what “{text}” opens")
            home.hop("导演", text=f"第 {number} 次：还没有开始。")
            expect_equal("STAT-1", home.said("bot")[-1], f"第 {number} 次：还没有开始。", "the only answer")
            expect_equal("STAT-4", home.turn("导演")["hops"], 1, f"calls that “{text}” costs")
        expect_equal("STAT-4", home.turns("文案"), [], "whom it wakes besides")
        expect_equal("STAT-2", len(home.said("bot")), len(questions()), "lines under its name: its own answers")


@proves("STAT-2")
def test_nothing_stands_under_a_bots_name_that_it_has_not_said(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    add = (
        "INSERT INTO messages (session, author, bot, seq, at, text, turn)"
        " VALUES (1, 'bot', ?, 1, 1, '现在没有人在做', ?)"
    )
    turn = home.turn("导演")["id"]
    for bot, of_turn, taken in (("导演", turn, True), ("导演", None, False), ("文案", turn, False)):
        expect_equal("STAT-2", is_taken(home, add, home.bot(bot), of_turn), taken, f"a line of {bot} in turn {of_turn}")


@proves("STAT-3")
def test_a_bot_at_work_reads_it_at_its_next_step_uninterrupted(tmp_path: Path) -> None:
    for text, meaning, state in (
        ("报一下海报的进度", STATUS, "ok"),
        ("报一下第三版的进度", STATUS, "ok"),
        ("海报改成横版", TALK, "postponed"),
    ):
        home, plan = at_work(tmp_path / text)
        home.run("导演")
        home.hop("导演", shell("render b"), shell("render c"), run=False)
        line = speak(home, text, meaning, plan=plan)
        while home.run("导演"):
            pass
        turn = home.turn("导演")["id"]
        ended = [found for _, found, _ in home.results(turn)]
        expect_equal("STAT-3", ended, ["ok", "ok", state], f"calls, with “{text}” said during the second")
        expect_equal("STAT-3", home.read_in(line, "导演"), [turn], f"where “{text}” is read")
        expect_equal("STAT-3", len(home.turns("导演")), 1, f"turns that “{text}” opens besides")


@proves("STAT-4")
def test_a_question_to_a_group_wakes_one_bot(tmp_path: Path) -> None:
    for led in (True, False):
        folder = folder_of(tmp_path, led)
        home = Evening(folder, bots=["导演", "文案", "配乐"], rooms={ROOM: ["导演", "文案", "配乐"]})
        if led:
            home.lead("文案", ROOM)
        line = speak(home, "报一下进度", STATUS, to=ROOM)
        if not led:
            home.judge(line, dict.fromkeys(("导演", "文案", "配乐"), '{"join": true}'))
        judged = home.rows("SELECT DISTINCT answer FROM judgements")
        expect_equal("JUDG-03", judged, [] if led else [("join",)], f"how they judge it, {led=}")
        expect_equal("STAT-4", delivered(home, line), 1, f"how many of three get it, {led=}")
        opened = [home.turns(bot) for bot in ("导演", "文案", "配乐")]
        expect_equal("STAT-4", sum(map(len, opened)), 1, f"turns that it opens, {led=}")
    wish = speak(home, "海报改成横版", TALK, to=ROOM)
    home.judge(wish, dict.fromkeys(("导演", "文案", "配乐"), '{"join": true}'))
    expect_equal("JUDG-02", delivered(home, wish), 3, "how many of three get a wish that all step in for")


@proves("STAT-5")
def test_a_question_read_as_new_work_opens_no_matter(tmp_path: Path) -> None:
    for number, (text, meaning, opened) in enumerate(
        (
            ("怎么样了", STATUS, []),
            ("第三版推进到哪一步了", STATUS, []),
            ("怎么样了", DOWN, []),
            ("做一版海报", TALK, ["做一版海报"]),
        )
    ):
        home = Evening(folder_of(tmp_path, number), bots=["导演"])
        line = says(home, text, to="导演")
        comes(home, line, MEANING, *((meaning,) if meaning else ()), failure=None if meaning else "timeout")
        comes(home, line, FILING, {"kind": "new_work"})
        home.hop("导演", shell("ls work"))
        expect_equal("STAT-5", len(home.ran), 1, f"commands that run for “{text}”")
        expect_equal("STAT-5", home.plans(), opened, f"matters after “{text}”, read as new work")


@proves("STAT-6")
def test_an_instruction_beside_it_makes_it_no_mere_question(tmp_path: Path) -> None:
    for number, (text, opened) in enumerate(
        (
            ("怎么样了", []),
            ("进度怎么样", []),
            ("怎么样了，把片头换成夜景", ["怎么样了，把片头换成夜景"]),
            ("进度怎么样？海报改成第三版", ["进度怎么样？海报改成第三版"]),
        )
    ):
        for meaning in (DOWN, {"control": "neither", "status": not opened}):
            home = Evening(folder_of(tmp_path, f"{number}{meaning}"), bots=["导演"])
            line = says(home, text, to="导演")
            comes(home, line, MEANING, *((meaning,) if meaning else ()), failure=None if meaning else "timeout")
            comes(home, line, FILING, {"kind": "new_work"})
            home.hop("导演", shell("ls work"))
            expect_equal("STAT-6", home.plans(), opened, f"matters after “{text}”, {meaning=}")


@proves("STAT-7")
def test_under_a_hold_it_lifts_nothing_and_is_answered_all_the_same(tmp_path: Path) -> None:
    for number, text in enumerate(("还在做吗", "停了吗", "怎么还在跑", "第三版推进到哪一步了")):
        home, plan = at_work(folder_of(tmp_path, number))
        stop(home, "导演")
        before = held(home)
        line = speak(home, text, STATUS, plan=plan)
        expect_equal("STAT-7", held(home), before, f"holds after “{text}”")
        turn = home.turn("导演")
        expect_equal("STAT-7", [turn["mode"], turn["trigger_message"]], ["readonly", line], f"the turn of “{text}”")
        home.hop("导演", text="停着呢。")
        expect_equal("STAT-7", home.said("bot"), ["停着呢。"], f"the answer to “{text}”")
        expect_equal("STAT-7", home.said("app"), [], f"what the application says to “{text}”")
        wish = speak(home, "从头再做一遍", TALK, plan=plan)
        expect_equal("HOLD-23", held(home), [], "holds after a wish about the matter")
        expect_equal("HOLD-23", home.turn("导演")["trigger_message"], wish, "the turn that it opens")
