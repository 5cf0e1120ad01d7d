"""The organizer's part in checks: it writes its own, of what was seen or said, and closes nothing over a failed one."""

from pathlib import Path
from typing import Any

from checking import ACCEPTANCE, POSTER, accepted, accepted_work, added, all_ran, asks_organizer, organized, quiet, ran
from ending import ROOM, look, tell
from evening import Evening, shell

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events, plans


def file_(path: str, **more: Any) -> dict[str, Any]:
    """A note for a check of a file."""
    return {"sentence": ACCEPTANCE[0], "kind": "file_exists", "body": {"path": path}, **more}


def runs_(command: str, folder: str = "") -> dict[str, Any]:
    """A note for a check of a command."""
    return {"sentence": ACCEPTANCE[0], "kind": "command", "body": {"command": command, "folder": folder}}


def its_checks(home: Evening) -> list[str]:
    """What the checks of the organizer look at, in order."""
    rows = home.rows(
        "SELECT ifnull(json_extract(body, '$.path'), json_extract(body, '$.command')) FROM checks"
        " WHERE written_by = 'organizer' AND state = 'active' ORDER BY id"
    )
    return [path for (path,) in rows]


def path_of(home: Evening, check: int) -> str:
    """The path that a check looks at."""
    return str(home.value("SELECT json_extract(body, '$.path') FROM checks WHERE id = ?", check))


@proves("CHK-07")
def test_what_the_user_has_changed_or_deleted_is_not_the_organizers_any_more(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    asks_organizer(home, file_("a.png"), file_("gone.png"))
    kept, deleted = (check for (check,) in home.rows("SELECT id FROM checks ORDER BY id"))
    asks_organizer(home, {"id": kept, "body": {"path": "b.png"}}, plan=plan)
    expect_equal("CHK-08", path_of(home, kept), "b.png", "one of the organizer's own, which it changes")
    home.happens(events.CheckEdited, check=kept, body={"path": "c.png"})
    home.happens(events.CheckDeleted, check=deleted)
    all_ran(home)
    notes = ({"id": kept, "body": {"path": "d.png"}}, {"id": kept, "delete": True}, file_("gone.png"))
    asks_organizer(home, *notes, plan=plan)
    expect_equal("CHK-07", path_of(home, kept), "c.png", "one that the user has changed")
    states = home.rows("SELECT id, state, written_by FROM checks ORDER BY id")
    wanted = [(kept, "active", "user"), (deleted, "deleted", "organizer")]
    expect_equal("CHK-07", states, wanted, "all checks: one changed by the user, one deleted")
    asks_organizer(home, file_("own.png"), plan=plan)
    own = home.value("SELECT max(id) FROM checks")
    asks_organizer(home, {"id": own, "delete": True}, file_("own.png"), plan=plan)
    state = home.value("SELECT state FROM checks WHERE id = ?", own)
    expect_equal("CHK-07", state, "deleted", "one that it deletes itself")
    expect_equal("CHK-07", its_checks(home), ["own.png"], "what it has deleted itself, and adds again")


@proves("CHK-08")
def test_the_organizer_adds_three_at_once_and_ten_to_a_plan_and_only_to_a_sentence(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    strange: list[dict[str, Any]] = [{"sentence": ACCEPTANCE[0], "kind": "magic", "body": {}}, {"body": 1}]
    odd = (*strange, file_("x.png", sentence="谁也没写"), file_("../x.png"))
    asks_organizer(home, *odd, file_("a"), file_("a"), file_("b"), file_("c"))
    expect("CHK-01", "x.png" not in its_checks(home), "a check that hangs on no sentence of the acceptance")
    expect_equal("CHK-08", its_checks(home), ["a", "b", "c"], "what it adds where all else is left out")
    refused = "SELECT count(*) FROM work_events WHERE type = 'organizer.check_refused'"
    expect_equal("CHK-08", home.value(refused), 5, "how much left out is put on record")
    asks_organizer(home, *(file_(name) for name in "defg"), plan=plan)
    expect_equal("CHK-08", its_checks(home), list("abcdef"), "what it adds of four new ones")
    for name in "ghi":
        added(home, plan, body={"path": name})
    all_ran(home)
    asks_organizer(home, file_("j"), file_("k"), plan=plan)
    expect_equal("CHK-08", its_checks(home), list("abcdefj"), "what it adds to nine")


@proves("CHK-08")
def test_the_organizer_changes_none_of_another_plan_or_of_the_user(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    other = home.opened("预告片", to=ROOM)
    accepted(home, other)
    mine, theirs = added(home, plan), added(home, other)
    all_ran(home)
    home.sql("UPDATE checks SET written_by = 'organizer' WHERE id = ?", theirs)
    asks_organizer(home, *({"id": check, "delete": True} for check in (mine, theirs)))
    standing = home.value("SELECT count(*) FROM checks WHERE state = 'active'")
    expect_equal("CHK-08", standing, 2, "what stands after it has deleted what is not its own here")
    asks_organizer(home, file_("a"), plan=plan)
    asks_organizer(home, {"id": home.value("SELECT max(id) FROM checks"), "sentence": ACCEPTANCE[1]}, plan=plan)
    expect_equal("CHK-08", home.value("SELECT sentence FROM checks ORDER BY id DESC"), ACCEPTANCE[1], "its own, moved")
    runs = home.value("SELECT count(*) FROM check_runs WHERE check_id = (SELECT max(id) FROM checks)")
    expect_equal("CHK-06", runs, 2, "runs of one that was made, and stale once: to be moved runs nothing")


@proves("CHK-08")
def test_a_command_of_the_organizer_was_seen_to_succeed_there_or_is_the_users_own(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path)
    tell(home, plan, "交之前要跑 make final，别的不用，makeup 也不要")
    home.hop("导演", look())
    folder = home.turn("导演")["cwd"]
    for command, ok, code in (("make good", True, 0), ("make bad", False, 1), ("make odd", True, 3)):
        home.hop("导演", shell(command), run=False)
        effect = next(each for each in home.engine.open_effects() if each.kind == "run_tool")
        home.happens(events.Ran, effect=effect.id, ok=ok, exit_code=code)
    refused = (runs_("make good"), runs_("make bad", folder), runs_("make odd", folder), runs_("make new", folder))
    asks_organizer(home, *refused, runs_("make good", folder))
    expect_equal("CHK-08", its_checks(home), ["make good"], "commands that were run well, badly, elsewhere, never")
    asks_organizer(home, runs_("make final"), runs_("make"), runs_("ake final"), runs_("makeu"), plan=plan)
    expect_equal("CHK-08", its_checks(home), ["make good", "make final", "make"], "commands that the user wrote")
    other = home.opened("预告片", to=ROOM)
    accepted(home, other)
    asks_organizer(home, runs_("make good", folder), runs_("make final"), plan=other)
    expect_equal("CHK-08", len(its_checks(home)), 3, "commands of another plan")


CASES = (
    ("failed", False, "deliverables/poster.png 不在"),
    (None, False, "检查还没跑过"),
    ("passed", True, ""),
    ("error", True, ""),
    ("out_of_bounds", True, ""),
)


def takes_for_done(folder: Path, level: int, outcome: str | None) -> tuple[Evening, int]:
    """The organizer takes a plan for done whose one check has come to this; with None it has not run yet."""
    home, plan = accepted_work(folder, level=level)
    added(home, plan)
    if outcome is not None:
        ran(home, outcome, says="missing", **POSTER)
    if level == 1:
        organized(home, status="done", progress={"done": ["画完了"]})
        return home, plan
    if outcome is None:
        home.sql("UPDATE effects SET state = 'void' WHERE kind = 'run_check'")
    quiet(home)
    if outcome is None:
        home.sql("DELETE FROM check_runs")
        home.now += 16 * 60_000
    all_ran(home, outcome or "error", says="missing", **POSTER)
    if outcome is None:
        home.sql("DELETE FROM check_runs")
    organized(home, status="done", progress={"done": ["画完了"]})
    return home, plan


@proves("CHK-11")
def test_the_organizer_closes_no_plan_over_a_check_that_failed_or_did_not_run(tmp_path: Path) -> None:
    for level in (1, 8):
        for outcome, closes, stuck in CASES:
            home, plan = takes_for_done(tmp_path / f"{level}{outcome}", level, outcome)
            points = plans.points_of(home.db, plan)
            expected = [] if closes else [f"海报印得出来：{stuck}"]
            expect_equal("CHK-11", points["progress"]["stuck"], expected, f"what is stuck: {outcome}, level {level}")
            expect_equal("CHK-11", points["progress"]["done"], ["画完了"], f"what is done: {outcome}, level {level}")
            done = level == 1 and closes
            expect_equal("CHK-11", points["status"] == "done", done, f"whether it is done: {outcome}, level {level}")
            home.happens(events.BoardEdited, plan=plan, status="done")
            by_user = plans.points_of(home.db, plan)["status"]
            expect_equal("CHK-11", by_user, "done", f"what the user closes: {outcome}, level {level}")


@proves("CHK-11")
def test_a_check_that_passed_before_it_was_changed_has_not_run(tmp_path: Path) -> None:
    home, plan = accepted_work(tmp_path, level=1)
    check = added(home, plan)
    ran(home)
    home.happens(events.CheckEdited, check=check, body={"path": "b.png"})
    organized(home, status="done")
    points = plans.points_of(home.db, plan)
    expect_equal("CHK-11", points["status"], "active", "a plan whose check was changed and has not run since")
    again = home.value("SELECT count(*) FROM work_events WHERE type = 'organizer.answer'")
    expect_equal("CHK-11", again, 1, "answers of the organizer")
    expect("CHK-11", points["progress"]["stuck"] == ["海报印得出来：检查还没跑过"], str(points["progress"]))
