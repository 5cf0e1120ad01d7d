"""Checks from the user's words: which film they measure, and that an unconfirmed one stands in nobody's way."""

from pathlib import Path

from checking import ran, running
from ending import send
from evening import Evening
from filming import MASTER, NEWER, confirms, film, hands_over, measures, proposal, proposed, says

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

OWN = "work/001-新品宣传片"


def matched(home: Evening) -> str | None:
    """The film that the one check measures."""
    (found,) = home.rows("SELECT matched FROM checks WHERE item IS NOT NULL AND state <> 'deleted'")
    return None if found[0] is None else str(found[0])


def measure_all(home: Evening) -> None:
    """Whatever is measured comes to too short a film."""
    for _ in range(5):
        if running(home):
            measures(home)


@proves("WORDS-08")
def test_what_is_filed_on_a_part_of_the_film_says_nothing_of_the_whole(tmp_path: Path) -> None:
    cases = {
        "C09 镜头": [],
        "片头": [],
        "剪辑": ["duration bare 120"],
        "新品宣传片": ["duration bare 120"],
        "新品宣传片，片尾": ["duration bare 120"],
    }
    for title, wanted in cases.items():
        home = film(tmp_path / title, tickets=(title,))
        says(home, "片长 2 分钟", ticket=1)
        expect_equal("WORDS-08", proposed(home), wanted, f"of a line on the ticket {title}")
    note = film(tmp_path / "annotation", tickets=("C09 镜头",))
    says(note, "剪一版", ticket=1)
    note.hop("导演", send("好了，请看", files=["work/c09.mp4"]))
    note.hop("导演")
    delivery = note.value("SELECT max(id) FROM messages WHERE author = 'bot'")
    remark = events.Annotation("work/c09.mp4", "时长 8 秒", delivery)
    note.happens(events.Line, session=note.session("导演"), text="", annotations=(remark,))
    expect_equal("WORDS-08", proposed(note), [], "of a remark on a shot")


@proves("WORDS-23")
def test_what_may_be_the_film_was_handed_over_in_the_matter_of_the_whole(tmp_path: Path) -> None:
    cases = {
        "C09 镜头": None,
        "抖音版": None,
        "竖版": None,
        "预告": None,
        "剪辑": MASTER,
        "新品宣传片": MASTER,
        "新品宣传片，预告": MASTER,
    }
    for title, wanted in cases.items():
        home = film(tmp_path / title, tickets=(title,))
        says(home, "片长 2 分钟")
        home.hop("导演", text="好")
        hands_over(home, MASTER, ticket=1)
        expect_equal("WORDS-23", matched(home), wanted, f"handed over on the ticket {title}")
    users = film(tmp_path / "user")
    users.say("片长 2 分钟", to="导演", files=[1], attach=[MASTER])
    expect_equal("WORDS-23", matched(users), None, "a film of the user's")
    elsewhere = film(tmp_path / "elsewhere")
    says(elsewhere, "片长 2 分钟")
    elsewhere.hop("导演", text="好")
    other = elsewhere.opened("另一支片", to="导演")
    elsewhere.say("剪另一支", to="导演", files=[other])
    elsewhere.hop("导演", send("好了，请看", files=[MASTER]), plan=other)
    expect_equal("WORDS-23", matched(elsewhere), None, "handed over in another plan")


@proves("WORDS-23")
def test_a_film_that_is_not_there_any_more_gives_way(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长 2 分钟")
    hands_over(home, MASTER)
    measure_all(home)
    hands_over(home, NEWER)
    expect_equal("WORDS-26", matched(home), NEWER, "the newer one")
    ran(home, "error", says="missing", path=NEWER)
    expect_equal("WORDS-23", matched(home), MASTER, "once it is not there")
    measure_all(home)
    hands_over(home, NEWER)
    expect_equal("WORDS-23", matched(home), NEWER, "once it is handed over again")
    only = film(tmp_path / "only")
    says(only, "片长 2 分钟")
    hands_over(only, MASTER)
    ran(only, "error", says="missing", path=MASTER)
    expect_equal("WORDS-23", (matched(only), running(only)), (MASTER, []), "the only one there was")


@proves("WORDS-24")
def test_the_best_place_and_name_comes_first_and_then_the_newest_by_first_delivery(tmp_path: Path) -> None:
    cases: tuple[tuple[tuple[str, ...], str], ...] = (
        (("cut/EP01_MASTER.mp4", "deliverables/film.mp4"), "deliverables/film.mp4"),
        (("deliverables/film.mp4", "cut/EP01_MASTER.mp4"), "deliverables/film.mp4"),
        ((f"{OWN}/02-剪辑/EP01_final.mp4", "cut/EP01_MASTER.mp4"), f"{OWN}/02-剪辑/EP01_final.mp4"),
        ((MASTER, "deliverables/EP01_final.mp4", "deliverables/film.mp4"), MASTER),
        (("deliverables/film.mp4", "deliverables/EP01_final.mp4"), "deliverables/EP01_final.mp4"),
        ((MASTER, NEWER), NEWER),
        ((MASTER, NEWER, MASTER), NEWER),
    )
    for number, (paths, wanted) in enumerate(cases):
        home = film(tmp_path / str(number))
        says(home, "片长 2 分钟")
        for path in paths:
            hands_over(home, path)
            measure_all(home)
        expect_equal("WORDS-24", matched(home), wanted, f"after {paths}")


@proves("WORDS-26")
def test_a_newer_film_is_measured_and_shows_nothing_of_the_one_before(tmp_path: Path) -> None:
    for confirmed in (False, True):
        home = film(tmp_path / str(confirmed))
        says(home, "片长 2 分钟")
        hands_over(home, MASTER)
        measure_all(home)
        if confirmed:
            confirms(home)
            measures(home, "119.00 秒", "passed")
        shown = "119.00 秒" if confirmed else "107.00 秒"
        says(home, "继续")
        expect("WORDS-27", shown in home.context(home.turn("导演")["id"]), "what was measured is shown")
        hands_over(home, NEWER)
        expect_equal("WORDS-26", [each.body["matched"] for each in running(home)], [NEWER], "what is measured")
        says(home, "怎么样了")
        told = home.context(home.turn("导演")["id"])
        expect("WORDS-26", shown not in told, f"the old number with the newer film, confirmed = {confirmed}")
        measures(home, "121.00 秒", "passed")
        home.hop("导演")
        says(home, "好")
        expect("WORDS-26", "121.00 秒" in home.context(home.turn("导演")["id"]), "the newer one's number")


@proves("WORDS-27")
def test_an_unconfirmed_check_is_measured_on_the_spot_and_shown(tmp_path: Path) -> None:
    first = film(tmp_path / "first")
    hands_over(first, MASTER)
    says(first, "片长约 2 分钟")
    expect_equal("WORDS-27", [each.body["matched"] for each in running(first)], [MASTER], "with a film that is there")
    then = film(tmp_path / "then")
    says(then, "片长约 2 分钟")
    expect_equal("WORDS-27", running(then), [], "without a film")
    hands_over(then, MASTER)
    expect_equal("WORDS-27", [each.body["matched"] for each in running(then)], [MASTER], "once there is one")
    measures(then)
    says(then, "怎么样了")
    line = "未确认的检查:107.00 秒,你说的是时长约 2 分钟(待你确认)"
    expect("WORDS-27", line in then.context(then.turn("导演")["id"]).splitlines(), "the line that the Bot reads")
    then.sql("UPDATE meta SET language = 'en'")
    then.hop("导演")
    says(then, "好")
    expect("WORDS-27", "yours to confirm" in then.context(then.turn("导演")["id"]), "in English")
    then.hop("导演")
    hands_over(then, MASTER)
    expect_equal("WORDS-27", [each.body["matched"] for each in running(then)], [MASTER], "handed over anew")


@proves("WORDS-27")
def test_an_unconfirmed_check_that_fails_stands_in_nobodys_way(tmp_path: Path) -> None:
    for confirmed in (False, True):
        home = film(tmp_path / str(confirmed))
        says(home, "片长约 2 分钟")
        hands_over(home, MASTER)
        if confirmed:
            confirms(home)
        measure_all(home)
        says(home, "再给我看看")
        home.hop("导演", send("就是这版", files=[MASTER]))
        measure_all(home)
        sent = home.results(home.turn("导演")["id"])[-1][2]
        expect_equal("WORDS-27", "Not sent" in sent, confirmed, f"held back, confirmed = {confirmed}: {sent}")
        home.hop("导演")
        bounced = home.value("SELECT count(*) FROM bounces WHERE code = 'closing_check'")
        expect_equal("WORDS-27", bounced, int(confirmed), f"messages sent back, confirmed = {confirmed}")
    for confirmed in (False, True):
        quiet = film(tmp_path / f"quiet{confirmed}")
        says(quiet, "片长约 2 分钟")
        hands_over(quiet, MASTER)
        check = confirms(quiet) if confirmed else proposal(quiet)
        measure_all(quiet)
        says(quiet, "好")
        quiet.hop("导演", text="好")
        turns = len(quiet.turns("导演"))
        quiet.later(1)
        runs = [each.body["check"] for each in running(quiet)]
        expect_equal("WORDS-28", check in runs, confirmed, f"what runs once the plan is quiet, confirmed = {confirmed}")
        measure_all(quiet)
        quiet.later(30)
        expect_equal("WORDS-27", len(quiet.turns("导演")), turns, "segments that it has woken")


@proves("WORDS-28")
def test_a_confirmed_check_is_measured_again_before_the_film_goes_out(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长约 2 分钟")
    hands_over(home, MASTER)
    measures(home, "119.00 秒", "passed")
    confirms(home)
    measures(home, "119.00 秒", "passed")
    says(home, "再给我看看")
    home.hop("导演", send("就是这版", files=[MASTER]))
    expect_equal("WORDS-28", [each.body["matched"] for each in running(home)], [MASTER], "what is measured first")
    measures(home)
    expect("WORDS-28", "107.00 秒" in home.results(home.turn("导演")["id"])[-1][2], "what the Bot is told instead")
