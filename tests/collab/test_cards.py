"""Old cards about a line that opened a plan: undo and merge, each stops the plan for good; and what is kept."""

from pathlib import Path
from typing import Any

from evening import Evening, shell, work_on, write
from holding import check_back, waits
from pressing import card, carried, press
from readings import refused
from requests_over_http import WAYS, Client
from stopping import held, lift

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

ROOM = "剪辑组"


def opened(folder: Path, name: str = "home") -> tuple[Evening, int, int, int]:
    """A line has opened a plan by mistake, on which the director works; with the plan that it belongs to."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案"], rooms={ROOM: ["导演", "文案"]})
    right, new = home.opened("宣传片", to=ROOM), home.opened("片头换个颜色", to=ROOM)
    line = home.say("@导演 片头换个颜色", to=ROOM, files=[new])
    home.hop("导演", write("a.md"))
    home.hop("导演", check_back(), shell("render a"), write("b.md"), run=False)
    return home, line, new, right


def pressed(home: Evening, message: int, action: str, plan: int | None = None) -> str | None:
    """Why a press is refused; None where it is taken."""
    return refused(home, events.ControlPressed, message=message, action=action, plan=plan)


def status(home: Evening, plan: int) -> str:
    """How a plan stands."""
    return str(home.value("SELECT status FROM plans WHERE id = ?", plan))


@proves("DESK-37")
def test_an_old_card_works_once_while_its_plan_is_not_accepted_or_abandoned(tmp_path: Path) -> None:
    for action in ("undo_plan", "merge_plan"):
        for state, wanted in (
            ("active", None),
            ("delivered", None),
            ("done", None),
            ("accepted", "plan_changed"),
            ("abandoned", "plan_changed"),
        ):
            home, line, new, right = opened(tmp_path, f"{action} {state}")
            home.sql("UPDATE plans SET status = ? WHERE id = ?", state, new)
            old = card(home, ROOM, line, new, right)
            into = right if action == "merge_plan" else None
            expect_equal("DESK-37", pressed(home, old, action, into), wanted, f"{action} on a plan that is {state}")
            expect_equal("DESK-39", len(held(home)), int(wanted is None), "holds on the plan")
            after = "abandoned" if wanted is None else state
            expect_equal(
                "DESK-37", (status(home, new), len(held(home))), (after, int(wanted is None)), "what comes of it"
            )
            if wanted is None:
                home.sql("UPDATE plans SET status = 'active' WHERE id = ?", new)
                lift(home, 1)
                expect_equal("DESK-37", pressed(home, old, action, into), None, "a second press")
                expect_equal("DESK-37", (status(home, new), held(home)), ("active", []), "what the second press does")


@proves("DESK-38")
def test_a_card_of_a_queued_plan_starts_nothing(tmp_path: Path) -> None:
    for action in ("undo_plan", "merge_plan"):
        home, _, _, right = opened(tmp_path, action)
        other = home.opened("年会", to=ROOM)
        home.say("@导演 年会也做", to=ROOM, files=[other])
        new = home.opened("第三件", to=ROOM)
        line = home.say("@导演 第三件", to=ROOM, files=[new])
        expect_equal("DESK-38", len(home.live("导演")), 2, "segments, with the third plan queued")
        press(home, card(home, ROOM, line, new, right), action, right if action == "merge_plan" else None)
        expect_equal("DESK-38", len(home.live("导演")), 2, f"segments after {action}")
        expect_equal("DESK-38", status(home, new), "abandoned", "the plan that was queued")
        lift(home, 1)
        home.run("导演")
        while home.hop("导演", text="好了。"):
            pass
        plans = {turn["plan"] for turn in home.turns("导演")}
        expect_equal("DESK-38", new in plans, False, "whether the third plan is ever worked on")
        read = [turn["plan"] for turn in home.turns("导演") if turn["id"] in home.read_in(line, "导演")]
        expect_equal(
            "DESK-38", read, [right] if action == "merge_plan" else [], f"where its line is read after {action}"
        )


@proves("DESK-39")
def test_undo_gives_the_plan_up_for_good_and_keeps_what_there_is(tmp_path: Path) -> None:
    home, line, new, right = opened(tmp_path)
    home.say("@文案 写三句", to=ROOM, files=[new])
    unread = home.say("@导演 再亮一点", to=ROOM, files=[new])
    quote = home.value("SELECT id FROM quotes WHERE message = ?", line)
    home.requires(1, "片头", new, quote=quote)
    tables = ("artifacts", "runs", "quotes", "quote_filings", "requirements", "message_filings", "messages")
    before = {
        name: home.rows(f"SELECT id FROM {name}") if "filings" not in name else home.rows(f"SELECT * FROM {name}")
        for name in tables
        if home.value("SELECT 1 FROM sqlite_schema WHERE name = ?", name)
    }
    old = card(home, ROOM, line, new, right)
    press(home, old, "undo_plan")
    made = home.rows("SELECT scope, plan, source, source_message, lifted_by FROM holds")
    expect_equal("DESK-39", made, [("plan", new, "user_button", line, None)], "the hold on the new plan")
    expect_equal("DESK-39", (home.live("导演"), home.live("文案")), ([], []), "what runs there")
    expect_equal("DESK-39", home.turn("导演")["state"], "stopped", "the segment that ran")
    expect_equal("DESK-39", status(home, new), "abandoned", "the plan")
    after = {
        name: home.rows(f"SELECT id FROM {name}") if "filings" not in name else home.rows(f"SELECT * FROM {name}")
        for name in before
    }
    after["messages"] = [row for row in after["messages"] if row != (old,)]
    for name, rows in before.items():
        expect_equal("DESK-39", after[name], rows, f"the {name} that there were")
    expect_equal("DESK-39", home.filed(line), [(new, None)], "where the line is filed")
    expect_equal("DESK-39", waits(home), ["void"], "the check-back there")
    turns = len(home.rows("SELECT id FROM turns"))
    lift(home, 1)
    home.later(60)
    expect_equal("DESK-39", status(home, new), "abandoned", "the plan, once the hold is lifted")
    again = home.rows("SELECT id FROM turns")[turns:], home.read_in(unread, "导演")
    expect_equal("DESK-39", again, ([], []), "segments that open there then, and who reads what nobody had read")
    items = home.rows("SELECT DISTINCT state FROM work_items WHERE plan = ?", new)
    expect_equal("DESK-39", items, [("closed",)], "the work there")


@proves("DESK-40")
def test_what_was_begun_is_said_to_be_kept_and_nothing_lands_afterwards(tmp_path: Path) -> None:
    for action in ("undo_plan", "merge_plan"):
        home, line, new, right = opened(tmp_path, action)
        home.say("@文案 写三句", to=ROOM, files=[right])
        home.hop("文案", write("else.md"))
        running = next(each for each in home.engine.open_effects() if each.kind == "run_tool")
        home.engine.begin(running.id)
        home.sql("UPDATE calls SET state = 'failed' WHERE name = 'check_back'")
        old = card(home, ROOM, line, new, right)
        came = press(home, old, action, right if action == "merge_plan" else None)
        wanted = {
            "files": ["a.md"],
            "calls": [
                'write_file {"path": "a.md"}',
                'check_back {"after_minutes": 30, "note": "看看渲染"}',
                'shell {"command": "render a"}',
            ],
        }
        expect_equal("DESK-40", came["kept"], wanted, f"what {action} says is kept")
        expect_equal("DESK-40", carried(home, old)["acted"]["kept"], wanted, "what is on record of it")
        logged = home.value("SELECT body ->> '$.kept.files' FROM work_events WHERE type = 'plan.abandoned'")
        expect_equal("DESK-40", logged, '["a.md"]', "the files that the work log names")
        home.happens(events.Ran, effect=running.id, ok=True, written=("late.md",))
        paths = home.rows("SELECT path FROM artifacts WHERE plan = ? AND written = 1", new)
        expect_equal("DESK-40", paths, [("a.md",)], "files there after a call came back late")
        calls = home.results(home.turns("导演")[0]["id"])[-1]
        expect_equal("DESK-40", calls[:2], ("write_file", "refused"), "the call that was to follow")


@proves("DESK-41")
def test_merge_moves_the_cited_line_alone(tmp_path: Path) -> None:
    home, line, new, right = opened(tmp_path)
    third = home.opened("年会", to=ROOM)
    both = home.say("@文案 两件都写三句", to=ROOM, files=[third, new])
    other = home.say("@导演 再亮一点", to=ROOM, files=[new])
    press(home, card(home, ROOM, both, new, right), "merge_plan", right)
    expect_equal("DESK-41", home.filed(both), [(third, None), (right, None)], "where the cited line is filed")
    expect_equal("DESK-41", (home.filed(line), home.filed(other)), ([(new, None)],) * 2, "where the others are")
    words = (
        home.value("SELECT text FROM messages WHERE id = ?", both),
        home.value("SELECT text FROM quotes WHERE message = ?", both),
    )
    expect_equal("DESK-41", words, ("@文案 两件都写三句",) * 2, "its words, in the chat and as quoted")
    expect_equal("DESK-41", (held(home), status(home, new)), ([("plan", new)], "abandoned"), "the new plan")
    expect_equal("DESK-41", [turn["plan"] for turn in home.live("导演")], [right], "where who overheard it reads it")


@proves("DESK-42")
def test_merge_corrects_and_changes_nothing_else(tmp_path: Path) -> None:
    home, line, new, right = opened(tmp_path)
    home.happens(events.HoldMade, scope="plan", plan=right)
    state = home.rows("SELECT id, plan, ticket, cwd FROM turns"), home.rows("SELECT path, plan FROM artifacts")
    code = pressed(home, card(home, ROOM, line, new, right), "merge_plan", right)
    expect("DESK-37", code != "plan_changed", "the new plan is not too far")
    expect_equal("DESK-42", code, None, "merge into a plan that is held")
    expect_equal("DESK-42", home.filed(line), [(right, None)], "where the line is filed, with its target held")
    expect_equal("DESK-42", held(home), [("plan", right), ("plan", new)], "the target's hold, and the new plan's")
    now = home.rows("SELECT id, plan, ticket, cwd FROM turns"), home.rows("SELECT path, plan FROM artifacts")
    expect_equal("DESK-42", now, state, "turns with their plans and folders, and files")
    copies = home.rows(
        "SELECT w.plan, i.kind, i.state FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.message = ? ORDER BY i.id",
        line,
    )
    expect_equal("DESK-42", copies, [(new, "line", "read"), (right, "correction", "held")], "the copies of the line")
    names = home.rows("SELECT id FROM plans WHERE name IN ('宣传片', '片头换个颜色')")
    expect_equal("DESK-42", names, [(right,), (new,)], "the plans that there are")
    lift(home, 1)
    expect_equal("DESK-42", [turn["plan"] for turn in home.live("导演")], [right], "where it is done after the lift")


@proves("DESK-43")
def test_merge_is_refused_where_it_fits_no_more(tmp_path: Path) -> None:
    cases: dict[str, tuple[str, ...]] = {
        "the line is filed elsewhere": ("UPDATE message_filings SET plan = {right} WHERE message = {line}",),
        "not on the card": (),
        "another project": ("UPDATE plans SET session = 1 WHERE id = {right}",),
        "accepted": ("UPDATE plans SET status = 'accepted' WHERE id = {right}",),
        "abandoned": ("UPDATE plans SET status = 'abandoned' WHERE id = {right}",),
        "done": ("UPDATE plans SET status = 'done' WHERE id = {right}",),
        "parked": ("UPDATE plans SET status = 'parked' WHERE id = {right}",),
        "fits": (),
        "delivered": ("UPDATE plans SET status = 'delivered' WHERE id = {right}",),
    }
    for name, statements in cases.items():
        home, line, new, right = opened(tmp_path, name)
        for statement in statements:
            home.sql(statement.format(right=right, line=line))
        offers = [] if name == "not on the card" else [right]
        before = home.filed(line), held(home), status(home, new)
        code = pressed(home, card(home, ROOM, line, new, *offers), "merge_plan", right)
        fits = name in ("fits", "delivered")
        expect("DESK-37", code != "plan_changed", f"the new plan is not too far: {name}")
        expect_equal("DESK-43", code, None if fits else "attribution_changed", f"merge: {name}")
        if not fits:
            expect_equal("DESK-43", (home.filed(line), held(home), status(home, new)), before, f"what it left: {name}")


@proves("DESK-44")
def test_both_buttons_share_one_call_at_home_and_away(tmp_path: Path) -> None:
    said: list[dict[str, Any]] = [{"action": "undo_plan"}, {"action": "merge_plan", "task_id": 1}]
    for away in WAYS:
        for body in said:
            home, line, new, right = opened(tmp_path, f"{away} {body['action']}")
            old, plain = card(home, ROOM, line, new, right), home.say("@导演 好", to=ROOM)
            call = Client(home, away=away)
            for wrong in ({"action": "undo_plan", "task_id": right}, {"action": "merge_plan"}, {"action": "stop"}):
                answer = call("POST", f"messages/{old}/control", **wrong)
                expect_equal("DESK-44", answer.status, 422, f"a press of {wrong} on the card")
            expect_equal("DESK-44", call("POST", f"messages/{plain}/control", **body).status, 422, "on another line")
            answers = [call("POST", f"messages/{old}/control", key="one", **body) for _ in range(2)]
            for answer in answers:
                seen = answer.status, {key: answer.said.get(key) for key in ("made", "lifted")}
                expect_equal("DESK-44", seen, (200, {"made": [1], "lifted": []}), f"{body}, {away=}")
                expect("DESK-44", "a.md" in answer.said["kept"]["files"], f"what is kept: {answer.said}")
            expect_equal("DESK-44", status(home, new), "abandoned", "the new plan")
            home.sql("UPDATE plans SET status = 'accepted' WHERE id = ?", new)
            late = call("POST", f"messages/{card(home, ROOM, line, new, right)}/control", **body)
            codes = {"undo_plan": "plan_changed", "merge_plan": "attribution_changed"}
            expect_equal("DESK-44", (late.status, late.error), (409, codes[body["action"]]), "a press that is too late")


@proves("DESK-27")
def test_a_desk_that_is_refused_twice_is_closed(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    for name in ("甲", "乙"):
        home.opened(name, to="导演")
    line = home.say("改一下颜色", to="导演")
    home.hop("导演", write("a.svg"))
    expect_equal("DESK-11", home.ran, [], "what ran unbound")
    expect_equal("DESK-08", home.turn("导演")["bounces"], 1, "bounces so far")
    expect_equal("DESK-27", [len(home.live("导演")), home.said()], [1, []], "after the first refusal")
    second = home.say("快一点", to="导演", read=False)
    home.hop("导演", work_on(plan=99), work_on(plan=1), write("b.svg"))
    desk = home.turn("导演")
    expect_equal("DESK-27", (desk["state"], desk["end_reason"]), ("completed", "needs_attention"), "the segment")
    expect_equal("DESK-27", home.value("SELECT state FROM work_items"), "needs_attention", "its work")
    states = [state for _, state, _ in home.results(desk["id"])]
    expect_equal("DESK-27", states, ["refused"] * 4, "its calls, those after the second refusal included")
    expect_equal("DESK-27", (home.ran, home.filed(line)), ([], []), "what ran, and where the line is filed")
    told = ["This message needs an attribution first. No tool with a side effect has run."]
    expect_equal("DESK-27", home.said(), told, "what the user is told")
    home.read(second)
    expect_equal("DESK-27", [turn["mode"] for turn in home.live("导演")], ["desk"], "what the next line opens")


@proves("DESK-27")
def test_what_a_desk_was_sent_meanwhile_is_read_by_the_next_one(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    for name in ("甲", "乙"):
        home.opened(name, to="导演")
    home.say("改一下颜色", to="导演")
    home.hop("导演", write("a.svg"))
    expect_equal("DESK-11", home.ran, [], "what ran unbound")
    expect_equal("DESK-08", home.turn("导演")["bounces"], 1, "bounces so far")
    home.hop("导演", events.Call("read_file", {"path": "a"}), work_on(plan=99), run=False)
    unread = home.say("进度如何？", to="导演")
    home.run("导演")
    expect_equal("DESK-27", home.turns("导演")[0]["end_reason"], "needs_attention", "the desk")
    expect_equal(
        "DESK-27", home.read_in(unread, "导演"), [home.turns("导演")[1]["id"]], "who reads what came meanwhile"
    )


@proves("DESK-27")
def test_a_segment_bound_meanwhile_is_not_closed_for_its_attribution(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    for name in ("甲", "乙"):
        home.opened(name, to="导演")
    home.say("改一下颜色", to="导演")
    home.hop("导演", work_on(plan=99))
    home.hop("导演", work_on(plan=1), work_on(plan=99), write("a.svg"))
    expect_equal("DESK-27", [turn["plan"] for turn in home.live("导演")], [1], "what goes on")
    expect_equal("DESK-27", (home.said(), len(home.ran)), ([], 1), "what the user is told, and what ran")


@proves("DESK-27")
def test_nothing_is_claimed_of_a_desk_that_has_acted_on_the_spot(tmp_path: Path) -> None:
    home = Evening(tmp_path, bots=["导演"])
    home.say("查一下有几家供应商", to="导演", files="spot")
    home.hop("导演", shell("curl suppliers"))
    expect_equal("DESK-11", (len(home.ran), home.turn("导演")["bounces"]), (1, 0), "what ran on the spot")
    home.hop("导演", work_on(plan=99))
    expect_equal("DESK-08", home.turn("导演")["bounces"], 1, "bounces so far")
    home.hop("导演", work_on(plan=99))
    expect_equal("DESK-27", home.turn("导演")["end_reason"], "needs_attention", "the segment")
    expect_equal("DESK-27", home.said(), ["This message needs an attribution first."], "what the user is told")
