"""Acceptance checks: the user writes them on the board, the application runs them, and Bots read what came of it."""

import sqlite3
from pathlib import Path

import pytest
from checking import ACCEPTANCE, POSTER, accepted_work, added, all_ran, ran, running, runs, under_way
from ending import ROOM, hops, look, tell
from evening import Evening
from requests_over_http import AT_HOME, AWAY, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import checks, events
from threadrebuild.collab.change import Conflict, Missing

COMMAND = {"command": "pytest -q"}


@proves("CHK-05")
def test_a_run_is_kept_with_its_result_a_line_in_the_users_language_and_its_tail(tmp_path: Path) -> None:
    lines = {
        "zh": ("deliverables/poster.png 不在", "退出码 2，应为 0", "没过"),
        "en": ("deliverables/poster.png is not there", "exit code 2, 0 expected", "failed"),
    }
    for language, (missing, exit_, plain) in lines.items():
        home, plan = accepted_work(tmp_path / language)
        home.sql("UPDATE meta SET language = ?", language)
        check = added(home, plan)
        ran(home, "failed", says="missing", **POSTER)
        other = added(home, plan, "command", COMMAND)
        ran(home, "failed", says="exit", exit_code=2, wanted=0, tail="x" * 3000 + "the end")
        last = "SELECT outcome, detail FROM check_runs WHERE check_id = ? ORDER BY id DESC"
        expect_equal("CHK-05", home.rows(last, check), [("failed", missing)], f"in {language}")
        expect_equal("CHK-05", home.rows(last, other), [("failed", exit_)], f"of a command, in {language}")
        tail = home.value("SELECT tail FROM check_runs WHERE check_id = ?", other)
        expect_equal("CHK-05", tail, "x" * 1993 + "the end", f"what of its output is kept, in {language}")
        third = added(home, plan, body={"path": "b"})
        ran(home, "failed", says="what nobody knows")
        expect_equal("CHK-05", home.rows(last, third), [("failed", plain)], f"with nothing known, in {language}")
    outcomes = ["passed", "failed", "out_of_bounds", "error"]
    home, plan = accepted_work(tmp_path / "many")
    check = added(home, plan)
    for number, outcome in enumerate([*outcomes, *outcomes]):
        if number:
            home.happens(events.ChecksRun, plan=plan)
        ran(home, outcome)
        wanted = [*outcomes, *outcomes][: number + 1][-5:]
        expect_equal("CHK-05", runs(home, check), wanted, f"the runs kept after {number + 1}")


@proves("CHK-07")
def test_the_user_writes_changes_deletes_and_runs_checks(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    check = added(home, plan)
    ran(home)
    home.happens(events.CheckEdited, check=check, check_kind="contains", body={"path": "a.md", "text": "价格"})
    expect_equal("CHK-07", [each.body["kind"] for each in running(home)], ["contains"], "what it is changed to")
    ran(home)
    home.happens(events.CheckEdited, check=check, sentence=ACCEPTANCE[1])
    sentence = home.value("SELECT sentence FROM checks WHERE id = ?", check)
    expect_equal("CHK-07", sentence, ACCEPTANCE[1], "the sentence that it is hung on")
    all_ran(home)
    home.happens(events.ChecksRun, plan=plan)
    home.happens(events.CheckDeleted, check=check)
    ran(home, "failed")
    expect_equal("CHK-07", runs(home, check)[-1], "passed", "a run that ends after it was deleted")
    home.happens(events.ChecksRun, plan=plan)
    expect_equal("CHK-07", under_way(home), [], "what runs of one that was deleted")
    for kind, fields in (
        (events.CheckEdited, {"check": check, "body": POSTER}),
        (events.CheckDeleted, {"check": check}),
        (events.CheckAdded, {"plan": 99, "sentence": ACCEPTANCE[0], "check_kind": "file_exists", "body": POSTER}),
        (events.ChecksRun, {"plan": 99}),
    ):
        with pytest.raises(Missing):
            home.happens(kind, **fields)
    for sentence, body in (("不在验收里", POSTER), (ACCEPTANCE[0], {"path": ""}), (ACCEPTANCE[0], {"name": "a.png"})):
        with pytest.raises(ValueError, match="no"):
            home.happens(events.CheckAdded, plan=plan, sentence=sentence, check_kind="file_exists", body=body)
    left = added(home, plan)
    with pytest.raises(ValueError, match="no sentence"):
        home.happens(events.CheckEdited, check=left, sentence="不在验收里")


@proves("CHK-07")
def test_checks_are_written_deleted_and_run_over_http_at_home(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    call = Client(home, away=AT_HOME)
    body = {"sentence": ACCEPTANCE[0], "kind": "file_exists", "body": POSTER}
    made = call("POST", f"tasks/{plan}/checks", **body)
    expect_equal("CHK-07", made.status, 200, f"a check that is added: {made.said}")
    check = made.said["checks"][0]["id"]
    ran(home, "failed", says="missing", **POSTER)
    changed = call("PATCH", f"checks/{check}", kind="command", body=COMMAND)
    expect_equal("CHK-07", changed.status, 200, f"a check that is changed: {changed.said}")
    expect_equal("CHK-07", changed.said["kind"], "command", "what it is then")
    all_ran(home)
    run = call("POST", f"tasks/{plan}/checks/run")
    expect_equal("CHK-07", run.status, 200, f"a run that is wanted: {run.said}")
    expect_equal("CHK-07", under_way(home), [check], "what runs")
    all_ran(home)
    board = call("GET", f"tasks/{plan}/checks")
    expect_equal("CHK-07", board.status, 200, f"the board: {board.said}")
    listed = board.said["checks"]
    outcomes = [(each["id"], [run["outcome"] for run in each["runs"]]) for each in listed]
    expect_equal("CHK-07", outcomes, [(check, ["passed", "passed", "failed"])], "what the board lists")
    gone = call("DELETE", f"checks/{check}")
    expect_equal("CHK-07", gone.status, 200, f"a check that is deleted: {gone.said}")
    expect_equal("CHK-07", gone.said["state"], "deleted", "how it stands then")
    expect_equal("CHK-07", call("GET", f"tasks/{plan}/checks").said, {"checks": []}, "what the board lists then")
    outside = call("POST", f"tasks/{plan}/checks", **{**body, "body": {"path": "../a"}})
    expect_equal("CHK-03", outside.error, "out_of_bounds", f"a check outside the workspace: {outside.said}")
    for method, path in (("PATCH", "checks/99"), ("DELETE", "checks/99"), ("GET", "tasks/99/checks")):
        missing = call(method, path)
        expect_equal("CHK-07", missing.status, 404, f"{method} {path}: {missing.said}")
    away = Client(home, away=AWAY)
    expect_equal("CHK-07", away("POST", f"tasks/{plan}/checks", **body).status, 404, "a check added from away")


@proves("CHK-09")
def test_each_turn_reads_the_checks_of_its_plan_and_no_tool_of_a_bot_writes_one(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    check = added(home, plan)
    home.hop("导演", look())
    text = home.context(home.turn("导演")["id"])
    expect("CHK-09", "“海报印得出来”: not run yet" in text, text)
    ran(home, "failed", says="missing", **POSTER)
    tools = ("check", "add_check", "edit_check", "delete_check", "run_checks")
    hops(home, "导演", *(events.Call(name, {"check": check, "plan": plan, "body": {"path": "b"}}) for name in tools))
    text = home.context(home.turn("导演")["id"])
    expect("CHK-09", "“海报印得出来”: failed: deliverables/poster.png 不在" in text, text)
    found = home.rows("SELECT id, body, state FROM checks")
    expect_equal(
        "CHK-09", found, [(check, '{"path":"deliverables/poster.png"}', "active")], "the checks after all that"
    )
    tell(home, home.opened("预告片", to=ROOM), "预告片呢")
    text = home.context(home.turn("导演")["id"])
    expect("CHK-09", "海报印得出来" not in text, f"a turn of another plan: {text}")


@proves("CHK-10")
def test_a_check_follows_its_sentence_reworded_and_stays_where_that_is_deleted(tmp_path: Path) -> None:
    cases: tuple[tuple[str, tuple[str, ...], str], ...] = (
        ("reworded", ("海报打印得出来", "价格写清楚"), "海报打印得出来"),
        ("reworded and moved", ("价格写清楚", "要有价格", "海报能印得出来"), "海报能印得出来"),
        ("one of two that are alike", ("海报印得好看", "海报印得出来吗", "价格写清楚"), "海报印得出来吗"),
        ("half of it new", ("海报得xxx", "价格写清楚"), "海报得xxx"),
        ("more than half of it new", ("海报得xxxx", "价格写清楚"), "海报印得出来"),
        ("deleted", ("价格写清楚",), "海报印得出来"),
        ("deleted, and another put there", ("配乐要轻快", "价格写清楚"), "海报印得出来"),
        ("all deleted", (), "海报印得出来"),
        ("kept beside one that is alike", ("海报印得出来", "海报印得出来！"), "海报印得出来"),
    )
    for number, (what, now, sentence) in enumerate(cases):
        home, plan = accepted_work(tmp_path / str(number))
        check, other = added(home, plan), added(home, plan, of=1, body={"path": "b"})
        all_ran(home)
        home.happens(events.BoardEdited, plan=plan, acceptance=now)
        found = home.value("SELECT sentence FROM checks WHERE id = ?", check)
        expect_equal("CHK-10", found, sentence, f"the sentence of a check, once it is {what}")
        unmatched = [each["unmatched"] for each in checks.listed(home.db, plan)["checks"]]
        expect_equal(
            "CHK-10", unmatched, [sentence not in now, "价格写清楚" not in now], f"unmatched, once it is {what}"
        )
        home.happens(events.ChecksRun, plan=plan)
        expect_equal("CHK-10", all_ran(home, "failed"), [check, other], f"what runs, once it is {what}")


@proves("CHK-12")
def test_a_failing_check_moves_no_ticket(tmp_path: Path) -> None:
    for level in (3, 4, 5, 8):
        home, plan = accepted_work(tmp_path / str(level), level=level, owes=True)
        home.happens(events.TicketEdited, ticket=1, status="done")
        before = home.rows("SELECT status, stage FROM tickets")
        check = added(home, plan)
        ran(home, "failed")
        expect_equal("CHK-12", runs(home, check), ["failed"], f"the check, at level {level}")
        expect_equal("CHK-12", home.rows("SELECT status, stage FROM tickets"), before, f"its ticket, at level {level}")
        expect("CHK-12", not moves(home), f"by a check that came back, at level {level}, the ticket moves")
        home.sql("INSERT INTO submissions (ticket, origin, state, at) VALUES (1, 'implicit', 'submitted', 1)")
        expect_equal("CHK-12", moves(home), level >= 5, f"with something handed in, at level {level}, it moves")
        home.sql("UPDATE submissions SET state = 'approved'")
        expect("CHK-12", not moves(home), f"with something approved, at level {level}, it moves")
        home.happens(events.ChecksRun, plan=plan)
        expect("CHK-12", moves(home), "by something else the ticket moves")


def moves(home: Evening) -> bool:
    """Whether the store lets a ticket be moved, in the event that was last."""
    before = home.value("SELECT status FROM tickets WHERE id = 1")
    try:
        home.stands(1, "todo" if before == "in progress" else "in progress", "check")
    except sqlite3.IntegrityError:
        return False
    return bool(home.value("SELECT status FROM tickets WHERE id = 1") != before)


@proves("CHK-08")
def test_a_plan_has_ten_checks_of_the_users_too(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    made = [adds(home, plan, str(number)) for number in range(10)]
    expect("CHK-08", all(made), f"whether each of ten is added: {made}")
    expect("CHK-08", not adds(home, plan, "eleventh"), "an eleventh is added")
    home.happens(events.CheckDeleted, check=made[0])
    expect("CHK-08", adds(home, plan, "eleventh"), "none is added in the place of one that was deleted")
    count = home.value("SELECT count(*) FROM checks WHERE state = 'active'")
    expect_equal("CHK-08", count, 10, "how many there are with one in the place of another")


def adds(home: Evening, plan: int, path: str) -> int:
    """The check that the user adds to a plan; 0 where that is full."""
    try:
        return added(home, plan, body={"path": path})
    except Conflict as error:
        assert error.code == "check_limit"
        return 0
