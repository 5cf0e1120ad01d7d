"""Plans that nobody goes on with sleep: what lets them, what that leaves as it was, and what wakes them."""

from collections.abc import Callable
from pathlib import Path

from evening import Evening, shell, work_on, write
from readings import offered, read_as, says
from requests_over_http import Client
from sleeping import (
    HOUR,
    ROOM,
    at,
    clear,
    closed_at,
    house,
    logged,
    looks_again,
    opens_another,
    organized,
    path_in,
    quiet,
    raised,
    sleeps,
    stands,
    worked_on,
)
from test_refiling import card

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import dormancy, events


def kept_hold(home: Evening, plan: int) -> None:
    """The user holds a plan, as void: only a lift ends that."""
    home.happens(events.HoldMade, scope="plan", plan=plan)
    home.sql("UPDATE holds SET void = 1")


def approved(home: Evening, plan: int) -> int:
    """How many approved submissions a client sees of a plan."""
    return int(Client(home)("GET", f"tasks/{plan}").said["approved"])


@proves("PLAN-12")
def test_sleeping_is_no_end(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演"), ("剪辑", "导演")])
    worked_on(home, plan, "@导演 先做分镜", to=ROOM)
    before = home.rows("SELECT p.status, t.status, t.stage FROM plans p JOIN tickets t ON t.plan = p.id ORDER BY t.id")
    clear(home, ROOM)
    expect_equal("PLAN-12", stands(home, plan), ("active", True), "neither accepted nor abandoned: as it was, asleep")
    now = home.rows("SELECT p.status, t.status, t.stage FROM plans p JOIN tickets t ON t.plan = p.id ORDER BY t.id")
    expect_equal("PLAN-12", now, before, "its tickets, of which none was done or dropped")


@proves("PLAN-11")
def test_sleeping_changes_no_stage_and_no_hold(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演"), ("剪辑", "导演")])
    worked_on(home, plan, "@导演 先做分镜", to=ROOM)
    home.happens(events.TicketEdited, ticket=1, status="in progress")
    kept_hold(home, plan)
    asked = says(home, "这边怎么样", to=ROOM)
    expect_equal("ATTR-12", offered(home, asked), [plan], "what a line could be about before")
    home.read(asked)
    clear(home, ROOM)
    expect_equal("PLAN-11", stands(home, plan), ("parked", True), "its status, and that it sleeps")
    held = home.rows("SELECT scope, lifted_by FROM holds")
    expect_equal("PLAN-11", held, [("plan", None)], "its hold while it sleeps")
    asked = says(home, "那边怎么样", to=ROOM)
    expect_equal("PLAN-11", offered(home, asked), [], "what a line could be about while it sleeps")
    home.happens(events.TicketEdited, ticket=2, title="剪辑一版")
    expect_equal("PLAN-35", sleeps(home, plan), False, "whether it sleeps after an edit on the board")
    expect_equal("PLAN-11", stands(home, plan), ("parked", False), "its status once it is awake")
    held = home.rows("SELECT scope, lifted_by FROM holds")
    expect_equal("PLAN-11", held, [("plan", None)], "its hold once it is awake")


@proves("PLAN-11")
def test_nobody_is_called_back_to_a_plan_that_sleeps(tmp_path: Path) -> None:
    for is_asleep in (True, False):
        home = house(tmp_path / str(is_asleep), level=3)
        plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        if is_asleep:
            home.sql("UPDATE plans SET dormant = 1")
        before = len(home.turns("导演"))
        quiet(home)
        nudged = len(logged(home, "plan.nudged"))
        rule = "PLAN-11" if is_asleep else "CHKB-19"
        expect_equal(rule, nudged, int(not is_asleep), f"call-backs once the plan is quiet, asleep: {is_asleep}")
        expect_equal("PLAN-11", len(home.turns("导演")) - before, nudged, "and the segments that they opened")


def _user_edits(home: Evening, plan: int) -> int:
    home.now += HOUR
    home.happens(events.BoardEdited, plan=plan, goal="新品片，竖版")
    return home.now


def _bot_is_done(home: Evening, plan: int) -> int:
    home.say("做起来", to="导演", files=[plan])
    home.now += HOUR
    home.hop("导演", text="好了。")
    return int(home.value("SELECT max(ended_at) FROM turns WHERE plan = ?", plan))


@proves("PLAN-13")
def test_an_older_plan_sleeps_once_another_opens_and_nobody_was_at_it_for_two_hours(tmp_path: Path) -> None:
    ways: dict[str, Callable[[Evening, int], int]] = {"the user": _user_edits, "a segment": _bot_is_done}
    for who, does in ways.items():
        for early in (1, 0):
            home = house(tmp_path / f"{who} {early}")
            plan = home.opened("新品片", to="导演")
            last = does(home, plan)
            opens_another(home, last + 2 * HOUR - early)
            what = f"whether it sleeps two hours less {early} ms after {who} was at it last"
            expect_equal("PLAN-13", sleeps(home, plan), not early, what)
            wanted = [] if early else [{"plan": plan, "reason": "idle"}]
            expect_equal("PLAN-13", logged(home, "plan.dormant"), wanted, "on record")


@proves("PLAN-13")
def test_what_is_left_open_in_it_keeps_an_older_plan_awake(tmp_path: Path) -> None:
    def nothing(home: Evening, plan: int) -> None:
        pass

    def waits(home: Evening, plan: int) -> None:
        looks_again(home, plan, "导演", 600)
        home.sql("UPDATE work_items SET state = 'waiting' WHERE plan = ?", plan)

    def job(home: Evening, plan: int) -> None:
        home.sql(
            "INSERT INTO jobs (server, tool, arguments, job, plan, at) VALUES ('video', 'make', '{}', 'j1', ?, 0)", plan
        )

    def ended_job(home: Evening, plan: int) -> None:
        job(home, plan)
        home.sql("UPDATE jobs SET state = 'completed'")

    def runs(home: Evening, plan: int) -> None:
        home.say("接着做", to="导演", files=[plan])
        home.hop("导演", shell("render"), run=False)

    def closed(home: Evening, plan: int) -> None:
        home.sql("UPDATE work_items SET state = 'closed' WHERE plan = ?", plan)

    ways = {nothing: True, waits: False, job: False, ended_job: True, runs: False, closed: True}
    for left, wanted in ways.items():
        home = house(tmp_path / left.__name__)
        plan = home.opened("新品片", to="导演")
        elsewhere = home.opened("海报", to=ROOM)
        worked_on(home, plan)
        left(home, plan)
        pends = dormancy.has_job(home.db, plan)
        expect_equal("PLAN-14", pends, left is job, f"whether a job of it is pending, with {left.__name__}")
        opens_another(home, home.now + 3 * HOUR)
        expect_equal("PLAN-13", sleeps(home, plan), wanted, f"whether it sleeps after three hours with {left.__name__}")
        expect_equal("PLAN-13", sleeps(home, elsewhere), False, "whether a plan of another session sleeps")


@proves("PLAN-13", "PLAN-19")
def test_it_sleeps_too_when_another_is_opened_by_a_quote_and_not_below_level_2(tmp_path: Path) -> None:
    home = house(tmp_path / "quote", level=2)
    plan = home.opened("新品片", to="导演")
    worked_on(home, plan)
    home.now += 3 * HOUR
    line = home.say("另外做一张海报", to="导演", files="unclear")
    home.hop("导演", work_on(plan={"new": {"title": "海报"}}, quote_message_id=line))
    expect_equal("PLAN-08", home.plans(), ["新品片", "海报"], "the plans")
    expect_equal("PLAN-13", sleeps(home, plan), True, "whether the older one sleeps once another stands on a quote")
    home = house(tmp_path / "chosen", level=1)
    plan = home.opened("新品片", to="导演")
    home.now += 3 * HOUR
    line = home.say("另外做一张海报", to="导演", files="unclear")
    home.hop("导演", work_on(plan={"new": {"title": "海报"}}, quote_message_id=line))
    expect_equal("PLAN-08", home.plans(), ["新品片", "海报"], "the plans at level 1")
    expect_equal("PLAN-13", sleeps(home, plan), False, "whether the older one sleeps at level 1")
    home = house(tmp_path / "old", level=1)
    plan = home.opened("新品片", to="导演")
    home.now += 300 * HOUR
    home.say("另外做一张海报", to="导演")
    organized(home, matter="new")
    expect_equal("PLAN-19", len(home.plans()), 2, "the plans that the organizer has opened at level 1")
    expect_equal("PLAN-19", sleeps(home, plan), False, "whether time lets a plan sleep at level 1")


@proves("PLAN-14")
def test_a_table_of_jobs_is_read_only_where_it_is_one(tmp_path: Path) -> None:
    home = house(tmp_path / "none")
    plan = home.opened("新品片", to="导演")
    worked_on(home, plan)
    job = "INSERT INTO jobs (server, tool, arguments, job, plan, at) VALUES ('video', 'make', '{}', 'j1', ?, 0)"
    home.sql(job, plan)
    expect_equal("PLAN-14", dormancy.has_job(home.db, plan), True, "whether a job is seen in the table of jobs")
    home.sql("DROP TABLE job_waiters")
    home.sql("DROP TABLE jobs")
    opens_another(home, home.now + 3 * HOUR)
    expect_equal("PLAN-14", sleeps(home, plan), True, "whether it sleeps where there is no table of jobs")
    home = house(tmp_path / "draft")
    plan = home.opened("新品片", to="导演")
    worked_on(home, plan)
    home.sql("DROP TABLE job_waiters")
    home.sql("DROP TABLE jobs")
    home.sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, note TEXT, state TEXT)")
    home.sql("INSERT INTO jobs (note, state) VALUES ('from a draft', 'running')")
    opens_another(home, home.now + 3 * HOUR)
    expect_equal("PLAN-14", sleeps(home, plan), True, "whether it sleeps where that is a namesake without plans")


@proves("PLAN-14")
def test_a_draft_of_the_table_of_jobs_is_moved_away_when_a_store_is_opened(tmp_path: Path) -> None:
    for rows in (0, 2):
        home = house(tmp_path / str(rows), level=1)
        home.opened("新品片", to="导演")
        home.sql("DROP TABLE job_waiters")
        home.sql("DROP TABLE jobs")
        home.sql("CREATE TABLE jobs (id INTEGER PRIMARY KEY, note TEXT)")
        for number in range(rows):
            home.sql("INSERT INTO jobs (note) VALUES (?)", f"draft {number}")
        last = home.value("SELECT max(at) FROM events")
        raised(home, 8, home.now + HOUR)
        drafts = [name for (name,) in home.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%draft%'")]
        wanted = [f"external_jobs_draft_{last}"] if rows else []
        expect_equal("PLAN-14", drafts, wanted, f"what is left of a draft with {rows} rows")
        if rows:
            left = home.rows(f"SELECT note FROM {drafts[0]} ORDER BY id")
            expect_equal("PLAN-14", left, [("draft 0",), ("draft 1",)], "its rows")
        columns = {name for (name,) in home.rows("SELECT name FROM pragma_table_info('jobs')")}
        expect("PLAN-14", columns >= {"plan", "state", "next_due"}, f"the table that jobs are in now has {columns}")
        home.sql("INSERT INTO jobs (server, tool, arguments, job, plan, at) VALUES ('v', 'm', '{}', 'j', 1, 0)")
        home.sql("INSERT INTO job_waiters (job, bot, session) VALUES (1, 1, 1)")
        raised(home, 8, home.now + HOUR)
        expect_equal("PLAN-14", home.value("SELECT count(*) FROM jobs"), 1, "jobs after the next start")


@proves("PLAN-15")
def test_what_was_displaced_sleeps_once_a_store_is_raised_unless_somebody_is_at_it(tmp_path: Path) -> None:
    for since, wanted in ((2 * HOUR, False), (2 * HOUR + 1, True)):
        home = house(tmp_path / str(since), level=1)
        plan = home.opened("新品片", to="导演")
        said = home.value("SELECT at FROM messages WHERE id = ?", worked_on(home, plan))
        home.opened("海报", to="导演")
        expect_equal("PLAN-09", stands(home, plan)[0], "parked", "what another has displaced")
        raised(home, 2, said + since)
        what = f"whether it sleeps {since} ms after the user's words, and counts as active"
        expect_equal("PLAN-15", stands(home, plan), ("active", wanted), what)
        found = [{"plan": plan, "reason": "legacy_parked"}] if wanted else []
        expect_equal("PLAN-15", logged(home, "plan.dormant"), found, "on record")
        expect_equal("PLAN-15", stands(home, 2), ("active", False), "the plan that was the current one")
    home = house(tmp_path / "live", level=1)
    plan = home.opened("新品片", to="导演")
    said = home.value("SELECT at FROM messages WHERE id = ?", home.say("做起来", to="导演", files=[plan]))
    home.hop("导演", shell("render"), run=False)
    home.opened("海报", to="导演")
    raised(home, 2, said + 3 * HOUR)
    expect_equal("PLAN-15", stands(home, plan), ("active", False), "a plan in which a segment is live")


@proves("PLAN-15")
def test_after_the_upgrade_a_desk_does_not_see_all_the_old_plans(tmp_path: Path) -> None:
    home = house(tmp_path, level=1)
    for number in range(10):
        home.opened(f"旧事 {number}", to="导演")
    for _ in range(6):
        home.say("海报再大一点", to="导演")
        home.hop("导演", text="好。")
    raised(home, 8, home.now + 3 * HOUR)
    home.say("再改改", to="导演", files="unclear")
    home.hop("导演", write("a.md"))
    ran = [(name, state) for name, state, _ in home.results(home.turn("导演")["id"])]
    expect_equal("PLAN-15", ran, [("write_file", "ok")], "what comes of a side effect with one plan left to choose")
    expect_equal("PLAN-15", home.turn("导演")["plan"], 10, "the plan that it is done in")


@proves("PLAN-17", "PLAN-10")
def test_what_was_done_is_delivered_once_a_store_is_raised_and_proves_no_submission(tmp_path: Path) -> None:
    for since, wanted in ((24 * HOUR, False), (24 * HOUR + 1, True)):
        home = house(tmp_path / str(since), level=1)
        plan = home.opened("新品片", to="导演", tickets=[("分镜", "导演")])
        said = home.value("SELECT at FROM messages WHERE id = ?", worked_on(home, plan))
        home.happens(events.BoardEdited, plan=plan, status="done")
        expect_equal("HOLD-51", stands(home, plan), ("done", False), "the plan before")
        raised(home, 4, said + since)
        what = f"what it is {since} ms after the user's words"
        expect_equal("PLAN-17", stands(home, plan), ("delivered", wanted), what)
        expect_equal("PLAN-10", approved(home, plan), 0, "approved submissions of what was imported as delivered")
    home.sql("INSERT INTO submissions (ticket, origin, state, at) VALUES (1, 'implicit', 'approved', 0)")
    for _ in range(2):
        home.sql("INSERT INTO submissions (ticket, origin, state, at) VALUES (1, 'implicit', 'returned', 0)")
    expect_equal("PLAN-10", approved(home, plan), 1, "once one was approved")


@proves("PLAN-10")
def test_up_to_level_4_no_ticket_moves_its_plan(tmp_path: Path) -> None:
    for level in (2, 4):
        home = house(tmp_path / str(level), level=level)
        plan = home.opened("新品片", to="导演", tickets=[("分镜", "导演"), ("剪辑", "导演")])
        for ticket in (1, 2):
            home.happens(events.TicketEdited, ticket=ticket, status="done")
        worked_on(home, plan)
        quiet(home)
        organized(home, status="done")
        expect_equal("PLAN-10", stands(home, plan)[0], "active", f"a plan whose tickets are all done, at level {level}")
        states = home.rows("SELECT p.status, t.status FROM plans p JOIN tickets t ON t.plan = p.id ORDER BY t.id")
        expect_equal("PLAN-10", states, [("active", "done")] * 2, "the old states side by side")


def ages(home: Evening) -> int:
    """The time comes at which a delivered plan is looked at, and it is; returns it."""
    (effect,) = (each for each in home.engine.open_effects() if each.subject.startswith("aging:"))
    at(home, effect.body["due"])
    home.happens(events.TimerRang, effect=effect.id)
    return int(effect.body["due"])


@proves("PLAN-16")
def test_what_is_delivered_ages_into_sleep_after_three_days_without_the_user(tmp_path: Path) -> None:
    home = house(tmp_path / "cleared")
    plan = home.opened("新品片", to=ROOM)
    worked_on(home, plan, "@导演 先做分镜", to=ROOM)
    clear(home, ROOM)
    expect_equal("PLAN-11", sleeps(home, plan), True, "whether a plan of a cleared group sleeps")
    for edits_after in (None, 10 * HOUR):
        home = house(tmp_path / str(edits_after), level=1)
        plan = home.opened("新品片", to="导演")
        worked_on(home, plan)
        home.happens(events.BoardEdited, plan=plan, status="done")
        raised(home, 8, home.now + HOUR)
        expect_equal("PLAN-17", stands(home, plan), ("delivered", False), "what was done a short while ago")
        since = home.now
        if edits_after is not None:
            at(home, home.now + edits_after)
            home.happens(events.BoardEdited, plan=plan, goal="新品片，竖版")
            since = home.now
            ages(home)
            expect_equal("PLAN-16", sleeps(home, plan), False, "whether it sleeps after 62 hours without the user")
        due = ages(home)
        expect_equal("PLAN-16", due - since, 72 * HOUR, f"when it is looked at, edited: {edits_after}")
        expect_equal("PLAN-16", sleeps(home, plan), True, f"whether it sleeps after 72 hours, edited: {edits_after}")
        expect_equal("PLAN-16", logged(home, "plan.dormant"), [{"plan": plan, "reason": "aged"}], "on record")
        expect_equal("PLAN-16", stands(home, plan)[0], "delivered", "its status")


@proves("PLAN-18")
def test_a_reference_wakes_a_plan_and_a_kept_hold_still_stops_its_work(tmp_path: Path) -> None:
    for hold in ("none", "ordinary", "kept"):
        home = house(tmp_path / hold)
        plan = home.opened("新品片", to=ROOM)
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        if hold != "none":
            home.happens(events.HoldMade, scope="plan", plan=plan)
        if hold == "kept":
            home.sql("UPDATE holds SET void = 1")
        clear(home, ROOM)
        expect_equal("PLAN-33", sleeps(home, plan), True, "whether it sleeps")
        home.say(f"{path_in(home, plan)} 再改改", to="导演")
        expect_equal("PLAN-18", sleeps(home, plan), False, f"whether it sleeps after a reference, hold: {hold}")
        at_work = [turn["mode"] for turn in home.live("导演") if turn["plan"] == plan]
        wanted = [] if hold == "kept" else ["work"]
        expect_equal("PLAN-18", at_work, wanted, f"the segments that work on it then, hold: {hold}")
        stand = home.rows("SELECT lifted_by IS NULL FROM holds")
        expect_equal(
            "PLAN-18", stand, {"none": [], "ordinary": [(0,)], "kept": [(1,)]}[hold], "whether its hold stands"
        )


@proves("PLAN-18")
def test_going_on_and_merging_wake_a_plan(tmp_path: Path) -> None:
    home = house(tmp_path / "continue")
    plan = home.opened("新品片", to=ROOM)
    home.say(f"{path_in(home, plan)} 做起来", to="导演")
    home.fail("导演")
    clear(home, ROOM)
    expect_equal("PLAN-33", sleeps(home, plan), True, "whether it sleeps")
    home.press(home.turn("导演")["id"])
    expect_equal("PLAN-18", sleeps(home, plan), False, "whether it sleeps after continue was pressed")
    expect_equal("PLAN-18", [turn["plan"] for turn in home.live("导演")], [plan], "what goes on")

    home = house(tmp_path / "button")
    plan = home.opened("新品片", to=ROOM)
    home.say(f"{path_in(home, plan)} 做起来", to="导演")
    home.happens(events.HoldMade, scope="bot_in_plan", bot=home.bot("导演"), plan=plan)
    home.sql("UPDATE holds SET void = 1")
    clear(home, ROOM)
    line = says(home, "先停一下，还是继续吧", to="导演")
    read_as(home, line, {"control": "both"})
    expect_equal("PLAN-18", sleeps(home, plan), True, "whether it sleeps before the button is pressed")
    home.happens(events.ControlPressed, message=line, action="continue")
    expect_equal("CTRL-36", home.rows("SELECT lifted_by IS NULL FROM holds"), [(0,)], "whether its hold stands")
    expect_equal("PLAN-18", sleeps(home, plan), False, "whether it sleeps after the button was pressed")
    expect_equal("PLAN-18", plan in [turn["plan"] for turn in home.live("导演")], True, "whether it goes on")

    home = house(tmp_path / "merge")
    plan = home.opened("新品片", to=ROOM)
    worked_on(home, plan, "@导演 先做分镜", to=ROOM)
    clear(home, ROOM)
    other = home.opened("片头", to=ROOM)
    line = home.say("@导演 片头换成夜景", to=ROOM, files=[other])
    shown = card(home, line, other, plan)
    home.happens(events.ControlPressed, message=shown, action="merge_plan", plan=plan)
    expect_equal("PLAN-18", sleeps(home, plan), False, "whether it sleeps after a line was merged into it")


@proves("PLAN-33")
def test_clearing_or_deleting_a_conversation_lets_its_plans_sleep_closed(tmp_path: Path) -> None:
    for kind in (events.SessionCleared, events.SessionDeleted):
        home = house(tmp_path / kind.__name__)
        plan = home.opened("新品片", to=ROOM)
        elsewhere = home.opened("海报", to="文案")
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        home.happens(kind, session=home.session(ROOM))
        expect_equal("PLAN-33", stands(home, plan), ("active", True), "its status, and that it sleeps")
        expect_equal("PLAN-33", closed_at(home, plan), home.now, "when it was closed, to versions that know no sleep")
        expect_equal("PLAN-33", (sleeps(home, elsewhere), closed_at(home, elsewhere)), (False, None), "another's plan")
        home.say(f"{path_in(home, plan)} 再改改", to="导演")
        expect_equal("PLAN-35", (sleeps(home, plan), closed_at(home, plan)), (False, None), "once it is spoken of")
        expect_equal("PLAN-33", home.live("导演")[0]["plan"], plan, "what goes on then")


@proves("PLAN-35")
def test_words_and_edits_of_the_user_wake_a_plan_from_anywhere(tmp_path: Path) -> None:
    def line(home: Evening, plan: int) -> None:
        home.say(f"{path_in(home, plan)} 再改改", to="文案")

    def points(home: Evening, plan: int) -> None:
        home.happens(events.BoardEdited, plan=plan, goal="新品片，竖版")

    def ticket(home: Evening, plan: int) -> None:
        home.happens(events.TicketEdited, ticket=1, status="in progress")

    def check(home: Evening, plan: int) -> None:
        home.sql(
            "INSERT INTO checks (plan, kind, body, written_by, at) VALUES (?, 'file_exists', '{}', 'user', 0)", plan
        )
        home.happens(events.BotAdded, name="新来的")

    def lift(home: Evening, plan: int) -> None:
        home.happens(events.HoldLifted, hold=1)

    ways = {line: True, points: True, ticket: True, check: False, lift: False}
    for way, wakes in ways.items():
        for level in (2, 8):
            home = house(tmp_path / f"{way.__name__} {level}", level=level)
            plan = home.opened("新品片", to=ROOM, tickets=[("分镜", "导演")])
            worked_on(home, plan, "@导演 先做分镜", to=ROOM)
            home.happens(events.HoldMade, scope="plan", plan=plan)
            clear(home, ROOM)
            way(home, plan)
            expect_equal("PLAN-35", sleeps(home, plan), not wakes, f"whether it sleeps after a {way.__name__}, {level}")
            found = logged(home, "plan.woken")
            expect_equal("PLAN-35", [each["plan"] for each in found], [plan] * wakes, "on record")


@proves("PLAN-35")
def test_an_answer_from_another_chat_wakes_its_plan(tmp_path: Path) -> None:
    for is_typed in (False, True):
        home = house(tmp_path / str(is_typed))
        plan = home.opened("新品片", to=ROOM)
        home.say(f"{path_in(home, plan)} 做起来", to="导演")
        home.hop("导演", events.Call("ask_user", {"question": "横版还是竖版？", "options": ["横版", "竖版"]}))
        clear(home, ROOM)
        expect_equal("PLAN-33", sleeps(home, plan), True, "whether it sleeps while it is asked something")
        if is_typed:
            home.say("竖版", to="导演", files="unclear")
        else:
            home.happens(events.Answered, ask=1, chosen=("竖版",))
        expect_equal("ASK-06", home.value("SELECT answer IS NULL FROM asks"), 0, "whether it waits for an answer")
        expect_equal("PLAN-35", sleeps(home, plan), False, f"whether it sleeps once it was answered, typed: {is_typed}")


@proves("PLAN-35")
def test_an_answer_to_a_work_question_wakes_its_plan(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM)
    home.say(f"{path_in(home, plan)} 做起来", to="导演")
    home.hop("导演", events.Call("end_turn", {"reason": "blocked", "needs_from_user": "logo"}))
    found = home.value("SELECT card FROM work_questions")
    expect("ASK-07", found is not None, f"a card asks for it: {home.results(home.turn('导演')['id'])}")
    clear(home, ROOM)
    expect_equal("PLAN-33", sleeps(home, plan), True, "whether it sleeps")
    home.happens(events.WorkAnswered, message=found, body="在 logo.png")
    expect_equal("PLAN-35", sleeps(home, plan), False, "whether it sleeps once it was answered")


@proves("PLAN-35")
def test_of_old_a_plan_is_open_again_only_in_its_conversations_place(tmp_path: Path) -> None:
    def by_line(home: Evening, plan: int) -> None:
        home.say(f"{path_in(home, plan)} 再改改", to="文案")

    def by_organizer(home: Evening, plan: int) -> None:
        home.say("@导演 回到那支片子", to=ROOM)
        organized(home, matter=plan)

    def by_lift(home: Evening, plan: int) -> None:
        home.happens(events.HoldLifted, hold=1)

    def by_an_older_version(home: Evening, plan: int) -> None:
        home.sql("UPDATE plans SET current_of = session WHERE id = ?", plan)

    ways = {by_line: True, by_organizer: False, by_lift: False, by_an_older_version: False}
    for way, stays_closed in ways.items():
        home = house(tmp_path / way.__name__, level=1)
        plan = home.opened("新品片", to=ROOM)
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        if way is by_lift:
            home.happens(events.HoldMade, scope="plan", plan=plan)
        clear(home, ROOM)
        closed = closed_at(home, plan)
        expect("PLAN-33", sleeps(home, plan) and closed is not None, "it sleeps, closed")
        way(home, plan)
        expect_equal("PLAN-35", sleeps(home, plan), False, f"whether it sleeps at level 1 after {way.__name__}")
        expect_equal("PLAN-35", closed_at(home, plan), closed if stays_closed else None, "when it was closed")
        there = home.value("SELECT current_of FROM plans WHERE id = ?", plan)
        expect_equal("PLAN-35", there is None, stays_closed, "whether it is out of its conversation's place")


@proves("PLAN-36")
def test_a_bot_at_work_wakes_no_plan(tmp_path: Path) -> None:
    for level in (1, 2, 8):
        for is_cleared in (False, True):
            home = house(tmp_path / f"{level} {is_cleared}", level=level)
            plan = home.opened("新品片", to=ROOM)
            home.say(f"{path_in(home, plan)} 做起来", to="导演")
            home.hop("导演", events.Call("check_back", {"after_minutes": 30, "note": "看看片头"}))
            home.hop("导演", text="半小时后看。")
            if is_cleared:
                clear(home, ROOM)
            closed = closed_at(home, plan)
            before = len(home.turns("导演"))
            home.later(31)
            home.hop("导演", text="看过了。")
            opened = len(home.turns("导演")) - before
            wanted = int(level < 2 or not is_cleared)
            expect_equal("PLAN-36", opened, wanted, f"segments of a check-back, level {level}, cleared: {is_cleared}")
            expect_equal("PLAN-36", sleeps(home, plan), is_cleared, "whether the plan sleeps after that")
            moved = closed is not None and (closed_at(home, plan) or 0) > closed
            expect_equal("PLAN-36", moved, level < 2 and is_cleared, f"whether its closing time has moved, {level}")
            if not wanted:
                home.happens(events.BoardEdited, plan=plan)
                expect_equal("PLAN-36", len(home.turns("导演")) - before, 1, "once the user has woken it")


@proves("PLAN-36")
def test_what_a_bot_says_of_a_plan_that_sleeps_does_not_wake_it(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to=ROOM)
    home.say(f"{path_in(home, plan)} 做起来", to="导演")
    clear(home, ROOM)
    home.hop("导演", text="还在做，快好了。")
    said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    expect_equal("ATTR-07", home.filed(said), [(plan, None)], "what the Bot's line is filed to")
    expect_equal("PLAN-36", sleeps(home, plan), True, "whether the plan sleeps after that")


@proves("PLAN-36")
def test_a_bots_own_line_takes_nobody_into_a_plan_that_sleeps(tmp_path: Path) -> None:
    for is_asleep in (False, True):
        home = house(tmp_path / str(is_asleep))
        plan = home.opened("新品片", to=ROOM)
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        home.say("@导演 随便聊聊", to=ROOM, files="unclear")
        desk = home.turn("导演")["id"]
        if is_asleep:
            home.sql("UPDATE plans SET dormant = 1")
            home.sql(
                "DELETE FROM message_filings WHERE message = (SELECT trigger_message FROM turns WHERE id = ?)", desk
            )
            home.sql("UPDATE turns SET trigger_message = NULL WHERE id = ?", desk)
        home.hop("导演", work_on(plan=plan))
        states = [state for name, state, _ in home.results(desk) if name == "work_on"]
        expect_equal(
            "PLAN-36", states, ["refused" if is_asleep else "ok"], f"what comes of work_on, asleep: {is_asleep}"
        )


@proves("PLAN-37")
def test_a_board_edit_wakes_what_a_deleted_group_left_and_gives_it_no_place(tmp_path: Path) -> None:
    for level in (1, 8):
        home = house(tmp_path / str(level), level=level)
        plan = home.opened("新品片", to=ROOM)
        worked_on(home, plan, "@导演 先做分镜", to=ROOM)
        home.happens(events.SessionDeleted, session=home.session(ROOM))
        left = home.rows("SELECT session, current_of, dormant, closed_at IS NULL FROM plans")
        expect_equal("PLAN-37", left, [(None, None, 1, 0)], f"what is left of it at level {level}")
        home.happens(events.BoardEdited, plan=plan, status="done")
        home.happens(events.BoardEdited, plan=plan, status="active")
        left = home.rows("SELECT session, current_of, dormant FROM plans")
        expect_equal("PLAN-37", left, [(None, None, 0)], f"after the user has edited it at level {level}")
