"""The HTTP routes: what they change and show, for callers at home and away, and how they refuse."""

import sqlite3
from pathlib import Path
from typing import Any

from evening import Evening, shell
from requests_over_http import AT_HOME, AWAY, WAYS, Client

from harness.expect import expect, expect_equal, proves
from threadrebuild.collab import events
from threadrebuild.collab.routes import REMOTE, ROUTES

READ = events.Call("read_file", {"path": "notes.md"})


def house(folder: Path, name: str = "home") -> Evening:
    """Two Bots in a group; one works on a plan, and reads a file until a test says otherwise."""
    (folder / name).mkdir()
    home = Evening(folder / name, bots=["导演", "文案", "剪辑师"], rooms={"剪辑组": ["导演", "文案"]})
    home.opened("新品片", to="导演", tickets=[("分镜", "导演")])
    return home


def waiting_line(home: Evening) -> int:
    """A line in the inbox of a Bot that works."""
    home.say("先做分镜", to="导演", files=[1])
    home.hop("导演", READ, run=False)
    return home.say("配乐用鼓点", to="导演", files=[1])


def stored(home: Evening) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in the store."""
    tables = home.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return {name: home.rows(f"SELECT * FROM {name}") for (name,) in tables}


# ---------------------------------------------------------------- by rule


@proves("ATTR-18")
def test_nobody_edits_where_a_line_is_filed(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        line = home.say("做分镜", to="导演", files=[1])
        home.opened("海报", to="导演")
        call = Client(home, away=away)
        refused = call("PATCH", f"messages/{line}/attribution", plan=2)
        expect_equal("ATTR-18", refused.status, 404, f"PATCH of an attribution, remote = {away}")
        smuggled = call("PATCH", f"messages/{line}", text="做分镜", plan=2)
        expect_equal("ATTR-18", smuggled.status, 422, f"a plan sent along with new words, remote = {away}")
        expect_equal("ATTR-18", home.filed(line), [(1, None)], "where the line is filed")
    seen = Client(home)("GET", f"messages/{line}/attribution")
    expect_equal("ATTR-18", seen.said["targets"], [{"plan": 1, "ticket": None, "part": None}], "what can be read of it")


@proves("ATTR-20")
def test_looking_where_a_line_is_filed_lists_every_plan_and_wakes_none(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.opened("海报", to="文案")
    home.sql("UPDATE plans SET dormant = 1, dormant_reason = 'cleared' WHERE name = '海报'")
    line = home.say("做分镜", to="导演", files=[1])
    before, call = stored(home), Client(home)
    seen = call("GET", f"messages/{line}/attribution")
    expect_equal("ATTR-20", seen.status, 200, "the route")
    names = {plan["name"]: [ticket["title"] for ticket in plan["tickets"]] for plan in seen.said["plans"]}
    expect_equal(
        "ATTR-20", names, {"新品片": ["分镜"], "海报": []}, "plans and tickets, a dormant and an untouched one too"
    )
    expect_equal("ATTR-20", (stored(home) == before, call.taken), (True, 0), "the store as it was, and no event")


@proves("LEAD-09")
def test_a_lead_is_appointed_and_cleared_from_home_and_away(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        call, path = Client(home, away=away), f"sessions/{home.session('剪辑组')}/lead"

        def lead(call: Client = call, path: str = path) -> int | None:
            shown = call("GET", path)
            expect_equal("LEAD-09", shown.status, 200, f"GET of the lead, remote = {call.away}")
            return shown.said["lead"] and shown.said["lead"]["id"]

        director, writer, stranger = (home.bot(name) for name in ("导演", "文案", "剪辑师"))
        expect_equal("LEAD-09", lead(), None, "the lead of a new group")
        expect_equal("LEAD-09", call("PUT", path, bot_id=director).status, 422, "PUT that is not confirmed")
        expect_equal("LEAD-09", call("PUT", path, bot_id=director, confirmed=False).status, 422, "PUT that says so")
        expect_equal(
            "LEAD-09", call("PUT", path, bot_id=stranger, confirmed=True).status, 422, "PUT of one not present"
        )
        expect_equal("LEAD-09", lead(), None, "the lead after these")
        put = call("PUT", path, bot_id=director, confirmed=True)
        expect_equal("LEAD-09", (put.status, lead()), (200, director), f"PUT of a lead, remote = {away}")
        home.happens(events.BotRetired, bot=writer, state="archived")
        expect_equal("LEAD-09", call("PUT", path, bot_id=writer, confirmed=True).status, 422, "PUT of an archived Bot")
        home.happens(events.BotRetired, bot=director, state="archived")
        expect_equal("LEAD-09", lead(), director, "the lead, archived by now")
        cleared = call("PUT", path, bot_id=None, confirmed=True)
        expect_equal("LEAD-09", (cleared.status, lead()), (200, None), "PUT of nobody")


@proves("QUOT-30")
def test_a_line_is_withdrawn_from_home_and_away(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        line = waiting_line(home)
        answer = Client(home, away=away)("POST", f"messages/{line}/withdraw")
        expect_equal("QUOT-30", answer.status, 200, f"withdrawing a line that nobody has read, remote = {away}")
        copies = home.rows("SELECT state FROM inbox_items WHERE message = ?", line)
        expect_equal("QUOT-30", (answer.said["state"], copies), ("withdrawn", [("void",)]), "the line and its copy")


@proves("QUOT-31")
def test_a_line_that_was_read_is_not_withdrawn(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("先做分镜", to="导演", files=[1])
    call = Client(home)
    refused = call("POST", f"messages/{line}/withdraw")
    expect_equal("QUOT-31", (refused.status, refused.error), (409, "already_read"), "a line that opened a turn")
    edited = call("PATCH", f"messages/{line}", text="先做配乐")
    shown = (edited.status, edited.said["text"], edited.said["version"])
    expect_equal("QUOT-31", shown, (200, "先做配乐", 2), "what the user may do instead")


@proves("QUOT-10")
def test_words_are_erased_on_request_from_home_and_away(tmp_path: Path) -> None:
    for away in WAYS:
        for does in ("clear", "delete"):
            for erase, wanted in ((None, "做海报"), (False, "做海报"), (True, None)):
                home = house(tmp_path, f"{away}-{does}-{erase}")
                home.say("做海报", to="剪辑组")
                said = {} if erase is None else {"erase_quotes": erase}
                answer = Client(home, away=away)("POST", f"sessions/{home.session('剪辑组')}/{does}", **said)
                expect_equal("QUOT-10", answer.status, 200, f"{does}, remote = {away}")
                expect_equal(
                    "QUOT-10", home.value("SELECT text FROM quotes"), wanted, f"words, {does}, erase = {erase}"
                )


@proves("TURN-27")
def test_the_commands_of_a_turn_are_read_by_a_route_of_their_own(tmp_path: Path) -> None:
    home = house(tmp_path)
    home.say("转码", to="导演", files="spot")
    home.hop("导演", shell("ffmpeg a.mov"))
    path, call = f"turns/{home.turn('导演')['id']}/commands", Client(home)
    seen = call("GET", path)
    ran = [each["command"] for each in seen.said["commands"]] if seen.status == 200 else []
    expect_equal("TURN-27", ran, ["ffmpeg a.mov"], "the commands of a turn")
    call("POST", f"sessions/{home.session('导演')}/clear")
    expect_equal("TURN-27", call("GET", path).status, 404, "those of a turn that was cleared")


@proves("WORK-17")
def test_continuing_conflicts_with_a_live_segment_of_the_same_plan_only(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        home.opened("海报", to="导演")
        call = Client(home, away=away)
        home.say("做分镜", to="导演", files=[1])
        home.crash()
        old = home.turn("导演")["id"]
        home.say("做海报", to="导演", files=[2])
        answer = call("POST", f"turns/{old}/continue")
        expect_equal("WORK-17", answer.error, None, "continuing beside another plan")
        expect_equal("WORK-17", answer.said["continued_by"], home.turn("导演")["id"], "the segment that goes on")
        again = call("POST", f"turns/{old}/continue")
        expect_equal("WORK-17", (again.status, again.error), (409, "already_working"), "a second press")


@proves("WORK-13")
def test_work_whose_line_was_cleared_goes_on_at_the_users_word(tmp_path: Path) -> None:
    home = house(tmp_path)
    waiting_line(home)
    call = Client(home)
    call("POST", f"sessions/{home.session('导演')}/clear")
    item = home.value("SELECT id FROM work_items WHERE plan = 1")
    expect_equal("WORK-13", home.live("导演"), [], "segments after the clear")
    answer = call("POST", f"work-items/{item}/resume")
    expect_equal("WORK-13", answer.status, 200, "resuming")
    expect("WORK-13", "配乐用鼓点" in home.context(home.turn("导演")["id"]), "the words that were kept are read")
    again = call("POST", f"work-items/{item}/resume")
    expect_equal("WORK-13", (again.status, again.error), (409, "nothing_cleared"), "resuming once more")


# ---------------------------------------------------------------- the routes as such


def test_a_waiting_line_is_read_at_once_from_home_and_away(tmp_path: Path) -> None:
    for away in WAYS:
        home = house(tmp_path, str(away))
        home.say("先做分镜", to="导演", files=[1])
        home.hop("导演", READ)
        line = home.say("配乐用鼓点", to="导演", files=[1])
        call = Client(home, away=away)
        assert call("POST", f"messages/{line}/insert").status == 200
        assert home.read_in(line, "导演") == [home.turn("导演")["id"]]
        assert call("POST", f"messages/{line}/insert").error == "not_waiting"


def test_a_request_sent_again_changes_nothing_and_is_answered_the_same(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做分镜", to="导演", files=[1])
    call = Client(home)
    first = call("PATCH", f"messages/{line}", key="one", text="做两版分镜")
    before = stored(home)
    home.now += 60_000
    assert call("PATCH", f"messages/{line}", key="one", text="做两版分镜") == first
    in_the_body = call("PATCH", f"messages/{line}", text="做两版分镜", request_id="one")
    assert (in_the_body, stored(home) == before) == (first, True)
    other = call("PATCH", f"messages/{line}", key="two", text="做三版分镜")
    assert (other.status, other.said["version"]) == (200, 3)


def test_a_clear_sent_again_does_not_take_what_was_said_since(tmp_path: Path) -> None:
    home = house(tmp_path)
    path, call = f"sessions/{home.session('剪辑组')}/clear", Client(home)
    assert call("POST", path, key="one").status == 200
    line = home.say("做海报", to="剪辑组")
    assert call("POST", path, key="one").status == 200
    assert home.value("SELECT text FROM messages WHERE id = ?", line) == "做海报"
    assert call("POST", path).status == 200
    assert home.value("SELECT text FROM messages WHERE id = ?", line) is None


def test_an_edit_sent_again_after_the_line_was_cleared_is_known(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做海报", to="剪辑组")
    call = Client(home)
    call("PATCH", f"messages/{line}", key="one", text="做大海报")
    call("POST", f"sessions/{home.session('剪辑组')}/clear")
    assert call("PATCH", f"messages/{line}", key="one", text="做大海报").status == 404
    assert call.taken == 2


def test_an_id_that_was_another_requests_is_refused_and_loses_no_word(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做分镜", to="导演", files=[1])
    call = Client(home)
    call("PATCH", f"messages/{line}", key="one", text="做两版分镜")
    for method, path, said in (
        ("PATCH", f"messages/{line}", {"text": "做三版分镜"}),
        ("PATCH", f"messages/{line - 1}", {"text": "做两版分镜"}),
        ("POST", f"messages/{line}/withdraw", {}),
    ):
        refused = call(method, path, key="one", **said)
        assert (refused.status, refused.error) == (409, "request_id_reused")


def test_a_request_that_was_refused_can_be_sent_again_once_it_makes_sense(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("先做分镜", to="导演", files=[1])
    call = Client(home)
    assert call("POST", f"messages/{line}/insert", key="one").status == 409
    home.hop("导演", READ)
    home.sql("UPDATE inbox_items SET state = 'void' WHERE state = 'queued'")
    further = home.say("配乐用鼓点", to="导演", files=[1])
    assert call("POST", f"messages/{further}/insert", key="one").status == 200


def test_what_is_not_there_or_makes_no_sense_is_said(tmp_path: Path) -> None:
    home = house(tmp_path)
    line = home.say("做分镜", to="导演", files=[1])
    call, before = Client(home), stored(home)
    for method, path, body, status, error in (
        ("POST", "messages/99/withdraw", b"", 404, "not_found"),
        ("POST", "messages/99/insert", b"{}", 404, "not_found"),
        ("PATCH", "messages/99", b'{"text": "x"}', 404, "not_found"),
        ("GET", "messages/99/attribution", b"", 404, "not_found"),
        ("GET", "sessions/99/lead", b"", 404, "not_found"),
        ("PUT", "sessions/99/lead", b'{"bot_id": 1, "confirmed": true}', 404, "not_found"),
        ("POST", "sessions/99/clear", b"", 404, "not_found"),
        ("POST", "sessions/99/delete", b"", 404, "not_found"),
        ("GET", "turns/99/commands", b"", 404, "not_found"),
        ("POST", "turns/99/continue", b"", 404, "not_found"),
        ("POST", "work-items/99/resume", b"", 404, "not_found"),
        ("GET", f"turns/{10**30}/commands", b"", 404, "not_found"),
        ("POST", f"turns/{10**30}/continue", b"", 404, "not_found"),
        ("POST", f"sessions/{home.session('导演')}/delete", b"", 409, "no_group"),
        ("PUT", f"sessions/{home.session('导演')}/lead", b'{"bot_id": 1, "confirmed": true}', 409, "no_group"),
        ("PATCH", f"messages/{line}", b'{"text": " "}', 422, "senseless"),
        ("PATCH", f"messages/{line}", b"{}", 422, "senseless"),
        ("PATCH", f"messages/{line}", b'{"text": 5}', 422, "senseless"),
        ("PATCH", f"messages/{line}", b'{"text": "x"', 422, "senseless"),
        ("PATCH", f"messages/{line}", b'{"text": "\xff"}', 422, "senseless"),
        ("PATCH", f"messages/{line}", b'{"text": "\\ud800"}', 422, "senseless"),
        ("PATCH", f"messages/{line}", b'["text"]', 422, "senseless"),
        ("PATCH", f"messages/{line}", b'{"x": ' + b"[" * 100_000, 422, "senseless"),
        ("PUT", "sessions/4/lead", b'{"confirmed": true}', 422, "senseless"),
        ("PUT", "sessions/4/lead", b'{"bot_id": %d, "confirmed": true}' % 10**30, 422, "senseless"),
        ("POST", f"sessions/{home.session('剪辑组')}/clear", b'{"erase_quotes": "yes"}', 422, "senseless"),
        ("POST", f"sessions/{home.session('剪辑组')}/clear", b'{"erase": true}', 422, "senseless"),
        ("GET", "messages", b"", 404, "no_route"),
        ("GET", "messages/x/attribution", b"", 404, "no_route"),
        ("GET", "messages/-1/attribution", b"", 404, "no_route"),
        ("DELETE", f"messages/{line}", b"", 404, "no_route"),
        ("GET", f"messages/{line}/attribution/", b"", 404, "no_route"),
    ):
        refused = call(method, path, raw=body)
        assert (refused.status, refused.error) == (status, error), (method, path, body, refused)
        assert refused.said.keys() == {"error", "detail"}
    assert stored(home) == before


def test_a_caller_from_away_finds_what_the_allowlist_names_and_nothing_else(tmp_path: Path) -> None:
    home = house(tmp_path)
    at_home, away = Client(home, away=AT_HOME), Client(home, away=AWAY)
    assert ROUTES.keys() > REMOTE
    for name in ROUTES:
        method, path = name.replace("/v1/", "").replace("{id:int}", "99").split()
        said = {"text": "x"} if method == "PATCH" else {"bot_id": None} if method == "PUT" else {}
        assert at_home(method, path, **said).error in ("not_found", "senseless", None if method == "GET" else ""), name
        assert (away(method, path, **said).error == "no_route") == (name not in REMOTE), name


def test_who_looks_cannot_write(tmp_path: Path) -> None:
    view = Client(house(tmp_path)).view
    try:
        view.write("UPDATE plans SET dormant = 1")
    except sqlite3.OperationalError as error:
        assert "readonly" in str(error)
    else:
        raise AssertionError("the view has written")
