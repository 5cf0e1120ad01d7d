"""What is owed at the end of a segment: it is sent back for that once, and then ends; again and again, and it rests."""

import json
from collections.abc import Callable
from pathlib import Path

from ending import (
    GAVE_IN,
    PAGE,
    ROOM,
    RUNNING,
    ask,
    at_work,
    codes,
    end_turn,
    ended,
    gives_up_at_the_desk,
    hops,
    look,
    minds_no_strange_ids,
    notified,
    send,
    tell,
    told,
    work_of,
)
from evening import Evening
from stopping import folder_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

NOTHING_NEW = ("completed", "nothing_new")
CHECK_BACK = events.Call("check_back", {"after_minutes": 30, "note": "看看渲染"})
WORDS: dict[str, Callable[[Evening], None]] = {
    "words": lambda home: hops(home, "导演", text="都好了。"),
    "done": lambda home: hops(home, "导演", end_turn(reason="done")),
}
"""The two ways to end that say nothing of what is owed."""


def asked(folder: Path, *, level: int = 8, expects: tuple[str, ...] = ("answer",)) -> Evening:
    """A director that has read what a copywriter on the same plan has asked it for; no line of the user is open."""
    home, plan = at_work(folder, level=level)
    hops(home, "导演", text="好。")
    home.say("@文案 写文案", to=ROOM, files=[plan])
    for number, each in enumerate(expects):
        ask(home, f"第{number + 1}个问题？", expects=each)
    hops(home, "导演", look())
    return home


def delegations(home: Evening) -> list[str]:
    """How the delegations stand, in order."""
    return [state for (state,) in home.rows("SELECT state FROM delegations ORDER BY id")]


@proves("END-12")
def test_what_is_owed_sends_an_ending_back_once(tmp_path: Path) -> None:
    minds_no_strange_ids(tmp_path / "strange")
    owing, _ = at_work(tmp_path / "owing", owes=True)
    hops(owing, "导演", text="看过了。")
    expect_equal("END-11", codes(owing), ["open_duties"], "words where a ticket is owed")
    for level in (3, 4, 5, 8):
        for how, ends in WORDS.items():
            home, _ = at_work(folder_of(tmp_path, f"{level}{how}"), level=level, owes=True)
            ends(home)
            expect_equal("END-12", (ended(home), codes(home)), (RUNNING, ["open_duties"]), f"{how} with a ticket owed")
            ends(home)
            expect_equal("END-12", (ended(home), codes(home)), (NOTHING_NEW, ["open_duties"]), f"{how} a second time")
            count = home.value("SELECT count(*) FROM submissions")
            expect_equal("END-12", count, 0, "what was handed in by words")
            free, _ = at_work(folder_of(tmp_path, f"free{level}{how}"), level=level)
            ends(free)
            expect_equal("END-12", codes(free), [], f"{how} with nothing owed")
            waits, _ = at_work(folder_of(tmp_path, f"waits{level}{how}"), level=level, owes=True)
            hops(waits, "导演", CHECK_BACK)
            ends(waits)
            expect_equal("END-12", codes(waits), [], f"{how} with a ticket owed and a check-back set")
    for reason in ("answered", "nothing_new"):
        home, _ = at_work(folder_of(tmp_path, reason), owes=True)
        hops(home, "导演", end_turn(reason=reason))
        expect_equal("END-12", (ended(home), codes(home)), (("completed", reason), []), f"{reason} with a ticket owed")
    home = asked(tmp_path / "asked")
    hops(home, "导演", text="都好了。")
    expect_equal("END-12", codes(home), ["open_duties"], "words with a request not answered")


@proves("END-12")
def test_which_tickets_are_owed_changes_with_the_level(tmp_path: Path) -> None:
    owed = {
        4: {"todo": True, "in progress": True, "to accept": True, "done": False, "parked": False},
        5: {"todo": True, "in progress": True, "rework": True, "submitted": False, "in_review": False},
    }
    for level, states in owed.items():
        for state, counts in states.items():
            home, _ = at_work(folder_of(tmp_path, f"{level}{state}"), level=level, owes=True)
            home.stands(1, state)
            hops(home, "导演", text="都好了。")
            wanted = ["open_duties"] if counts else []
            expect_equal("END-12", codes(home), wanted, f"a ticket that is {state} at level {level}")
    home, _ = at_work(tmp_path / "others")
    home.sql(
        "INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (1, 1, '海报', 'a', ?, 1)",
        home.bot("文案"),
    )
    hops(home, "导演", text="都好了。")
    expect_equal("END-12", codes(home), [], "a ticket of another Bot")


@proves("END-13")
def test_the_bounce_says_how_to_return_what_was_asked_for(tmp_path: Path) -> None:
    home = asked(tmp_path, expects=("answer", "review"))
    hops(home, "导演", text="都好了。")
    said = told(home)
    expect("END-13", "Delegation 1 of 文案 is returned by end_turn(answered, answer=…)." in said, said)
    expect("END-13", "Delegation 2 of 文案 is returned by review" in said, said)
    free, _ = at_work(tmp_path / "free", owes=True)
    hops(free, "导演", text="都好了。")
    expect("END-13", "is returned by" not in told(free), told(free))


@proves("END-09")
def test_three_places_say_how_to_wait_for_another_bot(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path, owes=True)
    body = home.value("SELECT body FROM effects WHERE kind = 'hop'")
    given = json.loads(body)["guidance"]
    hops(home, "导演", text="都好了。")
    for place, text in {**given, "bounce": told(home)}.items():
        for word in ("delegate", "nothing_new", "user alone"):
            expect("END-09", word in text, f"{place} says “{word}”: {text}")
    expect_equal("END-09", sorted(given), ["end_turn", "system"], "where a Bot is told before it ends")


@proves("END-17")
def test_who_asked_is_not_answered_by_a_message(tmp_path: Path) -> None:
    free, _ = at_work(tmp_path / "owes nothing")
    hops(free, "导演", text="好。")
    expect_equal("END-12", codes(free), [], "words where nothing is owed")
    for kind in ("answer", "review"):
        home = asked(folder_of(tmp_path, kind), expects=(kind,))
        hops(home, "导演", send("结论是用红色"))
        hops(home, "导演", end_turn(reason="answered"))
        seen = (ended(home), codes(home), delegations(home))
        expect_equal("END-17", seen, (RUNNING, ["unanswered_request"], ["open"]), f"{kind}: answered without an answer")
        if kind == "answer":
            hops(home, "导演", end_turn(reason="answered", answer="用红色"))
            seen = (ended(home), codes(home), delegations(home))
            wanted = (("completed", "answered"), ["unanswered_request"], ["replied"])
            expect_equal("END-17", seen, wanted, "with an answer")
    for reason, needs in (("nothing_new", {}), ("gave_up", {"note": "不会"})):
        home = asked(folder_of(tmp_path, reason))
        hops(home, "导演", end_turn(reason=reason, **needs))
        expect_equal("END-17", (ended(home)[1], codes(home)), (reason, []), f"a request read, and {reason}")
    home = asked(tmp_path / "deliverable", expects=("deliverable",))
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-17", codes(home), [], "a request that words cannot return")
    home, _ = at_work(tmp_path / "free")
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-17", codes(home), [], "no request read")


@proves("END-18")
def test_a_request_is_never_left_for_nobody_to_close(tmp_path: Path) -> None:
    gives_up_at_the_desk(tmp_path / "desk")
    home = asked(tmp_path / "asked")
    for tries in (1, 2):
        hops(home, "导演", end_turn(reason="answered"))
        expect_equal("END-18", (ended(home), len(codes(home))), (RUNNING, tries), f"try {tries}")
        for word in ("delegation 1", "文案", "第1个问题？", "`answer`"):
            expect("END-18", word in told(home), f"the bounce names {word}: {told(home)}")
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-18", (ended(home), work_of(home)), (GAVE_IN, "needs_attention"), "the third try")
    expect_equal("END-18", delegations(home), ["open"], "the delegation")


@proves("END-36")
def test_what_really_waits_goes_on_waiting(tmp_path: Path) -> None:
    for level in (3, 4, 8):
        home, _ = at_work(folder_of(tmp_path, level), level=level)
        hops(home, "导演", CHECK_BACK)
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect("WORK-14", work_of(home) not in ("queued", "closed"), "work with nothing to read, and not done")
        expect_equal("END-36", work_of(home), "waiting", f"work with a check-back at level {level}")
        home, _ = at_work(folder_of(tmp_path, f"{level}asks"), level=level)
        hops(home, "导演", events.Call("delegate", {"to": "文案", "ask": "片头写什么？", "expects": "answer"}))
        expect_equal("END-36", work_of(home), "waiting", f"work that has asked another at level {level}")
        home, _ = at_work(folder_of(tmp_path, f"{level}free"), level=level)
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect_equal("END-36", work_of(home), "idle", f"work that waits for nothing at level {level}")


@proves("END-37")
def test_what_is_done_is_closed(tmp_path: Path) -> None:
    home = Evening(folder_of(tmp_path, "approved"), bots=["导演"], rooms={ROOM: ["导演"]})
    plan = home.opened("新品片", to=ROOM, tickets=[("海报", "导演")])
    home.stands(1, "approved")
    home.say("@导演 好了吗", to=ROOM, files=[(plan, 1)])
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("WORK-14", work_of(home), "closed", "work on a ticket that is approved")
    for level, left in ((3, "closed"), (4, "closed"), (5, "idle"), (8, "idle")):
        for reason in ("done", "answered", "nothing_new"):
            home = Evening(folder_of(tmp_path, f"{level}{reason}"), bots=["导演"], rooms={ROOM: ["导演"]}, level=level)
            plan = home.opened("新品片", to=ROOM, tickets=[("海报", "导演")])
            home.stands(1, "done" if level < 5 else "in_review")
            home.say("@导演 好了吗", to=ROOM, files=[(plan, 1)])
            hops(home, "导演", end_turn(reason=reason))
            expect_equal("END-37", work_of(home), left, f"{reason} on a ticket that is handed in, at level {level}")
        home, _ = at_work(folder_of(tmp_path, f"plan{level}"), level=level)
        hops(home, "导演", end_turn(reason="answered"))
        expect_equal("END-37", work_of(home), "idle", f"work on a whole plan at level {level}")
        home = Evening(folder_of(tmp_path, f"owes{level}"), bots=["导演"], rooms={ROOM: ["导演"]}, level=level)
        plan = home.opened("新品片", to=ROOM, tickets=[("海报", "导演")])
        home.say("@导演 做海报", to=ROOM, files=[(plan, 1)])
        hops(home, "导演", end_turn(reason="answered"))
        expect_equal("END-37", work_of(home), "idle", f"a ticket that is owed at level {level}")
        home = Evening(folder_of(tmp_path, f"desk{level}"), bots=["导演"], level=level)
        home.say("在吗", to="导演", files="spot")
        hops(home, "导演", text="在。")
        expect_equal("END-37", work_of(home), "closed", f"a desk that has answered, at level {level}")


def rounds(home: Evening, plan: int, count: int, *, to: str, begins: int = 0) -> list[str]:
    """The user asks again and again, and the director answers by words; how its work stands after each."""
    seen = []
    for number in range(count):
        if begins or number:
            tell(home, plan, f"第{begins + number}次：怎么样了", to=to)
        for _ in range(2):
            if home.live("导演"):
                hops(home, "导演", text="还没有。")
        seen.append(work_of(home))
    return seen


@proves("END-14")
def test_work_that_comes_to_nothing_twice_rests_and_the_user_is_told(tmp_path: Path) -> None:
    expect_equal("END-15", idle_after(tmp_path / "moved", moved=True), 0, "idle endings after progress")
    for language, to, names in (("zh", ROOM, True), ("en", ROOM, True), ("zh", "导演", False), ("en", "导演", False)):
        home, plan = at_work(folder_of(tmp_path, f"{language}{to}"), to=to, owes=True)
        home.sql("UPDATE meta SET language = ?", language)
        expect_equal("END-14", rounds(home, plan, 2, to=to), ["idle", "blocked"], "its work after one and two endings")
        lines = [said for said in home.said() if "新品片" in said]
        expect_equal("END-14", len(lines), 1, f"lines that name the matter: {home.said()}")
        expect("END-14", "导演" in lines[0] and ("没有进展" in lines[0]) == (language == "zh"), lines[0])
        expect_equal("END-14", "@导演" in lines[0], names, f"whether “{lines[0]}” says to mention it")
        expect_equal("END-14", notified(home), [("no_progress", lines[0])], "notifications")
        expect_equal("END-14", rounds(home, plan, 1, to=to, begins=2), ["idle"], "its work after the user's next word")
    home, plan = at_work(tmp_path / "free")
    expect_equal("END-14", rounds(home, plan, 3, to=ROOM), ["idle"] * 3, "work on which nothing is owed")
    home, plan = at_work(tmp_path / "waits", owes=True)
    hops(home, "导演", CHECK_BACK)
    expect_equal("END-14", rounds(home, plan, 3, to=ROOM), ["waiting"] * 3, "work that waits for something")


@proves("END-15")
def test_progress_is_a_change_of_stage_by_the_turn_itself(tmp_path: Path) -> None:
    expect_equal("END-15", idle_after(tmp_path / "own", moved=True), 0, "idle endings, where the turn moved its ticket")
    expect_equal("END-15", idle_after(tmp_path / "other", moved=False), 1, "idle endings, where another turn did")


def idle_after(folder: Path, *, moved: bool) -> int:
    """How many endings count as idle after one in whose time a ticket was moved: by its turn, or by another."""
    home, _ = at_work(folder, owes=True)
    home.sql(
        "INSERT INTO work_events (event, at, type, turn, body) VALUES (1, 1, 'ticket.stage_changed', ?, '{}')",
        home.turn("导演")["id"] + (0 if moved else 1),
    )
    for _ in range(2):
        hops(home, "导演", text="还没有。")
    return int(home.value("SELECT sum(idle_endings) FROM work_items"))


@proves("END-16")
def test_an_ending_of_what_has_only_begun_is_not_counted(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "acts", owes=True)
    hops(home, "导演", PAGE)
    seen = rounds(home, plan, 3, to=ROOM)
    expect_equal("END-16", seen, ["idle", "idle", "blocked"], "its work, where the first of three turns began it")
    home, plan = at_work(tmp_path / "opens")
    hops(home, "导演", events.Call("work_on", {"plan": plan, "ticket": {"new": {"title": "海报"}}}))
    seen = rounds(home, plan, 1, to=ROOM)
    count = home.value("SELECT sum(idle_endings) FROM work_items")
    expect_equal("END-16", (seen, count), (["idle"], 0), "its work, and idle endings, where the turn opened the ticket")
    home, plan = at_work(tmp_path / "acts twice", owes=True)
    hops(home, "导演", PAGE)
    seen = rounds(home, plan, 1, to=ROOM)
    for number in (1, 2):
        tell(home, plan, f"第{number}次：怎么样了")
        hops(home, "导演", PAGE)
        for _ in range(2):
            hops(home, "导演", text="还没有。")
        seen.append(work_of(home))
    expect_equal("END-16", seen, ["idle", "idle", "blocked"], "its work, where each turn writes")
