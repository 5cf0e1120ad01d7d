"""What would wake a Bot under a hold does not, is on record once, and comes after the lift or not at all."""

import json
from collections.abc import Callable
from pathlib import Path

from evening import MINUTE, NINE, Evening, shell, write
from stopping import ROOM, STOP, TALK, at_work, hold, lift, speak, stop

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import check_backs, events, readonly
from threadrebuild.collab.change import Change, Conflict

Record = tuple[str, str, list[int]]


def house(folder: Path, level: int = 8) -> Evening:
    """Two Bots in a group."""
    folder.mkdir()
    return Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)


def suppressed(home: Evening) -> list[Record]:
    """The wakes that holds kept back: whose, by what, and the holds, in order."""
    rows = home.rows(
        "SELECT b.name, e.body FROM work_events e JOIN bots b ON b.id = e.bot WHERE e.type = 'wake.suppressed'"
        " AND json_extract(e.body, '$.holds') IS NOT NULL ORDER BY e.id"
    )
    return [(name, json.loads(body)["kind"], json.loads(body)["holds"]) for name, body in rows]


def sends(text: str, session: int | None = None) -> events.Call:
    """A call by which a Bot says something."""
    return events.Call("send_message", {"text": text} | ({} if session is None else {"session": session}))


def looks_again(home: Evening, bot: str, plan: int | None, session: str, minutes: int) -> None:
    """The application arms a check-back for a Bot's work."""
    with home.db.transaction():
        home.now += 1000
        event = home.db.write(
            "INSERT INTO events (key, kind, at, body) VALUES (?, 'Armed', ?, '{}')", f"armed:{home.now}", home.now
        )
        change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
        item = home.value("SELECT id FROM work_items WHERE bot = ? AND plan IS ?", home.bot(bot), plan)
        due = home.now + minutes * MINUTE
        check_backs.arm(change, item, due, note="看看片头", session=home.session(session))


def chat(home: Evening) -> int:
    """A chat that 导演 opens with 文案 and says something in; returns it."""
    home.say("@导演 找文案写一句", to=ROOM, files="spot")
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    session = int(home.value("SELECT max(id) FROM sessions"))
    home.hop("导演", sends("写一句宣传语", session))
    home.hop("导演", text="找了。")
    return session


def answers(home: Evening, text: str) -> None:
    """文案 answers in the chat, 导演 has nothing to add there, and time passes."""
    home.hop("文案", text=text)
    home.hop("导演")
    home.later(1)


def called_back(home: Evening) -> int:
    """How many turns 导演 has that a quiet chat has opened."""
    return int(
        home.value(
            "SELECT count(*) FROM turns t JOIN messages m ON m.id = t.trigger_message"
            " WHERE t.bot = ? AND instr(m.text, 'is quiet')",
            home.bot("导演"),
        )
    )


@proves("HOLD-59", "HOLD-64")
def test_no_wake_but_the_users_opens_a_turn_and_each_is_on_record(tmp_path: Path) -> None:
    def by_mention(home: Evening) -> None:
        home.say("@文案 叫一下导演", to=ROOM)
        home.hop("文案", sends("@导演 片头定了吗？"))

    def by_line_in_a_chat(home: Evening) -> None:
        home.say("@文案 叫一下导演", to=ROOM)
        home.hop("文案", events.Call("create_direct", {"to": "导演"}))
        home.hop("文案", sends("片头定了吗？", home.value("SELECT max(id) FROM sessions")))

    def by_check_back(home: Evening) -> None:
        home.later(60)

    def by_schedule(home: Evening) -> None:
        home.happens(
            events.ScheduleMade,
            session=home.session("导演"),
            bot=home.bot("导演"),
            text="日报",
            every_ms=MINUTE * 1440,
            due=home.now + MINUTE,
        )
        home.later(2)

    ways: dict[str, tuple[Callable[[Evening], None], str]] = {
        "mention": (by_mention, "bot line"),
        "chat": (by_line_in_a_chat, "bot line"),
        "check-back": (by_check_back, "check-back"),
        "schedule": (by_schedule, "schedule"),
    }
    for name, (wake, kind) in ways.items():
        for is_held in (False, True):
            home = house(tmp_path / f"{name}-{is_held}")
            plan = home.opened("新品片", to="导演")
            home.say("做起来", to="导演", files=[plan])
            if name == "check-back":
                looks_again(home, "导演", plan, "导演", 30)
            home.hop("导演", text="好了。")
            if is_held:
                hold(home, "bot", bot="导演")
            before = len(home.turns("导演"))
            wake(home)
            opened = len(home.turns("导演")) - before
            expect_equal("HOLD-59", opened, int(not is_held), f"turns opened by {name}, held: {is_held}")
            wanted = [("导演", kind, [1])] if is_held else []
            expect_equal("HOLD-64", suppressed(home), wanted, f"on record of {name}, held: {is_held}")


@proves("HOLD-64")
def test_what_the_user_presses_in_vain_is_on_record_once(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    home.crash()
    hold(home, "plan", plan=plan, void=True)
    for _ in range(2):
        pressed = events.Continued(key="pressed", at=home.now, turn=1)
        code = None
        try:
            home.engine.handle(pressed)
        except Conflict as conflict:
            code = conflict.code
        expect_equal("HOLD-71", code, "held", "what the press comes to")
        expect_equal("HOLD-64", suppressed(home), [("导演", "continue", [1])], "on record")
    expect_equal("HOLD-71", home.live("导演"), [], "live turns")


@proves("HOLD-68")
def test_a_quiet_chat_calls_its_opener_back_after_the_lift(tmp_path: Path) -> None:
    home = house(tmp_path / "free", 3)
    chat(home)
    answers(home, "好酒不怕巷子深。")
    expect_equal("HOLD-62", suppressed(home), [], "on record, where nothing is held")
    expect_equal("HOLD-68", called_back(home), 1, "calls of the opener, where nothing is held")
    home = house(tmp_path / "held", 3)
    chat(home)
    home.hop("文案", text="好酒不怕巷子深。")
    home.hop("导演")
    hold(home, "bot", bot="导演")
    home.later(1)
    expect_equal("HOLD-68", called_back(home), 0, "calls of the opener under a hold")
    expect_equal("HOLD-68", suppressed(home)[-1:], [("导演", "chat quiet", [1])], "on record")
    lift(home, 1)
    expect_equal("HOLD-68", called_back(home), 1, "calls of the opener after the lift")


@proves("HOLD-62")
def test_a_quiet_chat_of_a_held_bot_calls_nobody_back(tmp_path: Path) -> None:
    home = house(tmp_path / "free", 3)
    chat(home)
    answers(home, "好酒不怕巷子深。")
    expect_equal("HOLD-62", suppressed(home), [], "on record, where nothing is held")
    expect_equal("HOLD-68", called_back(home), 1, "calls of the opener then")
    home = house(tmp_path / "held", 3)
    session = chat(home)
    home.hop("文案", text="好酒不怕巷子深。")
    home.hop("导演")
    hold(home, "bot", bot="文案")
    home.later(1)
    lift(home, 1)
    home.later(5)
    expect_equal("HOLD-62", called_back(home), 0, "calls of the opener while the other was held, and after the lift")
    expect_equal("HOLD-62", suppressed(home), [("导演", "chat quiet", [1])], "on record")
    home.say("@导演 再找他要一句", to=ROOM, files="spot")
    home.hop("导演", sends("再来一句", session))
    home.hop("导演", text="要了。")
    answers(home, "酒香十里。")
    expect_equal("HOLD-62", called_back(home), 1, "calls of the opener once the other has done another turn there")


@proves("HOLD-69")
def test_a_quiet_plan_calls_back_and_that_is_not_kept(tmp_path: Path) -> None:
    homes = {}
    for is_held in (False, True):
        home = homes[is_held] = house(tmp_path / str(is_held), 3)
        plan = home.opened("新品片", to="导演", tickets=[("粗剪", "导演")])
        home.say("做起来", to="导演", files=[plan])
        home.hop("导演", text="先到这里。")
        if is_held:
            hold(home, "plan", plan=plan)
        home.later(1)
    expect_equal("HOLD-69", len(home.turns("导演")), 1, "turns once it is quiet under the hold")
    lift(home, 1)
    home.later(30)
    expect_equal("HOLD-69", len(home.turns("导演")), 1, "turns after the lift")
    expect_equal("CHKB-19", len(homes[False].turns("导演")), 2, "turns once it is quiet, with no hold")
    expect_equal("HOLD-69", suppressed(home), [("导演", "plan quiet", [1])], "on record")
    home.say("片头呢", to="导演", files=[plan])
    home.hop("导演", text="在做。")
    home.later(1)
    expect_equal("HOLD-69", len(home.turns("导演")), 3, "turns once another has ended and it is quiet again")


def lives_on(home: Evening, *, under: int) -> None:
    """A command of 导演 runs, and ending its turn under a hold of that plan has failed: the store is an older one."""
    home.hop("导演", shell("render a"), run=False)
    for trigger in ("no_live_turn_under_a_hold", "no_live_turn_goes_under_a_hold", "an_ended_turn_stays_ended"):
        home.sql(f"DROP TRIGGER {trigger}")
    hold(home, "plan", plan=under, void=True)
    home.sql("UPDATE turns SET state = 'running' WHERE id = 1")
    home.sql("UPDATE work_items SET state = 'running' WHERE id = (SELECT work_item FROM turns WHERE id = 1)")
    home.sql("UPDATE calls SET state = 'started'")
    home.sql("UPDATE effects SET state = 'started' WHERE kind = 'run_tool'")


@proves("HOLD-60")
def test_a_covered_turn_that_still_runs_hears_nothing(tmp_path: Path) -> None:
    for level in (1, 8):
        home = house(tmp_path / str(level), level)
        plan, other = (home.opened(name, to=ROOM) for name in ("新品片", "海报"))
        home.say("@导演 做起来", to=ROOM, files=[plan])
        home.sql("UPDATE messages SET plan = ? WHERE id = (SELECT trigger_message FROM turns)", plan)
        expect_equal("HOLD-59", len(home.live("导演")), 1, "live turns before the hold")
        lives_on(home, under=plan)
        home.sql("UPDATE plans SET current_of = iif(id = ?, session, NULL)", other if level == 1 else None)
        home.say("@导演 排一张海报", to=ROOM, files=[other])
        live = [(turn["id"], turn["state"]) for turn in home.live("导演")]
        expect_equal("HOLD-60", live, [(1, "running"), (2, "running")], f"another opens beside it, level {level}")
        if level == 8:
            home.say("@文案 片头换成夜景", to=ROOM, files=[plan])
        home.run("导演")
        heard = home.context(1).partition("# New")[2]
        expect("HOLD-60", "夜景" not in heard and "海报" not in heard, f"it hears nothing: {heard!r}")


@proves("HOLD-60")
def test_what_runs_beside_a_covered_turn_is_redirected_beside_it(tmp_path: Path) -> None:
    home = house(tmp_path / "old", 1)
    plan, other = (home.opened(name, to=ROOM) for name in ("新品片", "海报"))
    home.say("@导演 做起来", to=ROOM, files=[plan])
    home.sql("UPDATE messages SET plan = ? WHERE id = (SELECT trigger_message FROM turns)", plan)
    lives_on(home, under=plan)
    home.sql("UPDATE plans SET current_of = iif(id = ?, session, NULL)", other)
    note = "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq) VALUES (1, 'note', 'app', '水印', 4, 1)"
    home.sql(note)
    for line in ("@导演 排一张海报", "@导演 海报改成竖版"):
        home.say(line, to=ROOM, files=[other])
    expect("HOLD-60", "水印" not in home.context(home.turn("导演")["id"]), "what waits for the covered one stays there")
    states = [turn["state"] for turn in home.turns("导演")]
    expect_equal("HOLD-60", states, ["running", "redirected", "running"], "turns after two lines outside the hold")
    home.say("@文案 写一句", to=ROOM, files=[other])
    home.hop("文案", text="@导演 海报用这句：北岸")
    states = [turn["state"] for turn in home.turns("导演")]
    expect_equal("HOLD-60", states, ["running", "redirected", "running", "running"], "turns after a colleague's line")
    home.run("导演")
    heard = home.context(1).partition("# New")[2]
    expect("HOLD-60", "海报" not in heard, f"the covered one hears nothing: {heard!r}")


@proves("HOLD-61")
def test_the_lines_of_a_held_bot_wake_nobody(tmp_path: Path) -> None:
    for void in (True, False):
        home = house(tmp_path / str(void))
        home.say("@文案 写一句", to=ROOM)
        home.hop("文案", text="酒香十里。")
        judging = [each for each in home.engine.open_effects() if each.kind == "judge"]
        expect_equal("JUDG-06", judging, [], "who judges what a Bot says")
        plan = home.opened("新品片", to=ROOM)
        hold(home, "plan", plan=plan, void=True)
        if not void:
            lift(home, 1)
        home.say("@导演 改一下片头", to=ROOM, files=[plan])
        expect_equal("MENT-01", len(home.turns("导演")), 1, "turns of whom the user mentions")
        home.hop("导演", text="@文案 片头的字谁改？")
        expect_equal("HOLD-61", len(home.turns("文案")), 2 - void, f"turns of whom it mentions, held: {void}")
        expect_equal("HOLD-61", suppressed(home)[-1:], [("文案", "bot line", [1])] if void else [], "on record")


@proves("HOLD-63")
def test_a_bot_under_a_kept_hold_does_not_judge(tmp_path: Path) -> None:
    for void in (True, False):
        home = house(tmp_path / str(void))
        hold(home, "bot", bot="导演", void=void)
        speak(home, "片头谁来改？", TALK, to=ROOM)
        judging = sorted(each.body["bot"] for each in home.engine.open_effects() if each.kind == "judge")
        wanted = [home.bot("文案")] if void else [home.bot("导演"), home.bot("文案")]
        expect_equal("HOLD-63", judging, wanted, f"who judges; the hold is kept: {void}")
        expect_equal("HOLD-63", suppressed(home), [("导演", "user line", [1])] if void else [], "on record")


@proves("HOLD-65")
def test_a_check_back_under_a_hold_comes_after_the_lift(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    looks_again(home, "导演", plan, "导演", 30)
    home.run("导演")
    home.hop("导演", text="好了。")
    hold(home, "bot", bot="导演")
    home.sql("UPDATE waits SET state = 'open'")  # As a version leaves it that knows no holds.
    home.later(60)
    expect_equal("HOLD-65", len(home.turns("导演")), 1, "turns once it is due under the hold")
    expect_equal("CHKB-04", suppressed(home), [("导演", "check-back", [1])], "what has rung and was kept back")
    state = home.value("SELECT state FROM waits")
    expect_equal("HOLD-65", state, "suspended", "how it stands then")
    lift(home, 1)
    expect_equal("HOLD-55", home.value("SELECT state FROM waits"), "open", "how it stands after the lift")
    wound = [each.subject for each in home.engine.open_effects() if each.kind == "timer"]
    expect("HOLD-55", any(each.startswith("check_back:") for each in wound), f"a time is waited for: {wound}")
    home.later(1)
    expect("CHKB-08", home.live("导演") != [], "who is at work where its check-back rings")
    expect_equal("HOLD-65", len(home.turns("导演")), 2, "turns after the lift")


@proves("HOLD-66", "HOLD-67")
def test_what_was_heard_and_not_read_is_judged_line_by_line(tmp_path: Path) -> None:
    home = house(tmp_path / "lines", 1)
    held = home.opened("新品片", to=ROOM)
    free = home.opened("海报", to=ROOM)
    opening = home.say("@导演 看看素材", to=ROOM)
    expect_equal("HOLD-59", len(home.live("导演")), 1, "live turns before the hold")
    expect_equal("WORK-13", home.turn("导演")["trigger_message"], opening, "what opened it")
    home.sql("UPDATE messages SET plan = NULL WHERE id = (SELECT trigger_message FROM turns)")
    heard = []
    for plan, text in ((held, "片头"), (free, "海报"), (free, "花絮"), (held, "片尾")):
        home.sql("UPDATE plans SET current_of = NULL")
        home.sql("UPDATE plans SET current_of = ? WHERE id = ?", home.session(ROOM), plan)
        home.say("@文案 问一下导演", to=ROOM)
        home.hop("文案", sends(f"@导演 {text}好了吗？"))
        home.hop("文案", text="问了。")
        heard.append(int(home.value("SELECT max(message) FROM inbox_items WHERE author = 'bot'")))
        home.sql("UPDATE messages SET plan = ? WHERE id = ?", plan, heard[-1])
    hold(home, "plan", plan=held)
    home.hop("导演", text="看完了。")
    lines = [record for record in suppressed(home) if record[0] == "导演"]
    expect_equal("HOLD-66", lines, [("导演", "bot line", [1])] * 2, "on record, one for each line about held work")
    now = home.turn("导演")
    expect_equal("HOLD-67", [now["trigger_message"], now["state"]], [heard[2], "running"], "what the next is opened on")
    text = home.context(now["id"]).partition("# New")[2]
    given = [word for word in ("片头", "海报", "花絮", "片尾") if f"{word}好了吗" in text]
    expect_equal("HOLD-67", given, ["海报", "花絮"], "what it is given")
    states = [home.value("SELECT state FROM inbox_items WHERE message = ?", line) for line in heard]
    expect_equal("HOLD-66", [states[0], states[3]], ["held", "held"], "how the held lines wait")
    lift(home, 1)
    home.hop("导演", text="好了。")
    expect_equal(
        "HOLD-66", [home.read_in(heard[at], "导演") != [] for at in (0, 3)], [True, True], "read after the lift"
    )


@proves("HOLD-66")
def test_of_several_check_backs_the_newest_rings_after_the_lift(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    expect_equal("HOLD-59", len(home.live("导演")), 1, "live turns before the hold")
    for _ in range(2):
        looks_again(home, "导演", plan, "导演", 1)
        home.later(2)
    rung = home.rows("SELECT id FROM inbox_items WHERE kind = 'check_back' AND state = 'queued' ORDER BY id")
    expect_equal("HOLD-66", len(rung), 2, "heard and not read")
    stop(home, "导演")
    kept = home.rows("SELECT id FROM inbox_items WHERE kind = 'check_back' AND state = 'held'")
    expect_equal("HOLD-66", kept, rung[1:], "which one waits")
    lift(home, 1)
    live = home.live("导演")
    expect_equal("HOLD-66", [turn["trigger_item"] for turn in live], [rung[1][0]], "what opens a turn after the lift")


@proves("HOLD-70")
def test_a_schedule_is_made_up_for_once(tmp_path: Path) -> None:
    home = house(tmp_path / "home")
    made = {"session": home.session("导演"), "bot": home.bot("导演"), "text": "日报", "every_ms": 60 * MINUTE}
    home.happens(events.ScheduleMade, **made, due=NINE + 60 * MINUTE)
    home.later(61)
    expect_equal("HOLD-59", len(home.turns("导演")), 1, "turns at the first due time")
    home.hop("导演", text="日报。")
    speak(home, "全都停下", STOP)
    home.later(180)
    expect_equal("HOLD-70", len(home.turns("导演")), 1, "turns while three due times pass")
    expect_equal("HOLD-70", suppressed(home), [("导演", "schedule", [1])], "on record")
    lift(home, 1)
    expect_equal("HOLD-70", len(home.turns("导演")), 2, "turns after the lift")
    ran = [json.loads(body)["due"] for (body,) in home.rows("SELECT body FROM work_events WHERE type = 'schedule.ran'")]
    expect_equal("HOLD-70", ran, [NINE + 60 * MINUTE, NINE + 240 * MINUTE], "the due times that count as run")
    home.hop("导演", text="日报。")
    home.later(60)
    expect_equal("HOLD-70", len(home.turns("导演")), 3, "turns at the next due time")


@proves("HOLD-72", "HOLD-73")
def test_nothing_with_side_effects_runs_in_a_covered_turn(tmp_path: Path) -> None:
    changing = [shell("make"), write("a.md"), sends("好"), events.Call("delete_file", {"path": "a"})]
    changing += [
        events.Call(name, {}) for name in ("ask_user", "work_on", "check_back", "create_direct", "mcp:video/make")
    ]
    changing += [
        events.Call(name, {}) for name in ("set_persona", "write_skill", "remember", "set_schedule", "add_endpoint")
    ]
    reading = [events.Call(name, {}) for name in ("read_file", "list_dir", "list_tickets", "read_skill")]
    reading += [events.Call("mcp+read:video/look", {})]
    home, plan = at_work(tmp_path / "held")
    hold(home, "plan", plan=plan, void=True)
    speak(home, "从头再做一遍", TALK, plan=plan)
    turn = home.turn("导演")["id"]
    before = home.value("SELECT count(*) FROM messages")
    home.hop("导演", *changing, *reading)
    came = {name: (state, result) for name, state, result in home.results(turn)}
    for call in changing:
        expect_equal("HOLD-72", came[call.name], ("refused", readonly.HELD), f"what comes of {call.name}")
    expect_equal("HOLD-72", home.value("SELECT count(*) FROM messages") - before, 0, "messages sent")
    for call in reading:
        expect_equal("HOLD-73", came[call.name][0], "ok", f"how {call.name} ends")
    expect_equal("HOLD-73", [each["tool"] for each in home.ran], [call.name for call in reading], "what ran")
    home.hop("导演", events.Call("end_turn", {"reason": "答了"}))
    expect_equal("HOLD-73", home.turn("导演")["state"], "completed", "how it ends by end_turn")


@proves("HOLD-74")
def test_what_waited_to_be_allowed_is_not_run_after_a_hold(tmp_path: Path) -> None:
    for is_held in (True, False):
        home = house(tmp_path / str(is_held))
        home.sql("UPDATE bots SET asks_first = '[\"shell\"]'")
        plan = home.opened("新品片", to="导演")
        home.say("做起来", to="导演", files=[plan])
        home.hop("导演", shell("publish"))
        if is_held:
            hold(home, "plan", plan=plan)
        came: object = "taken"
        try:
            home.happens(events.Approved, ask=1, allowed=True)
        except Exception as error:
            came = getattr(error, "code", repr(error))
        home.run("导演")
        expect_equal("HOLD-74", len(home.ran), int(not is_held), f"commands run, held: {is_held}")
        expect_equal("HOLD-74", came, "closed" if is_held else "taken", f"what the press comes to, held: {is_held}")
