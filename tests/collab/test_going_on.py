"""Who goes on with stopped work once the user's words have ended a hold, where, and from what."""

from pathlib import Path

from evening import Evening, shell
from readings import FILING, MEANING, comes, filing, says
from rooms_at_work import (
    FILM,
    NIGHT,
    OTHER_ROOM,
    POSTER,
    begins,
    notes,
    opened,
    over,
    rooms,
    running,
    stand,
    stop,
    stopped_twice,
)
from stopping import RESUME, ROOM, TALK, buttons, delivered, hold, speak

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

LEVELS = (1, 8)


def both_stopped(folder: Path, scope: str = "session", *, lead: str = "") -> Evening:
    """A hold has stopped the director and the copywriter, who worked on the film."""
    home = rooms(folder, lead=lead)
    for bot in ("文案", "导演"):
        begins(home, bot, FILM)
    home.run("文案")  # It reads what it has heard meanwhile.
    home.hop("文案", shell("render"), run=False)
    hold(home, scope, **{"session": {"session": ROOM}, "plan": {"plan": FILM}}.get(scope, {}))
    return home


@proves("HOLD-26")
def test_only_whom_a_line_is_said_to_goes_on(tmp_path: Path) -> None:
    for scope in ("session", "everything", "plan"):
        for text, meaning in ((f"@导演 {NIGHT}", TALK), ("@导演 继续", RESUME)):
            home = both_stopped(tmp_path / scope / text, scope)
            speak(home, text, meaning, to=ROOM, plan=FILM)
            expect_equal(
                "HOLD-26", opened(home, "文案"), [("stopped", "@文案 做起来", FILM, False)], "the other's turns"
            )
            expect_equal("HOLD-26", running(home, "导演"), [(text, FILM)], f"what runs after “{text}”")
            expect_equal("HOLD-26", (stand(home), notes(home)), ([], []), "the holds, and restart notes")


@proves("HOLD-27")
def test_one_bot_told_to_go_on_takes_its_stopped_work_along(tmp_path: Path) -> None:
    home = both_stopped(tmp_path)
    speak(home, "@导演 继续", RESUME, to=ROOM)
    expect_equal("HOLD-27", len(opened(home, "文案")), 1, "turns of the one not named")
    expect("HOLD-27", ("running", "note", FILM, True) in opened(home, "导演"), "the other's goes on, with a note")
    expect_equal("HOLD-27", (stand(home), len(notes(home))), ([], 1), "the holds, and restart notes")


@proves("HOLD-28")
def test_what_is_said_to_the_whole_group_takes_along_what_it_does_not_reach(tmp_path: Path) -> None:
    for scope in ("session", "everything", "plan"):
        home = both_stopped(tmp_path / scope, scope, lead="导演")
        line = speak(home, "宣传语改成英文的", TALK, to=ROOM, plan=FILM)
        expect_equal("HOLD-28", running(home, "导演"), [("宣传语改成英文的", FILM)], "what the lead's turn opens on")
        expect_equal("HOLD-28", running(home, "文案"), [("note", FILM)], "what the other's opens on")
        expect("HOLD-28", opened(home, "文案")[-1][3], "as going on with the stopped one")
        expect("HOLD-28", "宣传语改成英文的" in notes(home)[0], "its note quotes the line")
        waits = home.rows(
            "SELECT w.bot, w.plan FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
            " WHERE i.message = ? AND w.bot = ? AND i.kind = 'line'",
            line,
            home.bot("文案"),
        )
        expect_equal("HOLD-28", waits, [(home.bot("文案"), FILM)], "where the line waits for it, to be dealt with")
        home.hop("文案", text="改好了。")
        while home.hop("文案", text="改好了。"):
            pass
        expect_equal("HOLD-28", len(home.read_in(line, "文案")), 1, "how often it has read the line")


@proves("HOLD-28")
def test_after_a_stop_the_line_alone_is_put_before_its_bot(tmp_path: Path) -> None:
    home = rooms(tmp_path, lead="导演")
    stop(home, begins(home, "文案", FILM))
    speak(home, "宣传语改成英文的", TALK, to=ROOM, plan=FILM)
    expect_equal("HOLD-28", running(home, "文案"), [("宣传语改成英文的", FILM)], "what opens for whom Stop had ended")
    expect_equal("HOLD-28", notes(home), [], "restart notes")


@proves("HOLD-28")
def test_a_group_is_told_nothing_of_other_groups(tmp_path: Path) -> None:
    home = rooms(tmp_path, lead="导演")
    home.happens(events.BotAdded, name="剪辑")
    home.happens(events.SessionOpened, session="direct", title="剪辑", members=("剪辑",))
    plan = home.opened("年会", to="剪辑")
    speak(home, "做年会", TALK, to="剪辑", plan=plan)
    begins(home, "文案", FILM)
    hold(home, "everything")
    speak(home, "宣传语改成英文的", TALK, to=ROOM, plan=FILM)
    expect_equal("HOLD-28", (stand(home), running(home, "文案")), ([], [("note", FILM)]), "the hold, and what goes on")
    expect_equal("HOLD-28", running(home, "剪辑"), [], "what goes on elsewhere")


@proves("HOLD-111")
def test_a_line_that_is_no_go_on_reopens_nothing(tmp_path: Path) -> None:
    for scope, names in (("bot", {"bot": "导演"}), ("session", {"session": ROOM}), ("everything", {})):
        home = rooms(tmp_path / scope)
        for plan in (FILM, POSTER):
            begins(home, "导演", plan)
        hold(home, scope, **names)
        speak(home, "@导演 海报改横版", TALK, to=ROOM, plan=POSTER)
        expect_equal("HOLD-111", running(home, "导演"), [("@导演 海报改横版", POSTER)], f"what runs after {scope}")
        expect_equal("HOLD-111", (stand(home), notes(home)), ([], []), "the holds, and restart notes")


@proves("CTRL-23")
def test_go_on_is_filed_then_lifts_then_wakes(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    early = speak(home, "@文案 在吗", TALK, to=ROOM, plan=FILM)
    expect_equal("READ-23", delivered(home, early), 1, "Bots that get a line once it is read")
    expect_equal("READ-05", home.filed(early), [(FILM, None)], "where it is filed")
    stop(home, begins(home, "导演", FILM))
    turn = begins(home, "导演", POSTER)
    hold(home, "turn", turn=turn)
    line = says(home, "@导演 继续", to=ROOM)
    comes(home, line, MEANING, RESUME)
    expect_equal("CTRL-23", stand(home), ["bot_in_plan", "turn"], "holds before it is filed")
    comes(home, line, FILING, {"kind": "plans", "about": [{"plan": POSTER}]})
    expect_equal("CTRL-23", over(home), [FILM], "what stands once it is filed to the poster: the film's")
    expect_equal("CTRL-23", running(home, "导演"), [("@导演 继续", POSTER)], "what it wakes")
    expect_equal("CTRL-23", delivered(home, line), 1, "Bots that have got it")
    home.hop("导演", text="接着做。")
    expect_equal("CTRL-23", home.said("bot"), ["接着做。"], "who answers it")
    expect_equal("CTRL-23", home.said("app"), [], "what the application says in anybody's name")


@proves("CTRL-24")
def test_go_on_lifts_what_blocks_its_matter_for_whom_it_is_said_to(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    turns = {(bot, plan): begins(home, bot, plan) for bot in ("导演", "文案") for plan in (FILM, POSTER)}
    for bot in ("导演", "文案"):
        for plan in (FILM, POSTER):
            hold(home, "turn", turn=turns[bot, plan])
            hold(home, "bot_in_plan", bot=bot, plan=plan)
        hold(home, "bot", bot=bot)
    first, second = _ticket(home), _ticket(home)
    for ticket in (first, second):
        hold(home, "ticket", ticket=ticket)
    line = says(home, "@导演 继续", to=ROOM)
    comes(home, line, MEANING, RESUME)
    comes(home, line, FILING, filing({"plan": FILM, "ticket": first}))
    left = home.rows("SELECT scope, bot, plan, ifnull(turn, ticket) FROM holds WHERE lifted_by IS NULL ORDER BY id")
    writer, director = home.bot("文案"), home.bot("导演")
    wanted = [
        ("turn", None, None, turns["导演", POSTER]),
        ("bot_in_plan", director, POSTER, None),
        ("turn", None, None, turns["文案", FILM]),
        ("bot_in_plan", writer, FILM, None),
        ("turn", None, None, turns["文案", POSTER]),
        ("bot_in_plan", writer, POSTER, None),
        ("bot", writer, None, None),
        ("ticket", None, None, second),
    ]
    expect_equal("CTRL-24", left, wanted, "what stands after “go on” to the director about the film")


@proves("CTRL-25")
def test_go_on_leaves_other_matters_and_other_bots_stops(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    for bot, plan in (("导演", FILM), ("文案", FILM), ("导演", POSTER)):
        stop(home, begins(home, bot, plan))
    hold(home, "plan", plan=POSTER)
    speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
    left = home.rows("SELECT bot, plan FROM holds WHERE lifted_by IS NULL ORDER BY id")
    wanted = [(home.bot("文案"), FILM), (home.bot("导演"), POSTER), (None, POSTER)]
    expect_equal("CTRL-25", left, wanted, "what stands after “go on” to the director about the film")


@proves("CTRL-26")
def test_go_on_to_one_ends_what_holds_the_place_the_matter_or_everything(tmp_path: Path) -> None:
    for scope in ("session", "plan", "everything"):
        home = both_stopped(tmp_path / scope, scope)
        hold(home, "session", session=OTHER_ROOM)
        wanted = [] if scope == "everything" else ["session"]
        speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
        elsewhere = [number for (number,) in home.rows("SELECT session FROM holds WHERE lifted_by IS NULL")]
        expect_equal("CTRL-26", elsewhere, [home.session(OTHER_ROOM)], f"what stands of {scope} and another group's")
        expect_equal("CTRL-26", running(home, "文案"), [], "what goes on of the one not named")
        expect_equal("CTRL-26", running(home, "导演"), [("@导演 继续", FILM)], f"what goes on {wanted}")


@proves("CTRL-27")
def test_all_bots_told_to_go_on_all_do(tmp_path: Path) -> None:
    for text, all_of_them in (("所有 Bot 继续", True), ("全都继续做", True), ("继续", False)):
        home = rooms(tmp_path / text)
        home.happens(events.BotAdded, name="剪辑")
        home.happens(events.SessionOpened, session="direct", title="剪辑", members=("剪辑",))
        plan = home.opened("年会", to="剪辑")
        speak(home, "做年会", TALK, to="剪辑", plan=plan)
        stop(home, home.live("剪辑")[0]["id"])
        stop(home, begins(home, "导演", FILM))
        later = says(home, text, to="文案")
        stop(home, begins(home, "导演", POSTER))
        comes(home, later, MEANING, RESUME)
        comes(home, later, FILING, {"kind": "unclear"})
        wanted = [POSTER] if all_of_them else [plan, FILM, POSTER]
        expect_equal("CTRL-27", over(home), wanted, f"what is stopped after “{text}”: what was after it")
        going_on = [running(home, bot) for bot in ("剪辑", "导演")]
        wanted_on = [[("note", plan)], [("note", FILM)]] if all_of_them else [[], []]
        expect_equal("CTRL-27", going_on, wanted_on, f"what goes on after “{text}”")
    home = rooms(tmp_path / "no go on")
    stop(home, begins(home, "导演", FILM))
    speak(home, "所有 Bot 的标题都要短", TALK, to="文案")
    expect_equal("CTRL-27", over(home), [FILM], "what is stopped after a line about all Bots that is no “go on”")


@proves("CTRL-28")
def test_go_on_about_nothing_frees_the_bot_as_such_alone(tmp_path: Path) -> None:
    home = rooms(tmp_path / "any line")
    hold(home, "bot", bot="导演")
    speak(home, NIGHT, TALK)
    expect_equal("HOLD-23", stand(home), [], "holds after an ordinary line")
    for level in LEVELS:
        home = rooms(tmp_path / str(level), level=level)
        speak(home, "在吗", TALK)
        hold(home, "turn", turn=home.live("导演")[0]["id"])
        hold(home, "bot_in_plan", bot="导演", plan=FILM)
        hold(home, "ticket", ticket=_ticket(home))
        hold(home, "bot", bot="导演")
        hold(home, "bot", bot="文案")
        line = says(home, "继续", to="导演")
        comes(home, line, MEANING, RESUME)
        comes(home, line, FILING, {"kind": "unclear"})
        wanted = ["turn", "bot_in_plan", "ticket", "bot"]
        expect_equal("CTRL-28", stand(home), wanted, f"what stands after “go on” about nothing at level {level}")
        speak(home, "在吗", TALK)
        wanted = ["bot_in_plan", "ticket", "bot"]
        expect_equal("CTRL-28", stand(home), wanted, "what stands after another word where nothing was the matter")


@proves("CTRL-29")
def test_in_the_direct_chat_a_bot_goes_on_there_and_nowhere_else(tmp_path: Path) -> None:
    for scope, names in (("bot", {"bot": "导演"}), ("session", {"session": ROOM}), ("everything", {})):
        home = rooms(tmp_path / scope)
        begins(home, "导演", FILM)
        hold(home, scope, **names)
        speak(home, "继续", RESUME, to="导演", plan=FILM)
        where = [turn["session"] for turn in home.live("导演")]
        expect_equal("CTRL-29", where, [home.session("导演")], f"where it goes on after a hold on {scope}")
        expect_equal("CTRL-29", notes(home), [], "restart notes")


@proves("CTRL-30")
def test_work_that_go_on_did_not_wake_starts_again_where_it_was(tmp_path: Path) -> None:
    home = rooms(tmp_path / "newest")
    for plan in (FILM, POSTER):
        begins(home, "导演", plan)
    hold(home, "bot", bot="导演")
    speak(home, "继续", RESUME, to="导演", plan=FILM)
    expect_equal("CTRL-30", running(home, "导演"), [("继续", FILM), ("note", POSTER)], "what goes on")
    where = [turn["session"] for turn in home.live("导演")]
    expect_equal("CTRL-30", where, [home.session("导演"), home.session(ROOM)], "where")
    seen_by = home.rows("SELECT only_for FROM messages WHERE only_for IS NOT NULL")
    expect_equal("CTRL-30", seen_by, [(home.bot("导演"),)], "for whom the note is")
    home = rooms(tmp_path / "of old", level=1)
    speak(home, "@导演 做起来", TALK, to=ROOM)
    hold(home, "bot", bot="导演")
    speak(home, "继续", RESUME, to="导演")
    found = [(turn["session"], turn["continues"]) for turn in home.live("导演")]
    wanted = [(home.session("导演"), None), (home.session(ROOM), home.turns("导演")[0]["id"])]
    expect_equal("CTRL-30", sorted(found), wanted, "what goes on, and where, at level 1")


@proves("CTRL-31")
def test_with_nothing_held_go_on_is_an_ordinary_line(tmp_path: Path) -> None:
    home = rooms(tmp_path)
    line = speak(home, "@导演 继续", RESUME, to=ROOM, plan=FILM)
    expect_equal("CTRL-31", delivered(home, line), 1, "how often it is delivered")
    expect_equal("CTRL-31", running(home, "导演"), [("@导演 继续", FILM)], "what it opens")
    expect_equal("CTRL-31", buttons(home, line), None, "its buttons")
    home = stopped_twice(tmp_path / "stopped")
    line = speak(home, "@文案 继续", RESUME, to=ROOM, plan=FILM)
    expect_equal("CTRL-31", delivered(home, line), 1, "how often it is delivered to one who is not held")


def _ticket(home: Evening) -> int:
    home.sql(
        "INSERT INTO tickets (plan, number, title, folder, owner, at)"
        " SELECT ?, count(*) + 1, '粗剪', '粗剪', ?, 0 FROM tickets",
        FILM,
        home.bot("导演"),
    )
    return int(home.value("SELECT max(id) FROM tickets"))
