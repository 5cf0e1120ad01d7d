"""The closing check: what a Bot says to the user is looked at once before it is sent; what it finds it only tells."""

import re
from pathlib import Path
from typing import Any

import pytest
from checking import ran, running
from ending import ROOM, at_desk, at_work, codes, end_turn, ended, hops, look, send, tell, told
from evening import Evening, shell, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, wordlist

PROMISE = {"going_on": "正在做片头"}
TESTED = {"tested": True}
NOTHING_MORE: dict[str, Any] = {}


def said(home: Evening) -> list[str]:
    """What the director has said."""
    return home.said("bot")


def sends(home: Evening, text: str, **more: Any) -> str:
    """The director sends a message; what it reads of that. Files are as they were when they were checked last."""
    hops(home, "导演", send(text, **more))
    as_before(home)
    return home.results(home.turn("导演")["id"])[-1][2]


def as_before(home: Evening) -> list[int]:
    """What is judged anew ends as it did the last time; the checks, in order."""
    judged = []
    while running(home):
        check = running(home)[0].body["check"]
        last = home.value("SELECT outcome FROM check_runs WHERE check_id = ? ORDER BY id DESC", check)
        judged.append(ran(home, last or "error"))
    return judged


def at_work_reading(folder: Path, words: dict[str, Any] | None, **more: Any) -> tuple[Evening, int]:
    """A director at work whose words are read to say this."""
    home, plan = at_work(folder, **more)
    home.words = words
    return home, plan


FROM_WORDS = {"written_by": "user", "item": "duration", "value": "120", "bound": "about"}


def answered(home: Evening, raw: str | None, failure: str | None = None) -> None:
    """The open reading of a Bot's words comes back."""
    effect = next(each for each in home.engine.open_effects() if each.body.get("reads") == "Bot words")
    home.happens(events.Read, effect=effect.id, raw=raw, failure=failure)


def checked(home: Evening, plan: int, *outcomes: str, kind: str = "file_exists", body: str = "{}", **more: Any) -> None:
    """An acceptance check of the plan, and what its runs came to, in order."""
    given = {"plan": plan, "kind": kind, "body": body, "written_by": "organizer", "at": 1, **more}
    home.sql(f"INSERT INTO checks ({', '.join(given)}) VALUES ({', '.join('?' for _ in given)})", *given.values())
    for outcome in outcomes:
        home.sql(
            "INSERT INTO check_runs (check_id, began_at, outcome, detail)"
            " SELECT max(id), 1, ?, 'of check ' || max(id) FROM checks",
            outcome,
        )


@proves("CLOS-01")
def test_it_looks_at_what_cites_a_file_or_goes_on_in_a_plan_with_the_user(tmp_path: Path) -> None:
    cases: tuple[tuple[str, dict[str, Any], str, tuple[str, ...], bool], ...] = (
        ("a promise", PROMISE, "正在做片头", (), True),
        ("a file, and a claim", TESTED, "样片在这，已测试", ("a.mp4",), True),
        ("a path that was written, and a claim", TESTED, "样片在 cut.mp4 里，已测试", (), True),
        ("a name that only ends like it", TESTED, "样片在 xcut.mp4 里，已测试", (), False),
        ("neither file nor promise", TESTED, "已测试", (), False),
        ("nothing", NOTHING_MORE, "样片在这", ("a.mp4",), False),
    )
    for number, (what, words, text, files, looked_at) in enumerate(cases):
        for level in (2, 8):
            home, _ = at_work_reading(tmp_path / f"{number}{level}", words, level=level)
            hops(home, "导演", write("cut.mp4"))
            back = sends(home, text, files=files)
            expect_equal("CLOS-01", said(home), [] if looked_at else [text], f"{what}, at level {level}: {back}")
    home = at_desk(tmp_path / "desk")
    home.words = PROMISE
    sends(home, "正在做片头")
    expect_equal("CLOS-01", said(home), ["正在做片头"], "said in no plan's work")
    home, _ = at_work_reading(tmp_path / "bots", PROMISE)
    hops(home, "导演", events.Call("create_direct", {"to": "文案"}))
    chat = home.value("SELECT id FROM sessions WHERE kind = 'bots'")
    sends(home, "正在做片头", session=chat)
    expect_equal("CLOS-01", said(home), ["正在做片头"], "said to another Bot")


@proves("CLOS-01")
def test_unread_the_fixed_words_tell_of_promises_and_claims(tmp_path: Path) -> None:
    for number, (text, files, back) in enumerate(
        (("正在编写第三集", (), True), ("样片好了，已测试", ("a.mp4",), True), ("样片好了", ("a.mp4",), False))
    ):
        home, _ = at_work_reading(tmp_path / str(number), None)
        sends(home, text, files=files)
        answered(home, None, "timeout")
        expect_equal("CLOS-01", said(home), [] if back else [text], f"“{text}”, which nobody has read")


def advice_is_no_ground(folder: Path) -> None:
    """What a model has only advised is no failed check."""
    claims, _ = at_work_reading(folder / "claims", TESTED)
    sends(claims, "样片在这，已测试", files=["a.mp4"])
    expect_equal("CLOS-01", said(claims), [], "a claim beside a file")
    home, plan = at_work_reading(folder / "advice", NOTHING_MORE)
    checked(home, plan, "failed")
    home.sql("UPDATE check_runs SET figures = ?", '{"advisory": true}')
    hops(home, "导演", send("样片在这", files=["a.mp4"]))
    while running(home):
        ran(home, "failed", advisory=True)
    expect_equal("CHK-19", said(home), ["样片在这"], "said over advice")


@proves("CLOS-02")
def test_a_delivery_that_fails_checks_is_sent_back_with_them(tmp_path: Path) -> None:
    command = '{"command": "make  check"}'
    cases: tuple[tuple[str, tuple[str, ...], dict[str, Any], bool], ...] = (
        ("one that failed last", ("passed", "failed"), {}, True),
        ("one that passed last", ("failed", "passed"), {}, False),
        ("one that told nothing", ("error",), {}, False),
        ("one that never ran", (), {}, False),
        ("one that was withdrawn", ("failed",), {"state": "deleted"}, False),
        ("one of the user's words that is not confirmed", ("failed",), {**FROM_WORDS, "state": "proposal"}, False),
        ("one of the user's words that is", ("failed",), {**FROM_WORDS, "confirmed_by": 1}, True),
        ("a command that failed last", ("failed",), {"kind": "command", "body": command}, True),
    )
    advice_is_no_ground(tmp_path / "advice")
    for number, (what, outcomes, more, back) in enumerate(cases):
        home, plan = at_work_reading(tmp_path / str(number), NOTHING_MORE)
        checked(home, plan, *outcomes, **more)
        told_ = sends(home, "样片在这", files=["a.mp4"])
        expect_equal("CLOS-02", said(home), [] if back else ["样片在这"], f"{what}: {told_}")
        if back:
            expect("CLOS-02", "Mend the deliverable, not the check, or say why it cannot be met" in told_, told_)
        else:
            continue
        other, plan = at_work_reading(tmp_path / f"{number}other", NOTHING_MORE)
        checked(other, plan, *outcomes, **more)
        sends(other, "样片好了")
        expect_equal("CLOS-02", said(other), ["样片好了"], f"{what}, where no file is cited")
    for ok in (True, False):
        home, plan = at_work_reading(tmp_path / f"ran{ok}", NOTHING_MORE)
        checked(home, plan, "failed", kind="command", body=command)
        home.hop("导演", shell("make check"), run=False)
        effect = next(each for each in home.engine.open_effects() if each.kind == "run_tool")
        home.happens(events.Ran, effect=effect.id, ok=ok, exit_code=0 if ok else 1)
        sends(home, "样片在这", files=["a.mp4"])
        expect_equal("CLOS-02", said(home), ["样片在这"] if ok else [], f"the same command has run here, {ok=}")
    for many in (2, 3, 4):
        home, plan = at_work_reading(tmp_path / f"many{many}", NOTHING_MORE)
        for _ in range(many):
            checked(home, plan, "failed")
        listed = re.findall(r"check \d+:", sends(home, "样片在这", files=["a.mp4"]))
        expect_equal("CLOS-02", len(listed), min(many, 3), f"checks listed of {many}")


@proves("CLOS-02")
def test_files_are_judged_anew_before_the_message_and_commands_by_their_last_run(tmp_path: Path) -> None:
    kinds: tuple[tuple[str, dict[str, Any], bool], ...] = (
        ("a file", {}, True),
        ("a text in a file", {"kind": "contains"}, True),
        ("a pattern in a file", {"kind": "matches"}, True),
        ("a film that is measured", {**FROM_WORDS, "confirmed_by": 1, "matched": "a.mp4"}, True),
        ("a film that there is not yet", {**FROM_WORDS, "confirmed_by": 1}, False),
        ("an unconfirmed measure", {**FROM_WORDS, "state": "proposal", "matched": "a.mp4"}, False),
        ("a command", {"kind": "command", "body": '{"command": "make"}'}, False),
        ("joints", {"kind": "continuity", "body": '{"glob": "*.mp4"}'}, False),
    )
    advice_is_no_ground(tmp_path / "advice")
    for way in ("send", "text"):
        for what, more, anew in kinds:
            home, plan = at_work_reading(tmp_path / f"{way}{what}", NOTHING_MORE)
            hops(home, "导演", write("a.mp4"))
            checked(home, plan, "failed", **more)
            says = {"send": (send("a.mp4 好了", files=["a.mp4"]),), "text": ()}[way]
            hops(home, "导演", *says, text="" if says else "a.mp4 好了")
            expect_equal("CLOS-02", len(running(home)), int(anew), f"judged before it is said: {what}, by {way}")
            expect_equal("CLOS-02", bool(said(home)) and anew, False, f"said before it is judged: {what}, by {way}")
            if anew:
                ran(home, "passed")
                expect_equal("CLOS-02", said(home), ["a.mp4 好了"], f"said once it is mended: {what}, by {way}")
    home, plan = at_work_reading(tmp_path / "again", NOTHING_MORE)
    checked(home, plan, "failed")
    hops(home, "导演", send("好了", files=["a.mp4"]))
    ran(home, "passed")
    hops(home, "导演", write("a.mp4"), send("又改了", files=["a.mp4"]))
    ran(home, "failed")
    expect_equal("CLOS-02", said(home), ["好了"], "the next message, of a file that fails by then")


@proves("CLOS-03")
def test_a_promise_that_nobody_goes_on_with_is_sent_back(tmp_path: Path) -> None:
    timer = events.Call("check_back", {"after_minutes": 10, "note": "看渲染"})
    ask = events.Call("delegate", {"to": "文案", "ask": "写片头", "expects": "answer", "continue": True})
    for number, (what, before, text, back) in enumerate(
        (
            ("with no timer and no mention", (), "结论随后", True),
            ("with a check-back", (timer,), "结论随后", False),
            ("with another asked", (ask,), "结论随后", False),
            ("with a Bot named", (), "结论随后，@文案 接着写", False),
            ("with itself named", (), "结论随后，@导演 接着写", True),
        )
    ):
        home, _ = at_work_reading(tmp_path / str(number), {"going_on": "结论随后"})
        hops(home, "导演", *before, look())
        told_ = sends(home, text)
        expect_equal("CLOS-03", said(home), [] if back else [text], f"a promise {what}: {told_}")
        expect_equal("CLOS-03", "“结论随后”" in told_, back, f"the words that are quoted: {told_}")
    elsewhere, plan = at_work_reading(tmp_path / "elsewhere", {"going_on": "结论随后"})
    other = elsewhere.opened("海报", to=ROOM)
    elsewhere.say("@导演 海报呢", to=ROOM, files=[other])
    at = "SELECT id FROM live_turns WHERE plan = ?"
    for of, call in ((other, timer), (plan, send("结论随后"))):
        elsewhere.hop("导演", call, turn=elsewhere.value(at, of))
    expect_equal("CLOS-03", said(elsewhere), [], "with a check-back on another matter")


@proves("CLOS-04")
def test_a_claimed_test_without_a_command_is_sent_back(tmp_path: Path) -> None:
    ran = (shell("pytest"),)
    for number, (what, before, text, back) in enumerate(
        (
            ("with nothing run", (), "样片在这，已测试", True),
            ("with a report of its own", (write("report.md"),), "样片在这，已测试", True),
            ("with an MCP call", (events.Call("mcp:tool", {}),), "样片在这，已测试", True),
            ("with a command", ran, "样片在这，已测试", False),
            ("that says it is not", (), "样片在这，未验证", False),
        )
    ):
        home, _ = at_work_reading(tmp_path / str(number), TESTED)
        if before:
            hops(home, "导演", *before)
        told_ = sends(home, text, files=["a.mp4"])
        expect_equal("CLOS-04", said(home), [] if back else [text], f"a claim {what}: {told_}")
        expect_equal("CLOS-04", "claims a run or a test" in told_, back, f"the grounds: {told_}")
    home, plan = at_work_reading(tmp_path / "before", TESTED)
    hops(home, "导演", *ran)
    hops(home, "导演", text="跑过了")
    home.words = TESTED
    tell(home, plan, "再看看")
    sends(home, "样片在这，已测试", files=["a.mp4"])
    expect("CLOS-04", "样片在这，已测试" not in said(home), "a command of an earlier turn is none of this one")


@proves("CLOS-05")
def test_it_is_once_a_turn_and_no_gate(tmp_path: Path) -> None:
    for way in ("send", "text", "both"):
        home, plan = at_work_reading(tmp_path / way, PROMISE, owes=True)
        first = sends(home, "正在做片头") if way != "text" else hops(home, "导演", text="正在做片头")
        expect_equal("CLOS-03", said(home), [], f"what is said at first, by {way}: {first}")
        expect_equal("CLOS-05", codes(home), ["closing_check"], f"what it is sent back for, by {way}")
        expect_equal("CLOS-05", home.turn("导演")["bounces"], 0, f"what of the contract's budget it takes, by {way}")
        notices = told(home).count("Not sent yet")
        expect_equal("CLOS-05", notices, 1, f"notices by {way}")
        if way == "send":
            sends(home, "正在做片头")
        else:
            hops(home, "导演", text="正在做片头")
        expect_equal("CLOS-05", said(home)[:1], ["正在做片头"], f"what is said at the second try, by {way}")
        hops(home, "导演")
        tell(home, plan, "继续")
        sends(home, "正在做片头")
        expect_equal("CLOS-05", codes(home)[:1], ["closing_check"], f"what the next turn is sent back for, by {way}")


@proves("CLOS-06")
def test_a_returned_message_is_no_error_and_a_returned_reply_is_told_as_a_line(tmp_path: Path) -> None:
    home, _ = at_work_reading(tmp_path / "send", PROMISE)
    notice = sends(home, "正在做片头")
    expect("CLOS-06", notice.startswith("Not sent yet."), f"what the call gives: {notice}")
    expect_equal("CLOS-06", said(home), [], "what was sent")
    states = [state for _, state, _ in home.results(home.turn("导演")["id"])]
    expect_equal("CLOS-06", states, ["ok"], "how the call is on record")
    reply, _ = at_work_reading(tmp_path / "text", PROMISE)
    hops(reply, "导演", text="正在做片头")
    expect_equal("CLOS-06", said(reply), [], "what was said")
    expect_equal("CLOS-06", ended(reply), ("running", None), "the turn")
    expect("CLOS-06", "Not sent yet." in reply.context(reply.turn("导演")["id"]), "the notice as a line in the loop")
    failed = home.value("SELECT count(*) FROM calls WHERE state IN ('failed', 'refused')")
    expect_equal("CLOS-06", failed, 0, "tool errors")


@proves("CLOS-07")
def test_it_calls_no_model_but_for_the_one_reading(tmp_path: Path) -> None:
    home, _ = at_work_reading(tmp_path, PROMISE)
    hops(home, "导演", look(), look())
    before = home.rows("SELECT kind FROM effects WHERE kind NOT IN ('hop', 'run_tool', 'timer')")
    sends(home, "正在做片头")
    sends(home, "正在做片头")
    hops(home, "导演", end_turn(reason="done"))
    asked = home.rows("SELECT kind, json_extract(body, '$.reads') FROM effects WHERE kind <> 'timer' ORDER BY id")
    words = [each for each in asked if each == ("read", "Bot words")]
    expect_equal("CLOS-07", len(words), 1, "readings of one text, for check and contract together")
    others = [kind for kind, reads in asked if kind not in ("hop", "run_tool") and reads != "Bot words"]
    expect_equal("CLOS-07", others, [kind for (kind,) in before], "other calls that it takes")
    run_by = home.value("SELECT json_extract(body, '$.tools') FROM effects WHERE subject LIKE 'Bot words:%'")
    expect_equal("CLOS-07", run_by, "[]", "tools of the reading")


@proves("CLOS-08")
def test_who_says_it_works_on_and_owes_nothing_is_returned_once_more_and_then_told_of(tmp_path: Path) -> None:
    for level in (2, 8):
        home, _ = at_work_reading(tmp_path / str(level), PROMISE, level=level)
        hops(home, "导演", text="正在做片头")
        expect_equal("CLOS-05", codes(home), ["closing_check"], f"the first return at level {level}")
        hops(home, "导演", text="正在做片头")
        returned = ["closing_check", "promised_later"] if level == 8 else ["closing_check"]
        expect_equal("CLOS-08", codes(home), returned, f"all returns at level {level}")
        if level == 8:
            hops(home, "导演")
        lines = [line for line in home.said() if "正在做片头" in line]
        expect_equal("CLOS-08", len(lines), int(level == 8), f"what the user is told at level {level}: {home.said()}")
        expect_equal("CLOS-08", ended(home)[0], "completed", f"the turn at level {level}")


@proves("CLOS-09")
def test_check_and_contract_are_two_things_and_a_return_submits_nothing(tmp_path: Path) -> None:
    home, _ = at_work_reading(tmp_path / "a", TESTED, owes=True)
    hops(home, "导演", write("cut.mp4"))
    hops(home, "导演", text="样片在 cut.mp4 里，已测试")
    expect_equal("CLOS-09", codes(home), ["closing_check"], "what a claim is returned for where the contract holds")
    expect_equal("CLOS-09", home.value("SELECT count(*) FROM submissions"), 0, "submissions by a return")
    hops(home, "导演", text="样片在 cut.mp4 里，已测试")
    expect_equal("CLOS-09", codes(home), ["closing_check", "open_duties"], "what the contract adds of its own")
    expect_equal("CLOS-09", home.turn("导演")["bounces"], 1, "bounces that count against the contract's budget")
    bots, _ = at_work_reading(tmp_path / "b", {**TESTED, **PROMISE})
    hops(bots, "导演", events.Call("create_direct", {"to": "文案"}))
    chat = bots.value("SELECT id FROM sessions WHERE kind = 'bots'")
    sends(bots, "正在做片头，已测试", session=chat, files=["a.mp4"])
    expect_equal("CLOS-09", said(bots), ["正在做片头，已测试"], "what two Bots say to each other")


NUMBERS, THINGS, NAMES = ("三", "12"), ("海报", "片头"), ("埼玉", "杰诺斯")
GOING_ON = (
    ("正在做{t}", "正在"),
    ("正在编写第{n}集{t}", "正在"),
    ("我这边着手整理{t}……", "着手"),
    ("第{n}版{t}弄好发群里", "弄好"),
    ("我将按照第{n}版{t}来", "将"),
    ("{t}随后", "随后"),
)
"""Announcements, each with the word that decides."""


@pytest.mark.parametrize("at", (0, 1))
@pytest.mark.parametrize(("frame", "decides"), GOING_ON)
def test_announcements_are_read_as_going_on(frame: str, decides: str, at: int) -> None:
    text = frame.format(n=NUMBERS[at], t=THINGS[at])
    assert wordlist.speech_of(text).going_on == text
    assert not wordlist.speech_of(text.replace(decides, "")).going_on


@pytest.mark.parametrize("text", ("正在做", "正在编写", "我这边着手整理……弄好发群里", "我将按照……", "结论随后"))
def test_the_phrases_as_they_were_said_are_read_as_going_on(text: str) -> None:
    assert wordlist.speech_of(text).going_on == text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scene", ("正在超市买菜", "随后推门进来", "在第三镜里测试新手套"))
def test_what_happens_in_a_scene_promises_nothing(name: str, scene: str) -> None:
    assert not wordlist.speech_of(f"{name}{scene}").going_on


@pytest.mark.parametrize("thing", THINGS)
def test_what_is_plainly_not_verified_claims_nothing(thing: str) -> None:
    for text in (f"{thing}未验证", f"{thing}没有测试", f"{thing} is not tested"):
        assert wordlist.says_not_tested(text)
    for text in (f"{thing}已验证", f"{thing}测试通过"):
        assert wordlist.speech_of(text).tested and not wordlist.says_not_tested(text)
