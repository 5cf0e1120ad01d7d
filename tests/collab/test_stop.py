"""The Stop button: a segment ends where it stands, its work is held, and nothing is said about it."""

from pathlib import Path

from evening import Evening, shell, write
from holding import CHAIN, at_work, check_back, hold, holds, home_of, open_effects, pass_time, record, stop, waits
from outside import hopped, ran

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def rendering(folder: Path, level: int = 8) -> Evening:
    """A director who has written a file for a plan, and renders."""
    home = home_of(folder, "导演", level=level)
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    hopped(home, "导演", write("分镜.md"), shell("render a"), shell("render b"))
    ran(home, "导演", written=("分镜.md",))
    return home


def looking(home: Evening, timer: str = "quiet:%") -> int:
    """How many times are waited for, or organizer runs, that look at a plan which has become quiet."""
    sql = "SELECT count(*) FROM effects WHERE subject LIKE ? AND state IN ('pending', 'started')"
    return int(home.value(sql, timer))


@proves("STOP-1")
def test_stop_ends_a_turn_at_once_and_takes_nothing_back(tmp_path: Path) -> None:
    home = home_of(tmp_path / "answer", "导演")
    plan = home.opened("新品片", to="导演")
    held = hold(home, "plan", plan=plan)
    home.sql("UPDATE holds SET void = 1 WHERE id = ?", held)
    home.say("做到哪了", to="导演", files=[plan])
    expect_equal("STOP-1", [turn["mode"] for turn in home.live("导演")], ["readonly"], "a turn that only answers")
    stop(home, "导演")
    expect_equal("STOP-1", home.turn("导演")["state"], "stopped", "it after Stop")
    expect_equal("STOP-1", holds(home), ["plan"], "the holds then: none more")
    for level in (0, 1, 8):
        home = rendering(tmp_path / str(level), level)
        stop(home, "导演")
        expect_equal("STOP-1", home.turn("导演")["state"], "stopped", f"a turn after Stop at level {level}")
        written = home.rows("SELECT path FROM artifacts WHERE written = 1")
        expect_equal("STOP-1", written, [("分镜.md",)], "the file that it had written")
        states = [(name, state) for name, state, _ in home.results(home.turn("导演")["id"])]
        wanted = [("write_file", "ok"), ("shell", "unknown"), ("shell", "refused")]
        expect_equal("STOP-1", states, wanted, "its calls")


@proves("STOP-3")
def test_a_stopped_turn_makes_no_quiet_matter(tmp_path: Path) -> None:
    home = rendering(tmp_path / "done")
    ran(home, "导演")
    ran(home, "导演")
    home.hop("导演", text="好了。")
    expect_equal("STOP-3", looking(home), 1, "looks at a plan whose only turn is done")
    home = rendering(tmp_path / "stopped")
    stop(home, "导演")
    pass_time(home, 5)
    expect_equal("STOP-3", looking(home), 0, "looks at a plan whose only turn was stopped")
    expect_equal("STOP-3", open_effects(home, "organizer"), [], "runs of the organizer after that")


@proves("STOP-4")
def test_stop_takes_back_what_was_to_look_at_the_matter(tmp_path: Path) -> None:
    for waits_for in ("the time", "the organizer"):
        home = home_of(tmp_path / waits_for, "导演")
        plan, other = home.opened("新品片", to="导演"), home.opened("海报", to="导演")
        for each in (plan, other):
            home.say("出一版", to="导演", files=[each])
            home.hop("导演", text="好了。", plan=each)
        if waits_for == "the organizer":
            pass_time(home, 1)
        home.say("再出一版", to="导演", files=[plan])
        expect_equal("STOP-4", looking(home, f"quiet:{plan}%"), 1, f"{waits_for} that the matter waits for")
        stop(home, "导演")
        expect_equal("HOLD-13", at_work(home), [], "who is at work after Stop")
        expect_equal("STOP-4", looking(home, f"quiet:{plan}%"), 0, f"{waits_for} after Stop")
        expect_equal("STOP-4", looking(home, f"quiet:{other}%"), 1, f"{waits_for} of another matter")


@proves("STOP-8")
def test_stop_holds_the_bots_work_in_the_plan_or_the_turn(tmp_path: Path) -> None:
    home = home_of(tmp_path / "plan", "导演")
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报")]
    for plan in plans:
        home.say("出一版", to="导演", files=[plan])
    stop(home, "导演")
    sql = "SELECT scope, bot, plan, by_stop, source FROM holds"
    expect_equal("STOP-8", home.rows(sql), [("bot_in_plan", 1, plans[1], 1, "user_button")], "the hold")
    expect_equal("STOP-8", [turn["plan"] for turn in home.live("导演")], [plans[0]], "the plans it works on then")
    home = home_of(tmp_path / "desk", "导演")
    home.say("几点了", to="导演")
    turn = home.turn("导演")["id"]
    stop(home, "导演")
    expect_equal("STOP-8", home.rows("SELECT scope, turn FROM holds"), [("turn", turn)], "the hold without a plan")


@proves("STOP-10")
def test_check_backs_of_a_stopped_turn_wait(tmp_path: Path) -> None:
    home = rendering(tmp_path)
    ran(home, "导演")
    ran(home, "导演")
    hopped(home, "导演", check_back())
    stop(home, "导演")
    expect_equal("STOP-10", waits(home), ["suspended"], "the check-back that it had made")
    pass_time(home, 60)
    expect_equal("STOP-10", at_work(home), [], "who is at work once it would have been due")
    home.say("接着做", to="导演", files=[1])
    expect_equal("STOP-10", "void" in waits(home), False, "whether it is void once the user has spoken")


@proves("STOP-11")
def test_stop_says_nothing_and_keeps_where_the_turn_stood(tmp_path: Path) -> None:
    home = rendering(tmp_path)
    before = home.value("SELECT count(*) FROM messages")
    stop(home, "导演")
    expect_equal("STOP-11", home.value("SELECT count(*) FROM messages"), before, "the messages after Stop")
    stopped = record(home, 1).get("stopped_turns", [])
    expect_equal(
        "STOP-11", [each["turn"] for each in stopped], [home.turn("导演")["id"]], "where the hold says it stood"
    )


@proves("STOP-20")
def test_clearing_ends_what_runs_there_and_holds_nothing(tmp_path: Path) -> None:
    for kind, title in ((events.SessionCleared, "导演"), (events.SessionDeleted, "剪辑组")):
        home = home_of(tmp_path / title, "导演")
        plan = home.opened("新品片", to=title)
        home.say("@导演 出一版", to=title, files=[plan])
        home.happens(kind, session=home.session(title))
        expect_equal("STOP-20", open_effects(home, "hop"), [], f"model calls that still count after {kind.__name__}")
        expect_equal("STOP-20", at_work(home), [], f"who is at work after {kind.__name__}")
        expect_equal("STOP-20", home.value("SELECT count(*) FROM holds"), 0, "the holds that it makes")


@proves("STOP-21")
def test_nothing_stops_a_long_turn_or_a_long_chain(tmp_path: Path) -> None:
    home = home_of(tmp_path, *CHAIN, *(f"副手{number}" for number in range(8)))
    plan = home.opened("新品片", to="剪辑组")
    home.say("@导演 出一版", to="剪辑组", files=[plan])
    for number in range(90):
        expect("STOP-21", home.hop("导演", events.Call("list_dir", {"path": "."})), f"hop {number + 1} is asked for")
        expect_equal(
            "TURN-09", home.results(home.turn("导演")["id"])[-1][1], "ok", "its call, with nothing new to read"
        )
    bots = [*CHAIN, *(f"副手{number}" for number in range(8))]
    for round_ in range(3):
        for bot, other in zip(bots, [*bots[1:], bots[0]], strict=True):
            expect("STOP-21", home.hop(bot, events.Call("send_message", {"text": f"@{other} 第{round_}轮"})), bot)
            if bot != bots[0]:
                turn = home.turn(bot)["id"]
                home.hop(bot, text="交出去了。")
                state = home.value("SELECT state FROM turns WHERE id = ?", turn)
                expect_equal("TURN-20", state, "completed", f"the turn in which {bot} has said its piece")
    expect("STOP-21", bool(home.live(bots[0])), "the first still works")
