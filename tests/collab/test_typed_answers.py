"""Words typed where a segment waits for an answer are the answer; a file, words from elsewhere and a Bot's are none."""

import json
from pathlib import Path

from evening import Evening, write

from harness.expect import expect_equal, proves
from threadrebuild.collab import events

QUESTION = events.Call("ask_user", {"question": "落款写哪家公司？", "options": ["鲸落", "北岸"]})


def asking(folder: Path, name: str) -> Evening:
    """A writer that waits for an answer in its direct chat, in its work on a plan."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    plan = home.opened("宣传语", to="文案")
    home.say("写三句宣传语", to="文案", files=[plan])
    home.hop("文案", write("slogans.md"))
    home.hop("文案", QUESTION)
    expect_equal("TURN-02", [turn["state"] for turn in home.live("文案")], ["waiting_ask"], "what the segment does")
    return home


def read_as(home: Evening, line: int, meaning: dict[str, object]) -> None:
    """A line is read to mean this, and to be about the plan."""
    while effects := [
        each for each in home.engine.open_effects() if f":{line}:" in each.subject and each.kind == "read"
    ]:
        about = {"kind": "plans", "about": [{"plan": 1}]}
        raw = json.dumps(about if effects[0].subject.startswith("filing") else meaning)
        home.happens(events.Read, effect=effects[0].id, raw=raw)


def answer(home: Evening) -> object:
    """The words of the answer that the segment has got; None without one."""
    found = home.value("SELECT answer FROM asks")
    return None if found is None else json.loads(found)["words"]


@proves("WORK-18")
def test_words_typed_where_it_was_asked_are_the_answer(tmp_path: Path) -> None:
    for name, files in (("filed", [1]), ("unfiled", "unclear"), ("not read", None)):
        home = asking(tmp_path, name)
        line = home.say("鲸落影业", to="文案", files=files)
        expect_equal("WORK-18", answer(home), "鲸落影业", f"the answer, where the line is {name}")
        expect_equal(
            "WORK-18", [turn["state"] for turn in home.live("文案")], ["running"], "what the segment does then"
        )
        rows = home.rows("SELECT 1 FROM inbox_items WHERE message = ?", line)
        expect_equal("WORK-18", rows, [], "rows of it in the inbox")


@proves("WORK-18")
def test_a_mere_stop_is_no_answer(tmp_path: Path) -> None:
    for name, meaning, wanted in (
        ("stop", {"control": "stop", "only": True}, None),
        ("stop beside other words", {"control": "stop", "only": False}, "停下"),
        ("neither", {"control": "neither"}, "停下"),
    ):
        home = asking(tmp_path, name)
        line = home.say("停下", to="文案", read=False)
        read_as(home, line, meaning)
        expect_equal("WORK-18", answer(home), wanted, f"the answer, where the line is read as {name}")


@proves("WORK-18")
def test_words_said_elsewhere_are_no_answer(tmp_path: Path) -> None:
    home = asking(tmp_path, "elsewhere")
    home.sql("UPDATE plans SET session = ?", home.session("剪辑组"))
    home.say("@文案 鲸落影业", to="剪辑组", files=[1])
    expect_equal("WORK-18", answer(home), None, "the answer")
    home.say("北岸", to="文案")
    expect_equal("WORK-18", answer(home), "北岸", "the answer where it was asked")


@proves("WORK-19")
def test_a_file_answers_nothing(tmp_path: Path) -> None:
    home = asking(tmp_path, "file")
    line = home.say("看这张", to="文案", attach=["ref.png"], files=[1])
    expect_equal("WORK-19", answer(home), None, "the answer")
    rows = home.rows("SELECT state FROM inbox_items WHERE message = ?", line)
    expect_equal("WORK-19", rows, [("queued",)], "the line in the inbox")


@proves("WORK-19")
def test_what_a_bot_says_answers_nothing(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    home = Evening(tmp_path / "bot", bots=["导演", "文案"], rooms={"剪辑组": ["导演", "文案"]})
    plan = home.opened("宣传语", to="剪辑组")
    home.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    home.hop("文案", QUESTION)
    home.say("@导演 你也看一眼", to="剪辑组", files=[plan])
    home.hop("导演", text="@文案 我觉得写鲸落")
    expect_equal("WORK-19", answer(home), None, "the answer")
    told = home.rows("SELECT author, state FROM inbox_items WHERE text LIKE '%我觉得%'")
    expect_equal("WORK-19", told, [("bot", "queued")], "what the Bot said, in the inbox")
