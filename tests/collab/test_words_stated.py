"""Checks from the user's words: what is proposed, of which words, and how often it was said."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from checking import running
from ending import send
from evening import Evening
from filming import MASTER, cards, confirms, film, in_force, proposal, proposed, says

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

TWO, THREE = "duration bare 120", "duration bare 180"


def count(home: Evening, item: str = "duration") -> int:
    """In how many places something was stated of an item that counts."""
    sql = "SELECT count(DISTINCT place) FROM film_statements WHERE item = ? AND counts = 1"
    return int(home.value(sql, item))


@proves("WORDS-01")
def test_a_stated_number_is_proposed_by_fixed_rules_alone(tmp_path: Path) -> None:
    cases = {
        "片长改成 2 分钟": [TWO],
        "分辨率 1080p": ["resolution bare 1080"],
        "画幅 9:16": ["aspect bare 9:16"],
        "做成竖屏": ["aspect bare portrait"],
        "帧率 30": ["frame_rate bare 30"],
        "背景换成红的": [],
    }
    for number, (text, wanted) in enumerate(cases.items()):
        for level in (0, 8):
            home = film(tmp_path / f"{number}.{level}", level=level)
            if level == 0:
                home.sql("UPDATE plans SET current_of = ?", home.session("导演"))
            says(home, text)
            expect_equal("WORDS-01", proposed(home), wanted, f"“{text}” at level {level}")
            asked = {each.kind for each in home.engine.open_effects()} - {"hop", "timer", "organizer"}
            expect_equal("WORDS-01", asked, set(), "whoever else was asked: neither a model nor the scribe")


@proves("WORDS-02")
def test_words_are_looked_through_where_and_when_they_come_to_a_plan(tmp_path: Path) -> None:
    home = film(tmp_path / "line")
    line = home.say("片长改成 2 分钟", to="导演", read=False)
    expect_equal("WORDS-02", proposed(home), [], "of a line that is still being read")
    home.read(line, [1])
    expect_equal("WORDS-02", proposed(home), [TWO], "once it is filed")

    desk = film(tmp_path / "desk")
    desk.opened("海报", to="导演")
    desk.say("片长改成 2 分钟", to="导演")
    expect_equal("WORDS-02", proposed(desk), [], "of a line that is filed nowhere")
    desk.hop("导演", events.Call("work_on", {"plan": 1}))
    expect_equal("WORDS-02", proposed(desk), [TWO], "once its Bot has chosen the plan")

    for typed in (False, True):
        asked = film(tmp_path / f"ask{typed}")
        says(asked, "剪一版")
        asked.hop("导演", events.Call("ask_user", {"question": "多长？", "options": ["片长 2 分钟", "片长 3 分钟"]}))
        expect_equal("WORDS-02", proposed(asked), [], "of what a Bot asks")
        if typed:
            asked.say("片长 2 分钟", to="导演")
        else:
            asked.happens(events.Answered, ask=asked.value("SELECT max(id) FROM asks"), chosen=("片长 2 分钟",))
        expect_equal("WORDS-02", proposed(asked), [TWO], f"of the answer, typed = {typed}")

    note = film(tmp_path / "annotation")
    says(note, "剪一版")
    note.hop("导演", send("好了，请看", files=[MASTER]))
    note.hop("导演")
    delivery = note.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    remark = events.Annotation(MASTER, "片长改成 2 分钟", delivery)
    note.happens(events.Line, session=note.session("导演"), text="", annotations=(remark,))
    expect_equal("WORDS-02", proposed(note), [TWO], "of a remark on a file")


@proves("WORDS-02")
def test_of_the_board_only_the_clauses_that_the_user_changed_are_words(tmp_path: Path) -> None:
    minute = "剪一支约 60 秒的宣传片"
    edits = {
        "goal": lambda home, text: home.happens(events.BoardEdited, plan=1, goal=text),
        "acceptance": lambda home, text: home.happens(events.BoardEdited, plan=1, acceptance=(text,)),
        "rules": lambda home, text: home.happens(events.BoardEdited, plan=1, rules=(text,)),
        "title": lambda home, text: home.happens(events.TicketEdited, ticket=1, title=text),
        "description": lambda home, text: home.happens(events.TicketEdited, ticket=1, description=text),
    }
    for where, edit in edits.items():
        # A ticket that is called after a part of the film is one for that.
        more = "，节奏快一点" if where == "title" else "，加字幕"
        home = film(tmp_path / where, tickets=("剪辑",))
        edit(home, minute)
        expect_equal("WORDS-02", proposed(home), ["duration about 60"], f"what the user writes: {where}")
        edit(home, f"{minute}{more}")
        expect_equal(
            "WORDS-02", (proposed(home), count(home)), (["duration about 60"], 1), f"where it goes on: {where}"
        )
        home.happens(events.CheckDeleted, check=proposal(home))
        edit(home, f"{minute}{more}，配乐轻快")
        expect_equal("WORDS-02", proposed(home), [], f"what was left as it was: {where}")
        edit(home, f"片长 3 分钟{more}")
        expect_equal("WORDS-02", proposed(home), [THREE], f"what is changed: {where}")
    others = film(tmp_path / "others", tickets=("剪辑",))
    revision = "UPDATE plan_revisions SET points = json_set(points, '$.goal', ?)"
    others.sql(revision, f"{minute}，配乐轻快")
    others.happens(events.BoardEdited, plan=1, goal=f"{minute}，配乐轻快，加字幕")
    expect_equal("WORDS-02", proposed(others), [], "what the organizer wrote and the user left")


@proves("WORDS-13")
def test_the_proposal_follows_the_last_target_value_or_the_last_one_at_all(tmp_path: Path) -> None:
    first = film(tmp_path / "first")
    says(first, "片长 2 分钟")
    expect_equal("WORDS-02", first.value("SELECT count(*) FROM film_statements"), 1, "what was read")
    cases: tuple[tuple[tuple[str, ...], list[str]], ...] = (
        (("约 2 分钟", "约 90 秒"), ["duration about 90"]),
        (("片长 2 分钟", "片长 3 分钟"), [THREE]),
        (("片长 2 分钟", "约 90 秒"), [TWO]),
        (("约 90 秒", "片长 2 分钟"), [TWO]),
        (("片长 2 分钟，剪成 3 分钟",), []),
        (("片长 2 分钟，剪成 120 秒",), [TWO]),
        (("片长 2 分钟，帧率 30",), [TWO, "frame_rate bare 30"]),
        (("片长 2 分钟", "帧率 30", "片长 3 分钟"), ["frame_rate bare 30", THREE]),
    )
    for number, (lines, wanted) in enumerate(cases):
        home = film(tmp_path / str(number))
        says(home, *lines)
        rule = "WORDS-12" if lines[-1] == "约 90 秒" and len(wanted) == 1 and wanted[0] == TWO else "WORDS-13"
        expect_equal(rule, proposed(home), wanted, f"after {lines}")
    one = film(tmp_path / "one")
    says(one, "片长 2 分钟")
    columns = [name for (name,) in one.rows("SELECT name FROM pragma_table_info('checks')") if name != "id"]
    again = f"INSERT INTO checks ({', '.join(columns)}) SELECT {', '.join(columns)} FROM checks"
    with suppress(sqlite3.IntegrityError):
        one.sql(again)
    expect_equal("WORDS-13", proposed(one), [TWO], "after a second one of the item was written")
    both = film(tmp_path / "both")
    says(both, "片长 2 分钟")
    confirms(both)
    says(both, "片长 3 分钟")
    expect_equal("WORDS-13", (in_force(both), proposed(both)), ([TWO], [THREE]), "one in force and one proposed")
    says(both, "片长 4 分钟")
    expect_equal("WORDS-13", (in_force(both), proposed(both)), ([TWO], ["duration bare 240"]), "and never two")


@proves("WORDS-15")
def test_the_same_value_in_another_line_is_the_same_proposal(tmp_path: Path) -> None:
    home = film(tmp_path / "same")
    says(home, "约 2 分钟")
    first = proposal(home)
    says(home, "2 分钟左右", "片长 120 秒")
    expect_equal(
        "WORDS-15", (proposed(home), proposal(home), count(home)), (["duration about 120"], first, 3), "as one"
    )
    says(home, "2 分钟以上")
    expect_equal("WORDS-15", proposal(home), first, "a bound of its own is another value, and no target")
    says(home, "片长 115 秒")
    expect_equal("WORDS-15", proposed(home), ["duration bare 115"], "another value")
    board = film(tmp_path / "board")
    for goal in ("片长 2 分钟", "片长 120 秒", "片长约 2 分钟"):
        board.happens(events.BoardEdited, plan=1, goal=goal)
    expect_equal("WORDS-15", (proposed(board), count(board)), ([TWO], 1), "edits of one place of the board")
    board.happens(events.BoardEdited, plan=1, rules=("片长 2 分钟",))
    expect_equal("WORDS-15", count(board), 2, "another place of the board")
    edited = film(tmp_path / "edited")
    line = says(edited, "片长 2 分钟")
    edited.hop("导演")
    edited.happens(events.Edited, message=line, text="片长 120 秒")
    expect_equal("WORDS-15", (proposed(edited), count(edited)), ([TWO], 1), "a line that was edited")
    edited.happens(events.Edited, message=line, text="片长 3 分钟")
    expect_equal("WORDS-15", proposed(edited), [THREE], "edited to another value")


@proves("WORDS-15")
def test_a_card_tells_of_each_place_that_it_was_said_in_once(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长 2 分钟")
    confirms(home)
    line = says(home, "片长 3 分钟")
    expect_equal("WORDS-17", len(cards(home)), 1, "the card")
    home.hop("导演")
    home.happens(events.Edited, message=line, text="片长 180 秒")
    expect_equal("WORDS-15", len(cards(home, withdrawn=True)), 1, "cards after an edit that says the same")
    says(home, "片长 3 分钟")
    expect_equal("WORDS-17", len(cards(home)), 1, "the card that counts")
    expect_equal(
        "WORDS-15", cards(home)[0]["text"][:9], "你已经说了 2 次。"[:9], "how often it was said: in two places"
    )


@proves("WORDS-16")
def test_what_was_not_chosen_does_not_count_until_said_again(tmp_path: Path) -> None:
    home = film(tmp_path / "deleted")
    says(home, "片长 2 分钟", "片长 3 分钟")
    expect_equal("WORDS-13", proposed(home), [THREE], "what was said last")
    home.happens(events.CheckDeleted, check=proposal(home))
    expect_equal("WORDS-16", proposed(home), [], "after the last was deleted: the one before does not move up")
    home.later(1)
    says(home, "加字幕")
    expect_equal("WORDS-16", proposed(home), [], "after a line that says nothing of it")
    says(home, "片长 3 分钟")
    expect_equal("WORDS-16", (proposed(home), count(home)), ([THREE], 2), "said again")

    chosen = film(tmp_path / "chosen")
    says(chosen, "片长 2 分钟", "片长 3 分钟", "片长 3 分钟")
    gate = confirms(chosen)
    expect_equal("WORDS-16", count(chosen), 2, "what counts once one is confirmed")
    chosen.happens(events.CheckDeleted, check=gate)
    expect_equal(
        "WORDS-16", (in_force(chosen), proposed(chosen), count(chosen)), ([], [], 0), "and once that is deleted"
    )
    says(chosen, "片长 2 分钟")
    expect_equal("WORDS-16", (proposed(chosen), count(chosen)), ([TWO], 1), "an earlier value said again")

    weak = film(tmp_path / "weak")
    says(weak, "片长 2 分钟")
    weak.happens(events.CheckDeleted, check=proposal(weak))
    says(weak, "约 90 秒")
    expect_equal("WORDS-16", proposed(weak), ["duration about 90"], "no target counts any more")


@proves("WORDS-20")
def test_a_complaint_moves_no_check(tmp_path: Path) -> None:
    for number, complaint in enumerate(
        ("上一版 107 秒太短了", "107 秒左右，短了", "你剪成 107 秒了，太短", "太长了，改成 3 分钟")
    ):
        home = film(tmp_path / str(number))
        says(home, complaint)
        expect_equal("WORDS-20", proposed(home), [], f"of “{complaint}”")
        says(home, "片长 2 分钟")
        gate = confirms(home)
        says(home, complaint)
        expect_equal("WORDS-20", (in_force(home), proposed(home), cards(home)), ([TWO], [], []), f"after “{complaint}”")
        says(home, "片长改成 3 分钟")
        expect("WORDS-17", bool(cards(home)), "a wish beside it is seen")
        expect_equal("WORDS-20", [each.body["check"] for each in running(home)][:1], [gate], "what runs")
