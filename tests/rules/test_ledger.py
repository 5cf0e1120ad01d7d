"""The ledger: an equation over every source byte, which also notices what the selection lost."""

import json
from pathlib import Path

from building import build, expect_built, small_talk
from carrying import SESSION, carry

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.carry.plan import plan_file
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles
from threadrebuild.transcript.ledger import REASONS


@proves("TR-L06")
def test_every_byte_is_in_one_class_with_a_reason(tmp_path: Path) -> None:
    talk = small_talk()
    talk.sidechain("asked", "answered")
    talk.thinking("hm")
    talk.meta("a skill's body")
    talk.raw(b"null\n\n{broken\n")
    candidate = build(talk, tmp_path, malformed="report")
    expect_built("TR-L06", candidate)
    expect("TR-067", candidate.path.exists(), "the candidate is published")
    size = (tmp_path / "project" / "source.jsonl").stat().st_size
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_bytes())
    classes = {each["name"]: each["bytes"] for each in ledger["classes"]}
    expect_equal("TR-L06", (sum(classes.values()), ledger["sum"], ledger["size"]), (size, size, size), "sum of classes")
    expect("TR-L06", min(classes.values()) > 0, "each class that is listed has bytes")
    expect("TR-L06", all(each["reason"] == REASONS[each["name"]] for each in ledger["classes"]), "each has a reason")
    wanted = {"carried", "startup", "tool_result", "sidechain", "thinking", "meta_injection", "no_record", "unreadable"}
    expect_equal("TR-L06", wanted - set(classes), set(), "classes of this talk that are missing")
    said = sum(len(json.dumps(text, ensure_ascii=False).encode()) for _, text in talk.said)
    expect_equal("TR-L06", classes["carried"], said, "bytes carried")


@proves("TR-L06")
def test_a_turn_that_the_selection_lost_is_noticed(tmp_path: Path) -> None:
    talk = small_talk()
    expect_built("TR-L06", build(talk, tmp_path, out="good"))
    plan = plan_file(tmp_path / "project" / "source.jsonl", Settings())
    expect_equal("TR-018", len(plan.selected), 2, "turns")
    del plan.selected[0]
    lost = build_candidate(plan, tmp_path / "bad", SESSION, SystemFiles())
    reason = lost.refusal.reason if lost.refusal else None
    expect_equal("TR-L06", reason, "ledger-gap", "a build without a turn that is booked as carried")


@proves("TR-L06")
def test_a_byte_that_is_booked_nowhere_or_twice_is_noticed(tmp_path: Path) -> None:
    expect_built("TR-L06", build(small_talk(), tmp_path, out="good"))
    for count in (-1, 1):
        plan = plan_file(tmp_path / "project" / "source.jsonl", Settings())
        plan.source.ledger.bytes["envelope"] += count
        gap = build_candidate(plan, tmp_path / f"bad{count}", SESSION, SystemFiles())
        reason = gap.refusal.reason if gap.refusal else None
        expect_equal("TR-L06", reason, "ledger-gap", f"a build whose ledger is {count} byte off")


@proves("TR-066")
def test_tool_traffic_alone_makes_no_session(tmp_path: Path) -> None:
    expect_built("TR-066", build(small_talk(), tmp_path / "good"))
    talk = Talk()
    talk.meta("a skill's body")
    talk.tool("Bash", {"command": "ls"}, result="a.txt")
    empty = carry(talk, tmp_path / "traffic")
    expect_equal("TR-066", empty.summary["reason"], "nothing-to-carry", "a transcript of tool traffic only")
    expect("TR-066", not (tmp_path / "traffic" / "out").exists(), "nothing is written")


@proves("TR-066")
def test_a_source_that_names_no_session_is_refused(tmp_path: Path) -> None:
    expect_built("TR-066", build(small_talk(), tmp_path / "good"))
    rows = [json.loads(line) for line in small_talk().bytes().splitlines()]
    nameless = b"".join(
        json.dumps({key: value for key, value in row.items() if key != "sessionId"}).encode() + b"\n" for row in rows
    )
    refused = carry(nameless, tmp_path / "nameless")
    expect_equal("TR-066", refused.summary["reason"], "no-session-id", "a transcript without a session id")
    expect("TR-066", not (tmp_path / "nameless" / "out").exists(), "nothing is written")
