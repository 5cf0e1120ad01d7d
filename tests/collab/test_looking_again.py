"""Check-backs as a Bot makes them: how soon and how often, whom they wake where, and in which work."""

from pathlib import Path
from typing import Any

from evening import Evening, write
from stopping import folder_of, is_taken, stop

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

ROOM = "剪辑组"
NOTE = "看渲染；没动静就问文案"


def again(minutes: float, note: str = NOTE) -> events.Call:
    """A Bot's wish to look again."""
    return events.Call("check_back", {"after_minutes": minutes, "note": note})


def house(folder: Path, *, level: int = 8, plans: tuple[str, ...] = ("新品片",)) -> Evening:
    """A director at work in a group on plans of it, and a copywriter there."""
    home = Evening(folder, bots={"导演": 4, "文案": 4}, rooms={ROOM: ["导演", "文案"]}, level=level)
    for name in plans:
        plan = home.opened(name, to=ROOM, tickets=[("样片", "文案")])
        home.say("@导演 开工", to=ROOM, files=[plan])
    return home


def made(home: Evening, call: events.Call, **more: Any) -> str:
    """How a check-back that the director makes ends."""
    home.hop("导演", call, **more)
    return str(home.value("SELECT state FROM calls ORDER BY id DESC"))


def waits(home: Evening) -> list[tuple[Any, ...]]:
    """The check-backs: whose work, and how they stand."""
    return home.rows("SELECT work_item, state FROM waits WHERE kind = 'timer' ORDER BY id")


def rung(home: Evening) -> int:
    """How often check-backs have woken somebody."""
    return int(home.value("SELECT count(*) FROM work_events WHERE type = 'check_back.rang'"))


def reads(home: Evening, text: str) -> list[tuple[str, int]]:
    """Who was given a text at which hop: Bot and turn."""
    return home.rows(
        "SELECT DISTINCT b.name, t.id FROM effects e JOIN turns t ON t.id = e.turn JOIN bots b ON b.id = t.bot"
        " WHERE e.kind = 'hop' AND instr(json_extract(e.body, '$.context'), ?) ORDER BY t.id",
        text,
    )


@proves("CHKB-01")
def test_how_soon_and_how_late(tmp_path: Path) -> None:
    week = 7 * 24 * 60
    for level in (2, 5):
        home = house(folder_of(tmp_path, level), level=level)
        made(home, again(30))
        result = home.results(home.turn("导演")["id"])[-1][2]
        expect("CHKB-11", "an hour" not in result, f"the first one of an hour, at level {level}: {result}")
        for minutes, wanted in ((0.5, "refused"), (1, "ok"), (week, "ok"), (week + 1, "refused")):
            expect_equal("CHKB-01", made(home, again(minutes)), wanted, f"{minutes} minutes at level {level}")
    late = house(folder_of(tmp_path, "late"))
    expect_equal("CHKB-01", made(late, again(week + 1)), "refused", "more than a week at level 8")


@proves("CHKB-11")
def test_nobody_polls_every_few_minutes(tmp_path: Path) -> None:
    for level, restrained in ((5, False), (6, True), (8, True)):
        home = house(folder_of(tmp_path, level), level=level)
        made(home, again(30))
        result = home.results(home.turn("导演")["id"])[-1][2]
        expect("CHKB-01", "minutes from now" not in result, f"half an hour at level {level}: {result}")
        early = "refused" if restrained else "ok"
        expect_equal("CHKB-11", made(home, again(4.5)), early, f"four minutes and a half at level {level}")
        expect_equal("CHKB-11", made(home, again(5)), "ok", f"five minutes at level {level}")
        ended = [made(home, again(30)) for _ in range(5)]
        expect_equal("CHKB-11", ended, ["ok"] * 4 + [early], f"the third to seventh in an hour, at level {level}")
        home.now += 61 * 60_000
        expect_equal("CHKB-11", made(home, again(30)), "ok", f"one more, an hour later, at level {level}")


@proves("CHKB-01")
def test_it_stores_what_it_is_for_and_rings_once(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.hop("导演", again(30))
    row = home.rows("SELECT kind, due - ?, note, work_item, session, ref FROM waits", home.now)[0]
    turn = home.turn("导演")
    wanted = ("timer", 30 * 60_000, NOTE, turn["work_item"], home.session(ROOM), None)
    expect_equal("CHKB-01", row, wanted, "what is stored")
    home.hop("导演", text="渲染着。")
    home.later(31)
    home.hop("导演", text="好了。")
    home.crash()
    home.later(24 * 60)
    expect_equal("CHKB-01", rung(home), 1, "rings")


@proves("CHKB-02")
def test_another_works_is_not_replaced_and_neither_is_a_wait_for_another_bot(tmp_path: Path) -> None:
    home = house(tmp_path, plans=("新品片", "海报"))
    home.hop("导演", again(30), plan=1)
    one = home.turns("导演")[0]["work_item"]
    home.sql("INSERT INTO waits (work_item, kind, dedupe) VALUES (?, 'delegation', 'check_back:1')", one)
    home.hop("导演", again(40), plan=2)
    home.hop("导演", again(50), plan=1)
    two = home.turns("导演")[1]["work_item"]
    expect_equal("CHKB-02", waits(home), [(one, "void"), (two, "open"), (one, "open")], "check-backs of both works")
    delegation = home.value("SELECT state FROM waits WHERE kind = 'delegation'")
    expect_equal("CHKB-02", delegation, "open", "the wait for another Bot")


@proves("CHKB-03")
def test_at_the_old_levels_there_is_one_a_session_and_its_bot_reads_of_it(tmp_path: Path) -> None:
    for level, left in ((2, ["void", "open"]), (3, ["open", "open"])):
        home = house(folder_of(tmp_path, level), level=level, plans=("新品片", "海报"))
        home.hop("导演", again(30, "看样片"), plan=1)
        home.hop("导演", again(40, "看海报"), plan=2)
        rule = "CHKB-03" if level < 3 else "CHKB-02"
        expect_equal(rule, [state for _, state in waits(home)], left, f"two of one session at level {level}")
        home.hop("导演", write("b.md"), plan=2)
        text = home.context(home.turns("导演")[1]["id"])
        expect("CHKB-03", "check-back is pending" in text and "看海报" in text, f"marked at level {level}: {text}")
        home.say("写一句", to="文案", files="spot")
        expect("CHKB-03", "check-back" not in home.context(home.turn("文案")["id"]), "another Bot's is not marked")
        home.hop("导演", text="好。", plan=2)
        other = home.opened("片尾", to="导演")
        home.say("做片尾", to="导演", files=[other])
        home.hop("导演", again(50, "看片尾"), plan=other)
        in_group = [state for _, state in waits(home)][:2]
        expect_equal("CHKB-03", in_group, left, f"those of the group after one elsewhere, at level {level}")


@proves("CHKB-04")
def test_no_wait_for_a_delegation_ends_by_time(tmp_path: Path) -> None:
    for level in (3, 8):
        home = house(folder_of(tmp_path, level), level=level)
        home.hop("导演", events.Call("delegate", {"to": "文案", "ask": "写片头", "expects": "answer"}))
        wait = home.value("SELECT id FROM waits WHERE kind = 'delegation'")
        turns = len(home.turns("导演"))
        change = "INSERT INTO effects (event, kind, subject, body) VALUES (1, 'timer', ?, ?)"
        home.sql(change, f"check_back:{wait}", f'{{"due": {home.now + 60_000}}}')
        home.later(10 * 24 * 60)
        expect_equal("CHKB-04", home.value("SELECT state FROM waits"), "open", f"the wait at level {level}, days later")
        expect_equal("CHKB-04", len(home.turns("导演")), turns, f"turns of who waits, at level {level}")
        due = "UPDATE waits SET due = 1 WHERE kind = 'delegation'"
        expect("CHKB-04", not is_taken(home, due), "the store gives it no time")


@proves("CHKB-05")
def test_only_the_turn_that_it_wakes_reads_it(tmp_path: Path) -> None:
    for level in (1, 2, 8):
        home = house(folder_of(tmp_path, level), level=level)
        home.hop("导演", again(30))
        home.hop("导演", text="渲染着。")
        home.later(31)
        woken = home.turn("导演")
        expect_equal("CHKB-05", woken["session"], home.session(ROOM), "where the turn is that it wakes")
        expect_equal("CHKB-05", reads(home, f"回看:{NOTE}"), [("导演", woken["id"])], f"who reads it, at level {level}")
        home.hop("导演", text="@文案 渲染好了，看一下")
        home.say("@导演 怎么样", to=ROOM, files=[1])
        home.say("@文案 你也看看", to=ROOM, files=[1])
        expect("CHKB-05", len(home.turns("导演")) > woken["id"] - 1 and home.turns("文案"), "others are at work then")
        expect_equal("CHKB-05", reads(home, f"回看:{NOTE}"), [("导演", woken["id"])], f"later, at level {level}")
        marked = home.rows("SELECT only_for FROM messages WHERE text = ?", f"回看:{NOTE}")
        expect_equal(
            "CHKB-05", marked, [(home.bot("导演"),)], "whose line it is, for clients, search and the organizer"
        )


@proves("CHKB-06")
def test_the_turn_that_it_wakes_works_where_it_was_made(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={ROOM: ["导演"]})
    home.opened("新品片", to=ROOM, tickets=[("样片", "导演")])
    home.opened("海报", to=ROOM)
    home.say("@导演 先出样片", to=ROOM, files=[(1, 1)])
    home.happens(events.BoardEdited, plan=1, goal="两分钟的新品片", acceptance=("1080p",))
    home.hop("导演", again(30))
    home.hop("导演", events.Call("send_message", {"text": "先给一版", "files": ["v1.mp4"]}))
    home.hop("导演", text="渲染着。")
    before = home.turn("导演")
    plan = home.rows("SELECT status, current_of FROM plans ORDER BY id")
    home.later(31)
    woken = home.turn("导演")
    expect("CHKB-06", woken["id"] != before["id"], "it wakes a turn")
    work = (woken["plan"], woken["ticket"], woken["work_item"])
    expect_equal("CHKB-06", work, (before["plan"], before["ticket"], before["work_item"]), "what that works on")
    expect_equal("CHKB-06", home.rows("SELECT status, current_of FROM plans ORDER BY id"), plan, "how the plans stand")
    text = home.context(woken["id"]).partition("# The user's words")[0]
    for part in ("两分钟的新品片", "1080p", "Handed over: v1.mp4", "Before: "):
        expect("CHKB-06", part in text, f"“{part}” in what it reads: {text}")
    expect("TICK-31", "Ticket 01 of the plan: 样片" in text, f"its ticket in what it reads: {text}")
    old = Evening(folder_of(tmp_path, "old"), bots=["导演"], level=1)
    plan_there = old.opened("新品片", to="导演")
    old.sql("UPDATE plans SET current_of = session")
    old.say("剪片", to="导演", files=[plan_there])
    old.hop("导演", again(30))
    old.hop("导演", text="渲染着。")
    later_plan = old.opened("海报", to="导演")
    old.sql("UPDATE plans SET current_of = NULL")
    old.sql("UPDATE plans SET current_of = session WHERE id = ?", later_plan)
    old.later(31)
    of = old.value("SELECT plan FROM messages WHERE id = ?", old.turn("导演")["trigger_message"])
    expect_equal("CHKB-06", of, plan_there, "the plan of the turn that it wakes at level 1")
    expect_equal(
        "CHKB-06", old.value("SELECT id FROM plans WHERE current_of IS NOT NULL"), later_plan, "the current one"
    )


@proves("CHKB-07")
def test_which_live_turn_hears_it(tmp_path: Path) -> None:
    for level, where, other, more in (
        (1, ROOM, False, 0),
        (1, ROOM, True, 0),
        (1, "导演", False, 0),
        (1, "导演", True, 1),
        (2, ROOM, False, 0),
        (2, ROOM, True, 1),
        (2, "导演", True, 1),
        (8, ROOM, True, 1),
        (8, "导演", False, 0),
    ):
        home = Evening(
            folder_of(tmp_path, f"{level}{where}{other}"), bots=["导演", "文案"], rooms={ROOM: ["导演"]}, level=level
        )
        plans = [home.opened(name, to=where) for name in ("新品片", "海报")]
        home.sql("UPDATE plans SET current_of = NULL")
        home.sql("UPDATE plans SET current_of = session WHERE id = 1")
        home.say("@导演 剪片", to=where, files=[plans[0]])
        home.hop("导演", again(30))
        home.hop("导演", text="渲染着。")
        if other:
            home.sql("UPDATE plans SET current_of = NULL")
            home.sql("UPDATE plans SET current_of = session WHERE id = 2")
        home.say("@导演 接着做", to=where, files=[plans[1] if other else plans[0]])
        before = len(home.turns("导演"))
        home.later(31)
        name = f"at level {level} in {where}, with {'another' if other else 'its'} plan at work"
        expect_equal("CHKB-07", len(home.turns("导演")) - before, more, f"more turns {name}")
        home.hop("导演", write("a.md"))
        heard = reads(home, f"回看:{NOTE}")
        expect_equal("CHKB-07", len(heard), 1, f"turns that read it {name}")


@proves("CHKB-08")
def test_what_becomes_of_it_when_its_bot_or_place_goes(tmp_path: Path) -> None:
    def leaves(home: Evening) -> None:
        home.sql("DELETE FROM session_participants WHERE bot = ? AND session = ?", home.bot("导演"), home.session(ROOM))

    def sleeps(home: Evening) -> None:
        home.now += 3 * 3_600_000
        home.crash()

    cases: dict[str, Any] = {
        "cleared": (lambda home: home.happens(events.SessionCleared, session=home.session(ROOM)), "void", 0),
        "deleted": (lambda home: home.happens(events.SessionDeleted, session=home.session(ROOM)), "void", 0),
        "its Bot deleted": (
            lambda home: home.happens(events.BotRetired, bot=home.bot("导演"), state="deleted"),
            "void",
            0,
        ),
        "its Bot archived": (
            lambda home: home.happens(events.BotRetired, bot=home.bot("导演"), state="archived"),
            "fired",
            0,
        ),
        "its Bot left": (leaves, "fired", 0),
        "the machine slept": (sleeps, "fired", 1),
        "nothing": (lambda home: None, "fired", 1),
    }
    for name, (happens, state, more) in cases.items():
        home = house(folder_of(tmp_path, name))
        home.hop("导演", again(30))
        home.hop("导演", text="渲染着。")
        before = home.value("SELECT count(*) FROM work_events WHERE type = 'turn.opened'")
        happens(home)
        erased = home.value("SELECT count(*) FROM quotes WHERE erased = 1")
        expect_equal("QUOT-10", erased, 0, f"words that nobody wanted erased, where {name}")
        home.later(24 * 60)
        expect_equal("CHKB-08", [each for _, each in waits(home)], [state], f"how it stands, where {name}")
        after = home.value("SELECT count(*) FROM work_events WHERE type = 'turn.opened'")
        expect_equal("CHKB-08", after - before, more, f"turns that it opens, where {name}")


@proves("CHKB-09")
def test_a_stop_of_the_turn_that_made_it(tmp_path: Path) -> None:
    for level, left, more in ((0, "void", 0), (1, "suspended", 1), (8, "suspended", 1)):
        home = Evening(folder_of(tmp_path, level), bots=["导演"], level=level)
        plan = home.opened("新品片", to="导演")
        home.sql("UPDATE plans SET current_of = session")
        home.say("剪片", to="导演", files=[plan])
        home.hop("导演", again(30))
        stop(home, "导演")
        expect_equal("CHKB-09", [state for _, state in waits(home)], [left], f"after the stop at level {level}")
        home.later(60)
        expect_equal("CHKB-09", rung(home), 0, f"rings before the user speaks, at level {level}")
        home.say("接着剪", to="导演", files=[plan])
        home.hop("导演", text="好。")
        home.later(1)
        expect_equal("CHKB-09", rung(home), more, f"rings once the user has spoken, at level {level}")


@proves("CHKB-11")
def test_it_is_in_no_schedule_and_nothing_but_time_rings_it(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.hop("导演", again(30))
    home.hop("导演", text="渲染着。")
    home.say("@文案 写一句", to=ROOM, files=[1])
    home.hop("文案", write("a.md"))
    home.hop("文案", text="@导演 写好了")
    expect_equal("CHKB-11", rung(home), 0, "rings by what happens before its time")
    expect_equal("CHKB-11", home.rows("SELECT 1 FROM schedules"), [], "schedules")


@proves("CHKB-12")
def test_what_queued_for_a_slot_is_dispatched_by_who_wants_it(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1})
    order = ("check_back", "request", "reply", "line")
    for number, kind in enumerate(("busy", *order), 1):
        plan = home.opened(kind, to="导演")
        if number == 1:
            home.say("开工", to="导演", files=[plan])
            continue
        prio = {"line": 1, "reply": 2, "request": 3, "check_back": 4}[kind]
        home.sql("INSERT INTO work_items (bot, plan, session, state, queued_seq) VALUES (1, ?, 1, 'queued', 1)", plan)
        home.sql(
            "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq)"
            " SELECT max(id), 'note', 'app', ?, ?, ? FROM work_items",
            kind,
            prio,
            number - 1,
        )
    home.hop("导演", text="好。")
    begun = []
    for _ in order:
        begun.append(home.plans()[home.live("导演")[0]["plan"] - 1])
        home.hop("导演", text="好。")
    expect_equal("CHKB-12", begun, ["line", "reply", "request", "check_back"], "the order in which they begin")


@proves("CHKB-12")
def test_a_check_back_queues_behind_the_user(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.hop("导演", again(30))
    home.hop("导演", text="渲染着。")
    home.later(31)
    prio = home.value("SELECT prio FROM inbox_items WHERE kind = 'check_back'")
    expect_equal("CHKB-12", prio, 4, "the priority of a check-back")
