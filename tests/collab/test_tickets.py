"""Tickets narrow work within a plan: each has its folder, and the files that its messages refer to."""

import sqlite3
from pathlib import Path

from evening import Evening, shell, work_on, write

from harness.expect import expect, expect_equal, proves


def house(tmp_path: Path) -> Evening:
    return Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})


def folder(home: Evening, table: str, id_: int) -> str:
    """Where a plan's or ticket's work is done."""
    return str(home.value(f"SELECT folder FROM {table} WHERE id = ?", id_))


@proves("TICK-05")
def test_a_choice_of_work_takes_a_ticket_of_its_plan_only(tmp_path: Path) -> None:
    home = house(tmp_path)
    first = home.opened("新品片", to="导演", tickets=[("分镜", "导演")])
    home.opened("海报", to="导演", tickets=[("底图", "导演")])
    home.say("接着做", to="导演")
    home.hop("导演", work_on(plan=first, ticket=2))
    turn = home.turn("导演")
    expect_equal("TICK-05", (turn["plan"], turn["ticket"]), (None, None), "work taken with another plan's ticket")
    home.hop("导演", work_on(plan=first, ticket=1))
    turn = home.turn("导演")
    expect_equal("TICK-05", (turn["plan"], turn["ticket"]), (first, 1), "work taken with a ticket of its own plan")
    home.say("做一个 logo", to="文案", files="unclear")
    home.hop("文案", work_on(new={"title": "标志"}, ticket={"new": {"title": "标志图"}}))
    turn = home.turn("文案")
    made = home.rows("SELECT plan, title FROM tickets WHERE id = ?", turn["ticket"])
    expect_equal("TICK-05", made, [(turn["plan"], "标志图")], "the ticket made for a new matter")


@proves("TICK-06")
def test_the_folder_is_that_of_the_works_own_matter(tmp_path: Path) -> None:
    home = house(tmp_path)
    other = home.opened("海报", to="剪辑组", tickets=[("底图", "文案")])
    plan = home.opened("新品片", to="剪辑组")
    home.say("@文案 写旁白", to="剪辑组", files=[plan])
    expect_equal("TICK-06", home.turn("文案")["cwd"], folder(home, "plans", plan), f"where it works, beside {other}")
    home.hop("文案", text="好了。")
    home.say("@导演 先出分镜", to="剪辑组", files=[plan])
    home.hop("导演", work_on(plan=plan, ticket={"new": {"title": "分镜"}}))
    ticket = home.turn("导演")["ticket"]
    home.hop("导演", write("board.png"))
    home.sql("UPDATE tickets SET owner = NULL WHERE title = '分镜'")
    home.hop("导演", text="@文案 分镜在这里，你写旁白")
    said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    expect_equal("ATTR-07", home.filed(said), [(plan, ticket)], "what a Bot's message is filed to: its own work")
    woken = home.turn("文案")
    at = (woken["trigger_message"], woken["ticket"], woken["cwd"])
    expect_equal("TICK-06", at, (said, None, folder(home, "plans", plan)), "where the Bot works that it wakes")


@proves("TICK-08")
def test_a_bot_that_is_handed_anothers_ticket_works_on_its_own_at_first(tmp_path: Path) -> None:
    for level in (0, 1, 2):
        # Whose ticket it is that is handed on, which the writer has open besides, and which it then works on.
        cases = (
            ("导演", ["旁白", "片名"], "分镜"),
            ("导演", ["旁白"], "旁白"),
            ("导演", [], "分镜"),
            ("文案", ["旁白"], "分镜"),
            (None, ["旁白"], "分镜"),
        )
        for at, (owner, open_, wanted) in enumerate(cases):
            (tmp_path / f"{level}-{at}").mkdir()
            home = Evening(
                tmp_path / f"{level}-{at}", bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level
            )
            others = [("片尾", "导演"), ("海报", "文案"), *((title, "文案") for title in open_)]
            plan = home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演"), *others])
            home.sql("UPDATE tickets SET status = 'done' WHERE title = '海报'")
            home.say("@导演 先出分镜", to="剪辑组", files=[(plan, 1)])
            home.hop("导演", write("board.png"))
            home.sql("UPDATE tickets SET owner = ? WHERE id = 1", owner and home.bot(owner))
            home.hop("导演", text="@文案 分镜在这里，你接着做")
            said = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
            expect_equal("ATTR-07", home.filed(said), [(plan, 1)], f"what is handed on, at level {level}")
            woken = home.turn("文案")
            title = home.value("SELECT title FROM tickets WHERE id = ?", woken["ticket"])
            if level == 2:
                expect_equal("TICK-06", title, None, f"the ticket that is worked on, handed {owner}'s, with {open_}")
                continue
            expect_equal("TICK-08", title, wanted, f"at level {level}, handed {owner}'s, with {open_} open")
            expect_equal("TICK-08", woken["cwd"], folder(home, "tickets", woken["ticket"]), "where it works")
            home.hop("文案", shell("render"))
            expect_equal("TICK-08", home.ran[-1]["folder"], woken["cwd"], "where its calls run")
        home.hop("文案", text="好。")
        home.say("@文案 分镜你来画", to="剪辑组", files=[(plan, 1)])
        own = home.turn("文案")["ticket"]
        expect_equal("TICK-08", own, 1, f"the ticket that the user names at level {level}, which is nobody's")
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=1)
    plan = home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演"), ("旁白", "文案")])
    home.say("@文案 分镜你来画", to="剪辑组", files=[(plan, 1)])
    expect_equal("TICK-08", home.turn("文案")["ticket"], 1, "the ticket of another that the user names")


@proves("TICK-07")
def test_two_tickets_of_a_plan_are_one_segment_of_a_bot(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("新品片", to="导演", tickets=[("分镜", "导演"), ("封面", "导演")])
    for ticket in (1, 2):
        home.say("看这里", to="导演", attach=[f"{folder(home, 'tickets', ticket)}/a.png"])
    expect_equal("TICK-07", [turn["ticket"] for turn in home.live("导演")], [1], "tickets worked on at once")
    home.sql("INSERT INTO work_items (bot, plan, ticket, session) SELECT bot, plan, 2, session FROM live_turns")
    second = (
        "INSERT INTO turns (bot, session, work_item, plan, ticket, mode, state, began_seq, began_at)"
        " SELECT bot, session, (SELECT max(id) FROM work_items), plan, 2, 'work', 'running', began_seq, 0"
        " FROM live_turns"
    )
    try:
        home.sql(second)
    except sqlite3.IntegrityError:
        return
    expect("TICK-07", False, "the store takes no second live segment for another ticket of the plan")


@proves("TICK-13")
def test_each_ticket_has_its_folder_and_work_without_one_the_plans(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="剪辑组", tickets=[("分镜", "导演"), ("封面 图", "文案")])
    root = folder(home, "plans", plan)
    folders = [folder(home, "tickets", ticket) for ticket in (1, 2)]
    expect_equal("TICK-13", folders, [f"{root}/01-分镜", f"{root}/02-封面-图"], "the tickets' folders")
    home.say("@导演 看这里", to="剪辑组", attach=[f"{folders[0]}/a.png"])
    home.hop("导演", shell("render a"))
    home.hop("导演", text="好了。")
    home.say("@导演 整体看一下", to="剪辑组", files=[plan])
    home.hop("导演", shell("render b"))
    ran = [body["folder"] for body in home.ran]
    expect_equal("TICK-13", ran, [folders[0], root], "where calls of a ticket's segment and of the plan's run")


@proves("TICK-14")
def test_files_belong_to_the_ticket_of_the_message_that_refers_to_them(tmp_path: Path) -> None:
    home = house(tmp_path)
    plan = home.opened("新品片", to="导演", tickets=[("分镜", "导演"), ("封面", "导演")])
    line = home.say("照这个做", to="导演", attach=["in/logo.png", f"{folder(home, 'tickets', 2)}/a.png"])
    kept = home.rows("SELECT path, plan, ticket FROM artifacts WHERE message = ? ORDER BY id", line)
    wanted = [("in/logo.png", plan, 2), (f"{folder(home, 'tickets', 2)}/a.png", plan, 2)]
    expect_equal("TICK-14", kept, wanted, "the files of a message that is filed to ticket 2, where they lie")
    expect_equal("TICK-14", home.ran, [], "what was done to the files")
    home.hop("导演", shell("cp in/logo.png logo.png"))
    expect_equal("TICK-14", len(home.ran), 1, "what is done to them once their Bot does it")
