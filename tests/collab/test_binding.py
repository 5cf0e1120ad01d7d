"""Binding: a Bot's choice of its work, its one change of folder, and what becomes of the lines it was given."""

from pathlib import Path

from evening import DOWN, Evening, shell, work_on, write

from harness.expect import expect_equal, proves
from threadrebuild.collab import events


def household(folder: Path, name: str = "home", plans: tuple[str, ...] = (), tickets: tuple[str, ...] = ()) -> Evening:
    """A director in its direct chat, with these plans open there, each with these tickets of its own."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案"])
    for plan in plans:
        home.opened(plan, to="导演", tickets=[(title, "导演") for title in tickets])
    return home


def bound(home: Evening) -> list[tuple[int | None, int | None]]:
    """Plan and ticket of the director's live segments."""
    return [(turn["plan"], turn["ticket"]) for turn in home.live("导演")]


def answers(home: Evening) -> list[str]:
    """How the calls of the director's newest turn went."""
    return [state for _, state, _ in home.results(home.turn("导演")["id"])]


def on_ticket(home: Evening, ticket: int) -> None:
    """A line that lies in a ticket's folder opens a segment of the director on that ticket."""
    folder = home.value("SELECT folder FROM tickets WHERE id = ?", ticket)
    home.say("看一下这张", to="导演", attach=[f"{folder}/a.png"])


@proves("DESK-07")
def test_a_new_plan_stands_on_the_line_cited_else_on_the_one_that_opened_the_segment(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("甲", "乙", "丙"))
    earlier = home.say("顺便做一个 logo", to="导演", files=DOWN)
    home.hop("导演", text="好。")
    line = home.say("Payoneer + Stripe 能通吗", to="导演", files=DOWN)
    home.hop("导演", work_on(new={"title": "Stripe"}))
    opening = "SELECT opened_by_message, name, opening FROM plans ORDER BY id DESC"
    expect_equal("DESK-07", home.rows(opening)[0], (line, "Stripe", "Payoneer + Stripe 能通吗"), "the newest plan")
    expect_equal("DESK-07", (bound(home), home.filed(line)), ([(4, None)], [(4, None)]), "the segment and its line")
    home.hop("导演", text="能通。")
    home.say("那就开始吧", to="导演", files=DOWN)
    home.hop("导演", work_on(new={"title": "logo"}, quote_message_id=earlier))
    expect_equal("DESK-07", home.rows(opening)[0], (earlier, "logo", "顺便做一个 logo"), "the plan on a line cited")
    home.hop("导演", text="好了。")
    home.say("看看甲", to="导演", files=DOWN)
    home.hop("导演", work_on(plan=1))
    expect_equal("DESK-07", bound(home), [(1, None)], "the candidate chosen")


@proves("DESK-08")
def test_a_plan_stands_on_no_other_words_than_the_users_in_this_session(tmp_path: Path) -> None:
    home = household(tmp_path)
    elsewhere = home.say("做一张海报", to="文案")
    home.say("在吗", to="导演")
    home.hop("导演", text="要不要做一个 logo？")
    reply = home.value("SELECT id FROM messages WHERE author = 'bot'")
    for cited in (reply, elsewhere):
        line = home.say("行", to="导演")
        home.hop("导演", work_on(new={"title": "logo"}, quote_message_id=cited))
        expect_equal("DESK-08", (home.plans(), answers(home)[-1:]), ([], ["refused"]), f"on message {cited}")
        expect_equal("DESK-08", home.turn("导演")["bounces"], 1, "bounces so far")
        if cited == reply:
            home.hop("导演", text="没有这句。")
    home.hop("导演", work_on(new={"title": "logo"}, quote_message_id=line))
    expect_equal("DESK-08", (home.plans(), home.turn("导演")["bounces"]), (["logo"], 1), "on the user's line here")


@proves("DESK-08")
def test_what_no_message_is_called_is_refused(tmp_path: Path) -> None:
    for number, cited in enumerate((99, "1", -1, 1.5)):
        home = household(tmp_path, f"{number}")
        home.say("做一个 logo", to="导演")
        home.hop("导演", work_on(new={"title": "logo"}, quote_message_id=cited))
        expect_equal(
            "DESK-08", (home.plans(), answers(home), home.turn("导演")["bounces"]), ([], ["refused"], 1), f"{cited}"
        )


@proves("DESK-13")
def test_what_began_on_the_spot_may_open_a_plan_for_a_deliverable(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("查一下有几家供应商", to="导演", files="spot")
    home.hop("导演", shell("curl suppliers"))
    home.hop("导演", work_on(new={"title": "供应商报告"}), write("report.md"))
    expect_equal(
        "DESK-13", (home.plans(), bound(home)), (["供应商报告"], [(1, None)]), "the plan, and what is worked on"
    )
    folders = [each["folder"] for each in home.ran]
    expect_equal("DESK-13", folders, ["", "work/001-供应商报告"], "where the calls ran")


@proves("DESK-21")
def test_choosing_is_not_having_a_slot(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("甲", "乙", "丙"))
    for plan in (1, 2):
        home.say("做", to="导演", files=[plan])
    line = home.say("还有一件", to="导演", attach=["brief.pdf"])
    desk = next(turn["id"] for turn in home.live("导演") if turn["mode"] == "desk")
    home.hop("导演", events.Call("send_message", {"text": "我看看。"}), work_on(plan=3), write("c.md"), turn=desk)
    expect_equal("DESK-21", home.said("bot"), ["我看看。"], "what the desk still says")
    working = [turn["plan"] for turn in home.live("导演") if turn["mode"] == "work"]
    expect_equal("DESK-21", working, [1, 2], "plans worked on")
    ended = home.rows("SELECT state, end_reason FROM turns WHERE id = ?", desk)
    expect_equal("DESK-21", (ended, home.ran), ([("completed", "queued")], []), "how the desk ended, and what ran")
    queued = home.rows(
        "SELECT w.plan, i.message FROM work_items w JOIN inbox_items i ON i.work_item = w.id"
        " WHERE w.state = 'queued' AND i.state = 'queued'"
    )
    expect_equal("DESK-21", queued, [(3, line)], "what is queued, with the line itself")
    home.hop("导演", text="甲好了。", plan=1)
    expect_equal(
        "DESK-21", [turn["trigger_message"] for turn in home.live("导演") if turn["plan"] == 3], [line], "later"
    )


@proves("DESK-23")
def test_a_ticket_is_named_or_made_and_further_work_of_ones_own_added(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("甲", "乙"), tickets=("海报", "口号"))
    line = home.say("海报改成竖版，乙那边也一样", to="导演")
    home.sql("INSERT INTO work_items (bot, plan, ticket, session) VALUES (?, 2, 3, 1)", home.bot("导演"))
    home.sql("INSERT INTO work_items (bot, plan, session) VALUES (?, 2, 1)", home.bot("文案"))
    home.hop("导演", work_on(plan=1, ticket=2, also=[2]))
    expect_equal("DESK-23", bound(home), [(1, 2), (2, 3)], "the ticket chosen, and the further work")
    expect_equal("DESK-23", home.filed(line), [(1, 2), (2, 3)], "what the line is filed to")
    other = home.rows("SELECT plan, trigger_message FROM live_turns WHERE plan = 2")
    expect_equal("DESK-23", other, [(2, line)], "the further work that reads the line")


@proves("DESK-23")
def test_further_work_on_the_plan_chosen_is_this_segments_own(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("甲",), tickets=("海报", "口号"))
    line = home.say("海报和口号都改", to="导演")
    for ticket in (None, 2):
        home.sql("INSERT INTO work_items (bot, plan, ticket, session) VALUES (?, 1, ?, 1)", home.bot("导演"), ticket)
    home.hop("导演", work_on(plan=1, ticket=1, also=[2, 3]))
    expect_equal("DESK-23", home.filed(line), [(1, 1), (1, None), (1, 2)], "what the line is filed to")
    unread = home.rows("SELECT work_item FROM inbox_items WHERE state = 'queued'")
    expect_equal("DESK-23", (unread, bound(home)), ([], [(1, 1)]), "copies that wait, and what is worked on")


@proves("DESK-23")
def test_nothing_is_added_that_is_not_ones_own_open_candidate(tmp_path: Path) -> None:
    outcomes = {"anothers": "refused", "closed": "refused", "no candidate": "refused", "own": "ok"}
    for name, state in outcomes.items():
        home = household(tmp_path, name, plans=("甲", "乙"))
        home.say("两边都改", to="导演")
        elsewhere = home.opened("丙", to="文案")
        bot = home.bot("文案" if name == "anothers" else "导演")
        plan = elsewhere if name == "no candidate" else 2
        item_state = "closed" if name == "closed" else "idle"
        home.sql(
            "INSERT INTO work_items (id, bot, plan, session, state) VALUES (50, ?, ?, 1, ?)", bot, plan, item_state
        )
        home.hop("导演", work_on(plan=1, also=[50]))
        answered = home.value("SELECT state FROM calls")
        expect_equal("DESK-23", answered, state, f"the answer to further work that is {name}")


@proves("DESK-23")
def test_a_new_ticket_is_made_in_the_plan_chosen(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("甲",))
    home.say("加一张横幅", to="导演")
    home.hop("导演", work_on(plan=1, ticket={"new": {"title": "横幅"}}))
    made = home.rows("SELECT t.plan, t.title, b.name FROM tickets t JOIN bots b ON b.id = t.owner")
    expect_equal("DESK-23", (made, bound(home)), ([(1, "横幅", "导演")], [(1, 1)]), "the ticket and who works on it")


@proves("DESK-25")
def test_going_down_to_an_own_ticket_leaves_the_line_at_the_plan(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",), tickets=("竖版海报", "三句宣传语"))
    line = home.say("竖版海报和三句宣传语", to="导演", files=[1])
    home.hop("导演", work_on(plan=1, ticket=1), write("poster.png"))
    expect_equal("DESK-25", home.filed(line), [(1, None)], "what the line is filed to")
    expect_equal(
        "DESK-25", [each["folder"].split("/")[-1] for each in home.ran], ["01-竖版海报"], "where it is worked on"
    )
    other = home.say("海报颜色不对", to="文案")
    home.sql("INSERT INTO work_items (bot, plan, session) VALUES (?, 1, ?)", home.bot("文案"), home.session("文案"))
    third = home.say("海报还是不对", to="文案")
    home.hop("文案", text="好。")
    home.hop("文案", work_on(plan=1, ticket=1))
    expect_equal(
        "DESK-25", (home.filed(other), home.filed(third)), ([], [(1, 1)]), "a choice at the desk files its line"
    )


@proves("DESK-26")
def test_a_target_the_user_pointed_to_cannot_be_dropped(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",))
    earlier = home.say("做片头", to="导演", files=[1])
    home.hop("导演", text="好。")
    line = home.say("另做一版海报", to="导演", reply_to=earlier)
    home.hop("导演", work_on(new={"title": "海报"}))
    expect_equal("DESK-26", (home.plans(), bound(home)), (["新品片"], [(1, None)]), "plans, and what is worked on")
    expect_equal("DESK-26", (home.filed(line), answers(home)), ([(1, None)], ["refused"]), "filings, and the answer")


@proves("DESK-26")
def test_a_default_target_is_split_off_before_the_first_action(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",))
    line = home.say("另做一版海报", to="导演", files=[1])
    home.hop("导演", work_on(new={"title": "海报"}), write("a.png"))
    expect_equal(
        "DESK-26", (home.plans(), bound(home)), (["新品片", "海报"], [(2, None)]), "plans, and what is worked on"
    )
    cited = home.value("SELECT opened_by_message FROM plans WHERE id = 2")
    expect_equal("DESK-26", (home.filed(line), cited), ([(2, None)], line), "filings, and what the new plan cites")


@proves("DESK-29")
def test_a_wrong_default_is_split_off_once(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",))
    home.say("另做一版海报", to="导演", files=[1])
    home.hop("导演", work_on(new={"title": "海报"}))
    home.hop("导演", work_on(new={"title": "再一件"}))
    expect_equal(
        "DESK-29", (home.plans(), bound(home)), (["新品片", "海报"], [(2, None)]), "plans, and what is worked on"
    )
    expect_equal("DESK-29", home.turn("导演")["cwd_changes"], 1, "changes of folder")


@proves("DESK-30")
def test_after_an_action_a_segment_goes_nowhere_else(tmp_path: Path) -> None:
    for number, action in enumerate((write("a.png"), shell("render"))):
        home = household(tmp_path, f"plan-{number}", plans=("新品片",))
        home.say("另做一版海报", to="导演", files=[1])
        home.hop("导演", action)
        home.hop("导演", work_on(new={"title": "海报"}))
        expect_equal("DESK-30", (home.plans(), bound(home)), (["新品片"], [(1, None)]), "after work in the plan")
        home = household(tmp_path, f"ticket-{number}", plans=("新品片",), tickets=("海报", "口号"))
        on_ticket(home, 1)
        home.hop("导演", action)
        home.hop("导演", work_on(plan=1, ticket=2))
        expect_equal("DESK-30", (answers(home)[-1:], bound(home)), (["refused"], [(1, 1)]), "after work on a ticket")
    home = household(tmp_path, "untouched", plans=("新品片",))
    home.say("另做一版海报", to="导演", files=[1])
    home.hop("导演", work_on(new={"title": "海报"}))
    expect_equal("DESK-30", bound(home), [(2, None)], "what an untouched segment works on")


@proves("DESK-31")
def test_an_untouched_segment_may_take_another_ticket_of_its_plan(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",), tickets=("海报", "口号"))
    on_ticket(home, 2)
    home.hop("导演", events.Call("read_file", {"path": "brief.md"}))
    home.hop("导演", work_on(plan=1, ticket=1))
    expect_equal("DESK-31", bound(home), [(1, 1)], "the ticket worked on")
    expect_equal("DESK-31", home.turn("导演")["cwd_changes"], 0, "changes of folder that this used")
    home.hop("导演", write("a.png"))
    expect_equal("DESK-31", [each["folder"].split("/")[-1] for each in home.ran[-1:]], ["01-海报"], "where it writes")
    items = home.rows("SELECT ticket, state FROM work_items ORDER BY ticket")
    expect_equal("DESK-31", items, [(1, "running"), (2, "idle")], "the work items")


@proves("DESK-32")
def test_from_the_whole_plan_an_own_ticket_is_no_other_folder(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",), tickets=("海报",))
    home.say("海报改横版", to="导演", files=[1])
    home.hop("导演", write("poster.png"))
    home.hop("导演", work_on(plan=1, ticket=1))
    expect_equal("DESK-32", (answers(home), bound(home)), (["ok", "ok"], [(1, 1)]), "the calls, and what is worked on")
    expect_equal("DESK-32", home.turn("导演")["cwd_changes"], 0, "changes of folder that this used")
    home = household(tmp_path, "anothers", plans=("新品片",))
    home.sql(
        "INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (1, 1, '口号', 'work/x', ?, 1)",
        home.bot("文案"),
    )
    home.say("口号改英文", to="导演", files=[1])
    home.hop("导演", write("copy.md"))
    home.hop("导演", work_on(plan=1, ticket=1))
    expect_equal("DESK-32", bound(home), [(1, None)], "what is worked on where the ticket is another's")


@proves("DESK-36")
def test_a_read_only_answer_takes_up_no_work(tmp_path: Path) -> None:
    home = household(tmp_path, plans=("新品片",))
    home.say("在吗", to="导演")
    turn = home.turn("导演")["id"]
    home.sql("UPDATE turns SET mode = 'readonly', work_item = NULL WHERE id = ?", turn)
    for call in (work_on(plan=1), work_on(new={"title": "海报"})):
        home.hop("导演", call)
    expect_equal("DESK-36", (answers(home), home.plans()), (["refused", "refused"], ["新品片"]), "answers, and plans")
    expect_equal("DESK-36", home.turn("导演")["mode"], "readonly", "what the segment still is")
