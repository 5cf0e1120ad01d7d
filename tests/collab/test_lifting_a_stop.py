"""What ends a Stop: which words of the user, said where and to whom, and which do not."""

import json
from pathlib import Path

from evening import DOWN, shell
from readings import FILING, MEANING, asked, comes, filing, refused, says
from rooms_at_work import (
    CHECK_BACK,
    FILM,
    NIGHT,
    OTHER_ROOM,
    POSTER,
    STATUS,
    begins,
    hears_and_is_held,
    kept,
    notes,
    over,
    rooms,
    running,
    stand,
    stop,
    stopped_twice,
)
from stopping import BESIDE, BOTH, RESUME, ROOM, STOP, TALK, buttons, delivered, speak

from harness.expect import expect_equal, proves
from threadrebuild.collab import events


@proves("STOP-12")
def test_the_next_line_on_the_matter_lifts_a_stop_and_its_bot_goes_on_from_it(tmp_path: Path) -> None:
    home = stopped_twice(tmp_path)
    speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    expect_equal("STOP-12", over(home), [POSTER], "plans still stopped after a line about the film")
    expect_equal("STOP-12", running(home, "导演"), [(f"@导演 {NIGHT}", FILM)], "what runs then")
    expect_equal("STOP-12", notes(home), [], "restart notes")


@proves("STOP-12", "DESK-36")
def test_a_line_that_a_bot_files_to_the_stopped_matter_at_its_desk_lands_on_it(tmp_path: Path) -> None:
    for stopped in ("never", "before the line", "after the line", "by a kept hold"):
        home = rooms(tmp_path / stopped)
        turn = begins(home, "导演", FILM)
        if stopped in ("never", "by a kept hold"):
            home.run("导演")
            home.hop("导演", text="好了。")
        if stopped == "by a kept hold":
            kept(home, "void", kind="plan", plan=FILM)
        if stopped == "before the line":
            stop(home, turn)
        speak(home, NIGHT, TALK, to="导演")
        desk = home.turn("导演")["id"]
        if stopped == "after the line":
            stop(home, turn)
        home.hop("导演", events.Call("work_on", {"plan": FILM}), turn=desk)
        lands = stopped in ("never", "before the line")
        rule = "HOLD-76" if stopped == "never" else "DESK-36"
        bound = home.value("SELECT plan FROM turns WHERE id = ?", desk)
        expect_equal(rule, bound, FILM if lands else None, f"what its desk works on, stopped {stopped}")
        expect_equal("STOP-12", over(home), [] if lands else [FILM], f"what is held, stopped {stopped}")


@proves("STOP-13")
def test_go_on_alone_is_such_a_line(tmp_path: Path) -> None:
    home = stopped_twice(tmp_path)
    speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
    expect_equal("STOP-13", over(home), [POSTER], "plans still stopped after “go on” about the film")
    expect_equal("STOP-13", running(home, "导演"), [("@导演 继续", FILM)], "what runs then")


@proves("STOP-14", "STOP-15")
def test_a_line_is_said_to_whom_it_names_or_to_all(tmp_path: Path) -> None:
    for number, (rule, text, place, lifts) in enumerate(
        (
            ("STOP-14", "换成夜景", ROOM, True),
            ("STOP-15", "@文案 换成夜景", ROOM, False),
            ("STOP-14", "@所有人 换成夜景", ROOM, True),
            ("STOP-14", "@文案 @所有人 换成夜景", ROOM, True),
            ("STOP-14", "@导演 换成夜景", OTHER_ROOM, True),
            ("STOP-15", "@文案 换成夜景", OTHER_ROOM, False),
            ("STOP-14", "换成夜景", "导演", True),
            ("STOP-15", "换成夜景", "文案", False),
        )
    ):
        home = rooms(tmp_path / str(number), lead="文案")
        begins(home, "文案", FILM)
        home.hop("文案", text="文案写好了。")
        home.run("文案")
        home.hop("文案", text="文案写好了。")
        stop(home, begins(home, "导演", FILM))
        speak(home, text, TALK, to=place, plan=FILM)
        expect_equal(rule, over(home), [] if lifts else [FILM], f"stopped after “{text}” in {place}")


@proves("STOP-15")
def test_what_is_said_to_others_leaves_check_backs_suspended(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    stop(home, begins(home, "导演", FILM, calls=(CHECK_BACK,)))
    speak(home, "@文案 在吗", TALK, to=ROOM)
    expect_equal("CTRL-27", over(home), [FILM], "what is stopped after a line that tells nobody to go on")
    speak(home, f"@文案 {NIGHT}", TALK, to=ROOM, plan=FILM)
    home.later(60)
    expect_equal("STOP-15", len(home.turns("导演")), 1, "turns of the director once its check-back was due")
    speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    home.hop("导演", text="好。")
    home.later(1)
    expect_equal("STOP-15", len(home.turns("导演")), 3, "turns once it was spoken to: by the line, by the check-back")


@proves("STOP-16")
def test_only_what_is_said_after_the_press_counts(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    turn = begins(home, "导演", FILM)
    early = says(home, f"@导演 {NIGHT}", to=ROOM)
    stop(home, turn)
    comes(home, early, MEANING, TALK)
    effect = asked(home, early, FILING)[0].id
    raw = json.dumps(filing({"plan": FILM}))
    expect_equal("STOP-16", refused(home, events.Read, effect=effect, raw=raw), None, "what keeps an early line back")
    expect_equal("STOP-16", stand(home), ["bot_in_plan"], "holds after a line that was being read at the press")
    expect_equal("STOP-16", running(home, "导演"), [], "what runs then")
    speak(home, "@导演 还要下雨", TALK, to=ROOM, plan=FILM)
    expect_equal("STOP-16", stand(home), [], "holds after one said later")
    home.hop("导演", shell("render"))
    expect_equal("STOP-16", len(home.read_in(early, "导演")), 1, "readings of the early line after that")


@proves("STOP-17")
def test_go_on_said_elsewhere_lifts_it_and_the_bot_goes_on_there(tmp_path: Path) -> None:
    for there, text in (("导演", "继续"), (OTHER_ROOM, "@导演 继续")):
        home = stopped_twice(tmp_path / there)
        speak(home, text, RESUME, to=there, plan=FILM)
        expect_equal("STOP-17", over(home), [POSTER], f"stopped after “{text}” in {there}")
        where = [turn["session"] for turn in home.live("导演")]
        expect_equal("STOP-17", where, [home.session(there)], f"where it goes on after “{text}” in {there}")


@proves("STOP-18")
def test_a_line_on_another_matter_or_go_on_about_none_lifts_no_stop(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    begins(home, "导演", POSTER)
    stop(home, begins(home, "导演", FILM))
    speak(home, "@导演 海报改横版", TALK, to=ROOM, plan=POSTER)
    expect_equal("STOP-18", over(home), [FILM], "stopped after a line about the poster")
    for place in (ROOM, "导演"):
        speak(home, "@导演 继续", RESUME, to=place)
        expect_equal("STOP-18", over(home), [FILM], f"stopped after “go on” about nothing in {place}")
    speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
    expect_equal("STOP-18", over(home), [], "stopped after “go on” about the film")


@proves("STOP-19")
def test_every_line_lifts_but_a_mere_stop_or_question_how_far_it_is(tmp_path: Path) -> None:
    cases: tuple[tuple[str, object, bool], ...] = (
        ("先停,把第三镜换成夜景", BESIDE, True),
        ("今天先停,明天继续", BOTH, True),
        ("停下", STOP, False),
        ("还在做吗", STATUS, False),
        ("停了吗", STATUS, False),
        # Wrong readings: at worst the user's line opens a turn, or its Bot only answers; nothing is lost.
        ("还在做吗", TALK, True),
        (NIGHT, STATUS, False),
        ("停下", DOWN, True),
    )
    home = rooms(tmp_path / "insert")
    home.happens(events.Inserted, message=hears_and_is_held(home))
    expect_equal("HOLD-23", stand(home), [], "holds after a direct insert")
    for number, (text, meaning, lifts) in enumerate(cases):
        home = rooms(tmp_path / str(number))
        stop(home, begins(home, "导演", FILM))
        line = speak(home, text, meaning, plan=None if meaning is DOWN else FILM)
        if meaning is DOWN:
            home.hop("导演", events.Call("work_on", {"plan": FILM}))
        expect_equal("STOP-19", "bot_in_plan" in stand(home), not lifts, f"stopped after “{text}” read as {meaning}")
        got = 0 if meaning is STOP else 1
        expect_equal("STOP-19", delivered(home, line), got, f"Bots that have got “{text}” read as {meaning}")
        expect_equal("STOP-19", len(running(home, "导演")), got, f"turns on “{text}” read as {meaning}")
    home = rooms(tmp_path / "buttons")
    stop(home, begins(home, "导演", FILM))
    line = speak(home, "先停,把第三镜换成夜景", BESIDE, plan=FILM)
    expect_equal("STOP-19", (buttons(home, line), stand(home)), (["stop"], []), "its buttons, and the holds")
