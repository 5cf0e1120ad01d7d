"""Who may ask whom for what: the call, its arguments, its target, its matter, and what is on record of it."""

from pathlib import Path
from typing import Any

from delegating import ASK, ROOM, asked, at_work, delegate, end, home_of, reply, results, states, waits, work_of
from evening import Evening, shell, write
from holding import hold
from stopping import is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

ALL = {"to": "文案", "ask": ASK, "expects": "answer"}


def open_ticket_for(home: Evening, plan: int, owner: str) -> int:
    """A ticket on a plan, of which nothing is to be done."""
    home.sql(
        "INSERT INTO tickets (plan, number, title, owner, folder, at) VALUES (?, 9, '旁白', ?, 'work/9', 1)",
        plan,
        home.bot(owner),
    )
    ticket = int(home.value("SELECT max(id) FROM tickets"))
    home.stands(ticket, "approved")
    return ticket


def call(home: Evening, **arguments: Any) -> tuple[str, str]:
    """The director calls `delegate`; how that call ends, and what it reads of it."""
    turn = home.turn("导演")["id"]
    home.hop("导演", events.Call("delegate", arguments))
    return home.results(turn)[-1][1:]


@proves("DEL-01")
def test_a_delegation_is_on_record_from_work_to_work(tmp_path: Path) -> None:
    home, plan = asked(tmp_path)
    row = home.db.row("SELECT * FROM delegations")
    assert row is not None
    matter = [
        home.rows("SELECT bot, plan FROM work_items WHERE id = ?", row[side])[0] for side in ("from_item", "to_item")
    ]
    expect_equal("DEL-01", matter, [(home.bot("导演"), plan), (home.bot("文案"), plan)], "the work that asks, and that")
    seen = (row["plan"], row["ask"], row["expects"], row["state"])
    expect_equal("DEL-01", seen, (plan, ASK, "answer", "open"), "its matter, its words, what is expected, its state")
    again = (
        "INSERT INTO delegations (from_item, to_item, turn, session, ask, expects, at)"
        " SELECT from_item, {}, turn, session, ask, {}, at FROM delegations WHERE id = 1"
    )
    expect("DEL-01", is_taken(home, again.format("to_item", "'review'")), "another that asks for a review is taken")
    taken = is_taken(home, again.format("from_item", "'answer'"))
    expect_equal("DEL-01", taken, False, "one from work to itself is taken")
    reply(home, "文案")
    expect_equal("DEL-01", states(home)[0], "replied", "the state of one that was answered")


@proves("DEL-02")
def test_after_the_reply_the_receiver_owes_nothing_more(tmp_path: Path) -> None:
    home, plan = asked(tmp_path, **{"continue": True})
    ticket = open_ticket_for(home, plan, "文案")
    delegate(home, "导演", "文案", ask="旁白呢？", ticket=ticket)
    reply(home, "文案")
    expect("DEL-24", states(home) != ["open", "replied"], "what is answered is not what other work was asked for")
    expect_equal("DEL-02", states(home), ["replied", "open"], "two requests after the first was answered")
    reply(home, "文案", "旁白是这样")
    home.say("@文案 再想一句", to=ROOM, files=[plan])
    home.hop("文案", events.Call("send_message", {"text": "写好了"}))
    reply(home, "文案", "别的")
    expect_equal("DEL-02", home.turn("文案")["end_reason"], "answered", "how its next segment ends")
    expect_equal("DEL-02", results(home), ["写开业大吉", "旁白是这样"], "what has come back to the one who asked")


@proves("DEL-03")
def test_a_request_names_whom_what_and_what_is_expected(tmp_path: Path) -> None:
    for missing in ALL:
        home, _ = at_work(tmp_path / missing, "导演", "文案")
        state, _ = call(home, **{key: value for key, value in ALL.items() if key != missing})
        expect_equal("DEL-03", state, "refused", f"a call without {missing}")
    home, _ = at_work(tmp_path / "other", "导演", "文案")
    expect_equal("DEL-03", call(home, **ALL | {"expects": "thanks"})[0], "refused", "a call that expects thanks")
    said = call(home, **ALL | {"ask": "  "})[1]
    expect("DEL-04", "Only a segment" not in said, "a segment that works is not refused for that")
    expect("DEL-03", "needs words" in said, "a call without words is refused for that")
    for level, made in ((2, 0), (3, 1), (8, 1)):
        home, _ = at_work(tmp_path / str(level), "导演", "文案", level=level)
        _, said = call(home, **ALL)
        refused = "no such tool" in said or "needs words" in said
        expect_equal("DEL-03", int(not refused), made, f"whether there is such a call at level {level}")
    home, _ = at_work(tmp_path / "all", "导演", "文案")
    more = {"ticket": None, "parts": [], "requirement_ids": [], "continue": True}
    expect("DEL-03", "unknown" not in call(home, **ALL, **more)[1], "all that a call may say")


@proves("DEL-04")
def test_only_running_work_delegates(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path, "导演", "文案")
    effect = next(each for each in home.engine.open_effects() if each.kind == "hop")
    hold(home, "plan", plan=plan)
    home.happens(events.Hopped, effect=effect.id, calls=(events.Call("delegate", ALL),))
    expect_equal("DEL-04", states(home), [], "what a segment asks for that was stopped meanwhile")
    home.happens(events.HoldLifted, hold=1)
    home.say("@导演 接着剪", to=ROOM, files=[plan])
    expect("DEL-04", "Only a segment" not in delegate(home, "导演", "文案"), "one that works is not refused for that")
    items = home.rows(
        "SELECT count(*) FROM work_items w JOIN delegations d ON d.from_item = w.id WHERE w.plan = ?", plan
    )
    expect_equal("DEL-04", len(states(home)), items[0][0], "each is bound to the work that asked")


@proves("DEL-05")
def test_a_desk_is_bound_first_and_what_only_reads_delegates_nothing(tmp_path: Path) -> None:
    home = home_of(tmp_path / "desk", "导演", "文案")
    home.say("做一张海报", to="导演", files="new")
    expect_equal("DEL-05", home.turn("导演")["mode"], "desk", "what opens on a new wish")
    home.sql("INSERT INTO session_participants (session, bot, since) VALUES (?, ?, 1)", home.session("导演"), 2)
    said = delegate(home, "导演", "文案")
    expect("DEL-05", "Only a segment" not in said, "a desk that is bound by that is not refused for it")
    seen = home.rows("SELECT w.plan IS NOT NULL FROM work_items w JOIN delegations d ON d.from_item = w.id")
    expect("DEL-05", seen in ([(1,)], []), "what asks is work on a plan")

    home, plan = at_work(tmp_path / "readonly", "导演", "文案")
    home.hop("导演", text="好了。")
    hold(home, "plan", plan=plan)
    home.sql("UPDATE holds SET void = 1")
    home.say("@导演 片头怎么说？", to=ROOM, files=[plan])
    expect_equal("DEL-05", home.turn("导演")["mode"], "readonly", "what a line under a kept hold opens")
    home.hop("导演", events.Call("delegate", ALL))
    expect_equal("DEL-05", states(home), [], "what it has asked for")


@proves("DEL-06")
def test_the_target_is_another_bot_that_is_there(tmp_path: Path) -> None:
    for name, to, allowed in (
        ("name", "文案", True),
        ("id", 2, True),
        ("itself", "导演", False),
        ("own id", 1, False),
        ("archived", "剪辑", False),
        ("deleted", "画师", False),
        ("part", "文", False),
        ("nobody", 99, False),
    ):
        home, _ = at_work(tmp_path / name, "导演", "文案", "剪辑", "画师")
        home.sql("UPDATE bots SET state = 'archived' WHERE name = '剪辑'")
        home.sql("UPDATE bots SET state = 'deleted' WHERE name = '画师'")
        said = delegate(home, "导演", to)
        if allowed:
            expect("DEL-06", "is you" not in said and "not at work" not in said, f"{name}: {said}")
        else:
            expect_equal("DEL-06", states(home), [], f"delegations to {name}")


@proves("DEL-08")
def test_an_unknown_target_is_never_guessed(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path, "导演", "文案", "文案二号")
    home.lead("文案", ROOM)
    expect("DEL-08", "is no Bot" not in delegate(home, "导演", "导演"), "a name that there is")
    for to in ("文案三号", "文", "文案 ", "@文案", "wenan", 99):
        said = delegate(home, "导演", to)
        expect("DEL-08", "is no Bot" in said, f"{to!r}: {said}")
    expect_equal("DEL-08", (states(home), len(home.turns("文案"))), ([], 0), "what the lead, or the nearest, was asked")


@proves("DEL-07")
def test_the_target_is_present_in_one_of_three_places(tmp_path: Path) -> None:
    columns = {
        "the segment's": "UPDATE turns SET session = ?",
        "the work's": "UPDATE work_items SET session = ?",
        "the plan's": "UPDATE plans SET session = ?",
        "another": None,
    }
    for place, move in columns.items():
        (tmp_path / place).mkdir()
        home = Evening(tmp_path / place, bots=["导演", "文案"], rooms={"老群": ["导演", "文案"]})
        plan = home.opened("新品片", to="导演")
        home.say("剪一版", to="导演", files=[plan])
        if move is not None:
            home.sql(move, home.session("老群"))
        said = delegate(home, "导演", "文案")
        expect("DEL-06", "is you" not in said, "another Bot is not refused as the same")
        expect_equal(
            "DEL-07", "not present" in said, move is None, f"refusal of one present in {place} session: {said}"
        )


@proves("DEL-09")
def test_ticket_and_parts_are_of_the_same_plan(tmp_path: Path) -> None:
    def asks(name: str, **more: Any) -> str:
        home = home_of(tmp_path / name, "导演", "文案")
        plan = home.opened("新品片", to=ROOM, tickets=[("旁白", "文案")])
        home.opened("海报", to=ROOM, tickets=[("标题", "文案")])
        for ticket, part in ((1, "开头"), (2, "大字")):
            home.sql("INSERT INTO parts (ticket, name) VALUES (?, ?)", ticket, part)
        home.say("@导演 剪一版", to=ROOM, files=[plan])
        said = delegate(home, "导演", "文案", **more)
        expect("DEL-07", "not present" not in said, "who is present is not refused as absent")
        return said

    expect("DEL-09", "no ticket of" not in asks("own", ticket=1), "a ticket of the plan")
    expect("DEL-09", "no ticket of" in asks("other", ticket=2), "a ticket of another plan")
    expect("DEL-09", "no ticket of" in asks("none", ticket=99), "a ticket that is none")
    expect("DEL-09", "no such part" not in asks("part", ticket=1, parts=["开头"]), "a part of the ticket")
    expect("DEL-09", "no such part" not in asks("part of plan", parts=["开头"]), "a part of the plan's ticket")
    expect("DEL-09", "no such part" in asks("other part", ticket=1, parts=["开头", "大字"]), "a part of another plan's")
    expect("DEL-09", "no such part" in asks("other plan's part", parts=["大字"]), "a part of another plan's, by itself")


@proves("DEL-10")
def test_a_requirement_is_quoted_only_while_it_is_in_force(tmp_path: Path) -> None:
    for name, state, plan_of, ticket_of, named, allowed in (
        ("of the conversation", "active", 2, None, None, True),
        ("of the plan", "active", 1, None, None, True),
        ("of the plan, on a ticket", "active", 1, None, 1, True),
        ("of the ticket", "active", 1, 1, 1, True),
        ("of a ticket of it", "active", 1, 1, None, True),
        ("of another ticket", "active", 1, 2, 1, False),
        ("withdrawn", "no_longer_applies", 1, None, None, False),
        ("replaced", "superseded", 1, None, None, False),
        ("pending", "pending", 1, None, None, False),
        ("of another plan", "active", 2, None, None, False),
    ):
        home = home_of(tmp_path / name, "导演", "文案")
        plan = home.opened("新品片", to=ROOM, tickets=[("旁白", "文案"), ("配乐", "文案")])
        home.opened("海报", to=ROOM)
        home.say("@导演 不要红色", to=ROOM, files=[plan])
        scope = {"scope": "conversation", "session": home.session(ROOM)} if name == "of the conversation" else {}
        home.requires(1, "不要红色", plan_of, ticket=ticket_of, state=state, **scope)
        said = delegate(home, "导演", "文案", requirement_ids=[1], ticket=named)
        expect("DEL-09", "no such part" not in said, "a request that names no part is not refused for one")
        expect_equal("DEL-10", "not in force" in said, not allowed, f"a requirement {name}: {said}")
    said = delegate(home, "导演", "文案", requirement_ids=[7])
    expect("DEL-10", "not in force" in said, "a requirement that there is not")


@proves("DEL-11")
def test_work_and_chat_are_those_of_the_pair(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案", "剪辑")
    plan = home.opened("新品片", to=ROOM, tickets=[("旁白", "文案")])
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    turn = home.turn("导演")["id"]
    for to, more in (("文案", {}), ("文案", {}), ("剪辑", {}), ("文案", {"ticket": 1})):
        delegate(home, "导演", to, **{"continue": True}, **more)
    rows = home.rows("SELECT to_item, session, turn, from_item FROM delegations ORDER BY id")
    expect_equal("DEL-11", len(rows), 4, "delegations on record")
    items, chats = [row[0] for row in rows], [row[1] for row in rows]
    expect("DEL-11", items[0] == items[1] != items[2], f"work of the two: {items}")
    expect_equal("DEL-11", chats, [chats[0], chats[0], chats[2], chats[0]], "chats")
    expect("DEL-11", chats[0] != chats[2], "each pair has a chat of its own")
    of = home.rows("SELECT bot, plan, ticket FROM work_items WHERE id = ?", items[3])
    expect_equal("DEL-11", of, [(home.bot("文案"), plan, 1)], "the work that a request on a ticket goes to")
    expect_equal("DEL-11", {row[2] for row in rows}, {turn}, "the turn that asked")
    present = home.rows("SELECT bot FROM session_participants WHERE session = ? ORDER BY bot", chats[0])
    expect_equal("DEL-11", present, [(home.bot("导演"),), (home.bot("文案"),)], "who is in that chat")
    reply(home, "剪辑")
    home.sql("UPDATE bots SET parallel_limit = 1")
    expect_equal("DEL-11", home.turn("剪辑")["session"], chats[2], "where a request is worked on")


@proves("DEL-12")
def test_one_waking_request_goes_to_the_receiver(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path, "导演", "文案")
    home.sql("UPDATE bots SET parallel_limit = 1 WHERE name = '文案'")
    other, third = home.opened("海报", to=ROOM), home.opened("片尾", to=ROOM)
    home.say("@文案 海报文案", to=ROOM, files=[other])
    expect("DEL-03", "needs words" not in delegate(home, "导演", "文案"), "the request is made")
    seen = home.rows("SELECT prio, wakes, state, author FROM inbox_items WHERE kind = 'request'")
    expect_equal("DEL-12", seen, [(3, 1, "queued", "bot")], "what the receiver gets")
    home.say("@文案 片尾文案", to=ROOM, files=[third])
    home.hop("文案", text="海报文案好了。")
    expect_equal("DEL-12", home.turn("文案")["plan"], third, "what it takes up first: a line of the user said later")
    home.hop("文案", text="片尾文案好了。")
    expect_equal("DEL-12", home.turn("文案")["plan"], plan, "what it takes up then")


@proves("DEL-13")
def test_who_delegates_ends_and_waits(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path, "导演", "文案")
    turn = home.turn("导演")["id"]
    home.hop("导演", events.Call("delegate", ALL), shell("render"))
    expect_equal("DEL-14", waits(home), ["open"], "the wait of one that does not go on")
    home.hop("导演", write("more.md"))
    expect_equal("DEL-13", home.live("导演"), [], "its segment")
    expect_equal("DEL-13", home.value("SELECT end_reason FROM turns WHERE id = ?", turn), "delegated", "how it ended")
    expect_equal("DEL-13", (work_of(home, "导演"), home.ran), (["waiting"], []), "its work, and what it still ran")


@proves("DEL-14")
def test_who_is_to_go_on_goes_on(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path, "导演", "文案")
    delegate(home, "导演", "文案", **{"continue": True})
    expect_equal("DEL-14", (len(home.live("导演")), waits(home)), (1, []), "its segment, and its waits")
    home.hop("导演", shell("render"))
    expect_equal("DEL-14", len(home.ran), 1, "what it does meanwhile")
    end(home, "导演")
    seen = (home.turn("导演")["end_reason"], work_of(home, "导演"), states(home))
    expect_equal("DEL-14", seen, ("answered", ["idle"], ["open"]), "its end, its work and the delegation")


@proves("DEL-16")
def test_a_request_opens_no_second_segment_on_a_plan(tmp_path: Path) -> None:
    def house(name: str) -> tuple[Evening, int]:
        home = home_of(tmp_path / name, "导演", "文案")
        return home, home.opened("新品片", to=ROOM, tickets=[("旁白", "文案")])

    home, plan = house("same")
    home.say("@文案 先想想", to=ROOM, files=[plan])
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    expect("DEL-03", "needs words" not in delegate(home, "导演", "文案"), "the request is made")
    home.hop("文案", shell("look"))
    heard = home.value("SELECT read_by_turn FROM inbox_items WHERE kind = 'request'")
    expect_equal("DEL-16", heard, home.turns("文案")[0]["id"], "who reads it that works on the same")
    expect_equal("DEL-16", len(home.turns("文案")), 1, "its segments")

    home, plan = house("ticket")
    home.say("@文案 先想想", to=ROOM, files=[plan])
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    delegate(home, "导演", "文案", ticket=1)
    home.hop("文案", shell("look"))
    expect_equal("DEL-16", len(home.turns("文案")), 1, "segments on the plan while it is at other work there")
    home.hop("文案", text="想好了。")
    opened = home.turn("文案")
    expect_equal("DEL-16", (opened["ticket"], opened["state"]), (1, "running"), "what opens once that has ended")
    reply(home, "文案")
    expect_equal("DEL-16", states(home), ["replied"], "the delegation that it answers")

    home, plan = house("slots")
    others = [home.opened(name, to=ROOM) for name in ("海报", "片尾")]
    for other in others:
        home.say("@文案 写", to=ROOM, files=[other])
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    delegate(home, "导演", "文案")
    expect_equal("DEL-16", len(home.live("文案")), 2, "segments of one whose slots are taken")

    home, plan = house("held")
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    hold(home, "bot", bot=home.bot("文案"))
    delegate(home, "导演", "文案")
    seen = home.rows("SELECT state FROM inbox_items WHERE kind = 'request'")
    expect_equal(
        "DEL-16", (home.turns("文案"), seen), ([], [("held",)]), "segments of one that is held, and its request"
    )


@proves("DEL-51")
def test_only_a_bot_delegates(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path, "导演", "文案")
    items = home.rows("SELECT id FROM work_items ORDER BY id")
    home.sql("INSERT INTO work_items (bot, plan, session) VALUES (2, ?, 1)", plan)
    to = home.value("SELECT max(id) FROM work_items")
    made = (
        "INSERT INTO delegations (from_item, to_item, turn, session, plan, ask, expects, at)"
        " VALUES (?, ?, ?, 1, ?, '看看', 'answer', 1)"
    )
    for turn in (None, home.turn("导演")["id"]):
        expect_equal("DEL-51", is_taken(home, made, items[0][0], to, turn, plan), False, f"one by turn {turn} is taken")
    kinds = [kind.__name__ for kind in events.Event.__subclasses__() if "eleg" in kind.__name__]
    expect_equal("DEL-51", kinds, [], "what a user can do that delegates")
