"""Who receives a line that mentions nobody: whoever leads, else those who judge to step in; and what Bots hear."""

import sqlite3
from pathlib import Path

from evening import Evening, shell, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, lead

GROUP = ("导演", "文案", "审片员")
JOINS, LOOKS_ON = '{"join": true}', '{"join": false}'


def evening(folder: Path, level: int = 8) -> Evening:
    """Three Bots with direct chats and a group."""
    folder.mkdir(exist_ok=True)
    return Evening(folder, bots=GROUP, rooms={"剪辑组": GROUP}, level=level)


def received(home: Evening, message: int) -> dict[str, str]:
    """Who received a line, and why."""
    rows = home.rows(
        "SELECT b.name, r.why FROM message_receivers r JOIN bots b ON b.id = r.bot WHERE r.message = ?", message
    )
    return dict(rows)


def judging(home: Evening, message: int) -> list[str]:
    """The Bots that were asked to judge a line, once for each time."""
    rows = home.rows(
        "SELECT b.name FROM effects e JOIN bots b ON b.id = json_extract(e.body, '$.bot')"
        " WHERE e.kind = 'judge' AND e.subject LIKE ? ORDER BY e.id",
        f"judge:{message}:%",
    )
    return [name for (name,) in rows]


# -------------------------------------------------------------------- a lead receives, or the group judges


@proves("PART-02")
def test_a_line_that_mentions_nobody_goes_to_the_lead(tmp_path: Path) -> None:
    home = evening(tmp_path)
    mentioned = home.say("@文案 写三句", to="剪辑组")
    expect_equal("MENT-01", received(home, mentioned), {"文案": "mention"}, "who receives a mention")
    home.lead("审片员", "剪辑组")
    line = home.say("明早能交吗", to="剪辑组")
    expect_equal("PART-02", received(home, line), {"审片员": "group_lead"}, "who receives it with a confirmed lead")
    expect_equal("PART-02", len(home.turns("导演")), 0, "turns of a Bot that does not lead")


@proves("PART-03")
def test_a_line_is_judged_only_where_no_lead_receives_it(tmp_path: Path) -> None:
    home = evening(tmp_path)
    mentioned = home.say("@文案 写三句", to="剪辑组")
    expect_equal("MENT-01", received(home, mentioned), {"文案": "mention"}, "who receives a mention")
    line = home.say("今晚能交吗", to="剪辑组")
    expect_equal("PART-03", judging(home, line), list(GROUP), "who judges a line that no lead receives")
    home.judge(line, dict.fromkeys(GROUP, LOOKS_ON))
    home.lead("审片员", "剪辑组")
    second = home.say("明早呢", to="剪辑组")
    expect_equal("PART-03", judging(home, second), [], "who judges a line that a lead receives")


def _handed_on_by_one(folder: Path) -> Evening:
    """An evening on which one Bot has handed on much, and the user has confirmed nobody."""
    home = evening(folder)
    home.say("@导演 排一下", to="剪辑组")
    for text in ("@文案 写三句", "@审片员 看一眼"):
        home.hop("导演", events.Call("send_message", {"text": text}))
    home.hop("导演", text="排好了")
    return home


@proves("PART-05")
def test_nobody_leads_before_the_user_has_confirmed_it(tmp_path: Path) -> None:
    home = _handed_on_by_one(tmp_path)
    line = home.say("今晚能交吗", to="剪辑组")
    expect_equal("PART-05", judging(home, line), list(GROUP), "who judges a line where nobody was made lead")
    made = refused(home, "UPDATE session_participants SET is_lead = 1 WHERE bot = ?", home.bot("导演"))
    expect("PART-05", made, "a lead without the user's confirmation is refused by the store")


@proves("LEAD-08")
def test_no_statistics_and_no_bot_make_a_lead(tmp_path: Path) -> None:
    home = _handed_on_by_one(tmp_path)
    suggested = lead.suggested(home.db, home.session("剪辑组"), home.now)
    expect_equal("LEAD-07", suggested, (home.bot("导演"), 2), "who is suggested")
    expect_equal("LEAD-08", home.value("SELECT count(*) FROM session_participants WHERE is_lead = 1"), 0, "leads")
    made = refused(home, "UPDATE session_participants SET is_lead = 1 WHERE bot = ?", home.bot("导演"))
    expect("LEAD-08", made, "a lead without the user's confirmation is refused by the store")
    home.lead("审片员", "剪辑组")
    expect_equal("LEAD-08", [bot for (bot,) in logged(home)], [home.bot("审片员")], "confirmations in the work log")
    home.say("今晚能交吗", to="剪辑组")
    home.hop("审片员", events.Call("set_lead", {"bot": home.bot("导演")}), run=False)
    still = home.value("SELECT bot FROM session_participants WHERE is_lead = 1")
    expect_equal("LEAD-08", still, home.bot("审片员"), "the lead after a Bot has tried to set another")


@proves("LEAD-01")
def test_the_lead_of_the_plan_comes_before_the_groups(tmp_path: Path) -> None:
    home = evening(tmp_path)
    first, second = home.opened("甲片", to="剪辑组"), home.opened("乙片", to="剪辑组")
    home.lead("导演", "剪辑组")
    home.sql("UPDATE plans SET lead = ? WHERE id = ?", home.bot("文案"), first)
    of_plan = home.say("片尾再长一点", to="剪辑组", files=[first])
    expect_equal("LEAD-01", received(home, of_plan), {"文案": "plan_lead"}, "who receives a line on the plan it leads")
    other = home.say("字幕大一点", to="剪辑组", files=[second])
    expect_equal("LEAD-01", received(home, other), {"导演": "group_lead"}, "who receives one on a plan without a lead")
    both = home.say("两支都改成竖版", to="剪辑组", files=[first, second])
    expect_equal(
        "LEAD-01", received(home, both), {"文案": "plan_lead", "导演": "group_lead"}, "who receives one on both"
    )
    items = home.rows(
        "SELECT w.bot, w.plan FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.message = ? ORDER BY w.bot",
        both,
    )
    wanted = [(home.bot("导演"), second), (home.bot("文案"), first)]
    expect_equal("LEAD-01", items, wanted, "what each of them receives it for")
    # A stored lead that is not present passes it on; nobody is derived in its place.
    home.happens(events.BotRetired, bot=home.bot("文案"), state="archived")
    away = home.say("配乐换一首", to="剪辑组", files=[first])
    expect_equal(
        "LEAD-01", received(home, away), {"导演": "group_lead"}, "who receives it when the plan's lead is away"
    )


@proves("LEAD-01")
def test_without_a_lead_each_bot_judges_on_its_own_model_or_the_one_chosen(tmp_path: Path) -> None:
    home = evening(tmp_path)
    home.sql("UPDATE bots SET model = 'own-' || id")

    def models(message: int) -> list[str]:
        rows = home.rows(
            "SELECT json_extract(body, '$.model') FROM effects WHERE kind = 'judge' AND subject LIKE ? ORDER BY id",
            f"judge:{message}:%",
        )
        home.judge(message, dict.fromkeys(GROUP, LOOKS_ON))
        return [model for (model,) in rows]

    own = [f"own-{home.bot(name)}" for name in GROUP]
    expect_equal("LEAD-01", models(home.say("今晚能交吗", to="剪辑组")), own, "models that judge")
    home.happens(events.ModelChosen, step="judgement", model="quick")
    expect_equal("LEAD-01", models(home.say("明早呢", to="剪辑组")), ["quick"] * 3, "models that judge by choice")
    home.happens(events.ModelChosen, step="judgement", model=None)
    expect_equal("LEAD-01", models(home.say("后天呢", to="剪辑组")), own, "models that judge after that was taken back")


@proves("LEAD-02")
def test_a_mention_is_not_rerouted_and_whoever_works_on_the_plan_listens_in(tmp_path: Path) -> None:
    home = evening(tmp_path)
    plan = home.opened("新品片", to="剪辑组")
    home.lead("导演", "剪辑组")
    first = home.say("@文案 先写三句", to="剪辑组", files=[plan])
    expect_equal("LEAD-02", received(home, first), {"文案": "mention"}, "who receives a mention in a group with a lead")
    home.say("做一版", to="剪辑组", files=[plan])
    working = home.turn("导演")["id"]
    line = home.say("@文案 改一句", to="剪辑组", files=[plan])
    home.hop("导演", write("a.md"))
    expect_equal("LEAD-02", home.read_in(line, "导演"), [working], "the segment of a colleague that listens in")
    states = [turn["state"] for turn in home.turns("导演")]
    expect_equal("LEAD-02", states, ["running"], "segments of the one that listens in")
    all_ = home.say("@everyone 今晚交", to="剪辑组", files=[plan])
    expect_equal("LEAD-02", sorted(received(home, all_)), sorted(GROUP), "who receives a line to everyone")


@proves("LEAD-03")
def test_nobody_takes_over_for_a_lead_that_is_held(tmp_path: Path) -> None:
    home = evening(tmp_path)
    home.lead("导演", "剪辑组")
    home.sql("INSERT INTO holds (scope, bot, source, seq, at) VALUES ('bot', ?, 'user_button', 1, 1)", home.bot("导演"))
    line = home.say("换个片头", to="剪辑组", files="new")
    expect_equal("LEAD-03", judging(home, line), [], "who judges the line in place of the lead")
    expect_equal("LEAD-03", set(received(home, line)) - {"导演"}, set(), "who receives it in place of the lead")
    expect_equal("LEAD-03", len(home.turns("文案") + home.turns("审片员")), 0, "turns of the others")
    lifts = refused(home, "UPDATE holds SET lifted_by = 12345")
    expect("LEAD-03", lifts, "a hold that is lifted without an action of the user is refused by the store")


@proves("LEAD-04", "LEAD-05")
def test_by_default_nobody_works_under_a_ticket_of_another(tmp_path: Path) -> None:
    home = evening(tmp_path)
    plan = home.opened("海报", to="剪辑组", tickets=[("宣传语", "文案"), ("海报", "导演")])
    slogans, poster = (ticket for (ticket,) in home.rows("SELECT id FROM tickets ORDER BY id"))
    folders = [folder for (folder,) in home.rows("SELECT folder FROM tickets ORDER BY id")]
    home.lead("导演", "剪辑组")

    def started(line: int, bot: str) -> list[int | None]:
        """The tickets of the work that the line was given to; the Bot ends at once."""
        rows = home.rows(
            "SELECT w.ticket FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
            " WHERE i.message = ? AND w.bot = ? AND w.plan = ?",
            line,
            home.bot(bot),
            plan,
        )
        while home.hop(bot, text="好"):
            pass
        return [ticket for (ticket,) in rows]

    def wish(which: int, to: str = "剪辑组", whom: str = "") -> int:
        return home.say(f"{whom}宣传语改成英文的，海报改横版", to=to, attach=[f"{folders[which]}/a.md"])

    by_mention = started(wish(0, whom="@导演 "), "导演")
    expect_equal("LEAD-05", by_mention, [slogans], "the ticket, mentioned by the user")
    direct = started(wish(0, to="导演"), "导演")
    expect_equal("LEAD-05", direct, [slogans], "the ticket, said in its direct chat")
    own = started(wish(1), "导演")
    expect_equal("LEAD-04", own, [poster], "the lead's own ticket, by default")
    anothers = started(wish(0), "导演")
    expect_equal("LEAD-04", anothers, [None], "another's ticket, by default to the lead")
    home.sql("UPDATE session_participants SET is_lead = 0")
    judged = wish(0)
    home.judge(judged, {"导演": JOINS, "文案": LOOKS_ON, "审片员": LOOKS_ON})
    expect_equal("LEAD-04", started(judged, "导演"), [None], "another's ticket, by default to whoever steps in")
    home.lead("导演", "剪辑组")
    home.happens(events.BotRetired, bot=home.bot("文案"), state="archived")
    free = started(wish(0), "导演")
    expect_equal("LEAD-04", free, [slogans], "the ticket of a Bot that cannot work any more")


# -------------------------------------------------------------------- judgements


@proves("JUDG-01")
def test_each_bot_judges_a_line_once(tmp_path: Path) -> None:
    home = evening(tmp_path)
    line = home.say("片头太慢了", to="剪辑组")
    expect_equal("JUDG-01", judging(home, line), list(GROUP), "who judges")
    home.judge(line, {"导演": JOINS, "文案": LOOKS_ON})
    again = "INSERT INTO judgements (message, bot, effect) VALUES (?, ?, (SELECT max(id) FROM effects))"
    expect("JUDG-01", refused(home, again, line, home.bot("文案")), "a second judgement is refused by the store")


@proves("JUDG-02")
def test_a_judgement_is_no_turn(tmp_path: Path) -> None:
    home = evening(tmp_path)
    line = home.say("片头太慢了", to="剪辑组")
    home.judge(line, {"导演": JOINS, "文案": LOOKS_ON})
    expect_equal("JUDG-02", home.value("SELECT count(*) FROM turns"), 0, "turns before all have judged")
    home.judge(line, {"审片员": LOOKS_ON})
    expect_equal("JUDG-02", len(home.turns("文案") + home.turns("审片员")), 0, "turns of those who look on")
    later = home.say("片尾也是", to="剪辑组")
    home.judge(later, {"文案": JOINS, "导演": LOOKS_ON})
    home.happens(events.BotRetired, bot=home.bot("文案"), state="archived")
    home.judge(later, {"审片员": LOOKS_ON})
    expect_equal("JUDG-02", received(home, later), {}, "who receives it where the one to step in is gone")


def _judgements_that_fail(folder: Path, rule: str) -> Evening:
    """An evening on which judgements count first, and then cannot be read."""
    home = evening(folder)
    ignored = home.say("片头太慢了", to="剪辑组")
    home.judge(ignored, dict.fromkeys(GROUP, LOOKS_ON))
    expect_equal("JUDG-02", received(home, ignored), {}, "who receives a line that all look on at")
    line = home.say("片头剪短两秒", to="剪辑组")
    home.judge(line, {"导演": JOINS, "文案": LOOKS_ON, "审片员": LOOKS_ON})
    expect_equal(rule, received(home, line), {"导演": "judged"}, "who receives a line that one steps in for")
    home.hop("导演", text="我来剪短")
    failing = home.say("再短两秒", to="剪辑组")
    home.judge(failing, {"导演": None, "文案": '{"join": "要我参加吗？"}', "审片员": "请问要剪哪一段？"})
    expect_equal(rule, received(home, failing), {}, "who receives a line that nobody could judge")
    return home


@proves("JUDG-04")
def test_a_judgement_that_fails_is_no_stepping_in(tmp_path: Path) -> None:
    home = _judgements_that_fail(tmp_path, "JUDG-04")
    expect_equal("JUDG-04", home.said("bot"), ["我来剪短"], "what is said on account of judgements that failed")
    expect_equal("JUDG-04", home.value("SELECT count(*) FROM turns"), 1, "turns")


@proves("JUDG-03")
def test_nothing_is_asked_while_judging(tmp_path: Path) -> None:
    home = _judgements_that_fail(tmp_path, "JUDG-03")
    expect_equal("JUDG-03", home.value("SELECT count(*) FROM asks"), 0, "questions to the user")
    expect_equal("JUDG-03", home.said("bot") + home.said(), ["我来剪短"], "what the user is shown")


@proves("JUDG-01")
def test_a_crash_in_between_makes_no_second_judgement(tmp_path: Path) -> None:
    home = evening(tmp_path)
    line = home.say("片头太慢了", to="剪辑组")
    home.judge(line, {"导演": JOINS})
    home.crash()
    asked = sorted(set(judging(home, line)[3:]))
    expect_equal("JUDG-01", asked, sorted(["文案", "审片员"]), "who is asked again: those whose answer was lost")
    home.judge(line, {"文案": LOOKS_ON, "审片员": LOOKS_ON})
    expect_equal("JUDG-01", home.value("SELECT count(*) FROM judgements"), 3, "judgements")
    expect_equal("JUDG-01", received(home, line), {"导演": "judged"}, "who receives it")


@proves("JUDG-06")
def test_what_a_bot_says_is_judged_by_nobody(tmp_path: Path) -> None:
    home = evening(tmp_path)
    home.say("@导演 排一下", to="剪辑组")
    notice = said(home, "导演", "排了一版，大家看看")
    expect_equal("JUDG-06", (judging(home, notice), received(home, notice)), ([], {}), "who judges or hears it")
    home.hop("导演", text="就这样")
    line = home.say("谁看一眼", to="剪辑组")
    expect_equal("JUDG-06", judging(home, line), list(GROUP), "who judges the same from the user")


@proves("HAND-02")
def test_who_wakes_and_who_waits_follows_from_the_form(tmp_path: Path) -> None:
    home = evening(tmp_path)
    home.say("@导演 排一下", to="剪辑组")
    notice = said(home, "导演", "排了一版，大家看看")
    expect_equal("HAND-02", (judging(home, notice), received(home, notice)), ([], {}), "who hears a notice")
    mention = said(home, "导演", "@文案 写三句")
    expect("HOLD-61", received(home, mention), "one whose work is not held wakes somebody")
    expect_equal("HAND-02", received(home, mention), {"文案": "mention"}, "who is woken by a mention")
    home.hop("导演", events.Call("create_direct", {"to": "审片员"}))
    direct = said(home, "导演", "看一眼片头", session="导演 ↔ 审片员")
    expect_equal("HAND-02", received(home, direct), {"审片员": "direct"}, "who is woken by a line in a chat of its own")
    expect_equal("HAND-02", home.turn("导演")["state"], "running", "the one who has said all that")
    expect_equal("HAND-02", home.value("SELECT count(*) FROM waits"), 0, "what it waits for")


# -------------------------------------------------------------------- chats between Bots, and handing on


@proves("MENT-18", "MENT-20")
def test_in_a_chat_that_a_bot_opened_each_line_wakes_the_other(tmp_path: Path) -> None:
    for level in (0, 2, 3, 8):
        home = evening(tmp_path / str(level), level)
        home.say("@导演 和文案对一下", to="剪辑组")
        home.hop("导演", events.Call("create_direct", {"to": "文案"}))
        first = said(home, "导演", "第二句太长", session="导演 ↔ 文案")
        woken = len(home.turns("文案"))
        for rule in ("MENT-20", "MENT-18"):
            expect_equal(rule, (received(home, first), woken), ({"文案": "direct"}, 1), f"woken at level {level}")
        states = [turn["state"] for turn in home.turns("导演")]
        wanted = ["completed"] if level <= 2 else ["running"]
        expect_equal("MENT-18", states, wanted, f"the segment that said a line there, at level {level}")
        while home.hop("导演", text="等文案"):
            pass
        home.hop("文案", text="改成六个字了")
        back = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
        expect_equal("MENT-20", received(home, back), {"导演": "direct"}, f"woken by the answer at level {level}")
        home.hop("导演", text="就这样定")
        expect_equal("MENT-20", len(home.turns("文案")), 2, f"turns of the other after every line, at level {level}")


@proves("MENT-20")
def test_a_chat_is_opened_with_one_other_bot_once(tmp_path: Path) -> None:
    home = evening(tmp_path)
    home.happens(events.BotRetired, bot=home.bot("审片员"), state="archived")
    home.say("@导演 和文案对一下", to="剪辑组")
    tries = ["文案", home.bot("文案"), "导演", "审片员", "文", None]
    home.hop("导演", *[events.Call("create_direct", {"to": to}) for to in tries])
    states = [state for _, state, _ in home.results(home.turn("导演")["id"])]
    expect_equal("MENT-20", states, ["ok", "ok"] + ["refused"] * 4, f"chats opened with {tries}")
    chats = home.rows("SELECT title, opened_by, source FROM sessions WHERE kind = 'bots'")
    wanted = [("导演 ↔ 文案", home.bot("导演"), home.session("剪辑组"))]
    expect_equal("MENT-20", chats, wanted, "chats between Bots")


@proves("HAND-01", "HAND-05")
def test_a_handoff_without_a_delegation_asks_for_nothing(tmp_path: Path) -> None:
    home = evening(tmp_path)
    plan = home.opened("新品片", to="剪辑组")
    home.say("@导演 和文案对一下", to="剪辑组", files=[plan])
    home.hop("导演", shell("render a"))
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    said(home, "导演", "我这边做完了，请看一下", session="导演 ↔ 文案")
    said(home, "导演", "@审片员 我这边做完了，请看一下")
    expect_equal("HAND-01", home.value("SELECT count(*) FROM delegations"), 0, "delegations after two handoffs")
    for bot in ("文案", "审片员"):
        kinds = home.rows(
            "SELECT i.kind FROM inbox_items i JOIN work_items w ON w.id = i.work_item WHERE w.bot = ?", home.bot(bot)
        )
        expect_equal("HAND-05", kinds, [("line",)], f"what {bot} has got")
        home.hop(bot, events.Call("end_turn", {"reason": "nothing_new"}))
        ended = (home.turn(bot)["state"], home.turn(bot)["end_reason"])
        expect_equal("HAND-05", ended, ("completed", "nothing_new"), f"how {bot} may end")
        states = home.rows("SELECT state FROM work_items WHERE bot = ? AND plan = ?", home.bot(bot), plan)
        expect_equal("HAND-05", states, [("idle",)], f"what {bot} owes")
    items = home.rows("SELECT id FROM work_items WHERE plan = ? ORDER BY id", plan)
    asks = (
        "INSERT INTO delegations (from_item, to_item, turn, session, ask, expects, at)"
        " VALUES (?, ?, ?, ?, '看', 'answer', 1)"
    )
    turn = home.turn("导演")["id"]
    by_itself = refused(home, asks, items[0][0], items[1][0], turn, home.session("剪辑组"))
    expect("HAND-01", by_itself, "a delegation that no call asked for is refused by the store")
    request = (
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq) VALUES (?, 'request', 'bot', '看', 3, 1)"
    )
    expect("HAND-05", refused(home, request, items[1][0]), "a request without a delegation is refused by the store")


def said(home: Evening, bot: str, text: str, session: str = "剪辑组") -> int:
    """A Bot's message in its turn, which goes on."""
    home.hop(bot, events.Call("send_message", {"text": text, "session": home.session(session)}))
    return int(home.value("SELECT max(id) FROM messages WHERE author = 'bot'"))


def logged(home: Evening) -> list[tuple[int]]:
    """Which Bots the work log says were confirmed as lead."""
    return home.rows("SELECT bot FROM work_events WHERE type = 'group_lead.confirmed' ORDER BY id")


def refused(home: Evening, sql: str, *values: object) -> bool:
    """Whether the store refuses what somebody else writes to it."""
    other = sqlite3.connect(home.path)
    try:
        other.execute("PRAGMA foreign_keys = ON")
        other.execute(sql, values)
    except sqlite3.IntegrityError:
        return True
    finally:
        other.rollback()
        other.close()
    return False
