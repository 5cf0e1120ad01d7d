"""What reads lines: the model chosen for that, in slots of its own; one of Claude Code by the user's choice alone."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from evening import Evening, shell
from readings import FILING, MEANING, asked, body, comes, household, read_as, refused, says

from harness.expect import expect, expect_equal, proves
from harness.world.rooms import Reply, Rooms
from threadrebuild.collab import costs, events, reader
from threadrebuild.collab.engine import Effect

CLAUDE = {"step": "reader", "model": "haiku", "engine": "claude_agent"}
LIMIT_REACHED = "You've hit your session limit · resets 11:10pm"


def with_claude(folder: Path) -> tuple[Evening, list[int]]:
    """A household with two plans whose lines Claude reads on the only account there is."""
    home, plans = household(folder, "新品片", "海报")
    home.happens(events.AccountListed, name="mine")
    home.happens(events.ModelChosen, **CLAUDE)
    return home, plans


def asks(home: Evening, *calls: events.Call) -> list[str]:
    """How a Bot's calls end that the user has asked for."""
    line = says(home, "@文案 换一个读句模型", to="剪辑组")
    read_as(home, line, filing={"kind": "on_the_spot"})
    home.hop("文案", *calls)
    found = [state for _, state, _ in home.results(home.turn("文案")["id"])]
    home.hop("文案", text="好了。")
    return found


def switches(model: str | None, **more: Any) -> events.Call:
    """A Bot's call that changes what reads lines."""
    return events.Call("choose_model", {"step": "reader", "model": model, **more})


@proves("READ-24")
def test_reading_has_its_own_slots_and_the_lightest_thinking(tmp_path: Path) -> None:
    home, (film,) = household(tmp_path / "a", "新品片")
    home.sql("UPDATE bots SET parallel_limit = 1")
    home.say("@导演 做起来", to="剪辑组", files=[film])
    home.hop("导演", shell("render a"), run=False)
    line = says(home, "@导演 再亮一点", to="剪辑组")
    expect_equal(
        "READ-24", [len(asked(home, line, kind)) for kind in (MEANING, FILING)], [1, 1], "calls, with it at work"
    )
    wanted = {"effort": "lightest", "slots": "reader", "model": None}
    for kind in (MEANING, FILING):
        given = body(home, line, kind)
        expect_equal("READ-24", {key: given.get(key, "missing") for key in wanted}, wanted, f"what reads: {kind}")
    home.happens(events.ModelChosen, step="reader", model="fast")
    expect_equal(
        "READ-24", body(home, says(home, "@文案 好", to="导演"), MEANING).get("model"), "fast", "the model chosen"
    )
    home.happens(events.ModelChosen, step="reader", model=None)
    expect_equal("READ-24", body(home, says(home, "好", to="文案"), MEANING).get("model"), None, "the default again")


@proves("READ-25")
def test_only_the_user_chooses_a_model_of_claude_code(tmp_path: Path) -> None:
    home, _ = household(tmp_path / "a", "新品片")
    expect_equal("READ-25", refused(home, events.ModelChosen, **CLAUDE), "invalid", "with no account listed")
    home.happens(events.AccountListed, name="mine")
    expect_equal("READ-25", asks(home, switches("haiku", engine="claude_agent")), ["refused"], "a Bot that chooses it")
    for account in (None, 1):
        expect_equal("READ-25", refused(home, events.ModelChosen, **CLAUDE, account=account), None, "the user")
    line = says(home, "好", to="导演")
    given = body(home, line, MEANING)
    found = [given["model"], given["account"], given.get("tools"), given["slots"]]
    expect_equal("READ-25", found, ["haiku", 1, [], "reader by Claude"], "what reads a line now")
    expect_equal("READ-25", refused(home, events.AccountRemoved, account=1), "account_in_use", "the account in use")
    expect_equal("READ-25", asks(home, switches("fast")), ["ok"], "a Bot that goes back to an endpoint")
    expect_equal("READ-25", body(home, says(home, "好", to="导演"), MEANING)["account"], None, "the account then")
    expect_equal("READ-25", asks(home, switches(None)), ["ok"], "a Bot that goes back to the default")
    expect_equal("READ-25", refused(home, events.AccountRemoved, account=1), None, "the account that nothing uses")
    expect_equal("READ-25", refused(home, events.ModelChosen, **CLAUDE), "invalid", "with the account off the list")


@proves("READ-25")
def test_the_store_refuses_what_only_the_user_may_choose(tmp_path: Path) -> None:
    home, _ = with_claude(tmp_path / "a")
    for statement in (
        "UPDATE step_models SET chosen_by = NULL",
        "UPDATE claude_accounts SET listed = 0",
    ):
        try:
            home.sql(statement)
        except sqlite3.IntegrityError:
            continue
        expect("READ-25", False, f"the store takes: {statement}")
    home.sql("DELETE FROM step_models")
    home.sql("UPDATE claude_accounts SET listed = 0")


class Readers:
    """Everything takes five seconds; when each reading begins and ends is noted."""

    def __init__(self) -> None:
        self.spans: list[tuple[int, int]] = []

    def reply(self, rooms: Rooms, effect: Effect) -> Reply:
        """A reading that says nothing; no turn of a Bot ever ends."""
        if effect.kind != "read":
            return Reply(5.0, None)
        self.spans.append((rooms.now(), rooms.now() + 5000))
        return Reply(5.0, lambda key, at: events.Read(key=key, at=at, effect=effect.id, raw="{}"))

    def most(self) -> int:
        """How many were under way at once at most."""
        return max(sum(begins <= at < ends for begins, ends in self.spans) for at, _ in self.spans)


@proves("READ-25")
def test_two_readings_at_once_by_claude(tmp_path: Path) -> None:
    for number, (chosen, most) in enumerate(((CLAUDE, 2), (None, 4))):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        readers = Readers()
        rooms = Rooms(folder, readers)
        assert rooms.engine is not None
        handle, at = rooms.engine.handle, rooms.now()
        handle(events.BotAdded(key="bot", at=at, name="导演"))
        handle(events.SessionOpened(key="direct", at=at, session="direct", title="导演", members=("导演",)))
        handle(events.AccountListed(key="account", at=at, name="mine"))
        if chosen is not None:
            handle(events.ModelChosen(key="model", at=at, step="reader", model="haiku", engine="claude_agent"))
        for line in range(3):
            rooms.does(lambda key, at, line=line: events.Line(key=key, at=at, session=1, text=f"第 {line} 句"))  # type: ignore[misc]
        rooms.world.run(60.0)
        rooms.close()
        expect_equal("READ-25", len(readers.spans), 6, "readings of three lines")
        expect_equal("READ-25", readers.most(), most, "readings at once")


@proves("READ-26")
def test_what_claude_code_says_of_its_failure_is_kept(tmp_path: Path) -> None:
    for failure, wanted in (
        ("missing", "claude_unavailable"),
        ("logged out", "claude_unavailable"),
        ("error", "claude_failed"),
        ("timeout", "timeout"),
    ):
        home, _ = with_claude(tmp_path / failure)
        line = says(home, "@导演 停下", to="剪辑组")
        comes(home, line, MEANING, failure=failure, raw=LIMIT_REACHED)
        comes(home, line, FILING, failure=failure, raw=LIMIT_REACHED)
        found = home.rows("SELECT failure, raw FROM readings WHERE message = ?", line)
        expect_equal("READ-26", found, [(wanted, LIMIT_REACHED)] * 2, f"both readings after {failure}")
        expect_equal("READ-26", reader.meaning(home.db, line).control, "stop", "what the fixed words say")
        expect_equal("READ-26", home.value("SELECT state FROM messages WHERE id = ?", line), "delivered", "the line")
    home, _ = household(tmp_path / "endpoint", "新品片")
    line = says(home, "@导演 停下", to="剪辑组")
    comes(home, line, MEANING, failure="error")
    found = home.rows("SELECT failure FROM readings WHERE message = ?", line)
    expect_equal("READ-26", found, [("error",)], "the failure of an endpoint")


@proves("READ-31")
def test_a_reading_by_claude_is_booked_as_that(tmp_path: Path) -> None:
    home, _ = with_claude(tmp_path / "a")
    first = says(home, "@导演 停下", to="剪辑组")
    comes(home, first, MEANING, {}, cost=0.25)
    home.happens(events.ModelChosen, step="reader", model="fast")
    comes(home, first, FILING, {}, cost=0.5)  # Asked before the change, and so of Claude.
    second = says(home, "@文案 好", to="剪辑组")
    comes(home, second, MEANING, {}, cost=2.0)
    lines = [
        {key: line[key] for key in ("category", "purpose", "paid_to", "estimated", "calls", "amount")}
        for line in costs.view(home.db)
    ]
    wanted = [
        {
            "category": "organize",
            "purpose": "reader",
            "paid_to": "Claude Agent",
            "estimated": 1,
            "calls": 2,
            "amount": 0.75,
        },
        {"category": "organize", "purpose": "reader", "paid_to": "endpoint", "estimated": 0, "calls": 1, "amount": 2.0},
    ]
    expect_equal("READ-31", lines, wanted, "the lines of the cost view")
    accounts = home.rows("SELECT account, sum(amount) FROM costs GROUP BY account ORDER BY account")
    expect_equal("READ-31", accounts, [(None, 2.0), (1, 0.75)], "whose plan was spent")
    purposes = [
        json.loads(said)["subject"]
        for (said,) in home.rows("SELECT body FROM work_events WHERE type = 'reader.answer'")
    ]
    expect_equal("READ-27", purposes, [MEANING, FILING, MEANING], "the readings on record")
