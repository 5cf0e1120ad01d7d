"""The old path at its last level, and the same at the next one, where a line is read by the work it belongs to."""

from pathlib import Path

from evening import Evening, shell, work_on
from outside import hopped, ran

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

OLD, NEW = 1, 2


def _at(folder: Path, level: int) -> Evening:
    """导演 and 文案 in a group, at a level."""
    (folder / str(level)).mkdir()
    return Evening(folder / str(level), bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]}, level=level)


def _level(evening: Evening) -> int:
    return int(evening.value("SELECT level FROM meta"))


def _states(evening: Evening, bot: str) -> list[str]:
    return [turn["state"] for turn in evening.turns(bot)]


@proves("REDIR-03")
def test_each_new_line_restarts_a_bot_on_the_old_path_only(tmp_path: Path) -> None:
    for level, wanted in ((OLD, ["redirected", "redirected", "running"]), (NEW, ["running"])):
        evening = _at(tmp_path, level)
        plan = evening.opened("新品片", to="剪辑组")
        for line in ("@导演 排一下镜头", "@导演 改成竖版", "@导演 加个片尾"):
            evening.say(line, to="剪辑组", files=[plan])
        expect("DESK-01", {turn["mode"] for turn in evening.turns("导演")} == {"work"}, "no filed line opens a desk")
        expect_equal("REDIR-03", _states(evening, "导演"), wanted, f"turns after three lines at level {level}")


@proves("REDIR-04")
def test_a_mention_stops_nothing_from_level_2_on(tmp_path: Path) -> None:
    for level, wanted in ((OLD, "unknown"), (NEW, "started")):
        evening = _at(tmp_path, level)
        plan = evening.opened("新品片", to="剪辑组")
        evening.say("@导演 渲染样片", to="剪辑组", files=[plan])
        hopped(evening, "导演", shell("render all"))
        first = evening.turns("导演")[0]["id"]
        evening.say("@导演 先别渲染了", to="剪辑组", files=[plan])
        state = evening.results(first)[-1][1]
        expect_equal("REDIR-04", state, wanted, f"the command that runs while its Bot is mentioned, at level {level}")
    ran(evening, "导演", output="rendered")
    expect_equal("REDIR-04", evening.results(first)[-1][1], "ok", "the command, once it has come to its end")


@proves("REDIR-06")
def test_a_line_to_one_bot_ends_nobody_elses_turn(tmp_path: Path) -> None:
    for level in (OLD, NEW):
        evening = _at(tmp_path, level)
        plan = evening.opened("新品片", to="剪辑组")
        evening.say("@导演 排一下镜头", to="剪辑组", files=[plan])
        evening.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
        expect_equal("REDIR-06", _states(evening, "导演"), ["running"], f"turns of the other Bot at level {level}")
        expect_equal("REDIR-06", _states(evening, "文案"), ["running"], f"turns of the receiver at level {level}")


@proves("TURN-28")
def test_one_turn_a_bot_in_a_group_and_forks_are_of_the_old_path(tmp_path: Path) -> None:
    old, new = _at(tmp_path, OLD), _at(tmp_path, NEW)
    quick = ("写三句宣传语", "落款写鲸落影业")
    plans = {
        _level(evening): [evening.opened(name, to="剪辑组") for name in ("新品片", "海报")] for evening in (old, new)
    }
    for line in quick:
        old.say(line, to="文案", files=plans[OLD][:1])
    expect_equal("FORK-01", _states(old, "文案"), ["running", "running"], "two lines in a direct chat on the old path")
    for evening, wanted in ((old, ["redirected", "running"]), (new, ["running", "running"])):
        for plan in plans[_level(evening)]:
            evening.say("@导演 开工", to="剪辑组", files=[plan])
        expect_equal("TURN-28", _states(evening, "导演"), wanted, f"two plans in a group at level {_level(evening)}")
    for line in quick:
        new.say(line, to="文案", files=plans[NEW][:1])
    expect_equal("TURN-28", _states(new, "文案"), ["running"], "two lines on one plan in a direct chat at level 2")


@proves("REDIR-05")
def test_a_colleague_is_heard_and_what_waited_is_read_by_the_turn_that_begins(tmp_path: Path) -> None:
    evening = _at(tmp_path, OLD)
    evening.say("@导演 剪一版样片", to="剪辑组")
    hopped(evening, "导演", events.Call("write_file", {"path": "cut-1.md"}))
    ran(evening, "导演", written=("cut-1.md",))
    hopped(evening, "导演", shell("render a"))
    evening.say("@文案 写三句宣传语", to="剪辑组")
    hopped(evening, "文案", text="@导演 宣传语在 slogans.md")
    expect_equal("REDIR-05", _states(evening, "导演"), ["running"], "turns after a colleague's line")
    evening.say("@导演 改成竖版", to="剪辑组")
    turn = evening.turn("导演")
    expect_equal("REDIR-05", _states(evening, "导演"), ["redirected", "running"], "turns after a line of the user")
    said = evening.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    expect_equal("REDIR-05", evening.read_in(said, "导演"), [turn["id"]], "who reads what waited in the inbox")
    for known in ("cut-1.md", "render a", "宣传语在 slogans.md"):
        expect("REDIR-05", known in evening.context(turn["id"]), f"{known} stands in the first hop of the new turn")
    evening.say("@导演 再短一点", to="剪辑组")
    expect("REDIR-05", "cut-1.md" in evening.context(evening.turn("导演")["id"]), "a further turn knows it too")


def _took_up(evening: Evening) -> int:
    """导演 has opened a plan on a line of the user, and is at work on it; returns that turn."""
    line = evening.say("@导演 剪一版样片", to="剪辑组")
    evening.hop("导演", work_on(new={"title": "样片"}, quote_message_id=line))
    turn = evening.turn("导演")
    expect("WORK-02", turn["plan"] is not None, f"it is at work on the plan: {evening.results(turn['id'])}")
    return int(turn["id"])


@proves("REDIR-01")
def test_where_a_bot_is_at_two_things_one_of_them_is_redirected(tmp_path: Path) -> None:
    evening = _at(tmp_path, OLD)
    first = _took_up(evening)
    evening.crash()
    evening.sql("UPDATE plans SET current_of = NULL")
    evening.say("@导演 看看片头", to="剪辑组")
    evening.press(first)
    at_work = [(turn["plan"] is not None, turn["session"]) for turn in evening.live("导演")]
    here = evening.session("剪辑组")
    expect_equal("WORK-17", at_work, [(False, here), (True, here)], "the desk's turn, and the one that goes on")
    evening.say("@导演 改成竖版", to="剪辑组")
    beside = [turn["id"] for turn in evening.live("导演") if turn["work_item"] is None]
    expect_equal("HOLD-60", beside, [], "what runs beside in a group where nothing is held")
    expect_equal(
        "REDIR-01", _states(evening, "导演"), ["interrupted", "redirected", "running", "running"], "what a line ends"
    )


@proves("REDIR-05")
def test_a_colleague_is_heard_by_what_was_taken_up_and_its_words_go_along(tmp_path: Path) -> None:
    evening = _at(tmp_path, OLD)
    first = _took_up(evening)
    evening.say("@文案 写三句宣传语", to="剪辑组")
    hopped(evening, "文案", text="@导演 宣传语在 slogans.md")
    said = evening.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    hopped(evening, "导演", events.Call("read_file", {"path": "cut.md"}))
    expect_equal("REDIR-05", evening.read_in(said, "导演"), [], "who has read it while a tool runs")
    ran(evening, "导演")
    expect_equal("REDIR-05", evening.read_in(said, "导演"), [first], "who hears a colleague")
    hopped(evening, "导演", events.Call("read_file", {"path": "cut.md"}))
    evening.say("@文案 再写一句", to="剪辑组")
    hopped(evening, "文案", text="@导演 片名叫《鲸落》")
    said = evening.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    evening.say("@导演 改成竖版", to="剪辑组")
    expect_equal("REDIR-05", evening.read_in(said, "导演"), [evening.turn("导演")["id"]], "who reads what waited")
    expect_equal("REDIR-05", _states(evening, "导演"), ["redirected", "running"], "turns after a line of the user")
    state = evening.value("SELECT w.state FROM work_items w JOIN turns t ON t.work_item = w.id WHERE t.id = ?", first)
    expect_equal("WORK-14", state, "idle", "the work that has nothing left to read")
