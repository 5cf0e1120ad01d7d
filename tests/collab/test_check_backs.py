"""Check-backs: each rings once, where it was made; under a hold it waits for the lift, whoever looks at the store."""

from pathlib import Path

from evening import Evening, write

from harness.expect import expect_equal, proves
from threadrebuild.collab import check_backs, events
from threadrebuild.collab.change import Change
from threadrebuild.collab.store import open_store


def house(folder: Path, *, level: int = 8) -> Evening:
    """Two Bots in a group, each with a plan of its own there that it has worked on."""
    home = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    for name, bot in (("新品片", "导演"), ("海报", "文案")):
        plan = home.opened(name, to="剪辑组")
        home.say(f"@{bot} 开工", to="剪辑组", files=[plan])
        home.hop(bot, text="好。")
    return home


def work_of(home: Evening, bot: str) -> int:
    """What a Bot worked on last: its work item."""
    return int(home.value("SELECT id FROM work_items WHERE bot = ? ORDER BY id DESC", home.bot(bot)))


def arm(home: Evening, bot: str, minutes: float, note: str = "看进度", *, where: str = "剪辑组", item: int = 0) -> int:
    """The application makes a check-back for a Bot."""
    with home.db.transaction():
        key = f"arm:{home.value('SELECT count(*) FROM events')}"
        event = home.db.write("INSERT INTO events (key, kind, at, body) VALUES (?, 'Line', ?, '{}')", key, home.now)
        change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
        due = home.now + round(minutes * 60_000)
        return check_backs.arm(change, item or work_of(home, bot), due, note=note, session=home.session(where))


def hold(home: Evening, scope: str = "everything", **over: int) -> int:
    """The user stops something from a menu."""
    home.happens(events.HoldMade, scope=scope, **over)
    return int(home.value("SELECT max(id) FROM holds"))


def state(home: Evening, wait: int) -> str:
    """How a check-back stands."""
    return str(home.value("SELECT state FROM waits WHERE id = ?", wait))


def rings(home: Evening, wait: int) -> int:
    """How often a check-back has rung."""
    sql = "SELECT count(*) FROM work_events WHERE type = 'check_back.rang' AND json_extract(body, '$.wait') = ?"
    return int(home.value(sql, wait))


def open_to_an_older_version(home: Evening) -> list[int]:
    """What a version that knows no holds would ring: it knows `voided`, and no state called suspended."""
    rows = home.rows("SELECT id FROM waits WHERE kind = 'timer' AND state <> 'fired' AND voided = 0 ORDER BY id")
    return [wait for (wait,) in rows]


def test_a_check_back_wakes_its_bot_once_where_it_was_made(tmp_path: Path) -> None:
    home = house(tmp_path)
    before = len(home.turns("导演"))
    wait = arm(home, "导演", 30, "渲染好了没有")
    home.later(29)
    assert len(home.turns("导演")) == before
    home.later(2)
    turn = home.turn("导演")
    assert (turn["session"], turn["plan"]) == (home.session("剪辑组"), 1)
    assert "回看:渲染好了没有" in home.context(turn["id"])
    home.hop("导演", text="好了。")
    home.later(600)
    assert (rings(home, wait), state(home, wait), len(home.turns("导演"))) == (1, "fired", before + 1)


def test_a_check_back_is_read_by_the_segment_that_runs_on_its_plan(tmp_path: Path) -> None:
    home = house(tmp_path)
    arm(home, "导演", 30)
    home.say("@导演 换夜景", to="剪辑组", files=[1])
    before = len(home.turns("导演"))
    home.later(31)
    home.hop("导演", write("a.md"))
    assert "回看:看进度" in home.context(home.turn("导演")["id"])
    assert len(home.turns("导演")) == before


def test_at_the_old_levels_a_group_turn_hears_it_and_a_direct_chat_opens_another(tmp_path: Path) -> None:
    for where, more in (("剪辑组", 0), ("导演", 1)):
        (tmp_path / where).mkdir()
        home = Evening(tmp_path / where, bots=["导演"], rooms={"剪辑组": ["导演"]}, level=1)
        home.say("@导演 剪片", to=where)
        item = home.value("SELECT id FROM work_items WHERE session = ?", home.session(where))
        arm(home, "导演", 5, where=where, item=item)
        home.later(6)
        assert len(home.turns("导演")) == 1 + more
        home.hop("导演", write("a.md"))
        given = home.rows("SELECT turn FROM effects WHERE kind = 'hop' AND instr(body, '回看:看进度')")
        assert given == [(1 + more,)]


def test_a_bot_makes_one_for_its_work_and_a_crash_does_not_lose_it(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("@导演 渲染", to="剪辑组", files=[1])
    for minutes in (0.5, 7 * 24 * 60 + 1):
        home.hop("导演", events.Call("check_back", {"after_minutes": minutes, "note": "看渲染"}))
        assert home.results(home.turn("导演")["id"])[-1][1] == "refused"
    home.hop("导演", events.Call("check_back", {"after_minutes": 30, "note": "看渲染"}))
    assert home.results(home.turn("导演")["id"])[-1][:2] == ("check_back", "ok")
    home.hop("导演", text="渲染着，半小时后看。")
    home.now += 3_600_000
    home.crash()
    home.later(1)
    home.crash()
    home.later(60)
    assert rings(home, 1) == 1


@proves("HOLD-53")
def test_a_suspended_check_back_is_void_to_a_version_that_knows_no_holds(tmp_path: Path) -> None:
    home = house(tmp_path)
    first, other = arm(home, "导演", 30), arm(home, "文案", 30)
    expect_equal("HOLD-53", open_to_an_older_version(home), [first, other], "what such a version rings before")
    made = hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-53", state(home, first), "suspended", "the one that the hold covers")
    expect_equal("HOLD-53", open_to_an_older_version(home), [other], "what such a version rings under the hold")
    home.happens(events.HoldLifted, hold=made)
    expect_equal("HOLD-53", open_to_an_older_version(home), [first, other], "what such a version rings after the lift")


@proves("HOLD-54")
def test_one_made_under_a_hold_is_suspended_at_once(tmp_path: Path) -> None:
    home = house(tmp_path)
    made = hold(home, "bot", bot=home.bot("导演"))
    wait, free = arm(home, "导演", 30), arm(home, "文案", 30)
    expect_equal("HOLD-54", (state(home, wait), state(home, free)), ("suspended", "open"), "held, and another Bot's")
    home.later(31)
    expect_equal("HOLD-54", rings(home, wait), 0, "rings of the one made under the hold")
    home.happens(events.HoldLifted, hold=made)
    home.later(1)
    expect_equal("HOLD-54", rings(home, wait), 1, "rings of it after the lift")


def free_one_rings(folder: Path) -> None:
    """See that a check-back rings that nothing holds: the scan of what is due takes it for the timer that it is."""
    folder.mkdir()
    home = house(folder)
    wait = arm(home, "导演", 30)
    home.later(40)
    expect_equal("DEL-32", rings(home, wait), 1, "rings of one that nothing holds")


@proves("HOLD-55")
def test_after_the_lift_it_is_pending_again_and_one_that_is_overdue_rings_once(tmp_path: Path) -> None:
    free_one_rings(tmp_path / "free")
    home = house(tmp_path)
    early = arm(home, "导演", 30)
    late = arm(home, "文案", 300)
    everything, bot = hold(home), hold(home, "bot", bot=home.bot("导演"))
    home.later(60)
    home.happens(events.HoldLifted, hold=everything)
    home.later(1)
    expect_equal("HOLD-55", (state(home, early), rings(home, early)), ("suspended", 0), "one that another hold covers")
    expect_equal("HOLD-55", state(home, late), "open", "one that no hold covers any more")
    home.crash()
    home.happens(events.HoldLifted, hold=bot)
    home.later(0.1)
    expect_equal("HOLD-55", rings(home, early), 1, "rings of the overdue one, soon after the lift")
    home.hop("导演", text="好。")
    home.later(600)
    expect_equal("HOLD-55", (rings(home, early), rings(home, late)), (1, 1), "rings in all, of both")


@proves("HOLD-55")
def test_a_hold_made_and_lifted_before_its_time_leaves_it_ringing_once(tmp_path: Path) -> None:
    free_one_rings(tmp_path / "free")
    home = house(tmp_path)
    wait = arm(home, "导演", 30)
    home.happens(events.HoldLifted, hold=hold(home))
    home.later(29)
    expect_equal("HOLD-55", rings(home, wait), 0, "rings before its time")
    home.later(60)
    expect_equal("HOLD-55", rings(home, wait), 1, "rings in all")


@proves("HOLD-56")
def test_what_is_cleared_or_deleted_under_the_hold_comes_back_by_no_lift(tmp_path: Path) -> None:
    gone = {
        "cleared": lambda home: home.happens(events.SessionCleared, session=home.session("剪辑组")),
        "deleted": lambda home: home.happens(events.SessionDeleted, session=home.session("剪辑组")),
        "Bot deleted": lambda home: home.happens(events.BotRetired, bot=home.bot("导演"), state="deleted"),
        "nothing": lambda home: None,
    }
    for what, happens in gone.items():
        (tmp_path / what).mkdir()
        home = house(tmp_path / what)
        wait = arm(home, "导演", 30)
        made = hold(home, "bot", bot=home.bot("导演"))
        happens(home)
        erased = home.value("SELECT count(*) FROM quotes WHERE erased = 1")
        expect_equal("QUOT-10", erased, 0, f"words that nobody wanted erased, where {what}")
        home.happens(events.HoldLifted, hold=made)
        home.later(60)
        expect_equal("HOLD-56", rings(home, wait), int(what == "nothing"), f"rings where {what} under the hold")
        expect_equal("HOLD-56", state(home, wait), "fired" if what == "nothing" else "void", f"where {what}")


@proves("HOLD-56")
def test_what_was_stopped_before_there_were_holds_stays_void(tmp_path: Path) -> None:
    for level, rung in ((0, 0), (1, 1)):
        folder = tmp_path / str(level)
        folder.mkdir()
        home = Evening(folder, bots=["导演"], level=level)
        home.say("剪片", to="导演")
        home.hop("导演", events.Call("check_back", {"after_minutes": 30, "note": "看渲染"}))
        home.happens(events.StopPressed, turn=home.turn("导演")["id"])
        home.db.close()
        home.db = open_store(home.path, 1, durable=False)
        home.engine.db = home.db
        made = hold(home, "bot", bot=home.bot("导演"))
        for each in (made, *(made - 1 for _ in range(level))):
            home.happens(events.HoldLifted, hold=each)
        home.later(60)
        expect_equal("HOLD-56", rings(home, 1), rung, f"rings of what a Stop at level {level} left, after the lift")


@proves("HOLD-57")
def test_below_level_three_a_new_one_in_the_session_replaces_the_suspended_one(tmp_path: Path) -> None:
    for level, survives in ((2, 0), (3, 1)):
        folder = tmp_path / str(level)
        folder.mkdir()
        home = house(folder, level=level)
        first = work_of(home, "导演")
        plan = home.opened("片尾", to="剪辑组")
        home.say("@导演 做片尾", to="剪辑组", files=[plan])
        home.hop("导演", text="好。")
        old = arm(home, "导演", 30, item=first)
        elsewhere = arm(home, "导演", 30, where="导演") if level < 3 else 0
        others = arm(home, "文案", 30)
        made = hold(home, "bot", bot=home.bot("导演"))
        new = arm(home, "导演", 40)
        home.happens(events.HoldLifted, hold=made)
        for _ in range(4):
            home.later(20)
            for bot in ("导演", "文案"):
                home.hop(bot, text="看过了。")
        expect_equal("HOLD-57", rings(home, old), survives, f"rings of other work's in the session, at level {level}")
        expect_equal("HOLD-57", [rings(home, each) for each in (new, others)], [1, 1], "the new one's, another Bot's")
        expect_equal("HOLD-57", rings(home, elsewhere), int(level < 3), "rings of one in another session")


@proves("HOLD-58")
def test_from_level_three_only_the_same_work_and_key_replaces_it(tmp_path: Path) -> None:
    home = house(tmp_path)
    first = work_of(home, "导演")
    plan = home.opened("片尾", to="剪辑组")
    home.say("@导演 做片尾", to="剪辑组", files=[plan])
    home.hop("导演", text="好。")
    old, other = arm(home, "导演", 30, item=first), arm(home, "导演", 30)
    home.sql("INSERT INTO waits (work_item, kind, dedupe) VALUES (?, 'delegation', 'delegation')", first)
    made = hold(home, "bot", bot=home.bot("导演"))
    new = arm(home, "导演", 40, item=first)
    expect_equal("HOLD-58", (state(home, old), state(home, other)), ("void", "suspended"), "the same work's, another's")
    delegation = home.value("SELECT state FROM waits WHERE kind = 'delegation'")
    expect_equal("HOLD-58", delegation, "suspended", "the wait on a delegation")
    home.happens(events.HoldLifted, hold=made)
    home.later(60)
    home.hop("导演", text="看过了。", plan=1)
    found = [rings(home, each) for each in (old, other, new)]
    expect_equal("HOLD-58", found, [0, 1, 1], "rings of the old one, of the other work's, of the new one")
