"""Checks from the user's words: only the user makes one count, and only the user exchanges one that does."""

import json
import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from checking import ran, running
from evening import Evening
from filming import (
    MASTER,
    NEWER,
    cards,
    confirms,
    film,
    hands_over,
    in_force,
    measures,
    presses,
    proposal,
    proposed,
    refused,
    says,
)
from requests_over_http import Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.change import Missing

TWO, THREE, FOUR = "duration bare 120", "duration bare 180", "duration bare 240"
USE_NEW, AMEND, KEEP_OLD = "confirm_check", "amend_check", "drop_check"


def two_numbers(folder: Path, **more: Any) -> Evening:
    """Two minutes are in force, and then the user wants three."""
    home = film(folder, **more)
    says(home, "片长 2 分钟")
    confirms(home)
    says(home, "片长改成 3 分钟")
    return home


def state(home: Evening, check: int) -> str:
    """How a check stands."""
    return str(home.value("SELECT state FROM checks WHERE id = ?", check))


def old_card(home: Evening, **data: Any) -> dict[str, Any]:
    """A card that an earlier version has posted."""
    home.sql(
        "INSERT INTO messages (session, author, seq, at, text, state, filing, control)"
        " SELECT 1, 'app', max(seq), 1, '按你的话加检查？', 'delivered', 'none', ? FROM events",
        json.dumps(data),
    )
    return {"id": home.value("SELECT max(id) FROM messages")}


# ---------------------------------------------------------------- confirming


@proves("WORDS-14")
def test_only_confirming_makes_words_a_check_that_counts(tmp_path: Path) -> None:
    home = film(tmp_path / "said")
    says(home, "片长 2 分钟", "片长 2 分钟", "片长 120 秒")
    expect_equal("WORDS-14", (in_force(home), proposed(home)), ([], [TWO]), "said three times")
    expect_equal("WORDS-14", cards(home, withdrawn=True), [], "cards about it")
    expect("WORDS-14", "未确认的检查" in home.context(home.turn("导演")["id"]), "it is listed")
    confirms(home)
    expect_equal("WORDS-14", (in_force(home), proposed(home)), ([TWO], []), "confirmed on the board")
    for kind in ("must_check", "proposal"):
        old = film(tmp_path / kind)
        says(old, "片长 2 分钟")
        presses(old, USE_NEW, old_card(old, kind=kind, check=proposal(old), offer=[USE_NEW]))
        expect_equal("WORDS-14", (in_force(old), proposed(old)), ([TWO], []), f"confirmed on an old card: {kind}")
    by_itself = film(tmp_path / "store")
    says(by_itself, "片长 2 分钟")
    try:
        by_itself.sql("UPDATE checks SET state = 'active'")
    except sqlite3.IntegrityError:
        pass
    else:
        expect("WORDS-14", False, "the store lets a proposal become active without the user")


@proves("WORDS-16")
def test_what_else_was_said_before_confirming_asks_nothing(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长 3 分钟", "片长 2 分钟")
    expect_equal("WORDS-13", proposed(home), [TWO], "what was said last")
    confirms(home)
    says(home, "加字幕")
    expect_equal("WORDS-16", (proposed(home), cards(home)), ([], []), "of what was said before")
    says(home, "片长 3 分钟")
    expect_equal(
        "WORDS-16", [card["text"].count("次") for card in cards(home)], [0], "said again: as for the first time"
    )


@proves("WORDS-28")
def test_what_is_confirmed_is_measured_at_once_and_anew(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长约 2 分钟")
    hands_over(home, MASTER)
    measures(home)
    check = confirms(home)
    expect_equal("WORDS-28", [each.body["check"] for each in running(home)], [check], "what runs once it is confirmed")
    context = "SELECT json_extract(body, '$.matched') FROM effects WHERE kind = 'run_check' ORDER BY id DESC"
    expect_equal("WORDS-28", home.value(context), MASTER, "the film that is measured")
    says(home, "怎么样了")
    expect("WORDS-28", "not run yet" in home.context(home.turn("导演")["id"]), "what was measured before tells nothing")
    measures(home, "119.00 秒", "passed")
    home.hop("导演")
    says(home, "好")
    expect("WORDS-28", "119.00 秒" in home.context(home.turn("导演")["id"]), "what is measured now is read")


# ---------------------------------------------------------------- the card


@proves("WORDS-17")
def test_another_number_only_asks_and_the_old_one_goes_on_counting(tmp_path: Path) -> None:
    home = two_numbers(tmp_path / "asks")
    expect_equal("WORDS-17", len(cards(home)), 1, "cards")
    card = cards(home)[0]
    expect("WORDS-17", "时长 2 分钟" in card["text"] and "时长 3 分钟" in card["text"], f"both numbers: {card['text']}")
    expect_equal("WORDS-17", list(card.get("labels", {}).values()), ["用新的", "改", "留原来的"], "its buttons")
    expect_equal("WORDS-17", card.get("offer"), [USE_NEW, AMEND, KEEP_OLD], "what they do")
    expect("WORDS-17", "次" not in card["text"], "said once")
    expect_equal("WORDS-17", (in_force(home), proposed(home)), ([TWO], [THREE]), "what counts meanwhile")
    for times in (2, 3):
        says(home, "片长 3 分钟")
        expect_equal("WORDS-18", len(cards(home)), 1, f"cards once it was said {times} times")
        card = cards(home)[-1]
        expect("WORDS-17", card["text"].startswith(f"你已经说了 {times} 次"), f"said {times} times: {card['text']}")
    expect_equal("WORDS-17", len(cards(home, withdrawn=True)), 3, "it was sent each time")
    says(home, "加字幕")
    expect_equal("WORDS-17", len(cards(home, withdrawn=True)), 3, "a line about something else")
    weak = film(tmp_path / "weak")
    says(weak, "约 2 分钟")
    confirms(weak)
    says(weak, "约 90 秒")
    expect_equal("WORDS-17", (proposed(weak), cards(weak)), (["duration about 90"], []), "of what is no target")
    says(weak, "片长 90 秒")
    expect_equal("WORDS-17", len(cards(weak)), 1, "once it is said to be one")
    other = film(tmp_path / "other")
    says(other, "片长 2 分钟")
    confirms(other)
    says(other, "帧率 30")
    expect_equal("WORDS-17", (proposed(other), cards(other)), (["frame_rate bare 30"], []), "of another item")


@proves("WORDS-18")
def test_what_each_button_of_the_card_does(tmp_path: Path) -> None:
    new = two_numbers(tmp_path / "new")
    expect_equal("WORDS-17", len(cards(new)), 1, "cards")
    presses(new, USE_NEW)
    expect_equal(
        "WORDS-18", (in_force(new), proposed(new), state(new, 1)), ([THREE], [], "deleted"), "take the new one"
    )
    old = two_numbers(tmp_path / "old")
    presses(old, KEEP_OLD)
    expect_equal("WORDS-18", (in_force(old), proposed(old), state(old, 2)), ([TWO], [], "deleted"), "keep the old one")
    amend = two_numbers(tmp_path / "amend")
    call, card = Client(amend), cards(amend)[0]
    shown = call("POST", f"messages/{card['id']}/control", action=AMEND)
    expect_equal("WORDS-18", shown.said.get("fills"), "片长改成 ", "what is put into the input box")
    expect_equal("WORDS-18", (in_force(amend), proposed(amend)), ([TWO], [THREE]), "and no check is changed")
    says(amend, "片长改成 4 分钟")
    expect_equal("WORDS-18", (in_force(amend), proposed(amend)), ([TWO], [FOUR]), "what is said then is what counts")
    for again in ("片长 2 分钟", "约 2 分钟"):
        back = two_numbers(tmp_path / again)
        says(back, again)
        expect_equal("WORDS-18", (in_force(back), proposed(back), cards(back)), ([TWO], [], []), f"“{again}” again")


@proves("WORDS-19")
def test_the_card_is_for_the_user_where_the_plan_is_at_home(tmp_path: Path) -> None:
    home = film(tmp_path / "home")
    says(home, "片长 2 分钟")
    confirms(home)
    home.say("@导演 片长改成 3 分钟", to="剪辑组", files=[1])
    expect_equal("WORDS-19", [card["session"] for card in cards(home)], [home.session("导演")], "where it stands")
    expect_equal("WORDS-19", len(cards(home)), 1, "cards")
    text = cards(home)[0]["text"]
    while home.live("导演"):
        home.hop("导演", text="好的")
    says(home, "好")
    expect("WORDS-19", text not in home.context(home.turn("导演")["id"]), "no Bot reads it")
    expect("WORDS-17", "片长改成 3 分钟" in home.context(home.turn("导演")["id"]), "as it reads what was said")
    for where, how in {
        "archived": "UPDATE sessions SET state = 'archived' WHERE title = '剪辑师'",
        "among Bots": "UPDATE sessions SET kind = 'bots', bot = NULL WHERE title = '剪辑师'",
        "nowhere": "UPDATE plans SET session = NULL",
    }.items():
        away = film(tmp_path / where)
        away.sql("UPDATE plans SET session = ?", away.session("剪辑师"))
        says(away, "片长 2 分钟")
        confirms(away)
        away.sql(how)
        says(away, "片长 3 分钟")
        expect_equal("WORDS-13", proposed(away), [THREE], f"proposed with the plan {where}")
        expect_equal("WORDS-19", cards(away), [], f"the card, with the plan {where}")


@proves("WORDS-19")
def test_each_button_works_once_and_not_after_other_words(tmp_path: Path) -> None:
    fresh = film(tmp_path / "fresh")
    says(fresh, "片长 2 分钟")
    expect_equal("WORDS-19", refused(lambda: confirms(fresh)), None, "confirming what is proposed")
    home = two_numbers(tmp_path / "once")
    expect_equal("WORDS-19", refused(lambda: presses(home, KEEP_OLD)), None, "the first press")
    presses(home, USE_NEW)
    expect_equal("WORDS-19", in_force(home), [TWO], "after a second press on the card")
    later = two_numbers(tmp_path / "later")
    expect_equal("WORDS-17", len(cards(later)), 1, "cards")
    stale, known = cards(later)[0], proposal(later)
    says(later, "片长改成 4 分钟")
    expect_equal("WORDS-18", refused(lambda: presses(later, USE_NEW, stale)), "withdrawn", "a press on a stale card")
    expect_equal("WORDS-19", refused(lambda: confirms(later, known)), "not_a_proposal", "a stale confirmation")
    expect_equal("WORDS-19", (in_force(later), proposed(later)), ([TWO], [FOUR]), "after a press on a stale card")
    call = Client(later)
    stale_one = call("POST", f"checks/{known}/confirm")
    expect_equal("WORDS-19", (stale_one.status, in_force(later)), (409, [TWO]), "a stale confirmation over HTTP")
    first = confirms(later)
    expect_equal("WORDS-19", call("POST", f"checks/{first}/confirm").status, 409, "confirming again")
    old = film(tmp_path / "old")
    says(old, "片长 2 分钟")
    card = old_card(old, kind="proposal", check=proposal(old), offer=[USE_NEW])
    says(old, "片长 3 分钟")
    expect_equal("WORDS-19", refused(lambda: presses(old, USE_NEW, card)), "not_a_proposal", "a press on an old card")
    expect_equal("WORDS-19", in_force(old), [], "after a press on an old card whose proposal is gone")


@proves("WORDS-32")
def test_nothing_but_another_number_raises_a_card(tmp_path: Path) -> None:
    weak = film(tmp_path / "weak")
    says(weak, "约 2 分钟")
    confirms(weak)
    says(weak, "约 90 秒")
    expect_equal("WORDS-32", cards(weak, withdrawn=True), [], "a new proposal beside what is in force")
    home = film(tmp_path / "home")
    says(home, "片长 2 分钟", "片长 3 分钟", "画幅 9:16")
    expect_equal("WORDS-32", cards(home, withdrawn=True), [], "new proposals")
    check = confirms(home, home.value("SELECT id FROM checks WHERE item = 'duration' AND state = 'proposal'"))
    for path in (MASTER, NEWER):
        hands_over(home, path)
        expect_equal("WORDS-26", home.value("SELECT matched FROM checks WHERE id = ?", check), path, "what it measures")
        while running(home):
            measures(home)
        expect_equal("WORDS-32", cards(home, withdrawn=True), [], f"a confirmed check and {path}")
    says(home, "片长 4 分钟")
    expect_equal("WORDS-17", len(cards(home)), 1, "a card can be seen")


# ---------------------------------------------------------------- what becomes of its words


def stays_as_it_is(folder: Path) -> None:
    """What is proposed is the same proposal after other lines."""
    home = film(folder)
    says(home, "片长 2 分钟")
    known = home.value("SELECT max(id) FROM checks")
    says(home, "加字幕")
    expect_equal("WORDS-15", home.value("SELECT max(id) FROM checks"), known, "the proposal after another line")


@proves("WORDS-21")
def test_erased_words_take_a_proposal_along_and_leave_a_confirmed_check_as_one(tmp_path: Path) -> None:
    stays_as_it_is(tmp_path / "first")
    for state_, wanted in (("proposal", ([], [])), ("active", ([], [TWO]))):
        for erase in (False, True):
            home = film(tmp_path / f"{state_}{erase}")
            says(home, "剪一版")
            home.say("@导演 片长 2 分钟", to="剪辑组", files=[1])
            if state_ == "active":
                confirms(home)
            before = (in_force(home), proposed(home))
            home.happens(events.SessionCleared, session=home.session("剪辑组"), erase_quotes=erase)
            after = (in_force(home), proposed(home))
            expect_equal("WORDS-21", after, wanted if erase else before, f"a {state_}, words erased = {erase}")
            home.later(1)
            says(home, "加字幕")
            expect_equal("WORDS-21", (in_force(home), proposed(home)), after, "and it stays so")
            if erase and state_ == "active":
                says(home, "片长 3 分钟")
                expect_equal("WORDS-21", proposed(home), [THREE], "until something else is said")


@proves("WORDS-21")
def test_a_confirmed_check_stays_whatever_becomes_of_later_words(tmp_path: Path) -> None:
    stays_as_it_is(tmp_path / "first")
    home = film(tmp_path / "erased")
    says(home, "片长 2 分钟")
    confirms(home)
    home.say("@导演 片长 120 秒", to="剪辑组", files=[1])
    home.happens(events.SessionCleared, session=home.session("剪辑组"), erase_quotes=True)
    expect_equal("WORDS-21", (in_force(home), proposed(home)), ([TWO], []), "after later words of the same were erased")

    deleted = film(tmp_path / "group")
    says(deleted, "剪一版")
    deleted.say("@导演 片长 2 分钟", to="剪辑组", files=[1])
    confirms(deleted)
    deleted.say("@导演 帧率 30", to="剪辑组", files=[1])
    deleted.happens(events.SessionDeleted, session=deleted.session("剪辑组"), erase_quotes=True)
    expect_equal("WORDS-21", (in_force(deleted), proposed(deleted)), ([], [TWO]), "both at once, with a group")


def moved(home: Evening, line: int, plan: int) -> None:
    """The user files a line to another plan, on an old card."""
    card = old_card(home, card="new", kind="new", line=line, plan=1, offers=[plan])
    home.happens(events.ControlPressed, message=card["id"], action="merge_plan", plan=plan)


@proves("WORDS-21")
def test_words_that_are_filed_elsewhere_take_a_proposal_along(tmp_path: Path) -> None:
    stays_as_it_is(tmp_path / "first")
    for confirmed in (False, True):
        home = film(tmp_path / str(confirmed))
        other = home.opened("另一支片", to="导演")
        line = says(home, "片长 2 分钟")
        if confirmed:
            confirms(home)
        moved(home, line, other)
        expect_equal("WORDS-21", proposed(home), [], f"what is proposed here, confirmed = {confirmed}")
        expect_equal(
            "WORDS-21", in_force(home), [TWO] if confirmed else [], f"what is in force, confirmed = {confirmed}"
        )
        there = home.rows("SELECT item, value FROM checks WHERE plan = ? AND state = 'proposal'", other)
        expect_equal("WORDS-02", there, [("duration", "120")], "what is proposed there")


# ---------------------------------------------------------------- what cannot be done to it


@proves("WORDS-30")
def test_a_check_from_words_is_never_edited_and_does_not_count_to_the_limit(tmp_path: Path) -> None:
    for confirmed in (False, True):
        home = film(tmp_path / str(confirmed))
        says(home, "片长 2 分钟")
        hands_over(home, MASTER)
        check = proposal(home)
        if confirmed:
            confirms(home)
        while running(home):
            measures(home)
        expect_equal("WORDS-30", (in_force(home) or proposed(home)), [TWO], "the check")
        edited = Client(home)("PATCH", f"checks/{check}", body={"path": "other.mp4"})
        expect_equal("WORDS-30", (edited.status, edited.error), (409, "derived_check"), "an edit of it")
        home.happens(events.ChecksRun, plan=1)
        expect_equal("WORDS-30", [each.body["check"] for each in running(home)], [check], "it is run again")
        home.happens(events.BoardEdited, plan=1, acceptance=("有片子",))
        for number in range(11):
            about = {"plan": 1, "sentence": "有片子", "check_kind": "file_exists", "body": {"path": f"{number}.png"}}
            if number < 10:
                added = refused(partial(home.happens, events.CheckAdded, **about))
                expect_equal("WORDS-30", added, None, f"check {number + 1} beside it")
            else:
                over = refused(partial(home.happens, events.CheckAdded, **about))
                expect_equal("CHK-08", over, "check_limit", "one more")
        expect_equal("WORDS-30", home.value("SELECT count(*) FROM checks WHERE item IS NULL"), 10, "checks beside it")
        home.happens(events.CheckDeleted, check=check)
        expect_equal("WORDS-30", (in_force(home), proposed(home)), ([], []), "deleted")
    unmatched = film(tmp_path / "unmatched")
    says(unmatched, "片长 2 分钟")
    unmatched.happens(events.ChecksRun, plan=1)
    expect_equal("WORDS-30", running(unmatched), [], "a proposal without a film is not run")
    with pytest.raises(Missing):
        confirms(unmatched, 99)


@proves("WORDS-30")
def test_a_proposal_is_confirmed_over_http(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长 2 分钟")
    shown = Client(home)("POST", f"checks/{proposal(home)}/confirm")
    expect_equal("WORDS-30", (shown.status, in_force(home)), (200, [TWO]), "the route")
    expect_equal("WORDS-30", shown.said["state"], "active", "what it shows")


@proves("WORDS-31")
def test_an_older_version_sees_a_check_of_the_user_for_a_file(tmp_path: Path) -> None:
    home = film(tmp_path)
    says(home, "片长 2 分钟")
    older = "SELECT written_by, kind, json_extract(body, '$.path') FROM checks"
    expect_equal("WORDS-31", home.rows(older), [("user", "file_exists", "")], "without a film")
    for column, other in (("written_by", "organizer"), ("kind", "command")):
        with suppress(sqlite3.IntegrityError):
            home.sql(f"UPDATE checks SET {column} = ?", other)
    expect_equal("WORDS-31", home.rows(older), [("user", "file_exists", "")], "whatever else is written there")
    check = confirms(home)
    (effect,) = running(home)
    expect_equal("WORDS-31", (effect.body["check"], effect.body["matched"]), (check, None), "it is run without a path")
    ran(home, "error", says="no path")
    expect_equal("WORDS-31", home.value("SELECT outcome FROM check_runs"), "error", "which is an error")
    hands_over(home, MASTER)
    expect_equal("WORDS-31", home.rows(older), [("user", "file_exists", MASTER)], "with a film")
    row = home.rows("SELECT item, bound, value, matched, state, quote IS NOT NULL FROM checks")
    expect_equal("WORDS-31", row, [("duration", "bare", "120", MASTER, "active", 1)], "what it has besides")
