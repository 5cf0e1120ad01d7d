"""The retained span: one note, then whole messages of the old record, every byte of them or nothing."""

import json
from collections.abc import Sequence
from pathlib import Path

from flipping import FlippingFiles
from windows import NOTE, SESSION, change, expect_made, expect_no_other_rule, values_of

from harness.expect import expect, expect_equal, proves
from harness.oracle.reader import read_rows
from harness.oracle.values import value_bytes
from harness.world.talk import Talk
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.system import SystemFiles


def told() -> Talk:
    """A talk with everything that a span keeps: dialogue, a tool, its result, thinking, an image."""
    talk = Talk()
    talk.user("鱼缸的水浑了")
    talk.thinking("滤棉多久没换了?", message="msg_a")
    talk.tool(
        "Bash",
        {"b": "cat log", "a": [1, 2.50, "é"]},
        result=[{"type": "text", "text": "滤棉  6 周\n"}],
        message="msg_a",
    )
    talk.assistant("滤棉六周没换了，先换它。")
    talk.image("这样放对吗")
    talk.assistant("对。")
    return talk


def rows_of(said: Sequence[tuple[str, str]]) -> bytes:
    """A transcript of bare rows, each with its role and its raw content."""
    rows = [
        f'{{"type":"{role}","uuid":"u{place}","parentUuid":"u{place - 1}","sessionId":"s",'
        f'"timestamp":"2026-08-14T09:00:0{place}.000Z","message":{{"role":"{role}","content":{content}}}}}\n'
        for place, (role, content) in enumerate(said)
    ]
    return "".join(rows).encode()


@proves("WN-01")
def test_a_new_session_holds_one_note_and_then_the_recent_span(tmp_path: Path) -> None:
    talk = Talk()
    talk.startup(["家里的规矩"], "很久以前说的 " * 40)
    talk.assistant("知道了")
    talk.user("刚才说的")
    talk.assistant("好")
    changed = change(talk, tmp_path, retained_tokens=80)
    expect_made("WN-01", changed, "verification-failed")
    first = changed.rows[0]
    expect_equal("WN-01", first.get("threadrebuild"), ["startup", "note"], "marks of the first row")
    expect_equal("WN-01", first["message"]["content"][-1], {"type": "text", "text": NOTE}, "the note")
    said = [row["message"]["content"] for row in changed.rows[1:]]
    expect_equal("WN-01", changed.raw.count(json.dumps(NOTE, ensure_ascii=False).encode()), 1, "notes")
    expect_equal("WN-09", len(said), 2, "messages behind the note")
    expect("WN-01", "很久以前" not in json.dumps(said, ensure_ascii=False), "what is older than the span is folded")
    expect_equal("WN-01", {row["sessionId"] for row in changed.rows}, {SESSION}, "sessions")
    expect("WN-01", changed.plan.source.session_id != SESSION, "the session is a new one")


@proves("WN-03")
def test_the_span_is_the_old_record_byte_for_byte(tmp_path: Path) -> None:
    changed = change(told(), tmp_path)
    expect_equal("WN-03", changed.span, values_of(told()), "whole messages of the span")
    kinds = {block["type"] for row in changed.rows for block in row["message"]["content"] if isinstance(block, dict)}
    expect("WN-03", {"thinking", "tool_use", "tool_result", "image"} <= kinds, f"kinds in the span: {kinds}")


@proves("WN-03")
def test_a_byte_that_goes_wrong_while_it_is_written_refuses_the_change(tmp_path: Path) -> None:
    """Each byte of a small span in turn is written as another one: nothing is published, ever."""
    said = (
        ("user", '"嗨"'),
        (
            "assistant",
            '[{"type":"thinking","thinking":"t","signature":"c2k="},{"type":"tool_use","id":"c","name":"B","input":{}}]',
        ),
        ("user", '[{"type":"tool_result","tool_use_id":"c","content":"\\u00e9"}]'),
        ("assistant", '[{"type":"text","text":"好"}]'),
    )
    good = change(rows_of(said), tmp_path / "good")
    expect_made("WN-03", good, "span-differs")
    raw = good.raw
    places: list[int] = []
    for value in good.span:
        begin = raw.index(value)
        places += range(begin, begin + len(value))
    plan = good.plan
    out = tmp_path / "out"
    for place in places:
        built = build_candidate(plan, out, SESSION, FlippingFiles(f"{SESSION}.jsonl", place))
        refused = built.refusal.reason if built.refusal else None
        expect_equal("WN-03", refused, "span-differs", f"byte {place} of the span is another one")
        expect("WN-03", not out.exists(), "nothing is left of it")


@proves("WN-04")
def test_after_a_mismatch_no_new_session_exists(tmp_path: Path) -> None:
    good = change(told(), tmp_path)
    expect_made("WN-04", good, "span-differs")
    place = good.raw.index("先换它".encode())
    out = tmp_path / "wrong"
    built = build_candidate(good.plan, out, SESSION, FlippingFiles(f"{SESSION}.jsonl", place))
    refused = built.refusal.reason if built.refusal else None
    expect_equal("WN-04", refused, "span-differs", "reason to refuse")
    expect("WN-04", not out.exists(), "nothing is left of it")


@proves("WN-04")
def test_a_source_that_changes_meanwhile_leaves_the_old_window(tmp_path: Path) -> None:
    good = change(told(), tmp_path)
    expect_made("WN-04", good, "span-differs")
    data = good.source.read_bytes()
    good.source.write_bytes(data.replace("先换它".encode(), "先不换".encode()))
    built = build_candidate(good.plan, tmp_path / "again", SESSION, SystemFiles())
    expect("WN-04", built.refusal is not None, "the source is another one by now")
    expect("WN-04", not (tmp_path / "again").exists(), "nothing is left of it")


@proves("WN-03")
def test_a_pair_of_call_and_result_is_never_cut_in_two(tmp_path: Path) -> None:
    call = '[{"type":"tool_use","id":"c","name":"B","input":{}}]'
    result = '[{"type":"tool_result","tool_use_id":"c","content":"ok"}]'
    said = [
        ("user", '"先说一件旧事"'),
        ("assistant", '"请说"'),
        ("user", '"后台跑一下"'),
        ("assistant", f'[{{"type":"text","text":"在跑"}},{call[1:]}'),
        ("user", '"跑着的时候再说一句"'),
        ("user", result),
        ("assistant", '"跑完了"'),
    ]
    # The budget has room for what was said while it ran, and not for the prompt of the call.
    changed = change(rows_of(said), tmp_path, note="便签", retained_tokens=24)
    expect_made("WN-03", changed, "span-differs", "needs-human")
    raw = changed.raw
    ids = (raw.count(b'"id":"c"'), raw.count(b'"tool_use_id":"c"'))
    expect_equal("WN-03", ids, (1, 1), "calls and results in the span")
    expect("WN-09", "旧事".encode() not in raw, "the span is no longer than that")


@proves("WN-02")
def test_what_nobody_has_read_yet_is_there_once(tmp_path: Path) -> None:
    talk = told()
    talk.queued("工具在跑的时候说的")
    talk.assistant("看到了")
    talk.enqueue("换窗的时候说的")
    changed = change(talk, tmp_path)
    expect_no_other_rule(changed, "span-differs")
    expect_equal("WN-02", changed.reason, None, "reason to refuse")
    for text in ("工具在跑的时候说的", "看到了", "换窗的时候说的"):
        expect_equal("WN-02", changed.raw.count(text.encode()), 1, f"times that {text} stands there")
    last = changed.rows[-1]
    expect_equal("WN-02", (last["type"], last["threadrebuild"]), ("user", ["queued"]), "the last row")


@proves("WN-06")
def test_records_without_optional_fields_change_their_window(tmp_path: Path) -> None:
    """A newer host left fields out, a check compared them, and every message was held up."""
    needed = {"type", "uuid", "parentUuid", "timestamp", "sessionId", "message"}
    kept_in_message = {"role", "content"}
    rows = [json.loads(line) for line in told().bytes().splitlines()]
    for row in rows:
        row["message"] = {name: value for name, value in row["message"].items() if name in kept_in_message}
    bare = b"".join(
        json.dumps({name: value for name, value in row.items() if name in needed}, ensure_ascii=False).encode() + b"\n"
        for row in rows
    )
    changed = change(bare, tmp_path)
    expect_equal("WN-06", changed.reason, None, "reason to refuse")
    source = [value_bytes(row) for row in read_rows(changed.source)]
    expect_equal("WN-06", changed.span, source, "whole messages of the span")


def test_a_span_that_is_carried_again_is_the_same(tmp_path: Path) -> None:
    first = change(told(), tmp_path / "first")
    again = change(first.raw, tmp_path / "again", note="另一张便签")
    assert again.reason in (None, "not-a-new-session")
    second = build_candidate(again.plan, tmp_path / "new", SESSION.replace("1", "2"), SystemFiles())
    assert second.refusal is None
    assert [value_bytes(row) for row in read_rows(second.path)[1:]] == first.span
    assert second.path.read_bytes().count("便签".encode()) == 1
    assert NOTE.encode() not in second.path.read_bytes()
