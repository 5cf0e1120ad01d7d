"""What a segment waits for from the user: it goes on with the answer, which is given once and as the card allows."""

import sqlite3
from pathlib import Path

import pytest
from evening import Evening
from outside import hopped, ran

from harness.expect import expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Conflict

QUESTION = {"question": "竖版还是横版？", "options": ["竖版", "横版"]}


def _asked(folder: Path, **question: object) -> tuple[Evening, int]:
    """A Bot that waits for the answer to a question, and needs a word for what it runs: evening, ask."""
    evening = Evening(folder)
    evening.happens(events.BotAdded, name="导演", asks_first=("shell",))
    evening.happens(events.SessionOpened, session="direct", title="导演", members=("导演",))
    evening.say("剪一版样片", to="导演", files="spot")
    hopped(evening, "导演", events.Call("ask_user", {**QUESTION, **question}))
    return evening, int(evening.value("SELECT max(id) FROM asks"))


def _turns(evening: Evening) -> list[str]:
    return [turn["state"] for turn in evening.turns("导演")]


@proves("TURN-02")
def test_waiting_for_an_answer_or_a_word_is_part_of_the_turn(tmp_path: Path) -> None:
    evening, ask = _asked(tmp_path)
    expect_equal("TURN-02", _turns(evening), ["waiting_ask"], "turns while the question is open")
    asked = [effect.kind for effect in evening.engine.open_effects() if effect.turn is not None]
    expect_equal("TURN-02", asked, [], "what is under way meanwhile")
    evening.happens(events.Answered, ask=ask, chosen=("竖版",), words="但片头留横的")
    expect_equal("TURN-02", _turns(evening), ["running"], "turns once it is answered")
    turn = evening.turn("导演")["id"]
    answer = '{"chosen": ["竖版"], "words": "但片头留横的"}'
    expect_equal("TURN-02", evening.results(turn), [("ask_user", "ok", answer)], "what the Bot reads")
    hopped(evening, "导演", events.Call("shell", {"command": "render"}))
    expect_equal("TURN-02", _turns(evening), ["waiting_approval"], "turns while the word is out")
    evening.happens(events.Approved, ask=ask + 1, allowed=True)
    expect_equal("TURN-02", _turns(evening), ["running"], "turns once the call is allowed")
    ran(evening, "导演")
    hopped(evening, "导演", text="剪好了")
    expect_equal("TURN-02", _turns(evening), ["completed"], "turns at the end")


@proves("TURN-02")
def test_a_restart_leaves_a_segment_waiting(tmp_path: Path) -> None:
    evening, ask = _asked(tmp_path)
    evening.crash()
    expect_equal("TURN-02", _turns(evening), ["waiting_ask"], "turns after a restart")
    evening.happens(events.Answered, ask=ask, chosen=("横版",))
    expect_equal("TURN-02", _turns(evening), ["running"], "turns once it is answered")


def test_an_answer_keeps_to_its_card(tmp_path: Path) -> None:
    evening, ask = _asked(tmp_path)
    for chosen, words in (((), "  "), (("斜版",), ""), (("竖版", "横版"), "")):
        with pytest.raises(ValueError, match="no answer"):
            evening.happens(events.Answered, ask=ask, chosen=chosen, words=words)
    with pytest.raises(ValueError, match="no approval"):
        evening.happens(events.Approved, ask=ask, allowed=True)
    evening.happens(events.Answered, ask=ask, words="都不要")
    with pytest.raises(Conflict, match="answered"):
        evening.happens(events.Answered, ask=ask, chosen=("竖版",))
    with pytest.raises(sqlite3.IntegrityError, match="once"):
        evening.sql("UPDATE asks SET answer = 'another' WHERE id = ?", ask)


def test_several_options_go_together_where_the_card_says_so(tmp_path: Path) -> None:
    evening, ask = _asked(tmp_path, multiple=True)
    evening.happens(events.Answered, ask=ask, chosen=("竖版", "横版"))
    assert _turns(evening) == ["running"]


def test_a_card_whose_segment_is_over_takes_no_answer(tmp_path: Path) -> None:
    evening, ask = _asked(tmp_path)
    evening.sql("UPDATE asks SET closed = 1 WHERE id = ?", ask)
    with pytest.raises(Conflict, match="over"):
        evening.happens(events.Answered, ask=ask, chosen=("竖版",))


def test_a_question_without_words_or_with_other_arguments_is_refused(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演"])
    evening.say("剪一版样片", to="导演", files="spot")
    for arguments in ({}, {"question": " "}, {"question": "？", "options": "竖版"}):
        hopped(evening, "导演", events.Call("ask_user", arguments))
        assert evening.results(evening.turn("导演")["id"])[-1][1] == "refused"


def test_what_an_answer_says_of_another_plan_goes_there_too(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["导演"])
    film, poster = (evening.opened(name, to="导演") for name in ("新品片", "海报"))
    evening.say("剪一版样片", to="导演", files=[film])
    hopped(evening, "导演", events.Call("ask_user", QUESTION))
    evening.say("竖版，海报也用竖版", to="导演", files=[film, poster])
    assert [(turn["plan"], turn["state"]) for turn in evening.turns("导演")] == [(film, "running"), (poster, "running")]
    assert evening.rows("SELECT work_item FROM inbox_items WHERE text LIKE '竖版%'") == [
        (evening.turn("导演")["work_item"],)
    ]
