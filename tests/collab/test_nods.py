"""What a Bot asks the user is read first: what only asks for a nod is no card, and its Bot goes on without it."""

import json
from pathlib import Path
from typing import Any

from evening import Evening, shell
from stopping import folder_of, stop

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

NODS = ("能开始下一步吗", "关键帧板做了一半，请确认", "第{n}版{t}可以接着做吗")
QUESTIONS = ("竖版还是横版？", "请给我视频平台的账号", "接口没有权限，怎么办？", "{t}用第{n}版还是第一版？")
NUMBERS, THINGS = ("三", "12"), ("海报", "teaser")


def asks(home: Evening, question: str, *, before: tuple[events.Call, ...] = (), **more: Any) -> None:
    """The director asks the user something, in one hop with other calls."""
    home.hop("导演", *before, events.Call("ask_user", {"question": question, **more}))


def at_it(folder: Path, *, level: int = 8, nod: bool | None = None) -> Evening:
    """A director at something done on the spot; what it asks is read as `nod`."""
    home = Evening(folder, bots=["导演"], level=level)
    home.nod = nod
    home.say("剪一版样片", to="导演", files="spot")
    return home


def at_work(folder: Path, *, level: int = 8, nod: bool | None = None) -> tuple[Evening, int]:
    """A director at work on a plan, and the number of it; what it asks is read as `nod`."""
    home = Evening(folder, bots=["导演"], level=level)
    home.nod = nod
    plan = home.opened("新品片", to="导演")
    home.say("改成竖版", to="导演", files=[plan])
    return home, plan


def stops(home: Evening, needs: str, **more: Any) -> None:
    """The director stops for something that the user is to give."""
    home.hop("导演", events.Call("end_turn", {"reason": "blocked", "needs_from_user": needs, **more}))


BOTH_WAYS = {"ask_user": asks, "end_turn": stops}


def notified(home: Evening) -> int:
    """How often the user was notified."""
    return int(home.value("SELECT count(*) FROM notifications"))


def cards(home: Evening) -> list[str]:
    """The questions that reached the user."""
    both = (
        "SELECT question FROM (SELECT message AS card, question FROM asks UNION ALL"
        " SELECT card, question FROM work_questions) ORDER BY card"
    )
    return [question for (question,) in home.rows(both)]


def reading(home: Evening) -> dict[str, Any]:
    """What the open reading of a question is given, with the number of its effect."""
    found = [each for each in home.engine.open_effects() if each.subject.startswith("Bot words:")]
    return {"effect": found[0].id, **found[0].body} if found else {}


@proves("READ-18")
def test_a_question_that_only_asks_for_a_nod_is_no_card(tmp_path: Path) -> None:
    for level, nods_shown in ((2, True), (3, False), (8, False)):
        for at, (frames, nod) in enumerate(((NODS, True), (QUESTIONS, False))):
            for number, frame in enumerate(frames):
                home = at_it(folder_of(tmp_path, f"{level}{at}{number}"), level=level, nod=nod)
                text = frame.format(n=NUMBERS[number % 2], t=THINGS[number % 2])
                asks(home, text)
                shown = [text] if nods_shown or not nod else []
                expect_equal("READ-18", cards(home), shown, f"cards after “{text}”, read as {nod=}, at level {level}")
                state = "waiting_ask" if shown else "running"
                expect_equal("READ-18", home.turn("导演")["state"], state, f"the turn after “{text}” at level {level}")
                result = home.results(home.turn("导演")["id"])[0]
                expect_equal("READ-18", result[1], "started" if shown else "refused", f"the call of “{text}”")
                expect_equal("READ-18", "asks_go_ahead" in result[2], not shown, f"what its Bot reads of “{text}”")


@proves("READ-18")
def test_what_nobody_has_read_is_asked_as_usual(tmp_path: Path) -> None:
    came: list[dict[str, Any]] = [{"failure": failure} for failure in ("timeout", "no model", "error", "closing")]
    came += [{"raw": raw} for raw in ("", "能", '{"nod": "yes"}', '{"nod": true')]
    for number, answer in enumerate((*came, {"raw": '{"nod": true}', "late": True})):
        home = at_it(folder_of(tmp_path, number))
        asks(home, NODS[0])
        expect_equal("READ-18", cards(home), [], "cards while the question is being read")
        home.now += 21_000 if answer.pop("late", False) else 0
        home.happens(events.Read, effect=reading(home)["effect"], **answer)
        expect_equal("READ-18", cards(home), [NODS[0]], f"cards once it could not be read: {answer}")
        home.happens(events.Answered, ask=1, words="可以")
        expect_equal("READ-18", home.turn("导演")["state"], "running", "the turn, once it is answered")


@proves("READ-18")
def test_a_question_is_read_with_its_options_and_what_it_answers_once(tmp_path: Path) -> None:
    home = at_it(tmp_path)
    asks(home, NODS[0], options=["可以", "先不"])
    given = reading(home)
    wanted = {"line": NODS[0], "options": ["可以", "先不"], "answers_to": ["剪一版样片"], "tools": []}
    expect_equal("READ-18", {key: given.get(key) for key in wanted}, wanted, "what the reading is given")
    home.happens(events.Read, effect=given["effect"], raw='{"nod": true}', cost=0.5, model="fast")
    asks(home, NODS[0], options=["可以", "先不"])
    expect_equal("READ-18", reading(home), {}, "readings of the same question again")
    expect_equal("ASK-23", cards(home), [NODS[0]], "cards, once it has been asked twice")
    booked = home.rows("SELECT category, purpose, session, amount FROM costs")
    expect_equal("READ-27", booked, [("organize", "reader", home.session("导演"), 0.5)], "what it cost")
    logged = home.value("SELECT body FROM work_events WHERE type = 'reader.answer' ORDER BY id DESC")
    expect("READ-27", '"subject": "Bot words"' in logged and '"read_by": "fast"' in logged, f"on record: {logged}")


def test_what_happens_while_a_question_is_read_counts(tmp_path: Path) -> None:
    heard = at_it(folder_of(tmp_path, "heard"))
    plan = heard.opened("新品片", to="导演")
    heard.say("改成竖版", to="导演", files=[plan])
    turn = heard.live("导演")[-1]["id"]
    heard.hop("导演", events.Call("ask_user", {"question": QUESTIONS[0]}), turn=turn)
    heard.say("就用横版", to="导演", files=[plan])
    heard.happens(events.Read, effect=reading(heard)["effect"], raw='{"nod": false}')
    expect_equal("TURN-09", [state for _, state, _ in heard.results(turn)], ["postponed"], "a question overtaken")
    expect("TURN-09", "就用横版" in heard.context(turn), "what the user has said is read first")

    stopped = at_it(folder_of(tmp_path, "stopped"))
    asks(stopped, QUESTIONS[0])
    effect = reading(stopped)["effect"]
    stop(stopped, "导演")
    stopped.happens(events.Read, effect=effect, raw='{"nod": false}')
    expect_equal("HOLD-15", cards(stopped), [], "cards of a segment that was stopped meanwhile")
    expect_equal("HOLD-13", stopped.turn("导演")["state"], "stopped", "that segment")

    cut = at_it(folder_of(tmp_path, "cut"))
    asks(cut, QUESTIONS[0], before=(shell("render a"),))
    cut.crash()
    expect_equal("TURN-21", cut.turn("导演")["state"], "running", "a segment whose question was being read")
    cut.happens(events.Read, effect=reading(cut)["effect"], raw='{"nod": false}')
    expect_equal("READ-18", len(cards(cut)), 1, "cards, once it is read after all")


@proves("ASK-20")
def test_what_only_asks_for_a_nod_is_neither_shown_nor_notified(tmp_path: Path) -> None:
    for way, put in BOTH_WAYS.items():
        for at, (frames, nod) in enumerate(((NODS, True), (QUESTIONS, False))):
            for number, frame in enumerate(frames):
                home, _ = at_work(folder_of(tmp_path, f"{way}{at}{number}"))
                text = frame.format(n=NUMBERS[number % 2], t=THINGS[number % 2])
                put(home, text)
                expect_equal("END-02", home.turn("导演")["state"], "running", "the turn while it is read")
                given = reading(home)
                expect_equal("ASK-20", given.get("line"), text, f"what is read before it is asked by {way}")
                expect_equal("ASK-20", cards(home), [], "cards before it is read")
                home.happens(events.Read, effect=given["effect"], raw=json.dumps({"nod": nod}))
                expect_equal("ASK-20", cards(home), [] if nod else [text], f"cards after “{text}” by {way}")
                expect_equal("ASK-20", notified(home) > 0, not nod and way == "end_turn", "whether it is notified")
                ended = "waiting_ask" if way == "ask_user" else "completed"
                state = "running" if nod else ended
                expect_equal("ASK-20", home.turn("导演")["state"], state, f"the turn after “{text}” by {way}")
        below, _ = at_work(folder_of(tmp_path, f"{way}below"), level=2, nod=True)
        put(below, NODS[0])
        expect_equal("ASK-20", below.turn("导演")["state"] != "running", True, f"below level 3 it stands ({way})")


@proves("ASK-21")
def test_a_refused_ending_costs_a_bounce_and_a_refused_question_is_on_record(tmp_path: Path) -> None:
    for way, put in BOTH_WAYS.items():
        home, _ = at_work(folder_of(tmp_path, way), nod=True)
        put(home, NODS[0])
        turn = home.turn("导演")
        expect_equal("ASK-20", turn["state"], "running", f"the turn after {way}")
        _, state, said = home.results(turn["id"])[0]
        expect_equal("ASK-21", state, "refused", f"the call of {way}")
        expect("ASK-21", said.startswith("asks_go_ahead"), f"its code: {said}")
        logged = home.rows("SELECT type FROM work_events WHERE type IN ('ending.bounced', 'ask.go_ahead_refused')")
        wanted = {"end_turn": ("ending.bounced",), "ask_user": ("ask.go_ahead_refused",)}
        expect_equal("ASK-21", logged, [wanted[way]], f"what is on record of {way}")
        expect_equal("ASK-21", turn["bounces"], int(way == "end_turn"), f"bounces that {way} costs")


@proves("ASK-22")
def test_who_is_sent_back_for_a_nod_is_told_the_way_on(tmp_path: Path) -> None:
    for way, put in BOTH_WAYS.items():
        home, _ = at_work(folder_of(tmp_path, way), nod=True)
        put(home, NODS[0])
        _, state, said = home.results(home.turn("导演")["id"])[0]
        expect_equal("ASK-20", state, "refused", f"the call of {way}")
        for part in (
            "The wish has been stated",
            "do not stop for a nod or a viewing, go on",
            "when it is delivered",
            "can stop you at any time",
            "an account, a permission, what nobody else knows",
            "a choice between options",
            "say which, and then stop",
        ):
            expect("ASK-22", part in " ".join(said.split()), f"{part!r} in {said!r}")


@proves("ASK-23")
def test_a_second_question_of_a_segment_goes_to_the_user_unread(tmp_path: Path) -> None:
    for first, second in (("ask_user", "end_turn"), ("end_turn", "ask_user"), ("ask_user", "ask_user")):
        home, plan = at_work(folder_of(tmp_path, f"{first}{second}"), nod=True)
        BOTH_WAYS[first](home, NODS[0])
        expect_equal("ASK-20", cards(home), [], "cards of the first")
        read = home.value("SELECT count(*) FROM effects WHERE kind = 'read'")
        BOTH_WAYS[second](home, NODS[1])
        expect_equal("ASK-23", cards(home), [NODS[1]], f"cards of the second: {first}, then {second}")
        again = home.value("SELECT count(*) FROM effects WHERE kind = 'read'")
        expect_equal("ASK-23", again, read, "readings that the second takes")
        if second == "end_turn":
            home.say("接着做", to="导演", files=[plan])
            stops(home, NODS[1])
            expect_equal("ASK-23", home.turn("导演")["state"], "running", "the next segment is sent back again")


@proves("ASK-24")
def test_with_the_bounces_used_up_the_question_goes_to_the_user(tmp_path: Path) -> None:
    for way, put in BOTH_WAYS.items():
        for used in (1, 2):
            home, plan = at_work(folder_of(tmp_path, f"{way}{used}"), nod=True)
            home.say("再加一句旁白", to="导演", files=[plan])
            home.hop("导演", events.Call("read_file", {"path": "a.md"}))
            for _ in range(used):
                home.hop("导演", events.Call("end_turn", {"reason": "done"}))
            item = home.value("SELECT max(id) FROM inbox_items")
            expect_equal("END-32", home.turn("导演")["bounces"], used, "bounces before the question")
            more = {"inbox": [{"id": item, "state": "done"}]} if way == "end_turn" else {}
            put(home, NODS[0], **more)
            rule = "ASK-24" if used == 2 else "ASK-25"
            expect_equal(rule, cards(home), [NODS[0]] if used == 2 else [], f"cards of {way} after {used}")
            turn = home.turn("导演")
            stopped = {"ask_user": ("waiting_ask", None), "end_turn": ("completed", "blocked")}
            wanted = stopped[way] if used == 2 else ("running", None)
            expect_equal("ASK-24", (turn["state"], turn["end_reason"]), wanted, f"the turn of {way} after {used}")


@proves("ASK-25")
def test_what_could_not_be_read_goes_to_the_user(tmp_path: Path) -> None:
    came: list[dict[str, Any]] = [{"failure": failure} for failure in ("no model", "error", "timeout")]
    came += [{"raw": raw} for raw in ("", "能", '{"nod": true')]
    for way, put in BOTH_WAYS.items():
        for number, answer in enumerate(came):
            home, _ = at_work(folder_of(tmp_path, f"{way}{number}"))
            put(home, NODS[0])
            home.happens(events.Read, effect=reading(home)["effect"], **answer)
            expect_equal("ASK-25", cards(home), [NODS[0]], f"cards of {way}, unread: {answer}")
