"""How a segment ends: for which reasons, while it is at work, and what is recorded of the lines that it has read."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from ending import (
    RUNNING,
    answers_as_it_likes,
    at_desk,
    at_work,
    codes,
    end_turn,
    ended,
    hears,
    hops,
    look,
    minds_no_strange_ids,
    notified,
    says_what_is_missing,
    says_why_not,
    settles_each_line,
    tell,
    told,
    wants_a_known_reason,
    work_of,
)
from evening import Evening
from stopping import folder_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Change
from threadrebuild.collab.store import open_store
from threadrebuild.collab.toolbox import OWN, Refused

NEEDED: dict[str, dict[str, str]] = {
    "done": {},
    "answered": {},
    "nothing_new": {},
    "blocked": {"needs_from_user": "视频平台的账号"},
    "gave_up": {"note": "接口没有了"},
}
"""The reasons, each with what it needs."""


def settled(home: Evening, item: int) -> Any:
    """What became of an inbox item; None where nothing is recorded."""
    said = home.value("SELECT disposition FROM inbox_items WHERE id = ?", item)
    return said and json.loads(said)


@proves("END-01")
def test_five_reasons_end_a_segment_and_no_other_does(tmp_path: Path) -> None:
    answers_as_it_likes(tmp_path / "readonly")
    says_what_is_missing(tmp_path / "needs")
    for level in (3, 8):
        for reason, needs in NEEDED.items():
            home, _ = at_work(folder_of(tmp_path, f"{level}{reason}"), level=level)
            hops(home, "导演", end_turn(reason=reason, **needs))
            expect_equal("END-01", ended(home), ("completed", reason), f"ending as {reason} at level {level}")
        wrong: tuple[dict[str, Any], ...] = ({}, {"reason": ""}, {"reason": "finished"}, {"reason": "Done"})
        wrong += ({"reason": None}, {"reason": 1}, {"reason": ["done"]})
        for number, arguments in enumerate(wrong):
            home, _ = at_work(folder_of(tmp_path, f"{level}-{number}"), level=level)
            hops(home, "导演", end_turn(**arguments))
            expect_equal("END-01", ended(home), RUNNING, f"ending with {arguments}")
            expect_equal("END-01", home.results(home.turn("导演")["id"])[0][1], "refused", f"the call with {arguments}")


@proves("END-02")
def test_only_a_segment_that_is_at_its_work_can_end_it(tmp_path: Path) -> None:
    wants_a_known_reason(tmp_path / "reason")
    home, _ = at_work(tmp_path / "plain")
    hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-02", ended(home), ("completed", "done"), "a segment at its work")

    for column, value in (("ticket", 1), ("plan", 2), ("bot", 2)):
        home, _ = at_work(folder_of(tmp_path, column), owes=True)
        home.opened("海报", to="文案")
        home.sql(f"UPDATE work_items SET {column} = ? WHERE id = ?", value, home.turn("导演")["work_item"])
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect_equal("END-02", ended(home), RUNNING, f"a segment whose work is of another {column}")

    home, _ = at_work(tmp_path / "held")
    home.sql(
        "INSERT INTO holds (scope, bot, source, seq, at) SELECT 'bot', ?, 'user_button', max(seq), max(at) FROM events",
        home.bot("导演"),
    )
    hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-02", ended(home), RUNNING, "a segment that a hold covers")

    home, _ = at_work(tmp_path / "failed")
    home.fail("导演")
    event, refused = home.value("SELECT max(seq) FROM events"), False
    try:
        OWN["end_turn"].use(Change(home.db, event, home.now, 8), home.turn("导演"), {"reason": "done"})
    except Refused:
        refused = True
    except sqlite3.IntegrityError:
        pass  # The store takes no second ending either.
    expect("END-02", refused, "a segment that is over is told that it cannot end")

    home, _ = at_work(tmp_path / "stopped", to="导演")
    home.words = None
    hops(home, "导演", text="好了。")
    home.happens(events.StopPressed, turn=home.turn("导演")["id"])
    expect_equal("END-02", ended(home)[0], "stopped", "a segment that is stopped while its last words are read")


@proves("END-02")
def test_what_only_answers_ends_as_it_likes(tmp_path: Path) -> None:
    answers_as_it_likes(tmp_path)


@proves("END-03")
def test_what_became_of_each_line_and_why_it_ended_is_on_record(tmp_path: Path) -> None:
    minds_no_strange_ids(tmp_path / "strange")
    for reason, needs in NEEDED.items():
        home, plan = at_work(folder_of(tmp_path, reason))
        first, second = hears(home, plan, "片头用红色", "加一句话")
        said = [{"id": first, "state": "done"}, {"id": second, "state": "not_adopted", "reason": "太长"}]
        hops(home, "导演", end_turn(reason=reason, inbox=said, **needs))
        expect_equal("END-03", settled(home, first), {"state": "done", "reason": ""}, "the first line")
        expect_equal("END-03", settled(home, second), {"state": "not_adopted", "reason": "太长"}, "the second line")
        expect_equal("END-03", ended(home), ("completed", reason), "the turn")
        logged = home.rows(
            "SELECT turn, json_extract(body, '$.reason') FROM work_events WHERE type = 'work.ended' ORDER BY id"
        )
        expect_equal("END-03", logged, [(home.turn("导演")["id"], reason)], "the work log")


@proves("END-04")
def test_each_line_that_was_read_is_settled_by_itself(tmp_path: Path) -> None:
    says_why_not(tmp_path / "why")
    home, plan = at_work(tmp_path / "two")
    first, second = hears(home, plan, "片头用红色", "加一句话")
    hops(home, "导演", end_turn(reason="done", inbox=[{"id": first, "state": "done"}]))
    expect_equal("END-04", (ended(home), codes(home)), (RUNNING, ["unsettled"]), "one of two lines settled")
    expect("END-04", f"[{second}]" in told(home) and f"[{first}] @" not in home.results(1)[-1][2], told(home))
    hops(home, "导演", end_turn(reason="done", inbox=[{"id": second, "state": "answered"}]))
    expect_equal("END-04", ended(home), ("completed", "done"), "both settled, one after the other")


@proves("END-05")
def test_a_line_can_have_come_to_five_things(tmp_path: Path) -> None:
    settles_each_line(tmp_path / "each")
    minds_no_strange_ids(tmp_path / "strange")
    known = ("done", "answered", "not_adopted", "deferred", "unconfirmed")
    for state in (*known, "seen", "", "Done"):
        home, plan = at_work(folder_of(tmp_path, f"state-{state}"))
        (item,) = hears(home, plan, "片头用红色")
        hops(home, "导演", end_turn(reason="done", inbox=[{"id": item, "state": state, "reason": "因为"}]))
        wanted = ("completed", "done") if state in known else RUNNING
        expect_equal("END-05", ended(home), wanted, f"a line that came to {state!r}")
    for state in known:
        home, plan = at_work(folder_of(tmp_path, f"bare-{state}"))
        (item,) = hears(home, plan, "片头用红色")
        hops(home, "导演", end_turn(reason="done", inbox=[{"id": item, "state": state, "reason": " "}]))
        wanted = RUNNING if state == "not_adopted" else ("completed", "done")
        expect_equal("END-05", ended(home), wanted, f"a line that came to {state!r} without a reason")


@proves("END-06")
def test_words_answer_what_was_read(tmp_path: Path) -> None:
    minds_no_strange_ids(tmp_path / "strange")
    home, plan = at_work(tmp_path / "two")
    first, second = hears(home, plan, "片头用红色", "加一句话")
    wrong = [{"id": first, "state": "deferred"}]
    hops(home, "导演", end_turn(reason="done", inbox=wrong))
    hops(home, "导演", text="都改好了。")
    expect_equal("END-06", ended(home), ("completed", "answered"), "words after two lines")
    expect_equal("END-06", codes(home), ["unsettled"], "bounces: only of the ending that was called for")
    expect_equal("END-06", settled(home, second), {"state": "answered", "reason": ""}, "a line not settled before")
    expect_equal("END-06", settled(home, first), {"state": "deferred", "reason": ""}, "a line settled before")


@proves("END-07")
def test_what_is_not_in_the_inbox_settles_nothing_and_costs_nothing(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path / "unknown")
    waking = home.turn("导演")["trigger_item"]
    message = home.value("SELECT max(id) FROM messages")
    said = [{"id": each, "state": "whatever"} for each in (999, waking, message)]
    hops(home, "导演", end_turn(reason="done", inbox=said))
    expect_equal("END-07", (ended(home), codes(home)), (("completed", "done"), []), "ids that are none of its inbox")
    expect_equal("END-07", settled(home, waking), None, "what is recorded of the line that woke it")

    home, plan = at_work(tmp_path / "another")
    (other,) = hears(home, plan, "片头用红色")
    hops(home, "导演", text="好。")
    expect_equal("END-06", settled(home, other), {"state": "answered", "reason": ""}, "a line answered by words")
    tell(home, plan, "再加一句")
    hops(home, "导演", end_turn(reason="done", inbox=[{"id": other, "state": "not_adopted", "reason": "不好"}]))
    expect_equal("END-07", (ended(home), codes(home)), (("completed", "done"), []), "an id that another turn has read")
    expect_equal("END-07", settled(home, other), {"state": "answered", "reason": ""}, "what stands of that line")


@proves("END-08")
def test_giving_up_needs_words_and_reaches_the_user(tmp_path: Path) -> None:
    wants_a_known_reason(tmp_path / "reason")
    for level in (3, 4, 8):
        for reason, needs in (("blocked", NEEDED["blocked"]), ("gave_up", NEEDED["gave_up"])):
            (name, text), *_ = needs.items()
            for wrong in ({}, {name: " "}, {"note" if name != "note" else "needs_from_user": "别的"}):
                home, _ = at_work(folder_of(tmp_path, f"{level}{reason}{len(wrong)}{wrong}"), level=level)
                hops(home, "导演", end_turn(reason=reason, **wrong))
                expect_equal("END-08", ended(home), RUNNING, f"{reason} with {wrong}")
                expect_equal("END-08", notified(home), [], f"notifications of {reason} with {wrong}")
            home, _ = at_work(folder_of(tmp_path, f"{level}{reason}"), level=level)
            hops(home, "导演", end_turn(reason=reason, **needs))
            expect_equal("END-08", ended(home), ("completed", reason), f"{reason} with {needs}")
            expect_equal("END-08", [said for _, said in notified(home)], [text], f"notifications of {reason}")
            logged = "work.blocked" if reason == "blocked" else "work.given_up"
            count = home.value("SELECT count(*) FROM work_events WHERE type = ? AND instr(body, ?)", logged, text)
            expect_equal("END-08", count, 1, f"events {logged} at level {level}")


@proves("END-11")
def test_words_at_the_desk_answer_and_words_at_work_are_looked_at(tmp_path: Path) -> None:
    desk = at_desk(tmp_path / "desk")
    hops(desk, "导演", text="看过了。")
    expect_equal("END-11", (ended(desk), codes(desk)), (("completed", "answered"), []), "words at the desk")
    free, _ = at_work(tmp_path / "free")
    hops(free, "导演", text="看过了。")
    expect_equal("END-11", (ended(free), codes(free)), (("completed", "answered"), []), "words where nothing is owed")
    owing, _ = at_work(tmp_path / "owing", owes=True)
    hops(owing, "导演", text="看过了。")
    expect_equal("END-11", (ended(owing), codes(owing)), (RUNNING, ["open_duties"]), "words where a ticket is owed")


@proves("END-38")
def test_what_is_needed_is_a_line_before_it_is_a_card(tmp_path: Path) -> None:
    for level, cards in ((4, 1), (3, 0)):
        home, _ = at_work(tmp_path / str(level), level=level)
        hops(home, "导演", end_turn(reason="blocked", needs_from_user="视频平台的账号"))
        shown = home.value("SELECT count(*) FROM messages WHERE json_extract(control, '$.kind') = 'work_question'")
        expect_equal("END-38", shown, cards, f"cards at level {level}")
        lines = [said for said in home.said() if "视频平台的账号" in said]
        expect_equal("END-38", len(lines), 1 - cards, f"lines of the application at level {level}")
        expect_equal("END-38", work_of(home), "blocked", f"its work at level {level}")


@proves("END-40")
def test_what_ended_before_reasons_were_asked_for_is_given_one_once(tmp_path: Path) -> None:
    for level in (0, 1, 2):
        home, plan = at_work(folder_of(tmp_path, level), level=level)
        hops(home, "导演", text="好。")
        tell(home, plan, "再来一版")
        hops(home, "导演", text="好。")
        tell(home, plan, "第三版")
        first, second, third = (turn["id"] for turn in home.turns("导演"))
        home.sql("UPDATE turns SET end_reason = NULL WHERE id = ?", first)
        home.sql("UPDATE turns SET end_reason = 'gave_up' WHERE id = ?", second)
        home.db.close()
        store = open_store(home.path, 3, durable=False)
        found = {row["id"]: row["end_reason"] for row in store.rows("SELECT id, end_reason FROM turns")}
        expect_equal(
            "END-40", found, {first: "completed", second: "gave_up", third: None}, f"reasons from {level} to 3"
        )
        store.close()
    home, plan = at_work(tmp_path / "later", level=1)
    hops(home, "导演", text="好。")
    home.sql("UPDATE turns SET end_reason = NULL")
    home.db.close()
    store = open_store(home.path, 2, durable=False)
    expect_equal("END-40", store.value("SELECT end_reason FROM turns"), None, "a reason while none is asked for")
    store.close()


@pytest.mark.parametrize("level", [0, 2])
def test_below_the_contract_a_turn_ends_as_its_bot_says(tmp_path: Path, level: int) -> None:
    home, _ = at_work(tmp_path, level=level)
    hops(home, "导演", look(), end_turn(reason="finished"))
    expect_equal("END-40", ended(home), ("completed", "finished"), f"an ending at level {level}")
