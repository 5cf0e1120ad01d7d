"""What ends a hold: which words of the user, on which holds, and what the lift gives back."""

import json
from pathlib import Path
from typing import Any

from evening import Evening
from readings import FILING, MEANING, asked, comes, filing, says
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
    opened,
    rooms,
    running,
    stand,
    stop,
)
from stopping import RESUME, ROOM, STOP, TALK, hold, lift, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def a_mere_question_leaves_it(folder: Path) -> None:
    """That a question how far things are ends no hold."""
    home = rooms(folder)
    hold(home, "bot", bot="导演")
    speak(home, "@导演 还在做吗", STATUS, to=ROOM)
    expect_equal("HOLD-30", stand(home), ["bot"], "holds after a mere question")


def typed_stop(home: Evening) -> None:
    """The user says stop in the group."""
    speak(home, "停下", STOP, to=ROOM)


@proves("HOLD-21")
def test_all_routes_stop_for_now_and_end_with_the_next_word(tmp_path: Path) -> None:
    a_mere_question_leaves_it(tmp_path / "question")
    routes: dict[str, Any] = {
        "Stop": lambda home: stop(home, home.live("文案")[0]["id"]),
        "typed": typed_stop,
        "menu of a group": lambda home: hold(home, "session", session=ROOM),
        "menu of a Bot": lambda home: hold(home, "bot", bot="文案"),
        "flowchart": lambda home: hold(home, "plan", plan=FILM),
        "menu bar": lambda home: hold(home, "everything"),
    }
    for name, press in routes.items():
        home = rooms(tmp_path / name)
        begins(home, "文案", FILM, calls=(CHECK_BACK,))
        press(home)
        expect_equal("HOLD-21", opened(home, "文案")[0][0], "stopped", f"what runs, stopped by {name}")
        home.later(60)
        expect_equal("HOLD-21", running(home, "文案"), [], f"what runs once its check-back was due, stopped by {name}")
        speak(home, f"@文案 {NIGHT}", TALK, to=ROOM, plan=FILM)
        expect_equal("HOLD-21", stand(home), [], f"holds by {name} after the next word")
        expect_equal("HOLD-21", running(home, "文案")[:1], [(f"@文案 {NIGHT}", FILM)], f"what runs then, after {name}")


def asks_and_is_held(home: Evening) -> None:
    """The director asks the user something, and is stopped by a menu."""
    speak(home, "@导演 做起来", TALK, to=ROOM, plan=FILM)
    home.hop("导演", events.Call("ask_user", {"question": "横版还是竖版？"}))
    hold(home, "bot", bot="导演")


def reads_and_is_held(home: Evening) -> int:
    """The director reads a line, and is stopped by a menu; returns the line."""
    begins(home, "导演", FILM)
    hold(home, "bot", bot="导演")
    return int(home.value("SELECT max(id) FROM messages WHERE author = 'user'"))


def cut_off_and_held(home: Evening) -> int:
    """The director's turn is cut off by a crash, and is stopped after it; returns the turn."""
    turn = begins(home, "导演", FILM)
    home.crash()
    hold(home, "bot", bot="导演")
    return turn


@proves("HOLD-22")
def test_whatever_the_user_says_or_does_is_done_and_ends_the_hold(tmp_path: Path) -> None:
    home = rooms(tmp_path / "edit")
    line = reads_and_is_held(home)
    home.happens(events.Edited, message=line, text="@导演 做竖版")
    expect_equal("QUOT-25", (stand(home), len(running(home, "导演"))), ([], 1), "holds, and turns, after an edit")
    hold(home, "bot", bot="导演")
    home.happens(events.Edited, message=line, text="@导演 做方版")
    expect_equal("HOLD-22", (stand(home), len(running(home, "导演"))), ([], 1), "holds, and turns, after another")

    home = rooms(tmp_path / "line")
    reads_and_is_held(home)
    hold(home, "bot", bot="文案")
    speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    expect_equal("HOLD-22", stand(home), ["bot"], "holds after a line: the other Bot's")
    expect_equal("HOLD-22", running(home, "导演"), [(f"@导演 {NIGHT}", FILM)], "what runs after a line")

    home = rooms(tmp_path / "home of the plan")
    begins(home, "导演", FILM)
    hold(home, "session", session=ROOM)
    speak(home, NIGHT, TALK, plan=FILM)
    expect_equal("HOLD-22", stand(home), [], "holds after a line in the direct chat, about a plan of the group held")
    expect_equal("HOLD-22", running(home, "导演"), [(NIGHT, FILM)], "what runs after that")

    home = rooms(tmp_path / "judged elsewhere")
    begins(home, "导演", FILM)
    hold(home, "session", session=ROOM)
    line = says(home, NIGHT, to=OTHER_ROOM)
    comes(home, line, MEANING, TALK)
    comes(home, line, FILING, filing({"plan": FILM}))
    judging = home.value("SELECT count(*) FROM judgements WHERE message = ?", line)
    expect_equal("HOLD-22", (stand(home), judging), ([], 2), "holds, and who judges, in another group without a lead")

    home = rooms(tmp_path / "insert")
    line = hears_and_is_held(home)
    home.happens(events.Inserted, message=line)
    expect_equal(
        "HOLD-22", (stand(home), len(home.read_in(line, "导演"))), ([], 1), "holds, and readings, when inserted"
    )

    home = rooms(tmp_path / "answer")
    asks_and_is_held(home)
    speak(home, "@导演 横版", TALK, to=ROOM, plan=FILM)
    expect_equal("HOLD-22", (stand(home), running(home, "导演")), ([], [("@导演 横版", FILM)]), "after an answer")

    home = rooms(tmp_path / "continue")
    turn = cut_off_and_held(home)
    home.press(turn)
    on = home.value("SELECT continues FROM live_turns")
    expect_equal("HOLD-22", (stand(home), on), ([], turn), "holds, and what goes on, after continue was pressed")

    home = rooms(tmp_path / "go on")
    reads_and_is_held(home)
    speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
    expect_equal("HOLD-22", (stand(home), len(running(home, "导演"))), ([], 1), "holds, and turns, after “go on”")

    home = rooms(tmp_path / "lift")
    reads_and_is_held(home)
    lift(home, 1)
    expect_equal("HOLD-22", (stand(home), len(running(home, "导演"))), ([], 1), "holds, and turns, after a lift")

    for text, meaning in (("@导演 停下", STOP), ("@导演 还在做吗", STATUS)):
        home = rooms(tmp_path / text)
        reads_and_is_held(home)
        speak(home, text, meaning, to=ROOM, plan=FILM)
        expect("HOLD-22", "bot" in stand(home), f"the hold stands after “{text}”")


@proves("HOLD-23")
def test_a_relevant_line_ends_the_whole_hold(tmp_path: Path) -> None:
    a_mere_question_leaves_it(tmp_path / "question")
    for scope in ("session", "everything", "plan"):
        home = rooms(tmp_path / scope)
        for bot in ("导演", "文案"):
            begins(home, bot, FILM)
        hold(home, scope, **{"session": {"session": ROOM}, "plan": {"plan": FILM}}.get(scope, {}))
        speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
        expect_equal("HOLD-23", stand(home), [], f"holds on {scope} after a line to one of two")
        left = home.value("SELECT count(*) FROM hold_hits")
        expect_equal("HOLD-23", left, 0, f"what is left under a hold on {scope}")


@proves("HOLD-24")
def test_what_a_line_has_to_be_about_to_end_a_hold(tmp_path: Path) -> None:
    home = rooms(tmp_path / "to whom", lead="文案")
    hold(home, "bot_in_plan", bot="导演", plan=FILM)
    for text, stands in (("@文案 改一下", ["bot_in_plan"]), ("改一下", [])):
        speak(home, text, TALK, to=ROOM, plan=FILM)
        expect_equal("STOP-14", stand(home), stands, f"holds on the director after “{text}”")
    lines: dict[str, tuple[str, str, Any]] = {
        "to the director about the poster": ("@导演 改一下", ROOM, {"plan": POSTER}),
        "to the copywriter about the poster": ("@文案 改一下", ROOM, {"plan": POSTER}),
        "to the director about the film": ("@导演 改一下", ROOM, {"plan": FILM}),
        "to all about the poster": ("改一下", ROOM, {"plan": POSTER}),
        "to the director elsewhere": ("@导演 在吗", OTHER_ROOM, None),
        "to all elsewhere": ("改一下", OTHER_ROOM, None),
        "about the first ticket": ("@导演 改一下", ROOM, {"plan": FILM, "ticket": 1}),
        "about the second ticket": ("@导演 改一下", ROOM, {"plan": FILM, "ticket": 2}),
    }
    of_poster = {each for each in lines if "poster" in each}
    elsewhere = {each for each in lines if "elsewhere" in each}
    ends: dict[tuple[str, str], set[str]] = {
        ("everything", ""): set(lines),
        ("session", ROOM): set(lines) - elsewhere,
        ("session", OTHER_ROOM): elsewhere,
        ("plan", "film"): set(lines) - of_poster - elsewhere,
        ("ticket", "first"): {"about the first ticket"},
        ("bot", "导演"): set(lines) - {"to the copywriter about the poster"},
        ("bot", "文案"): {"to the copywriter about the poster", "to all about the poster", "to all elsewhere"},
    }
    for scope, name in ends:
        for about, (text, place, filed) in lines.items():
            home = rooms(tmp_path / scope / name / about)
            for title in ("粗剪", "精剪"):
                home.sql(
                    "INSERT INTO tickets (plan, number, title, folder, owner, at) SELECT ?, count(*) + 1, ?, ?, ?, 0"
                    " FROM tickets",
                    FILM,
                    title,
                    title,
                    home.bot("导演"),
                )
            names = {"session": {"session": name}, "bot": {"bot": name}}
            hold(home, scope, **names.get(scope, {} if scope == "everything" else {scope: 1}))
            line = says(home, text, to=place)
            comes(home, line, MEANING, TALK)
            comes(home, line, FILING, {"kind": "unclear"} if filed is None else filing(filed))
            wanted = [] if about in ends[scope, name] else [scope]
            expect_equal("HOLD-24", stand(home), wanted, f"holds on {scope} {name} after a line {about}")
    # New words of a line that its group still judges are in no inbox: what they are about alone decides.
    for scope, names in (("everything", {}), ("plan", {"plan": FILM}), ("plan", {"plan": POSTER})):
        home = rooms(tmp_path / "edit" / f"{scope} {names}")
        line = speak(home, "改一下", TALK, to=ROOM, plan=FILM)
        copies = home.value("SELECT count(*) FROM inbox_items")
        expect_equal("JUDG-06", copies, 0, "copies of a line that is still judged")
        hold(home, scope, **names)
        home.happens(events.Edited, message=line, text="做竖版")
        wanted = [scope] if names == {"plan": POSTER} else []
        expect_equal("HOLD-24", stand(home), wanted, f"holds on {scope} {names} after an edit of a line about the film")


def kept_from_both(folder: Path) -> tuple[Evening, int, int]:
    """A group is held, with a line unread by each of its Bots; of them the copywriter has a check-back due by now."""
    home = rooms(folder)
    begins(home, "文案", FILM, calls=(CHECK_BACK,))
    for_writer = speak(home, "@文案 标题要短", TALK, to=ROOM, plan=FILM)
    begins(home, "导演", FILM)
    for_director = speak(home, "@导演 节奏快一点", TALK, to=ROOM, plan=FILM)
    hold(home, "session", session=ROOM)
    home.later(60)
    return home, for_writer, for_director


def all_done(home: Evening) -> None:
    """Both Bots come to an end with what they have to do."""
    home.later(1)
    while home.hop("导演", text="好。") or home.hop("文案", text="好。"):
        pass


@proves("HOLD-25")
def test_a_lift_frees_whom_the_line_was_not_said_to_as_well(tmp_path: Path) -> None:
    home, for_writer, _ = kept_from_both(tmp_path)
    expect_equal("HOLD-10", opened(home, "文案")[0][0], "stopped", "what the hold makes of a segment at work")
    expect_equal("HOLD-25", len(home.turns("文案")), 1, "turns of the copywriter under the hold")
    speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    all_done(home)
    rang = "SELECT count(*) FROM inbox_items WHERE kind = 'check_back' AND state = 'read'"
    expect_equal("HOLD-25", home.value(rang), 1, "check-backs that it has read")
    expect_equal("HOLD-25", len(home.read_in(for_writer, "文案")), 1, "how often it has read what was kept back")
    expect_equal("HOLD-25", home.value("SELECT status FROM plans WHERE id = ?", FILM), "active", "the plan's status")


@proves("QUOT-36")
def test_all_lines_that_a_hold_kept_are_handed_back(tmp_path: Path) -> None:
    home, *lines = kept_from_both(tmp_path)
    expect_equal("HOLD-10", opened(home, "文案")[0][0], "stopped", "what the hold makes of a segment at work")
    speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    all_done(home)
    for bot, line in zip(("文案", "导演"), lines, strict=True):
        expect_equal("QUOT-36", len(home.read_in(line, bot)), 1, f"how often {bot} has read what was kept back")


@proves("HOLD-29")
def test_a_new_instruction_opens_an_ordinary_turn(tmp_path: Path) -> None:
    for number, press in enumerate((typed_stop, lambda home: hold(home, "plan", plan=FILM))):
        for place, text in ((ROOM, "@导演 从头再做一遍"), ("导演", "从头再做一遍")):
            home = rooms(tmp_path / f"{number} {place}")
            begins(home, "导演", FILM)
            press(home)
            speak(home, text, TALK, to=place, plan=FILM)
            found = [(turn["mode"], turn["plan"]) for turn in home.live("导演")]
            expect_equal("HOLD-29", found, [("work", FILM)], f"what “{text}” in {place} opens")
            expect_equal("HOLD-29", stand(home), [], f"holds after “{text}” in {place}")


@proves("HOLD-30")
def test_a_mere_question_how_far_it_is_frees_nobody(tmp_path: Path) -> None:
    for scope, names in (("bot", {"bot": "导演"}), ("session", {"session": ROOM}), ("plan", {"plan": FILM})):
        home = rooms(tmp_path / scope)
        begins(home, "导演", FILM)
        hold(home, scope, **names)
        speak(home, "@导演 还在做吗", STATUS, to=ROOM, plan=FILM)
        expect_equal("HOLD-30", stand(home), [scope], "holds after the question")
        home.hop("导演", text="停着呢。")
        expect_equal("HOLD-30", home.said("bot"), ["停着呢。"], "what is answered")
        ended = [state for state, *_ in opened(home, "导演")]
        expect_equal("HOLD-30", ended, ["stopped", "completed"], "the turns: the one stopped, and the answer")


@proves("HOLD-32")
def test_a_kept_hold_ends_by_a_lift_alone(tmp_path: Path) -> None:
    for source in ("legacy", "void"):
        home = under_kept(tmp_path / source, source)
        speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
        expect_equal("HOLD-32", stand(home), ["plan"], f"holds after a line under one kept as {source}")
        expect_equal("HOLD-32", [turn["mode"] for turn in home.live("导演")], ["readonly"], "what the line opens")
        lift(home, 1)
        expect_equal("HOLD-32", stand(home), [], f"holds after a lift, kept as {source}")


@proves("CTRL-32")
def test_go_on_under_a_kept_hold_is_only_answered(tmp_path: Path) -> None:
    for source in ("legacy", "void"):
        home = under_kept(tmp_path / source, source)
        speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
        expect_equal("CTRL-32", stand(home), ["plan"], f"holds after “go on” under one kept as {source}")
        expect_equal("CTRL-32", [turn["mode"] for turn in home.live("导演")], ["readonly"], "what “go on” opens")
        told = home.context(home.live("导演")[0]["id"])
        expect("CTRL-32", "the hold still stands; do not claim to be going on" in told, "that is what it is told")
        lift(home, 1)
        expect_equal("CTRL-32", stand(home), [], "its lift is still to be had")


def under_kept(folder: Path, source: str) -> Evening:
    """The director's work on the film is under a kept hold."""
    home = rooms(folder)
    begins(home, "导演", FILM)
    kept(home, source, kind="plan", plan=FILM)
    return home


@proves("HOLD-33")
def test_what_nobody_had_read_is_kept_back_until_a_lift_or_an_insert(tmp_path: Path) -> None:
    for way in ("lift", "insert"):
        for scope in ("bot", "turn", "being read"):
            home = rooms(tmp_path / f"{way} {scope}")
            turn = begins(home, "导演", FILM)
            line = says(home, f"@导演 {NIGHT}", to=ROOM)
            if scope == "being read":
                stop(home, turn)
            comes(home, line, MEANING, TALK)
            comes(home, line, FILING, filing({"plan": FILM}))
            if scope == "bot":
                hold(home, "bot", bot="导演")
            if scope == "turn":
                hold(home, "turn", turn=turn)
            expect_equal("HOLD-33", running(home, "导演"), [], f"what runs, of {scope}")
            lift(home, 1) if way == "lift" else home.happens(events.Inserted, message=line)
            while home.hop("导演", text="好。"):
                pass
            expect_equal(
                "HOLD-33", len(home.read_in(line, "导演")), 1, f"how often it was read after {way}, of {scope}"
            )


@proves("HOLD-33")
def test_what_a_segment_had_been_given_and_never_saw_is_kept_back_too(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    line = says(home, f"@导演 {NIGHT}", to=ROOM)
    comes(home, line, MEANING, TALK)
    filed = asked(home, line, FILING)[0].id
    home.now += 1000
    home.engine.handle(events.Read(key="filed", at=home.now, effect=filed, raw=json.dumps(filing({"plan": FILM}))))
    stop(home, home.live("导演")[0]["id"])
    expect_equal("HOLD-13", running(home, "导演"), [], "what runs after the stop")
    expect_equal("HOLD-33", home.read_in(line, "导演"), [], "who has read a line whose hop had not begun")
    lift(home, 1)
    expect_equal("HOLD-33", home.read_in(line, "导演"), [2], "who has read it after the lift")


@proves("HOLD-34")
def test_stopping_and_going_on_write_nothing_into_any_session(tmp_path: Path) -> None:
    everybody_sees = "SELECT author, text FROM messages WHERE only_for IS NULL ORDER BY id"
    for number, press in enumerate(
        (
            typed_stop,
            lambda home: hold(home, "session", session=ROOM),
            lambda home: stop(home, home.live("导演")[0]["id"]),
        )
    ):
        for way in ("line", "go on", "go on elsewhere", "lift", "insert"):
            home = rooms(tmp_path / f"{number} {way}")
            begins(home, "导演", FILM)
            line = speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
            before = len(home.rows(everybody_sees))
            press(home)
            match way:
                case "line":
                    speak(home, "@导演 还要下雨", TALK, to=ROOM, plan=FILM)
                case "go on":
                    speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
                case "go on elsewhere":
                    speak(home, "@导演 继续", RESUME, to=ROOM)
                case "lift":
                    lift(home, 1)
                case "insert":
                    home.happens(events.Inserted, message=line)
            said = home.rows(everybody_sees)[before:]
            by_others = [each for each in said if each[0] != "user"]
            expect_equal("HOLD-34", by_others, [], f"written by the application when stopped and freed by {way}")
