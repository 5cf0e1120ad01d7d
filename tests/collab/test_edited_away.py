"""What an edit takes away: it stays in force, and the user is asked."""

from pathlib import Path

from evening import Evening
from scribing import ROOM, asked, comes, entries, row, says, scribes, studio_at_work

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, requirement_view
from threadrebuild.collab.change import Conflict


def apart(home: Evening) -> list[str]:
    """The words of the entries that are set apart, in order."""
    rows = home.rows("SELECT span FROM requirements WHERE edited_away IS NOT NULL ORDER BY id")
    return [words for (words,) in rows]


def buttons(home: Evening, plan: int, words: str) -> tuple[str, ...]:
    """The buttons of an entry in the user's list."""
    listed = requirement_view.of_plan(home.db, plan, home.now)["requirements"]
    return next(tuple(each["actions"]) for each in listed if each["quote"] == words)


def edit(home: Evening, line: int, text: str) -> None:
    """The user changes a line."""
    home.happens(events.Edited, message=line, text=text)


@proves("REQ-47")
def test_words_that_an_edit_drops_stay_in_force_and_the_user_is_asked(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = says(
        home,
        "@导演 背景要连贯,字幕用宋体,片长 90 秒",
        plan,
        add=[row("背景要连贯"), row("字幕用宋体"), row("片长 90 秒")],
    )
    edit(home, line, "@导演 背景要连贯")
    expect_equal("REQ-47", apart(home), ["字幕用宋体", "片长 90 秒"], "what is set apart")
    expect_equal("REQ-47", entries(home), ["背景要连贯", "字幕用宋体", "片长 90 秒"], "what is in force")
    offered = buttons(home, plan, "字幕用宋体")
    expect_equal("REQ-47", offered[:2], ("no_longer_applies", "keep"), "what the user is asked")
    expect("REQ-47", "keep" not in buttons(home, plan, "背景要连贯"), "nothing is asked of the words that stay")
    listed = requirement_view.of_plan(home.db, plan, home.now)["requirements"]
    shown = {each["quote"]: each["edited_away"] for each in listed}
    expect_equal("REQ-47", shown, {"背景要连贯": False, "字幕用宋体": True, "片长 90 秒": True}, "the user's list")
    home.happens(events.RequirementActed, requirement=2, plan=plan, action="no_longer_applies")
    home.happens(events.RequirementActed, requirement=3, plan=plan, action="keep")
    expect_equal("REQ-47", entries(home), ["背景要连贯", "片长 90 秒"], "what is in force once the user has said")
    expect("REQ-47", "keep" not in buttons(home, plan, "片长 90 秒"), "it is asked once")
    try:
        home.happens(events.RequirementActed, requirement=3, plan=plan, action="keep")
    except Conflict as refused:
        expect_equal("REQ-47", refused.code, "requirement_settled", "keeping what is kept")
    else:
        expect("REQ-47", False, "what is kept is not kept again")


@proves("REQ-47")
def test_a_pending_one_is_asked_about_as_no_requirement(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, on=False, tickets=("片头",))
    home.happens(events.TicketEdited, ticket=1, status="to accept")
    line = home.say("@导演 画面太假,重来", to=ROOM, read=False)
    for effect in [each for each in home.engine.open_effects() if f"user words:{line}:" in each.subject]:
        home.happens(events.Read, effect=effect.id, failure="timeout")
    home.read(line, [plan])
    edit(home, line, "@导演 算了")
    expect_equal("REQ-47", apart(home), ["@导演 画面太假,重来"], "what is set apart with the scribe off")
    offered = buttons(home, plan, "@导演 画面太假,重来")
    expect_equal("REQ-47", offered[:2], ("not_a_requirement", "keep"), "what the user is asked")
    home.happens(events.RequirementActed, requirement=1, plan=plan, action="not_a_requirement")
    expect_equal("REQ-47", entries(home, "not_a_requirement"), ["@导演 画面太假,重来"], "how it stands then")


@proves("REQ-47")
def test_words_that_come_back_are_not_asked_about(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = says(home, "@导演 背景要连贯,字幕用宋体", plan, add=[row("字幕用宋体,"), row("背景要连贯,字幕用宋体")])
    edit(home, line, "@导演 字幕用宋体,音乐快些,背景要连贯")
    expect_equal("REQ-47", apart(home), [], "what is set apart of words in another order")
    while asked(home) is not None:
        scribes(home)
    edit(home, line, "@导演 音乐快些")
    expect_equal("REQ-47", len(apart(home)), 2, "what is set apart of words struck out")
    edit(home, line, "@导演 背景 要连贯！字幕用宋体")
    expect_equal("REQ-47", apart(home), [], "what is set apart once the words are there again")


@proves("QUOT-22", "SCRB-20")
def test_after_every_edit_the_scribe_looks_for_what_it_took_away(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(home, "@导演 音乐要轻快", plan, add=[row("音乐要轻快")])
    line = says(
        home,
        "@导演 背景要连贯,不要用红色,音乐要轻快,字幕用宋体",
        plan,
        add=[row("背景要连贯"), row("用红色", polarity="must_not"), row("字幕用宋体")],
        again=[row("音乐要轻快", entry=1)],
    )
    expect_equal("QUOT-22", entries(home), ["音乐要轻快", "背景要连贯", "字幕用宋体"], "what is in force")
    home.happens(events.RequirementActed, requirement=3, plan=plan, action="no_longer_applies")
    edit(home, line, "@导演 背景要连贯,音乐要轻快吗")
    expect_equal("REQ-47", apart(home), [], "what is set apart of words that stay")
    scribes(home)
    body = asked(home)
    expect("QUOT-22", body is not None, "it reads once more")
    assert body is not None
    seen = {key: body.body[key] for key in ("before", "line")}
    wanted = {
        "before": "@导演 背景要连贯,不要用红色,音乐要轻快,字幕用宋体",
        "line": "@导演 背景要连贯,音乐要轻快吗",
    }
    expect_equal("QUOT-22", seen, wanted, "the texts that it is shown")
    expect_equal(
        "QUOT-22", [each["quote"] for each in body.body["entries"]], ["背景要连贯"], "the entries that it is shown"
    )
    scribes(home, gone=[2, 1])
    expect_equal("QUOT-22", apart(home), ["背景要连贯"], "what is set apart")
    expect_equal("QUOT-22", entries(home), ["音乐要轻快", "背景要连贯"], "what is in force without an answer")
    edit(home, line, "@导演 背景要连贯")
    expect_equal("QUOT-22", asked(home), None, "what it is asked where nothing is left to be asked about")
    expect_equal("QUOT-22", apart(home), ["背景要连贯"], "what is set apart by its meaning, after another edit")


@proves("QUOT-22")
def test_a_pure_deletion_is_looked_at_too_and_a_failure_sets_nothing_apart(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = says(home, "@导演 背景要连贯,才怪", plan, add=[row("背景要连贯")])
    edit(home, line, "@导演 背景要连贯")
    expect_equal("REQ-47", apart(home), [], "what is set apart of words that stay")
    expect("QUOT-22", asked(home) is not None, "it reads once more after words were struck out")
    comes(home, failure="error")
    expect_equal("QUOT-22", apart(home), [], "what is set apart where it fails")
    edit(home, line, "@导演 背景要连贯!好")
    scribes(home)
    comes(home, '{"gone": ["1"]}')
    expect_equal("QUOT-22", apart(home), [], "what is set apart by what is no answer")
    unread = home.say("@导演 随便说说", to=ROOM, files="unclear")
    edit(home, unread, "@导演 随便说说的")
    expect_equal("QUOT-22", asked(home), None, "what it is asked of a line that is filed nowhere")


@proves("QUOT-22")
def test_an_edit_before_the_words_were_read_is_looked_at_once_they_are(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = home.say("@导演 片长 90 秒,背景要连贯", to=ROOM, files=[plan])
    edit(home, line, "@导演 背景要连贯")
    scribes(home, add=[row("片长 90 秒"), row("背景要连贯")])
    scribes(home)
    expect("QUOT-22", asked(home) is not None, "it reads once more")
    expect_equal("REQ-47", apart(home), ["片长 90 秒"], "what is set apart of words that were read after the edit")
    scribes(home)
    expect_equal("QUOT-22", entries(home), ["片长 90 秒", "背景要连贯"], "what is in force")


@proves("QUOT-20", "QUOT-21")
def test_a_changed_number_is_read_alone_and_waits_for_the_user(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = says(home, "@导演 片长 90 秒,背景要连贯", plan, add=[row("片长 90 秒"), row("背景要连贯")])
    edit(home, line, "@导演 片长 60 秒,背景要连贯")
    kept = home.value("SELECT count(*) FROM quotes WHERE message = ?", line)
    expect_equal("QUOT-19", kept, 2, "the words that are kept of the line")
    asked_ = asked(home)
    expect_equal("QUOT-20", asked_ and asked_.body.get("line"), "@导演 片长 60 秒,", "what is read of the line then")
    scribes(home, change=[row("片长 60 秒", entry=1)])
    expect_equal("QUOT-21", entries(home), ["片长 90 秒", "背景要连贯"], "what is in force")
    expect_equal("QUOT-21", entries(home, "pending"), ["片长 60 秒"], "what waits for the user")
    if asked(home) is not None:
        scribes(home)
    said = home.value("SELECT count(*) FROM requirement_said WHERE requirement = 2")
    expect_equal("QUOT-20", said, 1, "how often the untouched words were said")
