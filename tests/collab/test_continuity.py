"""Whether parts join well: a model judges each seam, once more where it is not understood, and what comes of that."""

import json
from pathlib import Path
from typing import Any

from checking import accepted, added, all_ran, ran, running, runs
from ending import ROOM, at_work, end_turn, hops, send, tell
from evening import Evening, shell, write

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import checks, events, plans
from threadrebuild.collab.engine import Effect

PARTS = {"glob": "report/*.md"}
SEAMS = ("01-背景→02-市场分析", "02-市场分析→03-渠道对比", "03-渠道对比→04-结论")
CLEAN = '{"clean": true, "problem": ""}'
MODEL = {"step": "picture_judgement"}


def bad(problem: str) -> str:
    return json.dumps({"clean": False, "problem": problem}, ensure_ascii=False)


def texts(*seams: str, overall: bool = True) -> dict[str, Any]:
    """What was gathered of texts."""
    joints = [{"name": seam, "before": f"…{seam}前", "after": f"{seam}后…"} for seam in seams]
    digest = [{"title": "01-背景", "opening": "起", "numbers": ["3 个月"], "names": ["小满"]}]
    return {"joints": joints, "overall": digest if overall else None}


def pictures(*seams: str) -> dict[str, Any]:
    """What was gathered of pictures or films."""
    joints = [{"name": seam, "picture": f"plans/x/checks/1/{at:02}.png"} for at, seam in enumerate(seams, 1)]
    return {"joints": joints, "overall": None}


def gathered(folder: Path, what: dict[str, Any], *chosen: dict[str, Any], language: str = "zh") -> tuple[Evening, int]:
    """A continuity check whose seams are there to be judged."""
    home, plan = at_work(folder)
    home.sql("UPDATE meta SET language = ?", language)
    for choice in chosen:
        home.happens(events.ModelMarked if "sees" in choice else events.ModelChosen, **choice)
    accepted(home, plan)
    check = added(home, plan, "continuity", PARTS)
    ran(home, "gathered", **what)
    return home, check


def asked(home: Evening) -> list[Effect]:
    """What the judge is asked and has not answered."""
    return [each for each in home.engine.open_effects() if each.kind == "judge_joint"]


def judge(home: Evening, *said: str | None, **more: Any) -> None:
    """The judge answers what it was asked, in that order; None where that fails."""
    for effect, raw in zip(asked(home), said, strict=False):
        failure = None if raw is not None else "gone"
        home.happens(events.JointJudged, effect=effect.id, raw=raw, failure=failure, **more)


def last(home: Evening, check: int) -> tuple[str, str, str]:
    """Outcome, explanation and tail of a check's last run."""
    rows = home.rows("SELECT outcome, detail, tail FROM check_runs WHERE check_id = ? ORDER BY id", check)
    return rows[-1]


@proves("CHK-17")
def test_the_judge_sees_the_sentence_the_rules_and_what_to_look_at(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    accepted(home, plan)
    home.happens(events.BoardEdited, plan=plan, rules=("金额一律写万元",))
    added(home, plan, "continuity", PARTS)
    ran(home, "gathered", **texts(SEAMS[0]))
    seam, overall = (each.body for each in asked(home))
    expect_equal("CHK-17", seam["sentence"], "海报印得出来", "the sentence of the acceptance")
    expect_equal("CHK-17", seam["rules"], ["金额一律写万元"], "the rules of the plan")
    expect_equal("CHK-17", (seam["before"], seam["after"]), (f"…{SEAMS[0]}前", f"{SEAMS[0]}后…"), "both sides")
    for about in ("rules", "missing", "people", "numbers and their units", "style", "twice", "not judged"):
        expect("CHK-17", about in " ".join(seam["look_at"]), f"it is told to look at: {about}")
    expect("CHK-17", "nearly identical are good" in " ".join(seam["look_at"]), "two sides that are nearly the same")
    expect_equal("CHK-17", overall["parts"], texts()["overall"], "what it sees of the whole")


@proves("CHK-17")
def test_the_judge_of_pictures_is_a_model_that_can_see(tmp_path: Path) -> None:
    blind, seeing = {**MODEL, "model": "blind"}, {**MODEL, "model": "seeing"}
    marked = {"model": "seeing", "sees": True}
    unmarked = {"model": "seeing", "sees": False}
    for number, (chosen, of_pictures, of_texts) in enumerate(
        (
            ((), None, None),
            ((blind,), None, "blind"),
            ((marked, blind), None, "blind"),
            ((marked, seeing), "seeing", "seeing"),
            ((marked, seeing, unmarked), None, "seeing"),
        )
    ):
        for what, wanted in ((pictures(SEAMS[0]), of_pictures), (texts(SEAMS[0]), of_texts)):
            home, _ = gathered(tmp_path / f"{number}{wanted}{len(what['joints'][0])}", what, *chosen)
            expect_equal("CHK-17", asked(home)[0].body["model"], wanted, f"the judge with {chosen}")


@proves("CHK-17")
def test_a_chosen_model_of_claude_always_judges_pictures(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    home.happens(events.AccountListed, name="我的")
    home.happens(events.ModelChosen, **MODEL, model="opus", engine="claude_agent")
    accepted(home, plan)
    added(home, plan, "continuity", PARTS)
    ran(home, "gathered", **pictures(SEAMS[0]))
    expect_equal("CHK-17", asked(home)[0].body["model"], "opus", "the judge of pictures")
    judge(home, CLEAN, cost=0.5)
    costs = home.rows("SELECT category, paid_to, amount FROM costs WHERE category <> 'organize'")
    expect_equal("CHK-19", costs, [("acceptance check", "Claude Agent", 0.5)], "and whose plan is spent")


@proves("CHK-18")
def test_a_check_passes_only_where_every_seam_and_the_whole_are_clean(tmp_path: Path) -> None:
    missing = bad("缺过渡")
    for number, (said, outcome, told) in enumerate(
        (
            ((CLEAN, CLEAN, CLEAN, CLEAN), "passed", "3 处衔接都没有问题"),
            ((CLEAN, missing, CLEAN, CLEAN), "failed", "3 处衔接里 1 处有问题：02-市场分析→03-渠道对比：缺过渡"),
            (
                (missing, CLEAN, bad("口径不同"), CLEAN),
                "failed",
                "3 处衔接里 2 处有问题：01-背景→02-市场分析：缺过渡；03-渠道对比→04-结论：口径不同",
            ),
            ((CLEAN, CLEAN, CLEAN, bad("单位不一")), "failed", "3 处衔接里 0 处有问题：整体：单位不一"),
            ((missing, CLEAN, CLEAN, None), "failed", "3 处衔接里 1 处有问题：01-背景→02-市场分析：缺过渡"),
            ((CLEAN, None, CLEAN, CLEAN), "error", "没能判：02-市场分析→03-渠道对比"),
        )
    ):
        home, check = gathered(tmp_path / str(number), texts(*SEAMS))
        judge(home, *said)
        expect_equal("CHK-18", last(home, check)[:2], (outcome, told), f"after {said}")


@proves("CHK-18")
def test_the_output_lists_each_seam_with_its_picture_and_the_whole_last(tmp_path: Path) -> None:
    home, check = gathered(tmp_path / "texts", texts(*SEAMS[:2]))
    judge(home, CLEAN, bad("缺过渡"), CLEAN)
    wanted = "01-背景→02-市场分析：没有问题\n02-市场分析→03-渠道对比：缺过渡\n整体：没有问题"
    expect_equal("CHK-18", last(home, check)[2], wanted, "the output")
    home, check = gathered(tmp_path / "pictures", pictures("C2→C10"), language="en")
    judge(home, bad("the coat changes colour"))
    wanted = "C2→C10 (plans/x/checks/1/01.png): the coat changes colour"
    expect_equal("CHK-18", last(home, check)[2], wanted, "the output of pictures")


@proves("CHK-18")
def test_the_judge_answers_in_json_and_is_asked_again_once(tmp_path: Path) -> None:
    for number, said in enumerate(
        ("没有问题", "", f"```json\n{CLEAN}\n```", '{"clean": "yes"}', '{"clean": true, "score": 9}', CLEAN[:-1], "[]")
    ):
        home, check = gathered(tmp_path / str(number), texts(SEAMS[0], overall=False))
        judge(home, said)
        expect_equal("CHK-18", (len(asked(home)), runs(home, check)), (1, []), f"it is asked again after {said!r}")
        judge(home, CLEAN)
        expect_equal("CHK-18", runs(home, check), ["passed"], f"after {said!r} and a clear answer")
        home, check = gathered(tmp_path / f"{number} twice", texts(SEAMS[0], overall=False))
        judge(home, said)
        judge(home, said)
        expect_equal("CHK-18", (len(asked(home)), runs(home, check)), (0, ["error"]), f"after {said!r} twice")


@proves("CHK-19")
def test_what_the_judge_costs_is_a_category_of_its_own(tmp_path: Path) -> None:
    home, _ = gathered(tmp_path, texts(SEAMS[0]))
    judge(home, CLEAN, CLEAN, cost=0.25)
    session = home.session(ROOM)
    costs = home.rows("SELECT category, session, amount FROM costs WHERE amount = 0.25")
    expect_equal("CHK-19", costs, [("acceptance check", session, 0.25)] * 2, "what the judge has cost")


@proves("CHK-19")
def test_a_verdict_made_from_pictures_is_advice_only(tmp_path: Path) -> None:
    for of, what, said, passing in (
        ("pictures", pictures(SEAMS[0]), CLEAN, False),
        ("pictures", pictures(SEAMS[0]), bad("缺过渡"), False),
        ("texts", texts(SEAMS[0], overall=False), CLEAN, True),
        ("texts", texts(SEAMS[0], overall=False), bad("缺过渡"), False),
    ):
        is_bad = said != CLEAN
        home, check = gathered(tmp_path / f"{of}{is_bad}", what)
        judge(home, said)
        expect_equal("CHK-18", runs(home, check), ["failed" if is_bad else "passed"], f"{of}: its outcome")
        expect_equal("CHK-19", checks.passing(home.db, checks.one(home.db, check)), passing, f"{of}: it supports")
        marked = "只作参考" in last(home, check)[1]
        expect_equal("CHK-19", marked, of == "pictures", f"{of}: what is said of it")
        expect_equal("CHK-19", "只作参考" in checks.situation(home.db, 1)[0], of == "pictures", f"{of}: to its Bot")
        hops(home, "导演", send("好了", files=["deliverables/poster.png"]))
        sent_back = "fails check" in home.results(home.turn("导演")["id"])[-1][2]
        blocks = is_bad and of == "texts"
        rule = "CHK-19" if of == "pictures" else "CLOS-02"
        expect_equal(rule, sent_back, blocks, f"{of}: it sends a delivery back")
        quiet(home)
        ran(home, "gathered", **what)
        judge(home, said)
        organized(home, status="done")
        stuck = plans.points_of(home.db, 1)["progress"]["stuck"]
        rule = "CHK-19" if of == "pictures" else "CHK-11"
        expect_equal(rule, bool(stuck), blocks, f"{of}: it keeps the organizer from closing the plan")


@proves("CHK-16")
def test_a_picture_of_a_seam_is_no_artifact(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    folder = home.value("SELECT folder FROM plans WHERE id = ?", plan)
    picture, beside = f"{folder}/checks/1/01.png", f"{folder}/checks.png"
    for path in (picture, beside):
        hops(home, "导演", write(path))
    hops(home, "导演", send("衔接图", files=[picture, beside]))
    artifacts = home.rows("SELECT path, written FROM artifacts ORDER BY id")
    expect_equal("CHK-16", artifacts, [(beside, 1), (beside, 0)], "what was made and shown in the plan")


def test_a_plan_runs_no_other_check_while_seams_are_judged(tmp_path: Path) -> None:
    home, check = gathered(tmp_path, texts(SEAMS[0]))
    other = added(home, 1)
    assert running(home) == []
    judge(home, CLEAN, CLEAN)
    assert runs(home, check) == ["passed"]
    assert [each.body["check"] for each in running(home)] == [other]


def test_what_was_judged_of_a_check_that_is_another_now_counts_for_nothing(tmp_path: Path) -> None:
    home, check = gathered(tmp_path, texts(SEAMS[0]))
    home.happens(events.CheckEdited, check=check, body={"glob": "book/*.md"})
    judge(home, CLEAN, CLEAN)
    assert runs(home, check) == []
    assert [each.body["body"]["glob"] for each in running(home)] == ["book/*.md"]


@proves("CHK-20")
def test_the_organizer_proposes_continuity_only_over_what_the_plan_delivered_or_listed(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    accepted(home, plan)
    home.opened("另一本", to=ROOM)
    tell(home, plan, "各部分用 ls report/*.md 列，或者 cat parts.txt")
    hops(home, "导演", shell("ls"))
    hops(home, "导演", send("第一章", files=["report/01-背景.md", "book.md"]))
    runs_command(home, "cat parts.txt", 0)
    runs_command(home, "cat other.txt", 1)
    quiet(home)
    folder = home.value("SELECT folder FROM plans WHERE id = ?", plan)
    organized(home, {"sentence": "海报印得出来", "kind": "file_exists", "body": {"path": "poster.png"}})
    written = home.value("SELECT count(*) FROM checks WHERE written_by = 'organizer'")
    expect_equal("CHK-01", written, 1, "checks on a sentence of the acceptance")
    starts_over(home, plan)
    for body, wanted in (
        ({"glob": "report/*.md"}, 1),
        ({"glob": "*.md", "folder": "report"}, 1),
        ({"file": "book.md"}, 1),
        ({"glob": "posters/*.png"}, 0),
        ({"file": "report/02-市场分析.md"}, 0),
        ({"command": "cat parts.txt", "folder": folder}, 1),
        ({"command": "cat other.txt", "folder": folder}, 0),
        # To stand in the user's words is enough for a command, but tells of no parts.
        ({"command": "ls report/*.md", "folder": folder}, 0),
    ):
        before = home.value("SELECT count(*) FROM checks")
        organized(home, {"sentence": "海报印得出来", "kind": "continuity", "body": body})
        added_now = home.value("SELECT count(*) FROM checks") - before
        expect_equal("CHK-20", added_now, wanted, f"checks that came of {body}")
        starts_over(home, plan)


@proves("CHK-01")
def test_a_check_hangs_on_a_sentence_of_the_acceptance(tmp_path: Path) -> None:
    home, plan = at_work(tmp_path)
    accepted(home, plan)
    for sentence, wanted in (("海报印得出来", 1), ("没有这一句", 0)):
        try:
            home.happens(events.CheckAdded, plan=plan, sentence=sentence, check_kind="file_exists", body={"path": "a"})
        except ValueError:
            expect_equal("CHK-01", wanted, 0, f"a check of the user on {sentence}")
        else:
            expect_equal("CHK-01", wanted, 1, f"a check of the user on {sentence}")
    all_ran(home)
    for number, (sentence, wanted) in enumerate((("没有这一句", 0), ("海报印得出来", 1))):
        quiet(home) if number == 0 else look_again(home, plan)
        all_ran(home)
        organized(home, {"sentence": sentence, "kind": "file_exists", "body": {"path": f"{number}"}})
        all_ran(home)
        of = home.value("SELECT count(*) FROM checks WHERE written_by = 'organizer' AND sentence = ?", sentence)
        expect_equal("CHK-01", of, wanted, f"checks of the organizer on {sentence}")


def runs_command(home: Evening, command: str, exit_code: int) -> None:
    """The director runs a command, which ends so."""
    home.hop("导演", shell(command), run=False)
    effect = next(each for each in home.engine.open_effects() if each.kind == "run_tool")
    home.happens(events.Ran, effect=effect.id, ok=exit_code == 0, exit_code=exit_code)


def quiet(home: Evening) -> None:
    """The director's segment ends, and its plan is quiet."""
    turn = home.turn("导演")["id"]
    read = home.rows("SELECT id FROM inbox_items WHERE read_by_turn = ? ORDER BY id", turn)
    inbox = [{"id": item, "state": "done"} for (item,) in read]
    while home.live("导演"):
        home.hop("导演", end_turn(reason="done", note="好了", inbox=inbox))
    home.later(1)


def organized(home: Evening, *notes: Any, **more: Any) -> None:
    """The organizer answers."""
    effect = next(each for each in home.engine.open_effects() if each.kind == "organizer")
    raw = json.dumps({"checks": list(notes), **more}, ensure_ascii=False)
    home.happens(events.Organized, effect=effect.id, raw=raw)


def starts_over(home: Evening, plan: int) -> None:
    """The checks that there are have run and are gone, and the organizer is asked again."""
    all_ran(home)
    home.sql("UPDATE checks SET state = 'deleted'")
    look_again(home, plan)


def look_again(home: Evening, plan: int) -> None:
    """The plan's Bot takes a short look, and the plan is quiet again."""
    tell(home, plan, "再看看")
    quiet(home)
