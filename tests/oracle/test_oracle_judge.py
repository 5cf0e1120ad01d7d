"""The judge of a carry catches every kind of damage to a candidate that was whole, and names it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from oracle_talk import SESSION, Made, Talk, result, rows_of, tool, write_candidate

from harness.oracle.candidate import blocks_of, resume_faults
from harness.oracle.judge import judge, planted, recall_samples
from harness.oracle.settings import DEFAULTS, Settings
from harness.oracle.speech import said

REMINDER = "<system-reminder>keep it short</system-reminder>"


def _source(folder: Path) -> Path:
    talk = Talk()
    talk.user(f"{REMINDER}先看昨天的结果")
    talk.assistant("昨天的结果都在", tool("c1"), "一共两份\t/ A")
    talk.user([result("c1")])
    talk.assistant("看完了")
    talk.user("第二份念给我听")
    talk.user("慢一点")
    talk.assistant("先慢后快，再留白")
    path = talk.write(folder)
    path.write_bytes(path.read_bytes().replace(b"/ A", rb"\/ \u0041"))
    return path


def _codes(source: Path, rows: Made, tmp_path: Path, settings: Settings = DEFAULTS, dropped: int = 0) -> list[str]:
    candidate = write_candidate(tmp_path, rows)
    return [finding.code for finding in judge(source, candidate, settings, dropped)]


def _token(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode()


def test_the_whole_candidate_is_what_the_damages_start_from(tmp_path: Path) -> None:
    rows = rows_of(said(_source(tmp_path)))
    assert [(role, [word for word, _ in blocks]) for role, blocks in rows] == [
        ("user", ["startup", "speech"]),
        ("assistant", ["speech", "speech"]),
        ("assistant", ["speech"]),
        ("user", ["speech", "speech"]),
        ("assistant", ["speech"]),
    ]
    assert _codes(_source(tmp_path), rows, tmp_path) == []


def _lose_a_text(rows: Made) -> None:
    del rows[3][1][1]


def _lose_a_row(rows: Made) -> None:
    del rows[4]


def _double(rows: Made) -> None:
    rows[3][1].append(rows[3][1][1])


def _swap(rows: Made) -> None:
    rows[3][1].reverse()


def _move_to_the_end(rows: Made) -> None:
    rows.append(rows.pop(2))


def _change_one_byte(rows: Made) -> None:
    word, token = rows[4][1][0]
    rows[4][1][0] = (word, token[:-2] + bytes([token[-2] ^ 1]) + token[-1:])


def _replace(rows: Made) -> None:
    rows[4][1][0] = ("speech", _token("完全不同的一句话，谁也没有说过"))


def _reply_with_the_users_words(rows: Made) -> None:
    rows[4][1][0] = ("speech", _token("慢一点吧"))


def _lengthen_at_the_start(rows: Made) -> None:
    rows[4][1][0] = ("speech", _token("嗯嗯嗯嗯嗯嗯先快后慢，再留白"))


def _trim(rows: Made) -> None:
    word, token = rows[3][1][0]
    rows[3][1][0] = (word, token[:-4] + b'"')


def _lose_a_head(rows: Made) -> None:
    rows[4][1][0] = ("speech", _token("后快，再留白"))


def _change_in_the_middle(rows: Made) -> None:
    rows[4][1][0] = ("speech", _token("先慢后稳，再留白"))


def _escape_anew(rows: Made) -> None:
    word, token = rows[1][1][1]
    rows[1][1][1] = (word, json.dumps(json.loads(token)).encode())


def _put_into_the_others_mouth(rows: Made) -> None:
    rows.insert(3, ("user", rows.pop(2)[1]))


def _invent(rows: Made) -> None:
    rows[3][1].insert(1, ("speech", _token("没人说过这句")))


def _invent_as_reply(rows: Made) -> None:
    rows.insert(3, ("assistant", [("reply", _token("我发过了"))]))


def _split_the_words(rows: Made) -> None:
    rows[3][1][0:1] = [("speech", _token("第二份念")), ("speech", _token("给我听"))]


def _join_the_words(rows: Made) -> None:
    rows[3][1][:] = [("speech", _token("第二份念给我听慢一点"))]


def _split_the_row(rows: Made) -> None:
    rows[3:4] = [("user", [block]) for block in rows[3][1]]


def _join_the_rows(rows: Made) -> None:
    rows[1:3] = [("assistant", rows[1][1] + rows[2][1])]


def _keep_the_reminder_on(rows: Made) -> None:
    (_, reminder), (word, token) = rows[0][1]
    rows[0][1][:] = [(word, reminder[:-1] + token[1:])]


def _lose_the_startup(rows: Made) -> None:
    del rows[0][1][0]


def _put_the_startup_last(rows: Made) -> None:
    rows[0][1].reverse()


def _load_something_else(rows: Made) -> None:
    rows[0][1].insert(0, ("startup", _token("<system-reminder>of today</system-reminder>")))


def _speak_as_runtime(rows: Made) -> None:
    rows[4][1][0] = ("runtime", rows[4][1][0][1])


def _carry_what_the_runtime_said(rows: Made) -> None:
    rows[0][1].insert(0, ("runtime", _token("API Error")))


def _do_not_mark(rows: Made) -> None:
    rows[4][1][0] = ("", rows[4][1][0][1])


DAMAGES: list[tuple[Callable[[Made], None], set[str]]] = [
    (_lose_a_text, {"left-out"}),
    (_lose_a_row, {"left-out"}),
    (_double, {"doubled"}),
    (_swap, {"out-of-order"}),
    (_move_to_the_end, {"out-of-order"}),
    (_change_one_byte, {"changed"}),
    (_trim, {"changed"}),
    (_replace, {"left-out", "invented"}),
    (_reply_with_the_users_words, {"left-out", "invented"}),
    (_lengthen_at_the_start, {"left-out", "invented"}),
    (_lose_a_head, {"changed"}),
    (_change_in_the_middle, {"changed"}),
    (_escape_anew, {"re-encoded"}),
    (_put_into_the_others_mouth, {"role-changed"}),
    (_invent, {"invented"}),
    (_invent_as_reply, {"invented"}),
    (_split_the_words, {"split-text"}),
    (_join_the_words, {"split-text"}),
    (_split_the_row, {"split-row"}),
    (_join_the_rows, {"split-row"}),
    (_keep_the_reminder_on, {"changed", "startup-missing"}),
    (_lose_the_startup, {"startup-missing"}),
    (_put_the_startup_last, {"startup-misplaced"}),
    (_load_something_else, {"startup-invented"}),
    (_speak_as_runtime, {"left-out", "runtime-changed"}),
    (_carry_what_the_runtime_said, {"runtime-changed"}),
    (_do_not_mark, {"unmarked"}),
]


@pytest.mark.parametrize(("damage", "codes"), DAMAGES, ids=[damage.__name__.strip("_") for damage, _ in DAMAGES])
def test_damage_is_found_and_named(tmp_path: Path, damage: Callable[[Made], None], codes: set[str]) -> None:
    source = _source(tmp_path)
    rows = rows_of(said(source))
    damage(rows)
    assert set(_codes(source, rows, tmp_path)) == codes


def test_a_finding_names_both_places(tmp_path: Path) -> None:
    source = _source(tmp_path)
    rows = rows_of(said(source))
    _escape_anew(rows)
    candidate = write_candidate(tmp_path, rows)
    (finding,) = judge(source, candidate, DEFAULTS)
    assert finding.source and finding.candidate
    assert source.read_bytes()[finding.source[1] :].startswith('"一共两份'.encode())
    assert candidate.read_bytes()[finding.candidate[1] :].startswith(rb'"\u4e00')
    assert (finding.source[0], finding.candidate[0]) == (2, 2)


def test_every_single_byte_of_every_token_counts(tmp_path: Path) -> None:
    source = _source(tmp_path)
    whole = rows_of(said(source))
    for row, (_, blocks) in enumerate(whole):
        for block, (word, token) in enumerate(blocks):
            for place in range(1, len(token) - 1):
                rows = [(role, list(parts)) for role, parts in whole]
                other = b"y" if token[place : place + 1] == b"x" else b"x"
                rows[row][1][block] = (word, token[:place] + other + token[place + 1 :])
                assert _codes(source, rows, tmp_path) != [], (row, block, place)


def test_whole_turns_may_be_missing_at_the_oldest_end_when_it_is_said_so(tmp_path: Path) -> None:
    source = _source(tmp_path)
    rows = rows_of(said(source))
    newest = [("user", rows[0][1][:1] + rows[3][1]), rows[4]]
    assert _codes(source, newest, tmp_path, dropped=1) == []
    assert set(_codes(source, newest, tmp_path)) == {"left-out"}
    assert set(_codes(source, rows, tmp_path, dropped=1)) == {"invented"}


def test_the_settings_decide_what_had_to_be_carried(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("在吗")
    talk.assistant(tool("c1", "mcp__companion__reply", chat_id="me", text="在"))
    talk.assistant(tool("c2", "mcp__companion__reply", chat_id="all", text="大家好"))
    talk.user("那好")
    source = talk.write(tmp_path)
    settings = Settings(private_lines=("me",), include_open_tail=False)
    rows = rows_of(said(source, settings))
    assert [json.loads(token) for _, blocks in rows for _, token in blocks] == ["在吗", "在"]
    assert _codes(source, rows, tmp_path, settings) == []
    assert set(_codes(source, rows, tmp_path)) == {"left-out"}


def test_a_summary_without_its_talk_has_to_be_there_as_the_runtimes(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("they talked about names", isCompactSummary=True)
    talk.user("叫什么")
    source = talk.write(tmp_path)
    rows = rows_of(said(source))
    assert _codes(source, rows, tmp_path) == []
    (_, summary), question = rows[0][1]

    def codes(*blocks: tuple[str, bytes], dropped: int = 0) -> set[str]:
        return set(_codes(source, [("user", list(blocks))], tmp_path, dropped=dropped))

    assert codes(("speech", summary), question) == {"invented", "runtime-changed"}
    assert codes(question) == {"runtime-changed"}
    assert codes(question, ("runtime", summary)) == {"runtime-changed"}
    assert codes(("runtime", summary), ("runtime", summary), question) == {"runtime-changed"}
    talk.assistant("叫蓝")
    talk.user("好")
    talk.write(tmp_path)
    assert codes(("speech", _token("好")), dropped=1) == set()
    assert codes(("runtime", summary), ("speech", _token("好")), dropped=1) == set()
    assert codes(("runtime", _token("other")), ("speech", _token("好")), dropped=1) == {"runtime-changed"}


def test_planted_counts_bytes_in_either_spelling_and_parses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes('{"text":"留白"}{{ \\u7559\\u767d "半\\ud83d"\n留白 say \\"so\\"'.encode())
    assert planted(path, ["留白", "半\ud83d", 'say "so"', "先慢"]) == {
        "留白": 3,
        "半\ud83d": 0,
        'say "so"': 1,
        "先慢": 0,
    }


def test_recall_samples_are_each_sides_own(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("只有我说过的话。短。")
    talk.assistant("你说：只有我说过的话。我答得不一样。")
    talk.user("这句没有被引用")
    source = talk.write(tmp_path)
    samples = recall_samples(source)
    assert samples == {"user": ("这句没有被引用",), "assistant": ("你说：只有我说过的话。",)}
    candidate = write_candidate(tmp_path, rows_of(said(source)))
    assert planted(candidate, samples["user"]) == {"这句没有被引用": 1}
    rows = [row for row in rows_of(said(source)) if row[0] == "assistant"]
    assert planted(write_candidate(tmp_path, rows), samples["user"]) == {"这句没有被引用": 0}


def test_recall_samples_are_spread_from_the_first_to_the_last(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(100):
        talk.user(f"问题第{number:03}号")
        talk.assistant(f"回答第{number:03}号")
    samples = recall_samples(talk.write(tmp_path))
    assert len(samples["user"]) == len(samples["assistant"]) == 12
    assert (samples["user"][0], samples["user"][-1]) == ("问题第000号", "问题第099号")


def test_blocks_are_told_with_their_bytes(tmp_path: Path) -> None:
    candidate = write_candidate(tmp_path, rows_of(said(_source(tmp_path))))
    raw = candidate.read_bytes()
    for block in blocks_of(candidate):
        assert raw[block.offset : block.offset + len(block.token)] == block.token
        assert json.loads(block.token) == block.text
    assert [block.word for block in blocks_of(candidate)] == ["startup"] + ["speech"] * 7


FAULTS: list[tuple[str, str, str]] = [
    ('"type":"user"', '"type":"system"', "type"),
    ('"role":"user"', '"role":"assistant"', "role"),
    ('"model":"claude-x",', "", "model"),
    ('"model":"claude-x"', '"model":"<synthetic>"', "model"),
    (f'"sessionId":"{SESSION}"', '"sessionId":"other"', "session"),
    (f'"uuid":"{SESSION}-1"', f'"uuid":"{SESSION}-0"', "uuid"),
    (f'"uuid":"{SESSION}-1",', "", "uuid"),
    (f'"parentUuid":"{SESSION}-0"', '"parentUuid":null', "parent"),
    ('"parentUuid":null,', "", "parent"),
    ("00.001Z", "00.000Z", "time"),
    ("00.001Z", "00.001", "time"),
    ("00.001Z", "yesterday", "time"),
    ('"先慢后快，再留白"', '" \\n"', "blank"),
    ('{"type":"text","text":"先慢后快，再留白"}', "", "content"),
    ('{"type":"text","text":"先慢后快，再留白"}', '{"type":"thinking","thinking":"x"}', "content"),
    ('[{"type":"text","text":"先慢后快，再留白"}]', '"先慢后快，再留白"', "content"),
    ('"isSidechain":false', '"isSidechain":true', "sidechain"),
    ('"threadrebuild":["speech","speech"]', '"threadrebuild":["speech"]', "mark"),
    ('"threadrebuild":["speech","speech"]', '"threadrebuild":["speech","said"]', "mark"),
]


@pytest.mark.parametrize(("old", "new", "code"), FAULTS, ids=[f"{code}-{n}" for n, (_, _, code) in enumerate(FAULTS)])
def test_what_a_cli_would_stumble_over(tmp_path: Path, old: str, new: str, code: str) -> None:
    candidate = write_candidate(tmp_path, rows_of(said(_source(tmp_path))))
    assert resume_faults(candidate) == []
    text = candidate.read_text(encoding="utf-8")
    assert old in text
    candidate.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert code in {fault.code for fault in resume_faults(candidate)}


def test_rows_that_are_none_and_a_file_of_another_name(tmp_path: Path) -> None:
    candidate = write_candidate(tmp_path, rows_of(said(_source(tmp_path))))
    renamed = candidate.rename(tmp_path / "another.jsonl")
    assert {fault.code for fault in resume_faults(renamed)} == {"session"}
    renamed.write_bytes(b"null\n")
    assert "row" in {fault.code for fault in resume_faults(renamed)}
    renamed.write_bytes(b"")
    assert [fault.code for fault in resume_faults(renamed)] == ["empty"]
