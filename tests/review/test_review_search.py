"""The time that a review may spend on history, on the virtual clock alone, and what a name finds there."""

from pathlib import Path

from reviewing import chat, drafts, goes_on, says, shown

from harness.expect import expect, expect_equal, proves
from harness.world.review import ReviewHouse
from harness.world.review_setting import Setting
from harness.world.reviewer import Problem, Verdict
from threadrebuild.database import open_database
from threadrebuild.review.history import PastTalk

AROUND = (3699, 3700, 3701, 4499, 4500, 4501)
PAST = ["大橘是英短蓝猫。", "小满对花生过敏。"]
NAMES = ["大橘", "小满"]


def one_search(folder: Path, takes: int, keeps_limit: bool = True, past: list[str] = PAST) -> ReviewHouse:
    """A draft that forces one search, which takes so long."""
    setting = Setting(past=past, names=NAMES, searches_take_ms={"大橘": takes}, history_keeps_limit=keeps_limit)
    return chat(folder / f"{takes}-{keeps_limit}", setting, says("大橘呢", label="m"), drafts("大橘我没印象了。"))


def two_searches(folder: Path, first: int, second: int, keeps_limit: bool = True) -> ReviewHouse:
    """A draft that forces two searches, which take so long one after the other."""
    takes = {"大橘": first, "小满": second}
    setting = Setting(past=PAST, names=NAMES, searches_take_ms=takes, history_keeps_limit=keeps_limit)
    draft = drafts("大橘我没印象了。小满我也不记得了。")
    return chat(folder / f"{first}-{second}-{keeps_limit}", setting, says("大橘和小满呢", label="m"), draft)


def outcomes(house: ReviewHouse) -> list[str]:
    rows = house.store.database.rows("SELECT outcome FROM searches ORDER BY id")
    return [row["outcome"] for row in rows]


@proves("RV-18")
def test_the_first_search_has_3700_ms_and_all_together_4500(tmp_path: Path) -> None:
    for takes in AROUND:
        house = one_search(tmp_path, takes)
        expect("RV-20", len(outcomes(house)) == 1, "one search is on record")
        spent = house.took_ms["m"] - 500
        expect_equal("RV-18", spent, min(takes, 3700), f"ms waited for a search of {takes}")
        expect_equal("RV-18", house.searched, [("大橘", 3700)], "name and limit")
    for takes in AROUND:
        house = two_searches(tmp_path, 3700, takes - 3700 if takes >= 4499 else takes)
        expect_equal("RV-18", house.searched, [("大橘", 3700), ("小满", 800)], "the follow-up has what is left")
        expect("RV-18", house.took_ms["m"] - 500 <= 4500, f"both together wait {house.took_ms['m'] - 500} ms")
    house = two_searches(tmp_path, 100, 4401)
    expect_equal("RV-18", house.searched[1:], [("小满", 4400)], "what the first left over is the follow-up's")


@proves("RV-20")
def test_a_search_that_ran_out_of_time_is_not_checked_and_never_absent(tmp_path: Path) -> None:
    limits = [limit for _, limit in two_searches(tmp_path, 3700, 10).searched]
    expect_equal("RV-18", limits, [3700, 800], "limits of a first search and of one that follows it")
    for keeps_limit in (True, False):
        for takes in AROUND:
            wanted = "found" if takes <= 3700 else "not checked"
            seen = outcomes(one_search(tmp_path, takes, keeps_limit))
            expect_equal("RV-20", seen, [wanted], f"one search of {takes} ms")
        for takes in (4499, 4500, 4501):
            wanted = "found" if takes <= 4500 else "not checked"
            seen = outcomes(two_searches(tmp_path, 3700, takes - 3700, keeps_limit))
            expect_equal("RV-20", seen, ["found", wanted], f"two searches of {takes} ms together")
    seen = outcomes(one_search(tmp_path / "nothing", 3700, past=[]))
    expect_equal("RV-20", seen, ["absent"], "history has nothing, and said so in time")
    seen = outcomes(one_search(tmp_path / "nothing", 3701, past=[]))
    expect_equal("RV-20", seen, ["not checked"], "history has nothing, and was not asked to the end")


def test_a_store_that_overruns_leaves_nothing_for_the_next_search(tmp_path: Path) -> None:
    house = two_searches(tmp_path, 9000, 1, keeps_limit=False)
    assert outcomes(house) == ["not checked", "not checked"]
    assert [name for name, _ in house.searched] == ["大橘"]


@proves("RV-21")
def test_time_out_makes_no_draft_less_sure(tmp_path: Path) -> None:
    hedge = Problem(kind="unsure", about="大橘", say="改成「可能是」。")
    late, in_time = _told(tmp_path, hedge, 9000), _told(tmp_path, hedge, 10)
    expect("RV-21", "改成「可能是」。" in in_time.opinions.get("m", ""), "a doubt that rests on a search is passed on")
    expect_equal("RV-21", (late.opinions, shown(late)), ({}, ["大橘是英短蓝猫。"]), "one that rests on none is not")


@proves("RV-22")
def test_time_out_is_no_licence_for_the_opposite(tmp_path: Path) -> None:
    opposite = Problem(kind="correct", about="大橘", say="应该是美短。")
    late, in_time = _told(tmp_path, opposite, 9000), _told(tmp_path, opposite, 10)
    expect("RV-22", "应该是美短。" in in_time.opinions.get("m", ""), "a correction that rests on a search is passed on")
    expect_equal("RV-22", (late.opinions, shown(late)), ({}, ["大橘是英短蓝猫。"]), "one that rests on none is not")


def test_an_opinion_given_for_another_reason_says_what_was_not_checked(tmp_path: Path) -> None:
    late = _told(tmp_path, Problem(say="太短。"), 9000)
    assert "「大橘」没核到，不等于没有：不要因此改成不确定的说法，也不要写相反的事实" in late.opinions["m"]


def test_a_history_that_fails_is_not_checked(tmp_path: Path) -> None:
    house = chat(
        tmp_path, Setting(past=PAST, names=NAMES), lambda house: house.world.spoil("history", "search", ["eio"])
    )
    goes_on(house, says("大橘呢", label="m"), drafts("大橘我没印象了。"))
    assert (outcomes(house), shown(house)) == (["not checked"], ["大橘我没印象了。"])


def test_short_chinese_names_are_found_the_newest_first_and_a_name_alone_gets_more_room(tmp_path: Path) -> None:
    store = open_database(tmp_path / "past.db", "threadrebuild.review")
    past = PastTalk(store)
    for number in range(100):
        past.keep(str(number), f"第 {number} 天：阿明和鱼鱼在家。" if number % 2 else "今天下雨了，没出门。")
    past.learn("阿明", "1")
    found = past.search("阿明")
    assert len(found) == 50 and found[0].startswith("第 99 天")
    assert past.search("鱼鱼") == found[: len(past.search("鱼鱼"))] != found
    assert past.search("明和") and past.search("阿亮") == [] and past.search("") == []
    assert len(past.search("阿明 天")) < len(found)
    store.close()


def _told(folder: Path, problem: Problem, takes: int) -> ReviewHouse:
    """A plain draft about a name that the reviewer wants looked up, with something that it says is wrong."""
    setting = Setting(
        past=PAST,
        names=NAMES,
        searches_take_ms={"大橘": takes},
        reviews={"m": Verdict(look_up=["大橘"], problems=[problem])},
    )
    name = f"{problem.kind}-{takes}"
    return chat(folder / name, setting, says("大橘是什么猫", label="m"), drafts("大橘是英短蓝猫。"))
