"""Complaints that the scribe has recorded nothing of: what is kept of them, and what is not."""

import json
from pathlib import Path
from typing import Any

from evening import Evening
from scribing import ROOM, asked, entries, scribes, studio

from harness.expect import expect_equal, proves
from threadrebuild.collab import complaints, events

COMPLAINT = "@导演 画面太假,重来"
PHRASES = ("太假", "不对", "跳跃", "穿帮", "反了", "太短", "重做", "不行", "有问题", "错乱")


def hears(home: Evening, text: str, about: list[Any], meaning: dict[str, Any] | None) -> None:
    """A line is read to mean something, or cannot be read."""
    line = home.say(text, to=ROOM, read=False)
    for effect in [each for each in home.engine.open_effects() if f":{line}:" in each.subject]:
        if effect.subject.startswith("user words") and meaning is None:
            home.happens(events.Read, effect=effect.id, failure="timeout")
        elif effect.subject.startswith("user words"):
            home.happens(events.Read, effect=effect.id, raw=json.dumps(meaning, ensure_ascii=False))
    home.read(line, about)


def hands_in(home: Evening, plan: int) -> None:
    """A Bot hands a file in for a plan."""
    home.say("@导演 交一版", to=ROOM, files=[plan])
    send = events.Call("send_message", {"session": home.session(ROOM), "text": "好了", "files": ["work/v1.mp4"]})
    home.hop("导演", send, plan=plan)
    home.hop("导演", text="交了。", plan=plan)


@proves("REQ-17")
def test_a_complaint_is_kept_where_something_had_been_delivered(tmp_path: Path) -> None:
    for delivered in (True, False):
        for meaning, kept in (
            ({"faults": ["画面太假"]}, True),
            ({"faults": []}, False),
            (None, True),
        ):
            home, plan = studio(tmp_path / f"{delivered}{meaning}", on=False)
            if delivered:
                hands_in(home, plan)
            hears(home, COMPLAINT, [plan], meaning)
            wanted = [COMPLAINT] if delivered and kept else []
            found = entries(home, "pending")
            expect_equal("REQ-17", found, wanted, f"what is kept: delivered {delivered}, read as {meaning}")
    home, plan = studio(tmp_path / "praise", on=False)
    hands_in(home, plan)
    hears(home, "@导演 画面很好", [plan], None)
    expect_equal("REQ-17", entries(home, "pending"), [], "what is kept of praise that nobody could read")


@proves("REQ-17")
def test_the_words_of_a_complaint_where_nobody_could_read_it(tmp_path: Path) -> None:
    del tmp_path
    for word in PHRASES:
        for noun in ("画面", "第二镜", "EP01 的结尾"):
            expect_equal("REQ-17", complaints.found_in(f"{noun}{word}"), True, f"{noun}{word} is a complaint")
            expect_equal("REQ-17", complaints.found_in(f"{noun}很好"), False, f"{noun} without {word} is one")
    for word in complaints.WORDS:
        expect_equal("REQ-17", complaints.found_in(f"画面{word}"), True, f"画面{word} is a complaint")


@proves("REQ-18")
def test_the_fallback_runs_where_the_scribe_recorded_nothing(tmp_path: Path) -> None:
    for name, answer, kept in (
        ("an invented quote", {"add": [{"quote": "用户要 4K"}]}, True),
        ("no requirement", {}, True),
        ("a row that holds", {"add": [{"quote": "画面太假"}]}, False),
        ("a row that holds beside one that does not", {"add": [{"quote": "要 4K"}, {"quote": "画面太假"}]}, False),
    ):
        home, plan = studio(tmp_path / name, on=False)
        hands_in(home, plan)
        home.happens(events.EngineChosen, engine="video")
        hears(home, COMPLAINT, [plan], None)
        expect_equal("REQ-18", asked(home) is not None, True, f"the scribe is asked: {name}")
        scribes(home, **answer)
        expect_equal("REQ-18", entries(home, "pending"), [COMPLAINT] if kept else [], f"what is kept: {name}")


@proves("REQ-19")
def test_what_counts_is_how_things_stood_when_the_user_spoke(tmp_path: Path) -> None:
    for before, counts in (
        ("todo", False),
        ("in progress", False),
        ("parked", False),
        ("to accept", True),
        ("done", True),
    ):
        home, plan = studio(tmp_path / before, on=False, tickets=("片头",))
        home.happens(events.TicketEdited, ticket=1, status=before)
        line = home.say(COMPLAINT, to=ROOM, read=False)
        # Filing the line, or the turn that it wakes, sends the ticket back, or somebody delivers meanwhile.
        home.happens(events.TicketEdited, ticket=1, status="in progress" if counts else "to accept")
        home.happens(events.TicketEdited, ticket=1, status="todo" if counts else "done")
        home.read(line, [plan])
        found = entries(home, "pending")
        # The reading that came says nothing of faults: the words decide where it did not come.
        expect_equal("REQ-17", found, [], "what is kept of a line that was read as no complaint")
        home.happens(events.TicketEdited, ticket=1, status=before)
        line = home.say(COMPLAINT, to=ROOM, read=False)
        home.happens(events.TicketEdited, ticket=1, status="in progress" if counts else "to accept")
        for effect in [each for each in home.engine.open_effects() if f"user words:{line}:" in each.subject]:
            home.happens(events.Read, effect=effect.id, failure="timeout")
        home.read(line, [plan])
        expect_equal("REQ-20", entries(home), [], "what is in force")
        found = entries(home, "pending")
        expect_equal("REQ-19", found, [COMPLAINT] if counts else [], f"what is kept where the ticket was {before}")


@proves("REQ-19")
def test_a_file_counts_from_the_line_on_that_brought_it(tmp_path: Path) -> None:
    home, plan = studio(tmp_path, on=False)
    other = home.opened("海报", to=ROOM)
    hands_in(home, plan)
    hears(home, COMPLAINT, [other], None)
    expect_equal("REQ-19", entries(home, "pending"), [], "what is kept where another plan has delivered")
    home.happens(events.SessionCleared, session=home.session(ROOM))
    home.happens(events.BoardEdited, plan=plan, status="active")
    hears(home, COMPLAINT, [plan], None)
    expect_equal("REQ-20", entries(home), [], "what is in force")
    expect_equal("REQ-19", entries(home, "pending"), [COMPLAINT], "what is kept after the chat was cleared")
    home, plan = studio(tmp_path / "later", on=False)
    line = home.say(COMPLAINT, to=ROOM, read=False)
    seq = home.value("SELECT seq FROM messages WHERE id = ?", line)
    home.sql("UPDATE plans SET delivered_seq = ? WHERE id = ?", seq + 1, plan)
    expect_equal("REQ-19", complaints.was_delivered(home.db, plan, seq), False, "whether what came later counts")
    expect_equal("REQ-19", complaints.was_delivered(home.db, plan, seq + 2), True, "whether what came before counts")


@proves("REQ-20")
def test_the_whole_line_waits_for_the_user_under_its_ticket(tmp_path: Path) -> None:
    for filed_under in (True, False):
        home, plan = studio(tmp_path / str(filed_under), on=False, tickets=("片头",))
        home.happens(events.TicketEdited, ticket=1, status="to accept")
        long = f"@导演 画面太假，{'重' * 400}"
        hears(home, long, [(plan, 1) if filed_under else plan], None)
        ((words, state, source, scope, ticket),) = home.rows(
            "SELECT span, state, source, scope, ticket FROM requirements"
        )
        expect_equal("REQ-20", words, long[:300], "the words that are kept")
        expect_equal("REQ-20", (state, source), ("pending", "complaint"), "how they stand")
        wanted = ("ticket", 1) if filed_under else ("plan", None)
        expect_equal("REQ-20", (scope, ticket), wanted, f"what they are for, filed under a ticket: {filed_under}")
    hears(home, "@导演 ……！！", [plan], {"faults": ["？"]})
    home.say("……", to=ROOM, files=[plan])
    expect_equal("REQ-20", len(entries(home, "pending")), 2, "what is kept")
