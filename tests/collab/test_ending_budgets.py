"""How often a segment may be sent back: twice for the contract and for attributions, and for some causes besides."""

from pathlib import Path
from typing import Any

from ending import (
    GAVE_IN,
    PAGE,
    ROOM,
    RUNNING,
    ask,
    at_desk,
    at_work,
    codes,
    end_turn,
    ended,
    hears,
    hops,
    look,
    tell,
    told,
    work_of,
)
from evening import Evening
from stopping import folder_of

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

WRONG: dict[str, events.Call] = {
    "an unknown reason": end_turn(reason="finished"),
    "blocked without a need": end_turn(reason="blocked"),
    "gave_up without a note": end_turn(reason="gave_up"),
    "work_on that cannot be read": events.Call("work_on", {"plan": {"a": 1}}),
}


def busy(folder: Path) -> Evening:
    """A director who owes a ticket, and has read a request, and a line that it has not settled."""
    home, plan = at_work(folder, owes=True)
    hops(home, "导演", end_turn(reason="nothing_new"))
    home.say("@文案 写文案", to=ROOM, files=[plan])
    ask(home, "片头写什么？")
    hears(home, plan, "片头用红色")
    return home


@proves("END-32")
def test_two_bounces_are_shared_and_the_next_cause_is_the_end(tmp_path: Path) -> None:
    home = busy(tmp_path / "three")
    item = home.value("SELECT id FROM inbox_items WHERE instr(text, '片头用红色')")
    hops(home, "导演", end_turn(reason="answered"))
    expect_equal("END-32", (ended(home), codes(home)), (RUNNING, ["unsettled"]), "the first cause")
    hops(home, "导演", end_turn(reason="answered", inbox=[{"id": item, "state": "done"}]))
    expect_equal("END-32", (ended(home), codes(home)), (RUNNING, ["unsettled", "unanswered_request"]), "the second")
    hops(home, "导演", end_turn(reason="done"))
    expect_equal("END-32", (ended(home), work_of(home)), (GAVE_IN, "needs_attention"), "the third")

    home = busy(tmp_path / "two")
    for _ in range(2):
        hops(home, "导演", end_turn(reason="answered"))
    hops(home, "导演", end_turn(reason="nothing_new", inbox=[{"id": item, "state": "done"}]))
    expect_equal("END-32", ended(home), ("completed", "nothing_new"), "two causes, and then an ending that stands")


@proves("END-32")
def test_attributions_draw_on_the_same_two(tmp_path: Path) -> None:
    home = at_desk(tmp_path, files="unclear")
    home.opened("新品片", to=ROOM)
    hops(home, "导演", end_turn(reason="finished"))
    expect_equal("END-32", (ended(home), home.turn("导演")["bounces"]), (RUNNING, 1), "a first refusal at the desk")
    hops(home, "导演", PAGE)
    plan = home.turn("导演")["plan"]
    home.sql("UPDATE tickets SET owner = ?", home.bot("导演"))
    hears(home, plan, "片头用红色")
    hops(home, "导演", end_turn(reason="nothing_new"))
    expect_equal("END-32", (ended(home), codes(home)), (RUNNING, ["unsettled"]), "a second one at work")
    hops(home, "导演", end_turn(reason="nothing_new"))
    expect_equal("END-32", (ended(home), work_of(home)), (GAVE_IN, "needs_attention"), "the next cause")


@proves("END-32")
def test_on_the_desk_the_second_refusal_is_the_end(tmp_path: Path) -> None:
    for first in ("contract", "attribution"):
        home = at_desk(folder_of(tmp_path, first), files="spot")
        home.say("@导演 还有这个", to=ROOM, files="spot")
        hops(home, "导演", look())
        hops(home, "导演", end_turn(reason="done" if first == "contract" else "finished"))
        expect_equal("END-32", ended(home), RUNNING, f"the first refusal, of the {first}")
        hops(home, "导演", end_turn(reason="done"))
        expect_equal("END-32", (ended(home), work_of(home)), (GAVE_IN, "needs_attention"), "the second")


@proves("END-32")
def test_a_promise_and_silence_have_a_bounce_of_their_own(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path, to="导演")
    item = hears_there(home, plan)
    for _ in range(2):
        hops(home, "导演", end_turn(reason="nothing_new"))
    hops(home, "导演", end_turn(reason="nothing_new", inbox=[{"id": item, "state": "done"}]))
    expect_equal("END-32", (ended(home), codes(home)[2:]), (RUNNING, ["said_nothing"]), "silence with both used up")
    home.words = {"going_on": "我正在画。"}
    for more in (["closing_check"], ["closing_check", "promised_later"]):
        hops(home, "导演", text="我正在画。")
        expect_equal("CLOS-05", codes(home).count("closing_check"), 1, "how often its words are looked at")
        expect_equal("CLOS-05", home.turn("导演")["bounces"], 2, "the shared bounces used after a look at its words")
        expect_equal("END-32", (ended(home), codes(home)[3:]), (RUNNING, more), "a promise with both used up")
    hops(home, "导演", text="我正在画。")
    expect_equal("END-32", ended(home), ("completed", "answered"), "its last ending")
    expect_equal("END-32", home.turn("导演")["bounces"], 2, "the shared bounces used")


def hears_there(home: Evening, plan: int) -> int:
    """The user adds something in the direct chat, and the director reads it; returns the inbox item."""
    tell(home, plan, "片头用红色", to="导演")
    hops(home, "导演", look())
    return int(home.value("SELECT max(id) FROM inbox_items WHERE author = 'user'"))


@proves("END-33")
def test_at_the_desk_arguments_that_make_no_sense_count(tmp_path: Path) -> None:
    for name, wrong in WRONG.items():
        home = at_desk(folder_of(tmp_path, name), files="spot")
        hops(home, "导演", wrong, look(), PAGE)
        expect_equal("END-33", home.turn("导演")["bounces"], 1, f"what {name} costs")
        ran = [each["tool"] for each in home.ran]
        expect_equal("END-33", ran, ["read_file"], f"what runs after {name} in its hop")
        hops(home, "导演", wrong)
        expect_equal("DESK-27", (ended(home), work_of(home)), (GAVE_IN, "needs_attention"), f"{name} again")
    home = at_desk(tmp_path / "sound", files="spot")
    hops(home, "导演", events.Call("send_message", {}), look(), PAGE)
    ran = [each["tool"] for each in home.ran]
    expect_equal(
        "END-33", (home.turn("导演")["bounces"], ran), (0, ["read_file", "write_file"]), "another call that fails"
    )


@proves("END-34")
def test_at_work_they_are_calls_that_fail(tmp_path: Path) -> None:
    more: dict[str, events.Call] = {"delegate without words": events.Call("delegate", {"to": "文案"})}
    for name, wrong in (WRONG | more).items():
        home, _ = at_work(folder_of(tmp_path, name))
        for tries in range(1, 5):
            hops(home, "导演", wrong)
            seen = (ended(home), home.turn("导演")["bounces"])
            expect_equal("END-34", seen, (RUNNING, 0), f"{name}, try {tries}")
            expect("END-34", any(each.kind == "hop" for each in home.engine.open_effects()), "its Bot goes on")
            expect_equal("END-34", home.results(home.turn("导演")["id"])[-1][1], "refused", f"the call of {name}")
            expect_equal("END-34", effort(home), "raised" if tries >= 3 else None, f"effort after {name}, try {tries}")
        hops(home, "导演", look(), events.Call("send_message", {"text": "好了"}))
        expect_equal("END-34", effort(home), None, f"effort after a call that succeeds, behind {name}")
        hops(home, "导演", end_turn(reason="nothing_new"))
        expect_equal("END-34", ended(home), ("completed", "nothing_new"), f"an ending that stands, behind {name}")
    home, plan = at_work(tmp_path / "contract")
    hears(home, plan, "片头用红色")
    for tries in range(1, 4):
        hops(home, "导演", end_turn(reason="done"))
        expect_equal("END-34", ended(home), RUNNING if tries < 3 else GAVE_IN, f"bounce {tries} of the contract")


def effort(home: Evening) -> Any:
    """With what effort a Bot's model is asked at its newest hop."""
    return home.value("SELECT json_extract(body, '$.effort') FROM effects WHERE kind = 'hop' ORDER BY id DESC")


@proves("END-35")
def test_a_delegation_from_the_desk_binds_before_it_is_refused(tmp_path: Path) -> None:
    home, _ = at_work(tmp_path / "writes")
    hops(home, "导演", PAGE)
    expect_equal("HOLD-72", [each["tool"] for each in home.ran], ["write_file"], "what runs at work")
    for number, wrong in enumerate(({"to": "没有这个人"}, {"to": "导演"}, {"ask": 1})):
        home = at_desk(folder_of(tmp_path, number), files="new")
        call = events.Call("delegate", {"to": "文案", "ask": "写什么？", "expects": "answer"} | wrong)
        for tries in range(1, 4):
            hops(home, "导演", call)
            turn = home.turn("导演")
            seen = (turn["mode"], turn["state"], turn["bounces"])
            expect_equal("END-35", seen, ("work", "running", 0), f"a delegation with {wrong}, try {tries}")
        expect("END-35", "refused" in [state for _, state, _ in home.results(turn["id"])], told(home))
