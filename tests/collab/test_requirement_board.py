"""Rules and acceptance on the board are the ledger: a line written is an entry, and a line deleted lays it down."""

from pathlib import Path

from evening import Evening
from ledger import act, board, in_force, state, steps
from scribing import FILM, ROOM, entries

from harness.expect import expect_equal, proves
from threadrebuild.collab import events

OLD_RULE = (
    "INSERT INTO requirements (number, span, source, scope, plan, session, state, at)"
    " VALUES (1, ?, 'import', 'conversation', ?, ?, 'legacy', 0)"
)
ENDED = {"active": "no_longer_applies", "legacy": "not_a_requirement"}
SAID = "SELECT id FROM quotes WHERE source = 'said' AND text LIKE ?"
COOL, WHITE = "色调偏冷", "字幕用白色"


def house(tmp_path: Path) -> tuple[Evening, int, int]:
    """Two plans of one conversation."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    home = Evening(tmp_path, bots=["导演"], rooms={ROOM: ["导演"]})
    home.lead("导演", ROOM)
    return home, home.opened(FILM, to=ROOM), home.opened("第二支片", to=ROOM)


def shared(home: Evening, plan: int, *, number: int = 1) -> None:
    """An entry for all of the conversation that was said in a plan."""
    home.say(f"@导演 以后每部片都{COOL}", to=ROOM, files=[plan])
    home.requires(number, COOL, plan, scope="conversation", session=home.session(ROOM))


def write_before(home: Evening, plan: int) -> None:
    """A plan's rules have had a line since before there was a ledger."""
    home.sql("UPDATE plan_revisions SET points = json_set(points, '$.rules[0]', ?) WHERE plan = ?", COOL, plan)


def times(home: Evening, number: int) -> int:
    """How often an entry was said."""
    counted = "SELECT count(*) FROM requirement_said s JOIN requirements r ON r.id = s.requirement WHERE r.number = ?"
    return int(home.value(counted, number))


@proves("REQ-21")
def test_a_line_written_is_an_entry_in_force_on_the_words_kept_of_it(tmp_path: Path) -> None:
    home, plan, _ = house(tmp_path)
    board(home, plan, rules=(COOL,), acceptance=(WHITE,))
    seen = home.rows(
        "SELECT r.span, r.source, r.scope, r.state, r.plan, q.source, q.text FROM requirements r"
        " JOIN quotes q ON q.id = r.quote ORDER BY r.span"
    )
    wanted = [(words, "board", "plan", "active", plan, "board", words) for words in sorted((COOL, WHITE))]
    expect_equal("REQ-21", seen, wanted, "entries of lines written, with the words they stand on")
    board(home, plan, rules=(COOL, "背景要连贯"))
    expect_equal("REQ-21", len(entries(home)), 3, "entries after one more line is written beside an old one")
    board(home, plan, rules=(COOL, "背景要连贯", "。。。"))
    expect_equal("REQ-21", len(entries(home)), 3, "entries after a line without words is written")


@proves("REQ-21")
def test_a_line_of_the_same_words_is_one_more_saying(tmp_path: Path) -> None:
    home, plan, _ = house(tmp_path / "own")
    board(home, plan, rules=(COOL,))
    board(home, plan, acceptance=("色调 偏冷！",))
    expect_equal("REQ-22", state(home, 1), "active", "an entry whose line still stands")
    expect_equal("REQ-21", entries(home), [COOL], "the plan's own words again: entries")
    expect_equal("REQ-21", times(home, 1), 2, "the plan's own words again: sayings")
    for name, of, more in (
        ("conversation", 1, {"scope": "conversation"}),
        ("standing", 0, {"scope": "standing"}),
        ("pending", 0, {"state": "pending"}),
        ("legacy", 0, {"state": "legacy", "source": "import"}),
    ):
        home, plan, other = house(tmp_path / name)
        home.say(f"@导演 {COOL}", to=ROOM, files=[(plan, other)[of]])
        home.requires(1, COOL, (plan, other)[of], session=home.session(ROOM), **more)
        board(home, plan, rules=(COOL,))
        seen = home.rows("SELECT number, state FROM requirements")
        expect_equal("REQ-21", seen, [(1, "active")], f"entries after the words of one that is {name} are written")
        expect_equal("REQ-21", times(home, 1), 2, f"sayings of what was {name}")
    home, plan, other = house(tmp_path / "set aside")
    shared(home, other)
    act(home, 1, plan, "not_for_this_plan")
    expect_equal("REQ-21", in_force(home, plan), [], "what is in force where it was set aside")
    board(home, plan, rules=(COOL,))
    expect_equal("REQ-21", in_force(home, plan), [1], "what is in force once its words are written there")
    expect_equal("REQ-21", len(home.rows("SELECT 1 FROM requirements")), 1, "entries then")


@proves("REQ-21")
def test_what_is_for_one_ticket_only_is_not_the_line(tmp_path: Path) -> None:
    (tmp_path / "ticket").mkdir()
    home = Evening(tmp_path / "ticket", bots=["导演"], rooms={ROOM: ["导演"]})
    plan = home.opened(FILM, to=ROOM, tickets=[("分镜", "导演")])
    home.say(f"@导演 {COOL}", to=ROOM, files=[(plan, 1)])
    home.requires(1, COOL, plan, ticket=1)
    board(home, plan, rules=(COOL,))
    seen = home.rows("SELECT number, scope, state FROM requirements ORDER BY number")
    wanted = [(1, "ticket", "active"), (2, "plan", "active")]
    expect_equal("REQ-21", seen, wanted, "entries after a ticket's words are written for the plan")
    board(home, plan, rules=())
    seen = home.rows("SELECT number, state FROM requirements ORDER BY number")
    wanted_then = [(1, "active"), (2, "no_longer_applies")]
    expect_equal("REQ-22", seen, wanted_then, "entries after the plan's line is deleted")


@proves("REQ-22")
def test_a_line_deleted_lays_down_all_of_the_same_words(tmp_path: Path) -> None:
    home, plan, _ = house(tmp_path)
    board(home, plan, rules=(COOL, WHITE))
    home.say(f"@导演 {COOL}！", to=ROOM, files=[plan])
    home.requires(3, "色调偏冷！", plan)
    home.requires(4, COOL, plan, state="legacy", source="import")
    board(home, plan, rules=(WHITE, "色调 偏冷。"))
    expect_equal("REQ-22", [state(home, each) for each in (1, 2, 3)], ["active"] * 3, "states after a line is moved")
    board(home, plan, rules=(WHITE,))
    expect_equal("REQ-23", home.rows("SELECT * FROM requirement_exceptions"), [], "what is set aside")
    seen = [state(home, each) for each in (1, 2, 3, 4)]
    wanted = ["no_longer_applies", "active", "no_longer_applies", "not_a_requirement"]
    expect_equal("REQ-22", seen, wanted, "states after a line is deleted: three of its words, the second of others")
    expect_equal("REQ-22", in_force(home, plan), [2], "what is in force for the plan")
    by = home.rows("SELECT u.kind FROM requirements r JOIN user_actions u ON u.id = r.ended_by")
    expect_equal("REQ-22", by, [("button",)] * 3, "what ended them")


@proves("REQ-23")
def test_what_another_plan_still_holds_is_only_set_aside_where_its_line_is_deleted(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    shared(home, other)
    board(home, plan, rules=(COOL,))
    board(home, other, rules=(COOL,))
    board(home, plan, rules=())
    expect_equal("REQ-23", state(home, 1), "active", "the entry after one plan's line is deleted")
    expect_equal("REQ-23", [in_force(home, each) for each in (plan, other)], [[], [1]], "what is in force in each plan")


@proves("REQ-24")
def test_another_plan_holds_an_entry_by_its_board_by_words_or_by_a_button(tmp_path: Path) -> None:
    for name in ("board", "said", "first", "nothing"):
        for set_aside in (False, True):
            home, plan, other = house(tmp_path / f"{name} {set_aside}")
            if name == "first":
                home.sql(OLD_RULE, COOL, other, home.session(ROOM))
            else:
                shared(home, plan)
            write_before(home, plan)
            if name == "board":
                write_before(home, other)
            if name == "said":
                home.say(f"@导演 {COOL}", to=ROOM, files=[other])
                quote = home.value("SELECT max(id) FROM quotes")
                home.sql("INSERT INTO requirement_sayings (requirement, quote, plan) VALUES (1, ?, ?)", quote, other)
            if set_aside:
                home.happens(events.BoardEdited, plan=other, goal="海报")
                by = home.value("SELECT max(id) FROM user_actions")
                home.sql("INSERT INTO requirement_exceptions (requirement, plan, by) VALUES (1, ?, ?)", other, by)
            before = state(home, 1)
            board(home, plan, rules=())
            held = name != "nothing" and not set_aside
            wanted = before if held else ENDED[str(before)]
            expect_equal("REQ-24" if held else "REQ-22", state(home, 1), wanted, f"held by {name}, aside: {set_aside}")


@proves("REQ-24")
def test_what_the_user_has_widened_by_the_button_is_held_by_that(tmp_path: Path) -> None:
    home, plan, _ = house(tmp_path)
    home.say(f"@导演 {COOL}", to=ROOM, files=[plan])
    home.requires(1, COOL, plan)
    expect_equal("REQ-24", act(home, 1, plan, "whole_conversation"), None, "widened by the button")
    board(home, plan, rules=(COOL,))
    board(home, plan, rules=())
    expect_equal("REQ-24", state(home, 1), "active", "the entry after the plan's line is deleted")
    expect_equal("REQ-33", in_force(home, plan), [], "what is in force in the plan")


@proves("REQ-25")
def test_what_is_deleted_at_its_last_place_is_inherited_by_nobody(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    shared(home, plan)
    board(home, plan, rules=(COOL,))
    expect_equal("REQ-25", in_force(home, home.opened("第三支片", to=ROOM)), [1], "what a new plan inherits before")
    cards = home.said()
    board(home, plan, rules=())
    expect_equal("REQ-24", home.rows("SELECT * FROM requirement_exceptions"), [], "what is set aside")
    expect_equal("REQ-25", state(home, 1), "no_longer_applies", "the entry after its last line is deleted")
    new = home.opened("第四支片", to=ROOM)
    expect_equal("REQ-25", [in_force(home, each) for each in (plan, other, new)], [[], [], []], "what is in force")
    expect_equal("REQ-25", home.said(), cards, "what the user is asked")


@proves("REQ-26")
def test_each_step_on_the_board_is_on_record_with_the_version_that_was_changed(tmp_path: Path) -> None:
    home, plan, other = house(tmp_path)
    shared(home, other, number=5)
    home.say("@导演 背景要连贯", to=ROOM, files=[plan])
    home.requires(6, "背景要连贯", plan, state="pending")
    home.requires(7, "背景", plan, state="legacy", source="import")
    seen: list[tuple[object, ...]] = []

    def step(wanted: list[tuple[str, int]], **points: tuple[str, ...]) -> None:
        before = home.value("SELECT max(number) FROM plan_revisions WHERE plan = ?", plan)
        board(home, plan, **points)
        new = [
            (what, home.value("SELECT number FROM requirements WHERE id = ?", of), at) for what, of, at in steps(home)
        ]
        expect_equal("REQ-26", new[len(seen) :], [(*each, before) for each in wanted], f"steps of {points}")
        seen.extend(new[len(seen) :])

    step([("written", 8)], rules=(WHITE,))
    step([("said_again", 8)], rules=(WHITE,), acceptance=(WHITE,))
    step([("said_again", 6), ("confirmed", 6)], acceptance=("背景要连贯",))
    step([("no_longer_applies", 8)], rules=())
    step([("said_again", 5)], rules=(COOL,))
    step([("not_for_this_plan", 5)], rules=())
    step([("said_again", 5), ("restored", 5)], rules=(COOL,))
    step([("said_again", 7), ("confirmed", 7)], rules=(COOL, "背景"))
    home.requires(9, "要连贯", plan, state="legacy", source="import", quote=home.value(SAID, "%背景要连贯"))
    home.sql("UPDATE plan_revisions SET points = json_set(points, '$.rules[#]', '要连贯') WHERE plan = ?", plan)
    step([("not_a_requirement", 9)], rules=(COOL, "背景"))
