"""What is handed in: by its bytes, checked from then on, looked at by its reviewer, and what comes of that."""

from pathlib import Path

from checking import added, all_ran, ran, running
from delegating import delegate
from ending import ended
from evening import Evening, write
from handing_in import PLAN, ROOM, begin, hand_in, path_of, review, stage, stands, states, studio
from requests_over_http import WAYS, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def gate(home: Evening, plan: int, name: str = "film.mp4", ticket: int = 1) -> int:
    """The user has a check on a file of a ticket, which has run once; its number."""
    home.happens(events.BoardEdited, plan=plan, acceptance=("海报印得出来",))
    check = added(home, plan, "file_exists", {"path": path_of(home, name, ticket)})
    all_ran(home)
    return check


@proves("SUBM-01")
def test_a_submission_is_shown_with_its_files_by_content_parts_claims_checks_and_reviews(tmp_path: Path) -> None:
    home, plan = studio(tmp_path, parts=("片头",))
    check = gate(home, plan)
    hand_in(home, parts=["片头"], note="第一版", claims=[{"requirement": 1, "says": "已放大"}])
    review(home, "return", note="字太小")
    for away in WAYS:
        (shown,) = Client(home, away=away)("GET", f"tasks/{plan}/submissions").said["submissions"]
        files = [{"path": path_of(home, "film.mp4", 1), "sha256": "00" * 32}]
        expect_equal("SUBM-01", shown["files"], files, "its files")
        expect_equal(
            "SUBM-01", (shown.get("parts"), shown["note"]), (["片头"], "第一版"), "of what, and what is said to it"
        )
        expect_equal("SUBM-01", shown.get("claims"), [{"requirement": 1, "says": "已放大"}], "what it claims")
        came = [(each["check"], each["outcome"]) for each in shown.get("checks", ())]
        expect_equal("SUBM-01", came, [(check, "passed")], "what its checks came to")
        expect_equal("SUBM-01", [each["outcome"] for each in shown["reviews"]], ["return"], "its reviews")
        expect_equal("SUBM-01", Client(home, away=away)("GET", "tasks/99/submissions").status, 404, "of no plan")


@proves("SUBM-01")
def test_to_cite_a_path_hands_nothing_in(tmp_path: Path) -> None:
    home, _ = studio(tmp_path)
    path = path_of(home, "film.mp4", 1)
    home.hop("导演", write(path))
    home.hop("导演", events.Call("send_message", {"text": f"在 {path}", "files": [path]}))
    expect_equal("SUBM-01", (states(home), stage(home)), ([], "in progress"), "after a line with a path")
    hand_in(home)
    expect_equal("SUBM-08", (states(home), stage(home)), (["in_review"], "in_review"), "after submit")


@proves("SUBM-02")
def test_below_level_5_nothing_is_handed_in(tmp_path: Path) -> None:
    for level in (4, 5):
        home, _ = studio(tmp_path / str(level), level=level)
        said = hand_in(home)
        if level == 4:
            expect_equal("SUBM-02", (said, states(home)), ("There is no such tool.", []), "at level 4")
        else:
            expect_equal("SUBM-02", states(home), ["in_review"], "at level 5")


@proves("SUBM-05")
def test_a_new_submission_voids_what_is_undecided_and_leaves_what_failed(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    gate(home, plan)
    hand_in(home, comes="failed")
    hand_in(home, content="01")
    expect_equal("SUBM-08", states(home), ["check_failed", "in_review"], "one failed, one in review")
    begin(home, plan, 1)
    hand_in(home, content="02")
    expect_equal("SUBM-05", states(home), ["check_failed", "void", "in_review"], "after a third")


@proves("SUBM-08")
def test_submit_waits_for_its_checks_and_tells_word_for_word_what_failed(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    gate(home, plan)
    hand_in(home, comes=None)
    expect_equal("SUBM-28", (len(running(home)), states(home)), (1, ["checking"]), "a run of its own is waited for")
    expect_equal("SUBM-08", stage(home), "todo", "while it runs")
    path = path_of(home, "film.mp4", 1)
    ran(home, "failed", says="missing", path=path)
    expect("SUBM-28", states(home) != ["checking"], "a run from then on counts")
    said = home.results(home.turn("导演")["id"])[-1][2]
    expect("SUBM-08", f"{path} 不在" in said, "the details go back")
    expect_equal("SUBM-08", (states(home), stage(home)), (["check_failed"], "todo"), "the ticket has not moved")
    expect_equal("SUBM-11", ended(home), ("running", None), "what is not handed in ends nothing")
    hand_in(home, content="01")
    expect_equal("SUBM-08", stage(home), "in_review", "once it passes")
    begin(home, plan, 1)
    hand_in(home, content="02", comes="failed")
    expect_equal("SUBM-08", stage(home), "rework", "one that was handed in and fails now")
    alone, _ = studio(tmp_path / "alone", reviewed=False)
    hand_in(alone)
    expect_equal("SUBM-08", (states(alone), stage(alone)), (["submitted"], "submitted"), "with nobody to review it")


@proves("SUBM-11")
def test_with_continue_its_segment_goes_on(tmp_path: Path) -> None:
    for goes_on in (False, True):
        home, _ = studio(tmp_path / str(goes_on), parts=("片头",))
        hand_in(home, parts=["片头"], **({"continue": True} if goes_on else {}))
        expect_equal("SUBM-08", states(home), ["in_review"], "it is handed in")
        expect_equal(
            "SUBM-11", ended(home), ("running", None) if goes_on else ("completed", "submitted"), "its segment"
        )


@proves("SUBM-28")
def test_a_pass_from_before_does_not_count(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    gate(home, plan)
    hand_in(home, comes=None)
    expect_equal("SUBM-28", states(home), ["checking"], "what ran before the bytes were handed in says nothing of them")
    all_ran(home)
    expect_equal("SUBM-28", states(home), ["in_review"], "what ran since does")


@proves("SUBM-29")
def test_what_the_user_has_not_confirmed_is_measured_and_blocks_nothing(tmp_path: Path) -> None:
    for confirmed in (False, True):
        home, plan = studio(tmp_path / str(confirmed), PLAN)
        home.say("@导演 片长约 2 分钟", to=ROOM, files=[plan])
        for _ in ("put off for what the user has said", "sent"):
            home.hop("导演", events.Call("send_message", {"text": "好了", "files": [path_of(home, "final.mp4", 1)]}))
        (check,) = all_ran(home, "failed")
        if confirmed:
            home.happens(events.CheckConfirmed, check=check)
            all_ran(home, "failed")
        before = home.value("SELECT count(*) FROM check_runs")
        hand_in(home, "final.mp4", comes="failed")
        expect_equal("SUBM-28", home.value("SELECT count(*) FROM check_runs"), before + 1, "it is measured")
        expect_equal("SUBM-29", states(home), ["check_failed" if confirmed else "in_review"], f"confirmed: {confirmed}")


@proves("REVW-05")
def test_the_reviewer_is_asked_at_once_in_its_own_work(tmp_path: Path) -> None:
    home, _ = studio(tmp_path)
    hand_in(home)
    expect_equal("SUBM-08", states(home), ["in_review"], "it is handed in")
    asked = home.rows(
        "SELECT w.bot, w.ticket, i.prio FROM inbox_items i JOIN work_items w ON w.id = i.work_item"
        " WHERE i.kind = 'review'"
    )
    expect_equal("REVW-05", asked, [(home.bot("审片"), 1, 2)], "what is asked, and how urgent")
    expect_equal("REVW-05", [turn["ticket"] for turn in home.live("审片")], [1], "it is at it already")


@proves("REVW-17")
def test_approved_work_wakes_nobody_who_did_it(tmp_path: Path) -> None:
    home, _ = studio(tmp_path, "成片", "海报", parts=("片头",))
    hand_in(home)
    at_work = len(home.turns("导演"))
    review(home)
    expect_equal("REVW-17", (states(home), stage(home)), (["approved"], "approved"), "submission and ticket")
    expect_equal("REVW-17", home.value("SELECT stage FROM parts"), "approved", "its part")
    expect_equal("REVW-17", (len(home.turns("导演")), home.live("导演")), (at_work, []), "the director is left alone")


@proves("REVW-16")
def test_returned_work_goes_to_rework_and_wakes_who_did_it_with_the_note(tmp_path: Path) -> None:
    home, _ = studio(tmp_path, parts=("片头",))
    hand_in(home, parts=["片头"])
    review(home, "return", note="字太小")
    expect_equal("REVW-16", (states(home), stage(home)), (["returned"], "rework"), "submission and ticket")
    expect_equal("REVW-16", home.value("SELECT stage FROM parts"), "rework", "its part")
    expect("REVW-16", "字太小" in home.context(home.turn("导演")["id"]), "the director reads why")


@proves("DEL-17")
def test_what_was_asked_for_is_answered_once_it_is_released(tmp_path: Path) -> None:
    home, plan = studio(tmp_path, reviewed=False)
    home.sql("UPDATE tickets SET owner = NULL")
    home.hop("导演", text="请审片来做。")
    home.say("@审片 分给导演", to=ROOM, files=[plan])
    expect_equal("DEL-03", delegate(home, "审片", "导演", expects="deliverable", ticket=1), "", "it is asked")
    while home.hop("审片"):
        pass
    home.sql("UPDATE tickets SET reviewer = ?", home.bot("审片"))
    hand_in(home)
    expect_equal("DEL-20", home.value("SELECT state FROM delegations"), "open", "while it is looked at")
    review(home)
    expect_equal("REVW-17", states(home), ["approved"], "released")
    ((state, result),) = home.rows("SELECT state, result FROM delegations")
    expect_equal("DEL-17", state, "replied", "the delegation")
    for named in ("导演", "submission 1", path_of(home, "film.mp4", 1)):
        expect("DEL-17", named in result, f"the result names {named}")


@proves("TICK-24")
def test_a_plan_is_delivered_with_its_last_ticket_and_its_own_checks(tmp_path: Path) -> None:
    home, plan = studio(tmp_path, "成片", "海报", "花絮")
    hand_in(home)
    review(home)
    expect_equal("REVW-17", stage(home), "approved", "the first")
    expect_equal("TICK-24", stands(home, plan), ("active", None), "two are left")
    home.happens(events.TicketEdited, ticket=3, status="parked")
    begin(home, plan, 2)
    hand_in(home, "poster.png")
    review(home)
    expect_equal("TICK-24", stands(home, plan), ("done", "delivered"), "what is dropped does not count")
    expect("TICK-24", home.value("SELECT closed_at FROM plans WHERE id = ?", plan) is not None, "it is closed as done")


@proves("TICK-24")
def test_a_plan_whose_own_check_fails_is_not_delivered(tmp_path: Path) -> None:
    for comes in ("failed", "passed"):
        home, plan = studio(tmp_path / comes)
        home.happens(events.BoardEdited, plan=plan, acceptance=("海报印得出来",))
        added(home, plan, "file_exists", {"path": "deliverables/all.zip"})
        ran(home, comes)
        hand_in(home)
        review(home)
        expect_equal("REVW-17", stage(home), "approved", "its one ticket")
        wanted = ("done", "delivered") if comes == "passed" else ("active", None)
        expect_equal("TICK-24", stands(home, plan), wanted, f"with a check that {comes}")


@proves("TICK-25")
def test_a_delivered_plan_goes_on_with_a_new_submission_and_is_delivered_again(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    hand_in(home)
    review(home)
    expect_equal("TICK-24", stands(home, plan), ("done", "delivered"), "its one ticket is approved")
    begin(home, plan, 1)
    hand_in(home, content="01")
    expect_equal("SUBM-08", stage(home), "in_review", "a new version")
    expect_equal("TICK-25", stands(home, plan), ("active", None), "the plan goes on")
    logged = [type_ for (type_,) in home.rows("SELECT type FROM work_events WHERE type LIKE 'plan.%' ORDER BY id")]
    expect_equal("TICK-25", logged[-1:], ["plan.reopened"], "on record")
    review(home)
    expect_equal("TICK-25", stands(home, plan), ("done", "delivered"), "delivered again")
