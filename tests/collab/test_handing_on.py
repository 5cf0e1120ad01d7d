"""Handing on: what a desk has read goes to the work that has its plan, and what it has not read comes along."""

from pathlib import Path

from evening import DOWN, Evening, work_on, write
from rooms_at_work import FILM, OTHER_ROOM, begins, rooms
from stopping import ROOM, TALK, hold, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, inbox, messages
from threadrebuild.collab.change import Change


def household(folder: Path) -> Evening:
    """A director in its direct chat, with a plan open there."""
    home = Evening(folder, bots=["导演"])
    home.opened("新品片", to="导演")
    return home


@proves("WORK-20", "WORK-21")
def test_what_another_segment_holds_goes_there_as_it_was_said(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("先做分镜", to="导演", files=[1])
    first = home.turn("导演")["id"]
    line = home.say("片头换这张", to="导演", attach=["intro.png"], files=DOWN)
    desk = home.live("导演")[-1]["id"]
    home.hop("导演", work_on(plan=1), write("b.png"), turn=desk)
    choice = home.results(desk)[0]
    expect("HOLD-76", choice[1] != "refused", f"work that no hold covers may be chosen: {choice}")
    ended = home.rows("SELECT state, end_reason FROM turns WHERE id = ?", desk)
    expect_equal("WORK-20", (ended, home.ran), ([("completed", "merged")], []), "how the desk ended, and what ran")
    home.hop("导演", events.Call("read_file", {"path": "a"}), plan=1)
    expect_equal("WORK-20", home.read_in(line, "导演"), [desk, first], "the segments that read the line")
    given = home.rows(
        "SELECT i.text, f.path FROM inbox_items i JOIN message_files f ON f.message = i.message"
        " WHERE i.read_by_turn = ?",
        first,
    )
    expect_equal("WORK-20", given, [("片头换这张", "intro.png")], "what the first one is given")
    expect("WORK-20", "片头换这张 [attached: intro.png]" in home.context(first), "it reads the line with its file")
    expect_equal("WORK-20", len(home.turns("导演")), 2, "segments")


@proves("WORK-21")
def test_unread_words_taken_over_by_a_segment_stay_as_they_were(tmp_path: Path) -> None:
    home = household(tmp_path)
    home.say("在吗", to="导演", files=DOWN)
    line = home.say("标题换成英文好吗", to="导演", files=DOWN)
    home.sql("UPDATE inbox_items SET disposition = 'noted' WHERE message = ?", line)
    home.hop("导演", work_on(plan=1))
    turn = home.turn("导演")["id"]
    row = home.rows("SELECT text, disposition, read_by_turn FROM inbox_items WHERE message = ?", line)
    expect_equal("WORK-21", row, [("标题换成英文好吗", "noted", turn)], "the row that the bound segment has read")
    expect("WORK-21", home.turn("导演")["plan"] == 1, "which works on the plan by then")


@proves("WORK-20", "WORK-06")
def test_a_line_that_the_work_has_overheard_is_not_given_to_it_twice(tmp_path: Path) -> None:
    for is_read in (False, True):
        for room in (ROOM, OTHER_ROOM):
            home = rooms(tmp_path / f"{room} {is_read}", lead="导演")
            home.lead("导演", OTHER_ROOM)
            begins(home, "导演", FILM)
            hold(home, "bot", bot="导演")
            line = speak(home, "宣传语改成英文的", TALK, to=room)
            work, desk = (turn["id"] for turn in home.live("导演"))
            if is_read:
                home.hop("导演", events.Call("read_file", {"path": "a"}), turn=work)
            home.hop("导演", work_on(plan=FILM), turn=desk)
            ended = home.value("SELECT end_reason FROM turns WHERE id = ?", desk)
            expect_equal("WORK-20", ended, "merged", f"how the desk in {room} ended")
            copies = home.rows(
                "SELECT i.kind FROM inbox_items i JOIN turns t ON t.work_item = i.work_item"
                " WHERE i.message = ? AND t.id = ? ORDER BY i.id",
                line,
                work,
            )
            given = [("line",), ("correction",)] if is_read else [("line",)]
            expect_equal("WORK-20", copies, given, f"what the work is given of it, read: {is_read}")
            home.hop("导演", events.Call("read_file", {"path": "b"}), turn=work)
            said = "This line is for you: “宣传语改成英文的”" if is_read else "user: 宣传语改成英文的"
            where = f" (answer in session {home.session(room)})" if room == OTHER_ROOM else ""
            heard = home.context(work).splitlines()
            expect("WORK-06", any(each.endswith(said + where) for each in heard), f"it hears “{said}{where}”")


@proves("WORK-20")
def test_unread_words_of_a_desk_are_read_once_by_the_work_that_it_binds(tmp_path: Path) -> None:
    for state in ("queued", "read"):
        home = rooms(tmp_path / state, lead="导演")
        work = begins(home, "导演", FILM)
        home.run("导演")
        home.hop("导演", text="好了。")
        speak(home, "在吗", TALK, to=ROOM)
        line = speak(home, "标题换成英文好吗", TALK, to=ROOM)
        home.sql(
            "INSERT INTO inbox_items (work_item, kind, message, author, text, prio, wakes, state, read_by_turn, seq)"
            " SELECT t.work_item, kind, message, author, text, prio, 0, ?1, iif(?1 = 'read', t.id, NULL), i.seq"
            " FROM inbox_items i, turns t WHERE i.message = ?2 AND t.id = ?3",
            state,
            line,
            work,
        )
        home.hop("导演", work_on(plan=FILM))
        given = home.rows("SELECT state, kind FROM inbox_items WHERE message = ? ORDER BY id", line)
        wanted = {
            "queued": [("superseded", "line"), ("read", "line")],
            "read": [("read", "correction"), ("read", "line")],
        }
        expect_equal("WORK-20", given, wanted[state], f"the copies, the one of the work {state}")
        expect_equal("WORK-20", len(home.live("导演")), 1, "segments that run")


@proves("WORK-20")
def test_a_line_that_was_read_is_not_heard_again_and_whom_it_is_for_is_told(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    turn = home.db.row("SELECT * FROM turns WHERE id = ?", begins(home, "导演", FILM))
    assert turn is not None
    line = home.value("SELECT max(id) FROM messages WHERE author = 'user'")
    told = "SELECT kind FROM inbox_items WHERE message = ? ORDER BY id"
    for why, given in ((inbox.OVERHEARD, [("line",)]), ("mention", [("line",), ("correction",)])):
        with home.db.transaction():
            change = Change(home.db, home.value("SELECT max(seq) FROM events"), home.now, 8)
            inbox.put(change, turn["work_item"], messages.message_of(change, line), turn, why)
        expect_equal("WORK-20", home.rows(told, line), given, f"the copies of a line that is put there again: {why}")
