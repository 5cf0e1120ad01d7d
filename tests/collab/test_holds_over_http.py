"""Stopping, holding and lifting over HTTP, from home and away: the routes, their views, and what clients are told."""

import json
from pathlib import Path
from typing import Any

from evening import Evening, shell
from holding import ROOM, ask, at_work, check_back, hold, holds, home_of, lift, pass_time, stop, waits
from requests_over_http import AT_HOME, WAYS, Answer, Client
from stopping import folder_of

from harness.expect import expect_equal, proves


def two_at_work(folder: Path, level: int = 8) -> Evening:
    """Two Bots at work in a group, on one plan."""
    home = home_of(folder, "导演", "文案", level=level)
    plan = home.opened("新品片", to=ROOM)
    home.say("@导演 @文案 出一版", to=ROOM, files=[plan])
    for bot in ("导演", "文案"):
        home.hop(bot, shell("render a"), run=False)
    assert at_work(home) == ["导演", "文案"]
    return home


def twice(call: Client, method: str, path: str, key: str, **said: Any) -> Answer:
    """A request that is sent twice, as a client does that has had no answer; the second is answered like the first."""
    first = call(method, path, key=key, **said)
    assert call(method, path, key=key, **said) == first
    return first


def offered(answer: Answer) -> list[tuple[str, int | None]]:
    """The items of a menu: each scope with what it names."""
    return [(each["scope"], each.get(each["scope"])) for each in answer.said["items"]]


def pushed(home: Evening) -> list[tuple[int, str]]:
    """What clients were told of holds: which, and how it then was."""
    rows = home.rows("SELECT body FROM effects WHERE kind = 'push' ORDER BY id")
    told = [json.loads(body) for (body,) in rows]
    assert {each["event"] for each in told} <= {"hold.upsert"}
    return [(each["hold"]["id"], each["hold"]["status"]) for each in told]


def messages(home: Evening) -> int:
    """How many messages there are."""
    return int(home.value("SELECT count(*) FROM messages"))


def placed(home: Evening) -> list[int | None]:
    """The session on record with each hold that was made."""
    rows = home.rows(
        "SELECT json_extract(body, '$.session_id') FROM work_events WHERE type = 'control.hold' ORDER BY id"
    )
    return [session for (session,) in rows]


# ---------------------------------------------------------------- Stop


@proves("STOP-5")
def test_stop_hits_the_turn_of_the_direct_chat_that_it_was_pressed_in(tmp_path: Path) -> None:
    for away in WAYS:
        home = home_of(tmp_path / str(away), "导演", "文案")
        for bot in ("导演", "文案"):
            home.say("出一版", to=bot, files="spot")
            home.hop(bot, shell("render a"), run=False)
        call = Client(home, away=away)
        pressed = twice(call, "POST", "turns/stop", "one", session_id=home.session("导演"))
        expect_equal("STOP-5", pressed.status, 200, f"Stop, remote = {away}")
        expect_equal("STOP-5", pressed.said["id"], home.turn("导演")["id"], "the turn that it hit")
        expect_equal("STOP-5", at_work(home), ["文案"], "who is still at work, in the other chat")
        again = call("POST", "turns/stop", session_id=home.session("导演"))
        expect_equal("STOP-5", (again.status, again.error), (409, "not_running"), "Stop where nothing runs")
        expect_equal("STOP-5", len(holds(home)), 1, "the holds, after two presses of one id and one of another")


@proves("STOP-6")
def test_below_holds_the_menu_bar_stops_in_the_direct_chat_that_was_active_last(tmp_path: Path) -> None:
    for first, last in (("导演", "文案"), ("文案", "导演")):
        home = home_of(tmp_path / last, "导演", "文案", "剪辑", level=0)
        for bot in (first, last):
            home.say("出一版", to=bot)
            home.hop(bot, shell("render a"), run=False)
        home.say("@剪辑 在吗", to=ROOM)
        home.hop("剪辑", shell("render b"), run=False)
        call = Client(home)
        expect_equal("STOP-6", call("GET", "stops").said["stop"], home.turn(last)["id"], "what the menu bar offers")
        expect_equal("STOP-6", call("GET", "stops").said["items"], [], "its items")
        pressed = twice(call, "POST", "turns/stop", "one")
        expect_equal("STOP-6", pressed.said.get("id"), home.turn(last)["id"], "the turn that it hit")
        expect_equal("STOP-6", sorted(at_work(home)), sorted([first, "剪辑"]), "who is at work then")
    home = two_at_work(tmp_path / "holds", level=1)
    expect_equal("STOP-6", Client(home)("POST", "turns/stop").status, 422, "Stop that aims at nothing, with holds")


@proves("STOP-7")
def test_below_holds_a_group_has_no_stop(tmp_path: Path) -> None:
    for level, wanted in ((0, (409, "no_stop")), (1, (200, None))):
        home = home_of(tmp_path / str(level), "导演", level=level)
        home.say("@导演 出一版", to=ROOM)
        home.hop("导演", shell("render a"), run=False)
        call = Client(home)
        pressed = twice(call, "POST", "turns/stop", "one", turn_id=home.turn("导演")["id"])
        expect_equal("STOP-7", (pressed.status, pressed.error), wanted, f"Stop on a turn of a group at level {level}")
        expect_equal("STOP-7", at_work(home), [] if level else ["导演"], f"who is at work then at level {level}")
        home.say("在吗", to="导演")
        direct = call("POST", "turns/stop", session_id=home.session("导演"))
        expect_equal("STOP-7", direct.status, 200, f"Stop in the direct chat at level {level}")


@proves("STOP-9")
def test_in_a_group_one_bot_is_stopped_by_the_menu_and_the_others_go_on(tmp_path: Path) -> None:
    home = two_at_work(tmp_path)
    group, call = home.session(ROOM), Client(home)
    seen = call("GET", f"sessions/{group}/stops")
    expect_equal("STOP-9", seen.said["stop"], None, "Stop in a group")
    refused = call("POST", "turns/stop", session_id=group)
    expect_equal("STOP-9", (refused.status, refused.error), (409, "not_running"), "Stop pressed there all the same")
    item = next(each for each in seen.said["items"] if each.get("bot") == home.bot("导演"))
    expect_equal("STOP-9", item["name"], "导演", "the item")
    del item["name"]
    twice(call, "POST", "holds", "one", session_id=group, **item)
    expect_equal("STOP-9", at_work(home), ["文案"], "who is at work then")


# ---------------------------------------------------------------- menus


@proves("HOLD-102")
def test_a_group_offers_its_menu_while_a_bot_works_in_it_or_for_it(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案")
    plan = home.opened("新品片", to=ROOM)
    group, call = home.session(ROOM), Client(home)
    path = f"sessions/{group}/stops"
    expect_equal("HOLD-102", offered(call("GET", path)), [], "the menu with nobody at work")
    home.say("@导演 出一版", to=ROOM, files=[plan])
    whole = [("session", group), ("bot", home.bot("导演")), ("plan", plan), ("everything", None)]
    expect_equal("HOLD-102", offered(call("GET", path)), whole, "the menu with one at work in it")
    chat = ask(home, "导演", "文案")
    home.hop("导演", text="交给文案了。")
    expect_equal("HOLD-102", at_work(home), ["文案"], "who works: a delegate in a side chat")
    whole = [("session", group), ("bot", home.bot("文案")), ("plan", plan), ("everything", None)]
    expect_equal("HOLD-102", offered(call("GET", path)), whole, "the menu with only a delegate at work")
    expect_equal("HOLD-102", offered(call("GET", f"sessions/{chat}/stops")), [], "that of the chat among Bots")


@proves("HOLD-102")
def test_what_is_held_already_is_not_offered_to_be_stopped(tmp_path: Path) -> None:
    for scope, let_go, left in (
        ("bot", False, ["session", "plan", "everything"]),
        ("plan", False, ["session", "bot", "everything"]),
        ("session", False, ["bot", "everything"]),
        ("everything", False, []),
        ("everything", True, ["session", "bot", "plan", "everything"]),
    ):
        home = two_at_work(folder_of(tmp_path, f"{scope}-{let_go}"))
        writer, plan, group = home.bot("文案"), home.value("SELECT max(id) FROM plans"), home.session(ROOM)
        home.hop("导演", text="好了。") or home.run("导演")
        home.hop("导演", text="好了。")
        names = {"bot": writer, "plan": plan, "session": group}
        made = hold(home, scope, **({scope: names[scope]} if scope in names else {}))
        home.sql(
            "UPDATE holds SET void = 1, effect = json_set(effect, '$.released_bots', json(?)) WHERE id = ?",
            f"[{writer}]" if let_go else "[]",
            made,
        )
        home.say("@文案 做到哪了", to=ROOM, files=[plan])
        expect_equal("HOLD-102", at_work(home), ["文案"], f"who works in the group under a kept hold on {scope}")
        seen = [each for each, _ in offered(Client(home)("GET", f"sessions/{group}/stops"))]
        expect_equal("HOLD-102", seen, left, f"the menu under a hold on {scope}, the Bot let go: {let_go}")


@proves("HOLD-103")
def test_each_place_offers_what_can_be_stopped_there_and_all_of_it_ends_with_the_next_word(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演")
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    chat, call = home.session("导演"), Client(home)
    turn = home.turn("导演")["id"]
    expect_equal("HOLD-103", call("GET", f"sessions/{chat}/stops").said, {"stop": turn, "items": []}, "a direct chat")
    matter: dict[str, Any] = {"scope": "plan", "plan": plan, "name": "新品片"}
    everything: dict[str, Any] = {"scope": "everything"}
    chart = call("GET", f"tasks/{plan}/stops").said
    expect_equal("HOLD-103", chart, {"stop": None, "items": [matter, everything]}, "a flowchart")
    expect_equal("HOLD-103", call("GET", "stops").said, {"stop": None, "items": [everything]}, "the menu bar")
    for number, item in enumerate((matter, everything)):
        said = {name: value for name, value in item.items() if name != "name"}
        made = twice(call, "POST", "holds", f"press {number}", **said)
        expect_equal("HOLD-103", made.said["lift_on_next_user_message"], True, f"{item['scope']}: an ordinary hold")
        expect_equal("HOLD-103", at_work(home), [], "who is at work under it")
        home.say("接着做", to="导演", files=[plan])
        expect_equal("HOLD-103", (holds(home), at_work(home)), ([], ["导演"]), f"{item['scope']}: after the next word")


@proves("HOLD-104")
def test_all_is_stopped_while_nobody_is_at_work(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演")
    plan = home.opened("新品片", to="导演")
    home.say("出一版", to="导演", files=[plan])
    home.hop("导演", check_back(30))
    home.hop("导演", text="半小时后回看。")
    call = Client(home)
    expect_equal("HOLD-104", at_work(home), [], "who is at work")
    expect_equal("HOLD-104", offered(call("GET", "stops")), [("everything", None)], "what the menu bar offers then")
    twice(call, "POST", "holds", "one", scope="everything")
    expect_equal("HOLD-104", call("GET", "stops").said["items"], [], "the menu bar once all is stopped")
    pass_time(home, 60)
    expect_equal("HOLD-104", (at_work(home), waits(home)), ([], ["suspended"]), "after the check-back was due")


# ---------------------------------------------------------------- routes


@proves("HOLD-105")
def test_holds_are_listed_newest_first_and_read_one_by_one(tmp_path: Path) -> None:
    home = two_at_work(tmp_path)
    first, second, third = (hold(home, "bot", bot=home.bot(bot)) for bot in ("导演", "文案", "导演"))
    lift(home, second)
    call = Client(home)

    def listed(path: str) -> list[tuple[int, str]]:
        return [(each["id"], each["status"]) for each in call("GET", path).said["holds"]]

    expect_equal("HOLD-105", listed("holds"), [(third, "active"), (first, "active")], "the active holds")
    everyone = [(third, "active"), (second, "lifted"), (first, "active")]
    expect_equal("HOLD-105", listed("holds?status=all"), everyone, "all holds")
    expect_equal("HOLD-105", call("GET", "holds?status=old").status, 422, "a status that is none")
    one = call("GET", f"holds/{second}")
    expect_equal("HOLD-105", (one.status, one.said["status"], one.said["scope"]), (200, "lifted", "bot"), "one of them")
    expect_equal("HOLD-105", call("GET", "holds/99").status, 404, "one that is not there")


@proves("HOLD-106")
def test_a_hold_from_a_menu_is_the_users_and_says_where_it_was_made(tmp_path: Path) -> None:
    for away in WAYS:
        home = two_at_work(tmp_path / str(away))
        group, call, before = home.session(ROOM), Client(home, away=away), messages(home)
        made = twice(call, "POST", "holds", "one", scope="session", session=group, session_id=group)
        expect_equal("HOLD-106", made.status, 200, f"a hold, remote = {away}")
        expect_equal("HOLD-106", made.said["source"], "user_button", "its source")
        expect_equal("HOLD-106", at_work(home), [], "who is at work right after it")
        stopped = [each["bot"] for each in made.said["effect"]["stopped_turns"]]
        expect_equal("HOLD-106", stopped, [home.bot("导演"), home.bot("文案")], "whom it stopped, in the answer")
        expect_equal("HOLD-106", placed(home), [group], "the session in the work log")
        expect_equal("HOLD-106", messages(home), before, "the messages")
        for said, status in (
            ({"scope": "bot"}, 422),
            ({"scope": "plan", "plan": 1, "bot": 1}, 422),
            ({"scope": "room", "session": 1}, 422),
            ({"scope": "everything", "source": "legacy"}, 422),
            ({"scope": "bot", "bot": 99}, 404),
            ({"scope": "turn", "turn": 99}, 404),
        ):
            refused = twice(call, "POST", "holds", str(said), **said)
            expect_equal("HOLD-106", refused.status, status, f"a hold made of {said}")
        taken = twice(call, "POST", "holds", "one", scope="session", session=group, session_id=group)
        expect_equal("HOLD-106", taken, made, "the first request once more")
        other = call("POST", "holds", key="one", scope="everything")
        expect_equal("HOLD-106", (other.status, other.error), (409, "request_id_reused"), "another with its id")
        expect_equal("HOLD-106", len(holds(home)), 1, "the holds after all that")


@proves("HOLD-107")
def test_a_hold_that_was_lifted_is_returned_as_it_is(tmp_path: Path) -> None:
    home = two_at_work(tmp_path)
    made = hold(home, "bot", bot=home.bot("导演"))
    call = Client(home)
    first = twice(call, "POST", f"holds/{made}/lift", "one")
    expect_equal("HOLD-107", (first.status, first.said["status"]), (200, "lifted"), "the first lift")
    actions, restarts = (home.value(f"SELECT count(*) FROM {each}") for each in ("user_actions", "inbox_items"))
    again = call("POST", f"holds/{made}/lift")
    expect_equal("HOLD-107", again, first, "another lift of it")
    now = [home.value(f"SELECT count(*) FROM {each}") for each in ("user_actions", "inbox_items")]
    expect_equal("HOLD-107", now, [actions, restarts], "what the second has added")
    expect_equal("HOLD-107", at_work(home), ["文案", "导演"], "who is at work: once each")
    expect_equal("HOLD-107", call("POST", "holds/99/lift").status, 404, "a hold that is not there")


@proves("HOLD-108")
def test_a_snapshot_has_the_active_holds_from_their_level_on(tmp_path: Path) -> None:
    for level in (0, 1, 8):
        home = two_at_work(tmp_path / str(level), level)
        call = Client(home)
        plan = home.value("SELECT max(id) FROM plans")
        if level == 0:
            refused = call("POST", "holds", scope="everything")
            expect_equal("HOLD-108", (refused.status, refused.error), (404, "not_found"), "a hold below their level")
        else:
            first, second = hold(home, "plan", plan=plan), hold(home, "bot", bot=home.bot("文案"))
            lift(home, hold(home, "everything"))
        shown = call("GET", "snapshot").said.get("holds")
        listed = shown and [(each["id"], each["plan_title"]) for each in shown]
        wanted = None if level == 0 else [(second, None), (first, "新品片")]
        expect_equal("HOLD-108", listed, wanted, f"the holds of a snapshot at level {level}")


@proves("HOLD-109")
def test_clients_are_told_of_a_hold_made_changed_and_lifted(tmp_path: Path) -> None:
    home = two_at_work(tmp_path / "8")
    made = hold(home, "bot", bot=home.bot("导演"))
    expect_equal("HOLD-109", pushed(home), [(made, "active")], "what clients are told of a hold")
    (body,) = home.rows("SELECT body FROM effects WHERE kind = 'push'")
    told = json.loads(body[0])["hold"]
    expect_equal("HOLD-109", told, Client(home)("GET", f"holds/{made}").said, "it, as it can be read")
    home.sql("UPDATE holds SET void = 1 WHERE id = ?", made)
    line = home.say("@导演 片尾的 logo 再大一点", to=ROOM, files=[1])
    kept = Client(home)("GET", f"holds/{made}").said["effect"]["answered_lines"]
    expect_equal("HOLD-109", [each["message"] for each in kept], [line], "what is put on its record later")
    expect_equal("HOLD-109", pushed(home), [(made, "active")] * 2, "what clients are told then")
    lift(home, made)
    expect_equal("HOLD-109", pushed(home), [(made, "active")] * 2 + [(made, "lifted")], "what they are told of a lift")
    open_ = [effect for effect in home.engine.open_effects() if effect.kind == "push"]
    expect_equal("HOLD-109", open_, [], "what is still to come back from that")


@proves("HOLD-110")
def test_holds_work_from_the_phone_in_the_same_way(tmp_path: Path) -> None:
    seen = {}
    for away in WAYS:
        home = two_at_work(tmp_path / str(away))
        home.say("在吗", to="导演", files="spot")
        call, said = Client(home, away=away), []
        group, chat = home.session(ROOM), home.session("导演")
        said.append(call("GET", f"sessions/{group}/stops"))
        said.append(call("GET", "tasks/1/stops"))
        said.append(call("GET", "stops"))
        said.append(twice(call, "POST", "turns/stop", "stop", session_id=chat))
        said.append(twice(call, "POST", "holds", "hold", scope="everything", session_id=group))
        made = said[-1].said.get("id", 0)
        said.append(call("GET", "holds"))
        said.append(call("GET", f"holds/{made}"))
        said.append(twice(call, "POST", f"holds/{made}/lift", "lift"))
        said.append(call("GET", "snapshot"))
        seen[away] = said
    expect_equal("HOLD-110", {each.status for each in seen[AT_HOME]}, {200}, "the answers at home")
    for at, answer in enumerate(seen[AT_HOME]):
        expect_equal("HOLD-110", seen[not AT_HOME][at], answer, f"answer {at} away from home")


def test_a_stop_that_was_pressed_is_answered_the_same_again(tmp_path: Path) -> None:
    home = two_at_work(tmp_path)
    turn, call = home.turn("导演")["id"], Client(home)
    stop(home, "导演")
    refused = twice(call, "POST", "turns/stop", "one", turn_id=turn)
    assert (refused.status, refused.error) == (409, "not_running")
    missing = twice(call, "POST", "turns/stop", "two", turn_id=99)
    assert (missing.status, missing.error) == (404, "not_found")
    assert call("GET", "tasks/99/stops").status == call("GET", "sessions/99/stops").status == 404
