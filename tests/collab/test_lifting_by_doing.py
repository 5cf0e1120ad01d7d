"""What ends a hold besides words: going on, an edit, a direct insert; and what a kept hold refuses."""

from pathlib import Path

from readings import refused
from requests_over_http import WAYS, Client
from rooms_at_work import (
    FILM,
    NIGHT,
    POSTER,
    begins,
    hears_and_is_held,
    kept,
    over,
    rooms,
    running,
    stand,
    stop,
)
from stopping import ROOM, TALK, hold, lift, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


@proves("HOLD-71")
def test_continue_is_refused_under_a_kept_hold_alone(tmp_path: Path) -> None:
    for away in WAYS:
        for source in ("legacy", "void", "ordinary"):
            home = rooms(tmp_path / f"{away} {source}")
            turn = begins(home, "导演", FILM)
            home.crash()
            if source == "ordinary":
                hold(home, "plan", plan=FILM)
            else:
                kept(home, source, kind="plan", plan=FILM)
            call = Client(home, away=away)
            answers = [call("POST", f"turns/{turn}/continue", key="press") for _ in range(2)]
            refusal = (409, "held") if source != "ordinary" else (200, None)
            found = [(each.status, each.error) for each in answers]
            expect_equal("HOLD-71", found, [refusal, refusal], f"the answers under a hold: {source}, away: {away}")
            expect_equal("HOLD-71", len(home.live("导演")), int(source == "ordinary"), f"turns under {source}")
            expect_equal("HOLD-71", stand(home), [] if source == "ordinary" else ["plan"], f"holds under {source}")


@proves("QUOT-25")
def test_an_edit_is_the_users_next_line_for_stopped_work(tmp_path: Path) -> None:
    for scope, names in (
        ("Stop", {}),
        ("everything", {}),
        ("bot", {"bot": "导演"}),
        ("session", {"session": ROOM}),
        ("plan", {"plan": FILM}),
    ):
        home = rooms(tmp_path / scope)
        stop(home, begins(home, "导演", POSTER))
        turn = begins(home, "导演", FILM)
        line = int(home.value("SELECT max(id) FROM messages WHERE author = 'user'"))
        stop(home, turn) if scope == "Stop" else hold(home, scope, **names)
        home.happens(events.Edited, message=line, text="@导演 做竖版")
        expect_equal("QUOT-25", over(home), [POSTER], f"holds after the edit, stopped by {scope}: the other matter's")
        found = [(turn["plan"], turn["continues"]) for turn in home.live("导演")]
        expect_equal("QUOT-25", found, [(FILM, None)], f"what goes on after the edit, stopped by {scope}")
        expect("QUOT-25", "做竖版" in home.context(home.turn("导演")["id"]), "by the new text")


@proves("QUOT-26")
def test_under_a_kept_hold_the_word_of_an_edit_waits(tmp_path: Path) -> None:
    for source in ("legacy", "void"):
        home = rooms(tmp_path / source)
        begins(home, "导演", FILM)
        line = int(home.value("SELECT max(id) FROM messages WHERE author = 'user'"))
        kept(home, source, kind="plan", plan=FILM)
        home.happens(events.Edited, message=line, text="@导演 做竖版")
        expect_equal("QUOT-26", (stand(home), running(home, "导演")), (["plan"], []), "the hold, and what runs")
        lift(home, 1)
        while home.hop("导演", text="好。"):
            pass
        told = home.value("SELECT state FROM inbox_items WHERE kind = 'edit'")
        expect_equal("QUOT-26", told, "read", f"the word of the edit after the lift of a hold kept as {source}")


@proves("QUOT-27")
def test_what_only_got_an_answer_is_handed_back_in_its_new_words(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    begins(home, "导演", FILM)
    kept(home, "void", kind="plan", plan=FILM)
    line = speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
    home.hop("导演", text="停着呢。")
    home.happens(events.Edited, message=line, text="@导演 片头换成雨夜")
    lift(home, 1)
    copies = home.rows("SELECT i.kind, i.text FROM inbox_items i WHERE i.message = ? AND i.state <> 'void'", line)
    expect_equal("QUOT-27", copies, [("line", "@导演 片头换成雨夜")], "what its Bot has of the line after the lift")
    while home.hop("导演", text="好。"):
        pass
    expect_equal("QUOT-27", len(home.read_in(line, "导演")), 1, "how often it was read")


@proves("QUOT-32")
def test_a_line_kept_back_is_inserted_unless_a_kept_hold_keeps_it(tmp_path: Path) -> None:
    for away in WAYS:
        for scope, names in (("everything", {}), ("bot", {"bot": "导演"}), ("Stop", {}), ("legacy", {}), ("void", {})):
            home = rooms(tmp_path / f"{away} {scope}")
            turn = begins(home, "导演", FILM)
            line = speak(home, f"@导演 {NIGHT}", TALK, to=ROOM, plan=FILM)
            if scope in ("legacy", "void"):
                kept(home, scope, kind="plan", plan=FILM)
            else:
                stop(home, turn) if scope == "Stop" else hold(home, scope, **names)
            answer = Client(home, away=away)("POST", f"messages/{line}/insert")
            keeps = scope in ("legacy", "void")
            wanted = (409, "held") if keeps else (200, None)
            expect_equal("QUOT-32", (answer.status, answer.error), wanted, f"the answer under {scope}, away: {away}")
            expect_equal("QUOT-32", len(home.read_in(line, "导演")), int(not keeps), f"readings under {scope}")
            expect_equal("QUOT-32", len(stand(home)), int(keeps), f"holds that stand, of {scope}")
    home = rooms(tmp_path / "twice")
    line = hears_and_is_held(home)
    kept(home, "void", kind="plan", plan=FILM)
    expect_equal("QUOT-32", refused(home, events.Inserted, message=line), "held", "under an ordinary and a kept hold")
    expect_equal("QUOT-32", stand(home), ["bot", "plan"], "and neither is lifted")
