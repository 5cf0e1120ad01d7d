"""Work questions: what only the user can give is asked where the user is, answered once, and its work goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from evening import Evening, write
from requests_over_http import WAYS, Client
from stopping import folder_of, hold, is_taken, lift

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, notifications, work_questions
from threadrebuild.collab.change import Change, Conflict, Missing

ROOM = "剪辑组"
NEEDS = "请给我视频平台的账号"
ANSWER = "账号是 whale@example.com"


def blocked(home: Evening, bot: str = "导演", needed: str = NEEDS) -> int:
    """A Bot ends its segment as blocked; returns the card's message, 0 where there is none."""
    home.hop(bot, events.Call("end_turn", {"reason": "blocked", "needs_from_user": needed}))
    return int(home.value("SELECT max(card) FROM work_questions") or 0)


def house(folder: Path, *, level: int = 8, opened: str = "导演") -> Evening:
    """A director and a copywriter, who have a group, and a plan that the director has begun where it was opened."""
    home = Evening(folder, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]}, level=level)
    home.opened("新品片", to=opened, tickets=[("样片", "导演")])
    if opened == ROOM:
        home.say("@导演 开工", to=ROOM, files=[1])
        home.hop("导演", text="样片在做。")
    return home


def asked(folder: Path, *, level: int = 8) -> tuple[Evening, int]:
    """A director that was at work on that in its direct chat, and waits for the user: evening, card."""
    home = house(folder, level=level)
    home.say("发到平台上", to="导演", files=[(1, 1)])
    home.hop("导演", write("a.md"))
    return home, blocked(home)


def answer(home: Evening, card: int, body: str = ANSWER) -> None:
    """The user answers on a card."""
    home.happens(events.WorkAnswered, message=card, body=body)


def refusal(home: Evening, card: int) -> str | None:
    """Why an answer on a card is refused; None where it is taken."""
    before = home.rows("SELECT answer, answered_by, superseded_at FROM work_questions")
    try:
        answer(home, card)
    except Conflict as conflict:
        assert home.rows("SELECT answer, answered_by, superseded_at FROM work_questions") == before
        return conflict.code
    return None


def stands_open(home: Evening, card: int) -> None:
    """Nothing is in the way of an answer."""
    why = work_questions.shown(home.db, card, home.now)["refused"]
    expect("ASK-12", why != "already_answered", "it is not answered")
    expect("ASK-17", why != "superseded", "it is not superseded")
    expect_equal("ASK-16", why, None, "why an answer would be refused")


def work_of(home: Evening, card: int) -> tuple[object, ...]:
    """How the work of a card stands: its state, and whom it waits for."""
    sql = "SELECT w.state, w.waiting_on FROM work_items w JOIN work_questions q ON q.work_item = w.id WHERE q.card = ?"
    return home.rows(sql, card)[0]


def told(home: Evening, card: int) -> list[tuple[object, ...]]:
    """The notifications that go with a card."""
    return home.rows("SELECT kind, state, reason FROM notifications WHERE message = ? ORDER BY id", card)


@proves("ASK-07")
def test_blocked_leaves_a_card_tied_to_its_work_and_the_answer_queues_that_again(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    turn = home.turn("导演")
    expect_equal("ASK-11", home.value("SELECT count(*) FROM work_questions"), 1, "cards of the first question")
    expect_equal("ASK-07", (turn["state"], turn["end_reason"]), ("completed", "blocked"), "the segment")
    control = home.value(
        "SELECT control ->> 'kind' || ' ' || (control ->> 'work_item') || ' ' || (control ->> 'plan') || ' '"
        " || (control ->> 'ticket') FROM messages WHERE id = ?",
        card,
    )
    expect_equal("ASK-07", control, f"work_question {turn['work_item']} 1 1", "what the card is tied to")
    answer(home, card)
    again = home.turn("导演")
    expect("ASK-07", again["id"] != turn["id"], "the answer opens another segment")
    expect_equal("ASK-07", again["work_item"], turn["work_item"], "the work of the segment that the answer opens")


@proves("ASK-08")
def test_the_card_is_where_the_user_is(tmp_path: Path) -> None:
    def archived(home: Evening, title: str) -> None:
        home.sql("UPDATE sessions SET state = 'archived' WHERE title = ?", title)

    def in_chat(home: Evening) -> None:
        """The segment asks in a chat of two Bots, and its work was there last too."""
        home.sql(
            "INSERT INTO sessions (kind, title, opened_by, source) VALUES ('bots', '导演 ↔ 文案', 1, ?)",
            home.session(ROOM),
        )
        chat = home.session("导演 ↔ 文案")
        home.sql("UPDATE turns SET session = ?", chat)
        home.sql("UPDATE work_items SET session = ?", chat)

    def said_in_group(home: Evening) -> None:
        in_chat(home)
        home.sql("UPDATE plans SET session = (SELECT id FROM sessions WHERE title = '文案')")

    def never_said(home: Evening) -> None:
        in_chat(home)
        home.sql("DELETE FROM message_filings")

    def work_in_group(home: Evening) -> None:
        never_said(home)
        home.sql("UPDATE work_items SET session = ?", home.session(ROOM))
        home.sql("UPDATE plans SET session = (SELECT id FROM sessions WHERE title = '文案')")

    def nowhere(home: Evening) -> None:
        never_said(home)
        home.sql("UPDATE plans SET session = NULL")

    def group_archived(home: Evening) -> None:
        never_said(home)
        archived(home, ROOM)

    def talk_in_group(home: Evening) -> None:
        """The user spoke of it in the group last, and it was worked on there, beside the segment that asks."""
        home.sql("UPDATE messages SET session = ? WHERE author = 'user'", home.session(ROOM))
        home.sql("UPDATE work_items SET session = ?", home.session(ROOM))

    cases: dict[str, tuple[str, Callable[[Evening], None], str]] = {
        "asked where the user is, last said in the group": ("导演", talk_in_group, "导演"),
        "asked where the user is": ("导演", lambda home: None, "导演"),
        "asked there, which is archived": ("导演", lambda home: archived(home, "导演"), ROOM),
        "asked in a chat, last said in the direct chat": ("导演", in_chat, "导演"),
        "asked in a chat, last said in the group": (ROOM, said_in_group, ROOM),
        "asked in a chat, never said, work in the group": ("导演", work_in_group, ROOM),
        "asked in a chat, never said, plan of the group": ("导演", never_said, ROOM),
        "asked in a chat, plan of an archived group": ("导演", group_archived, "导演"),
        "asked in a chat, plan of nowhere": (ROOM, nowhere, "导演"),
    }
    for name, (where, happens, wanted) in cases.items():
        home = house(folder_of(tmp_path, name), opened=ROOM)
        home.say("@导演 发到平台上", to=where, files=[1])
        happens(home)
        card = blocked(home)
        place = home.value("SELECT s.title FROM messages m JOIN sessions s ON s.id = m.session WHERE m.id = ?", card)
        expect_equal("ASK-08", place, wanted, f"where the card is, {name}")


@proves("ASK-09")
def test_a_card_is_of_its_bot_and_comes_with_a_notification(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    row = home.rows("SELECT author, bot, text, control ->> 'kind' FROM messages WHERE id = ?", card)[0]
    expect_equal("ASK-09", row, ("bot", home.bot("导演"), NEEDS, "work_question"), "the card")
    expect_equal("ASK-09", told(home, card), [("work_question", "open", None)], "notifications of it")
    seen = home.rows("SELECT session, bot, text FROM notifications WHERE message = ?", card)
    expect_equal("ASK-09", seen, [(home.session("导演"), home.bot("导演"), NEEDS)], "where it leads, and what it says")


@proves("ASK-10")
def test_the_work_is_blocked_and_waits_on_the_user(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    expect_equal("ASK-10", work_of(home, card), ("blocked", '{"kind": "user"}'), "the work")
    home.later(24 * 60)
    expect_equal("ASK-10", len(home.turns("导演")), 1, "segments a day later")
    answer(home, card)
    expect_equal("ASK-10", work_of(home, card), ("running", None), "the work once it is answered")


@proves("ASK-11")
def test_the_same_question_of_a_segment_is_one_card(tmp_path: Path) -> None:
    home, _ = asked(tmp_path)
    turn = home.turn("导演")
    for question, wanted in ((NEEDS, 1), ("还要平台的密码", 2)):
        with home.db.transaction():
            change = Change(home.db, home.value("SELECT max(seq) FROM events"), home.now, 8)
            try:
                work_questions.ask(change, turn, question)
            except Exception as error:
                expect("ASK-11", False, f"the question again: {error!r}")
        expect_equal("ASK-11", home.value("SELECT count(*) FROM work_questions"), wanted, f"cards after “{question}”")
        expect_equal("ASK-11", home.value("SELECT count(*) FROM notifications"), wanted, "notifications")
    row = "INSERT INTO work_questions (card, turn, asked_in, work_item, question) VALUES (?, ?, 1, ?, ?)"
    expect("ASK-11", not is_taken(home, row, 900, turn["id"], turn["work_item"], NEEDS), "a second row is refused")
    expect("ASK-11", is_taken(home, row, 901, turn["id"], turn["work_item"], "别的"), "one of another question is not")


@proves("ASK-12")
def test_the_route_takes_the_words_once_at_home_and_away(tmp_path: Path) -> None:
    for away in WAYS:
        home, card = asked(folder_of(tmp_path, away))
        stands_open(home, card)
        client = Client(home, away=away)
        path = f"messages/{card}/work-answer"
        first = client("POST", path, key="r1", body=ANSWER)
        expect_equal("ASK-12", first.status, 200, f"the answer is taken ({away=}): {first.said}")
        expect_equal("ASK-12", first.said["answer"], ANSWER, "what the card says then")
        taken = home.rows("SELECT text FROM inbox_items WHERE author = 'user' AND text = ?", ANSWER)
        expect_equal("ASK-13", taken, [(ANSWER,)], "the line in the inbox after the first request")
        again = client("POST", path, key="r1", body=ANSWER)
        expect_equal("ASK-12", (again.status, again.said), (200, first.said), "the same request again")
        expect_equal("ASK-12", len(home.turns("导演")), 2, "segments after a resend")
        other = client("POST", path, key="r2", body="另一个账号")
        expect_equal("ASK-12", (other.status, other.error), (409, "already_answered"), "another request")
        copies = home.rows("SELECT text FROM inbox_items WHERE author = 'user' AND text IN (?, '另一个账号')", ANSWER)
        expect_equal("ASK-12", copies, [(ANSWER,)], "lines in the inbox")
        empty = client("POST", path, key="r3", body="  ")
        assert empty.status == 422
        assert client("POST", "messages/99999/work-answer", key="r4", body="？").status == 404
    set_again = "UPDATE work_questions SET answer = '换一个' WHERE card = ?"
    expect("ASK-12", not is_taken(home, set_again, card), "the store refuses another answer")


@proves("ASK-13")
def test_the_answer_is_a_line_of_the_user_in_that_work_and_kept_as_a_quote(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    home.say("@文案 写句话", to=ROOM, files=[1])
    expect_equal("ASK-09", told(home, card), [("work_question", "open", None)], "its notification, before")
    answer(home, card)
    item = home.rows("SELECT kind, author, text, prio, work_item FROM inbox_items ORDER BY id DESC LIMIT 1")[0]
    work_item = home.value("SELECT work_item FROM work_questions")
    expect_equal("ASK-13", item, ("line", "user", ANSWER, 1, work_item), "what is in the inbox")
    expect_equal("ASK-13", len(home.live("导演")), 1, "segments at once")
    expect("ASK-13", f"user: {ANSWER}" in home.context(home.turn("导演")["id"]), "the Bot reads it as the user's")
    quote = home.rows(
        "SELECT q.source, q.text, f.plan, f.ticket FROM quotes q JOIN quote_filings f ON f.quote = q.id"
        " WHERE q.source = 'answer'"
    )
    expect_equal("ASK-13", quote, [("answer", ANSWER, 1, 1)], "the user's words that are kept")
    stands = home.rows("SELECT answer, answered_at FROM work_questions")
    expect_equal("ASK-13", stands, [(ANSWER, home.now)], "what the card records")
    expect_equal("ASK-13", told(home, card), [("work_question", "resolved", None)], "its notification")
    busy, other = asked(folder_of(tmp_path, "busy"))
    for name in ("海报", "片尾"):
        plan = busy.opened(name, to="导演")
        busy.say("开工", to="导演", files=[plan])
    later = busy.opened("花絮", to="导演")
    busy.sql("INSERT INTO work_items (bot, plan, session, state, queued_seq) VALUES (1, ?, 1, 'queued', 1)", later)
    busy.sql(
        "INSERT INTO inbox_items (work_item, kind, author, text, prio, seq)"
        " SELECT max(id), 'check_back', 'app', '回看', 4, 1 FROM work_items"
    )
    answer(busy, other)
    busy.hop("导演", text="好了。", plan=2)
    expect_equal("ASK-13", {turn["plan"] for turn in busy.live("导演")}, {1, 3}, "what goes on first")


@proves("ASK-14")
def test_under_a_kept_hold_the_answer_is_saved_and_waits_for_the_lift(tmp_path: Path) -> None:
    for scope, over in (("plan", {"plan": 1}), ("session", {"session": "导演"}), ("everything", {})):
        home, card = asked(folder_of(tmp_path, scope))
        hold(home, scope, void=True, **over)
        answer(home, card)
        expect_equal("ASK-14", home.value("SELECT answer FROM work_questions"), ANSWER, f"saved under {scope}")
        expect_equal("ASK-14", home.value("SELECT count(*) FROM quotes WHERE source = 'answer'"), 1, "kept as a quote")
        expect_equal("ASK-14", len(home.turns("导演")), 1, f"segments under {scope}")
        state = home.value("SELECT state FROM inbox_items WHERE text = ?", ANSWER)
        expect_equal("ASK-14", state, "held", f"the line under {scope}")
        expect_equal("ASK-14", home.value("SELECT lifted_by FROM holds"), None, f"the hold {scope}")
        lift(home, 1)
        expect_equal("ASK-14", len(home.turns("导演")), 2, f"segments after the lift of {scope}")
        expect("ASK-14", ANSWER in home.context(home.turn("导演")["id"]), "what is read then")


@proves("ASK-15")
def test_an_ordinary_hold_ends_with_the_answer(tmp_path: Path) -> None:
    for scope, over in (
        ("plan", {"plan": 1}),
        ("bot_in_plan", {"bot": "导演", "plan": 1}),
        ("session", {"session": "导演"}),
        ("everything", {}),
    ):
        home, card = asked(folder_of(tmp_path, scope))
        hold(home, scope, **over)
        hold(home, "bot", bot="文案")
        answer(home, card)
        lifted = home.rows("SELECT lifted_by IS NOT NULL FROM holds ORDER BY id")
        expect_equal("ASK-15", lifted, [(1,), (0,)], f"the hold {scope} over it, and another Bot's")
        expect_equal("ASK-15", len(home.live("导演")), 1, f"segments after the answer under {scope}")
    home, card = asked(folder_of(tmp_path, "asked elsewhere"))
    home.sql("UPDATE work_items SET session = ?", home.session(ROOM))
    hold(home, "session", session="导演")
    answer(home, card)
    expect_equal("ASK-15", home.rows("SELECT 1 FROM holds WHERE lifted_by IS NULL"), [], "over where it was asked")


@proves("ASK-16")
def test_a_card_that_cannot_go_on_refuses(tmp_path: Path) -> None:
    def newer(home: Evening) -> None:
        home.sql(
            "INSERT INTO work_questions (card, turn, asked_in, work_item, question)"
            " SELECT 900, NULL, asked_in, work_item, '还要密码' FROM work_questions"
        )

    def not_over(home: Evening) -> None:
        """An older version asks before the segment ends."""
        home.say("再发一次", to="文案", files=[1])
        home.sql("UPDATE work_questions SET turn = ?", home.live("文案")[0]["id"])

    cases: dict[str, Callable[[Evening], None]] = {
        "newer_question": newer,
        "not_over": not_over,
        "work_closed": lambda home: home.sql("UPDATE work_items SET state = 'closed'"),
        "bot_archived": lambda home: home.sql("UPDATE bots SET state = 'archived' WHERE name = '导演'"),
        "conversation_archived": lambda home: home.sql("UPDATE sessions SET state = 'archived' WHERE title = '导演'"),
        "conversation_cleared": lambda home: home.happens(events.SessionCleared, session=home.session("导演")),
    }
    for code, happens in cases.items():
        home, card = asked(folder_of(tmp_path, code))
        stands_open(home, card)
        happens(home)
        before = home.value("SELECT count(*) FROM inbox_items")
        expect_equal("ASK-16", refusal(home, card), code, f"the answer, where {code}")
        expect_equal("ASK-16", home.value("SELECT count(*) FROM inbox_items"), before, f"what is queued, where {code}")
        status = Client(home)("POST", f"messages/{card}/work-answer", key="r", body=ANSWER).status
        expect_equal("ASK-16", status, 409, f"the status, where {code}")
    home, card = asked(folder_of(tmp_path, "open"))
    expect_equal("ASK-16", refusal(home, card), None, "where nothing is in the way")


@proves("ASK-17")
def test_what_goes_on_without_the_answer_takes_none_any_more(tmp_path: Path) -> None:
    def another_segment(home: Evening) -> None:
        home.say("先别发了，改字幕", to="导演", files=[(1, 1)])
        expect_equal("ASK-17", home.rows("SELECT superseded_at FROM work_questions"), [(None,)], "while it is at work")
        home.hop("导演", text="改好了。")

    def newer(home: Evening) -> None:
        home.say("那用备用平台", to="导演", files=[(1, 1)])
        blocked(home, needed="备用平台也要账号")

    cases: dict[str, Callable[[Evening], None]] = {
        "a segment woken by another line ends": another_segment,
        "a newer question": newer,
        "its work is closed": lambda home: home.happens(events.BotRetired, bot=home.bot("导演"), state="archived"),
    }
    for name, happens in cases.items():
        home, card = asked(folder_of(tmp_path, name))
        stands_open(home, card)
        expect_equal("ASK-17", notifications.unread(home.db), 1, "the badge before")
        happens(home)
        stamped = home.value("SELECT superseded_at FROM work_questions WHERE card = ?", card)
        expect("ASK-17", stamped is not None, f"stamped, where {name}")
        expect_equal("ASK-17", told(home, card), [("work_question", "voided", "superseded")], f"where {name}")
        left = home.value("SELECT count(*) FROM notifications WHERE state = 'open' AND message = ?", card)
        expect_equal("ASK-17", left, 0, "of it in the badge")
        expect("ASK-17", refusal(home, card) is not None, f"an answer is refused, where {name}")
        set_now = "UPDATE work_questions SET answer = 'x', answered_by = 1, answered_at = 1 WHERE card = ?"
        expect("ASK-17", not is_taken(home, set_now, card), f"the store refuses it too, where {name}")
    for name, ticket, wanted in (("the whole plan", None, True), ("another ticket", 2, False)):
        home = house(folder_of(tmp_path, name))
        home.sql("INSERT INTO tickets (plan, number, title, folder, owner, at) VALUES (1, 2, '片尾', 'x', 1, 1)")
        home.say("发到平台上", to="导演", files=[(1, 1)])
        card = blocked(home)
        home.say("先做别的", to="导演", files=[(1, ticket)])
        home.hop("导演", text="做好了。")
        stamped = home.value("SELECT superseded_at FROM work_questions WHERE card = ?", card)
        expect_equal("ASK-17", stamped is not None, wanted, f"stamped by a segment on {name}")
    home, card = asked(folder_of(tmp_path, "stamped only"))
    home.sql("UPDATE work_questions SET superseded_at = 1")
    expect_equal("ASK-17", refusal(home, card), "superseded", "an answer on a card that is stamped")


@proves("ASK-18")
def test_cards_that_an_older_version_left_are_stamped_at_the_start_and_answered_ones_never(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    home.crash()
    expect_equal("ASK-18", home.rows("SELECT superseded_at FROM work_questions"), [(None,)], "one that still waits")
    home.say("改字幕", to="导演", files=[(1, 1)])
    home.hop("导演", text="改好了。")
    expect("ASK-17", home.value("SELECT superseded_at FROM work_questions") is not None, "once its work went on")
    home.sql("UPDATE work_questions SET superseded_at = NULL")
    home.sql("UPDATE notifications SET state = 'open', reason = NULL")
    home.crash()
    expect_equal(
        "ASK-18", home.rows("SELECT superseded_at FROM work_questions"), [(home.now,)], "one whose work went on"
    )
    expect_equal("ASK-18", told(home, card), [("work_question", "voided", "superseded")], "its notification")
    other, asked_there = asked(folder_of(tmp_path, "answered"))
    answer(other, asked_there)
    other.hop("导演", text="发好了。")
    other.crash()
    stands = other.rows("SELECT answer, superseded_at FROM work_questions")
    expect_equal("ASK-18", stands, [(ANSWER, None)], "one that was answered, after its work went on")
    expect_equal("ASK-18", told(other, asked_there), [("work_question", "resolved", None)], "its notification")
    stamp = "UPDATE work_questions SET superseded_at = 1 WHERE card = ?"
    expect("ASK-18", not is_taken(other, stamp, asked_there), "the store stamps no answered card")


@proves("ASK-19", "END-38")
def test_below_level_four_there_is_a_line_and_no_card(tmp_path: Path) -> None:
    for level, cards in ((3, 0), (4, 1)):
        home = house(folder_of(tmp_path, level), level=level)
        home.say("发到平台上", to="导演", files=[(1, 1)])
        blocked(home)
        expect_equal("ASK-19", home.value("SELECT count(*) FROM work_questions"), cards, f"cards at level {level}")
        lines = [text for text in home.said() if NEEDS in text]
        expect_equal("ASK-19", len(lines), 1 - cards, f"lines of the application at level {level}")
        row = "INSERT INTO work_questions (card, asked_in, work_item, question) VALUES (900, 1, 1, 'x')"
        expect_equal("ASK-19", is_taken(home, row), bool(cards), f"whether the store takes a card at level {level}")


def test_no_words_are_no_answer_and_what_is_no_card_takes_none(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    with pytest.raises(ValueError, match="words"):
        answer(home, card, " ")
    with pytest.raises(Missing, match="no work question"):
        answer(home, 1)


def test_the_words_of_a_card_go_with_the_conversation(tmp_path: Path) -> None:
    home, card = asked(tmp_path)
    answer(home, card)
    home.happens(events.SessionCleared, session=home.session("导演"))
    assert home.rows("SELECT question, answer FROM work_questions") == [("", "")]
