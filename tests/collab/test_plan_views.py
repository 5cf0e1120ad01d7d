"""What clients see of plans: what changed last, whom anything waits for, and which is shown; and what a Bot reads."""

from pathlib import Path

from evening import Evening, write
from requests_over_http import Client
from sleeping import HOUR, ROOM, clear, house, logged, path_in, quiet, worked_on

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import duties, events


def last_change(home: Evening, plan: int) -> dict[str, object]:
    """What changed last of a plan."""
    found: dict[str, object] = Client(home)("GET", f"tasks/{plan}").said["last_change"]
    return found


@proves("PLAN-40")
def test_the_last_change_is_the_newest_of_all_kinds(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
    other = home.opened("海报", to=ROOM, tickets=[("底图", "导演")])

    def changed(what: str, rule: str = "PLAN-40") -> None:
        now = home.now
        expect_equal(rule, last_change(home, plan), {"at": now, "what": what}, f"the last change after a {what}")
        home.now += HOUR
        expect_equal("PLAN-40", last_change(home, plan)["at"], now, "when that was, an hour later")

    home.happens(events.BoardEdited, plan=plan, goal="新品片，竖版")
    changed("points")
    home.happens(events.TicketEdited, ticket=1, status="in progress")
    changed("ticket")
    home.sql("INSERT INTO checks (plan, kind, body, written_by, at) VALUES (?, 'file_exists', '{}', 'user', 0)", plan)
    home.sql("INSERT INTO check_runs (check_id, began_at, outcome) VALUES (1, ?, 'passed')", home.now)
    changed("check")
    home.say("@导演 做起来", to=ROOM, files=[plan])
    changed("turn")
    home.hop("导演", text="好了。")
    ended = home.value("SELECT max(ended_at) FROM turns WHERE plan = ?", plan)
    expect_equal("PLAN-40", last_change(home, plan)["at"], ended, "after the end of its turn")
    home.now += HOUR
    home.requires(1, "做起来", plan)
    changed("ledger")
    for change in (
        "UPDATE requirements SET state = 'no_longer_applies', ended_by = (SELECT max(id) FROM user_actions)",
        "INSERT INTO requirement_exceptions (requirement, plan, by) SELECT 1, 1, max(id) FROM user_actions",
    ):
        home.happens(events.BoardEdited, plan=other)
        home.sql(change)
        changed("ledger")
    home.happens(events.PlanRenamed, plan=plan, name="一拳超人")
    changed("name", "PLAN-28")
    home.happens(events.TicketEdited, ticket=2, status="in progress")
    expect("PLAN-40", last_change(home, plan)["at"] != home.now, "what another plan's ticket does counts for that one")
    expect_equal("PLAN-40", last_change(home, other)["at"], home.now, "the other plan's last change")


@proves("PLAN-41")
def test_nobody_is_awaited_in_a_plan_that_rests(tmp_path: Path) -> None:
    for level in (4, 8):
        for how in ("active", "done", "parked", "asleep"):
            home = house(tmp_path / f"{level} {how}", level=level)
            plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
            worked_on(home, plan, "@导演 先做分镜", to=ROOM)
            if how in ("done", "parked"):
                home.happens(events.BoardEdited, plan=plan, status=how)
            if how == "asleep":
                clear(home, ROOM)
            awaits = how == "active"
            seen = Client(home)("GET", f"tasks/{plan}").said["awaited"]
            expect_equal("PLAN-41", seen, [1] * awaits, f"the tickets that somebody is awaited for, {how}, {level}")
            item = home.value("SELECT id FROM work_items WHERE plan = ?", plan)
            owed = [row["kind"] for row in duties.of(home.db, item)]
            expect_equal("PLAN-41", owed, ["ticket"] * awaits, f"what is owed there, {how}, {level}")
            turns = len(home.turns("导演"))
            home.happens(events.TicketEdited, ticket=1, status="in progress")
            moved = home.value("SELECT status FROM tickets")
            expect_equal("PLAN-41", moved, "in progress", f"a ticket that the user has moved by hand, {how}")
            expect_equal("PLAN-41", len(home.turns("导演")), turns, "segments that this has opened")


@proves("PLAN-41")
def test_the_owner_of_an_open_ticket_is_not_woken_in_a_plan_that_rests(tmp_path: Path) -> None:
    for how in ("active", "done", "asleep"):
        home = house(tmp_path / how, level=3)
        plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        if how == "done":
            home.happens(events.BoardEdited, plan=plan, status="done")
        if how == "asleep":
            home.sql("UPDATE plans SET dormant = 1")
        quiet(home)
        expect_equal("PLAN-41", len(logged(home, "plan.nudged")), int(how == "active"), f"owners woken, {how}")


@proves("PLAN-42")
def test_a_mere_question_is_not_shown_while_there_is_another_plan(tmp_path: Path) -> None:
    home = house(tmp_path)
    film = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
    worked_on(home, film, "@导演 先做分镜", to=ROOM)
    home.happens(events.BoardEdited, plan=film, status="done")
    long = home.opened("海报", to="导演")
    for text in ("第一版", "第二版"):
        worked_on(home, long, text)
    home.happens(events.BoardEdited, plan=long, status="done")
    asked = home.opened("一共几集？", to="导演")
    worked_on(home, asked, "一共几集？")

    def listed() -> tuple[dict[int, bool], int]:
        said = Client(home)("GET", "tasks").said
        return {each["id"]: each["is_question"] for each in said["plans"]}, said["shown"]

    questions, shown = listed()
    expect_equal("PLAN-42", (questions[asked], shown), (False, asked), "a plan of one turn that is open")
    home.happens(events.BoardEdited, plan=asked, status="done")
    questions, shown = listed()
    expect_equal("PLAN-42", questions, {film: False, long: False, asked: True}, "which are mere questions, all closed")
    expect_equal("PLAN-42", shown, long, "which plan is shown: the newest of the others")
    home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (?, 1, '底图', 'a', 0)", asked)
    expect_equal("PLAN-42", listed()[0][asked], False, "whether it is one with a ticket")
    home.sql("DELETE FROM tickets WHERE plan = ?", asked)
    worked_on(home, asked, f"{path_in(home, asked)} 再说一遍")
    home.happens(events.BoardEdited, plan=asked, status="active")
    home.happens(events.BoardEdited, plan=asked, status="done")
    expect_equal("PLAN-42", listed()[0][asked], False, "whether it is one with two turns")


@proves("PLAN-42")
def test_the_only_plans_there_are_shown_and_of_old_none_is_folded(tmp_path: Path) -> None:
    for level in (1, 2):
        home = house(tmp_path / str(level), level=level)
        plan = home.opened("一共几集？", to="导演")
        worked_on(home, plan, "一共几集？")
        home.happens(events.BoardEdited, plan=plan, status="done")
        said = Client(home)("GET", "tasks").said
        found = [each["is_question"] for each in said["plans"]]
        expect_equal("PLAN-42", found, [level >= 2], f"whether it is folded, turns being counted from level 2, {level}")
        expect_equal("PLAN-42", said["shown"], plan, "what is shown where there is nothing else")


@proves("PLAN-25")
def test_every_turns_situation_carries_the_matter(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.lead("导演", ROOM)
    plan = home.opened("做一支 90 秒的片子", to=ROOM, tickets=[("分镜", "导演"), ("剪辑", "文案")])
    worked_on(home, plan, "@导演 整支片子要手持感", to=ROOM)
    home.requires(7, "手持感", plan)
    home.requires(8, "整支片子", plan, state="pending")
    home.happens(events.BoardEdited, plan=plan, acceptance=("有字幕",), rules=("不用蓝色",))
    home.sql(
        "UPDATE plan_revisions SET points = json_set(points, '$.category', '短片', '$.process', '导演分镜，文案剪辑',"
        ' \'$.progress\', json(\'{"done": ["分镜草图"], "to_do": [], "stuck": []}\'))'
    )
    carried = [
        "Goal: 做一支 90 秒的片子",
        "Category: 短片",
        "Acceptance: 有字幕",
        "Rules: 不用蓝色",
        "Process and division of work: 导演分镜，文案剪辑",
        "Progress, done: 分镜草图",
        "Status: active",
        "整支片子要手持感",
        "R-7|「手持感」",
        "Ticket 01 of the plan: 分镜",
        "Ticket 02 of the plan: 剪辑",
    ]

    def carries(bot: str, how: str, *more: str) -> None:
        turn = [turn["id"] for turn in home.turns(bot) if turn["plan"] == plan][-1]
        text = home.context(turn)
        for each in (*carried, *more):
            expect("PLAN-25", each in text, f"{bot}, {how}, reads {each!r}: {text}")
        in_force = text.partition("待用户确认")[0]
        expect("PLAN-25", "R-8" not in in_force, f"{bot}, {how}, does not read what is only proposed as in force")

    home.say(f"{path_in(home, plan)} 接着做", to="导演")
    carries("导演", "in another conversation")
    home.hop("导演", events.Call("check_back", {"after_minutes": 30, "note": "看看剪辑"}))
    home.hop("导演", events.Call("delegate", {"to": "文案", "ask": "剪一版", "expects": "answer", "ticket": 2}))
    carries("文案", "after a handoff", "Ticket 02: 剪辑")
    home.hop("文案", text="剪好了。")
    while home.hop("导演", text="收到。"):
        pass
    for number in range(45):
        home.say(f"随便聊聊 {number}", to="导演", files="spot")
        home.hop("导演", text="嗯。")
    while home.hop("导演", text="嗯。"):
        pass
    before = len(home.turns("导演"))
    home.later(31)
    expect_equal("CHKB-06", len(home.turns("导演")) - before, 1, "segments that the check-back has opened")
    carries("导演", "woken by a check-back")
    while home.hop("导演", text="看过了。"):
        pass
    home.happens(
        events.ScheduleMade,
        session=home.session("导演"),
        bot=home.bot("导演"),
        text="日报",
        every_ms=24 * HOUR,
        due=home.now + HOUR,
        plan=plan,
    )
    home.later(61)
    carries("导演", "by a schedule", "Ticket 03: 日报")
    home.hop("导演", write("a.md"))
    carries("导演", "at a later hop")
