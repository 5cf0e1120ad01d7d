"""Plans: one matter each, opened by the user's words, with points whose every version has its cause."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from evening import DOWN, Evening, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.store import open_store


def house(tmp_path: Path, level: int = 8) -> Evening:
    tmp_path.mkdir(exist_ok=True)
    return Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)


def points(home: Evening, plan: int = 1) -> dict[str, Any]:
    """The newest points of a plan."""
    found: dict[str, Any] = json.loads(
        home.value("SELECT points FROM plan_revisions WHERE plan = ? ORDER BY number DESC LIMIT 1", plan)
    )
    return found


def organized(home: Evening, **notes: Any) -> list[str]:
    """The organizer answers everything that it was asked; what it was asked for."""
    asked = [effect for effect in home.engine.open_effects() if effect.kind == "organizer"]
    for effect in asked:
        home.happens(events.Organized, effect=effect.id, raw=json.dumps(notes))
    return [effect.body["asked"] for effect in asked]


def quiet(home: Evening) -> None:
    """Half a minute goes by."""
    home.now += 30_000
    for effect in home.engine.open_effects():
        if effect.subject.startswith("quiet:"):
            home.happens(events.TimerRang, effect=effect.id)


def refused(home: Evening, statement: str, *values: Any) -> bool:
    """Whether the store itself refuses a write."""
    try:
        home.sql(statement, *values)
    except sqlite3.IntegrityError:
        return True
    return False


@proves("PLAN-01", "PLAN-03")
def test_a_matter_goes_on_the_next_day_in_another_conversation(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("@导演 做一张开业海报", to="剪辑组", files="new")
    home.hop("导演", write("poster.png"))
    home.hop("导演", text="做好了。")
    plan = home.value("SELECT max(id) FROM plans")
    home.now += 24 * 3_600_000
    later = home.say("底色换成红的", to="导演", files=[plan])
    expect_equal("PLAN-01", [each for each, _ in home.filed(later)], [plan], "the plan of the next day's change")
    home.hop("导演", write("poster.png"))
    for text in ("字再大一点", "加上地址"):
        line = home.say(text, to="导演", files=[plan])
        expect_equal("PLAN-03", [each for each, _ in home.filed(line)], [plan], f"the plan of {text!r}")
    expect_equal("PLAN-01", home.plans(), ["做一张开业海报"], "the plans in all")


@proves("PLAN-02")
def test_a_plan_of_a_group_is_worked_on_from_a_direct_chat(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="剪辑组")
    home.say("@导演 先做分镜", to="剪辑组", files=[plan])
    home.hop("导演", text="好了。")
    home.say("底色换成红的", to="导演", files=[plan])
    turn = home.turn("导演")
    where = (turn["plan"], turn["session"])
    expect_equal("PLAN-02", where, (plan, home.session("导演")), "the plan and place of the segment that does it")


@proves("PLAN-03")
def test_a_conversation_carries_several_plans(tmp_path: Path) -> None:
    home = house(tmp_path)
    plans = [home.opened(name, to="导演") for name in ("海报", "新品片")]
    lines = [home.say("改一下", to="导演", files=[plan]) for plan in plans]
    expect_equal("PLAN-03", [home.filed(line) for line in lines], [[(plan, None)] for plan in plans], "lines' plans")


@proves("PLAN-04")
def test_rework_of_what_was_delivered_stays_in_its_plan(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("做一张海报", to="导演", files="new")
    home.hop("导演", write("poster.png"))
    home.hop("导演", text="做好了。")
    plan = home.value("SELECT id FROM plans")
    home.sql("UPDATE plans SET status = 'delivered'")
    line = home.say("这张不行，重做", to="导演", files=[plan])
    expect_equal("PLAN-04", home.filed(line), [(plan, None)], "the plan that a redo is filed to")
    home.hop("导演", write("poster.png"))
    expect_equal("PLAN-04", home.plans(), ["做一张海报"], "the plans after the redo")


@proves("PLAN-05")
def test_the_request_that_opened_a_plan_stays_word_for_word(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("做一支 90 秒的新品片，竖版", to="导演")
    home.happens(events.BoardEdited, plan=plan, goal="做一支 60 秒的新品片，横版")
    expect_equal("PLAN-22", points(home)["goal"], "做一支 60 秒的新品片，横版", "the goal after its edit")
    opening = home.value("SELECT opening FROM plans")
    expect_equal("PLAN-05", opening, "做一支 90 秒的新品片，竖版", "the opening request after an edit of the goal")
    expect("PLAN-05", refused(home, "UPDATE plans SET opening = '做片子'"), "the store keeps the request as it was")


@proves("PLAN-06")
def test_what_a_bot_decided_becomes_no_rule_of_the_user(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演")
    home.say("做片子", to="导演", files=[plan])
    home.hop("导演", write("notes.md"), text="我定 24 fps。")
    home.hop("导演", text="按 24 fps 做好了。")
    expect_equal("PLAN-06", points(home)["rules"], [], "the rules of the plan after a Bot's decision")
    written = json.dumps(points(home) | {"rules": ["24 fps"]})
    insert = "INSERT INTO plan_revisions (plan, number, points, cause, cause_id, at) VALUES (?, 99, ?, 'turn', 1, 0)"
    expect("PLAN-06", refused(home, insert, plan, written), "the store takes no rules from a turn")


@proves("PLAN-21")
def test_rules_and_acceptance_are_written_by_the_user_only(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    home.say("@导演 做一支新品片", to="剪辑组")
    plan = home.opened("新品片", to="剪辑组")
    home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色",), acceptance=("有字幕",))
    home.say("@导演 用手持的感觉", to="剪辑组", files=[plan])
    organized(home, goal="手持感的新品片", rules=["24 fps"], acceptance=["30 秒以内"])
    expect_equal("PLAN-20", points(home, plan)["goal"], "手持感的新品片", "what the organizer may write")
    found = points(home, plan)
    expect_equal("PLAN-21", (found["acceptance"], found["rules"]), (["有字幕"], ["不用蓝色"]), "what is the user's")
    insert = "INSERT INTO plan_revisions (plan, number, points, cause, cause_id, at) VALUES (?, 99, ?, ?, 1, 0)"
    for cause in ("message", "turn", "organizer", "hold"):
        for field in ("acceptance", "rules"):
            written = json.dumps(found | {field: [*found[field], "24 fps"]})
            expect("PLAN-21", refused(home, insert, plan, written, cause), f"the store takes no {field} from a {cause}")


@proves("PLAN-21")
def test_rules_outlive_seventy_revisions_that_leave_them_out(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    home.say("@导演 做一支新品片", to="剪辑组")
    plan = home.opened("新品片", to="剪辑组")
    home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色", "背景要连贯"))
    for number in range(70):
        home.say("@导演 再看看", to="剪辑组", files=[plan])
        organized(home, goal=f"第 {number} 稿", rules=[] if number % 2 else ["背景连贯"])
    expect_equal("PLAN-20", points(home, plan)["goal"], "第 69 稿", "what the organizer has written")
    expect_equal("PLAN-21", points(home, plan)["rules"], ["不用蓝色", "背景要连贯"], "what the user has")
    in_force = home.rows("SELECT span FROM requirements WHERE state = 'active' ORDER BY id")
    expect_equal("REQ-04", in_force, [("不用蓝色",), ("背景要连贯",)], "and what is in force")


@proves("PLAN-07")
def test_no_current_plan_is_guessed_from_level_2_on(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    for name in ("海报", "新品片"):
        home.opened(name, to="导演")
    old = home.say("再改改", to="导演", files="unclear")
    expect_equal("PLAN-07", home.filed(old), [(2, None)], "an unclear line at level 1")
    home.hop("导演", text="好。")
    home.db.close()
    home.db = home.engine.db = open_store(home.path, durable=False)
    home.sql("UPDATE plans SET status = 'active'")
    new = home.say("再改改", to="导演", files="unclear")
    expect_equal("PLAN-07", home.filed(new), [], "an unclear line once the level has risen")
    expect_equal("PLAN-07", home.turn("导演")["mode"], "desk", "what it opens")


@proves("PLAN-08")
def test_a_plan_opens_only_by_a_quote_or_the_first_side_effect(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("海报", to="导演")
    home.say("海报改成红的", to="导演", files=[plan])
    expect_equal("REDIR-03", home.turn("导演")["plan"], plan, "a request that is about a plan there is")
    home.say("有什么好看的片子吗", to="文案", files="unclear")
    asked = [turn["mode"] for turn in home.turns("文案")]
    expect_equal("PLAN-08", (asked, home.plans()), (["desk"], ["海报"]), "what an unclear question opens")
    home.hop("文案", text="《海上钢琴师》。")
    expect_equal("PLAN-08", home.plans(), ["海报"], "plans after it was answered")
    home.say("写三句宣传语", to="文案", files="unclear")
    home.hop("文案", write("a.md"))
    expect_equal("PLAN-08", home.plans(), ["海报", "写三句宣传语"], "plans after the first side effect")
    home.hop("文案", text="好了。")
    home.say("再想一个片名", to="文案", files="unclear")
    home.hop("文案", work_on(new={"title": "片名"}))
    expect_equal("PLAN-08", home.plans(), ["海报", "写三句宣传语", "片名"], "plans after a choice that quotes the line")


@proves("PLAN-08")
def test_whatever_a_line_is_read_as_no_plan_opens_before_something_is_done(tmp_path: Path) -> None:
    for files in (DOWN, "new", "spot", "unclear"):
        folder = tmp_path / str(files)
        folder.mkdir()
        home = house(folder)
        home.say("有什么好看的片子吗", to="文案", files=files)
        expect_equal("PLAN-08", home.plans(), [], f"what a question opens that is read as {files}")
        home.hop("文案", text="《海上钢琴师》。")
        expect_equal("PLAN-08", home.plans(), [], f"plans after it was answered, read as {files}")
        home.say("写三句宣传语", to="文案", files=files)
        home.hop("文案", write("a.md"))
        opened = [] if files == "spot" else ["写三句宣传语"]
        expect_equal("PLAN-08", home.plans(), opened, f"plans after a side effect for a wish read as {files}")


@proves("PLAN-09")
def test_another_plan_parks_none_that_is_worked_on_from_level_2_on(tmp_path: Path) -> None:
    for level, status in ((1, "parked"), (2, "active")):
        home = house(tmp_path / str(level), level)
        plan = home.opened("海报", to="导演")
        home.say("海报开始做", to="导演", files=[plan])
        home.opened("新品片", to="导演")
        expect_equal("PLAN-09", home.value("SELECT status FROM plans WHERE id = ?", plan), status, f"at level {level}")
        if level > 1:
            live = [(turn["plan"], turn["state"]) for turn in home.live("导演")]
            expect_equal("PLAN-09", live, [(plan, "running")], "the segments of the older plan")


@proves("PLAN-20")
def test_points_are_refreshed_after_each_line_below_level_2_and_only_in_progress_once_quiet(tmp_path: Path) -> None:
    progress = {"done": ["分镜"], "to_do": ["剪辑"], "stuck": []}
    for level, after_a_line in ((1, ["line"]), (2, [])):
        home = house(tmp_path / str(level), level)
        plan = home.opened("新品片", to="导演")
        kinds = {"category", "goal", "acceptance", "rules", "process", "progress", "status"}
        expect_equal("PLAN-20", set(points(home)), kinds, "what the points hold")
        expect_equal("PLAN-20", points(home)["progress"].keys(), progress.keys(), "what their progress holds")
        home.say("做片子", to="导演", files=[plan])
        asked = organized(home, goal="做 90 秒的片子", process="导演做")
        expect_equal("PLAN-20", asked, after_a_line, f"what the organizer is asked after a line at level {level}")
        goal = "做 90 秒的片子" if after_a_line else "新品片"
        expect_equal("PLAN-20", points(home)["goal"], goal, f"the goal after a line at level {level}")
        home.hop("导演", text="做好了。")
        home.say("再改改", to="导演", files=[plan])
        organized(home)
        quiet(home)
        expect_equal("PLAN-20", organized(home), [], "what it is asked while a segment runs")
        home.hop("导演", text="改好了。")
        quiet(home)
        asked = organized(home, goal="别的", status="done", progress=progress)
        expect_equal("PLAN-20", asked, ["quiet"], f"what it is asked once the plan is quiet at level {level}")
        found = points(home)
        noted = (found["goal"], found["status"], found["progress"])
        expect_equal("PLAN-20", noted, (goal, "active", progress), f"what the quiet pass has noted at level {level}")


@proves("QUOT-03")
def test_the_organizer_files_words_below_level_2_only(tmp_path: Path) -> None:
    for level, filed in ((1, 2), (2, 1)):
        home = house(tmp_path / str(level), level)
        plans = [home.opened(name, to="剪辑组") for name in ("新品片", "海报")]
        line = home.say("@导演 标题换成英文", to="剪辑组", files=[plans[0]])
        home.hop("导演", text="好。")
        quiet(home)
        organized(home, filings=[(line, plans[1])])
        count = home.value(
            "SELECT count(*) FROM quote_filings f JOIN quotes q ON q.id = f.quote WHERE q.message = ?", line
        )
        expect_equal("QUOT-03", count, filed, f"plans of the words after the organizer's pass at level {level}")


@proves("PLAN-22")
def test_every_version_of_the_points_has_its_cause(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    plan = home.opened("新品片", to="剪辑组")
    home.happens(events.BoardEdited, plan=plan, goal="60 秒的新品片")
    line = home.say("@导演 用手持的感觉", to="剪辑组", files=[plan])
    organized(home, process="手持")
    causes = home.rows("SELECT cause, cause_id FROM plan_revisions WHERE plan = ? ORDER BY number", plan)
    action = home.value("SELECT id FROM user_actions WHERE kind = 'button'")
    wanted = [("message", 1), ("user", action), ("message", line)]
    expect_equal("PLAN-22", causes, wanted, "what caused each version")
    insert = "INSERT INTO plan_revisions (plan, number, points, cause, cause_id, at) VALUES (?, 99, '{}', ?, NULL, 0)"
    home.sql("DELETE FROM plan_revisions")
    for cause in ("message", "turn", "user"):
        expect("PLAN-22", refused(home, insert, plan, cause), f"the store takes no version of a {cause} without which")


@proves("PLAN-26")
def test_a_plans_name_is_how_its_request_begins_or_its_files(tmp_path: Path) -> None:
    home = house(tmp_path)
    said = ["字" * 40, "字" * 41, "  做一支\n 新品片 "]
    cases: list[tuple[str, list[str], str]] = [
        ("@导演", [], "@导演"),
        ("", ["in/头像截图.png"], "头像截图.png"),
        ("", ["in/头像截图.png", "in/b.png"], "头像截图.png (2 files)"),
        (" ", ["in/" + "长" * 50 + ".png", "in/b.png"], "长" * 30 + " (2 files)"),
        *((text, [], name) for text, name in zip(said, ["字" * 40, "字" * 40, "做一支 新品片"], strict=True)),
    ]
    for text, files, name in cases:
        home.say(text, to="导演", files="new", attach=files)
        home.hop("导演", write("a.md"))
        home.hop("导演", text="好了。")
        expect_equal("PLAN-26", home.plans()[-1], name, f"the name of a plan opened by {text!r} with {files}")
    mark = events.Annotation("cut.mp4", "这里太快")
    home.happens(events.Line, session=home.session("文案"), text="", annotations=(mark,))
    home.read(home.value("SELECT max(id) FROM messages"), "new")
    home.hop("文案", write("a.md"))
    expect_equal("PLAN-26", home.plans()[-1], "attachments only", "the name of a plan without words and files")
