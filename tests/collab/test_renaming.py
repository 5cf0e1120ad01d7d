"""A plan's name is the user's: who may change it, what follows that, and what does not."""

import json
from pathlib import Path

from evening import Evening
from readings import body, says
from requests_over_http import WAYS, Client
from sleeping import ROOM, clear, house, organized, quiet, sleeps, worked_on
from test_plans import refused

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import attribution, context, events

WINS = context.RENAMED


def rename(home: Evening, plan: int, name: str) -> None:
    """The user renames a plan."""
    home.happens(events.PlanRenamed, plan=plan, name=name)


def name_of(home: Evening, plan: int) -> str:
    """What a plan is called."""
    return str(home.value("SELECT name FROM plans WHERE id = ?", plan))


def map_of(home: Evening, plan: int) -> str:
    """The newest text that is to stand in a plan's map."""
    found = home.value("SELECT body FROM effects WHERE subject = ? ORDER BY id DESC", f"map.md:{plan}")
    return str(json.loads(found)["text"])


@proves("PLAN-27")
def test_only_the_user_renames_and_the_folder_stays(tmp_path: Path) -> None:
    for level in (1, 8):
        home = house(tmp_path / str(level), level=level)
        plan = home.opened("让审片员回复视频导演", to=ROOM)
        folder = home.value("SELECT folder FROM plans WHERE id = ?", plan)
        home.say("@导演 做起来", to=ROOM, files=[plan])
        organized(home, goal="做《一拳超人》动画", category="动画")
        home.hop("导演", text="好了。")
        quiet(home)
        organized(home, goal="做《一拳超人》动画")
        expect_equal("PLAN-27", name_of(home, plan), "让审片员回复视频导演", f"its name after the organizer, {level}")
        what = "whether the store refuses a name that is not the user's"
        expect_equal("PLAN-27", refused(home, "UPDATE plans SET name = '动画'"), True, what)
        rename(home, plan, "  《一拳超人》\n动画 ")
        expect_equal("PLAN-27", name_of(home, plan), "《一拳超人》 动画", f"its name after the user's edit, {level}")
        expect_equal("PLAN-27", home.value("SELECT folder FROM plans"), folder, "its folder after that")
        what = "whether the store refuses another folder"
        expect_equal("PLAN-27", refused(home, "UPDATE plans SET folder = 'work/x'"), True, what)


@proves("PLAN-27")
def test_the_name_is_used_wherever_a_plan_is_named(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.lead("导演", ROOM)
    plan = home.opened("让审片员回复视频导演", to=ROOM)
    worked_on(home, plan, "@导演 做起来", to=ROOM)
    rename(home, plan, "一拳超人")
    client = Client(home)
    listed = [each["name"] for each in client("GET", "tasks").said["plans"]]
    seen = {
        "the board": client("GET", f"tasks/{plan}").said["name"],
        "the list": listed[0],
        "attribution": attribution.view(client.view, 1)["plans"][0]["name"],
        "the stop menu": client("GET", f"tasks/{plan}/stops").said["items"][0]["name"],
    }
    asked = says(home, "再快一点", to=ROOM)
    seen["the reading"] = body(home, asked, "filing")["candidates"][0]["name"]
    home.read(asked, [plan])
    for where, name in seen.items():
        expect_equal("PLAN-27", name, "一拳超人", f"its name in {where}")
    expect("PLAN-27", "Plan 1: 一拳超人" in home.context(home.turn("导演")["id"]), "its name in the situation")


@proves("PLAN-27")
def test_it_is_renamed_over_http_here_and_from_away(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path / str(away))
        plan = home.opened("新品片", to=ROOM)
        client = Client(home, away=away)
        answer = client("PATCH", f"tasks/{plan}", key="1", name="一拳超人")
        expect_equal("PLAN-27", answer.status, 200, f"the status of a rename, away: {away}")
        expect_equal("PLAN-27", (answer.said["name"], name_of(home, plan)), ("一拳超人",) * 2, "the name after that")
        client("PATCH", f"tasks/{plan}", key="1", name="一拳超人")
        expect_equal("PLAN-27", client.taken, 1, "events of a request that came twice")
        said = {"": 422, "  ": 422}
        for name, status in said.items():
            expect_equal("PLAN-27", client("PATCH", f"tasks/{plan}", name=name).status, status, f"for {name!r}")
        expect_equal("PLAN-27", client("PATCH", "tasks/99", name="x").status, 404, "for a plan that is not there")
        expect_equal("PLAN-27", name_of(home, plan), "一拳超人", "the name after what was refused")


@proves("PLAN-28")
def test_a_rename_is_a_change_of_the_user(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM)
    worked_on(home, plan, "@导演 做起来", to=ROOM)
    expect("PLAN-28", "# 新品片\n" in map_of(home, plan), f"the map names it: {map_of(home, plan)}")
    clear(home, ROOM)
    expect_equal("PLAN-33", sleeps(home, plan), True, "whether it sleeps")
    home.now += 60_000
    rename(home, plan, "一拳超人")
    expect_equal("PLAN-27", name_of(home, plan), "一拳超人", "its name")
    expect_equal("PLAN-28", sleeps(home, plan), False, "whether it sleeps after the rename")
    last = Client(home)("GET", f"tasks/{plan}").said["last_change"]
    expect_equal("PLAN-28", last, {"at": home.now, "what": "name"}, "its last change")
    expect("PLAN-28", "# 一拳超人\n" in map_of(home, plan), f"the map names it so: {map_of(home, plan)}")
    path = json.loads(home.value("SELECT body FROM effects WHERE kind = 'mirror' ORDER BY id DESC"))["path"]
    expect_equal("PLAN-28", path, "work/001-新品片/map.md", "where the map lies")


@proves("PLAN-29")
def test_after_a_rename_the_users_words_win_until_the_goal_is_written(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("制作一部未来世界题材的短片", to=ROOM)

    def reads() -> str:
        home.say("@导演 继续做", to=ROOM, files=[plan])
        text = home.context(home.turn("导演")["id"])
        home.hop("导演", text="好了。")
        return text

    before = reads()
    expect_equal("PLAN-29", WINS in before, False, "whether the situation speaks of a rename before one")
    rename(home, plan, "做《一拳超人》动画")
    text = reads()
    expect("PLAN-29", f"Plan 1: 做《一拳超人》动画\n{WINS}" in text, f"the situation says what wins: {text}")
    expect("PLAN-29", "Goal: 制作一部未来世界题材的短片" in text, "the goal is as it was")
    home.happens(events.BoardEdited, plan=plan, rules=("不用蓝色",))
    expect("PLAN-29", WINS in reads(), "it is said still after another edit")
    home.happens(events.BoardEdited, plan=plan, goal="做《一拳超人》动画，竖版")
    expect_equal("PLAN-29", WINS in reads(), False, "whether it is said after the user has written the goal")
    rename(home, plan, "一拳")
    expect("PLAN-29", WINS in reads(), "it is said again after a further rename")
