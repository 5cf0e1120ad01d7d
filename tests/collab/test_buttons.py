"""Buttons on lines: pressed once in all, what each does on the user's own lines, and on receipts of before."""

import json
from pathlib import Path
from typing import Any

from evening import Evening
from pressing import carried, lines_for_all, notes, offered, posted, press, receipt
from readings import FILING, asked, comes, filing, refused
from requests_over_http import WAYS, Client
from stopping import (
    BESIDE,
    BOTH,
    ROOM,
    STOP,
    TALK,
    at_work,
    delivered,
    evenings,
    folder_of,
    held,
    hold,
    lift,
    speak,
    stop,
)

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import control, events

FIRST_STOP = "先停,把第三镜换成夜景"
BOTH_WAYS = "今天先停,明天继续"
HELD = "SELECT scope, source, source_message, void FROM holds WHERE id = ?"


def pressed(home: Evening, line: int, action: str, plan: int | None = None) -> str | None:
    """Why a press is refused; None where it is taken."""
    return refused(home, events.ControlPressed, message=line, action=action, plan=plan)


def newest(home: Evening) -> int:
    """The newest hold."""
    return int(home.value("SELECT max(id) FROM holds"))


@proves("CTRL-33")
def test_one_button_of_a_line_is_pressed_once(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    everything = {"kind": "status", "offer": ["stop"], "scopes": [{"kind": "everything"}]}
    before = {"action": "stop", "plan": None, "made": [], "lifted": []}
    press(home, posted(home, "导演", everything | {"acted": before}), "stop")
    expect_equal("CTRL-33", held(home), [], "holds after a press on a line of which a press is on record")
    line = speak(home, FIRST_STOP, BESIDE, plan=1)
    expect_equal("CTRL-33", offered(home, line), [("stop", None)], "the buttons")
    first = press(home, line, "stop")
    expect_equal("CTRL-35", len(held(home)), 1, "holds after the press")
    expect("CTRL-33", "acted" in carried(home, line), "the press is on record")
    lift(home, newest(home))
    second = press(home, line, "stop")
    expect_equal("CTRL-33", (held(home), second), ([], first), "what a second press does, and is answered")
    expect_equal("CTRL-33", offered(home, line), [], "the buttons that are left")
    acted = {key: carried(home, line)["acted"][key] for key in ("action", "made", "lifted")}
    expect_equal("CTRL-33", acted, {"action": "stop", "made": [1], "lifted": []}, "what is on record of the press")
    old = receipt(home, "导演", [1], "undo", "widen")
    press(home, old, "undo")
    press(home, old, "widen")
    expect_equal("CTRL-33", held(home), [], "holds after another button of a line that was pressed")


@proves("CTRL-34", "HOLD-110")
def test_one_call_takes_them_all_and_refuses_what_is_not_there(tmp_path: Path) -> None:
    for away in WAYS:
        home, plan = at_work(tmp_path / str(away))
        line = speak(home, FIRST_STOP, BESIDE, plan=plan)
        plain = speak(home, "画面亮一点", TALK, plan=plan)
        call = Client(home, away=away)
        rule = "HOLD-110" if away else "CTRL-34"
        expect_equal(rule, call("POST", "messages/99/control", action="stop").error, "not_found", "no such line")
        wrong: list[tuple[int, dict[str, Any]]] = [
            (line, {"action": "continue"}),
            (line, {"action": "dance"}),
            (line, {}),
            (line, {"action": "stop", "task_id": plan}),
            (line, {"action": "undo_plan"}),
            (line, {"action": "stop", "message": plain}),
            (plain, {"action": "stop"}),
            (receipt(home, "导演", [], "also_stop"), {"action": "also_stop"}),
        ]
        for to, said in wrong:
            answer = call("POST", f"messages/{to}/control", **said)
            expect_equal("CTRL-34", answer.status, 422, f"the press of {said} on line {to}")
        expect_equal("CTRL-34", held(home), [], "holds after all that was refused")
        answers = [call("POST", f"messages/{line}/control", key="one", action="stop") for _ in range(2)]
        expect("CTRL-33", "acted" in carried(home, line), "the press is on record")
        wanted = [(200, {"made": [1], "lifted": []})] * 2
        expect_equal("CTRL-34", [tuple(each) for each in answers], wanted, f"the press, {away=}")
        old = receipt(home, "导演", [1], "undo")
        for key in ("two", "two", "three"):
            answer = call("POST", f"messages/{old}/control", key=key, action="undo")
            expect_equal("CTRL-34", tuple(answer), (200, {"made": [], "lifted": [1]}), "undo of what it has made")
        reused = call("POST", f"messages/{old}/control", key="one", action="undo")
        expect_equal("CTRL-34", reused.status, 409, "a request id that was another request's")


@proves("CTRL-34", "HOLD-12")
def test_below_the_level_of_holds_no_line_has_buttons(tmp_path: Path) -> None:
    for level in (0, 1):
        home, _ = at_work(folder_of(tmp_path, level), level=level)
        old = posted(home, "导演", {"kind": "status", "offer": ["stop"], "scopes": [{"kind": "everything"}]})
        wanted = "invalid" if level == 0 else None
        for rule in ("HOLD-12", "CTRL-34"):
            if rule == "HOLD-12":
                expect_equal(rule, home.value("SELECT count(*) FROM holds"), 0, "holds before")
                continue
            expect_equal(rule, pressed(home, old, "stop"), wanted, f"a press at level {level}")


@proves("CTRL-35")
def test_stop_on_a_line_is_the_hold_that_it_asks_for(tmp_path: Path) -> None:
    evening = evenings(tmp_path)
    for place, text, wanted in (
        ("导演", FIRST_STOP, [("bot", 1)]),
        (ROOM, "@导演 @文案 先停,把第三镜换成夜景", [("bot", 1), ("bot", 2)]),
        (ROOM, FIRST_STOP, [("session", 3)]),
    ):
        home, plan = next(evening)
        line = speak(home, text, BESIDE, to=place, plan=plan)
        before = lines_for_all(home)
        press(home, line, "stop")
        expect_equal("CTRL-35", held(home), wanted, f"holds of “{text}” in {place}")
        for number in range(1, len(wanted) + 1):
            scope, source, cited, void = home.rows(HELD, number)[0]
            expect_equal("CTRL-35", (source, cited, void), ("user_button", line, 0), f"what is on record of {scope}")
        expect_equal("CTRL-35", lines_for_all(home), before, "lines, with no receipt")
        if place == "导演":
            expect_equal("CTRL-35", home.live("导演"), [], "what runs")


@proves("CTRL-36")
def test_continue_on_a_line_that_says_both_lifts_all_in_the_scope_that_it_names(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    other = home.opened("海报", to="导演")
    home.say("海报也做", to="导演", files=[other])
    for _ in range(2):
        stop(home, "导演")
    hold(home, "bot", bot="文案")
    expect_equal("CTRL-36", [scope for scope, *_ in held(home)], ["bot_in_plan", "bot_in_plan", "bot"], "what stands")
    line = speak(home, BOTH_WAYS, BOTH, plan=plan)
    expect_equal("CTRL-36", held(home), [("bot_in_plan", 1, other), ("bot", 2)], "what the line itself leaves standing")
    before = lines_for_all(home)
    came = press(home, line, "continue")
    expect_equal("CTRL-37", lines_for_all(home), before, "lines, with nothing wider in the way")
    expect_equal("CTRL-36", (came, held(home)), ({"made": [], "lifted": [2]}, [("bot", 2)]), "what the press lifts")
    expect_equal("CTRL-36", sorted(turn["plan"] for turn in home.live("导演")), [plan, other], "what goes on")
    told = notes(home, "导演")
    expect("CTRL-36", len(told) == 1 and BOTH_WAYS in told[0], f"the note that it goes on with: {told}")
    expect_equal("CTRL-36", lines_for_all(home), before, "lines, with none written")


@proves("CTRL-36")
def test_continue_with_nothing_held_does_nothing(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    other = home.opened("海报", to="导演")
    hold(home, "bot_in_plan", bot="导演", plan=other)
    line = speak(home, BOTH_WAYS, BOTH, plan=plan)
    lift(home, 1)
    hold(home, "bot", bot="文案")
    before = home.rows("SELECT id, state FROM turns"), lines_for_all(home)
    expect_equal("CTRL-36", press(home, line, "continue"), {"made": [], "lifted": []}, "what the press does")
    after = home.rows("SELECT id, state FROM turns"), lines_for_all(home)
    expect_equal("CTRL-36", (after, held(home)), (before, [("bot", 2)]), "turns, lines and holds")


# -------------------------------------------------------------------- receipts of before


@proves("CTRL-42")
def test_a_receipt_of_before_is_kept_from_bots_and_works_still(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    speak(home, "停下", STOP)
    old = receipt(home, "导演", [1], "undo")
    posted(home, "导演", {"kind": "else"}, "应用的另一句")
    speak(home, "换成夜景", TALK, plan=plan)
    seen = home.context(home.turn("导演")["id"])
    expect("CTRL-42", "已停下" not in seen, f"what its Bot reads of the receipt: {seen}")
    expect("QUOT-30", "停下" in seen and "应用的另一句" in seen, f"what its Bot reads of the evening: {seen}")
    expect_equal("CTRL-42", press(home, old, "undo"), {"made": [], "lifted": []}, "undo of what was lifted since")
    hold(home, "bot", bot="导演")
    again = receipt(home, "导演", [2], "undo")
    expect_equal("CTRL-42", (press(home, again, "undo")["lifted"], held(home)), ([2], []), "undo of what stands")
    written = home.value("SELECT count(*) FROM messages WHERE control ->> 'kind' = 'receipt'")
    expect_equal("CTRL-42", written, 2, "receipts, of which the application has written none")


@proves("CTRL-43", "CTRL-44")
def test_undo_hands_the_line_out_as_if_it_had_not_stopped_anything(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    line = speak(home, "停下", STOP)
    expect_equal("CTRL-43", (len(home.live("导演")), delivered(home, line)), (0, 0), "who works, and has the line")
    old = receipt(home, "导演", [1], "undo")
    expect_equal("CTRL-43", press(home, old, "undo"), {"made": [], "lifted": [1]}, "what undo lifts")
    expect_equal("CTRL-44", notes(home, "导演"), [], "what goes on in the direct chat by itself")
    expect_equal("CTRL-43", len(asked(home, line, FILING)), 1, "readings of what the line is about")
    comes(home, line, FILING, filing({"plan": plan}))
    turns = [(turn["plan"], turn["trigger_message"]) for turn in home.live("导演")]
    expect_equal("REDIR-03", turns[-1:], [(plan, line)], "the turn that the line opens")
    expect_equal("CTRL-44", len(turns), 1, "turns there")
    expect_equal("CTRL-43", (home.filed(line), held(home)), ([(plan, None)], []), "the line's filing, and what is held")
    expect_equal("CTRL-43", delivered(home, line), 1, "how many have got the line")
    offered_there = home.value("SELECT control ->> 'offer' FROM messages WHERE id = ?", line)
    expect_equal("CTRL-43", offered_there, None, "buttons on the line")


@proves("CTRL-43")
def test_undo_of_an_old_stop_lets_its_work_go_on_with_a_note(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    stop(home, "导演")
    press(home, receipt(home, "导演", [1], "undo"), "undo")
    expect_equal("CTRL-43", [turn["plan"] for turn in home.live("导演")], [plan], "what goes on")
    expect_equal("CTRL-43", len(notes(home, "导演")), 1, "notes that it goes on with")


@proves("CTRL-45")
def test_undo_in_a_group_lets_stopped_work_go_on_and_hands_the_line_out_beside(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    shared = home.opened("海报", to=ROOM)
    home.say("@文案 写三句", to=ROOM, files=[shared])
    line = speak(home, "停下", STOP, to=ROOM)
    expect_equal("CTRL-45", home.live("文案"), [], "what runs after the stop")
    press(home, receipt(home, ROOM, [1], "undo"), "undo")
    expect_equal("CTRL-45", [turn["plan"] for turn in home.live("文案")], [shared], "what goes on by itself")
    expect_equal("CTRL-45", len(notes(home, "文案")), 1, "notes that it goes on with")
    comes(home, line, FILING, {"kind": "unclear"})
    judged = {bot for (bot,) in home.rows("SELECT bot FROM judgements WHERE message = ?", line)}
    expect_equal("CTRL-43", judged, {1, 2}, "who judges the line, as any line that names nobody")


@proves("CTRL-46")
def test_a_stop_is_widened_to_all_or_to_a_plan_that_others_worked_on(tmp_path: Path) -> None:
    evening = evenings(tmp_path)
    home, _ = next(evening)
    line = speak(home, "停下", STOP)
    press(home, receipt(home, "导演", [1], "widen"), "widen")
    expect_equal("CTRL-46", held(home), [("bot", 1), ("everything",)], "what is held, widened")
    expect_equal("CTRL-46", home.rows(HELD, 2), [("everything", "user_button", line, 0)], "the wider one")
    home, plan = next(evening)
    others = [home.opened(name, to=ROOM) for name in ("海报", "配乐", "年会")]
    folder = home.value("SELECT folder FROM plans WHERE id = ?", plan)
    home.say("@文案 写三句", to=ROOM, attach=[f"{folder}/a.png"])
    line = speak(home, "停下", STOP)
    beside = [{"turn": 2, "bot": 2, "plan": each} for each in (None, plan, others[0], plan, others[1], others[2])]

    home.sql("UPDATE holds SET effect = json_set(effect, '$.working_beside', json(?))", json.dumps(beside))
    old = receipt(home, "导演", [1], "also_stop")
    wanted = [("also_stop", each) for each in (plan, others[0], others[1])]
    expect_equal("CTRL-46", offered(home, old), wanted, "the buttons, of four plans that others worked on")
    expect_equal("CTRL-46", pressed(home, old, "also_stop", others[2]), "invalid", "a press for the fourth")
    press(home, old, "also_stop", plan)
    expect_equal("CTRL-46", held(home), [("bot", 1), ("plan", plan)], "what is held, with the plan")
    expect_equal("CTRL-46", home.rows(HELD, 2), [("plan", "user_button", line, 0)], "the one on the plan")
    expect_equal("CTRL-46", home.live("文案"), [], "what the other Bot still does there")


@proves("CTRL-47")
def test_a_stop_is_narrowed_to_one_plan(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    other = home.opened("海报", to="导演")
    home.say("海报也做", to="导演", files=[other])
    line = speak(home, "停下", STOP)
    hold(home, "session", session=ROOM)
    old = receipt(home, "导演", [1, 2], "only_stop")
    expect_equal("CTRL-47", offered(home, old), [("only_stop", plan), ("only_stop", other)], "the buttons")
    more: list[dict[str, Any]] = [
        {"turn": 1, "bot": 1, "plan": home.opened(name, to=ROOM)} for name in ("甲", "乙", "丙", "丁")
    ]
    home.sql("UPDATE holds SET effect = json_set(effect, '$.stopped_turns', json(?)) WHERE id = 2", json.dumps(more))
    expect_equal("CTRL-47", len(offered(home, old)), 2, "buttons, with what was stopped in a session")
    other_home, _ = at_work(folder_of(tmp_path, "four"))
    speak(other_home, "停下", STOP)
    for each in more:
        each["plan"] = other_home.opened("一件", to=ROOM)
    other_home.sql("UPDATE holds SET effect = json_set(effect, '$.stopped_turns', json(?))", json.dumps(more))
    four = receipt(other_home, "导演", [1], "only_stop")
    expect_equal("CTRL-47", len(offered(other_home, four)), 3, "buttons, stopped in four plans")
    expect_equal(
        "CTRL-47", pressed(other_home, four, "only_stop", more[3]["plan"]), "invalid", "a press for the fourth"
    )
    came = press(home, old, "only_stop", other)
    expect_equal("CTRL-47", came, {"made": [3], "lifted": [1]}, "what is made and lifted")
    wanted = [("session", 3), ("bot_in_plan", 1, other)]
    expect_equal("CTRL-47", held(home), wanted, "what is held afterwards")
    expect_equal("CTRL-47", home.rows(HELD, 3), [("bot_in_plan", "user_button", line, 0)], "the narrower one")
    expect_equal("CTRL-47", [turn["plan"] for turn in home.live("导演")], [plan], "what goes on")
    expect_equal("CTRL-47", len(notes(home, "导演")), 1, "notes")
    lift(home, 3)
    running = sorted(turn["plan"] for turn in home.live("导演"))
    expect_equal("CTRL-47", running, [plan, other], "what goes on once the narrower one is lifted")


@proves("CTRL-48")
def test_what_is_marked_void_stays_until_it_is_lifted(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    speak(home, "停下", STOP)
    hold(home, "session", session=ROOM)
    press(home, receipt(home, "导演", [1], "undo", "cancel"), "cancel")
    expect_equal("CTRL-48", home.rows("SELECT id, void FROM holds"), [(1, 1), (2, 0)], "which are marked void")
    speak(home, "换成夜景", TALK, plan=plan)
    expect_equal("CTRL-48", held(home), [("bot", 1), ("session", 3)], "what a line about it leaves standing")
    expect_equal("CTRL-48", [turn["mode"] for turn in home.live("导演")], ["readonly"], "what it opens")
    lift(home, 1)
    running = [turn["plan"] for turn in home.live("导演") if turn["mode"] == "work"]
    expect_equal("CTRL-48", running, [plan], "what the lift takes up again")


@proves("CTRL-48")
def test_void_on_an_old_line_is_the_hold_that_it_asks_for_marked_so(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    line = speak(home, "算了", TALK)
    home.sql(
        "UPDATE messages SET control = ? WHERE id = ?",
        '{"kind": "possible_control", "offer": ["cancel"], "scopes": [{"kind": "bot", "bot": 1}]}',
        line,
    )
    press(home, line, "cancel")
    expect_equal("CTRL-48", home.rows(HELD, 1), [("bot", "user_button", line, 1)], "the hold")


@proves("CTRL-49")
def test_stop_on_an_old_status_line_stops_what_was_asked_about(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    home.say("@文案 写三句", to=ROOM)
    scopes = [{"kind": "bot", "bot": home.bot("文案")}]
    old = posted(home, "导演", {"kind": "status", "offer": ["stop"], "scopes": scopes})
    press(home, old, "stop")
    expect("CTRL-33", "acted" in carried(home, old), "the press is on record")
    expect_equal("CTRL-49", held(home), [("bot", 2)], "the hold")
    expect_equal("CTRL-35", home.rows(HELD, 1), [("bot", "user_button", None, 0)], "what is on record of it")
    live = len(home.live("文案")), len(home.live("导演"))
    expect_equal("CTRL-49", live, (0, 1), "what still runs of the Bot asked about, and of the other")


@proves("CTRL-50")
def test_lines_about_holds_carry_what_the_application_has_to_do_with_them(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    scopes = [{"kind": "bot", "bot": 1}]
    beside = speak(home, FIRST_STOP, BESIDE, plan=plan)
    wanted: dict[str, Any] = {"kind": "possible_control", "offer": ["stop"], "scopes": scopes}
    expect_equal("CTRL-50", carried(home, beside), wanted, "a line with other words beside")
    stopped = speak(home, "停下", STOP)
    expect_equal("CTRL-50", carried(home, stopped), {"kind": "stop", "made": [1]}, "a line that only stops")
    home.sql("UPDATE holds SET void = 1")
    both = speak(home, BOTH_WAYS, BOTH, plan=plan)
    expect_equal("CTRL-50", carried(home, both).get("kind"), "possible_control", "a line that may do either")
    hold(home, "everything", void=True)
    press(home, both, "continue")
    status = int(home.value("SELECT max(id) FROM messages WHERE author = 'app'"))
    wanted = {"kind": "status", "offer": ["only_continue", "continue_all"], "scopes": scopes, "held_ids": [1, 2]}
    expect_equal("CTRL-50", carried(home, status), wanted, "a line that the application has written")
    plain = speak(home, "画面亮一点", TALK, plan=plan)
    row = home.db.row("SELECT * FROM messages WHERE id = ?", plain)
    assert row is not None
    expect_equal("CTRL-50", control.shown(home.db, row), None, "a line about the work")
