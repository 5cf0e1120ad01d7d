"""The beat: what becomes of what was handed in, has passed its checks and has nobody to review it."""

from pathlib import Path

from checking import added, all_ran
from evening import Evening
from handing_in import begin, hand_in, path_of, review, stage, states, studio

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events


def checked(home: Evening, plan: int, comes: str = "passed") -> int:
    """The user has a check on the film, which has run once; its number."""
    home.happens(events.BoardEdited, plan=plan, acceptance=("海报印得出来",))
    check = added(home, plan, "file_exists", {"path": path_of(home, "film.mp4", 1)})
    all_ran(home, comes)
    return check


def alone(folder: Path, *, check: bool = True, level: int = 8) -> tuple[Evening, int]:
    """A film that is handed in, with nobody to review it."""
    home, plan = studio(folder, reviewed=False, level=level)
    if check:
        checked(home, plan)
    hand_in(home)
    expect_equal("SUBM-08", states(home), ["submitted"], "it is handed in")
    expect_equal("SUPV-29", wound(home), [15_000], "the beat is to come")
    return home, plan


def wound(home: Evening) -> list[int]:
    """In how many ms the beat is to come."""
    timers = [each for each in home.engine.open_effects() if each.subject == "beat"]
    return [each.body["due"] - home.now for each in timers]


def released(home: Evening) -> str | None:
    """Who has approved the newest submission."""
    found: str | None = home.value("SELECT approved_by FROM submissions ORDER BY id DESC")
    return found


@proves("SUPV-31")
def test_a_check_of_the_user_that_passes_approves_at_the_next_beat(tmp_path: Path) -> None:
    home, _ = alone(tmp_path)
    home.later(14 / 60)
    expect_equal("SUPV-29", states(home), ["submitted"], "before fifteen seconds are over")
    home.later(2 / 60)
    expect_equal("SUPV-31", (states(home), released(home)), (["approved"], "no_reviewer"), "with a check of the user")
    expect_equal("SUPV-31", stage(home), "approved", "its ticket")
    bare, _ = alone(tmp_path / "bare", check=False)
    bare.later(1)
    expect("SUPV-31", states(bare) != ["approved"], "without one")


@proves("SUBM-31")
def test_what_no_check_of_the_user_supports_awaits_the_user_without_a_card(tmp_path: Path) -> None:
    home, _ = alone(tmp_path, check=False)
    before = home.said()
    home.later(1)
    expect("SUPV-31", states(home) != ["approved"], "nothing speaks for it")
    expect_equal("SUBM-31", (states(home), stage(home)), (["awaiting"], "submitted"), "without any check")
    expect_equal("SUBM-31", home.said(), before, "the application asks nothing")
    home.later(10)
    expect_equal("SUBM-31", states(home), ["awaiting"], "as long as nobody says anything")


@proves("SUBM-30")
def test_a_check_of_the_organizer_supports_nothing_when_it_passes(tmp_path: Path) -> None:
    for by in ("organizer", "user"):
        home, plan = studio(tmp_path / by, reviewed=False)
        check = checked(home, plan)
        home.sql("UPDATE checks SET written_by = ? WHERE id = ?", by, check)
        hand_in(home)
        expect_equal("SUBM-08", states(home), ["submitted"], "it has passed")
        expect_equal("SUPV-29", wound(home), [15_000], "the beat is to come")
        home.later(1)
        if by == "organizer":
            expect("SUBM-30", states(home) != ["approved"], "a check of the organizer")
        else:
            expect_equal("SUPV-31", states(home), ["approved"], "a check of the user")


@proves("SUPV-30")
def test_words_and_what_the_organizer_read_are_not_approved_by_checks(tmp_path: Path) -> None:
    for origin in ("answer", "organizer", "implicit"):
        home, _ = alone(tmp_path / origin)
        home.sql("UPDATE submissions SET origin = ?", origin)
        home.later(1)
        if origin == "implicit":
            expect_equal("SUPV-31", states(home), ["approved"], "files")
        else:
            expect("SUPV-30", states(home) != ["approved"], f"origin {origin}")


@proves("SUPV-29")
def test_a_gate_that_fails_by_then_returns_it_and_one_that_runs_is_waited_for(tmp_path: Path) -> None:
    home, plan = alone(tmp_path)
    home.happens(events.ChecksRun, plan=plan)
    home.later(5)
    all_ran(home, "failed", says="missing", path="film.mp4")
    home.later(1)
    expect_equal("SUPV-29", (states(home), stage(home)), (["returned"], "rework"), "a gate that fails by then")
    expect("SUPV-29", "film.mp4 不在" in home.context(home.turn("导演")["id"]), "the director reads why")


@proves("SUPV-29")
def test_a_check_that_is_new_by_then_is_run_first(tmp_path: Path) -> None:
    home, plan = alone(tmp_path)
    added(home, plan, "contains", {"path": path_of(home, "film.mp4", 1), "text": "x"})
    home.later(5)
    expect_equal("SUPV-29", states(home), ["submitted"], "while it runs")
    all_ran(home)
    home.later(1)
    expect_equal("SUPV-31", states(home), ["approved"], "once it has passed")


@proves("SUPV-29")
def test_a_reviewer_who_is_named_later_gets_it(tmp_path: Path) -> None:
    home, _ = alone(tmp_path, check=False)
    home.happens(events.TicketEdited, ticket=1, reviewer=home.bot("审片"))
    home.later(1)
    expect_equal("SUPV-29", states(home), ["in_review"], "handed over")
    review(home)
    expect_equal("REVW-17", states(home), ["approved"], "its review counts")


@proves("SUPV-29")
def test_what_is_held_or_asleep_waits(tmp_path: Path) -> None:
    for why in ("held", "asleep", "free"):
        home, plan = alone(tmp_path / why)
        if why == "held":
            home.happens(events.HoldMade, scope="plan", plan=plan)
        if why == "asleep":
            home.sql("UPDATE plans SET dormant = 1 WHERE id = ?", plan)
        home.later(1)
        expect_equal("SUPV-29", states(home), ["approved" if why == "free" else "submitted"], f"what is {why}")


@proves("SUPV-02")
def test_a_restart_loses_no_beat_and_does_nothing_twice(tmp_path: Path) -> None:
    home, _ = alone(tmp_path)
    home.later(10 / 60)
    home.crash()
    home.later(10 / 60)
    expect_equal("SUPV-02", states(home), ["approved"], "as if nothing had been")
    logged = home.value("SELECT count(*) FROM work_events WHERE type = 'submission.approved'")
    expect_equal("SUPV-02", logged, 1, "once")


@proves("TICK-20")
def test_what_the_user_moves_on_the_board_voids_what_is_undecided(tmp_path: Path) -> None:
    home, plan = studio(tmp_path)
    hand_in(home)
    expect_equal("SUBM-08", states(home), ["in_review"], "it is handed in")
    home.happens(events.TicketEdited, ticket=1, status="in progress")
    expect_equal("TICK-20", (states(home), stage(home)), (["void"], "in progress"), "after the board")
    said = review(home)
    expect("TICK-20", "Nothing that is handed in" in said, "its review counts no more")
    expect_equal("TICK-20", stage(home), "in progress", "the ticket stays")
    begin(home, plan, 1)
    hand_in(home, content="01")
    expect_equal("SUBM-08", states(home)[-1], "in_review", "a new one is looked at")
