"""When checks run: new and changed ones at once, all when the user wants it, stale ones when their plan is quiet."""

from pathlib import Path

from checking import (
    ACCEPTANCE,
    accepted,
    accepted_work,
    added,
    all_ran,
    organized,
    organizers,
    quiet,
    ran,
    running,
    runs,
    under_way,
)
from ending import ROOM, tell
from evening import Evening, write

from harness.expect import expect_equal, proves
from threadrebuild.collab import events

COMMAND = {"command": "pytest -q"}


def another_plan(home: Evening, name: str = "预告片") -> int:
    """Another plan, with the same acceptance."""
    plan = home.opened(name, to=ROOM)
    accepted(home, plan)
    return plan


@proves("CHK-06")
def test_a_new_or_changed_check_runs_alone_and_all_run_when_the_user_wants_it(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    first = added(home, plan)
    expect_equal("CHK-06", under_way(home), [first], "what runs once a check is made")
    ran(home)
    second = added(home, plan, body={"path": "b.png"})
    expect_equal("CHK-06", all_ran(home), [second], "what runs once another is made")
    home.happens(events.CheckEdited, check=first, body={"path": "c.png"})
    expect_equal("CHK-06", under_way(home), [first], "what runs once one is changed")
    home.happens(events.CheckEdited, check=first, body={"path": "d.png"})
    ran(home, "failed")
    expect_equal("CHK-06", runs(home, first), ["passed"], "a run of what it was before")
    expect_equal("CHK-06", [each.body["body"] for each in running(home)], [{"path": "d.png"}], "what runs after that")
    ran(home)
    third = added(home, plan, "command", COMMAND)
    ran(home)
    home.happens(events.ChecksRun, plan=plan)
    expect_equal("CHK-06", all_ran(home), [first, second, third], "what runs when the user wants it, in order")


@proves("CHK-06")
def test_a_plan_has_one_run_at_a_time_and_the_machine_one_command(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    other = another_plan(home)
    here = [added(home, plan, "command", COMMAND), added(home, plan)]
    expect_equal("CHK-06", under_way(home), here[:1], "runs of one plan")
    there = [added(home, other, "command", COMMAND), added(home, other)]
    expect_equal("CHK-06", under_way(home), here[:1], "a command beside a command of another plan")
    ran(home)
    expect_equal("CHK-06", under_way(home), [here[1], there[0]], "what follows, and the other plan's command")
    third = another_plan(home, "片尾")
    joints = added(home, third, "continuity", {"command": "ls parts"})
    expect_equal("CHK-06", under_way(home), [here[1], there[0]], "parts that a command lists, beside a command")
    ran(home, check=there[0])
    expect_equal("CHK-06", under_way(home), [here[1], there[1], joints], "files beside each other, and parts")


@proves("CHK-06")
def test_a_quiet_plan_runs_what_is_stale_then_asks_the_organizer_then_runs_what_that_adds(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    stale, command = added(home, plan), added(home, plan, "command", COMMAND)
    all_ran(home, "failed")
    quiet(home, write("a.png"))
    expect_equal("CHK-06", under_way(home), [stale], "what runs when the plan is quiet")
    expect_equal("CHK-06", organizers(home), [], "the organizer, while they run")
    ran(home)
    expect_equal("CHK-06", under_way(home), [command], "what runs after that")
    expect_equal("CHK-06", organizers(home), [], "the organizer, while one is left")
    ran(home)
    expect_equal("CHK-06", len(organizers(home)), 1, "the organizer after them")
    told = [(each["id"], each["outcome"]) for each in organizers(home)[0].body["checks"]]
    expect_equal("CHK-06", told, [(stale, "passed"), (command, "passed")], "what the organizer is told")
    organized(home, {"sentence": ACCEPTANCE[0], "kind": "file_exists", "body": {"path": "new.png"}})
    new = home.value("SELECT max(id) FROM checks")
    expect_equal("CHK-06", under_way(home), [new], "what runs after the organizer")
    ran(home)
    tell(home, another_plan(home), "预告片呢")
    quiet(home)
    expect_equal("CHK-06", all_ran(home), [], "what runs when another plan is quiet")
    organized(home)
    tell(home, plan, "再看看")
    fresh = added(home, plan, body={"path": "fresh.png"})
    home.sql("DELETE FROM check_queue")
    home.sql("UPDATE effects SET state = 'void' WHERE kind = 'run_check'")
    home.sql("UPDATE check_runs SET seq = 1000000 WHERE check_id IN (?, ?)", stale, command)
    quiet(home)
    expect_equal("CHK-06", all_ran(home), [new, fresh], "what ran before the last segment, and what never ran")


@proves("CHK-06")
def test_a_quiet_plan_runs_checks_for_a_quarter_of_an_hour(tmp_path: Path) -> None:
    for seconds, goes_on in ((15 * 60 - 1, True), (15 * 60, False)):
        home, plan = accepted_work(tmp_path / str(seconds))
        first, second = added(home, plan), added(home, plan, "command", COMMAND)
        all_ran(home)
        quiet(home)
        due = home.value("SELECT json_extract(body, '$.due') FROM effects WHERE subject = ?", f"quiet:{plan}")
        expect_equal("CHK-06", under_way(home), [first], "what runs first")
        home.now = due + seconds * 1000 - 1000
        ran(home)
        expect_equal("CHK-06", under_way(home), [second] if goes_on else [], f"what runs after {seconds} s")
        limits = [each.body["limit_s"] for each in running(home)]
        expect_equal("CHK-06", limits, [1] if goes_on else [], f"how long it may take, after {seconds} s")
        expect_equal("CHK-06", len(organizers(home)), int(not goes_on), f"the organizer, after {seconds} s")
    home, plan = accepted_work(tmp_path / "asked")
    first, second = added(home, plan), added(home, plan, "command", COMMAND)
    all_ran(home)
    quiet(home)
    home.happens(events.ChecksRun, plan=plan)
    home.now += 16 * 60_000
    ran(home)
    expect_equal("CHK-06", all_ran(home), [second, first], "what the user wants runs however late")
    home, plan = accepted_work(tmp_path / "added")
    quiet(home)
    home.now += 16 * 60_000
    organized(home, {"sentence": ACCEPTANCE[0], "kind": "file_exists", "body": {"path": "new.png"}})
    expect_equal("CHK-06", under_way(home), [], "what runs of an organizer that took too long")


@proves("CHK-06")
def test_new_work_or_a_stop_takes_the_quiet_run_back(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path / "work")
    added(home, plan)
    all_ran(home)
    quiet(home)
    tell(home, plan, "还要改")
    all_ran(home)
    expect_equal("CHK-06", organizers(home), [], "the organizer, of a plan that is worked on again")
    home, plan = accepted_work(tmp_path / "stop")
    added(home, plan)
    added(home, plan, body={"path": "b.png"})
    all_ran(home)
    quiet(home)
    tell(home, plan, "还要改")
    home.happens(events.StopPressed, turn=home.turn("导演")["id"])
    expect_equal("CHK-06", len(all_ran(home)), 1, "what still runs after a stop: what is under way")
    expect_equal("CHK-06", organizers(home), [], "the organizer, of a plan that was stopped")


@proves("CHK-06")
def test_after_a_crash_what_was_to_run_runs(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    made = [added(home, plan), added(home, plan, "command", COMMAND)]
    all_ran(home)
    quiet(home)
    home.crash()
    expect_equal("CHK-06", all_ran(home), made, "what runs after a crash, in order")
    expect_equal("CHK-06", len(organizers(home)), 1, "the organizer after them")
