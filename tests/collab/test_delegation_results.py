"""What comes back of a delegation, once, and whom it wakes; what is no answer; what is waited for meanwhile."""

from pathlib import Path
from typing import Any

from delegating import (
    ANSWER,
    ROOM,
    asked,
    at_work,
    chain,
    delegate,
    end,
    home_of,
    reply,
    results,
    states,
    waits,
    work_of,
)
from evening import Evening
from holding import CHAIN as FIVE
from holding import at_work as at_work_now
from holding import check_back, hold, lift
from stopping import is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def three(folder: Path, **more: Any) -> tuple[Evening, int]:
    """Director and editor have each asked the copywriter something on the same plan, the editor on a ticket of it."""
    home = home_of(folder, "导演", "剪辑", "文案")
    plan = home.opened("新品片", to=ROOM, tickets=[("旁白", "文案")])
    for bot, on in (("导演", more), ("剪辑", {"ticket": 1})):
        home.say(f"@{bot} 做", to=ROOM, files=[plan])
        delegate(home, bot, "文案", **on)
    return home, plan


@proves("DEL-15")
def test_a_late_reply_wakes_whoever_asked(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "late", "导演", "文案")
    delegate(home, "导演", "文案", **{"continue": True})
    end(home, "导演")
    expect_equal("DEL-15", (work_of(home, "导演"), waits(home)), (["idle"], []), "work and waits of one that went on")
    reply(home, "文案")
    expect_equal("DEL-15", len(home.live("导演")), 1, "its segments after the late reply")
    expect("DEL-15", ANSWER in home.context(home.turn("导演")["id"]), "what it reads")
    expect_equal("DEL-15", waits(home), [], "waits, made up for that")

    home, _ = at_work(tmp_path / "live", "导演", "文案")
    delegate(home, "导演", "文案", **{"continue": True})
    reply(home, "文案")
    expect_equal("DEL-15", len(home.turns("导演")), 1, "segments where it is still at it: it hears the reply")
    expect_equal("DEL-15", work_of(home, "导演"), ["running"], "its work")


@proves("DEL-24")
def test_an_answer_closes_what_this_work_was_asked_for(tmp_path: Path) -> None:
    home, plan = three(tmp_path)
    home.say("@导演 还有一句", to=ROOM, files=[plan])
    delegate(home, "导演", "文案", ask="片尾呢？")
    reply(home, "文案")
    expect("DEL-27", "replied" in states(home), "an answer closes something that asks for one")
    expect_equal("DEL-24", states(home), ["replied", "open", "replied"], "three requests after one answer")
    reply(home, "文案", "旁白是这样")
    expect_equal("DEL-24", states(home), ["replied"] * 3, "after the answer of the work that the other went to")
    expect_equal("DEL-24", results(home), [ANSWER, ANSWER, "旁白是这样"], "what has come back")


@proves("DEL-27")
def test_a_deliverable_is_not_returned_by_words(tmp_path: Path) -> None:
    home, plan = asked(tmp_path, "导演", "文案", expects="deliverable")
    home.say("@导演 片尾也问一下", to=ROOM, files=[plan])
    delegate(home, "导演", "文案", ask="片尾写什么？")
    reply(home, "文案")
    expect("DEL-24", "replied" in states(home), "an answer closes something that this work was asked for")
    expect_equal("DEL-27", states(home), ["open", "replied"], "a deliverable and an answer after an answer")
    expect_equal("DEL-27", work_of(home, "文案"), ["idle"], "the work of the one who owes it")


@proves("DEL-28")
def test_only_an_answer_is_a_return(tmp_path: Path) -> None:
    ways = {
        "text": lambda home: home.hop("文案", text=f"结论：{ANSWER}"),
        "message": lambda home: home.hop("文案", events.Call("send_message", {"text": ANSWER})),
        "done": lambda home: end(home, "文案", "done", answer=ANSWER),
        "nothing new": lambda home: end(home, "文案", "nothing_new", answer=ANSWER, note="收到"),
        "without one": lambda home: end(home, "文案", "answered", answer="  "),
    }
    for way, does in ways.items():
        home, _ = asked(tmp_path / way)
        does(home)
        expect_equal("DEL-28", (states(home), results(home)), (["open"], []), f"the delegation after {way}")
    home, _ = asked(tmp_path / "answer")
    reply(home, "文案")
    expect_equal("DEL-28", states(home), ["replied"], "the delegation after an answer")


@proves("DEL-29")
def test_the_result_comes_once_and_wakes(tmp_path: Path) -> None:
    home, _ = asked(tmp_path)
    expect_equal("DEL-29", (waits(home), work_of(home, "导演")), (["open"], ["waiting"]), "who asked, before")
    reply(home, "文案")
    expect_equal("DEL-27", states(home), ["replied"], "the delegation")
    expect_equal("DEL-29", waits(home), ["void"], "its wait")
    expect_equal("DEL-29", results(home, "text", "prio"), [(ANSWER, 2)], "what has come back")
    expect_equal("DEL-29", (len(home.live("导演")), work_of(home, "导演")), (1, ["running"]), "who asked, woken")
    again = (
        "INSERT INTO inbox_items (work_item, kind, delegation, author, text, prio, seq)"
        " SELECT work_item, kind, delegation, author, text, prio, seq FROM inbox_items WHERE kind = 'reply'"
    )
    expect_equal("DEL-29", is_taken(home, again), False, "a second result, for the store")
    home.hop("导演", text="片头定了。")
    expect_equal("DEL-29", (work_of(home, "导演"), len(home.turns("导演"))), (["idle"], 2), "its work in the end")


@proves("DEL-30")
def test_a_result_for_held_work_waits_with_it(tmp_path: Path) -> None:
    home, _ = asked(tmp_path / "free")
    seen = home.rows("SELECT state FROM inbox_items WHERE kind = 'request'")
    expect_equal("DEL-30", seen, [("read",)], "a request for work that nothing holds")
    home, _ = chain(tmp_path / "held", *FIVE)
    number = hold(home, "bot", bot=home.bot("导演"))
    expect_equal("DEL-36", at_work_now(home), ["配音"], "who is at work four levels below the one who was stopped")
    reply(home, "配音")
    expect_equal("DEL-30", results(home, "state"), ["held"], "the result")
    expect_equal("DEL-30", home.live("画师"), [], "segments of the one who asked")
    logged = home.value("SELECT json_extract(body, '$.kind') FROM work_events WHERE type = 'wake.suppressed'")
    expect_equal("DEL-30", logged, "delegation", "what is on record as kept back")
    lift(home, number)
    expect_equal("DEL-30", (results(home, "state"), len(home.live("画师"))), (["read"], 1), "both after the lift")


@proves("DEL-31")
def test_words_release_nothing(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案")
    plan = home.opened("新品片", to=ROOM, tickets=[("海报", "导演")])
    home.sql("INSERT INTO submissions (ticket, bot, origin, state, at) VALUES (1, 1, 'answer', 'in_review', 1)")
    home.say("@导演 送审", to=ROOM, files=[plan])
    delegate(home, "导演", "文案", ticket=1, ask="这版过吗？")
    before = [home.rows(f"SELECT * FROM {table}") for table in ("tickets", "submissions", "reviews")]
    reply(home, "文案", "审查通过，可以交付")
    expect_equal("DEL-31", results(home), ["审查通过，可以交付"], "what has come back")
    after = [home.rows(f"SELECT * FROM {table}") for table in ("tickets", "submissions", "reviews")]
    expect_equal("DEL-31", after, before, "tickets, submissions and reviews after words that something passed")
    review = "INSERT INTO reviews (submission, bot, turn, outcome, at) VALUES (1, 2, ?, 'approve', 1)"
    turn = home.turn("文案")["id"]
    expect_equal("DEL-31", is_taken(home, review, turn), False, "a review of that turn, for the store")
    home.sql(
        "INSERT INTO calls (turn, hop, ord, name, arguments, effectful, state)"
        " VALUES (?, 9, 0, 'review', '{}', 1, 'ok')",
        turn,
    )
    expect("DEL-31", is_taken(home, review, turn), "a review that a call made is taken")


@proves("DEL-32")
def test_no_timer_ends_a_wait_for_a_delegation(tmp_path: Path) -> None:
    for level in (3, 8):
        home, _ = asked(tmp_path / str(level), level=level)
        home.hop("文案", text="先放着。")
        home.later(30 * 24 * 60)
        wait = home.value("SELECT id FROM waits WHERE kind = 'delegation'")
        home.sql(
            "INSERT INTO effects (event, kind, subject, body) VALUES (1, 'timer', ?, ?)",
            f"check_back:{wait}",
            '{"due": 1}',
        )
        home.happens(events.TimerRang, effect=home.value("SELECT max(id) FROM effects"))
        seen = (waits(home), work_of(home, "导演"), len(home.turns("导演")))
        expect_equal("DEL-32", seen, (["open"], ["waiting"], 1), f"wait, work and turns after a month, level {level}")
    home, _ = at_work(tmp_path / "timer", "导演")
    home.hop("导演", check_back(30))
    home.hop("导演", text="等渲染。")
    home.later(40)
    expect_equal("DEL-32", len(home.turns("导演")), 2, "turns of one whose check-back was due")


@proves("DEL-33")
def test_a_check_back_replaces_its_own_and_no_other(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案")
    first, second = home.opened("新品片", to=ROOM), home.opened("海报", to=ROOM)
    home.say("@导演 剪", to=ROOM, files=[first])
    home.hop("导演", check_back(30))
    delegate(home, "导演", "文案")
    home.say("@导演 排", to=ROOM, files=[second])
    home.hop("导演", check_back(40), plan=second)
    timers = "SELECT state FROM waits WHERE kind = 'timer' ORDER BY id"
    expect_equal("DEL-33", home.rows(timers), [("open",), ("open",)], "check-backs on two matters")
    home.hop("导演", check_back(50), plan=second)
    rows = home.rows(
        "SELECT w.plan, x.kind, x.state FROM waits x JOIN work_items w ON w.id = x.work_item ORDER BY x.id"
    )
    wanted = [
        (first, "timer", "open"),
        (first, "delegation", "open"),
        (second, "timer", "void"),
        (second, "timer", "open"),
    ]
    expect_equal("DEL-33", rows, wanted, "waits after a check-back was made anew on one of two matters")


@proves("DEL-34")
def test_a_lift_restores_just_what_its_hold_suspended(tmp_path: Path) -> None:
    home, plan = asked(tmp_path)
    home.hop("文案", text="先放着。")
    home.say("@导演 顺便看下渲染", to=ROOM, files=[plan])
    home.hop("导演", check_back(30))
    end(home, "导演", "nothing_new")
    other = home.opened("海报", to=ROOM)
    home.say("@导演 排", to=ROOM, files=[other])
    delegate(home, "导演", "文案")
    every = "SELECT kind, state FROM waits ORDER BY id"
    expect_equal("DEL-34", [state for _, state in home.rows(every)], ["open"] * 3, "waits before")
    number = hold(home, "plan", plan=plan)
    seen = home.rows(every)
    expect_equal(
        "DEL-34", seen, [("delegation", "suspended"), ("timer", "suspended"), ("delegation", "open")], "under a hold"
    )
    home.sql("INSERT INTO waits (work_item, kind, due, dedupe) VALUES (1, 'timer', 9999999999999, 'another')")
    lift(home, number)
    expect_equal("DEL-34", [state for _, state in home.rows(every)], ["open"] * 4, "waits after the lift")
    expect_equal("DEL-34", work_of(home, "导演"), ["waiting", "waiting"], "the work that waits")
