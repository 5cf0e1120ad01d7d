"""What a segment has said to the user when it ends: nothing at all, or much on the way; and files that go along."""

from pathlib import Path
from typing import Any

from ending import PAGE, ROOM, RUNNING, at_desk, at_work, codes, end_turn, ended, hops, look, send, tell, told
from evening import Evening, write
from stopping import folder_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

SILENT: tuple[tuple[str, dict[str, str]], ...] = (
    ("done", {"note": "水印去不掉"}),
    ("answered", {"answer": "水印去不掉"}),
    ("nothing_new", {}),
)
"""Endings that say nothing to the user, each with words that do not reach him."""
ZH, EN = "这一轮没有回复你", "without a reply"


def from_levels(folder: Path, level: int, to: str) -> list[tuple[str, Evening]]:
    """A director at work and at its desk, with a line of the user's in a place."""
    work, _ = at_work(folder / "work", level=level, to=to)
    return [("work", work), ("desk", at_desk(folder / "desk", level=level, to=to))]


@proves("END-23")
def test_who_speaks_to_a_bot_gets_a_word(tmp_path: Path) -> None:
    for level in (3, 8):
        for reason, more in SILENT:
            for mode, home in from_levels(folder_of(tmp_path, f"{level}{reason}"), level, "导演"):
                hops(home, "导演", end_turn(reason=reason, **more))
                seen = (ended(home), codes(home))
                expect_equal("END-23", seen, (RUNNING, ["said_nothing"]), f"{reason} without a word, from {mode}")
                hops(home, "导演", text="水印去不掉。")
                expect_equal(
                    "END-23", (ended(home)[0], len(codes(home))), ("completed", 1), f"with a word, from {mode}"
                )
            for mode, home in from_levels(folder_of(tmp_path, f"said{level}{reason}"), level, "导演"):
                hops(home, "导演", send("水印去不掉。"))
                hops(home, "导演", end_turn(reason=reason, **more))
                expect_equal(
                    "END-23", (ended(home)[1], codes(home)), (reason, []), f"{reason} after a word, from {mode}"
                )
        for mode, home in from_levels(folder_of(tmp_path, f"words{level}"), level, "导演"):
            hops(home, "导演", text="水印去不掉。")
            expect_equal("END-23", codes(home), [], f"words from {mode}")
        for mode, home in from_levels(folder_of(tmp_path, f"none{level}"), level, "导演"):
            hops(home, "导演")
            expect_equal("END-23", codes(home), ["said_nothing"], f"no words from {mode}")
    home, _ = at_work(tmp_path / "elsewhere", to="导演")
    hops(home, "导演", send("水印去不掉。", session=home.session(ROOM)))
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-23", codes(home), ["said_nothing"], "a word said elsewhere")
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-23", codes(home), ["said_nothing"], "the same again, which is not sent back")
    home, _ = at_work(tmp_path / "gave up", to="导演")
    hops(home, "导演", end_turn(reason="gave_up", note="不会"))
    expect_equal("END-23", codes(home), [], "giving up, of which the user is told")


@proves("END-25")
def test_the_bounce_says_what_does_not_reach_the_user(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path, to="导演")
    hops(home, "导演", end_turn(reason="answered", answer="水印去不掉"))
    for word in (
        "`answer` (which the Bot reads that asked)",
        "`note`",
        "`inbox`",
        "a file is no reply",
        "reply in the",
    ):
        expect("END-25", word in told(home), f"the bounce says {word}: {told(home)}")


@proves("END-26")
def test_a_second_ending_without_a_word_stands_and_the_user_is_told(tmp_path: Path) -> None:
    for language, said in (("zh", ZH), ("en", EN)):
        for reason, more in SILENT:
            for mode, home in from_levels(folder_of(tmp_path, f"{language}{reason}"), 8, "导演"):
                home.sql("UPDATE meta SET language = ?", language)
                for _ in range(2):
                    hops(home, "导演", end_turn(reason=reason, **more))
                expect_equal("END-26", ended(home), ("completed", reason), f"a second {reason}, from {mode}")
                lines = [each for each in home.said() if said in each and "导演" in each]
                expect_equal("END-26", len(lines), 1, f"lines of the application: {home.said()}")
    home, _ = at_work(tmp_path / "mended", to="导演")
    hops(home, "导演", end_turn(reason="answered"))
    hops(home, "导演", text="水印去不掉。")
    expect_equal("END-26", [each for each in home.said() if ZH in each], [], "lines where it has replied after all")


@proves("END-28")
def test_a_group_a_schedule_and_a_read_only_answer_owe_no_word(tmp_path: Path) -> None:
    for mode, home in from_levels(tmp_path / "group", 8, ROOM):
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect_equal("END-28", (ended(home)[0], codes(home)), ("completed", []), f"silence in a group, from {mode}")
    home, plan = at_work(tmp_path / "schedule", to="导演")
    hops(home, "导演", text="好。")
    bot, session = home.bot("导演"), home.session("导演")
    home.happens(
        events.ScheduleMade,
        session=session,
        bot=bot,
        text="日报",
        every_ms=86_400_000,
        due=home.now + 60_000,
        plan=plan,
    )
    home.later(2)
    hops(home, "导演", end_turn(reason="nothing_new"))
    expect_equal("END-28", (len(home.turns("导演")), codes(home)), (2, []), "silence after a schedule has rung")
    home = Evening(folder_of(tmp_path, "held"), bots=["导演"])
    home.happens(events.HoldMade, scope="bot", bot=home.bot("导演"))
    home.sql("UPDATE holds SET void = 1")
    home.say("到哪了？", to="导演")
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-28", (ended(home)[0], codes(home)), ("completed", []), "silence of what only answers")
    home, plan = at_work(tmp_path / "direct", to="导演")
    hops(home, "导演", end_turn(reason="nothing_new"))
    expect_equal("END-28", codes(home), ["said_nothing"], "silence in the direct chat")


@proves("END-44")
def test_a_message_ends_nothing(tmp_path: Path) -> None:
    for level in (3, 8):
        for to in (ROOM, "导演"):
            home, _ = at_work(folder_of(tmp_path, f"{level}{to}"), level=level, to=to)
            hops(home, "导演", send("做到一半了。"), look())
            seen = [state for _, state, _ in home.results(home.turn("导演")["id"])]
            expect("CLOS-06", "做到一半了。" in home.said("bot"), f"what it has said: {home.said('bot')}")
            expect_equal("END-44", (ended(home), seen), (RUNNING, ["ok", "ok"]), f"a message to {to} at level {level}")
        home, _ = at_work(folder_of(tmp_path, f"bots{level}"), level=level)
        hops(home, "导演", events.Call("create_direct", {"to": "文案"}))
        chat = int(home.results(home.turn("导演")["id"])[-1][2].split()[1])
        hops(home, "导演", send("看一下", session=chat))
        expect_equal("END-44", ended(home), RUNNING, f"a message to another Bot at level {level}")


def states(home: Evening) -> list[str]:
    """What became of each message that the director's newest turn has called for."""
    return [state for name, state, _ in home.results(home.turn("导演")["id"]) if name == "send_message"]


@proves("END-45")
def test_the_user_is_told_three_times_how_far_it_is(tmp_path: Path) -> None:
    for level in (3, 8):
        for to in (ROOM, "导演"):
            home, plan = at_work(folder_of(tmp_path, f"{level}{to}"), level=level, to=to)
            for number in range(5):
                hops(home, "导演", send(f"做到第{number + 1}步。"))
            expect_equal("END-45", states(home), ["ok"] * 3 + ["refused"] * 2, f"five notes to {to} at level {level}")
            expect(
                "END-45", "progress_limit" in home.results(home.turn("导演")["id"])[3][2], "the fourth names its error"
            )
            hops(home, "导演", text="做完了。")
            expect_equal("END-45", home.said("bot")[-1], "做完了。", "the closing words are none of them")
            tell(home, plan, "再来", to=to)
            hops(home, "导演", send("做到第1步。"))
            expect_equal("END-45", states(home), ["ok"], "the next segment counts anew")
        home, _ = at_work(folder_of(tmp_path, f"bots{level}"), level=level)
        hops(home, "导演", events.Call("create_direct", {"to": "文案"}))
        chat = int(home.results(home.turn("导演")["id"])[-1][2].split()[1])
        for number in range(5):
            hops(home, "导演", send(f"第{number + 1}件", session=chat))
        expect_equal("END-45", states(home), ["ok"] * 5, "five messages to another Bot")
        hops(home, "导演", send("都说了。"))
        expect_equal("END-45", states(home)[-1], "ok", "a first note to the user after that")


@proves("END-46")
def test_a_message_that_answers_one_is_no_note(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path)
    line = home.value("SELECT max(id) FROM messages WHERE author = 'user'")
    hops(home, "导演", send("第0句。", parent_id=line))
    expect_equal("MENT-10", states(home), ["ok"], "a first message, which names nobody")
    kinds: list[dict[str, Any]] = [{}, {"parent_id": line}, {}, {"parent_id": line}, {}, {"parent_id": line}, {}]
    for number, more in enumerate(kinds):
        hops(home, "导演", send(f"第{number + 1}句？", **more))
    expect_equal("END-46", states(home), ["ok"] * 7 + ["refused"], "notes, and answers to the user's line")
    parents = [parent for (parent,) in home.rows("SELECT parent FROM messages WHERE author = 'bot' ORDER BY id")]
    expect_equal("END-46", parents, [line, None, line, None, line, None, line], "what they answer")
    hops(home, "导演", send("引用一句", parent_id=999))
    expect_equal("END-46", states(home)[-1], "refused", "an answer to what was not said there")


def attached(home: Evening) -> list[str]:
    """The files that came with the newest message of a Bot."""
    message = home.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    return [path for (path,) in home.rows("SELECT path FROM message_files WHERE message = ? ORDER BY ord", message)]


@proves("END-47")
def test_files_that_nobody_has_seen_go_along_with_the_closing_words(tmp_path: Path) -> None:
    for level, along in ((3, True), (4, True), (5, False)):
        home = Evening(folder_of(tmp_path, level), bots=["导演"], rooms={ROOM: ["导演"]}, level=level)
        plan = home.opened("新品片", to=ROOM, tickets=[("海报", "导演")])
        home.say("@导演 做海报", to=ROOM, files=[(plan, 1)])
        hops(home, "导演", write("shown.png"))
        hops(home, "导演", send("先看这张。", files=["shown.png"]))
        hops(home, "导演", write("poster.png"), write("poster.png"), PAGE)
        hops(home, "导演", text="海报做好了。")
        wanted = ["poster.png", "page.md"] if along else []
        expect_equal("END-47", attached(home), wanted, f"files with the closing words at level {level}")
        stands = home.rows("SELECT status, stage FROM tickets")
        stood = ("to accept", "todo") if along else ("in progress", "in progress")
        expect_equal("END-47", stands, [stood], "the ticket, by what was shown before")
        expect_equal("END-47", home.value("SELECT count(*) FROM submissions"), 0, "what is handed in")
