"""What Bots say to each other hands work on, but asks for nothing and completes nothing by itself."""

from pathlib import Path

from evening import Evening
from stopping import ROOM, folder_of, is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def chat_of(home: Evening, *, collaboration: bool = False) -> int:
    """The director, in a turn of its own, opens a chat with the copywriter; returns it."""
    home.say("排一下镜头", to="导演")
    expect_equal("HAND-02", len(home.turns("导演")), 1, "turns that a line of the user opens")
    home.hop("导演", events.Call("create_direct", {"to": "文案"}))
    chat = int(home.value("SELECT max(id) FROM sessions"))
    home.sql("UPDATE sessions SET collaboration = ? WHERE id = ?", int(collaboration), chat)
    return chat


@proves("MENT-19")
def test_from_level_3_speech_wakes_nobody_in_a_chat_made_for_a_delegation(tmp_path: Path) -> None:
    for level, wakes in ((2, 1), (3, 0), (8, 0)):
        for text in ("谢谢，这版可以", "@文案 写三句宣传语"):
            folder = folder_of(tmp_path, f"{level}{text}")
            home = Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
            chat = chat_of(home, collaboration=True)
            home.hop("导演", events.Call("send_message", {"text": text, "session": chat}))
            expect_equal("MENT-19", len(home.turns("文案")), wakes, f"turns that “{text}” opens there at level {level}")
            if level >= 3:
                said = {"text": "@文案 写三句宣传语", "session": home.session(ROOM)}
                home.hop("导演", events.Call("send_message", said))
                for rule in ("PART-01", "MENT-19"):
                    expect_equal(rule, len(home.turns("文案")), 1, f"turns that a mention in a group opens at {level}")


@proves("HAND-03")
def test_a_line_between_bots_is_no_request(tmp_path: Path) -> None:
    for level in (3, 8):
        home = Evening(folder_of(tmp_path, level), bots=["导演", "文案"], level=level)
        chat = chat_of(home)
        home.hop("导演", events.Call("send_message", {"text": "帮我看看这版", "session": chat}))
        turn, works = home.turn("导演"), home.rows("SELECT id, state FROM work_items ORDER BY id")
        expect_equal("HAND-03", len(home.turns("文案")), 1, "turns that the line opens")
        expect_equal("HAND-03", home.value("SELECT count(*) FROM delegations"), 0, "requests on record")
        expect_equal("HAND-03", home.value("SELECT count(*) FROM waits"), 0, "waits")
        expect_equal("HAND-03", {state for _, state in works}, {"running"}, "the work of both: nobody waits")
        expect_equal("HAND-03", home.rows("SELECT DISTINCT kind FROM inbox_items"), [("line",)], "what they have got")
        request = (
            "INSERT INTO delegations (from_item, to_item, turn, session, ask, expects, at)"
            " VALUES (?, ?, ?, ?, '看看', 'answer', 1)"
        )
        made = is_taken(home, request, works[0][0], works[1][0], turn["id"], chat)
        expect_equal("HAND-03", made, False, "a request made of a mere line, for the store")
        home.hop("文案", events.Call("end_turn", {"reason": "nothing_new"}))
        expect_equal("HAND-03", home.turn("文案")["state"], "completed", "how the other may end")
        home.hop("导演", text="请它看了")
        ended = home.value("SELECT state FROM work_items WHERE id = ?", works[0][0])
        expect_equal("HAND-03", ended, "closed", "the work of the one who asked: it owes and waits for nothing")


@proves("HAND-04")
def test_saying_that_it_is_done_completes_nothing(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]})
    plan = home.opened("新品片", to=ROOM, tickets=[("海报", "文案")])
    home.say("@文案 做海报", to=ROOM, files=[plan])
    turn = home.turn("文案")["id"]
    home.hop("文案", events.Call("work_on", {"plan": plan, "ticket": 1}))
    before, status = home.rows("SELECT * FROM tickets"), home.value("SELECT status FROM tickets")
    for call in ({"text": "海报做好了"}, {"text": "海报已交付，请验收", "files": ["poster.png"]}):
        home.hop("文案", events.Call("send_message", call))
    expect_equal("HAND-04", len(home.said("bot")), 2, "lines in which it says so")
    expect_equal("HAND-04", home.rows("SELECT * FROM tickets"), before, "the ticket")
    expect_equal("HAND-04", home.value("SELECT count(*) FROM submissions"), 0, "what is handed in")
    hand_in = "INSERT INTO submissions (ticket, turn, origin, at) VALUES (1, ?, 'submit', 1)"
    expect_equal("HAND-04", is_taken(home, hand_in, turn), False, "a submission of that turn, for the store")
    home.hop("文案", text="海报交付了。")
    expect_equal("HAND-04", home.value("SELECT count(*) FROM submissions"), 0, "what is handed in at the end")
    expect_equal("HAND-04", home.rows("SELECT status FROM tickets"), [(status,)], "the ticket at the end")
    home.sql(
        "INSERT INTO calls (turn, hop, ord, name, arguments, effectful, state)"
        " VALUES (?, 9, 0, 'submit', '{}', 1, 'ok')",
        turn,
    )
    expect("HAND-04", is_taken(home, hand_in, turn), "a submission that a submit call made is taken")
