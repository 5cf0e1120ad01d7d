"""A matter of judgement is put to the user on a card of its Bot: how it may be answered, and where that stands."""

import json
from pathlib import Path
from typing import Any

import pytest
from evening import Evening, write
from readings import MEANING, comes, says
from stopping import folder_of, is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict

ROOM = "剪辑组"
OPTIONS = ["竖版", "横版"]
STOPS = {"control": "stop", "only": True}


def waiting(folder: Path, *, level: int = 8, **question: Any) -> Evening:
    """A director who waits, in a plan of its direct chat, for the answer to a question."""
    home = Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
    home.opened("新品片", to="导演")
    home.say("剪一版样片", to="导演", files=[1])
    home.hop("导演", events.Call("ask_user", {"question": "竖版还是横版？", "options": OPTIONS, **question}))
    return home


def answer(home: Evening, *chosen: str, words: str = "") -> str:
    """The user answers on the card: `taken`, or why not."""
    try:
        home.happens(events.Answered, ask=1, chosen=chosen, words=words)
    except Conflict as conflict:
        return conflict.code
    except ValueError:
        return "senseless"
    return "taken"


def stands(home: Evening) -> object:
    """The answer that stands on the card."""
    found = home.value("SELECT answer FROM asks")
    return None if found is None else json.loads(found)


@proves("ASK-01")
def test_a_question_is_no_approval_and_its_turn_goes_on(tmp_path: Path) -> None:
    home = waiting(tmp_path)
    card = home.rows("SELECT a.kind, a.options, m.author, m.text FROM asks a JOIN messages m ON m.id = a.message")
    wanted = [("ask", '["竖版", "横版"]', "bot", "竖版还是横版？")]
    expect_equal("ASK-01", card, wanted, "the card, and the line of the transcript that it is")
    expect_equal("ASK-01", home.turn("导演")["state"], "waiting_ask", "the turn meanwhile")
    with pytest.raises(ValueError, match="no approval"):
        home.happens(events.Approved, ask=1, allowed=True)
    answer(home, "竖版")
    expect_equal("ASK-01", [turn["state"] for turn in home.turns("导演")], ["running"], "turns once it is answered")
    said = home.results(home.turn("导演")["id"])[0][2]
    expect("ASK-01", "竖版" in said, f"what its Bot reads: {said}")


@proves("ASK-02")
def test_of_single_options_one_is_chosen_and_of_several_any(tmp_path: Path) -> None:
    for multiple, chosen, wanted in (
        (False, ("竖版",), "taken"),
        (False, ("竖版", "横版"), "senseless"),
        (True, ("竖版", "横版"), "taken"),
        (True, ("横版",), "taken"),
        (False, ("斜版",), "senseless"),
    ):
        home = waiting(folder_of(tmp_path, f"{multiple}{chosen}"), multiple=multiple)
        offered = json.loads(home.value("SELECT options FROM asks"))
        expect_equal("ASK-02", offered, OPTIONS, "the options, the recommended one first as its Bot put it")
        expect_equal("ASK-02", answer(home, *chosen), wanted, f"{chosen} where {multiple=}")


@proves("ASK-03")
def test_the_user_may_always_write(tmp_path: Path) -> None:
    for chosen, words, wanted in (
        ((), "都不要，用方的", "taken"),
        (("竖版",), "片头留横的", "taken"),
        (("竖版",), "", "taken"),
        ((), "  ", "senseless"),
    ):
        home = waiting(folder_of(tmp_path, f"{chosen}{words}"))
        expect_equal("ASK-03", home.value("SELECT options FROM asks"), '["竖版", "横版"]', "no other option is added")
        expect_equal("ASK-03", answer(home, *chosen, words=words), wanted, f"{chosen} with “{words}”")
        if wanted == "taken":
            expect_equal("ASK-03", stands(home), {"chosen": list(chosen), "words": words}, "what stands on the card")


@proves("ASK-04")
def test_the_answer_stands_on_the_card_and_later_turns_read_it_there(tmp_path: Path) -> None:
    home = waiting(tmp_path)
    lines = home.value("SELECT count(*) FROM messages")
    answer(home, "竖版", words="片头留横的")
    expect_equal("ASK-04", home.value("SELECT count(*) FROM messages"), lines, "lines once it is answered")
    home.hop("导演", text="剪好了。")
    home.say("再剪一版", to="导演", files=[1])
    text = home.context(home.turn("导演")["id"])
    for part in ("竖版还是横版？", "the user answered: 竖版", "片头留横的"):
        expect("ASK-04", part in text.split("# Transcript")[1], f"“{part}” in what a later turn reads: {text}")


@proves("ASK-05")
def test_a_question_is_answered_once(tmp_path: Path) -> None:
    home = waiting(tmp_path)
    expect_equal("ASK-05", answer(home, "竖版"), "taken", "the first answer")
    expect_equal("ASK-05", answer(home, "横版"), "already_answered", "the second")
    expect_equal("ASK-05", stands(home), {"chosen": ["竖版"], "words": ""}, "what stands on the card")
    expect("ASK-05", not is_taken(home, "UPDATE asks SET answer = '{}'"), "the store refuses another")
    home.say("横版吧", to="导演", files=[1])
    expect_equal("ASK-05", stands(home), {"chosen": ["竖版"], "words": ""}, "after a line typed there")


@proves("ASK-06")
def test_a_line_typed_there_is_the_answer_and_no_other(tmp_path: Path) -> None:
    typed = waiting(folder_of(tmp_path, "typed"))
    expect_equal("TURN-02", typed.turn("导演")["state"], "waiting_ask", "its turn, before")
    line = typed.say("用方的", to="导演", files=[1])
    expect_equal("ASK-06", stands(typed), {"chosen": [], "words": "用方的"}, "a line typed there, as self-written")
    expect_equal("ASK-06", typed.turn("导演")["state"], "running", "its turn goes on")
    expect_equal("ASK-06", typed.rows("SELECT 1 FROM inbox_items WHERE message = ?", line), [], "copies in the inbox")

    with_file = waiting(folder_of(tmp_path, "with a file"))
    with_file.say("看这张", to="导演", attach=["ref.png"], files=[1])
    expect_equal("ASK-06", stands(with_file), None, "a line with a file")

    elsewhere = waiting(folder_of(tmp_path, "elsewhere"))
    elsewhere.say("@导演 用方的", to=ROOM, files=[1])
    expect_equal("ASK-06", stands(elsewhere), None, "a line from elsewhere")

    stopped = waiting(folder_of(tmp_path, "a stop"))
    line = says(stopped, "停下", to="导演")
    comes(stopped, line, MEANING, STOPS)
    expect_equal("ASK-06", stands(stopped), None, "a line that only stops")

    group = Evening(folder_of(tmp_path, "group"), bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]})
    group.opened("新品片", to=ROOM)
    group.say("@导演 剪一版样片", to=ROOM, files=[1])
    group.hop("导演", events.Call("ask_user", {"question": "竖版还是横版？"}))
    group.say("@文案 写一句", to=ROOM, files=[1])
    expect_equal("ASK-06", stands(group), None, "a line to another Bot there")
    group.hop("文案", text="@导演 我觉得竖版")
    expect_equal("ASK-06", stands(group), None, "what another Bot says there")
    group.say("@导演 竖版", to=ROOM, files=[1])
    expect_equal("ASK-06", stands(group), {"chosen": [], "words": "@导演 竖版"}, "the user's line to the Bot that asks")

    for level, wanted in ((1, None), (2, {"chosen": [], "words": "用方的"})):
        home = Evening(folder_of(tmp_path, level), bots=["导演"], level=level)
        home.say("剪一版样片", to="导演", files="spot")
        home.hop("导演", events.Call("ask_user", {"question": "竖版还是横版？", "options": OPTIONS}))
        home.say("用方的", to="导演")
        expect_equal("ASK-06", stands(home), wanted, f"a line typed there at level {level}")


@proves("ASK-26")
def test_the_application_turns_to_the_user_for_nothing_that_goes_on_by_itself(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"], rooms={ROOM: ["导演"]})
    home.opened("新品片", to="导演")
    home.say("剪一版样片", to="导演", files=[1])
    home.hop("导演", write("a.md"))
    home.crash()
    home.press(home.turns("导演")[0]["id"])
    home.hop("导演", text="剪好了。")
    home.say("改成夜景", to="导演", files=[1])
    home.fail("导演")
    home.later(60)
    expect_equal("ASK-26", home.rows("SELECT kind FROM notifications"), [], "notifications of what goes on")
    home.say("那发到平台上", to="导演", files=[1])
    home.hop("导演", events.Call("end_turn", {"reason": "blocked", "needs_from_user": "请给我平台的账号"}))
    kinds = home.rows("SELECT kind FROM notifications")
    expect_equal("ASK-26", kinds, [("work_question",)], "notifications of what only the user can give")
    row = "INSERT INTO notifications (kind, text, at) VALUES (?, '正在重试', 1)"
    for kind, may in (("retry", False), ("decided", False), ("work_question", True)):
        expect_equal("ASK-26", is_taken(home, row, kind), may, f"whether the store takes one of the kind {kind}")
