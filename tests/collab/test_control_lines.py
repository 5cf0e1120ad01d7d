"""What the user says to stop or go on, phrase by phrase: only a reading makes it so, whatever its words are.

The phrases are inputs. Each is said with any number and thing in it, and once more without the word that decides: then
there is nothing in it that could be read as a stop. Each is also read wrongly, and not read at all: nothing is lost.
"""

import json
from pathlib import Path
from typing import Any

from evening import DOWN, Evening
from readings import FILING, MEANING, asked, comes, filing, says
from stopping import (
    BESIDE,
    BOTH,
    RESUME,
    ROOM,
    STOP,
    TALK,
    at_work,
    buttons,
    delivered,
    evenings,
    held,
    hold,
    lift,
    shown,
    speak,
    stop,
)

from harness.expect import expect_equal, proves
from threadrebuild.collab import reader

STATE = "SELECT state FROM messages WHERE id = ?"
NUMBERS = ("二", "12", "三")
THINGS = ("片头", "海报", "teaser")
STOPS = (
    ("{t}停下", "停下"),
    ("你手头第{n}版{t}的生成停一下", "停一下"),
    ("停下你所有{t}的工作", "停下"),
    ("能先把第{n}版{t}停一下吗", "停一下"),
    ("你第{n}版{t}没停", "没停"),
    ("{t}先别搞了,收手吧", "别搞了,收手"),
)
"""Lines that only tell a Bot to stop, each with the word that does."""
STOPS_VERBATIM = (
    "停下",
    "你手头的生成停一下",
    "停下你所有的工作",
    "能先停一下吗",
    "你没停",
    "先别搞了,收手吧",
)
NO_STOPS = (
    "审片员:停",
    "卡住了就停",
    "别再用冻帧补时长",
    "他喊的是“停下”",
    "跑一下 `停下` 这个分支",
    "停下😂",
)
TALKS = ("停了吗", "怎么还在跑", "能停么")
GIVES_UP = ("算了", "不做了", "取消")
WITH_MORE = ("先停,把第三镜换成夜景", "今天先停,明天继续", "继续做第二集,片头用旧的")


# ---------------------------------------------------------------- what is a stop


@proves("CTRL-8")
def test_what_only_stops_holds_whatever_it_is_about(tmp_path: Path) -> None:
    said = [(text, True) for text in STOPS_VERBATIM]
    for (frame, word), number, thing in zip(STOPS, 2 * NUMBERS, 2 * THINGS, strict=True):
        said += [(frame.format(n=number, t=thing), True), (frame.replace(word, "").format(n=number, t=thing), False)]
    for (text, stops), (home, _) in zip(said, evenings(tmp_path), strict=False):
        speak(home, text, STOP if stops else TALK)
        if stops:
            expect_equal("CTRL-3", len(held(home)), 1, f"holds of “{text}”, which was read")
        expect_equal("CTRL-8", held(home), [("bot", home.bot("导演"))] * stops, f"what “{text}” holds")
        ended = home.turns("导演")[0]["state"] == "stopped"
        expect_equal("CTRL-8", ended, stops, f"whether “{text}” ends what runs")


@proves("CTRL-6")
def test_a_mere_stop_goes_nowhere_else(tmp_path: Path) -> None:
    goes_nowhere("CTRL-6", tmp_path, ("停下", "你手头的生成停一下"))


@proves("READ-04")
def test_a_mere_stop_makes_a_hold_of_the_scope_in_its_words(tmp_path: Path) -> None:
    goes_nowhere("READ-04", tmp_path, ("停下", "先别搞了,收手吧", "你没停"))


@proves("CTRL-7")
def test_that_it_has_not_stopped_is_another_stop(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    for number in (1, 2):
        line = speak(home, "你没停", STOP)
        expect_equal("CTRL-7", held(home), number * [("bot", home.bot("导演"))], "holds, each of another complaint")
        expect_equal("CTRL-7", delivered(home, line), 0, "who gets that complaint")


def goes_nowhere(rule: str, folder: Path, texts: tuple[str, ...]) -> None:
    """Each of these, read as a mere stop, makes its hold and comes to nobody."""
    for text, (home, _) in zip(texts, evenings(folder), strict=False):
        line = says(home, text, to="导演")
        expect_equal("READ-23", home.value(STATE, line), "arrived", f"“{text}”, while it is being read")
        comes(home, line, MEANING, STOP)
        made = home.rows("SELECT source, source_message, bot FROM holds")
        expect_equal(rule, made, [("user_text", line, home.bot("导演"))], f"the hold of “{text}”, and where it is from")
        expect_equal(rule, home.turns("导演")[0]["state"], "stopped", f"what “{text}” ends")
        expect_equal(rule, delivered(home, line), 0, f"who gets “{text}”")
        expect_equal(rule, len(home.turns("导演") + home.turns("文案")), 1, f"turns after “{text}”")
        open_ = [effect.kind for effect in home.engine.open_effects() if effect.kind not in ("kill", "timer", "push")]
        expect_equal(rule, open_, [], f"what is still asked for after “{text}”: no organizer, no reply")
        expect_equal(rule, home.said("app") + home.said("bot"), [], f"what answers “{text}”")


@proves("CTRL-9")
def test_stop_in_other_words_stops_nothing(tmp_path: Path) -> None:
    runs_on("CTRL-9", tmp_path, NO_STOPS)


@proves("CTRL-10")
def test_asking_whether_it_stopped_is_talk(tmp_path: Path) -> None:
    runs_on("CTRL-10", tmp_path, TALKS)


@proves("READ-07")
def test_asking_about_a_stop_is_for_the_bot(tmp_path: Path) -> None:
    runs_on("READ-07", tmp_path, TALKS)


def runs_on(rule: str, folder: Path, texts: tuple[str, ...]) -> None:
    """Each of these, read as no control, is for the Bot, which goes on meanwhile."""
    home, plan = at_work(folder)
    lines = []
    for text in texts:
        line = speak(home, text, TALK, plan=plan)
        lines.append(line)
        expect_equal(rule, held(home), [], f"holds after “{text}”")
        expect_equal(rule, len(home.live("导演")), 1, f"the turn that runs on after “{text}”")
        expect_equal(rule, delivered(home, line), 1, f"who gets “{text}”")
        expect_equal(rule, buttons(home, line), None, f"buttons on “{text}”")
    home.run("导演")
    turn = home.turns("导演")[0]["id"]
    expect_equal(rule, [home.read_in(line, "导演") for line in lines], [[turn]] * len(lines), "where they are read")


@proves("CTRL-1")
def test_only_the_reader_decides_whatever_the_words_are(tmp_path: Path) -> None:
    homes = evenings(tmp_path)
    for text in ("停下", "继续", "先停一下，接着做"):
        for rule, meaning, holds, offered in (
            ("CTRL-3", STOP, 1, None),
            ("CTRL-12", BESIDE, 0, ["stop"]),
            ("CTRL-1", RESUME, 0, None),
            ("CTRL-1", TALK, 0, None),
        ):
            home, plan = next(homes)
            line = speak(home, text, meaning, plan=plan)
            expect_equal(rule, len(held(home)), holds, f"holds of “{text}”, read as {meaning}")
            expect_equal(rule, buttons(home, line), offered, f"buttons on “{text}”, read as {meaning}")
            expect_equal(rule, delivered(home, line), 1 - holds, f"who gets “{text}”, read as {meaning}")


@proves("CTRL-2")
def test_fixed_words_carry_nothing_out(tmp_path: Path) -> None:
    unread_does_nothing("CTRL-2", tmp_path, ("停下", "所有 Bot 停下", "你停下"))


@proves("CTRL-4")
def test_a_listed_word_carries_nothing_out(tmp_path: Path) -> None:
    unread_does_nothing("CTRL-4", tmp_path, ("停下", "停一下", "别做了", "住手", "stop", "继续", "接着做"))


@proves("READ-02")
def test_stop_and_going_on_act_only_on_a_reading(tmp_path: Path) -> None:
    unread_does_nothing("READ-02", tmp_path, ("停下", "继续"))


@proves("CTRL-3")
def test_what_nobody_has_read_is_delivered_and_nothing_else(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "read")
    expect_equal("CTRL-15", buttons(home, speak(home, "片头很好", TALK)), None, "buttons on a line that is no control")
    line = speak(home, "今天先停,明天继续", BOTH)
    expect_equal("CTRL-1", held(home), [], "holds of a line that is read as both")
    expect_equal("CTRL-3", buttons(home, line), ["stop"], "buttons once it is read")
    unread_does_nothing("CTRL-3", tmp_path, (*STOPS_VERBATIM, *WITH_MORE, "继续", *GIVES_UP))


def unread_does_nothing(rule: str, folder: Path, texts: tuple[str, ...]) -> None:
    """A stop that is read holds; none of these does unread, and each is for its Bot."""
    home, _ = at_work(folder / "stop")
    line = speak(home, "收手吧", STOP)
    expect_equal("READ-22", reader.meaning(home.db, line).control, "stop", "what it means, by its reading")
    expect_equal(rule, delivered(home, line), 0, "who gets it, once it is read as a stop")
    expect_equal("CTRL-6", held(home), [("bot", home.bot("导演"))], "what it holds")
    home, plan = at_work(folder / "unread")
    for text in texts:
        for failure in ("timeout", "no model", "error", "closing"):
            line = says(home, text, to="导演")
            comes(home, line, MEANING, failure=failure)
            comes(home, line, FILING, filing({"plan": plan}))
            expect_equal(rule, held(home), [], f"holds of “{text}”, with the reader's {failure}")
            expect_equal(rule, buttons(home, line), None, f"buttons on “{text}”, with the reader's {failure}")
            expect_equal(rule, delivered(home, line), 1, f"who gets “{text}”, with the reader's {failure}")
            expect_equal(rule, len(home.live("导演")), 1, f"the turn that runs on after “{text}”")


# ---------------------------------------------------------------- with more beside it


@proves("CTRL-12")
def test_a_stop_beside_other_words_is_delivered_whole_with_a_button(tmp_path: Path) -> None:
    frames = ("先停,把第{n}镜换成夜景", "停一下,{t}要第{n}版", "别跑了,先给我看{t}")
    texts = [frame.format(n=n, t=t) for frame, n, t in zip(frames, NUMBERS, THINGS, strict=True)]
    is_delivered_whole("CTRL-12", tmp_path, (WITH_MORE[0], *texts))


@proves("READ-06")
def test_of_a_stop_beside_other_words_nothing_is_lost(tmp_path: Path) -> None:
    is_delivered_whole("READ-06", tmp_path, WITH_MORE[:1])


def is_delivered_whole(rule: str, folder: Path, texts: tuple[str, ...]) -> None:
    """Each of these, read as a stop beside other words, is heard by the turn that runs on, and carries a button."""
    home, plan = at_work(folder)
    lines = []
    for text in texts:
        line = speak(home, text, BESIDE, plan=plan)
        lines.append(line)
        expect_equal(rule, held(home), [], f"holds of “{text}”")
        expect_equal(rule, delivered(home, line), 1, f"who gets “{text}”")
        expect_equal(rule, buttons(home, line), ["stop"], f"buttons on “{text}”")
        control = json.loads(home.value("SELECT control FROM messages WHERE id = ?", line))
        expect_equal(rule, control["kind"], "possible_control", "its kind")
        expect_equal(rule, control["scopes"], [{"kind": "bot", "bot": home.bot("导演")}], "what it would stop")
        expect_equal("ATTR-09", home.filed(line), [(plan, None)], f"where “{text}” is filed")
    home.run("导演")
    turn = home.turns("导演")[0]["id"]
    expect_equal(rule, [home.read_in(line, "导演") for line in lines], [[turn]] * len(lines), "who hears them")
    expect_equal(rule, len(home.live("导演")), 1, "its turn runs on")


@proves("CTRL-12", "CTRL-13")
def test_such_a_line_lifts_what_it_is_about_like_any_other(tmp_path: Path) -> None:
    for rule, meaning, text in (("CTRL-12", BESIDE, WITH_MORE[0]), ("CTRL-13", BOTH, WITH_MORE[1])):
        home, plan = at_work(tmp_path / rule)
        stop(home, "导演")
        expect_equal("STOP-8", held(home), [("bot_in_plan", home.bot("导演"), plan)], "the Stop")
        line = speak(home, text, meaning, plan=plan)
        expect_equal(rule, held(home), [], f"holds after “{text}”: none is left, none is made")
        expect_equal(rule, home.turns("导演")[-1]["trigger_message"], line, f"the turn that “{text}” opens")
        expect_equal(rule, buttons(home, line), ["stop"], f"buttons on “{text}”, with nothing left to lift")


@proves("CTRL-13", "CTRL-14")
def test_both_are_offered_where_there_is_something_to_lift(tmp_path: Path) -> None:
    text = WITH_MORE[1]
    home, plan = at_work(tmp_path / "void")
    hold(home, "bot_in_plan", bot="导演", plan=plan, void=True)
    line = speak(home, text, BOTH, plan=plan)
    expect_equal("CTRL-15", buttons(home, line) is not None, True, f"whether “{text}” carries buttons")
    expect_equal("CTRL-13", buttons(home, line), ["stop", "continue"], f"buttons on “{text}” under a void hold")
    expect_equal("CTRL-13", delivered(home, line), 1, "who gets it")
    expect_equal("CTRL-13", len(held(home)), 1, "holds after it: nothing is carried out")
    beside = speak(home, WITH_MORE[0], BESIDE, plan=plan)
    expect_equal("CTRL-13", buttons(home, beside), ["stop"], "buttons on a stop beside other words there")

    bare, plan = at_work(tmp_path / "bare")
    line = speak(bare, text, BOTH, plan=plan)
    expect_equal("CTRL-14", buttons(bare, line), ["stop"], f"buttons on “{text}” with nothing held")

    other, plan = at_work(tmp_path / "other")
    poster = other.opened("海报", to="导演")
    hold(other, "bot_in_plan", bot="导演", plan=poster)
    hold(other, "bot_in_plan", bot="文案", plan=plan)
    line = speak(other, text, BOTH, plan=plan)
    expect_equal("CTRL-14", buttons(other, line), ["stop", "continue"], "buttons with a hold on another matter")
    expect_equal("CTRL-14", shown(other, line)["offer"], ["stop", "continue"], "what is shown of them")
    lift(other, 1)
    expect_equal("CTRL-14", shown(other, line)["offer"], ["stop"], "what is shown once that is lifted")


@proves("CTRL-14")
def test_what_could_be_lifted_is_what_stands_in_the_scope_or_over_it(tmp_path: Path) -> None:
    makers: dict[str, dict[str, Any]] = {
        "everything": {},
        "bot": {"bot": "导演"},
        "session": {"session": ROOM},
        "plan": {"plan": 1},
        "bot_in_plan": {"bot": "导演", "plan": 1},
        "turn": {"turn": 1},
    }
    lifts = {
        ("导演", "今天先停,明天继续"): {"everything", "bot", "session", "plan", "bot_in_plan", "turn"},
        ("文案", "今天先停,明天继续"): {"everything", "session"},
        (ROOM, "今天先停,明天继续"): {"everything", "session"},
        ("导演", "这件事今天先停,明天继续"): {"everything", "plan", "bot_in_plan", "turn"},
    }
    for scope, names in makers.items():
        home, _ = at_work(tmp_path / scope)
        hold(home, scope, **names, void=True)
        for (place, text), wanted in lifts.items():
            line = speak(home, text, BOTH, to=place)
            found = "continue" in (buttons(home, line) or [])
            expect_equal("CTRL-14", found, scope in wanted, f"going on offered on “{text}” in {place}, held: {scope}")


@proves("CTRL-11")
def test_giving_up_is_no_stop_and_gets_no_button(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    for text in GIVES_UP:
        carries_nothing("CTRL-11", home, plan, text, TALK)


@proves("CTRL-15")
def test_other_lines_carry_no_button(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    for text, meaning in (
        ("继续做第二集,……", {"control": "resume", "only": False}),
        ("继续", RESUME),
        ("片头很好", TALK),
        ("停下", DOWN),
        (WITH_MORE[1], DOWN),
    ):
        carries_nothing("CTRL-15", home, plan, text, meaning)


def carries_nothing(rule: str, home: Evening, plan: int, text: str, meaning: object) -> None:
    """A line is delivered as it is, with no button and no hold."""
    line = speak(home, text, meaning, plan=plan)
    expect_equal(rule, buttons(home, line), None, f"buttons on “{text}”, read as {meaning}")
    expect_equal(rule, delivered(home, line), 1, f"who gets “{text}”, read as {meaning}")
    expect_equal(rule, held(home), [], f"holds of “{text}”, read as {meaning}")


@proves("READ-07")
def test_a_line_handed_back_is_not_read_for_control_again(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    line = speak(home, "停下", STOP)
    expect_equal("CTRL-6", len(held(home)), 1, "holds of 停下")
    lift(home, 1)
    home.sql(
        "UPDATE messages SET state = 'arrived', filing = NULL, control = '{\"kind\": \"undone\"}' WHERE id = ?", line
    )
    speak(home, "再亮一点", TALK, plan=plan)
    expect_equal("READ-07", held(home), [], "holds once 停下 was undone and goes its way")
    expect_equal("READ-07", delivered(home, line), 1, "who gets it")
    expect_equal("READ-07", buttons(home, line), None, "buttons on it")


@proves("READ-05")
def test_going_on_is_filed_first_then_lifts_then_wakes(tmp_path: Path) -> None:
    for number, text in enumerate(("继续", "继续做第二集,……")):
        home, plan = at_work(tmp_path / str(number))
        stop(home, "导演")
        poster = home.opened("海报", to="导演")
        hold(home, "bot_in_plan", bot="导演", plan=poster)
        line = says(home, text, to="导演")
        comes(home, line, MEANING, {"control": "resume", "only": number == 0})
        expect_equal("READ-23", home.value(STATE, line), "arrived", f"“{text}”, while it is not known what it is about")
        expect_equal("READ-05", len(held(home)), 2, f"holds while it is not known what “{text}” is about")
        comes(home, line, FILING, filing({"plan": plan}))
        expect_equal("READ-05", held(home), [("bot_in_plan", home.bot("导演"), poster)], f"what “{text}” leaves held")
        turn = home.turns("导演")[-1]
        expect_equal("READ-05", [turn["plan"], turn["trigger_message"]], [plan, line], f"the turn that “{text}” opens")
        expect_equal("READ-05", home.said("app"), [], f"what the application says to “{text}”")


# ---------------------------------------------------------------- the order of lines


@proves("CTRL-5")
def test_a_stop_is_read_at_once(tmp_path: Path) -> None:
    goes_first("CTRL-5", tmp_path)


@proves("TURN-16")
def test_a_stop_goes_before_what_is_still_being_read(tmp_path: Path) -> None:
    goes_first("TURN-16", tmp_path)


def goes_first(rule: str, folder: Path) -> None:
    """A mere stop is carried out while a long line before it is still being read."""
    home, plan = at_work(folder)
    long = says(home, "很长的一句" * 400, to="导演")
    halt = says(home, "停下", to="导演")
    expect_equal("QUOT-04", home.value("SELECT count(*) FROM quotes WHERE message = ?", halt), 1, "the stop's words")
    expect_equal(rule, len(asked(home, halt, MEANING)), 1, "readings of the stop's meaning, while another is read")
    expect_equal("READ-23", home.value(STATE, long), "arrived", "the line before it, still being read")
    comes(home, halt, MEANING, STOP)
    expect_equal(rule, held(home), [("bot", home.bot("导演"))], "holds once the stop is read, the other still not")
    expect_equal(rule, home.turns("导演")[0]["state"], "stopped", "the turn")
    expect_equal(rule, home.value(STATE, long), "arrived", "the line before it, once the stop is carried out")
    comes(home, long, MEANING, TALK)
    comes(home, long, FILING, filing({"plan": plan}))
    expect_equal(rule, home.value(STATE, long), "delivered", "it, once read")


@proves("TURN-17")
def test_going_on_and_questions_keep_their_place(tmp_path: Path) -> None:
    status = {"control": "neither", "only": True, "status": True}
    for number, meaning in enumerate((RESUME, status, BESIDE, BOTH)):
        home, plan = at_work(tmp_path / str(number))
        before = says(home, "片头换成红色", to="导演")
        line = says(home, "继续", to="导演")
        comes(home, line, MEANING, meaning)
        comes(home, line, FILING, filing({"plan": plan}))
        expect_equal("TURN-17", delivered(home, line), 0, f"who gets a line read as {meaning} before the one before it")
        comes(home, before, MEANING, TALK)
        comes(home, before, FILING, filing({"plan": plan}))
        comes(home, line, FILING, filing({"plan": plan}))
        expect_equal("TURN-17", delivered(home, line), 1, "who gets it then")
        order = [message for (message,) in home.rows("SELECT message FROM inbox_items WHERE message > 1 ORDER BY id")]
        expect_equal("TURN-17", order[-2:], [before, line], "the order in which they come to the Bot")
