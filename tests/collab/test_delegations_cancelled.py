"""What becomes of open delegations when a Bot or a session goes: each is cancelled, on record, told to who asked."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from delegating import (
    ROOM,
    asked,
    at_work,
    clear,
    delegate,
    hear,
    reply,
    results,
    retire,
    states,
    waits,
    work_of,
)
from evening import Evening, shell, write
from stopping import is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def delete(home: Evening, title: str) -> None:
    """The user deletes a group."""
    home.happens(events.SessionDeleted, session=home.session(title))


GOES: dict[str, Callable[[Evening], None]] = {
    "receiver archived": lambda home: retire(home, "文案"),
    "receiver deleted": lambda home: retire(home, "文案", "deleted"),
    "asker archived": lambda home: retire(home, "导演"),
    "asker deleted": lambda home: retire(home, "导演", "deleted"),
    "group cleared": lambda home: clear(home, ROOM),
    "group deleted": lambda home: delete(home, ROOM),
    "their chat cleared": lambda home: clear(home, "导演 ↔ 文案"),
}
"""By what goes: how."""
EMPTIED = ("group cleared", "group deleted", "their chat cleared")


@proves("DEL-41")
def test_what_goes_cancels_what_was_asked_there(tmp_path: Path) -> None:
    for what, goes in GOES.items():
        for continues in (False, True):
            home, _ = asked(tmp_path / f"{what} {continues}", **{"continue": continues})
            goes(home)
            expect_equal("DEL-41", states(home), ["cancelled"], f"a delegation, {what}")
            expect_equal("DEL-41", len(results(home)), 1, f"results on record, {what}")
            expect_equal("DEL-41", set(waits(home)), set() if continues else {"void"}, f"its wait, {what}")
    home, _ = asked(tmp_path / "others", "导演", "文案", "剪辑")
    retire(home, "剪辑")
    clear(home, "导演")
    expect_equal("DEL-41", states(home), ["open"], "a delegation that neither Bot nor session that goes is of")
    home, _ = asked(tmp_path / "replied")
    reply(home, "文案")
    retire(home, "文案")
    expect_equal("DEL-41", states(home), ["replied"], "one that was answered before")


@proves("DEL-42")
def test_who_asked_an_archived_bot_is_woken_once(tmp_path: Path) -> None:
    for state in ("archived", "deleted"):
        home, _ = asked(tmp_path / state)
        retire(home, "文案", state)
        expect_equal("DEL-41", states(home), ["cancelled"], "the delegation")
        expect_equal("DEL-42", results(home, "wakes", "state"), [(1, "read")], "what the one who asked gets")
        expect_equal("DEL-42", len(home.turns("导演")), 2, "its turns")
        home.hop("导演", text="那我自己写。")
        retire(home, "文案", "deleted") if state == "archived" else None
        expect_equal("DEL-42", (len(home.turns("导演")), len(results(home))), (2, 1), "its turns and results later")
    home, _ = asked(tmp_path / "unread", "导演", "文案", "剪辑")
    home.sql("UPDATE bots SET parallel_limit = 1 WHERE name = '文案'")
    other = home.opened("海报", to=ROOM)
    home.say("@剪辑 海报", to=ROOM, files=[other])
    delegate(home, "剪辑", "文案")
    retire(home, "文案")
    expect_equal("DEL-42", len(home.live("剪辑")), 1, "segments of one whose request nobody had read")


@proves("DEL-43")
def test_an_archived_bot_is_not_woken_by_its_own_cancellation(tmp_path: Path) -> None:
    for state in ("archived", "deleted"):
        home, _ = asked(tmp_path / state)
        retire(home, "导演", state)
        expect_equal("DEL-41", states(home), ["cancelled"], "the delegation")
        expect_equal("DEL-43", results(home, "wakes"), [0], "what is on record for it")
        expect_equal("DEL-43", (home.live("导演"), len(home.turns("导演"))), ([], 1), "its turns")


@proves("DEL-44")
def test_emptying_a_session_wakes_nobody(tmp_path: Path) -> None:
    for what in EMPTIED:
        home, _ = asked(tmp_path / what)
        GOES[what](home)
        expect_equal("DEL-41", states(home), ["cancelled"], "the delegation")
        expect_equal("DEL-44", results(home, "wakes"), [0], f"what the one who asked gets, {what}")
        expect_equal("DEL-44", (home.live("导演"), work_of(home, "导演")), ([], ["idle"]), f"it, {what}")
    # A reply that the segment which was ended by the clearing had not read yet.
    home, _ = at_work(tmp_path / "unread", "导演", "文案")
    delegate(home, "导演", "文案", **{"continue": True})
    home.hop("导演", shell("render"), run=False)
    reply(home, "文案")
    expect_equal("DEL-44", results(home, "state"), ["queued"], "a reply while the one who asked is at a long call")
    clear(home, ROOM)
    expect_equal("DEL-44", home.live("导演"), [], "segments after the clearing, on what had come before")
    home.happens(events.BoardEdited, plan=1, goal="一支三十秒的新品片")
    expect_equal("PLAN-35", home.value("SELECT dormant FROM plans WHERE id = 1"), 0, "whether the plan sleeps on")
    expect_equal("DEL-44", home.live("导演"), [], "segments on that, as the user wakes the plan from the board")
    home.say("@导演 接着剪", to=ROOM, files=[1])
    expect("DEL-44", home.live("导演"), "the user's next line opens one")


@proves("DEL-45")
def test_a_cancelled_request_stays_on_record_and_is_none_that_was_done(tmp_path: Path) -> None:
    home, _ = asked(tmp_path)
    retire(home, "文案")
    row = home.rows("SELECT ask, state, closed_at IS NOT NULL FROM delegations")
    expect_equal("DEL-41", states(home), ["cancelled"], "the delegation")
    expect_equal("DEL-45", row, [("片头写什么？", "cancelled", 1)], "the request")
    expect_equal("DEL-45", results(home, "author"), ["app"], "who says what came of it")
    said = home.context(home.turn("导演")["id"])
    expect("DEL-45", "cancelled, and not done" in said and "文案 was archived" in said, f"what who asked reads: {said}")
    home.sql("DELETE FROM inbox_items WHERE delegation = 1")
    for statement in (
        "UPDATE delegations SET state = 'replied'",
        "UPDATE delegations SET result = '写好了'",
        "DELETE FROM delegations",
    ):
        expect_equal("DEL-45", is_taken(home, statement), False, f"{statement}, for the store")


@proves("DEL-46")
def test_archiving_ends_what_a_bot_is_at(tmp_path: Path) -> None:
    for state in ("archived", "deleted"):
        home, plan = at_work(tmp_path / state, "导演", "文案")
        home.hop("导演", shell("render"), run=False)
        running = next(each.id for each in home.engine.open_effects() if each.kind == "run_tool")
        home.say("@导演 再快点", to=ROOM, files=[plan])
        retire(home, "导演", state)
        kills = [each.body["effect"] for each in home.engine.open_effects() if each.kind == "kill"]
        expect_equal("DEL-46", home.live("导演"), [], "its live segments")
        ended = (home.turn("导演")["state"], home.turn("导演")["end_reason"])
        expect_equal("DEL-46", ended, ("stopped", state), "how its segment ended")
        expect_equal("DEL-46", kills, [running], "what is ended outside after that")
        expect_equal("DEL-46", set(work_of(home, "导演")), {"closed"}, "its work")
    home, plan = at_work(tmp_path / "old", "导演", "文案", level=2)
    retire(home, "导演")
    expect_equal("DEL-46", len(home.live("导演")), 1, "its live segments, below level 3")


@proves("DEL-47")
def test_nothing_comes_after_an_archive(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "completion", "导演", "文案")
    effect = next(each for each in home.engine.open_effects() if each.kind == "hop")
    retire(home, "导演")
    home.happens(events.Hopped, effect=effect.id, calls=(write("late.md"),))
    expect_equal("DEL-47", _begun(home), [], "tools begun by a completion that returns after the archive")
    for what, change in (
        ("nothing", "SELECT 1"),
        ("its Bot", "UPDATE bots SET state = 'archived' WHERE name = '导演'"),
        ("its work", "UPDATE work_items SET state = 'closed'"),
        ("its segment", "UPDATE turns SET state = 'stopped', end_reason = 'x', ended_at = 1"),
    ):
        home, _ = at_work(tmp_path / what, "导演", "文案")
        effect = next(each for each in home.engine.open_effects() if each.kind == "hop")
        home.sql(change)
        try:
            home.happens(events.Hopped, effect=effect.id, calls=(events.Call("shell", {"command": "late"}),))
        except sqlite3.IntegrityError:
            expect("DEL-47", False, f"the engine itself refuses a tool with {what} gone")
        expect_equal("DEL-47", _begun(home), ["shell"] if what == "nothing" else [], f"tools begun with {what} gone")
    home, _ = at_work(tmp_path / "store", "导演", "文案")
    turn = home.turn("导演")["id"]
    runs = "INSERT INTO effects (event, kind, turn, body, state) VALUES (1, 'run_tool', ?, '{}', 'done')"
    expect("DEL-47", is_taken(home, runs, turn), "a tool of a Bot that is there, for the store")
    home.sql("UPDATE bots SET state = 'archived' WHERE name = '导演'")
    expect_equal("DEL-47", is_taken(home, runs, turn), False, "one of a Bot that is gone, for the store")


def _begun(home: Evening) -> list[str]:
    rows = home.rows("SELECT json_extract(body, '$.tool') FROM effects WHERE kind = 'run_tool' ORDER BY id")
    return [tool for (tool,) in rows]


def test_who_is_at_a_cancelled_request_is_told(tmp_path: Path) -> None:
    home, _ = asked(tmp_path)
    clear(home, ROOM)
    hear(home, "文案")
    assert "cancelled, and not done" in home.context(home.turn("文案")["id"])
