"""How delegations are shown: over HTTP from home and away, as they change, and in the chat of the two Bots."""

from pathlib import Path
from typing import Any

from delegating import ANSWER, ASK, ROOM, asked, delegate, home_of, pushed, reply, retire
from evening import Evening
from holding import hold
from requests_over_http import WAYS, Client
from stopping import is_taken

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events

CHAT = "导演 ↔ 文案"


def seen(home: Evening, path: str, *, away: bool = False) -> list[dict[str, Any]]:
    """What a route shows."""
    answer = Client(home, away=away)("GET", path)
    expect_equal("DEL-48", answer.status, 200, f"GET {path}, remote = {away}")
    found: list[dict[str, Any]] = answer.said["delegations"]
    return found


def entries(home: Evening, title: str = CHAT) -> list[tuple[str, str]]:
    """The entries that a chat shows."""
    shown = Client(home)("GET", f"sessions/{home.session(title)}/delegations").said["entries"]
    return [(entry["kind"], entry["text"]) for entry in shown]


@proves("DEL-48")
def test_two_routes_show_who_asks_whom_for_what(tmp_path: Path) -> None:
    for away in WAYS:
        home, plan = asked(tmp_path / str(away), "导演", "文案", "剪辑")
        paths = [f"tasks/{plan}/delegations", *(f"sessions/{home.session(each)}/delegations" for each in (ROOM, CHAT))]
        for path in paths:
            (one,) = seen(home, path, away=away)
            who = (one["from"]["name"], one["to"]["name"], one["ask"], one["expects"], one["state"], one["result"])
            expect_equal("DEL-48", who, ("导演", "文案", ASK, "answer", "open", None), f"{path}, remote = {away}")
            expect_equal("DEL-48", (one["waiting"], one["held"]), (True, False), f"whether it waits, is held: {path}")
        hold(home, "plan", plan=plan)
        expect_equal("DEL-48", [each["held"] for each in seen(home, paths[0], away=away)], [True], "under a hold")
        home.happens(events.HoldLifted, hold=1)
        retire(home, "文案")
        (one,) = seen(home, paths[0], away=away)
        expect_equal("DEL-48", (one["state"], one["waiting"]), ("cancelled", False), "one that is cancelled")
        expect("DEL-48", "not done" in one["result"], "what came of it")
        expect_equal("DEL-48", seen(home, f"sessions/{home.session('剪辑')}/delegations", away=away), [], "elsewhere")
        for path in ("tasks/99/delegations", "sessions/99/delegations"):
            expect_equal("DEL-48", Client(home, away=away)("GET", path).status, 404, path)


@proves("DEL-35")
def test_a_delegation_has_no_time_that_it_is_due(tmp_path: Path) -> None:
    home, plan = asked(tmp_path)
    (one,) = seen(home, f"tasks/{plan}/delegations")
    expect_equal("DEL-35", one["due_at"], None, "when it is due")
    due = "UPDATE waits SET due = 253402300799000 WHERE kind = 'delegation'"
    expect_equal("DEL-35", is_taken(home, due), False, "a made-up time, for the store")


@proves("DEL-49")
def test_clients_are_told_of_every_change_and_can_catch_up(tmp_path: Path) -> None:
    home, plan = asked(tmp_path)
    expect_equal("DEL-49", pushed(home), [(1, "open")], "what clients are told of a new one")
    reply(home, "文案")
    delegate(home, "导演", "文案", ask="片尾呢？")
    retire(home, "文案")
    told = [(1, "open"), (1, "replied"), (2, "open"), (2, "cancelled")]
    expect_equal("DEL-49", pushed(home), told, "what clients are told in the end")
    left = [each.kind for each in home.engine.open_effects() if each.kind == "push"]
    expect_equal("DEL-49", left, [], "what is asked for still: nothing comes back of telling")
    now = [each["state"] for each in seen(home, f"tasks/{plan}/delegations")]
    expect_equal("DEL-49", now, ["replied", "cancelled"], "what one reads that asks again")


@proves("DEL-50")
def test_entries_come_of_records_and_not_of_words(tmp_path: Path) -> None:
    home = home_of(tmp_path, "导演", "文案")
    plan = home.opened("新品片", to=ROOM)
    home.say("@导演 剪一版", to=ROOM, files=[plan])
    delegate(home, "导演", "文案")
    expect_equal("DEL-50", entries(home), [("delegate", ASK), ("wait", "")], "entries of an open one")
    home.hop("文案", events.Call("send_message", {"text": "delegated 委派：请导演看看；交回：好了；等待中"}))
    expect_equal("DEL-50", entries(home), [("delegate", ASK), ("wait", "")], "entries after words that name such")
    reply(home, "文案")
    expect_equal("DEL-50", entries(home), [("delegate", ASK), ("return", ANSWER)], "entries of one that is answered")
    delegate(home, "导演", "文案", ask="片尾呢？", **{"continue": True})
    expect_equal("DEL-50", entries(home)[2:], [("delegate", "片尾呢？")], "entries of one that is not waited for")
    retire(home, "文案")
    kinds = [kind for kind, _ in entries(home)]
    expect_equal("DEL-50", kinds, ["delegate", "return", "delegate", "cancel"], "entries in the end")
    expect_equal("DEL-50", entries(home, ROOM), [], "entries in another chat")


@proves("DEL-51")
def test_a_client_only_looks(tmp_path: Path) -> None:
    for away in WAYS:
        home, plan = asked(tmp_path / str(away))
        call = Client(home, away=away)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for path in (f"tasks/{plan}/delegations", f"sessions/{home.session(CHAT)}/delegations"):
                expect_equal("DEL-51", call(method, path, to="文案", ask="看看").status, 404, f"{method} {path}")
        expect_equal(
            "DEL-51", (call.taken, home.value("SELECT count(*) FROM delegations")), (0, 1), "what that changed"
        )
