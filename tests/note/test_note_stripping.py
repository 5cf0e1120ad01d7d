"""Review material leaves the record once its turn is over; the newest recall packet and the prompt cache stay."""

import json
from pathlib import Path

from windows import Changed, change, expect_made

from harness.expect import expect, expect_equal, proves
from harness.world.talk import Talk
from threadrebuild.carry.strip_record import strip_record
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles


def evidence(number: int) -> str:
    """What a review found out for a turn."""
    return f"<review-evidence>\n证据 {number}：鱼叫蓝\n</review-evidence>"


def problems(number: int) -> str:
    """What a review found wrong with a draft."""
    return f"<review-problems>\n问题 {number}：名字写错了\n</review-problems>"


def packet(number: int) -> str:
    """What was recalled for a turn."""
    return f"<memory-retrieval>\n召回 {number}：鱼缸在客厅\n</memory-retrieval>"


def reviewed(turns: int) -> Talk:
    """Turns that were each reviewed once."""
    talk = Talk()
    for number in range(turns):
        talk.user([packet(number), f"第 {number} 问"])
        talk.meta(evidence(number) + "\n" + problems(number))
        talk.assistant(f"第 {number} 答")
    return talk


def times(changed: Changed, word: str) -> int:
    """How often a word stands in the new record."""
    return changed.raw.count(word.encode())


@proves("WN-13")
def test_after_ten_reviewed_turns_no_evidence_is_left(tmp_path: Path) -> None:
    changed = change(reviewed(10), tmp_path)
    expect_made("WN-13", changed)
    expect("WN-13", "证据" in changed.source.read_text(), "the old record held evidence")
    for word in ("证据", "问题"):
        expect_equal("WN-13", times(changed, word), 0, f"{word} in the new record")
    said = [times(changed, f"第 {number} {what}") for number in range(10) for what in "问答"]
    expect_equal("WN-03", said, [1] * 20, "what was said, each once")
    expect("WN-13", changed.summary["ledger"]["review_material"] > 0, "its bytes are accounted for")


@proves("WN-13")
def test_material_of_a_turn_that_is_not_over_stays(tmp_path: Path) -> None:
    talk = reviewed(1)
    talk.user("第 1 问")
    talk.meta(evidence(1))
    changed = change(talk, tmp_path)
    expect_made("WN-13", changed)
    expect_equal("WN-13", [times(changed, f"证据 {number}") for number in (0, 1)], [0, 1], "evidence by turn")


@proves("WN-14")
def test_only_the_newest_recall_packet_stays(tmp_path: Path) -> None:
    for turns in (1, 2, 3):
        changed = change(reviewed(turns), tmp_path / str(turns))
        expect_made("WN-14", changed)
        packets = [times(changed, f"召回 {number}") for number in range(turns)]
        expect_equal("WN-14", packets, [0] * (turns - 1) + [1], f"packets after {turns} turns")


def stripped(talk: Talk, folder: Path) -> tuple[bytes, bytes, int | None]:
    """The record before and after, and the line up to which the prompt cache holds."""
    folder.mkdir()
    source, out = folder / "record.jsonl", folder / "stripped.jsonl"
    source.write_bytes(talk.bytes())
    done = strip_record(source, out, Settings(), SystemFiles())
    return source.read_bytes(), out.read_bytes(), done.breakpoint_line


@proves("WN-13")
def test_the_record_itself_is_stripped_after_each_turn(tmp_path: Path) -> None:
    before, after, _ = stripped(reviewed(10), tmp_path / "ten")
    for word in ("证据", "问题"):
        expect_equal("WN-13", after.count(word.encode()), 0, f"{word} in the record")
    kept = {line for line in before.splitlines() if all(word.encode() not in line for word in ("召回", "证据"))}
    rows = [json.loads(line) for line in after.splitlines()]
    expect_equal("WN-13", len(rows), 20, "rows that are left")
    known = [row["uuid"] for row in rows]
    parents = [row["parentUuid"] for row in rows]
    expect_equal("WN-13", parents, [None, *known[:-1]], "each row hangs on the one before it")
    expect_equal("WN-13", len([line for line in kept if json.loads(line)["uuid"] in known]), 10, "replies")
    plain, same, _ = stripped(_plain(), tmp_path / "plain")
    expect_equal("WN-13", same, plain, "a record without material")


@proves("WN-15")
def test_the_cache_holds_up_to_the_reply_before_the_first_thing_taken_out(tmp_path: Path) -> None:
    """A cache keeps what it was sent up to a breakpoint; after the strip that must still be the beginning."""
    talk = Talk()
    talk.user("第 0 问")
    talk.assistant("第 0 答")
    talk.user("第 1 问")
    talk.meta(evidence(1))
    talk.assistant("第 1 答")
    before, after, line = stripped(talk, tmp_path / "strip")
    expect("WN-15", line is not None, "a breakpoint is set")
    cached = before.splitlines()[: line or 0]
    expect("WN-15", "第 0 答".encode() in cached[-1], "it stands at the end of the previous reply")
    expect_equal("WN-15", after.splitlines()[: line or 0], cached, "what the cache was sent up to there")
    changed = change(talk, tmp_path / "change")
    mark = changed.summary["window"].get("cache_breakpoint") or {}
    expect_equal("WN-15", mark.get("line"), line, "the breakpoint that a window change reports")
    expect_equal("WN-15", stripped(_plain(), tmp_path / "plain")[2], None, "breakpoint where nothing is taken out")


@proves("WN-13")
def test_what_a_person_says_about_material_is_no_material(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("这个 <review-evidence> 是什么?")
    talk.assistant("是审查用的。" + evidence(1))
    talk.user("哦")
    talk.assistant("嗯")
    changed = change(talk, tmp_path)
    expect_equal("WN-13", (times(changed, "是什么"), times(changed, "证据 1")), (1, 1), "what was said about it")
    expect("WN-13", "review_material" not in changed.summary["ledger"], "nothing is taken out")


def _plain() -> Talk:
    talk = Talk()
    talk.user("问")
    talk.assistant("答")
    return talk
