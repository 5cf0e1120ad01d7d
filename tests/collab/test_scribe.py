"""The scribe: when it reads the user's words, in which order, with what, and what is kept where it says nothing."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from evening import MINUTE, Evening, work_on
from scribing import (
    FILM,
    FIRST_WORDS,
    ROOM,
    asked,
    comes,
    dropped,
    entries,
    number,
    row,
    says,
    scribes,
    studio_at_work,
    times,
)

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import attribution, costs, events
from threadrebuild.collab.change import Change
from threadrebuild.collab.engine import Effect
from threadrebuild.collab.target import Target

FAULT = {"faults": ["太假"]}


def ask_of(home: Evening) -> dict[str, Any]:
    """What the scribe is asked and shown; nothing where it is not asked."""
    effect = asked(home)
    return {} if effect is None else effect.body


def calls(home: Evening) -> list[str]:
    """The words that the scribe was asked about, in order."""
    rows = home.rows("SELECT body FROM effects WHERE kind = 'scribe' AND body <> '{}' ORDER BY id")
    said = [json.loads(body).get("line") for (body,) in rows]
    return [words for words in said if words != FIRST_WORDS]


def waited(home: Evening) -> int:
    """How many words of the user were put up to be read, whatever came of that."""
    return int(home.value("SELECT count(*) FROM scribings"))


def is_refused(home: Evening, sql: str) -> bool:
    """Whether the store refuses something."""
    try:
        home.sql(sql)
    except sqlite3.IntegrityError:
        return True
    return False


def reading(home: Evening, line: int) -> Effect | None:
    """A reading of a line that has not come back yet."""
    return next(
        (each for each in home.engine.open_effects() if each.kind == "read" and f":{line}:" in each.subject), None
    )


def reads(home: Evening, text: str, plan: int | None, meaning: dict[str, Any] | None = None, *, to: str = ROOM) -> int:
    """The user says something that is read to mean something, and to be about a plan."""
    line = home.say(text, to=to, read=False)
    while effect := reading(home, line):
        about = {"kind": "plans", "about": [{"plan": plan}]} if plan is not None else {"kind": "unclear"}
        said = about if effect.subject.startswith("filing:") else meaning or {}
        home.happens(events.Read, effect=effect.id, raw=json.dumps(said, ensure_ascii=False))
    return line


def delivers(home: Evening, plan: int) -> None:
    """A Bot hands a file in for a plan."""
    while home.hop("导演", text="好。", plan=plan):
        pass
    home.say("@导演 交一版", to=ROOM, files=[plan])
    while asked(home) is not None:
        scribes(home)
    send = events.Call("send_message", {"session": home.session(ROOM), "text": "好了", "files": ["work/v1.mp4"]})
    home.hop("导演", send, plan=plan)
    home.hop("导演", text="交了。", plan=plan)


@proves("SCRB-01")
def test_the_scribe_is_a_step_of_the_engine_for_films(tmp_path: Path) -> None:
    for kind, wanted, on in (
        (None, None, False),
        ("general", None, False),
        ("code", None, False),
        ("video", None, True),
        ("video", False, False),
        ("general", True, True),
        ("code", True, True),
    ):
        home, plan = studio_at_work(tmp_path / f"{kind}-{wanted}", on=False)
        if kind is not None:
            home.happens(events.EngineChosen, engine=kind)
        if wanted is not None:
            home.happens(events.StepSwitched, step="scribe", on=wanted)
        home.say("@导演 背景要连贯", to=ROOM, files=[plan])
        expect_equal("SCRB-08", waited(home), 1, "words put up to be read")
        expect_equal("SCRB-01", asked(home) is not None, on, f"whether it reads: engine {kind}, wanted {wanted}")
    home.happens(events.StepSwitched, step="scribe", on=None)
    scribes(home)
    home.say("@导演 字幕大一点", to=ROOM, files=[plan])
    expect_equal("SCRB-01", asked(home), None, "what it reads once that is left to the engine again")


@proves("SCRB-01", "REQ-17")
def test_without_the_scribe_a_complaint_about_what_was_delivered_is_kept_all_the_same(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, on=False)
    delivers(home, plan)
    reads(home, "@导演 画面太假,重来", plan, FAULT)
    expect_equal("SCRB-08", waited(home), 2, "words put up to be read")
    expect_equal("SCRB-01", entries(home, "pending"), ["@导演 画面太假,重来"], "what is kept of the complaint")
    reads(home, "@导演 背景要连贯", plan)
    expect_equal("SCRB-01", len(entries(home, "pending")), 1, "what is kept once a wish has been said")
    expect_equal("SCRB-01", calls(home), [], "what the scribe was asked")


@proves("SCRB-04")
def test_it_stands_in_nobodys_way_and_says_nothing(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, reads_already=False)
    home.say("@导演 背景要连贯", to=ROOM, files=[plan])
    effects = home.rows("SELECT kind, turn IS NOT NULL FROM effects WHERE kind IN ('hop', 'scribe') ORDER BY id")
    expect_equal("SCRB-04", effects, [("hop", 1), ("scribe", 0)], "what was begun with the line, and for a turn")
    home.hop("导演", text="在做。", plan=plan)
    expect_equal("SCRB-04", len(home.live("导演")), 0, "the live turns, while it still reads")
    scribes(home, add=[row("背景要连贯")])
    expect_equal("SCRB-04", home.said("bot") + home.said("app"), ["在做。"], "what is said once it has read")


@proves("SCRB-02")
def test_it_reads_a_line_once_its_turns_are_open_and_all_have_judged(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    first = home.value("SELECT max(id) FROM effects")
    line = home.say("@导演 背景要连贯", to=ROOM, files=[plan], read=False)
    expect_equal("SCRB-02", asked(home), None, "what it is asked before the line is filed")
    home.read(line, [plan])
    effects = home.rows("SELECT kind FROM effects WHERE kind IN ('hop', 'scribe') AND id > ? ORDER BY id", first)
    expect_equal("SCRB-02", effects, [("hop",), ("scribe",)], "what was begun with the line")
    for joins in (True, False):
        home, plan = studio_at_work(tmp_path / str(joins), leads=False)
        judged = home.say("字幕用宋体", to=ROOM, files=[plan])
        home.judge(judged, {"导演": json.dumps({"join": joins})})
        expect_equal("SCRB-02", asked(home), None, "what it is asked while one Bot still judges")
        home.judge(judged, {"剪辑": '{"join": false}'})
        expect_equal("SCRB-02", ask_of(home).get("line"), "字幕用宋体", "what it is asked once all have judged")
    for name in ("导演", "剪辑"):
        home.happens(events.BotRetired, bot=home.bot(name), state="archived")
    scribes(home)
    home.say("标题用红色", to=ROOM, files=[plan])
    expect_equal("SCRB-02", ask_of(home).get("line"), "标题用红色", "what it is asked where nobody is there to judge")


@proves("SCRB-02")
def test_a_line_that_is_filed_later_is_read_then(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = home.say("@导演 背景要连贯", to=ROOM, files="unclear")
    expect_equal("SCRB-02", asked(home), None, "what it is asked of a line on a desk")
    home.hop("导演", work_on(plan=plan), run=False)
    filed = "SELECT f.plan FROM quote_filings f JOIN quotes q ON q.id = f.quote WHERE q.message = ?"
    expect_equal("QUOT-08", home.rows(filed, line), [(plan,)], "where the words are filed")
    expect_equal("SCRB-02", ask_of(home).get("line"), "@导演 背景要连贯", "what it is asked once the Bot has chosen")
    scribes(home, add=[row("背景要连贯")])
    expect_equal("SCRB-02", entries(home), ["背景要连贯"], "the entries of it")
    home.hop("导演", text="好。", plan=plan)
    opens = home.say("@剪辑 另做一张海报", to=ROOM, files="new")
    home.hop("剪辑", work_on(new={"title": "海报"}), run=False)
    expect_equal("SCRB-02", ask_of(home).get("line"), "@剪辑 另做一张海报", "what it is asked of a plan that opens")
    scribes(home)
    expect("SCRB-02", line != opens, "two lines")


@proves("SCRB-02", "SCRB-06")
def test_an_answer_is_read_with_its_question(tmp_path: Path) -> None:
    for typed in (False, True):
        home, plan = studio_at_work(tmp_path / str(typed))
        says(home, "@导演 做片头", plan)
        home.hop("导演", events.Call("ask_user", {"question": "片头多长?", "options": []}), plan=plan)
        ask = home.value("SELECT max(id) FROM asks")
        if typed:
            line = home.say("@导演 片头三秒就够", to=ROOM, files="unclear")
            filed = "SELECT f.plan FROM quote_filings f JOIN quotes q ON q.id = f.quote WHERE q.message = ?"
            expect_equal("WORDS-02", home.rows(filed, line), [(plan,)], "where the typed answer is filed")
        else:
            home.happens(events.Answered, ask=ask, words="片头三秒就够")
        body = ask_of(home)
        expect("SCRB-02", body.get("line", "").endswith("片头三秒就够"), f"what it reads, typed={typed}: {body}")
        expect_equal("SCRB-02", body.get("question"), "片头多长?", f"the question with it, typed={typed}")
        scribes(home, add=[row("片头三秒就够")])
        expect_equal("SCRB-02", entries(home), ["片头三秒就够"], f"the entries of it, typed={typed}")


@proves("SCRB-02")
def test_an_answer_to_what_work_waits_for_is_read_too(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    says(home, "@导演 做片头", plan)
    end = events.Call("end_turn", {"reason": "blocked", "needs_from_user": "片头的尺寸?"})
    home.hop("导演", end, plan=plan)
    card = home.value("SELECT max(card) FROM work_questions")
    expect("SCRB-02", card is not None, "the work waits for the user")
    home.happens(events.WorkAnswered, message=card, body="片头用 4K")
    expect_equal("SCRB-02", ask_of(home).get("question"), "片头的尺寸?", "the question that it reads the answer with")


@proves("SCRB-03")
def test_each_line_is_read_once_and_one_after_the_other(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    other = home.opened("海报", to=ROOM)
    lines = [home.say(f"@导演 第{nth}条要求在此", to=ROOM, files=[plan]) for nth in "一二三"]
    for nth in "一二三":
        expect_equal("SCRB-03", calls(home)[-1], f"@导演 第{nth}条要求在此", "what is read next")
        expect_equal(
            "SCRB-03",
            home.value("SELECT count(*) FROM effects WHERE kind = 'scribe' AND state IN ('pending', 'started')"),
            1,
            "how many are read at a time",
        )
        scribes(home)
    for sql, what in (
        ("INSERT INTO scribings (quote) SELECT quote FROM scribings WHERE id = 2", "words twice"),
        ("UPDATE scribings SET state = 'asked' WHERE id <= 2", "two at a time"),
    ):
        expect_equal("SCRB-03", is_refused(home, sql), True, f"whether the store refuses to have it read {what}")
    before = calls(home)
    with home.db.transaction():
        change = Change(home.db, home.value("SELECT max(seq) FROM events"), home.now, 8)
        attribution.exchange(change, lines[0], [Target(other)])
    home.happens(events.EngineChosen, engine="video")
    expect_equal("SCRB-03", calls(home), before, "what has been read, once a line is filed anew")


@proves("SCRB-03")
def test_what_was_not_recorded_when_the_application_ended_is_given_up(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    for words in ("@导演 背景要连贯", "@导演 字幕用宋体"):
        home.say(words, to=ROOM, files=[plan])
    under_way = asked(home)
    assert under_way is not None
    home.crash()
    expect_equal("SCRB-03", asked(home), None, "what is read after the application has come up again")
    home.happens(events.Scribed, effect=under_way.id, raw=json.dumps({"add": [row("背景要连贯")]}))
    expect_equal("SCRB-03", entries(home), [], "what comes of an answer to before")
    says(home, "@导演 节奏快一点", plan, add=[row("节奏快一点")])
    expect_equal("SCRB-03", entries(home), ["节奏快一点"], "what is recorded of the next line")


@proves("SCRB-05")
def test_one_short_call_on_a_model_of_its_own(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    home.sql("UPDATE bots SET model = 'the-bots'")
    home.say("@导演 背景要连贯", to=ROOM, files=[plan])
    body = ask_of(home)
    wanted = {"tools": [], "max_tokens": 800, "limit_ms": 60_000, "model": None, "effort": None}
    expect_equal("SCRB-05", {key: body.get(key, "missing") for key in wanted}, wanted, "the call as it is by itself")
    scribes(home)
    home.happens(events.ModelChosen, step="scribe", model="fast")
    home.say("@导演 字幕用宋体", to=ROOM, files=[plan])
    body = ask_of(home)
    chosen = (body.get("model"), body.get("effort"))
    expect_equal("SCRB-05", chosen, ("fast", "low"), "model and effort once one is chosen")
    for late, wanted_entries in ((0, ["字幕用宋体"]), (1, [])):
        home, plan = studio_at_work(tmp_path / str(late))
        home.say("@导演 字幕用宋体", to=ROOM, files=[plan])
        home.now += MINUTE - 1000 + late
        scribes(home, add=[row("字幕用宋体")])
        expect_equal("SCRB-05", entries(home), wanted_entries, f"the entries of an answer after 60 s and {late} ms")


@proves("SCRB-06", "REQ-09")
def test_it_is_shown_the_users_words_and_the_plan_and_no_word_of_a_bot(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, tickets=("片头", "镜头一"))
    home.say("@导演 约 2 分钟", to=ROOM, files=[plan])
    expect_equal("SCRB-06", calls(home), ["@导演 约 2 分钟"], "what it reads")
    scribes(home, add=[row("约 2 分钟", category="时长", paraphrase="两分钟左右")])
    home.hop("导演", text="用户想要 4K,背景要连贯。", plan=plan)
    expect_equal("REQ-09", calls(home), ["@导演 约 2 分钟"], "what it has read")
    home.say("@导演 字幕用宋体", to=ROOM, files=[plan])
    body = ask_of(home)
    expect_equal("SCRB-06", (body.get("line"), body.get("question")), ("@导演 字幕用宋体", None), "the line")
    expect_equal(
        "SCRB-06", (body.get("place"), body.get("goal")), (ROOM, FILM), "where it was said, and the plan's goal"
    )
    expect_equal("SCRB-06", [each["title"] for each in body["tickets"]], ["片头", "镜头一"], "the tickets")
    entry = {key: body["entries"][0][key] for key in ("number", "quote", "category")}
    expect_equal("SCRB-06", entry, {"number": 1, "quote": "约 2 分钟", "category": "时长"}, "the entries")
    expect("SCRB-06", "4K" not in json.dumps(body, ensure_ascii=False), f"no word of a Bot is shown: {body}")


@proves("SCRB-06")
def test_it_is_shown_what_is_in_force_for_the_plan_and_no_more_than_sixty(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path, tickets=("片头",))
    other = home.opened("海报", to=ROOM)
    ticket = home.value("SELECT id FROM tickets")
    home.say("@导演 甲乙丙丁", to=ROOM, files=[plan])
    scribes(home)
    session, quote = home.session(ROOM), home.value("SELECT max(id) FROM quotes")
    home.requires(1, "甲", plan)
    home.requires(2, "乙", plan, ticket=ticket)
    home.requires(3, "丙", other, scope="conversation", session=session)
    home.requires(4, "丁", other)
    home.requires(5, "甲乙", plan, state="pending")
    home.say("@导演 字幕用宋体", to=ROOM, files=[plan])
    expect_equal("SCRB-06", sorted(each["number"] for each in ask_of(home)["entries"]), [1, 2, 3], "what is shown")
    scribes(home)
    for nth in range(6, 66):
        home.requires(nth, "甲", plan, quote=quote)
    home.say("@导演 标题再大些", to=ROOM, files=[plan])
    expect_equal("SCRB-06", len(ask_of(home)["entries"]), 60, "how many of 63 are shown")


@proves("SCRB-08")
def test_a_mere_question_how_far_it_is_does_not_go_to_it(tmp_path: Path) -> None:
    for name, meaning in (("read", {"status": True}), ("by words", None)):
        home, plan = studio_at_work(tmp_path / name)
        line = home.say("@导演 怎么样了", to=ROOM, read=False)
        while effect := reading(home, line):
            about = effect.subject.startswith("filing:")
            raw = json.dumps({"kind": "plans", "about": [{"plan": plan}]} if about else meaning)
            failed = meaning is None and not about
            home.happens(
                events.Read, effect=effect.id, raw=None if failed else raw, failure="timeout" if failed else None
            )
        expect_equal("SCRB-08", calls(home), [], f"what it reads of a status question, {name}")
    reads(home, "@导演 进度条改成蓝色", plan)
    expect_equal("SCRB-08", calls(home), ["@导演 进度条改成蓝色"], "what it reads of another line")


@proves("SCRB-08")
def test_a_mere_stop_or_resume_goes_to_it_below_the_level_of_holds_alone(tmp_path: Path) -> None:
    for level, read in ((8, False), (1, False), (0, True)):
        for control in ("resume", "stop"):
            home, plan = studio_at_work(tmp_path / f"{level}{control}", level=level)
            home.sql("UPDATE plans SET current_of = session WHERE id = ?", plan)
            reads(home, "@导演 就照说的办", plan, {"control": control, "only": True})
            expect_equal("SCRB-08", bool(calls(home)), read, f"whether it reads a mere {control} at level {level}")
            while asked(home) is not None:
                scribes(home)
            reads(home, "@导演 就照说的办,字幕大些", plan, {"control": "resume"})
            last = calls(home)[-1:]
            expect_equal("SCRB-08", last, ["@导演 就照说的办,字幕大些"], f"a {control} beside other words, {level}")


@proves("SCRB-18", "REQ-18")
def test_whatever_goes_wrong_only_the_complaint_is_kept(tmp_path: Path) -> None:
    answers: dict[str, dict[str, Any]] = {
        "no model": {"failure": "no model"},
        "failed": {"failure": "error", "raw": json.dumps({"add": [row("画面太假")]}, ensure_ascii=False)},
        "truncated": {"raw": '{"add": [{"quote": "画面太假"}'},
        "no patch": {"raw": "[1, 2]"},
        "a list of words": {"raw": '{"add": "画面太假"}'},
        "none": {"raw": "{}"},
        "all dropped": {"raw": json.dumps({"add": [row("字幕用宋体")]}, ensure_ascii=False)},
    }
    for name, answer in answers.items():
        home, plan = studio_at_work(tmp_path / name)
        says(home, "@导演 背景要连贯", plan, add=[row("背景要连贯")])
        delivers(home, plan)
        reads(home, "@导演 画面太假,重来", plan, FAULT)
        comes(home, **answer)
        expect_equal("SCRB-18", entries(home, "pending"), ["@导演 画面太假,重来"], f"what is kept: {name}")
        expect_equal("SCRB-18", entries(home), ["背景要连贯"], f"what is in force: {name}")
    home, plan = studio_at_work(tmp_path / "landed")
    delivers(home, plan)
    reads(home, "@导演 画面太假,重来", plan, FAULT)
    scribes(home, add=[row("画面太假"), row("字幕用宋体")])
    expect_equal("SCRB-18", (entries(home), entries(home, "pending")), (["画面太假"], []), "where a row has landed")


@proves("SCRB-19")
def test_each_raw_answer_is_on_record_and_its_cost_is_the_applications(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    home.say("@导演 背景要连贯", to=ROOM, files=[plan])
    raw = '{"add": [{"quote": "背景要连贯"}], "note": "随便"}'
    comes(home, raw, model="fast", cost=0.5)
    home.say("@导演 字幕用宋体", to=ROOM, files=[plan])
    comes(home, "这不是 JSON", cost=0.25)
    rows = home.rows("SELECT body FROM work_events WHERE type = 'scribe.answer' ORDER BY id")
    expect_equal(
        "SCRB-19", [json.loads(body)["raw"] for (body,) in rows][1:], [raw, "这不是 JSON"], "the answers on record"
    )
    expect_equal("READ-31", home.value("SELECT count(*) FROM costs"), 2, "calls that are booked")
    booked = home.rows("SELECT category, purpose, session, sum(amount) FROM costs GROUP BY 1, 2, 3")
    expect_equal("SCRB-19", booked, [("organize", "scribe", home.session(ROOM), 0.75)], "what it cost")
    lines = [line for line in costs.view(home.db) if line["purpose"] == "scribe"]
    expect_equal("SCRB-19", [line["under"] for line in lines], ["other"], "its line in the cost view")
    spent = home.value("SELECT count(*) FROM hops WHERE cost > 0")
    expect_equal("SCRB-19", spent, 0, "the hops of Bots that cost something")


@proves("SCRB-20")
def test_of_an_edited_line_only_the_changed_part_is_read_anew(tmp_path: Path) -> None:
    home, plan = studio_at_work(tmp_path)
    line = says(home, "@导演 片长 90 秒,背景要连贯", plan, add=[row("片长 90 秒"), row("背景要连贯")])
    home.happens(events.Edited, message=line, text="@导演 片长 60 秒,背景要连贯")
    kept = home.value("SELECT count(*) FROM quotes WHERE message = ?", line)
    expect_equal("QUOT-19", kept, 2, "the words that are kept of the line")
    expect_equal("SCRB-20", calls(home)[1:], ["@导演 片长 60 秒,"], "what is read of the line once it is edited")
    scribes(home, change=[row("片长 60 秒", entry=1)])
    while asked(home) is not None:  # what the edit took away
        scribes(home)
    expect_equal("SCRB-20", times(home, "背景要连贯"), 1, "how often the untouched words were said")
    expect_equal("SCRB-20", entries(home), ["片长 90 秒", "背景要连贯"], "what is in force")
    waiting = home.say("@导演 标题用红色", to=ROOM, files=[plan])
    home.happens(events.Edited, message=waiting, text="@导演 标题用白色")
    expect_equal("SCRB-20", calls(home)[-1], "@导演 标题用红色", "the line's own words first")
    scribes(home)
    expect_equal("SCRB-20", calls(home)[-1], "@导演 标题用白色", "then what has changed")
    expect_equal("SCRB-20", dropped(home), [], "what is dropped")
    expect_equal("SCRB-20", number(home, "背景要连贯"), 2, "the entry's number")
