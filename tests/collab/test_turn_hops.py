"""Within a turn: what is read between its calls and what that puts off, how it ends, and what its hops cost."""

import json
from pathlib import Path

from evening import Evening, shell
from outside import hopped, ran, waits_for

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

LOOK = events.Call("read_file", {"path": "brief.md"})
NUMBERS = ("三", "12", "两")
THINGS = ("海报", "片头", "teaser")
# A question with a number and a thing in it, and what is left of it without the word that asks.
QUESTIONS = (
    ("第{n}版{t}怎么样了", "第{n}版{t}"),
    ("第{n}版{t}好了吗", "第{n}版{t}好了"),
    ("第{n}版{t}好了没", "第{n}版{t}好"),
    ("那{t}的第{n}个镜头呢", "那{t}的第{n}个镜头"),
    ("{t}有第{n}版没有", "{t}有第{n}版"),
    ("{t}的{n}张进度怎么样", "{t}的{n}张"),
    ("{t}做到第几张", "{t}做第{n}张"),
    ("{t}的{n}张还要多久", "{t}的{n}张"),
    ("{n}张{t}什么时候能给我", "{n}张{t}给我"),
    ("第{n}版{t}到哪一步了", "第{n}版{t}"),
    ("{t}要第{n}版？", "{t}要第{n}版"),
    ("{t} number {n}?」", "{t} number {n}」"),
    ("how far is {t} {n}", "do {t} {n}"),
    ("any progress on {t} {n}", "more on {t} {n}"),
    ("are you done with {t} {n}", "be done with {t} {n}"),
    ("is it ready, {t} {n}", "make it ready, {t} {n}"),
    ("when will {t} {n} be there", "put {t} {n} there"),
)


def _working(folder: Path, *calls: events.Call) -> tuple[Evening, int, int]:
    """A Bot at work on a plan, with these calls asked for and the first of them running: evening, plan, turn."""
    evening = Evening(folder, bots=["文案"])
    plan = evening.opened("新品片", to="文案")
    evening.say("写三句宣传语", to="文案", files=[plan])
    hopped(evening, "文案", *calls)
    return evening, plan, evening.turn("文案")["id"]


def _asked_next(evening: Evening) -> dict[str, object]:
    """What the Bot's model is given at the hop that is open."""
    return dict(waits_for(evening, "hop", "文案").body)


@proves("TURN-08")
def test_lines_on_the_same_plan_are_read_between_calls(tmp_path: Path) -> None:
    evening, plan, turn = _working(tmp_path, LOOK)
    line = evening.say("落款写鲸落影业", to="文案", files=[plan])
    expect_equal("TURN-08", evening.read_in(line, "文案"), [], "who has read the line while a call runs")
    ran(evening, "文案")
    expect_equal("TURN-08", evening.read_in(line, "文案"), [turn], "the turn that reads the line at its next step")
    expect("TURN-08", "落款写鲸落影业" in str(_asked_next(evening)["context"]), "the line stands in the next hop")
    hopped(evening, "文案", text="好了")
    expect_equal("TURN-08", len(evening.turns("文案")), 1, "turns of the Bot")


@proves("TURN-09")
def test_a_line_that_changes_the_work_puts_off_what_has_not_run(tmp_path: Path) -> None:
    evening, plan, turn = _working(tmp_path, shell("render a"), shell("render b"), shell("render c"))
    evening.say("改成竖版", to="文案", files=[plan])
    evening.run("文案")
    states = [state for _, state, _ in evening.results(turn)]
    expect_equal("TURN-09", states, ["ok", "postponed", "postponed"], "the calls of the hop")
    told = [result["state"] for result in json.loads(json.dumps(_asked_next(evening)["results"]))]
    expect_equal("TURN-09", told, ["ok", "postponed", "postponed"], "what the Bot reads of its calls")
    expect("TURN-09", "改成竖版" in str(_asked_next(evening)["context"]), "the line is read at once after the call")


@proves("TURN-09")
def test_what_a_colleague_says_puts_nothing_off(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案", "导演"], rooms={"剪辑组": ["文案", "导演"]})
    plan = evening.opened("新品片", to="剪辑组")
    evening.say("@导演 排一下镜头", to="剪辑组", files=[plan])
    line = evening.say("@文案 写三句宣传语", to="剪辑组", files=[plan])
    expect("QUOT-37", evening.read_in(line, "文案"), "the line that opened a turn has been read in it")
    hopped(evening, "文案", shell("render a"), shell("render b"))
    evening.hop("导演", LOOK)
    hopped(evening, "导演", events.Call("send_message", {"text": "@文案 我这边改成竖版了"}))
    evening.run("文案")
    turn = evening.turns("文案")[0]["id"]
    states = [state for _, state, _ in evening.results(turn)]
    expect_equal("TURN-09", states, ["ok", "started"], "the calls of the hop")
    evening.run("文案")
    expect("TURN-09", "我这边改成竖版了" in evening.context(turn), "the colleague's line is read at the next hop")


@proves("TURN-10")
def test_a_question_puts_nothing_off_and_without_its_word_it_does(tmp_path: Path) -> None:
    evening, plan, turn = _working(tmp_path, LOOK)
    ran(evening, "文案")
    for at, (asks, states) in enumerate(QUESTIONS):
        for number, thing in zip(NUMBERS, THINGS, strict=True):
            for line, wanted in ((asks, "started"), (states, "postponed")):
                text = line.format(n=number, t=thing)
                hopped(evening, "文案", shell("render a"), shell("render b"))
                evening.say(text, to="文案", files=[plan])
                ran(evening, "文案")
                second = evening.results(turn)[-1][1]
                expect_equal("TURN-10", second, wanted, f"the second call after “{text}” (phrase {at})")
                if wanted == "started":
                    ran(evening, "文案")


@proves("TURN-10")
def test_what_is_read_as_a_mere_question_of_progress_puts_nothing_off(tmp_path: Path) -> None:
    evening, plan, turn = _working(tmp_path, shell("render a"), shell("render b"))
    # The words ask nothing; only the reading knows. Down, it leaves the words; wrong, the line is read all the same.
    for read, wanted in (({"status": True}, "started"), ({}, "postponed"), (None, "postponed")):
        line = evening.say("新品片那边说一声", to="文案", read=False)
        meant = next(each for each in evening.engine.open_effects() if each.subject.startswith(f"user words:{line}:"))
        failure = "timeout" if read is None else None
        evening.happens(events.Read, effect=meant.id, raw=json.dumps(read or {}), failure=failure)
        evening.read(line, [plan])
        ran(evening, "文案")
        expect_equal("TURN-10", evening.results(turn)[-1][1], wanted, f"the second call, with the line read as {read}")
        if wanted == "started":
            ran(evening, "文案")
        expect_equal("TURN-10", evening.read_in(line, "文案"), [turn], "the turn that reads the line")
        hopped(evening, "文案", shell("render a"), shell("render b"))


@proves("TURN-20")
def test_plain_text_and_end_turn_end_the_segment_and_a_message_does_not(tmp_path: Path) -> None:
    evening, plan, _ = _working(tmp_path, LOOK)
    ran(evening, "文案")
    hopped(evening, "文案", events.Call("send_message", {"text": "先发第一句"}), LOOK)
    expect_equal("MENT-18", [turn["state"] for turn in evening.turns("文案")], ["running"], "after a message")
    ran(evening, "文案")
    hopped(evening, "文案", text="三句都写好了")
    ended = [(turn["state"], turn["end_reason"]) for turn in evening.turns("文案")]
    expect_equal("TURN-20", ended, [("completed", "answered")], "after plain text")
    expect_equal("TURN-20", evening.said("bot"), ["先发第一句", "三句都写好了"], "what the Bot has said")
    evening.say("再写一句", to="文案", files=[plan])
    read = [{"id": item, "state": "answered"} for (item,) in evening.rows("SELECT id FROM inbox_items ORDER BY id")]
    ends = events.Call("end_turn", {"reason": "nothing_new", "inbox": read[-1:]})
    hopped(evening, "文案", events.Call("send_message", {"text": "没有别的了"}), ends, shell("render after the end"))
    ended = [(turn["state"], turn["end_reason"]) for turn in evening.turns("文案")]
    expect_equal("TURN-20", ended[1:], [("completed", "nothing_new")], "after end_turn")
    expect_equal("TURN-20", [body["tool"] for body in evening.ran], [], "what runs after the end")


@proves("TURN-20")
def test_an_ending_without_a_reason_is_none(tmp_path: Path) -> None:
    evening, _, turn = _working(tmp_path, LOOK)
    ran(evening, "文案")
    hopped(evening, "文案", events.Call("end_turn", {"reason": "  "}))
    expect_equal("TURN-20", evening.results(turn)[-1][1], "refused", "end_turn without a reason")
    expect_equal("TURN-20", evening.turn("文案")["state"], "running", "the turn")


@proves("TURN-21")
def test_a_model_that_fails_and_an_application_that_goes_down_end_a_turn_differently(tmp_path: Path) -> None:
    evening, plan, _ = _working(tmp_path, LOOK)
    ran(evening, "文案")
    evening.fail("文案")
    evening.say("接着写", to="文案", files=[plan])
    evening.crash()
    ended = [(turn["state"], turn["end_reason"]) for turn in evening.turns("文案")]
    wanted = [("failed", "the endpoint is gone"), ("interrupted", "restart")]
    expect_equal("TURN-21", ended, wanted, "how the two turns ended")


@proves("TURN-22")
def test_every_40_hops_the_bot_is_asked_whether_it_is_stuck_and_nothing_else_happens(tmp_path: Path) -> None:
    evening, _, turn = _working(tmp_path, LOOK)
    asked = []
    for hop in range(2, 164):
        ran(evening, "文案")
        if "stuck" in str(_asked_next(evening)["context"]):
            asked.append(hop)
        hopped(evening, "文案", shell(f"render {hop}"))
    expect_equal("TURN-22", asked, [40, 80, 120, 160], "the hops that ask whether the Bot is stuck")
    ran(evening, "文案")
    states = {state for _, state, _ in evening.results(turn)}
    expect_equal("TURN-22", states, {"ok"}, "what became of its calls, those after hop 160 too")
    expect_equal("TURN-22", evening.turn("文案")["state"], "running", "the turn, after 163 hops")


@proves("TURN-23")
def test_cost_is_booked_for_each_model_call_and_talk_is_interleaved(tmp_path: Path) -> None:
    evening = Evening(tmp_path, bots=["文案", "导演"], rooms={"剪辑组": ["文案", "导演"]})
    plan = evening.opened("新品片", to="剪辑组")
    evening.say("@文案 @导演 各说各的进展", to="剪辑组", files=[plan])
    for number in range(2):
        for bot in ("文案", "导演"):
            say = events.Call("send_message", {"text": f"{bot}第 {number + 1} 句"})
            hopped(evening, bot, say, cost=0.25 * (number + 1))
    hopped(evening, "文案", text="完了", failure=None, cost=2.0)
    costs = evening.rows("SELECT h.cost FROM hops h JOIN turns t ON t.id = h.turn ORDER BY t.bot, h.number")
    expect_equal("TURN-23", costs, [(0.25,), (0.5,), (2.0,), (0.25,), (0.5,), (None,)], "the cost of each model call")
    hopped(evening, "导演", text="@文案 你再看一眼")
    lines = [line.split(": ", 1)[1] for line in evening.context(evening.turn("文案")["id"]).split("\n") if "句" in line]
    wanted = ["文案第 1 句", "导演第 1 句", "文案第 2 句", "导演第 2 句"]
    expect_equal("TURN-23", lines, wanted, "the two turns in the transcript that the next one is given")
