"""Failed turns at a window change: what is proven is left out and nothing else; the rest stops for a person."""

import json
from pathlib import Path

from windows import Changed, change, expect_made

from harness.expect import expect, expect_equal, proves
from harness.world.talk import ABSENT, Talk
from threadrebuild.carry.failures import FailedTurn

PROMPT = "aaaaaaaa-1111-4111-8111-111111111111"


def texts(changed: Changed) -> list[str]:
    """What the messages behind the note say, in a row."""
    found = []
    for row in changed.rows[1:]:
        content = row["message"]["content"]
        found += [content] if isinstance(content, str) else [block.get("text", block["type"]) for block in content]
    return found


def begun(**fields: object) -> Talk:
    """A good turn before a turn that will fail."""
    talk = Talk()
    talk.user("先前一问")
    talk.tool("Bash", {"command": "ls"}, result="a b")
    talk.assistant("先前一答")
    talk.user("这一问会失败", uuid=PROMPT, **fields)
    return talk


def ended(talk: Talk) -> Talk:
    """The same with a good turn after it."""
    talk.user("后来一问")
    talk.assistant("后来一答")
    return talk


AROUND = ["先前一问", "tool_use", "tool_result", "先前一答", "这一问会失败", "后来一问", "后来一答"]
"""All that stays of it: the good neighbours whole, and what the user said."""


def stopped() -> Talk:
    """The user stops a turn while a tool runs."""
    talk = begun()
    talk.thinking("想一半", message="msg_half")
    talk.tool("Bash", {"command": "sleep 9"}, message="msg_half")
    talk.interrupted(for_tool=True)
    return ended(talk)


def on_record(changed: Changed) -> list[tuple[str, int]]:
    """Cause and number of rows of each fragment that the answer lists."""
    listed = changed.summary["window"].get("excluded", [])
    return [(each["cause"], len(each["lines"])) for each in listed]


@proves("WN-17")
def test_a_turn_that_the_user_stopped_is_left_out_alone(tmp_path: Path) -> None:
    changed = change(stopped(), tmp_path)
    expect_made("WN-17", changed, "needs-human")
    expect_equal("WN-17", texts(changed), AROUND, "what stays")
    expect("WN-17", changed.summary["ledger"]["failed_fragment"] > 0, "its bytes are accounted for")


@proves("WN-18")
def test_span_and_reason_of_what_is_left_out_are_on_record(tmp_path: Path) -> None:
    changed = change(stopped(), tmp_path)
    expect("WN-17", changed.reason != "needs-human", "the stop is proven")
    expect_made("WN-18", changed)
    expect_equal("WN-18", on_record(changed), [("stopped", 3)], "what is on record")
    reasons = [each["reason"] for each in changed.summary["window"].get("excluded", [])]
    expect("WN-18", all("stopped" in reason for reason in reasons), "why it was left out")
    warned = [warning.detail for warning in changed.candidate.warnings if warning.code == "failed-turn"]
    expect_equal("WN-18", len(warned), 1, "warnings about it")


@proves("WN-17")
def test_what_the_host_wrote_in_the_assistants_place_is_left_out_alone(tmp_path: Path) -> None:
    talk = begun()
    talk.tool("Bash", {"command": "date"}, result="Fri")
    talk.api_error("API Error: 529 overloaded")
    changed = change(ended(talk), tmp_path)
    expect_made("WN-17", changed, "needs-human")
    whole = [*AROUND[:5], "tool_use", "tool_result", *AROUND[5:]]
    expect_equal("WN-17", texts(changed), whole, "what stays")
    expect("WN-17", "host_reply" in repr(changed.plan.window), "the cause is known")


@proves("WN-18")
def test_a_reply_that_reached_the_user_stays_in_a_turn_that_was_stopped(tmp_path: Path) -> None:
    talk = begun()
    talk.reply("这句已经发出去了")
    talk.tool("Bash", {"command": "sleep 9"})
    talk.interrupted(for_tool=True)
    changed = change(ended(talk), tmp_path)
    expect_made("WN-18", changed, "needs-human")
    expect_equal("WN-18", changed.raw.count("这句已经发出去了".encode()), 1, "replies that were sent")
    expect_equal("WN-18", on_record(changed), [("stopped", 2)], "what is on record")


def sealed() -> Talk:
    """A call after the seal of a review: refused, and the turn failed."""
    talk = begun()
    talk.assistant("我这就去翻一下")
    talk.tool("Bash", {"command": "grep 鱼"}, result="sealed", error=True)
    return talk


def refused_call(talk: Talk) -> str:
    """The id of the talk's only failed call."""
    raw = talk.bytes()
    at = raw.index(b'"is_error":true')
    begin = raw.rindex(b'"tool_use_id":"', 0, at) + len(b'"tool_use_id":"')
    return raw[begin : raw.index(b'"', begin)].decode()


@proves("WN-18")
def test_a_call_that_met_the_seal_is_proven_by_the_hosts_record_and_its_failed_result(tmp_path: Path) -> None:
    expect_equal("WN-17", on_record(change(ended(begun()), tmp_path / "whole")), [], "left out of good turns")
    talk = sealed()
    call = refused_call(talk)
    whole = ended(talk)
    record = FailedTurn(cause="sealed", prompt=PROMPT, call=call)
    changed = change(whole, tmp_path / "proven", failures=[record])
    expect_made("WN-18", changed, "needs-human")
    expect_equal("WN-18", texts(changed), AROUND, "what stays")
    expect_equal("WN-18", on_record(changed), [("sealed", 3)], "what is on record")
    other = FailedTurn(cause="sealed", prompt=PROMPT, call="toolu_another")
    changed = change(whole, tmp_path / "contradicted", failures=[other])
    expect_equal("WN-18", changed.reason, "needs-human", "a record that the rows do not bear out")
    changed = change(whole, tmp_path / "without")
    expect("WN-18", "我这就去翻一下" in texts(changed), "without a record nothing of it is left out")


def restarted() -> Talk:
    """The server restarts while a tool runs."""
    talk = begun(timestamp="2026-08-14T09:10:00.000Z")
    talk.tool("Bash", {"command": "sleep 99"})
    return talk


def later(talk: Talk) -> Talk:
    """What is said after the restart."""
    talk.user("后来一问", timestamp="2026-08-14T09:30:00.000Z")
    talk.assistant("后来一答", timestamp="2026-08-14T09:30:01.000Z")
    return talk


@proves("WN-18")
def test_a_restart_is_proven_by_the_hosts_record_and_the_times_of_the_rows(tmp_path: Path) -> None:
    expect_equal("WN-17", on_record(change(ended(begun()), tmp_path / "whole")), [], "left out of good turns")
    talk = later(restarted())
    record = FailedTurn(cause="restarted", prompt=PROMPT, at="2026-08-14T09:20:00Z")
    changed = change(talk, tmp_path / "proven", failures=[record])
    expect_made("WN-18", changed, "needs-human")
    expect_equal("WN-18", texts(changed), AROUND, "what stays")
    for name, at in (("too early", "2026-08-14T09:09:59Z"), ("too late", "2026-08-14T09:30:00Z"), ("no time", "soon")):
        wrong = FailedTurn(cause="restarted", prompt=PROMPT, at=at)
        changed = change(talk, tmp_path / name, failures=[wrong])
        expect_equal("WN-18", changed.reason, "needs-human", f"a restart {name}")
    silent = later(begun(timestamp="2026-08-14T09:10:00.000Z"))
    expect_equal(
        "WN-18", texts(change(silent, tmp_path / "silent", failures=[record])), AROUND, "no row was written yet"
    )
    answered = begun(timestamp="2026-08-14T09:10:00.000Z")
    answered.assistant("已经答完", timestamp="2026-08-14T09:10:05.000Z")
    changed = change(later(answered), tmp_path / "answered", failures=[record])
    expect_equal("WN-18", changed.reason, "needs-human", "a turn that was answered before the restart")


def expect_stopped(talk: Talk | bytes, folder: Path, what: str) -> None:
    """The change stops for a person, and nothing is made."""
    changed = change(talk, folder, malformed="report")
    expect("WN-09", changed.reason != "note-too-long", f"{changed.candidate.refusal}")
    expect_equal("WN-19", changed.reason, "needs-human", what)
    expect("WN-19", not (folder / "out").exists(), f"nothing is made: {what}")


@proves("WN-19")
def test_what_nothing_proves_stops_the_change(tmp_path: Path) -> None:
    whole = change(ended(begun()), tmp_path / "whole")
    expect_made("WN-19", whole)
    call = _with(begun(), lambda talk: talk.tool("Bash", {"command": "sleep 9"}))
    expect_stopped(ended(call), tmp_path / "call", "a call without a result")
    thought = _with(begun(), lambda talk: talk.thinking("想到一半"))
    expect_stopped(ended(thought), tmp_path / "thought", "thinking alone at the end of a turn")


@proves("WN-19")
def test_a_turn_that_still_runs_stops_the_change(tmp_path: Path) -> None:
    running = _with(begun(), lambda talk: talk.tool("Bash", {"command": "ls"}, result="a"))
    expect_stopped(running, tmp_path / "running", "a turn that still runs")
    running.assistant("跑完了")
    expect_made("WN-19", change(running, tmp_path / "answered"))


@proves("WN-19")
def test_a_torn_line_in_the_span_stops_the_change(tmp_path: Path) -> None:
    expect_made("WN-19", change(ended(begun()), tmp_path / "whole"))
    torn = ended(begun()).bytes().splitlines(keepends=True)
    torn[-2] = torn[-2][: len(torn[-2]) // 2] + b"\n"
    expect_stopped(b"".join(torn), tmp_path / "torn", "a torn line")


@proves("WN-19")
def test_rows_whose_parents_run_in_a_circle_stop_the_change(tmp_path: Path) -> None:
    expect_made("WN-19", change(ended(begun()), tmp_path / "whole"))
    lines = ended(begun()).bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])["uuid"]
    lines[0] = lines[0].replace(b'"parentUuid":null', f'"parentUuid":"{last}"'.encode())
    expect_stopped(b"".join(lines), tmp_path / "circle", "a circle of parents")


@proves("WN-19")
def test_what_is_older_than_the_span_stops_nothing(tmp_path: Path) -> None:
    talk = _with(begun(), lambda talk: talk.tool("Bash", {"command": "sleep 9"}))
    talk.assistant("算了")
    talk.user("很久以后")
    talk.assistant("早就忘了")
    changed = change(talk, tmp_path, note="便签", retained_tokens=20)
    expect_made("WN-19", changed)
    expect_equal("WN-09", texts(changed), ["很久以后", "早就忘了"], "what stays")


def _with(talk: Talk, more: object) -> Talk:
    assert callable(more)
    more(talk)
    return talk


def test_absent_fields_of_a_prompt_prove_nothing(tmp_path: Path) -> None:
    talk = begun(timestamp=ABSENT)
    talk.tool("Bash", {"command": "sleep 99"})
    record = FailedTurn(cause="restarted", prompt=PROMPT, at="2026-08-14T09:20:00Z")
    assert change(later(talk), tmp_path, failures=[record]).reason == "needs-human"
