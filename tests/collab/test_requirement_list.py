"""The one list of what is required of a plan: how a Bot reads it, what the user sees, and its buttons."""

from pathlib import Path
from typing import Any

from evening import Evening
from ledger import IN_FORCE, LEGACY, PENDING, act, begun, board, in_force, numbers, read, state
from requests_over_http import WAYS, Client
from scribing import FILM, ROOM

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def house(tmp_path: Path) -> tuple[Evening, int, int]:
    """Two plans of one conversation; the first has two tickets."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    home = Evening(tmp_path, bots=["导演"], rooms={ROOM: ["导演"]})
    home.lead("导演", ROOM)
    plan = home.opened(FILM, to=ROOM, tickets=[("分镜", "导演"), ("配乐", "导演")])
    return home, plan, home.opened("第二支片", to=ROOM)


def said(home: Evening, words: str, plan: int, *, number: int, times: int = 1, **more: Any) -> None:
    """An entry that was said a number of times in a plan."""
    home.requires(number, words, plan, quote=heard(home, words), **more)
    for _ in range(times - 1):
        again(home, number, plan)


def again(home: Evening, number: int, plan: int) -> None:
    """An entry is said once more, in a plan."""
    quote = heard(home, "还是那样")
    home.sql("INSERT INTO requirement_sayings SELECT id, ?, ? FROM requirements WHERE number = ?", quote, plan, number)


def heard(home: Evening, words: str, source: str = "said") -> int:
    """Words of the user, later than all before."""
    home.sql("INSERT INTO events (key, kind, at, body) SELECT 'said:' || max(seq), 'Line', 0, '{}' FROM events")
    home.sql("INSERT INTO quotes (source, text, seq, at) SELECT ?, ?, max(seq), 0 FROM events", source, words)
    return int(home.value("SELECT max(id) FROM quotes"))


def listed(home: Evening, plan: int) -> list[dict[str, Any]]:
    """The user's list of a plan."""
    answer = Client(home)("GET", f"tasks/{plan}/requirements")
    expect_equal("REQ-44", answer.status, 200, "the user's list is there")
    found: list[dict[str, Any]] = answer.said["requirements"]
    return found


def actions(home: Evening, plan: int, number: int) -> set[str]:
    """The buttons of an entry in a plan's list."""
    return {name for row in listed(home, plan) if row["number"] == number for name in row["actions"]}


@proves("REQ-40")
def test_what_is_nearest_stands_first_then_what_was_said_most_then_last(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    room = home.session(ROOM)
    said(home, "总是一", plan, number=1, times=9, scope="standing", session=room)
    said(home, "会话一", plan, number=2, times=5, scope="conversation", session=room)
    said(home, "会话二", other, number=3, times=6, scope="conversation", session=room)
    said(home, "另一任务", plan, number=4, times=4, ticket=2)
    said(home, "本事旧", plan, number=5)
    said(home, "本事新", plan, number=6)
    said(home, "本事多", plan, number=7, times=2)
    said(home, "本任务", plan, number=8, ticket=1)
    said(home, "别的事", other, number=9, times=9)
    said(home, "不管用", plan, number=10, times=9, state="no_longer_applies")
    said(home, "本事旧后又说", plan, number=11)
    expect_equal("REQ-40", act(home, 3, plan, "not_for_this_plan"), None, "one is set aside here")
    turn = begun(home, plan, ticket=1)
    expect_equal("REQ-40", home.turn("导演")["ticket"], 1, "the segment's ticket")
    expect_equal("REQ-40", numbers(read(home, turn)), [8, 7, 11, 6, 5, 4, 2, 1], "in force for the first ticket")
    expect("REQ-40", "# 用户要求" in home.context(turn).splitlines(), "the section has its heading")
    turn = begun(home, plan)
    expect_equal("REQ-40", numbers(read(home, turn)), [7, 11, 6, 5, 4, 8, 2, 1], "in force for the plan as a whole")
    again(home, 5, plan)
    expect_equal("REQ-40", in_force(home, plan), [5, 7, 11, 6, 4, 8, 2, 1], "once one was said again, the last")
    expect_equal("REQ-40", in_force(home, other), [9, 3, 2], "in force for the other plan")


@proves("REQ-41")
def test_what_was_said_twice_is_always_listed_and_the_rest_up_to_a_limit(tmp_path: Path) -> None:
    for once, shown in ((19, 19), (20, 20), (21, 20), (25, 20)):
        home, plan, _ = house(tmp_path / str(once))
        for number in range(1, once + 1):
            said(home, f"要求第{number}条", plan, number=number)
        for number in range(101, 131):
            said(home, f"说过{number}", plan, number=number, times=2, scope="conversation", session=home.session(ROOM))
        lines = read(home, begun(home, plan))
        seen = numbers(lines)
        expect_equal("REQ-41", sum(each > 100 for each in seen), 30, f"said twice, and listed beside {once} others")
        expect_equal("REQ-41", sum(each < 100 for each in seen), shown, f"listed of {once} said once")
        rest = [f"还有 {once - shown} 条"] if once > shown else []
        expect_equal(
            "REQ-41", [each for each in lines if not each.startswith("R-")], rest, "what is left out is counted"
        )
    for extra, left_out in ((0, []), (1, ["还有 1 条"])):
        home, plan, _ = house(tmp_path / f"long {extra}")
        said(home, "一", plan, number=1)
        around = len(read(home, begun(home, plan))[0]) - 1
        for number in range(2, 9):
            said(home, "字" * (250 - around), plan, number=number)
        home.sql("UPDATE requirements SET state = 'no_longer_applies', ended_by = 1 WHERE number = 1")
        said(home, "尾" * (250 - around + extra), plan, number=9)
        lines = read(home, begun(home, plan))
        whole = sum(len(each) for each in lines if each.startswith("R-"))
        expect_equal("REQ-41", whole, 1751 if extra else 2000, f"code points listed of {2000 + extra}")
        expect_equal("REQ-41", [each for each in lines if not each.startswith("R-")], left_out, "what is left out")


@proves("REQ-42")
def test_a_row_tells_number_words_sayings_place_and_check(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    room = home.session(ROOM)
    home.sql("UPDATE tickets SET title = 'Shot 01–03' WHERE id = 1")
    said(home, "前三镜背景严重跳跃", plan, number=31, times=5, ticket=1, paraphrase="前三镜背景要连贯")
    for _ in range(2):
        again(home, 31, other)
    home.say("@导演 片子约 2 分钟，24 fps", to=ROOM, files=[plan])
    home.requires(32, "约 2 分钟", plan, item="duration", value="120", bound="about")
    said(home, "字幕用白色", plan, number=33, times=2)
    said(home, "背景连贯", plan, number=34, scope="conversation", session=room)
    said(home, "每部都 1080p", plan, number=35, session=room, item="resolution", value="1080", bound="bare")
    said(home, "每秒 25 帧", plan, number=36, item="frame_rate", value="25", bound="bare")
    checks = home.rows("SELECT item, value, bound, state FROM checks ORDER BY item")
    proposed = [("duration", "120", "about", "proposal"), ("frame_rate", "24", "bare", "proposal")]
    expect_equal("WORDS-01", checks, proposed, "checks from the user's words")
    rows = {int(each.partition("|")[0][2:]): each for each in read(home, begun(home, plan))}
    place = "适用:任务 01 Shot 01–03"
    first = f"R-31|「前三镜背景严重跳跃」(转述:前三镜背景要连贯)|用户已说 7 次(跨 2 个规划)|{place}"
    expect_equal("REQ-42", rows[31], first, "said seven times in two plans, of a ticket, with a paraphrase")
    waits = "R-32|「约 2 分钟」|适用:这件事|挂检查:时长 108–132 秒(待用户确认)"
    expect_equal("REQ-42", rows[32], waits, "said once, with a check that waits for the user")
    expect_equal("REQ-42", rows[33], "R-33|「字幕用白色」|用户已说 2 次|适用:这件事", "said twice in one plan")
    expect_equal("REQ-42", rows[34], "R-34|「背景连贯」|适用:整个会话", "of the conversation")
    expect_equal("REQ-42", rows[35], "R-35|「每部都 1080p」|适用:这件事", "a number without a check")
    expect_equal("REQ-42", rows[36], "R-36|「每秒 25 帧」|适用:这件事", "with a check on another number")
    check = home.value("SELECT id FROM checks WHERE item = 'duration'")
    home.happens(events.CheckConfirmed, check=check)
    rows = {int(each.partition("|")[0][2:]): each for each in read(home, begun(home, plan))}
    expect_equal("REQ-42", rows[32], waits.removesuffix("(待用户确认)"), "once the user has confirmed the check")
    home.happens(events.CheckDeleted, check=check)
    rows = {int(each.partition("|")[0][2:]): each for each in read(home, begun(home, plan))}
    expect_equal("REQ-42", rows[32], waits.rpartition("|")[0], "once the check is deleted")
    inherited = read(home, begun(home, other))
    wanted = f"R-34|「背景连贯」|适用:整个会话,继承自「{FILM}」"
    expect_equal("REQ-42", [each for each in inherited if each.startswith("R-34")], [wanted], "inherited")


@proves("REQ-43")
def test_what_is_not_in_force_stands_apart(tmp_path: Path) -> None:
    expect_equal("REQ-43", PENDING, "待用户确认的取代或建议(还没生效,不要当要求执行)", "the heading of what waits")
    expect_equal("REQ-43", LEGACY, "旧规则(出处未核实,只作参考)", "the heading of old rules")
    for many, shown in ((0, 0), (1, 1), (9, 9), (10, 10), (11, 10)):
        home, plan, other = house(tmp_path / str(many))
        said(home, "约 2 分钟", plan, number=1)
        for number in range(2, many + 2):
            source = "complaint" if number % 2 else "scribe"
            replaces = None if number % 2 else 1
            said(home, f"改成 {number} 分钟", plan, number=number, state="pending", source=source, replaces=replaces)
        for number in range(52, many + 52):
            said(home, f"旧规则{number}", plan, number=number, state="legacy", source="import")
        turn = begun(home, plan)
        expect("REQ-44", not many or read(home, turn, PENDING), "what waits is in a Bot's list as in the user's")
        seen = [len(read(home, turn, title)) for title in (IN_FORCE, PENDING, LEGACY)]
        expect_equal("REQ-43", seen, [1, shown, shown], f"lines in force, waiting and old, of {many} each")
        expect_equal("REQ-43", f"# {PENDING}" in home.context(turn), many > 0, "the heading is there with its lines")
        expect("REQ-43", all(each < 50 for each in numbers(read(home, turn, PENDING))), "no old rule is among the rest")
        expect_equal("REQ-43", in_force(home, other), [], "what another plan has of it")
    replaces = ["|取代 R-1" in each for each in read(home, begun(home, plan), PENDING)]
    expect("REQ-43", any(replaces), "it says what would be replaced")


@proves("REQ-44")
def test_the_users_list_and_the_bots_are_the_same(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    room = home.session(ROOM)
    said(home, "总是一", plan, number=1, scope="standing", session=room)
    said(home, "会话一", plan, number=2, times=5, scope="conversation", session=room)
    said(home, "会话二", other, number=3, scope="conversation", session=room)
    said(home, "另一任务", plan, number=4, ticket=2)
    said(home, "本事", plan, number=5, times=3)
    said(home, "待定", plan, number=6, state="pending")
    said(home, "旧的", plan, number=7, state="legacy", source="import")
    said(home, "会话三", other, number=8, scope="conversation", session=room)
    said(home, "别的事", other, number=9)
    act(home, 8, plan, "not_for_this_plan")
    for of in (plan, other):
        turn = begun(home, of)
        rows = listed(home, of)
        expect("REQ-43", 5 not in numbers(read(home, turn, PENDING)), "what is in force is among what waits")
        for title, is_there in (
            (IN_FORCE, lambda row: row["state"] == "active" and not row["set_aside"]),
            (PENDING, lambda row: row["state"] == "pending"),
            (LEGACY, lambda row: row["state"] == "legacy"),
        ):
            users = [row["number"] for row in rows if is_there(row)]
            expect_equal(
                "REQ-44", numbers(read(home, turn, title)), users, f"a Bot's list of plan {of}, and the user's"
            )
    aside = [row["number"] for row in listed(home, plan) if row["set_aside"]]
    expect_equal("REQ-44", aside, [8], "what the user sees set aside")
    expect_equal("REQ-44", {row["inherited_from"] for row in listed(home, plan)}, {None, "第二支片"}, "inherited from")
    expect_equal("REQ-44", Client(home)("GET", "tasks/99/requirements").status, 404, "the list of no plan")


@proves("REQ-45")
def test_each_state_has_its_buttons(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    room = home.session(ROOM)
    said(home, "待定", plan, number=1, state="pending")
    said(home, "旧的", plan, number=2, state="legacy", source="import")
    said(home, "会话一", plan, number=3, scope="conversation", session=room)
    said(home, "本事", plan, number=4)
    said(home, "任务", plan, number=5, ticket=1)
    said(home, "会话二", other, number=6, scope="conversation", session=room)
    said(home, "别的事", other, number=7)
    said(home, "说完了", plan, number=8, state="no_longer_applies")
    board(home, plan, rules=("色调偏冷",))
    act(home, 6, plan, "not_for_this_plan")
    waiting, own = {"confirm", "not_a_requirement"}, {"no_longer_applies", "whole_conversation"}
    for number, wanted in (
        *((1, waiting), (2, waiting), (3, {"no_longer_applies"}), (4, own), (5, own), (6, {"restore"})),
        *((7, set()), (8, set()), (9, {"whole_conversation"})),
    ):
        expect_equal("REQ-45", actions(home, plan, number), wanted, f"buttons of entry {number} in the first plan")
        for action in sorted((waiting | own | {"restore", "not_for_this_plan"}) - wanted):
            before = home.rows("SELECT * FROM requirements ORDER BY id")
            expect_equal("REQ-45", act(home, number, plan, action), "requirement_settled", f"{action} on {number}")
            after = home.rows("SELECT * FROM requirements ORDER BY id")
            expect_equal("REQ-45", after, before, f"the ledger after {action} on {number} was refused")
    expect_equal("REQ-45", actions(home, other, 3), {"not_for_this_plan"}, "buttons of what is inherited")
    for number, action, then, buttons in (
        (1, "confirm", "active", own),
        (2, "not_a_requirement", "not_a_requirement", set()),
        (6, "restore", "active", {"not_for_this_plan"}),
        (6, "not_for_this_plan", "active", {"restore"}),
        (5, "whole_conversation", "active", {"no_longer_applies"}),
        (4, "no_longer_applies", "no_longer_applies", set()),
    ):
        expect_equal("REQ-45", act(home, number, plan, action), None, f"{action} on {number}")
        expect_equal("REQ-45", state(home, number), then, f"the state of {number} after {action}")
        expect_equal("REQ-45", actions(home, plan, number), buttons, f"the buttons of {number} after {action}")
    expect_equal("REQ-45", 5 in in_force(home, other), True, "what was widened is in force in the other plan")


@proves("REQ-45")
def test_buttons_are_pressed_over_http_here_and_away_and_stale_ones_are_refused(tmp_path: Path) -> None:
    for away in WAYS:
        home, plan, _ = house(tmp_path / str(away))
        said(home, "待定", plan, number=1, state="pending")
        call = Client(home, away=away)
        first = call("POST", "requirements/1/action", action="confirm", task_id=plan)
        expect_equal("REQ-45", (first.status, first.said.get("state")), (200, "active"), f"confirm, remote = {away}")
        stale = call("POST", "requirements/1/action", action="confirm", task_id=plan)
        expect_equal("REQ-45", (stale.status, stale.error), (409, "requirement_settled"), f"again, remote = {away}")
        nothing = call("POST", "requirements/9/action", action="confirm", task_id=plan)
        expect_equal("REQ-45", nothing.status, 404, f"an entry that is not there, remote = {away}")
        nothing = call("POST", "requirements/1/action", action="confirm", task_id=9)
        expect_equal("REQ-45", nothing.status, 404, f"a plan that is not there, remote = {away}")
        strange = call("POST", "requirements/1/action", action="delete", task_id=plan)
        expect_equal("REQ-45", strange.status, 422, f"an action that is none, remote = {away}")


@proves("REQ-46")
def test_the_user_sees_where_an_entry_comes_from(tmp_path: Path) -> None:
    home, plan, _ = house(tmp_path)
    sources = ("said", "answer", "annotation", "board")
    for number, quoted in enumerate(sources, start=1):
        home.requires(number, f"要求{number}", plan, quote=heard(home, f"要求{number}", quoted))
    heard(home, "背景太假，重做")
    home.requires(5, "背景太假，重做", plan, source="complaint", state="pending")
    home.requires(6, "背景", plan, source="import", state="legacy")
    home.requires(7, "重做", plan, source="import")
    seen = {row["number"]: row["source"] for row in listed(home, plan)}
    wanted = {
        1: "said",
        2: "answer",
        3: "annotation",
        4: "written on flow chart",
        5: "whole complaint captured",
        6: "legacy rule",
        7: "said",
    }
    expect_equal("REQ-46", {number: seen[number] for number in wanted}, wanted, "where entries come from")
    act(home, 5, plan, "confirm")
    seen = {row["number"]: row["source"] for row in listed(home, plan)}
    expect_equal("REQ-46", seen[5], "whole complaint captured", "a complaint that the user has confirmed")
    expect_equal("REQ-46", len(set(wanted.values())), 6, "kinds of sources")
