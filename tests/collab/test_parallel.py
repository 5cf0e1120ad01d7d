"""Beside each other: one live turn a Bot and plan, different plans within the slots, and no copy of a Bot's work."""

import sqlite3
from pathlib import Path

import pytest
from evening import Evening, write
from outside import hopped, ran

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict

LOOK = events.Call("read_file", {"path": "brief.md"})


def _on_its_ticket(folder: Path) -> tuple[Evening, int]:
    """导演 works on a ticket of a plan that it opened in its direct chat; 文案 is with it in a group."""
    evening = Evening(folder, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    evening.say("做一支新品片", to="导演", files="new")
    hopped(evening, "导演", write("plan.md"))
    plan = int(evening.value("SELECT id FROM plans"))
    assert evening.turn("导演")["ticket"] is not None
    return evening, plan


def _open_segments(evening: Evening, bot: str) -> list[tuple[int | None, str]]:
    return [(turn["plan"], turn["mode"]) for turn in evening.live(bot)]


@proves("TURN-01")
def test_a_turn_is_an_execution_and_neither_a_judgement_nor_a_ticket(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演", "文案"], rooms={"老群": ["导演", "文案"]})
    evening.say("有人看一下样片吗", to="老群")
    for effect in evening.engine.open_effects():
        if effect.kind == "judge":
            joins = effect.body["bot"] == evening.bot("导演")
            evening.happens(events.Judged, effect=effect.id, raw='{"join": true}' if joins else '{"join": false}')
    answers = [answer for (answer,) in evening.rows("SELECT answer FROM judgements ORDER BY effect")]
    expect_equal("JUDG-04", answers, ["join", "look_on"], "what was judged")
    expect_equal("TURN-01", [len(evening.turns(bot)) for bot in ("导演", "文案")], [1, 0], "turns of who joins and not")
    hopped(evening, "导演", text="我来看")
    evening.opened("新品片", to="老群", tickets=[("海报", "导演"), ("文案", "文案")])
    expect_equal("TURN-01", evening.value("SELECT count(*) FROM turns"), 1, "turns, once there are tickets too")


@proves("TURN-03")
def test_the_end_of_a_turn_passes_no_ticket_and_closes_no_work(tmp_path: Path) -> None:
    evening, plan = _on_its_ticket(tmp_path)
    evening.say("在吗", to="文案")
    hopped(evening, "文案", text="在。")
    desk = evening.value("SELECT state FROM work_items WHERE plan IS NULL AND bot = ?", evening.bot("文案"))
    expect_equal("END-37", desk, "closed", "a desk's work that has ended")
    ran(evening, "导演", written=("plan.md",))
    before = evening.rows("SELECT status, stage FROM tickets")
    hopped(evening, "导演", text="新品片做好了，请验收。")
    work = evening.value("SELECT state FROM work_items WHERE plan = ?", plan)
    expect("WORK-14", work != "queued", "work with nothing left to read does not queue")
    expect_equal("TURN-03", work, "idle", "the work item of a turn that has ended")
    expect_equal("TURN-03", evening.turn("导演")["state"], "completed", "the turn")
    expect_equal("TURN-03", evening.rows("SELECT status, stage FROM tickets"), before, "the ticket")
    expect_equal("TURN-03", evening.value("SELECT status FROM plans"), "active", "the plan")


@proves("TURN-04")
def test_what_waits_is_live_as_what_runs_is(tmp_path: Path) -> None:
    waiting = {"running": LOOK, "waiting_ask": events.Call("ask_user", {"question": "竖版还是横版？"})}
    waiting["waiting_approval"] = events.Call("shell", {"command": "render"})
    for state, call in waiting.items():
        folder = tmp_path / state
        folder.mkdir()
        evening = Evening(folder)
        evening.happens(events.BotAdded, name="导演", asks_first=("shell",))
        evening.happens(events.SessionOpened, session="direct", title="导演", members=("导演",))
        evening.happens(events.SessionOpened, session="group", title="剪辑组", members=("导演",))
        plan = evening.opened("新品片", to="导演")
        evening.say("排一下镜头", to="导演", files=[plan])
        hopped(evening, "导演", call)
        turn = evening.turn("导演")
        expect_equal("TURN-04", turn["state"], state, "the state of the turn")
        evening.say("@导演 顺便加个片尾", to="剪辑组", files=[plan])
        expect_equal("TURN-04", len(evening.turns("导演")), 1, f"turns on the plan while one is {state}")
        with pytest.raises(sqlite3.IntegrityError):
            evening.sql("UPDATE turns SET state = 'resting' WHERE id = ?", turn["id"])
        copied = (
            "INSERT INTO turns (bot, session, work_item, mode, state, began_seq, began_at)"
            " SELECT bot, session, work_item, 'work', ?, began_seq, began_at FROM turns WHERE id = ?"
        )
        try:
            evening.sql(copied, "running", turn["id"])
            refused = False
        except sqlite3.IntegrityError:
            refused = True
        expect("TURN-04", refused, f"a second live turn of a work item whose turn is {state} is refused by the store")
        for effect in evening.engine.open_effects():
            assert effect.kind != "hop"
        # Once it has ended, another may be live.
        evening.sql("UPDATE turns SET state = 'stopped', end_reason = 'stop' WHERE id = ?", turn["id"])
        evening.sql(copied, "running", turn["id"])
        live = evening.value("SELECT count(*) FROM live_turns WHERE work_item = ?", turn["work_item"])
        expect_equal("TURN-04", live, 1, f"live turns of the work item once the one that was {state} has ended")


@proves("TURN-05")
def test_a_bot_busy_with_one_plan_in_a_group_takes_up_another_there(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演"], rooms={"剪辑组": ["导演"]})
    film = evening.opened("新品片", to="剪辑组")
    poster = evening.opened("海报", to="剪辑组")
    evening.say("@导演 新品片排一下镜头", to="剪辑组", files=[film])
    evening.say("@导演 海报也画一张", to="剪辑组", files=[poster])
    expect_equal("TURN-05", _open_segments(evening, "导演"), [(film, "work"), (poster, "work")], "live turns")
    evening.say("@导演 海报要竖版", to="剪辑组", files=[poster])
    expect_equal("TURN-05", len(evening.live("导演")), 2, "live turns after a further line on the second plan")
    with pytest.raises(sqlite3.IntegrityError):
        evening.sql(
            "INSERT INTO turns (bot, session, work_item, plan, mode, state, began_seq, began_at)"
            " SELECT bot, session, ?, plan, 'work', 'waiting_ask', began_seq, began_at FROM live_turns WHERE plan = ?",
            evening.value("SELECT max(id) FROM work_items") + 0,
            film,
        )


@proves("TURN-06")
def test_different_plans_share_two_slots_and_desks_take_none(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演"], rooms={"剪辑组": ["导演"]})
    plans = [evening.opened(name, to="剪辑组") for name in ("新品片", "海报", "片尾")]
    evening.say("随便聊聊", to="导演", files="unclear")
    for plan in plans:
        evening.say("@导演 开工", to="剪辑组", files=[plan])
    wanted = [(None, "desk"), (plans[0], "work"), (plans[1], "work")]
    expect_equal("TURN-06", _open_segments(evening, "导演"), wanted, "live turns, with a desk and three plans")
    state = evening.value("SELECT state FROM work_items WHERE plan = ?", plans[2])
    expect_equal("TURN-06", state, "queued", "the work on the third plan")
    evening.hop("导演", plan=plans[0], text="好了")
    wanted = [(None, "desk"), (plans[1], "work"), (plans[2], "work")]
    expect_equal("TURN-06", _open_segments(evening, "导演"), wanted, "live turns once one has ended")


@proves("TURN-07")
def test_an_unrelated_wish_goes_to_the_desk_and_not_into_what_runs(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演"])
    plan = evening.opened("新品片", to="导演")
    evening.say("排一下镜头", to="导演", files=[plan])
    at_work = [(turn["plan"], turn["mode"]) for turn in evening.turns("导演") if turn["mode"] == "work"]
    expect_equal("ATTR-03", at_work, [(plan, "work")], "what the line on the plan opens")
    wish = evening.say("另外做一张开业海报", to="导演", files="new")
    expect_equal("TURN-07", _open_segments(evening, "导演"), [(plan, "work"), (None, "desk")], "live turns")
    desk = evening.turn("导演")["id"]
    expect_equal("TURN-07", evening.read_in(wish, "导演"), [desk], "the turn that reads the wish")
    evening.hop("导演", LOOK, plan=plan)
    expect_equal("TURN-07", evening.read_in(wish, "导演"), [desk], "the turn that reads the wish, later")


@proves("TURN-19")
def test_what_a_colleague_says_is_heard_by_the_work_that_runs_on_the_plan(tmp_path: Path) -> None:
    evening, plan = _on_its_ticket(tmp_path)
    turn = evening.turn("导演")["id"]
    evening.sql("UPDATE plans SET session = ?", evening.session("剪辑组"))  # In sight for the colleague too.
    evening.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    hopped(evening, "文案", events.Call("send_message", {"text": "@导演 宣传语写好了，放第二个镜头"}))
    said = evening.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    ran(evening, "导演")
    expect_equal("TURN-19", evening.read_in(said, "导演"), [turn], "the turns that read the colleague's line")
    expect_equal("TURN-19", len(evening.turns("导演")), 1, "turns of the Bot on its plan")


@proves("FORK-02")
def test_different_plans_run_beside_each_other_and_one_plan_is_heard_into(tmp_path: Path) -> None:
    evening, plan = _on_its_ticket(tmp_path)
    turn = evening.turn("导演")["id"]
    other = evening.opened("海报", to="导演")
    evening.say("海报也画一张", to="导演", files=[other])
    line = evening.say("片子加个片尾", to="导演", files=[plan])
    ran(evening, "导演")
    expect_equal("FORK-02", evening.read_in(line, "导演"), [turn], "the turns that read a line on the plan that runs")
    expect_equal("FORK-02", _open_segments(evening, "导演"), [(plan, "work"), (other, "work")], "live turns")


@proves("FORK-04")
def test_a_mention_makes_no_second_copy_of_a_bot_that_works(tmp_path: Path) -> None:
    evening, plan = _on_its_ticket(tmp_path)
    turn = evening.turn("导演")["id"]
    line = evening.say("@导演 片子加个片尾", to="剪辑组", files=[plan])
    ran(evening, "导演")
    expect_equal("FORK-04", evening.read_in(line, "导演"), [turn], "the turns that read the mention")
    expect_equal("FORK-04", len(evening.turns("导演")), 1, "turns of the Bot that was mentioned")


@proves("FORK-03")
def test_opening_a_turn_by_hand_opens_none_beside_a_live_one(tmp_path: Path) -> None:
    evening, plan = _on_its_ticket(tmp_path)
    ran(evening, "导演")
    evening.fail("导演")
    cut = evening.turn("导演")["id"]
    evening.say("片子接着做", to="导演", files=[plan])
    expect_equal("FORK-03", _open_segments(evening, "导演"), [(plan, "work")], "live turns after a further line")
    try:
        evening.press(cut)
        code = ""
    except Conflict as conflict:
        code = conflict.code
    expect_equal("FORK-03", code, "already_working", "why the press is refused")
    expect_equal("FORK-03", len(evening.live("导演")), 1, "live turns after the press")
    evening.fail("导演")
    evening.press(evening.turn("导演")["id"])
    expect_equal("FORK-03", _open_segments(evening, "导演"), [(plan, "work")], "live turns when nothing ran before")
