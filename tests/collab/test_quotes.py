"""The user's words: kept verbatim, filed where they belong, and there after the transcript has gone."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from evening import Evening, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.store import open_store

LONG = "一" * 999
ASKED = "@导演 @文案 先做分镜"


def kept(home: Evening, source: str = "said") -> list[str]:
    """The texts of the quotes of a source, in order."""
    return [text for (text,) in home.rows("SELECT text FROM quotes WHERE source = ? ORDER BY id", source)]


def filed(home: Evening, text: str) -> list[tuple[Any, ...]]:
    """The plans and tickets that a quote is filed to."""
    return home.rows(
        "SELECT f.plan, f.ticket FROM quote_filings f JOIN quotes q ON q.id = f.quote WHERE q.text = ?"
        " ORDER BY f.plan, f.ticket",
        text,
    )


def words(home: Evening, turn: int) -> list[str]:
    """The section of the user's words that a turn has read last, line by line."""
    parts = home.context(turn).split("\n\n")
    found = [part for part in parts if part.startswith("# The user's words")]
    return found[0].splitlines()[1:] if found else []


def resumed(home: Evening, plan: int, bot: str = "导演", to: str | None = None) -> int:
    """A later segment on a plan, opened by a line of the user."""
    home.say("继续", to=to or bot, files=[plan])
    return int(home.turn(bot)["id"])


def house(tmp_path: Path) -> Evening:
    tmp_path.mkdir(exist_ok=True)
    return Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})


def begun(home: Evening) -> int:
    """A plan of the group that both Bots have worked on; its one quote is `ASKED`."""
    plan = home.opened("新品片", to="剪辑组")
    home.say(ASKED, to="剪辑组", files=[plan])
    for bot in ("导演", "文案"):
        home.hop(bot, text="做好了。")
    return plan


@proves("QUOT-01")
def test_words_are_kept_as_they_were_received(tmp_path: Path) -> None:
    home = house(tmp_path)
    said = "  做个 logo，要 “圆”的\n\t别用蓝色！ "
    home.say(said, to="导演")
    home.sql("UPDATE messages SET text = '做一个圆形标志'")
    expect_equal("QUOT-01", kept(home), [said], "what is kept of a line, whatever became of the transcript")


@proves("QUOT-02")
def test_words_belong_to_every_plan_of_their_line(tmp_path: Path) -> None:
    home = house(tmp_path)
    plans = [begun(home), home.opened("海报", to="剪辑组")]
    home.say("@导演 海报开始做", to="剪辑组", files=[plans[1]])
    home.hop("导演", text="做好了。")
    home.say("@导演 两边标题都换成英文", to="剪辑组", files=plans)
    expect_equal("QUOT-02", filed(home, "@导演 两边标题都换成英文"), [(plan, None) for plan in plans], "filed to")
    home.happens(events.SessionCleared, session=home.session("剪辑组"))
    for plan in plans:
        home.happens(events.BoardEdited, plan=plan)
        read = " ".join(words(home, resumed(home, plan)))
        expect("QUOT-15", read, "a later segment reads the user's words")
        expect("QUOT-02", "两边标题都换成英文" in read, f"a segment on plan {plan} reads the line: {read}")


@proves("QUOT-04")
def test_what_is_kept_of_what_the_user_writes(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.happens(events.SessionOpened, session="files", title="投递")
    home.happens(events.Line, session=home.session("投递"), text="收一下这个文件", files=("a.png",))
    expect_equal("QUOT-04", kept(home), [], "what is kept of a file drop")
    plan = begun(home)
    home.say("", to="导演", attach=["b.png"])
    expect_equal("QUOT-01", kept(home)[:1], [ASKED], "what is kept of a line")
    expect_equal("QUOT-04", kept(home), [ASKED], "lines kept beside file drops and mere attachments")

    home.say("@文案 再说一句", to="剪辑组", files="spot")
    marks = (events.Annotation("work/cut.mp4", "这里太快"), events.Annotation("work/cut.mp4", "字幕再大一点"))
    group = home.session("剪辑组")
    home.happens(events.Line, session=group, text="@导演 ", annotations=marks)
    home.happens(events.Line, session=group, text="@导演 照着改", annotations=marks[:1])
    expect_equal("QUOT-04", kept(home, "annotation"), ["这里太快", "字幕再大一点", "这里太快"], "annotations kept")
    expect_equal("QUOT-04", kept(home)[2:], ["@导演 照着改"], "lines kept that were sent along with annotations")

    turn = resumed(home, plan)
    question = events.Call("ask_user", {"question": "用哪个字体？", "options": ["宋体", "黑体"], "multiple": True})
    home.hop("导演", question, plan=plan)
    ask = home.value("SELECT id FROM asks WHERE turn = ?", turn)
    home.happens(events.Answered, ask=ask, chosen=("宋体", "黑体"), words="标题用黑体")
    expect_equal("QUOT-04", kept(home, "answer"), ["宋体\n黑体\n标题用黑体"], "answers kept")
    expect_equal("QUOT-08", filed(home, "宋体\n黑体\n标题用黑体"), [(plan, None)], "where an answer is filed")


@proves("QUOT-05")
def test_of_the_board_only_what_the_user_changed_is_kept(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("做一支 2,000 帧的新品片，竖版，配英文字幕。", to="剪辑组", tickets=[("封面", "文案")])
    ticket = home.value("SELECT id FROM tickets")
    home.happens(events.BoardEdited, plan=plan, goal="做一支 2,500 帧的新品片，横版，配英文字幕。")
    expect_equal("QUOT-05", kept(home, "board"), ["做一支 2,500 帧的新品片，\n横版，"], "clauses kept of a goal")
    home.happens(events.BoardEdited, plan=plan, acceptance=("片长 2 分钟", "有字幕"), rules=("不用蓝色",))
    home.happens(events.BoardEdited, plan=plan, acceptance=("有字幕", "片长 2 分钟", "1080p"))
    added = ["片长 2 分钟", "有字幕", "不用蓝色", "1080p"]
    expect_equal("QUOT-05", kept(home, "board")[1:], added, "items kept of acceptance and rules")
    home.happens(events.TicketEdited, ticket=ticket, description="白底，居中。")
    home.happens(events.TicketEdited, ticket=ticket, description="白底，靠左。")
    home.happens(events.TicketEdited, ticket=ticket, status="done")
    expect_equal("QUOT-05", kept(home, "board")[5:], ["白底，\n居中。", "靠左。"], "clauses kept of a ticket")
    expect_equal("QUOT-08", filed(home, "靠左。"), [(plan, ticket)], "where words from a ticket are filed")
    sessions = home.value("SELECT count(*) FROM quotes WHERE source = 'board' AND session IS NOT NULL")
    expect_equal("QUOT-08", sessions, 0, "words from the board that stand in a session")


@proves("QUOT-06")
def test_a_line_that_was_not_sent_leaves_no_quote(tmp_path: Path) -> None:
    home = house(tmp_path)
    with suppress(ValueError):
        home.happens(events.Line, session=home.session("导演"), text="接着做", reply_to=99)
    expect_equal("QUOT-06", kept(home), [], "quotes of a line that was refused")

    class Down(Exception):
        pass

    ends_at = ""

    def step(name: str) -> None:
        if name == ends_at:
            raise Down

    home.engine.db = open_store(home.path, step=step, durable=False)
    for ends_at, left in (("commit", 0), ("committed", 1)):
        with suppress(Down):
            home.happens(events.Line, session=home.session("导演"), text="接着做")
        stored = [home.value(f"SELECT count(*) FROM {table} WHERE text = '接着做'") for table in ("messages", "quotes")]
        expect_equal("QUOT-06", stored, [left, left], f"lines and quotes where all ends at {ends_at!r}")


@proves("QUOT-07")
def test_longer_words_keep_their_two_ends(tmp_path: Path) -> None:
    home = house(tmp_path)
    ends = ("开" + LONG, LONG + "完")
    for left_out in (0, 1, 1234):
        home.say(ends[0] + "😀" * left_out + ends[1], to="导演")
    said = [ends[0] + ends[1], f"{ends[0]}[… 1 …]{ends[1]}", f"{ends[0]}[… 1234 …]{ends[1]}"]
    expect_equal("QUOT-07", kept(home), said, "what is kept of 2000, 2001 and 3234 code points")


@proves("QUOT-08")
def test_words_follow_their_line_and_other_words_what_they_are_about(tmp_path: Path) -> None:
    home = house(tmp_path)
    plans = [home.opened(name, to="剪辑组") for name in ("新品片", "海报")]
    delivery = home.say("@导演 片子在这里", to="剪辑组", files=[plans[1]])
    line = home.say("@导演 标题换成英文", to="剪辑组", files=[plans[0]])
    expect_equal("ATTR-01", home.value("SELECT plan FROM messages WHERE id = ?", line), plans[0], "the line's plan")
    expect_equal("QUOT-08", filed(home, "@导演 标题换成英文"), [(plans[0], None)], "words of a line that was filed")
    # An older version refiles: it knows of one filing a message.
    home.sql("UPDATE messages SET plan = ? WHERE id = ?", plans[1], line)
    expect_equal("QUOT-08", filed(home, "@导演 标题换成英文"), [(plans[1], None)], "words of a line that was refiled")
    mark = events.Annotation("cut.mp4", "这里太快", delivery)
    home.happens(events.Line, session=home.session("文案"), text="看一下", annotations=(mark,))
    home.read(home.value("SELECT max(id) FROM messages"), [plans[0]])
    expect_equal("QUOT-08", filed(home, "这里太快"), [(plans[1], None)], "an annotation of a delivery")
    expect_equal("QUOT-08", filed(home, "看一下"), [(plans[1], None)], "the line sent along with it")


@proves("QUOT-09")
def test_clearing_takes_the_transcript_and_leaves_the_words(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = begun(home)
    home.say("@导演 标题换成英文", to="剪辑组", files=[plan])
    group = home.session("剪辑组")
    said = kept(home)
    home.happens(events.SessionCleared, session=group)
    expect_equal("QUOT-10", home.value("SELECT count(*) FROM quotes WHERE erased = 1"), 0, "words erased unasked")
    left = [home.value(f"SELECT count(*) FROM {table} WHERE session = {group}") for table in ("messages", "turns")]
    expect_equal("QUOT-09", left, [0, 0], "lines and turns after a clear")
    expect_equal("QUOT-09", kept(home), said, "words after a clear")
    rows = home.rows("SELECT DISTINCT message, session FROM quotes")
    expect_equal("QUOT-09", rows, [(None, group)], "where the words were said, after a clear")
    home.happens(events.SessionDeleted, session=group)
    expect_equal("QUOT-09", home.rows("SELECT DISTINCT session FROM quotes"), [(None,)], "after the group was deleted")
    sent = home.rows("SELECT body FROM events UNION ALL SELECT body FROM effects")
    expect(
        "QUOT-09", not any("英文" in body for (body,) in sent), "the transcript stands in no record of what was sent"
    )


@proves("QUOT-10")
def test_words_are_erased_only_where_that_is_asked_for(tmp_path: Path) -> None:
    for erase in (False, True):
        home = house(tmp_path / str(erase))
        plan = begun(home)
        home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色",))
        home.requires(12, "分镜", plan, quote=1, paraphrase="先分镜")
        home.happens(events.SessionCleared, session=home.session("剪辑组"), erase_quotes=erase)
        said = home.rows("SELECT source, text, erased FROM quotes ORDER BY id")
        first = ("said", None, 1) if erase else ("said", ASKED, 0)
        expect_equal("QUOT-10", said, [first, ("board", "不用蓝色", 0)], f"words after a clear with erase={erase}")
        required = home.rows("SELECT span, paraphrase, state FROM requirements WHERE number = 12")
        wanted = (None, "", "no_longer_applies") if erase else ("分镜", "先分镜", "active")
        expect_equal("QUOT-10", required, [wanted], f"what was required by them, with erase={erase}")


@proves("QUOT-11")
def test_the_first_opening_after_the_upgrade_copies_the_words_once(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="剪辑组")
    home.say("@导演 标题换成英文", to="剪辑组", files=[plan])
    home.hop("导演", events.Call("ask_user", {"question": "用哪个？", "options": ["宋体", "黑体"]}))
    home.happens(events.Answered, ask=1, chosen=("宋体",), words="大一点")
    mark = events.Annotation("cut.mp4", "这里太快")
    home.happens(events.Line, session=home.session("剪辑组"), text="@导演 照着改", annotations=(mark,))
    home.read(home.value("SELECT max(id) FROM messages"), [plan])
    texts = ["新品片", "@导演 标题换成英文", "@导演 照着改", "这里太快", "宋体\n大一点"]
    # As a version left it that kept no words.
    home.sql("DROP TRIGGER quotes_are_kept")
    home.sql("DELETE FROM quote_filings")
    home.sql("DELETE FROM scribings")
    home.sql("DELETE FROM quotes")
    home.sql("UPDATE meta SET quotes_kept = 0")
    home.db.close()
    for opening in ("first", "second"):
        db = open_store(home.path)
        found = [row["text"] for row in db.rows("SELECT text FROM quotes ORDER BY id")]
        expect_equal("QUOT-11", sorted(found), sorted(texts), f"words after the {opening} opening")
        of_plan = db.value("SELECT count(*) FROM quote_filings WHERE plan = ?", plan)
        expect_equal("QUOT-11", of_plan, len(texts), f"words filed to the plan after the {opening} opening")
        # Words that an old version writes meanwhile are not copied later.
        db.write("INSERT INTO messages (session, author, seq, at, text) VALUES (1, 'user', 1, 0, '旧版写的')")
        db.close()


@proves("QUOT-12")
def test_every_segment_on_a_plan_reads_the_earliest_and_the_newest_words(tmp_path: Path) -> None:
    for count in (9, 10, 11, 13):
        home = house(tmp_path / str(count))
        plan = begun(home)
        for number in range(2, count):
            home.say(f"第{number}句", to="文案", files=[plan])
            home.hop("文案", text="好。")
        read = words(home, resumed(home, plan))
        said = [ASKED, *(f"第{number}句" for number in range(2, count)), "继续"]
        shown = said if count <= 10 else [*said[:4], f"({count - 10} more between)", *said[-6:]]
        expect_equal("QUOT-15", len(read) > 0, True, "whether a later segment reads the user's words")
        ends = [line.endswith(text) for line, text in zip(read, shown, strict=False)]
        expect("QUOT-12", len(read) == len(shown) and all(ends), f"of {count} quotes a segment reads {read}")


@proves("QUOT-12")
def test_a_segment_in_a_chat_among_bots_reads_them_too(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = begun(home)
    turn = resumed(home, plan)
    home.hop("导演", events.Call("create_direct", {"to": "文案"}), plan=plan)
    chat = home.value("SELECT id FROM sessions WHERE kind = 'bots'")
    home.hop("导演", events.Call("send_message", {"session": chat, "text": "旁白你来写一版，十句以内？"}), plan=plan)
    among = home.turn("文案")
    expect_equal("QUOT-12", (among["session"], among["plan"]), (chat, plan), "the segment in the chat among Bots")
    expect_equal("QUOT-12", words(home, among["id"]), words(home, turn), "the words that it reads")
    expect("QUOT-12", words(home, turn), "there are words to read")


@proves("QUOT-13")
def test_each_is_quoted_up_to_a_limit_with_when_and_where(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = begun(home)
    home.say("五" * 400, to="文案", files=[plan])
    home.say("六" * 401, to="文案", files=[plan])
    home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色",))
    mark = events.Annotation(f"{home.value('SELECT folder FROM plans')}/cut.mp4", "这里太快")
    home.happens(events.Line, session=home.session("剪辑组"), text="@文案", annotations=(mark,))
    home.read(home.value("SELECT max(id) FROM messages"))
    read = words(home, resumed(home, plan))
    wanted = [
        f"08-16 09:00 in 剪辑组: {ASKED}",
        f"08-16 09:00 in the direct chat with 文案: {'五' * 400}",
        f"08-16 09:00 in the direct chat with 文案: {'六' * 400}…",
        "08-16 09:00 on the board: 不用蓝色",
        "08-16 09:00 annotating a file: 这里太快",
    ]
    expect_equal("QUOT-13", read[:5], wanted, "how words are quoted")
    home.hop("导演", text="好。")
    home.now += 15 * 3_600_000
    later = words(home, resumed(home, plan))[-1]
    expect_equal("QUOT-13", later, "08-17 00:00 in the direct chat with 导演: 继续", "a line after the user's midnight")


@proves("QUOT-14")
def test_the_words_are_the_same_without_the_transcript(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = begun(home)
    home.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    home.hop("文案", text="好。")
    before = words(home, resumed(home, plan))
    home.hop("导演", text="好。")
    home.happens(events.SessionCleared, session=home.session("剪辑组"))
    home.happens(events.SessionCleared, session=home.session("导演"))
    home.happens(events.BoardEdited, plan=plan)
    after = words(home, resumed(home, plan))
    expect_equal("QUOT-14", after[:2], before[:2], "words after a clear")
    expect("QUOT-14", len(before) == 3, f"there is something to read: {before}")
    for number in range(45):
        home.say(f"随便聊聊 {number}", to="导演", files="spot")
        home.hop("导演", text="嗯。")
    home.hop("导演", text="嗯。")
    beyond = resumed(home, plan)
    expect_equal("QUOT-14", words(home, beyond)[:2], before[:2], "words beyond the window of the transcript")
    transcript = home.context(beyond).split("# Transcript\n")[-1].split("\n\n")[0].splitlines()
    expect_equal("QUOT-14", len(transcript), 40, "lines of the transcript")


@proves("QUOT-15")
def test_a_plans_first_segment_does_not_list_its_own_request(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("写三句宣传语", to="文案", files="new")
    first = home.turn("文案")["id"]
    home.hop("文案", write("slogans.md"))
    expect_equal("QUOT-15", words(home, first), [], "the user's words in the first segment")
    home.hop("文案", text="好了。")
    expect_equal("QUOT-02", filed(home, "写三句宣传语"), [(1, None)], "where the request is filed")
    read = words(home, resumed(home, 1, "文案"))
    expect_equal("QUOT-15", [line.rpartition(": ")[2] for line in read], ["写三句宣传语", "继续"], "in the second")


@proves("QUOT-16")
def test_under_a_hold_only_the_words_before_it_are_read(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = begun(home)
    turn = resumed(home, plan)
    for text in ("标题换成英文", "再快一点"):
        home.say(text, to="文案", files=[plan])
        if text == "标题换成英文":
            home.sql(
                "INSERT INTO holds (scope, plan, source, seq, at) VALUES ('plan', ?, 'legacy',"
                " (SELECT max(seq) FROM events), 0)",
                plan,
            )
    home.hop("导演", events.Call("read_file", {"path": "a"}))
    expect("QUOT-15", words(home, turn), "a later segment reads the user's words")
    held = [line.rpartition(": ")[2] for line in words(home, turn)]
    expect_equal("QUOT-16", held, [ASKED, "继续", "标题换成英文"], "words read under the hold")
    home.sql("UPDATE holds SET lifted_by = (SELECT max(id) FROM user_actions)")
    home.hop("导演", events.Call("read_file", {"path": "a"}))
    lifted = [line.rpartition(": ")[2] for line in words(home, turn)]
    expect_equal("QUOT-16", lifted, [*held, "再快一点"], "words read after the lift")


def test_clearing_stops_the_command_that_runs_in_the_chat(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    home.say("渲染一版", to="导演", files=[plan])
    home.hop("导演", events.Call("shell", {"command": "render a"}), run=False)
    home.happens(events.SessionCleared, session=home.session("导演"))
    killed = [effect.body["effect"] for effect in home.engine.open_effects() if effect.kind == "kill"]
    assert killed == [home.value("SELECT id FROM effects WHERE kind = 'run_tool'")]
    assert home.value("SELECT state FROM work_items WHERE plan = ?", plan) == "idle"


def test_a_plan_opened_by_choice_has_its_line(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("写三句宣传语", to="文案")
    home.hop("文案", work_on(new={"title": "宣传语"}))
    assert filed(home, "写三句宣传语") == [(1, None)]
