"""Work items: one a Bot and matter, started by priority and order, never more at once than slots allow."""

from pathlib import Path

from evening import Evening, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab.store import open_store


@proves("WORK-04")
def test_two_bots_may_work_on_one_plan_at_once(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    plan = home.opened("新品片", to="剪辑组")
    first = home.say("@导演 先做分镜", to="剪辑组", files=[plan])
    expect_equal("TURN-06", len(home.live("导演")), 1, "segments of a Bot that had none")
    second = home.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    triggers = {bot: [turn["trigger_message"] for turn in home.live(bot)] for bot in ("导演", "文案")}
    expect_equal("WORK-04", triggers, {"导演": [first], "文案": [second]}, "the lines that opened live segments")


@proves("WORK-08")
def test_another_plan_opens_another_segment_within_the_limit(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报", "年会")]
    for plan in plans:
        home.say("开始做", to="导演", files=[plan])
    expect_equal("WORK-08", [turn["plan"] for turn in home.live("导演")], plans[:2], "plans worked on at once")


@proves("WORK-09")
def test_the_parallel_limit_is_a_positive_whole_number_or_two(tmp_path: Path) -> None:
    limits = {"one": 1, "three": 3, "none": None, "zero": 0, "minus": -1, "text": "x", "half": 2.5}
    runs = {"one": 1, "three": 3}
    home = Evening(tmp_path, bots=limits, rooms={"大厅": list(limits)})
    for name, limit in limits.items():
        wanted = runs.get(name, 2)
        for number in range(wanted + 1):
            # The limit counts over all sessions: every other plan is spoken of in the group.
            where = "大厅" if number % 2 else name
            plan = home.opened(f"{name} {number}", to=where)
            home.say(f"@{name} 做", to=where, files=[plan])
            expect("TURN-06", home.live(name), f"the first of {name}'s plans has a slot")
        expect_equal("WORK-09", len(home.live(name)), wanted, f"segments at once with the limit {limit!r}")


@proves("WORK-10")
def test_a_desk_takes_no_slot_and_there_is_one_in_each_session(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1}, rooms={"剪辑组": ["导演"], "海报组": ["导演"]})
    plan = home.opened("新品片", to="导演")
    home.say("开始做", to="导演", files=[plan])
    lines = [home.say("@导演 在吗", to=room) for room in ("剪辑组", "海报组", "导演")]
    desks = [turn["trigger_message"] for turn in home.live("导演") if turn["mode"] == "desk"]
    expect_equal("WORK-10", desks, lines, "the lines that opened desks beside the work")
    other = home.opened("海报", to="导演")
    home.sql("UPDATE bots SET parallel_limit = 2")
    home.say("做海报", to="导演", files=[other])
    at_work = [turn["plan"] for turn in home.live("导演") if turn["mode"] == "work"]
    expect_equal("WORK-10", at_work, [plan, other], "plans worked on beside three desks")


@proves("WORK-11")
def test_beyond_the_limit_work_queues_in_the_store_and_its_place_is_told(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1})
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报", "年会")]
    lines = [home.say("开始做", to="导演", files=[plan]) for plan in plans]
    expect_equal("WORK-11", home.said(), ["导演: queued at 1", "导演: queued at 2"], "what the session is told")
    home.db.close()
    found = open_store(home.path).rows(
        "SELECT i.message, i.state, w.state FROM inbox_items i JOIN work_items w ON w.id = i.work_item ORDER BY i.id"
    )
    queued = [(line, "queued", "queued") for line in lines[1:]]
    expect_equal("WORK-11", [tuple(row) for row in found[1:]], queued, "what is stored")


@proves("WORK-12")
def test_a_free_slot_goes_by_priority_then_by_arrival(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1, "文案": None}, rooms={"剪辑组": ["导演", "文案"]})
    plans = {name: home.opened(name, to="剪辑组") for name in ("running", "copy", "second", "third")}
    for name in ("third", "second"):
        # Work items that were there before, in another order than their lines come.
        home.sql("INSERT INTO work_items (bot, plan, session) VALUES (?, ?, 1)", home.bot("导演"), plans[name])
    home.say("@导演 做", to="剪辑组", files=[plans["running"]])
    home.say("@文案 写", to="剪辑组", files=[plans["copy"]])
    home.hop("文案", text="@导演 帮我看一眼")
    home.say("@导演 做", to="剪辑组", files=[plans["second"]])
    home.say("@导演 做", to="剪辑组", files=[plans["third"]])
    expect_equal("WORK-09", len(home.live("导演")), 1, "segments at once with the limit 1")
    for _ in range(4):
        home.hop("导演", text="好了。")
    order = [turn["plan"] for turn in home.turns("导演")]
    wanted = [plans[name] for name in ("running", "second", "third", "copy")]
    expect_equal("WORK-12", order, wanted, "plans in the order in which the slot was given")


@proves("WORK-12")
def test_nothing_starts_on_a_dormant_plan(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1})
    running, asleep = home.opened("新品片", to="导演"), home.opened("海报", to="导演")
    for plan in (running, asleep):
        home.say("做", to="导演", files=[plan])
    expect_equal("WORK-09", len(home.live("导演")), 1, "segments at once with the limit 1")
    home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", asleep)
    home.hop("导演", text="好了。")
    expect_equal("WORK-12", len(home.live("导演")), 0, "segments while the queued plan is dormant")
    home.sql("UPDATE plans SET dormant = 0 WHERE id = ?", asleep)
    home.say("在吗", to="导演")  # Whatever happens next lets the queue be looked through.
    expect_equal("WORK-12", [turn["plan"] for turn in home.live("导演")][:1], [asleep], "what starts once it is awake")


@proves("WORK-14")
def test_an_ended_segment_leaves_its_work_idle_queued_or_closed(tmp_path: Path) -> None:
    for number, end in enumerate(("answered", "failed", "interrupted")):
        folder = tmp_path / end
        folder.mkdir()
        home = Evening(folder, bots=["导演"])
        plan = home.opened("新品片", to="导演")
        home.say("做", to="导演", files=[plan])
        if end == "answered":
            home.hop("导演", text="好了。")
        elif end == "failed":
            home.fail("导演")
        else:
            home.crash()
        states = home.rows("SELECT plan, state FROM work_items")
        expect_equal("WORK-14", states, [(plan, "idle")], f"the work whose segment ended as {end} (no. {number})")


@proves("WORK-14")
def test_work_with_unread_words_queues_and_a_desk_closes(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    plan = home.opened("新品片", to="导演")
    home.say("在吗", to="导演")
    home.hop("导演", text="在。")
    desk = home.turn("导演")["id"]
    expect_equal("END-37", home.rows("SELECT plan, state FROM work_items"), [(None, "closed")], "a desk's work")
    lines = [home.say(text, to="导演", files=[plan]) for text in ("做", "改成竖版")]
    home.hop("导演", text="好了。")
    triggers = [turn["trigger_message"] for turn in home.turns("导演") if turn["id"] != desk]
    expect_equal("WORK-14", triggers, lines, "the lines that opened segments on the plan")
    home.hop("导演", text="改好了。")
    states = home.rows("SELECT plan, state FROM work_items ORDER BY id")
    expect_equal("WORK-14", states, [(None, "closed"), (plan, "idle")], "work when everything is read")


@proves("WORK-14")
def test_from_level_5_work_on_a_finished_ticket_closes(tmp_path: Path) -> None:
    for level, state in ((4, "idle"), (5, "closed")):
        for stage in ("approved", "dropped", "submitted"):
            folder = tmp_path / f"{level}-{stage}"
            folder.mkdir()
            home = Evening(folder, bots=["导演"], level=level)
            plan = home.opened("新品片", to="导演", tickets=[("海报", "导演")])
            home.say("做", to="导演", files=[plan])
            ticket = home.value("SELECT id FROM tickets")
            home.sql("UPDATE work_items SET ticket = ?", ticket)
            home.sql("UPDATE turns SET ticket = ?", ticket)
            if level < 5:
                home.sql("UPDATE tickets SET stage = ?", stage)
            else:
                home.stands(ticket, stage)
            home.hop("导演", text="好了。")
            wanted = state if stage != "submitted" else "idle"
            expect_equal("WORK-14", home.value("SELECT state FROM work_items"), wanted, f"at level {level}, {stage}")


@proves("WORK-16")
def test_after_an_unexpected_exit_nothing_is_running_without_a_segment(tmp_path: Path) -> None:
    for level in (2, 3, 8):
        folder = tmp_path / f"{level}"
        folder.mkdir()
        home = Evening(folder, bots=["导演"], level=level)
        plan = home.opened("新品片", to="导演")
        home.say("做", to="导演", files=[plan])
        home.hop("导演", text="好了。")
        home.say("在吗", to="导演")
        home.hop("导演", text="在。")
        ended = [("idle",), ("closed",)]
        expect_equal("WORK-14", home.rows("SELECT state FROM work_items ORDER BY id"), ended, "work that was over")
        home.sql("UPDATE work_items SET state = 'running'")
        home.crash()
        expect_equal("WORK-16", home.rows("SELECT state FROM work_items ORDER BY id"), ended, "work left as running")


@proves("WORK-01")
def test_one_matter_is_one_work_item_whichever_session_speaks_of_it(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={"剪辑组": ["导演"]})
    plan = home.opened("新品片", to="剪辑组")
    for where in ("剪辑组", "导演"):
        home.say("@导演 做", to=where, files=[plan])
        home.hop("导演", write("a.md"))
        home.hop("导演", text="好了。")
    for where in ("剪辑组", "导演", "导演"):
        home.say("@导演 在吗", to=where)
        home.hop("导演", text="在。")
    items = home.rows("SELECT plan, ticket, state FROM work_items ORDER BY id")
    wanted = [(plan, None, "idle"), (None, None, "closed"), (None, None, "closed")]
    expect_equal("WORK-01", items, wanted, "the work items")
    expect_equal("WORK-01", len(home.turns("导演")), 5, "segments on them")


@proves("WORK-11", "WORK-12")
def test_what_waits_for_a_slot_is_told_once_and_starts_when_one_is_free(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1})
    plans = [home.opened(name, to="导演") for name in ("新品片", "海报")]
    for plan in plans:
        home.say("做", to="导演", files=[plan])
    home.say("再改一处", to="导演", files=[plans[1]])
    expect_equal("WORK-11", home.said(), ["导演: queued at 1"], "what the session is told")
    home.hop("导演", text="好了。")
    expect_equal("WORK-12", [turn["plan"] for turn in home.live("导演")], plans[1:], "what starts from the cold queue")
