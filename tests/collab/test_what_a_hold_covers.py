"""What each scope of a hold covers, and how far down a stop reaches into work that was handed off."""

from itertools import pairwise
from pathlib import Path

from evening import Evening
from holding import CHAIN, ROOM, ask, at_work, chain, check_back, hold, home_of, lift, pass_time, stop, waits

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def three_at_work(folder: Path) -> tuple[Evening, int, int]:
    """A director on two plans, its own and the group's; a copywriter and an editor on tickets of the group's."""
    home = home_of(folder, "导演", "文案", "剪辑")
    own = home.opened("海报", to="导演")
    plan = home.opened("新品片", to=ROOM, tickets=[("甲", "文案"), ("乙", "剪辑")])
    home.say("海报排版", to="导演", files=[own])
    home.say("@导演 分镜", to=ROOM, files=[plan])
    home.say("@文案 旁白", to=ROOM, files=[(plan, 1)])
    home.say("@剪辑 粗剪", to=ROOM, files=[(plan, 2)])
    return home, own, plan


def works_on(home: Evening) -> list[str]:
    """The live segments, each as `Bot/plan/ticket`."""
    rows = home.rows(
        "SELECT b.name, ifnull(t.plan, 0), ifnull(t.ticket, 0) FROM live_turns t JOIN bots b ON b.id = t.bot"
        " ORDER BY t.id"
    )
    return ["/".join(map(str, row)) for row in rows]


@proves("HOLD-2")
def test_each_of_the_seven_scopes_covers_its_own(tmp_path: Path) -> None:
    left = {
        "everything": [],
        "bot": ["文案/2/1", "剪辑/2/2"],
        "session": ["导演/1/0"],
        "plan": ["导演/1/0"],
        "ticket": ["导演/1/0", "导演/2/0", "剪辑/2/2"],
        "bot_in_plan": ["导演/1/0", "文案/2/1", "剪辑/2/2"],
        "turn": ["导演/2/0", "文案/2/1", "剪辑/2/2"],
    }
    for scope, wanted in left.items():
        home, _, plan = three_at_work(tmp_path / scope)
        expect_equal(
            "HOLD-2", works_on(home), ["导演/1/0", "导演/2/0", "文案/2/1", "剪辑/2/2"], "who is at work before"
        )
        if scope == "session":
            # What belongs to no plan of it shows the session by itself.
            home.say("@文案 几点了", to=ROOM)
            expect_equal("HOLD-2", works_on(home)[-1], "文案/0/0", "a desk in the group")
        names = {
            "bot": {"bot": home.bot("导演")},
            "session": {"session": home.session(ROOM)},
            "plan": {"plan": plan},
            "ticket": {"ticket": 1},
            "bot_in_plan": {"bot": home.bot("导演"), "plan": plan},
            "turn": {"turn": home.turns("导演")[0]["id"]},
        }.get(scope, {})
        hold(home, scope, **names)
        expect_equal("HOLD-2", works_on(home), wanted, f"who is at work after a hold on {scope}")


@proves("HOLD-3")
def test_a_held_bot_is_held_wherever_it_is(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案", 海报组=("导演", "文案"))
    for room in (ROOM, "海报组"):
        plan = home.opened(f"给{room}", to=room)
        home.say("@导演 做", to=room, files=[plan])
    expect_equal("HOLD-3", at_work(home), ["导演", "导演"], "who is at work in two groups")
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-3", at_work(home), [], "who is at work after a hold on the Bot")
    home.say("@文案 问一下", to="海报组", files=[2])
    home.hop("文案", events.Call("send_message", {"text": "@导演 这里呢"}))
    expect_equal("HOLD-3", at_work(home), ["文案"], "who is at work after it was mentioned in another group")


@proves("HOLD-4")
def test_a_session_takes_in_its_plans_however_far_they_were_handed(tmp_path: Path) -> None:
    home = home_of(tmp_path, *CHAIN)
    plan = home.opened("新品片", to=ROOM)
    home.say("@导演 出一版", to=ROOM, files=[plan])
    for bot, other in pairwise(CHAIN):
        ask(home, bot, other)
    expect_equal("HOLD-4", at_work(home), list(CHAIN), "who is at work, the fifth four chats down")
    hold(home, "session", session=home.session(ROOM))
    expect_equal("HOLD-4", at_work(home), [], "who is at work after a hold on the group")


@proves("HOLD-5")
def test_a_plan_takes_in_its_tickets_and_a_bot_in_it_only_that_bot(tmp_path: Path) -> None:
    home, _, plan = three_at_work(tmp_path / "plan")
    hold(home, "plan", plan=plan)
    expect_equal("HOLD-5", works_on(home), ["导演/1/0"], "who is at work after a hold on the plan")
    home, _, plan = three_at_work(tmp_path / "bot")
    hold(home, "bot_in_plan", bot=home.bot("导演"), plan=plan)
    expect("HOLD-5", {"文案/2/1", "剪辑/2/2"} <= set(works_on(home)), "the plan's other Bots go on")
    home.hop("文案", text="旁白好了。")
    home.say("@文案 再来一版", to=ROOM, files=[(plan, 1)])
    expect("HOLD-5", "文案/2/1" in works_on(home), "and another turn of theirs opens")


@proves("HOLD-1")
def test_a_hold_is_no_status_that_somebody_sets_back(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案", level=1)
    plan = home.opened("新品片", to=ROOM)
    home.say("@导演 出一版", to=ROOM, files=[plan])
    organizer = next(each for each in home.engine.open_effects() if each.kind == "organizer")
    held = hold(home, "plan", plan=plan)
    home.happens(events.Organized, effect=organizer.id, raw='{"status": "active"}')
    home.sql("UPDATE plans SET status = 'active' WHERE id = ?", plan)
    expect_equal("HOLD-1", home.rows("SELECT lifted_by FROM holds WHERE id = ?", held), [(None,)], "the hold")
    line = home.value("SELECT id FROM messages WHERE plan = ? ORDER BY id DESC", plan)
    over = "SELECT count(*) FROM hold_hits WHERE kind = 'turn' AND id = ?"
    home.sql(
        "INSERT INTO turns (bot, session, mode, state, trigger_message, began_seq, began_at)"
        " VALUES (2, 2, 'work', 'stopped', ?, 1, 1)",
        line,
    )
    again = home.value("SELECT max(id) FROM turns")
    expect_equal("HOLD-1", home.value(over, again), 1, "the holds over a segment there after somebody said active")


@proves("HOLD-6")
def test_a_turn_takes_in_the_check_backs_that_it_made(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演")
    home.say("看看进度", to="导演", files="spot")
    home.hop("导演", check_back())
    turn = home.turn("导演")["id"]
    home.hop("导演", text="半小时后再看。")
    expect_equal("HOLD-6", waits(home), ["open"], "the check-back of a turn without a plan")
    hold(home, "turn", turn=turn)
    expect_equal("HOLD-6", waits(home), ["suspended"], "it after a hold on that turn")
    pass_time(home, 60)
    expect_equal("HOLD-6", len(home.turns("导演")), 1, "turns after it would have been due")


@proves("HOLD-8")
def test_a_stop_reaches_three_levels_down(tmp_path: Path) -> None:
    home, _ = chain(tmp_path / "live")
    hold(home, "bot", bot=home.bot("导演"))
    expect("HOLD-9", "文案" not in at_work(home), "what was handed off is stopped")
    expect_equal("HOLD-8", at_work(home), ["配音"], "who is at work after the first of five was stopped")
    home, _ = chain(tmp_path / "over")
    home.hop("文案", check_back())
    for bot in ("文案", "剪辑"):
        home.hop(bot, text="交给下一位了。")
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-9", waits(home), ["suspended"], "the check-back of one that is over for now")
    expect_equal("HOLD-8", at_work(home), ["配音"], "who is at work where some between had ended")


@proves("HOLD-9")
def test_what_was_handed_off_is_covered_and_nothing_else(tmp_path: Path) -> None:
    home = home_of(tmp_path / "line", "导演", "文案")
    plan, other = home.opened("新品片", to="导演"), home.opened("海报", to="文案")
    home.say("海报文案", to="文案", files=[other])
    home.say("出一版", to="导演", files=[plan])
    ask(home, "导演", "文案")
    expect_equal("HOLD-9", works_on(home), ["文案/2/0", "导演/1/0", "文案/1/0"], "who is at work before")
    hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-9", works_on(home), ["文案/2/0"], "who is at work after a hold on the one who asked")

    home = home_of(tmp_path / "waking", "导演", "文案")
    home.sql("UPDATE bots SET parallel_limit = 1 WHERE name = '文案'")
    plan, other = home.opened("新品片", to="导演"), home.opened("海报", to="文案")
    home.say("海报文案", to="文案", files=[other])
    home.say("出一版", to="导演", files=[plan])
    ask(home, "导演", "文案")
    first = hold(home, "bot", bot=home.bot("导演"))
    home.hop("文案", text="海报文案好了。")
    expect_equal("HOLD-9", at_work(home), [], "who is at work once a slot is free for what would have been woken")
    lift(home, first)
    expect("HOLD-9", "文案/1/0" in works_on(home), "it is woken after the lift")

    home = home_of(tmp_path / "up", "导演", "文案")
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    session = ask(home, "导演", "文案")
    home.hop("导演", text="等文案。")
    home.hop("文案", events.Call("send_message", {"text": "旁白在这里", "session": session}))
    expect_equal("HOLD-9", at_work(home), ["文案", "导演"], "who is at work after the answer")
    hold(home, "bot", bot=home.bot("文案"))
    expect_equal("HOLD-9", at_work(home), ["导演"], "who is at work after a hold on the one who was asked")


@proves("HOLD-8")
def test_a_stop_reaches_three_delegations_down(tmp_path: Path) -> None:
    home = home_of(tmp_path, *CHAIN)
    plan = home.opened("新品片", to=ROOM)
    for bot in CHAIN:
        home.say(f"@{bot} 做你的", to=ROOM, files=[plan])
    for above, below in pairwise(CHAIN):
        home.hop(above, events.Call("delegate", {}), run=False)
        home.sql(
            "INSERT INTO delegations (from_item, to_item, turn, session, plan, ask, expects, at)"
            " SELECT f.id, t.id, ?, ?, t.plan, '下一步', 'deliverable', 1 FROM work_items f, work_items t"
            " WHERE f.bot = ? AND t.bot = ?",
            home.turn(above)["id"],
            home.session(ROOM),
            home.bot(above),
            home.bot(below),
        )
    hold(home, "bot", bot=home.bot("导演"))
    expect("HOLD-9", "文案" not in at_work(home), "who was asked by the one that is stopped")
    expect_equal("HOLD-8", at_work(home), ["配音"], "who is at work, the fifth four delegations down")
    covered = home.rows("SELECT b.name FROM hold_cover c JOIN bots b ON b.id = c.bot ORDER BY b.id")
    expect_equal("HOLD-8", [name for (name,) in covered], list(CHAIN[1:4]), "the Bots covered in that plan")


@proves("HOLD-9")
def test_a_delegation_is_covered_as_a_bot_in_a_plan(tmp_path: Path) -> None:
    for state, wanted in (("open", ["文案/2/0"]), ("replied", ["文案/2/0", "文案/1/1"])):
        home = home_of(tmp_path / state, "导演", "文案")
        plan, other = home.opened("新品片", to=ROOM, tickets=[("旁白", "文案")]), home.opened("海报", to="文案")
        home.say("海报文案", to="文案", files=[other])
        home.say("@文案 旁白先想想", to=ROOM, files=[(plan, 1)])
        home.say("@导演 出一版", to=ROOM, files=[plan])
        home.hop("导演", events.Call("delegate", {}), run=False)
        home.sql(
            "INSERT INTO delegations (from_item, to_item, turn, session, plan, ticket, ask, expects, state, at)"
            " SELECT f.id, t.id, ?, 1, t.plan, t.ticket, '旁白', 'deliverable', ?, 1 FROM work_items f, work_items t"
            " WHERE f.bot = 1 AND f.plan = ? AND t.bot = 2 AND t.plan = ?",
            home.turn("导演")["id"],
            state,
            plan,
            plan,
        )
        stop(home, "导演")
        expect_equal("HOLD-9", works_on(home), wanted, f"who is at work where the delegation is {state}")
