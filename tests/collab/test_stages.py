"""How a ticket stands: who moves it, the status that goes along with its stage, and what is seen of that."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evening import Evening, shell, work_on, write
from requests_over_http import WAYS, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import ball, events, mirrors, plans, reviewers, tickets
from threadrebuild.collab.change import Change
from threadrebuild.collab.store import open_store

STATUSES = {
    "in progress": "in progress",
    "submitted": "to accept",
    "in_review": "to accept",
    "rework": "in progress",
    "approved": "done",
    "dropped": "parked",
    "todo": "todo",
}


def house(folder: Path, name: str = "home", level: int = 8) -> Evening:
    """Three Bots in a group, with a plan of two tickets there."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案", "画师"], rooms={"剪辑组": ["导演", "文案"]}, level=level)
    home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演"), ("旁白", "文案")])
    return home


def at_work(home: Evening, *calls: events.Call, ticket: int = 1) -> int:
    """The director works on a ticket; returns its turn."""
    home.say("@导演 接着做", to="剪辑组", files=[(1, ticket)])
    if calls:
        home.hop("导演", *calls)
    return int(home.turn("导演")["id"])


def stands(home: Evening, ticket: int = 1) -> tuple[Any, ...]:
    """A ticket's stage and status."""
    return home.rows("SELECT stage, status FROM tickets WHERE id = ?", ticket)[0]


def move(home: Evening, stage: Any, by: Any, *, ticket: int = 1) -> str:
    """Something of the application moves a ticket; how that is refused, if it is."""
    event = home.value("SELECT max(seq) FROM events")
    change = Change(home.db, event, home.now, home.value("SELECT level FROM meta"))
    try:
        with home.db.transaction():
            tickets.move(change, ticket, stage, by=by)
    except sqlite3.IntegrityError as refused:
        return str(refused)
    return ""


def moves(home: Evening) -> list[tuple[str, str, str, str]]:
    """The changes of stage that are on record: before, now, by whom, and whose doing."""
    found = [
        json.loads(body) for (body,) in home.rows("SELECT body FROM work_events WHERE type = 'ticket.stage_changed'")
    ]
    return [(each["before"], each["now"], each["by"], each["source"]) for each in found]


def takes(does: Callable[[], object]) -> bool:
    """Whether the store takes what is done."""
    try:
        does()
    except sqlite3.IntegrityError:
        return False
    return True


def raw(home: Evening, statement: str) -> bool:
    """Whether the store takes a statement of another version."""
    return takes(lambda: home.sql(statement))


def drop(home: Evening, ticket: int, reason: str) -> str:
    """The director drops a ticket for a reason; how that comes out."""
    call = events.Call("plan_items", {"items": [{"ticket": ticket, "drop": reason}]})
    if not takes(lambda: home.hop("导演", call)):
        return "refused by the store"
    return home.results(home.turn("导演")["id"])[-1][1]


@proves("TICK-01")
def test_a_line_is_no_ticket_and_a_ticket_says_what_is_handed_over(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    plan = home.opened("新品片", to="导演")
    for text in ("先看看素材", "片头要快", "配乐用鼓点"):
        home.say(text, to="导演", files=[plan])
    expect_equal("TICK-01", home.rows("SELECT title FROM tickets"), [], "the tickets that three sentences make")
    home.hop("导演", events.Call("read_file", {"path": "brief.md"}))
    home.hop("导演", events.Call("plan_items", {"items": []}))
    expect_equal("TICK-22", home.results(home.turn("导演")["id"])[-1][1], "ok", "a call of the Bot that leads the plan")
    bare = {"title": "分镜"}
    for item in (bare, {"description": "十二格，交 png"}, {**bare, "description": " "}):
        home.hop("导演", events.Call("plan_items", {"items": [item]}))
        expect_equal("TICK-01", home.rows("SELECT title FROM tickets"), [], f"the tickets that {item} makes")
    home.hop("导演", events.Call("plan_items", {"items": [{**bare, "description": "十二格，交 png"}]}))
    home.hop("导演", events.Call("plan_items", {"items": [{"title": "旁白", "description": "一百字"}]}))
    found = home.rows("SELECT number, title, description, status FROM tickets")
    wanted = [(1, "分镜", "十二格，交 png", "todo"), (2, "旁白", "一百字", "todo")]
    expect_equal("TICK-01", found, wanted, "the tickets")


@proves("TICK-02")
def test_a_tickets_mirror_shows_what_is_wanted_and_is_never_read(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.happens(events.TicketEdited, ticket=1, description="十二格")
    home.happens(events.BoardEdited, plan=1, acceptance=("片长两分钟",), rules=("不用人声",))
    found = home.rows(
        "SELECT json_extract(body, '$.path'), json_extract(body, '$.text') FROM effects WHERE subject = 'ticket.md:1'"
        " ORDER BY id DESC"
    )
    path, text = found[0]
    folder = home.value("SELECT folder FROM tickets WHERE id = 1")
    for part in ("十二格", "片长两分钟", "不用人声"):
        expect("TICK-02", part in text, f"“{part}” in {text}")
    expect_equal("TICK-02", path, f"{folder}/{mirrors.TICKET}", "where it lies")
    at_work(home, write(f"{folder}/{mirrors.TICKET}"))
    said = home.rows("SELECT title, description FROM tickets WHERE id = 1")
    expect_equal("TICK-02", said, [("分镜", "十二格")], "the ticket, after its mirror was written by a Bot")


@proves("TICK-03")
def test_how_a_ticket_stands_is_not_what_the_progress_tells(tmp_path: Path) -> None:
    home = house(tmp_path)
    change = Change(home.db, 1, home.now, 8)
    points = plans.points_of(home.db, 1)
    progress = {"done": ["分镜做完了"], "to_do": [], "stuck": []}
    plans.revise(change, 1, points | {"progress": progress}, "organizer", None)
    home.stands(1, "rework")
    seen = Client(home)("GET", "tasks/1").said
    expect_equal("TICK-03", [each["stands"] for each in seen["tickets"]], ["rework", "todo"], "what is shown")
    expect_equal("TICK-03", seen["counted"]["percent"], 0, "how much is done")


@proves("TICK-04")
def test_what_is_handed_in_is_still_awaited(tmp_path: Path) -> None:
    home = house(tmp_path, "old", 4)
    at_work(home, write("a.mp4"), events.Call("send_message", {"text": "交了。", "files": ["a.mp4"]}))
    expect_equal("TICK-12", stands(home)[1], "to accept", "the ticket whose file was handed in")
    expect_equal("TICK-04", ball.awaited(home.db, 1), [1, 2], "what is unfinished with a file handed in")
    expect_equal("TICK-04", Client(home)("GET", "tasks/1").said["counted"]["percent"], 0, "how much is done")
    home.happens(events.TicketEdited, ticket=1, status="done")
    expect_equal("TICK-04", ball.awaited(home.db, 1), [2], "what is unfinished once the user has set one as done")
    for level in (5, 8):
        home = house(tmp_path, str(level), level)
        at_work(home, write("a.mp4"), events.Call("send_message", {"text": "交了。", "files": ["a.mp4"]}))
        for stage in ("submitted", "in_review"):
            home.stands(1, stage)
            expect_equal("TICK-04", ball.awaited(home.db, 1), [1, 2], f"what is unfinished with one {stage}")
            expect_equal("TICK-04", Client(home)("GET", "tasks/1").said["counted"]["percent"], 0, "how much is done")
        home.stands(1, "approved")
        expect_equal("TICK-04", ball.awaited(home.db, 1), [2], "what is unfinished once one was approved")


@proves("TICK-09", "TICK-12")
def test_a_file_that_is_handed_in_is_to_accept_and_no_more(tmp_path: Path) -> None:
    for level, status in ((2, "to accept"), (3, "to accept"), (4, "to accept"), (5, "in progress"), (8, "in progress")):
        home = house(tmp_path, str(level), level)
        home.sql("INSERT INTO parts (ticket, name) VALUES (1, 'C03')")
        at_work(home, write("C03_final.mp4"))
        begun = f"the ticket that was begun, at level {level}"
        expect_equal("TICK-09" if level < 5 else "TICK-11", stands(home)[1], "in progress", begun)
        hands_in = events.Call("send_message", {"text": "交了。", "files": ["C03_final.mp4"]})
        done = takes(lambda home=home, call=hands_in: home.hop("导演", call))
        expect("TICK-12", done, f"a file that is handed in at level {level} does nothing to a ticket that it may not")
        expect_equal("TICK-12", stands(home)[1], status, f"the ticket whose file was handed in, at level {level}")
        expect_equal("TICK-09", home.value("SELECT count(*) FROM submissions"), 0, "what was submitted")
        parts = home.rows("SELECT name, stage FROM parts")
        expect_equal("TICK-09", parts, [("C03", "todo")], f"the part that the file's name names, at level {level}")
        if level < 5:
            expect_equal("TICK-09", stands(home)[0], "todo", "its stage")
            for set_ in ("done", "parked", "to accept", "todo"):
                home.happens(events.TicketEdited, ticket=1, status=set_)
                expect_equal("TICK-09", stands(home), ("todo", set_), f"what the user sets, at level {level}")
    home = house(tmp_path, "over", 4)
    home.happens(events.TicketEdited, ticket=1, status="done")
    at_work(home, write("a.mp4"), events.Call("send_message", {"text": "交了。", "files": ["a.mp4"]}))
    expect_equal("TICK-09", stands(home)[1], "done", "a ticket that was done before")


@proves("TICK-11")
def test_work_that_is_seen_begins_a_ticket_and_takes_nothing_back(tmp_path: Path) -> None:
    for level in (0, 1, 2, 4, 5, 8):
        for at, call in enumerate((write("a.png"), shell("render"))):
            home = house(tmp_path, f"{level}-{at}", level)
            home.sql("UPDATE tickets SET owner = NULL WHERE id = 1")
            turn = at_work(home, events.Call("list_dir", {}))
            expect_equal("TICK-11", stands(home)[1], "todo", "a ticket of which a file was read")
            home.hop("导演", call)
            expect_equal("TICK-11", stands(home)[1], "in progress", f"after {call.name} at level {level}")
            owner = home.value("SELECT owner FROM tickets WHERE id = 1")
            expect_equal("TICK-11", owner, home.bot("导演"), "who is on it")
            if level >= 5:
                expect_equal("TICK-11", moves(home), [("todo", "in progress", "observation", "app")], "on record")
                seen = home.rows("SELECT turn FROM work_events WHERE type = 'ticket.stage_changed'")
                expect_equal("TICK-11", seen, [(turn,)], "the turn that moved it")
    for stage in ("rework", "submitted", "dropped"):
        home = house(tmp_path, stage)
        home.stands(1, stage)
        at_work(home, shell("render"))
        expect_equal("TICK-11", stands(home)[0], stage, "what a command does to it")
        expect_equal("TICK-11", home.value("SELECT owner FROM tickets WHERE id = 2"), home.bot("文案"), "of others")
    home = house(tmp_path, "others")
    home.sql("UPDATE tickets SET owner = ? WHERE id = 1", home.bot("文案"))
    home.say("@导演 帮一下", to="剪辑组", files=[1])
    home.hop("导演", work_on(plan=1, ticket=1), write("b.png"))
    expect_equal(
        "TICK-11", home.value("SELECT owner FROM tickets WHERE id = 1"), home.bot("文案"), "who was on it before"
    )


@proves("TICK-15")
def test_the_status_goes_along_with_the_stage(tmp_path: Path) -> None:
    home = house(tmp_path)
    for stage, status in STATUSES.items():
        expect_equal("TICK-15", move(home, stage, "review"), "", f"the move to {stage}")
        expect_equal("TICK-15", stands(home), (stage, status), f"a ticket that is {stage}")


@proves("TICK-16")
def test_only_those_move_a_stage_who_may(tmp_path: Path) -> None:
    home = house(tmp_path)
    for by, stage in (("check", "submitted"), ("review", "rework"), ("beat", "in_review")):
        expect_equal("TICK-16", (move(home, stage, by), stands(home)[0]), ("", stage), f"a move by {by}")
    for by in ("board", "word", "ceiling"):
        expect("TICK-16", move(home, "approved", by) != "", f"a move by {by} that is not the user's doing is refused")
    home.sql("UPDATE tickets SET drop_reason = '不要了' WHERE id = 1")
    for by, stage in (
        ("observation", "approved"),
        ("lead", "approved"),
        ("organizer", "approved"),
        ("bot", "approved"),
    ):
        expect("TICK-16", move(home, stage, by) != "", f"a move to {stage} by {by} is refused")
    expect_equal("TICK-16", stands(home), ("in_review", "to accept"), "how the ticket stands")
    expect("TICK-16", not raw(home, "UPDATE tickets SET stage = 'approved'"), "a stage that nobody has moved")
    expect("TICK-16", not raw(home, "UPDATE tickets SET status = 'done'"), "a status that the user has not set")
    opened = "INSERT INTO tickets (plan, number, title, folder, stage, at) VALUES (1, 9, 'x', 'x', 'approved', 1)"
    expect("TICK-16", not raw(home, opened), "a ticket that is opened as approved")
    on_record = [("todo", "submitted"), ("submitted", "rework"), ("rework", "in_review")]
    expect_equal("TICK-16", [each[:2] for each in moves(home)], on_record, "the changes on record")
    home.happens(events.TicketEdited, ticket=1, status="done")
    expect_equal("TICK-16", stands(home), ("approved", "done"), "what the user has set on the board")
    expect_equal("TICK-16", moves(home)[-1:], [("in_review", "approved", "board", "user")], "that on record")
    for status, stage in (("todo", "todo"), ("to accept", "submitted"), ("parked", "dropped"), ("in progress",) * 2):
        home.happens(events.TicketEdited, ticket=1, status=status)
        expect_equal("TICK-16", stands(home), (stage, status), f"what the user sets as {status}")
    answered = home.rows("SELECT event FROM user_actions ORDER BY id DESC")[0][0]
    expect_equal("TICK-16", answered, home.value("SELECT max(seq) FROM events"), "the user's doing just now")
    for by in ("word", "ceiling"):
        expect_equal("TICK-16", move(home, "approved", by, ticket=2), "", f"a move by {by} that is the user's")
        expect_equal("TICK-16", moves(home)[-1][2:], (by, "user"), "on record")
        move(home, "rework", "review", ticket=2)


@proves("TICK-16")
def test_a_lead_drops_only_what_is_still_to_do(tmp_path: Path) -> None:
    for level in (5, 8):
        home = house(tmp_path, str(level), level)
        home.lead("导演", "剪辑组")
        at_work(home)
        for stage in ("approved", "dropped"):
            home.stands(1, stage)
            expect_equal("TICK-16", drop(home, 1, "换掉"), "refused", f"a drop of what is {stage}")
            expect_equal("TICK-16", stands(home)[0], stage, f"the ticket that is {stage}")
            reason = home.value("SELECT drop_reason FROM tickets WHERE id = 1")
            expect_equal("TICK-16", reason, None, f"the reason of one that is {stage}")
        expect_equal("TICK-30", drop(home, 2, "旁白不要了"), "ok", "a drop for a reason")
        expect_equal("TICK-16", stands(home, 2), ("dropped", "parked"), "the ticket that the lead has dropped")
        expect_equal("TICK-16", moves(home), [("todo", "dropped", "lead", "app")], "on record")
        home.stands(1, "approved")
        home.sql("UPDATE tickets SET drop_reason = '换掉' WHERE id = 1")
        expect("TICK-16", move(home, "dropped", "lead") != "", "what is approved is dropped by no Bot")
        for stage in ("rework", "submitted"):
            home.stands(1, stage)
            expect_equal("TICK-16", drop(home, 1, "换掉"), "ok", f"a drop of what is {stage}")


@proves("TICK-16")
def test_no_words_and_no_tool_of_a_bot_move_a_stage(tmp_path: Path) -> None:
    home = house(tmp_path)
    at_work(home, events.Call("send_message", {"text": "第一张任务已通过，状态改成 approved。"}))
    home.hop("导演", events.Call("plan_items", {"items": [{"ticket": 1, "stage": "approved"}]}))
    home.hop("导演", events.Call("plan_items", {"items": [{"ticket": 1, "status": "done"}]}))
    home.hop("导演", text="分镜 approved。")
    expect_equal("TICK-16", (stands(home), moves(home)), (("todo", "todo"), []), "what words do")
    at_work(home, write("a.png"))
    expect_equal("TICK-11", len(moves(home)), 1, "the moves once a file was written")
    raised = house(tmp_path, "old", 4)
    raised.happens(events.TicketEdited, ticket=1, status="to accept")
    raised.happens(events.TicketEdited, ticket=2, status="done")
    raised.db.close()
    store = open_store(raised.path, 8, durable=False)
    stages = [row["stage"] for row in store.rows("SELECT stage FROM tickets ORDER BY id")]
    expect_equal("TICK-09", stages, ["in progress", "approved"], "the stages that old statuses come to")


@proves("TICK-23")
def test_the_reviewer_is_set_by_the_user_or_asked_and_never_the_producer(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        call = Client(home, away=away)
        director, writer, painter = (home.bot(name) for name in ("导演", "文案", "画师"))
        set_ = call("PATCH", "tickets/2", reviewer_bot_id=director)
        expect_equal("TICK-23", (set_.status, set_.said.get("reviewer")), (200, director), "one that is not its owner")
        refused = call("PATCH", "tickets/1", reviewer_bot_id=director)
        expect_equal("TICK-23", (refused.status, refused.error), (409, "reviewer_is_owner"), "its owner as reviewer")
        outside = call("PATCH", "tickets/1", reviewer_bot_id=painter)
        expect_equal("TICK-23", (outside.status, outside.error), (409, "reviewer_not_there"), "one from elsewhere")
        done = call("PATCH", "tickets/1", reviewer_bot_id=writer)
        expect_equal("TICK-23", (done.status, done.said["reviewer"]), (200, writer), f"set, remote = {away}")
        expect_equal("TICK-23", reviewers.of(home.db, 1, director), writer, "who reviews")
        expect_equal("TICK-23", reviewers.of(home.db, 1, writer), None, "who reviews what the reviewer makes itself")
        call("PATCH", "tickets/1", title="分镜板")
        expect_equal("TICK-23", reviewers.of(home.db, 1, director), writer, "after a change of something else")
        call("PATCH", "tickets/1", reviewer_bot_id=None)
        expect_equal("TICK-23", reviewers.of(home.db, 1, director), None, "after it was taken away")
    at_work(home, events.Call("delegate", {"to": "文案", "ask": "看看分镜", "expects": "review", "ticket": 1}))
    expect_equal("TICK-23", reviewers.of(home.db, 1, director), writer, "who was asked for a review")
    home.sql("UPDATE delegations SET state = 'cancelled'")
    expect_equal("TICK-23", reviewers.of(home.db, 1, director), None, "once that is not open any more")


@proves("TICK-29")
def test_a_bot_sees_the_stages_of_tickets_and_of_its_tickets_parts(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.sql("INSERT INTO parts (ticket, name, stage) VALUES (1, 'C03', 'rework'), (1, 'C04', 'approved')")
    home.sql("INSERT INTO parts (ticket, name) VALUES (2, 'N1')")
    home.stands(1, "rework")
    home.stands(2, "in_review")
    text = home.context(at_work(home))
    expect("PLAN-25", "Ticket 01 of the plan: 分镜" in text, f"the tickets in {text}")
    for line in (
        "分镜 (rework, 导演",
        "旁白 (in_review",
        "Part C03 of this ticket: rework",
        "C04 of this ticket: approved",
    ):
        expect("TICK-29", line in text, f"“{line}” in {text}")
    expect("TICK-29", "Part N1" not in text, f"parts of another ticket in {text}")


@proves("TICK-30")
def test_what_is_dropped_or_parked_is_not_counted(tmp_path: Path) -> None:
    home = house(tmp_path)
    call = Client(home)
    home.stands(1, "approved")

    def counted() -> list[Any]:
        return [call("GET", "tasks/1").said["counted"], call("GET", "tasks").said["plans"][0]["counted"]]

    for each in counted():
        expect_equal("TICK-30", (each["percent"], each["said"]), (50, "1 open · 2 total"), "one of two")
    home.lead("导演", "剪辑组")
    at_work(home)
    for reason in ("", " "):
        expect_equal("TICK-30", (drop(home, 2, reason), stands(home, 2)[0]), ("refused", "todo"), "dropped for nothing")
    done = drop(home, 2, "旁白不要了")
    expect("TICK-30", done != "refused by the store", "a drop for a reason has that reason")
    expect_equal("TICK-16", (done, stands(home, 2)[0]), ("ok", "dropped"), "a drop of what is still to do")
    dropped = home.rows("SELECT stage, drop_reason FROM tickets WHERE id = 2")
    expect_equal("TICK-30", dropped, [("dropped", "旁白不要了")], "the ticket that was dropped")
    for each in counted():
        said = (each["percent"], each["said"])
        expect_equal("TICK-30", said, (100, "0 open · 1 total · 1 dropped or parked"), "with one dropped")
    expect("TICK-30", "0 open · 1 total · 1 dropped or parked" in mirrors.map_of(home.db, 1), "the same in the map")
    home.happens(events.TicketEdited, ticket=1, status="parked")
    aside = home.rows("SELECT stage, drop_reason FROM tickets WHERE id = 1")
    expect_equal("TICK-30", aside, [("dropped", None)], "what the user parks")
    for each in counted():
        expect_equal("TICK-30", (each["total"], each["percent"]), (0, None), "with none left")
    home.sql("INSERT INTO tickets (plan, number, title, folder, at) VALUES (1, 3, '片尾', 'x', 1)")
    bare = "INSERT INTO ticket_moves (ticket, event, stage, mover) VALUES (3, 1, 'dropped', 'lead')"
    expect("TICK-30", not raw(home, bare), "a ticket dropped by a lead without a reason")


@proves("TICK-31")
def test_a_bot_reads_of_no_dropped_ticket_and_who_did_what_is_done(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to="剪辑组", tickets=[("开场", "文案")])
    for level_ticket in ("封面", "片尾"):
        home.sql(
            "INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (1, ?, ?, 'x', 2, 1)",
            *((3, level_ticket) if level_ticket == "封面" else (4, level_ticket)),
        )
    at_work(home, write("a.png"))
    home.hop("导演", text="好了。")
    home.sql("UPDATE tickets SET owner = 2 WHERE id = 1")
    home.sql("UPDATE tickets SET drop_reason = '不要了' WHERE number = 3")
    cover, tail = (home.value("SELECT id FROM tickets WHERE number = ?", each) for each in (3, 4))
    home.stands(1, "approved")
    home.stands(cover, "dropped", "lead")
    home.stands(tail, "dropped")
    home.sql("INSERT INTO ticket_dependencies (ticket, needs) VALUES (1, 2)")
    text = home.context(at_work(home, ticket=2))
    expect("TICK-31", "封面" not in text, f"a dropped ticket in {text}")
    expect("TICK-29", "分镜 (approved" in text, f"how the tickets stand, in {text}")
    expect(
        "TICK-31", "分镜 (approved, done by 导演)" in text, f"who did the approved one, which waits for none: {text}"
    )
    expect("TICK-31", "片尾 (dropped)" in text, f"nobody on the parked one: {text}")
    expect("TICK-31", "旁白 (todo, 文案 is on it)" in text, f"who is on another: {text}")
    home.hop("导演", text="好。")
    own = home.context(at_work(home, ticket=cover))
    expect("TICK-31", "封面 (dropped)" in own, f"the turn's own ticket in {own}")


@proves("TICK-32")
def test_who_has_worked_enough_on_anothers_ticket_is_offered_as_reviewer(tmp_path: Path) -> None:
    for level, turns, offered in ((8, 4, False), (8, 5, True), (5, 5, True), (4, 5, False)):
        home = house(tmp_path, f"{level}{turns}", level)
        call = Client(home)
        ran = (
            "INSERT INTO turns (bot, session, work_item, plan, ticket, mode, state, end_reason, began_seq, began_at,"
            " ended_at) SELECT ?, 1, (SELECT id FROM work_items), 1, 1, 'work', 'completed', 'done', 1, 1, 2"
        )
        home.sql("INSERT INTO work_items (bot, plan, ticket, session) VALUES (2, 1, 1, 1)")
        for _ in range(turns):
            home.sql(ran, home.bot("文案"))
            home.sql(ran, home.bot("导演"))
        said = home.value("SELECT count(*) FROM messages")
        found = call("GET", "tickets/1").said.get("offered_reviewers")
        expect_equal("TICK-32", found, [home.bot("文案")] if offered else [], f"after {turns} turns at level {level}")
        expect_equal("TICK-32", home.value("SELECT count(*) FROM messages"), said, "the messages for it")
        home.sql("UPDATE tickets SET reviewer = ? WHERE id = 1", home.bot("画师"))
        expect_equal("TICK-32", call("GET", "tickets/1").said.get("offered_reviewers"), [], "with a reviewer set")
