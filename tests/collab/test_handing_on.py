"""Handing on: what a desk has read goes to the work that has its plan, and what it has not read comes along."""

from pathlib import Path

from evening import DOWN, Evening, work_on, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


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
