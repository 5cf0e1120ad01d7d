"""Going on: what was cut off continues as what it was, and what was cleared starts again only when the user says so."""

from pathlib import Path

from evening import DOWN, Evening, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict


def household(folder: Path, name: str = "home", limit: int | None = None) -> Evening:
    """A director in its direct chat with two plans."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots={"导演": limit})
    for plan in ("新品片", "海报", "年会"):
        home.opened(plan, to="导演")
    return home


def conflict(home: Evening, turn: int) -> str:
    """The code with which a press is refused; empty where it is taken."""
    try:
        home.press(turn)
    except Conflict as refused:
        return refused.code
    return ""


@proves("WORK-17")
def test_only_its_own_plan_keeps_a_segment_from_going_on(tmp_path: Path) -> None:
    for cut in ("crash", "failure"):
        home = household(tmp_path, cut)
        home.say("做", to="导演", files=[1])
        home.crash() if cut == "crash" else home.fail("导演")
        old = home.turn("导演")["id"]
        home.say("做海报", to="导演", files=[2])
        expect_equal("WORK-17", conflict(home, old), "", f"the answer to continue after a {cut}, beside another plan")
        working = [turn["plan"] for turn in home.live("导演")]
        expect_equal("WORK-17", working, [2, 1], "plans worked on in the one session")
        expect_equal("WORK-17", conflict(home, old), "already_working", "the answer to a second press")
        expect_equal("WORK-17", len(home.live("导演")), 2, "segments after it")


@proves("WORK-17")
def test_a_live_segment_on_the_same_plan_is_a_conflict(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("做", to="导演", files=[1])
    home.crash()
    old = home.turn("导演")["id"]
    home.say("再做", to="导演", files=[1])
    expect_equal("WORK-17", conflict(home, old), "already_working", "the answer beside the same plan")
    home.hop("导演", text="好了。")
    expect_equal("WORK-17", conflict(home, old), "", "the answer once that has ended")


@proves("WORK-17")
def test_a_desk_goes_on_unless_its_session_has_one(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("在吗", to="导演")
    home.crash()
    old = home.turn("导演")["id"]
    home.say("还在吗", to="导演")
    expect_equal("WORK-17", conflict(home, old), "already_working", "the answer beside the session's desk")
    home.hop("导演", text="在。")
    expect_equal("WORK-17", conflict(home, old), "", "the answer once that has ended")
    expect_equal("WORK-17", [turn["mode"] for turn in home.live("导演")], ["desk"], "what goes on")


@proves("DESK-22")
def test_without_a_slot_continuing_queues_and_the_press_is_on_record(tmp_path: Path) -> None:
    home = household(tmp_path, limit=1)
    home.say("做", to="导演", files=[1])
    home.crash()
    old = home.turn("导演")["id"]
    home.say("做海报", to="导演", files=[2])
    home.press(old)
    record = home.turn("导演")
    ended = (record["state"], record["end_reason"], record["continues"])
    expect_equal("DESK-22", ended, ("completed", "queued", old), "the segment that the press admitted")
    expect_equal("DESK-22", [turn["plan"] for turn in home.live("导演")], [2], "plans worked on")
    state = home.value("SELECT state FROM work_items WHERE plan = 1")
    expect_equal("DESK-22", state, "queued", "the work that waits for a slot")
    home.hop("导演", text="海报好了。")
    going_on = [(turn["plan"], turn["continues"]) for turn in home.live("导演")]
    expect_equal("DESK-22", going_on, [(1, old)], "what starts later")


@proves("DESK-35")
def test_a_continued_desk_is_a_desk_with_its_candidates(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("改一下颜色", to="导演", files=DOWN)
    home.crash()
    old = home.turn("导演")["id"]
    home.opened("后来的", to="导演")
    home.press(old)
    turn = home.turn("导演")
    found = [plan for (plan,) in home.rows("SELECT plan FROM turn_candidates WHERE turn = ? ORDER BY plan", turn["id"])]
    expect_equal("DESK-35", (turn["mode"], turn["plan"], found), ("desk", None, [1, 2, 3]), "mode, plan and candidates")
    home.hop("导演", write("a.png"))
    expect_equal("DESK-35", home.ran, [], "what ran without a choice")
    home.hop("导演", work_on(plan=2), write("b.png"))
    expect_equal("DESK-35", [each["folder"] for each in home.ran], ["work/002-海报"], "what runs after the choice")


@proves("DESK-35")
def test_a_continued_segment_has_no_fresh_change_of_folder(tmp_path: Path) -> None:
    home = household(tmp_path)
    line = home.say("改一下颜色", to="导演", files=DOWN)
    home.hop("导演", work_on(plan=1))
    home.crash()
    old = home.turn("导演")
    home.press(old["id"])
    turn = home.turn("导演")
    kept = [turn[column] for column in ("plan", "mode", "cwd", "cwd_changes", "trigger_message")]
    expect_equal("DESK-35", kept, [1, "work", "work/001-新品片", 1, line], "what the continued segment is")
    home.hop("导演", work_on(plan=2), write("b.png"))
    expect_equal("DESK-35", [each["folder"] for each in home.ran], ["work/001-新品片"], "where it goes on")
    told = home.value("SELECT text FROM inbox_items WHERE kind = 'restart' AND read_by_turn = ?", turn["id"])
    expect("DESK-35", told and "cut off" in told, f"it is told what it goes on with: {told}")


@proves("WORK-13")
def test_clearing_starts_nothing_and_resuming_starts_from_the_words_kept(tmp_path: Path) -> None:
    home = household(tmp_path, limit=1)
    home.say("做", to="导演", files=[1])
    home.say("海报做横版", to="导演", files=[2])
    home.say("年会视频", to="导演", files=[3])
    home.happens(events.SessionCleared, session=home.session("导演"))
    home.sql("UPDATE plans SET dormant = 0")  # It is not their sleep that keeps them.
    home.crash()
    expect_equal("WORK-13", home.live("导演"), [], "what a clear and a free slot start")
    item = home.value("SELECT id FROM work_items WHERE plan = 2")
    expect_equal("WORK-13", home.value("SELECT state FROM work_items WHERE id = ?", item), "idle", "its work item")
    home.happens(events.WorkResumed, work_item=item)
    started = [turn["plan"] for turn in home.live("导演")]
    expect_equal("WORK-13", started, [2], "what resuming starts")
    turn = home.turn("导演")
    line = home.rows("SELECT author, text, only_for FROM messages WHERE id = ?", turn["trigger_message"])
    expect_equal("WORK-13", line, [("app", "海报做横版", home.bot("导演"))], "what it starts from")
    expect("WORK-13", "海报做横版" in home.context(turn["id"]), "the Bot reads the words that were kept")


@proves("WORK-13")
def test_resuming_passes_the_slots_again(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots={"导演": 1}, rooms={"剪辑组": ["导演"]})
    first, second = home.opened("新品片", to="剪辑组"), home.opened("海报", to="导演")
    home.say("@导演 做", to="剪辑组", files=[first])
    home.say("海报做横版", to="导演", files=[second])
    home.happens(events.SessionCleared, session=home.session("导演"))
    home.happens(events.WorkResumed, work_item=home.value("SELECT id FROM work_items WHERE plan = ?", second))
    expect_equal("WORK-13", [turn["plan"] for turn in home.live("导演")], [first], "work while there is no slot")
    home.hop("导演", text="好了。")
    expect_equal("WORK-13", [turn["plan"] for turn in home.live("导演")], [second], "work once there is one")
    try:
        home.happens(events.WorkResumed, work_item=home.value("SELECT id FROM work_items WHERE plan = ?", first))
    except ValueError:
        return
    expect("WORK-13", False, "work without a cleared line cannot be resumed")


@proves("DESK-21")
def test_a_desk_that_was_cut_off_takes_its_lines_to_the_queue(tmp_path: Path) -> None:
    home = household(tmp_path, limit=1)
    line = home.say("照这个做", to="导演", attach=["ref.png"])
    home.crash()
    old = home.turn("导演")["id"]
    home.say("做海报", to="导演", files=[2])
    home.press(old)
    home.hop("导演", work_on(plan=1), turn=home.turn("导演")["id"])
    expect_equal("DESK-21", home.turn("导演")["end_reason"], "queued", "how the desk that went on ended")
    home.hop("导演", text="海报好了。", plan=2)
    opened = home.turn("导演")
    expect_equal("DESK-21", (opened["plan"], opened["trigger_message"]), (1, line), "what opens once a slot is free")


@proves("WORK-16")
def test_what_a_hop_was_to_read_that_never_began_is_unread_again(tmp_path: Path) -> None:
    home = household(tmp_path)
    line = home.say("在吗", to="导演")
    home.sql("UPDATE effects SET state = 'pending' WHERE kind = 'hop'")
    home.crash()
    first, again = home.turns("导演")
    expect_equal("WORK-16", first["state"], "interrupted", "the segment whose hop never began")
    expect_equal("WORK-16", home.read_in(line, "导演"), [again["id"]], "who has read the line, after all")
    expect("WORK-16", "在吗" in home.context(again["id"]), "the Bot is given the line")


@proves("DESK-35")
def test_who_goes_on_is_given_what_was_read_before(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("照这个做", to="导演", attach=["ref.png"])
    home.hop("导演", events.Call("read_file", {"path": "brief.md"}))
    home.crash()
    home.press(home.turn("导演")["id"])
    given = home.context(home.turn("导演")["id"]).partition("# New\n")[2]
    expect("DESK-35", "照这个做 [attached: ref.png]" in given, "the line that opened the desk is given again")
    home.hop("导演", events.Call("read_file", {"path": "brief.md"}))
    again = home.context(home.turn("导演")["id"]).partition("# New\n")[2]
    expect("DESK-35", "照这个做" not in again, "once")


@proves("WORK-16")
def test_a_segment_whose_first_hop_never_began_has_gone_on_by_itself(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("在吗", to="导演")
    home.sql("UPDATE effects SET state = 'pending' WHERE kind = 'hop'")
    home.crash()
    first, again = home.turns("导演")
    home.hop("导演", text="在。")
    expect_equal("WORK-16", conflict(home, first["id"]), "already_continued", "the answer to a press on it")
    expect_equal("WORK-16", len(home.turns("导演")), 2, "segments: there is nothing left to go on with")
    expect_equal("WORK-16", again["continues"], None, "what went on begins with the line")


@proves("WORK-17")
def test_a_line_and_its_edit_go_on_each_for_itself(tmp_path: Path) -> None:
    home = household(tmp_path, limit=1)
    line = home.say("做", to="导演", files=[1])
    home.crash()
    home.happens(events.Edited, message=line, text="做两版")
    home.crash()
    first, second = (turn["id"] for turn in home.turns("导演"))
    home.say("做海报", to="导演", files=[2])
    pressed = [conflict(home, turn) for turn in (first, second)]
    expect_equal("WORK-17", pressed, ["", ""], "the answers to a press on each while no slot is free")
    home.hop("导演", text="海报好了。")
    going_on = [(turn["plan"], turn["continues"]) for turn in home.live("导演")]
    expect_equal("WORK-17", going_on, [(1, first)], "what starts once one is free")


@proves("WORK-16")
def test_a_read_only_answer_that_never_began_leaves_its_line_to_be_read(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.happens(events.HoldMade, scope="bot", bot=home.bot("导演"))
    line = home.say("怎么样了？", to="导演", files=DOWN)
    expect_equal("WORK-16", home.turn("导演")["mode"], "readonly", "what the question opens under a hold")
    home.sql("UPDATE effects SET state = 'pending' WHERE kind = 'hop'")
    home.crash()
    kept = home.rows("SELECT state FROM inbox_items WHERE message = ?", line)
    expect_equal("WORK-16", kept, [("held",)], "the line that nobody was given")
    home.happens(events.HoldLifted, hold=home.value("SELECT id FROM holds"))
    expect_equal("WORK-16", home.read_in(line, "导演"), [home.turn("导演")["id"]], "who has read it after the lift")


@proves("HOLD-76")
def test_a_desk_does_not_take_up_what_is_stopped(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("改一下颜色", to="导演", files=DOWN)
    home.happens(events.HoldMade, scope="plan", plan=1)
    home.hop("导演", work_on(plan=1), write("a.png"))
    turn = home.turn("导演")
    expect_equal("HOLD-76", (turn["mode"], turn["plan"], turn["state"]), ("desk", None, "running"), "the desk")
    expect_equal("HOLD-76", home.ran, [], "what ran in the stopped plan")
