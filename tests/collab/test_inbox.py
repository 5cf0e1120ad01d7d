"""The inbox: what reaches live work is read there, once, and answered where it was said."""

from pathlib import Path

from evening import DOWN, Evening, write

from harness.expect import expect_equal, proves
from threadrebuild.collab import events


@proves("WORK-05")
def test_what_concerns_live_work_is_read_in_its_segment(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={"剪辑组": ["导演"]})
    plan = home.opened("新品片", to="剪辑组", tickets=[("海报", "导演")])
    folder = home.value("SELECT folder FROM tickets")
    home.say("@导演 做", to="剪辑组", files=[plan])
    turn = home.turn("导演")["id"]
    # In its group and in its direct chat, on the plan and on a ticket of it.
    lines = [home.say("@导演 改成竖版", to="剪辑组", files=[plan]), home.say(f"看 {folder}/a.png", to="导演")]
    home.hop("导演", write("a.md"))
    expect_equal(
        "WORK-05", [home.read_in(line, "导演") for line in lines], [[turn], [turn]], "the turns that read them"
    )
    expect_equal("WORK-05", len(home.turns("导演")), 1, "segments")


@proves("WORK-06", "WORK-07")
def test_a_bot_at_work_answers_in_the_session_where_it_was_spoken_to(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["创意导演", "文案"], rooms={"剪辑组": ["创意导演", "文案"]})
    plan = home.opened("新品片", to="创意导演")
    home.say("先做分镜", to="创意导演", files=[plan])
    home.sql("UPDATE plans SET session = ?", home.session("剪辑组"))
    to_it = home.say("@创意导演 你呢", to="剪辑组", files=[plan])
    to_the_other = home.say("@文案 你写三句", to="剪辑组", files=[plan])
    here = home.say("改成竖版", to="创意导演", files=[plan])
    home.hop("创意导演", write("a.md"))
    turn = home.turn("创意导演")["id"]
    marks = "SELECT message, reply_in FROM inbox_items WHERE read_by_turn = ?"
    found = dict(home.rows(marks, turn))
    expect_equal("WORK-06", found[to_it], home.session("剪辑组"), "where the line said to it is answered")
    expect_equal("WORK-06", found[here], None, "the mark on a line of its own session")
    expect_equal("WORK-07", home.read_in(to_the_other, "创意导演"), [turn], "the turn that hears the other line")
    expect_equal("WORK-07", found[to_the_other], None, "the mark on the line said to the other")


@proves("DESK-01")
def test_a_line_that_is_filed_nowhere_opens_the_called_bots_desk(tmp_path: Path) -> None:
    for number, files in enumerate(("new", "unclear", "spot", DOWN)):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        home = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
        home.opened("新品片", to="剪辑组")
        line = home.say("@文案 写三句宣传语", to="剪辑组", files=files)
        modes = [(turn["mode"], turn["trigger_message"], turn["hops"]) for turn in home.turns("文案")]
        expect_equal("DESK-01", modes, [("desk", line, 1)], f"segments of the called Bot, read as {files}")
        expect_equal("DESK-01", home.filed(line), [], "what the line is filed to before the Bot has seen it")
        asked = home.rows("SELECT DISTINCT kind FROM effects WHERE kind NOT IN ('timer', 'mirror') ORDER BY kind")
        expect_equal("DESK-01", asked, [("hop",), ("read",)], "what is asked of models")


@proves("DESK-02")
def test_an_open_desk_reads_further_lines_that_are_filed_nowhere(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    home.lead("导演", "剪辑组")
    lines = [home.say(text, to="剪辑组") for text in ("@导演 在吗", "看看这个", "@everyone 都说说", "在吗")]
    others = [turn for turn in home.turns("导演") if turn["trigger_message"] != lines[0]]
    expect_equal("DESK-02", others, [], "further segments of the Bot")
    expect_equal("DESK-02", [turn["mode"] for turn in home.turns("导演")], ["desk"], "its segments")
    home.hop("导演", events.Call("read_file", {"path": "a.md"}))
    turn = home.turn("导演")["id"]
    expect_equal(
        "DESK-02", [home.read_in(line, "导演") for line in lines], [[turn]] * 4, "the turns that read the lines"
    )


@proves("DESK-03")
def test_a_line_that_the_desk_did_not_read_opens_the_next_one(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    lines = [home.say(text, to="导演") for text in ("在吗", "另外问一句")]
    home.hop("导演", text="在。")
    stuck = home.value("SELECT count(*) FROM work_items WHERE state = 'running'") - len(home.live("导演"))
    expect_equal("WORK-14", stuck, 0, "work left as running by the desk that ended")
    triggers = [turn["trigger_message"] for turn in home.turns("导演")]
    expect_equal("DESK-03", triggers, lines, "the lines that opened desks")
    home.hop("导演", text="问吧。")
    left = home.rows("SELECT message FROM inbox_items WHERE state = 'queued'")
    expect_equal("DESK-03", left, [], "lines that stay in the inbox with nothing running")


@proves("WORK-07")
def test_who_works_on_the_plan_hears_a_line_that_it_receives_for_another(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    plans = [home.opened(name, to="剪辑组") for name in ("新品片", "海报")]
    for plan in plans:
        home.say("@导演 做", to="剪辑组", files=[plan])
    home.sql("UPDATE plans SET lead = ? WHERE id = ?", home.bot("导演"), plans[0])
    home.sql("UPDATE plans SET lead = ? WHERE id = ?", home.bot("文案"), plans[1])
    line = home.say("片子和海报都换成竖版", to="剪辑组", files=plans)
    for plan in plans:
        home.hop("导演", write("a.md"), plan=plan)
    readers = [home.value("SELECT plan FROM turns WHERE id = ?", turn) for turn in home.read_in(line, "导演")]
    expect_equal("WORK-07", sorted(readers), plans, "the plans in whose segments the director reads the line")
