"""What a line could be about: plans of its place, of its Bots' own work, and of the lines just before it."""

from pathlib import Path

from evening import DOWN, NINE
from readings import filing, household, offered, read_as, says

from harness.expect import expect_equal, proves

DAY = 24 * 3_600_000


@proves("ATTR-12")
def test_candidates_are_of_the_place_and_of_its_bots_own_work(tmp_path: Path) -> None:
    home, (here, sleeping, gone, done) = household(tmp_path / "a", "此地", "休眠", "作废", "交付")
    home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", sleeping)
    home.sql("UPDATE plans SET status = 'accepted' WHERE id = ?", gone)
    home.sql("UPDATE plans SET status = 'delivered' WHERE id = ?", done)
    far, other = home.opened("远处", to="导演"), home.opened("文案的", to="文案")
    for plan, bot in ((far, "导演"), (other, "文案")):
        home.say("做起来", to=bot, files=[plan])
    for _ in range(6):
        home.say("说点别的", to="剪辑组", files=DOWN)
    elsewhere = offered(home, says(home, "换成红色", to="文案"))
    expect_equal("ATTR-13", elsewhere, [other], "what is offered in another place")
    line = says(home, "@导演 换成红色", to="剪辑组")
    expect_equal("ATTR-12", offered(home, line), [here, done, far], "with the Bot named")
    read_as(home, line)
    line = says(home, "换成红色", to="剪辑组")
    expect_equal("ATTR-12", offered(home, line), [here, done, far, other], "with no Bot named: of all in the group")


@proves("ATTR-12")
def test_work_that_was_closed_counts_for_a_day(tmp_path: Path) -> None:
    for number, (later, wanted) in enumerate(((DAY, True), (DAY + 1, False))):
        home, _ = household(tmp_path / f"{number}")
        far = home.opened("远处", to="文案")
        home.say("@导演 你好", to="剪辑组", files=DOWN)
        home.sql("INSERT INTO work_items (bot, plan, session, state) VALUES (?, ?, 1, 'closed')", home.bot("导演"), far)
        home.sql(
            "INSERT INTO turns (bot, session, work_item, plan, mode, state, began_seq, began_at, ended_at, end_reason)"
            " VALUES (?, 1, (SELECT max(id) FROM work_items), ?, 'work', 'completed', 1, 1, ?, 'answered')",
            home.bot("导演"),
            far,
            NINE + DAY,
        )
        home.now = NINE + DAY + later - 1000
        line = says(home, "@导演 换成红色", to="剪辑组")
        expect_equal("ATTR-12", far in offered(home, line), wanted, f"offered {later} ms after its end")


@proves("ATTR-12")
def test_a_chat_between_bots_sees_the_plans_of_where_it_was_opened(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    home.sql("INSERT INTO sessions (kind, title, opened_by, source) VALUES ('bots', '↔', 1, ?)", home.session("剪辑组"))
    home.sql("INSERT INTO session_participants (session, bot, since) VALUES (?, 2, 1)", home.session("↔"))
    line = says(home, "换成红色", to="↔")
    expect_equal("ATTR-12", offered(home, line), [film], "what a line in the chat between Bots could be about")


@proves("ATTR-13")
def test_being_a_member_is_not_enough(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    line = says(home, "换成红色", to="导演")
    expect_equal("ATTR-13", offered(home, line), [], "what a group's plan is to a direct chat")
    read_as(home, line, filing=filing({"plan": film}))
    expect_equal("ATTR-13", home.filed(line), [], "what it is filed to")
    home.say("@导演 做起来", to="剪辑组", files=[film])
    line = says(home, "换成红色", to="导演")
    expect_equal("ATTR-12", offered(home, line), [film], "once its Bot has worked on it")


@proves("ATTR-14")
def test_plans_of_the_six_lines_before_are_candidates(tmp_path: Path) -> None:
    for number, (status, between, wanted) in enumerate(
        (("active", 5, True), ("active", 6, False), ("done", 5, True), ("accepted", 5, False), ("abandoned", 5, False))
    ):
        home, (first, report) = household(tmp_path / f"{number}", "地址", "日报")
        far = home.opened("私聊里的", to="文案")
        said = says(home, "今天的日报", to="剪辑组")
        read_as(home, said)
        for ord_, plan in enumerate((first, report, far)):
            home.sql(
                "INSERT INTO message_filings (message, ord, plan, locked, filed_by) VALUES (?, ?, ?, 0, 'desk')",
                said,
                ord_,
                plan,
            )
        home.sql("UPDATE plans SET dormant = 1, standing = 1, status = ? WHERE id = ?", status, report)
        for _ in range(between):
            home.say("好", to="剪辑组", files=DOWN)
        home.sql(
            "INSERT INTO messages (session, author, seq, at, text, state, only_for)"
            " VALUES (3, 'app', 1, 1, '', 'delivered', 1)"  # What one Bot alone reads is none of the six.
        )
        line = says(home, "@导演 标题跟 LOGO 没有对齐", to="剪辑组")
        expect_equal("ATTR-14", report in offered(home, line), wanted, f"the {status} report, {between} lines later")
        expect_equal("ATTR-14", far in offered(home, line), between == 5, f"another's, {between} lines later")
