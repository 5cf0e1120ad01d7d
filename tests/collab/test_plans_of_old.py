"""Plans at the levels with one current plan a session: the organizer opens, parks and takes them up again."""

from pathlib import Path

from evening import Evening
from readings import FILING, MEANING, comes, says
from sleeping import HOUR, ROOM, house, looks_again, organized, quiet, stands, worked_on

from harness.expect import expect_equal, proves
from threadrebuild.collab import events, plans

STOP = {"control": "stop", "only": True}
GO_ON = {"control": "resume", "only": True}


def spoken(home: Evening, text: str, meaning: object = None, *, to: str = "导演", **more: object) -> int:
    """The user says something, and it is read."""
    line = says(home, text, to=to, **more)
    read(home, line, meaning)
    return line


def read(home: Evening, line: int, meaning: object) -> None:
    """What a line means comes back; what it is about nobody can tell."""
    comes(home, line, MEANING, {} if meaning is None else meaning)
    comes(home, line, FILING, {"kind": "unclear"})


def current(home: Evening, session: str) -> int | None:
    """The current plan of a session."""
    return plans.current(home.db, home.session(session))


def noted(home: Evening, plan: int) -> tuple[str, str]:
    """A plan's status in its row and in its points."""
    return stands(home, plan)[0], plans.points_of(home.db, plan)["status"]


@proves("PLAN-19")
def test_the_organizer_keeps_one_current_plan_a_conversation(tmp_path: Path) -> None:
    for level in (0, 1):
        home = house(tmp_path / str(level), level=level)
        first = spoken(home, "做一支新品片")
        organized(home, matter="new", goal="新品片")
        expect_equal("PLAN-19", home.plans(), ["做一支新品片"], "the plans after a first matter")
        expect_equal("PLAN-20", plans.points_of(home.db, 1)["goal"], "新品片", "its goal, as the organizer has it")
        expect_equal("PLAN-19", (home.plans(), current(home, "导演")), (["做一支新品片"], 1), "a first matter")
        expect_equal("PLAN-19", home.filed(first), [(1, None)], "what its line is filed to")
        home.hop("导演", text="好。")
        same = spoken(home, "竖版的")
        organized(home)
        expect_equal("PLAN-19", (home.filed(same), current(home, "导演")), ([(1, None)], 1), "the same matter goes on")
        home.hop("导演", text="好。")
        second = spoken(home, "另外做张海报")
        organized(home, matter="new", goal="海报")
        expect_equal("PLAN-19", home.filed(second), [(2, None)], "what the line of another matter is filed to")
        expect_equal("PLAN-19", (current(home, "导演"), stands(home, 1)), (2, ("parked", False)), "the older one")
        expect_equal("PLAN-19", plans.points_of(home.db, 2)["goal"], "海报", "what was noted of the new one")
        home.hop("导演", text="好。")
        home.now += 300 * HOUR
        expect_equal("PLAN-19", current(home, "导演"), 2, "the current plan after many days")
        back = spoken(home, "回到片子，加个片尾")
        organized(home, matter=1)
        expect_equal("PLAN-19", home.filed(back), [(1, None)], "what the line is filed to that comes back")
        expect_equal("PLAN-19", (current(home, "导演"), stands(home, 1)[0]), (1, "active"), "what is current again")
        expect_equal("PLAN-19", stands(home, 2)[0], "parked", "what was current")
        home.hop("导演", text="好。")
        spoken(home, "片子就这样，完成了")
        organized(home, status="done")
        expect_equal("PLAN-19", (current(home, "导演"), noted(home, 1)), (None, ("done", "done")), "once it is done")
        other = home.opened("群里的事", to=ROOM)
        home.hop("导演", text="好。")
        spoken(home, "看看群里那件")
        organized(home, matter=other)
        expect_equal("PLAN-19", current(home, ROOM), other, "the place of a plan of another conversation")
        expect_equal("PLAN-19", current(home, "导演"), None, "the place that it was not given")


@proves("PLAN-19")
def test_from_level_2_on_several_are_current(tmp_path: Path) -> None:
    home = house(tmp_path, level=2)
    for name in ("新品片", "海报"):
        home.opened(name, to="导演")
    spoken(home, "另外做张海报")
    expect_equal("PLAN-19", organized(home, matter="new"), [], "what the organizer is asked after a line")
    states = [stands(home, plan)[0] for plan in (1, 2)]
    expect_equal("PLAN-19", (states, current(home, "导演")), (["active", "active"], None), "two plans of one session")


@proves("PLAN-19")
def test_parked_by_the_organizer_leaves_no_current_plan(tmp_path: Path) -> None:
    home = house(tmp_path, level=0)
    home.opened("新品片", to="导演")
    spoken(home, "先放着吧")
    organized(home, status="parked")
    expect_equal("PLAN-19", (current(home, "导演"), noted(home, 1)), (None, ("parked", "parked")), "what was put off")


@proves("PLAN-23")
def test_below_holds_a_stop_parks_the_plan_until_the_user_says_to_go_on(tmp_path: Path) -> None:
    for way in ("button", "words"):
        for ends in ("line", "board"):
            home = house(tmp_path / f"{way} {ends}", level=0)
            plan = home.opened("新品片", to="导演")
            home.say("做起来", to="导演", files=[plan])
            organized(home)
            expect_equal("PLAN-19", home.plans(), ["新品片"], "the plans: the matter is the same")
            if way == "button":
                home.happens(events.StopPressed, turn=home.turn("导演")["id"])
            else:
                spoken(home, "停下", STOP)
                organized(home, status="parked")
            expect_equal("PLAN-23", noted(home, plan), ("parked", "parked"), f"the plan after a stop by {way}")
            for text, meaning in (("你没停", STOP), ("怎么样了", None)):
                spoken(home, f"{text} work/001-新品片/a.md", meaning)
                organized(home, status="active")
                expect_equal("PLAN-23", noted(home, plan), ("parked", "parked"), f"the plan after “{text}”")
            home.hop("导演", text="好。")
            home.hop("导演", text="好。")
            quiet(home)
            organized(home, status="active")
            expect_equal("PLAN-23", noted(home, plan), ("parked", "parked"), "the plan after the quiet pass")
            if ends == "board":
                home.happens(events.BoardEdited, plan=plan, status="active")
            else:
                spoken(home, "继续 work/001-新品片/a.md", GO_ON)
                organized(home, status="active")
            expect_equal("PLAN-23", noted(home, plan), ("active", "active"), f"the plan after the user's {ends}")


@proves("PLAN-23")
def test_from_holds_on_only_a_hold_parks_a_plan_and_the_users_next_word_ends_that(tmp_path: Path) -> None:
    for level in (1, 8):
        home = house(tmp_path / str(level), level=level)
        plan = home.opened("新品片", to="导演")
        home.say("做起来", to="导演", files=[plan])
        organized(home, status="parked")
        expect_equal("PLAN-19", home.plans(), ["新品片"], "the plans: the matter is the same")
        expect_equal("PLAN-23", noted(home, plan), ("active", "active"), "what the organizer would park by its reading")
        home.happens(events.HoldMade, scope="bot", bot=home.bot("导演"))
        expect_equal("PLAN-23", noted(home, plan), ("active", "active"), "the plan under a hold on its Bot")
        home.happens(events.HoldMade, scope="plan", plan=plan)
        expect_equal("PLAN-23", noted(home, plan), ("parked", "parked"), "the plan under a hold on it")
        asked = home.value("SELECT count(*) FROM effects WHERE kind = 'organizer'")
        holds = home.value("SELECT count(*) FROM holds")
        spoken(home, "你没停", STOP)
        more = home.value("SELECT count(*) FROM holds") - holds
        expect_equal("PLAN-23", more, 1, "holds that “you have not stopped” makes")
        now = home.value("SELECT count(*) FROM effects WHERE kind = 'organizer'")
        expect_equal("PLAN-23", now - asked, 0, "what the organizer is asked of it")
        expect_equal("PLAN-23", noted(home, plan), ("parked", "parked"), "the plan after that")
        home.say("work/001-新品片/a.md 换成竖版", to="导演")
        expect_equal("PLAN-23", noted(home, plan), ("active", "active"), "the plan after a new instruction")


@proves("PLAN-24")
def test_no_turn_changes_a_plans_status_however_it_was_woken(tmp_path: Path) -> None:
    for status in ("active", "parked"):
        home = house(tmp_path / status, level=0)
        plan = home.opened("新品片", to="导演")
        worked_on(home, plan)
        organized(home)
        quiet(home)
        organized(home)
        looks_again(home, None, "导演", 30)
        home.sql("UPDATE waits SET made_by_turn = (SELECT max(id) FROM turns)")
        if status == "parked":
            home.happens(events.BoardEdited, plan=plan, status="parked")
        home.later(31)
        expect_equal("PLAN-24", len(home.live("导演")), 1, "what the check-back has opened")
        expect_equal("PLAN-24", noted(home, plan), (status, status), "the plan once its turn has begun")
        home.hop("导演", text="看过了，还差一点。")
        quiet(home)
        organized(home, status="done")
        expect_equal("PLAN-24", noted(home, plan), (status, status), "the plan after a check-back's turn")
        mark = events.Annotation("work/001-新品片/cut.mp4", "这里太快")
        spoken(home, "看批注", annotations=(mark,))
        expect_equal("PLAN-24", len(home.live("导演")), 1, "what the annotation has opened")
        expect_equal("PLAN-24", noted(home, plan), (status, status), "the plan once its turn has begun")
        organized(home, status="active")
        home.hop("导演", text="改好了。")
        quiet(home)
        organized(home, status="done")
        expect_equal("PLAN-24", noted(home, plan), (status, status), "the plan after an annotation's turn")
