"""The commands' contract: exit codes, one JSON object, and errors that name file, line and reason for any input."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyfakefs.fake_filesystem import FakeFilesystem

from harness.world.talk import Talk
from threadrebuild.carry.candidate import build_candidate
from threadrebuild.carry.plan import plan_file
from threadrebuild.cli import main
from threadrebuild.config import Settings
from threadrebuild.system import SystemFiles
from threadrebuild.transcript import lines
from threadrebuild.transcript.lines import TranscriptFile, UnreadableInput

SESSION = "11111111-2222-4333-8444-555555555555"
DONE, REFUSED, UNUSABLE = 0, 1, 2
MEGABYTE = 1 << 20


def small_talk() -> Talk:
    talk = Talk()
    talk.startup(["Contents of the instruction file"], "第一问")
    talk.tool("Bash", {"command": "ls"}, result="a.txt")
    talk.assistant("第一答")
    return talk


def written(folder: Path, talk: Talk | bytes, name: str = "source.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(talk if isinstance(talk, bytes) else talk.bytes())
    return path


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(*arguments: object) -> dict[str, Any]:
    """The one JSON object that a command prints; where it fails, stderr says so in words as well."""
    result = run(*arguments, "--json")
    assert len(result.stdout.splitlines()) == 1
    said = json.loads(result.stdout)
    assert isinstance(said, dict)
    assert bool(result.stderr) == (result.exit_code != DONE and "checks" not in said)
    return said | {"exit": result.exit_code}


def build(folder: Path, talk: Talk | bytes, *options: object) -> dict[str, Any]:
    source = written(folder / "project", talk)
    return answer("candidate", source, "--out", folder / "out", "--session-id", SESSION, *options)


# ---------------------------------------------------------------- what is answered


def test_a_candidate_is_built_and_verified(tmp_path: Path) -> None:
    said = build(tmp_path, small_talk())
    assert (said["exit"], said["verdict"], said["turns"]) == (DONE, "carried", 1)
    assert said["candidate"] == str(tmp_path / "out" / f"{SESSION}.jsonl")
    verified = answer("verify", said["candidate"])
    assert (verified["exit"], verified["verdict"]) == (DONE, "verified")
    assert verified["manifest"] == str(tmp_path / "out" / "manifest.json")


def test_preview_and_candidate_report_the_same_figures(tmp_path: Path) -> None:
    said = build(tmp_path, small_talk())
    plan = answer("plan", tmp_path / "project" / "source.jsonl")
    names = ("source_turns", "selected_turns", "open_tail_turns", "dropped_oldest_turns", "estimated_tokens")
    for name in (*names, "poison_score", "startup_frozen", "ledger"):
        assert plan[name] == said[name], name


def test_reading_commands_write_nothing(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk())
    before = source.read_bytes()
    for command in ("plan", "dirty"):
        assert run(command, source).exit_code == DONE
        assert answer(command, source)["exit"] == DONE
    assert [path.name for path in tmp_path.iterdir()] == ["source.jsonl"]
    assert source.read_bytes() == before


def test_without_json_words_stand_on_stdout_and_refusals_on_stderr(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk().bytes() + b'{"cut')
    result = run("plan", source)
    assert result.exit_code == REFUSED
    assert result.stderr.startswith("refused (torn-tail): line 5 at byte ")
    assert "turns" in result.stdout
    whole = run("plan", source, "--malformed", "report")
    assert (whole.exit_code, whole.stderr) == (DONE, "")
    assert "warning: torn-tail (line 5)" in whole.stdout


@pytest.mark.parametrize(
    "arguments",
    [("candidate",), ("plan", "--malformed", "maybe"), ("dirty", "--no-such"), ("verify",), ("no-such-command",)],
)
def test_usage_errors_exit_with_two_and_say_so_in_both_forms(arguments: tuple[str, ...]) -> None:
    said = answer(*arguments)
    assert (said["exit"], said["reason"]) == (UNUSABLE, "usage")
    assert run(*arguments).exit_code == UNUSABLE


@pytest.mark.parametrize("session_id", ["", "abc", SESSION[:-1], f"{{{SESSION}}}", f"{SESSION}\n", "../" + SESSION])
def test_a_session_id_that_is_no_uuid_is_refused(tmp_path: Path, session_id: str) -> None:
    source = written(tmp_path, small_talk())
    said = answer("candidate", source, "--out", tmp_path / "out", "--session-id", session_id)
    assert (said["exit"], said["reason"]) == (UNUSABLE, "usage")
    assert "--session-id" in said["detail"]
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- files that cannot be read


def unreadable_inputs(folder: Path) -> dict[str, Path]:
    (folder / "folder.jsonl").mkdir(parents=True)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "circle.jsonl").symlink_to(folder / "circle.jsonl")
    (folder / "nowhere.jsonl").symlink_to(folder / "gone.jsonl")
    return {
        "missing": folder / "missing.jsonl",
        "directory": folder / "folder.jsonl",
        "pipe": folder / "pipe.jsonl",
        "other kind": written(folder, small_talk(), "notes.txt"),
        "circle": folder / "circle.jsonl",
        "link to nothing": folder / "nowhere.jsonl",
        "below a file": folder / "notes.txt" / "a.jsonl",
        "long name": folder / ("a" * 300 + ".jsonl"),
    }


@pytest.mark.parametrize("command", ["candidate", "plan", "dirty"])
def test_an_input_that_cannot_be_read_is_named(tmp_path: Path, command: str) -> None:
    for what, path in unreadable_inputs(tmp_path / "in").items():
        options = ["--out", tmp_path / "out", "--session-id", SESSION] if command == "candidate" else []
        said = answer(command, path, *options)
        assert (said["exit"], said["reason"]) == (UNUSABLE, "unreadable-input"), what
        assert path.stem in said["detail"] or "gone.jsonl" in said["detail"], (what, said["detail"])
        assert not (tmp_path / "out").exists()


def test_a_candidate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        said = answer("verify", path)
        assert (said["exit"], said["reason"]) == (UNUSABLE, "unreadable-input")
        assert said["detail"].startswith(f"{path}: ")


def test_a_manifest_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    candidate = Path(build(tmp_path, small_talk())["candidate"])
    manifest = candidate.with_name("manifest.json")
    for bad in (b"", b"[]", b'{"items": 1}', b"[" * 100_000, b'"\xff"', b"null"):
        manifest.write_bytes(bad)
        said = answer("verify", candidate)
        assert (said["exit"], said["reason"]) == (UNUSABLE, "unreadable-input"), bad[:9]
        assert str(manifest) in said["detail"]
    manifest.unlink()
    manifest.mkdir()
    assert str(manifest) in answer("verify", candidate)["detail"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_named(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk())
    source.chmod(0)
    said = answer("plan", source)
    assert (said["exit"], said["reason"]) == (UNUSABLE, "unreadable-input")
    assert str(source) in said["detail"]


def test_a_refused_permission_is_named_even_for_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = written(tmp_path, small_talk())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableInput, match=r"source\.jsonl: Permission denied"):
        TranscriptFile(source)


def test_an_empty_file_holds_nothing_to_carry(tmp_path: Path) -> None:
    for data in (b"", b"\n\n", b"\xef\xbb\xbf", b"\0"):
        said = build(tmp_path, data, "--malformed", "report")
        assert (said["exit"], said["reason"]) == (REFUSED, "nothing-to-carry"), data
    source = written(tmp_path, b"")
    assert run("plan", source).exit_code == REFUSED
    assert answer("dirty", source)["noise_ratio"] == 0
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- odd contents


def test_a_tool_result_and_a_text_of_fifty_megabytes(tmp_path: Path) -> None:
    talk = small_talk()
    talk.tool("Bash", {"command": "cat"}, result="x" * 50 * MEGABYTE)
    words = "words " * (50 * MEGABYTE // 6)
    talk.user(words)
    talk.assistant("that was long")
    said = build(tmp_path, talk)
    assert (said["exit"], said["turns"]) == (DONE, 2)
    assert said["ledger"]["tool_result"] > 50 * MEGABYTE
    assert Path(said["candidate"]).read_bytes().count(words.encode()) == 1


def test_half_a_surrogate_pair_is_carried_as_it_stands(tmp_path: Path) -> None:
    talk = Talk()
    talk.user(text_token='"half \\ud83d"', uuid="half \ud83d", timestamp="\ude00", version="2.1.\udc00")
    talk.row(type="strange \ud83d", sessionId=talk.session)
    talk.reply("yes", chat_id="me \ud83d")
    said = build(tmp_path, talk)
    assert said["exit"] == DONE
    assert b'"half \\ud83d"' in Path(said["candidate"]).read_bytes()
    assert "lone-surrogate" in {warning["code"] for warning in said["warnings"]}
    assert answer("verify", said["candidate"])["verdict"] == "verified"
    assert run("plan", tmp_path / "project" / "source.jsonl").exit_code == DONE


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk(), os.fsdecode(b"caf\xe9.jsonl"))
    assert answer("plan", source)["exit"] == DONE
    assert run("candidate", source, "--out", tmp_path / "out").exit_code == DONE
    missing = run("plan", tmp_path / os.fsdecode(b"\xe9.jsonl"))
    assert missing.exit_code == UNUSABLE
    assert "\\udce9.jsonl" in missing.stderr


def nested(place: str, levels: int) -> bytes:
    """A row with a value nested so deep; what it says beside that is speech in every place but one."""
    deep = b"[" * levels + b'{"type":"image","source":{"data":"AA"}}' + b"]" * levels
    rows = {
        "envelope": b'{"type":"user","uuid":"u","x":%s,"message":{"role":"user","content":"deep"}}',
        "result": b'{"type":"user","uuid":"u","message":{"content":[{"type":"tool_result","content":%s}]}}',
        "reply": b'{"type":"assistant","uuid":"u","message":{"content":[{"type":"tool_use","id":"q",'
        b'"name":"mcp__companion__reply","input":{"x":%s,"text":"deep"}}]}}',
        "tool": b'{"type":"assistant","uuid":"u","message":{"content":[{"type":"tool_use","name":"Read",'
        b'"input":{"file_path":%s}}]}}',
        "prompt": b'{"type":"attachment","uuid":"u","attachment":{"type":"queued_command",'
        b'"commandMode":"prompt","prompt":[{"type":"text","text":"deep","x":%s}]}}',
        "queue": b'{"type":"queue-operation","operation":"enqueue","content":%s}',
    }
    return rows[place] % deep + b"\n"


@pytest.mark.parametrize("place", ["envelope", "result", "reply", "tool", "prompt", "queue"])
def test_deep_nesting_is_carried_or_refused_by_line(tmp_path: Path, place: str) -> None:
    # The decoders give up somewhere below a thousand levels; around there every depth is tried.
    for levels in (100, 600, *range(850, 1000, 5), 100_000):
        folder = tmp_path / str(levels)
        said = build(folder, small_talk().bytes() + nested(place, levels))
        if said["exit"] == DONE:
            assert levels < 1000
            continue
        assert said["exit"] == REFUSED
        assert "line 5" in said["detail"], said["detail"]
        assert levels > 200
        assert not (folder / "out").exists()


def test_nul_bytes(tmp_path: Path) -> None:
    said = build(tmp_path, small_talk().bytes() + b"\0" * 4096)
    assert (said["exit"], said["reason"], said["line"]) == (REFUSED, "torn-tail", 5)
    talk = small_talk()
    talk.user(text_token='"a\\u0000b"')
    said = build(tmp_path / "escaped", talk)
    assert b'"a\\u0000b"' in Path(said["candidate"]).read_bytes()


def test_of_a_repeated_key_the_last_counts(tmp_path: Path) -> None:
    line = (
        b'{"type":"user","uuid":"u","parentUuid":null,"message":{"role":"user","content":"not this"},'
        b'"message":{"role":"user","content":"not this either","content":"this"}}\n'
    )
    said = build(tmp_path, small_talk().bytes() + line)
    raw = Path(said["candidate"]).read_bytes()
    assert (raw.count(b'"this"'), raw.count(b"not this")) == (1, 0)
    assert [each["line"] for each in said["warnings"] if each["code"] == "duplicate-key"] == [5]


def test_many_values_on_one_line_are_read_in_a_straight_line(tmp_path: Path) -> None:
    said = build(tmp_path, small_talk().bytes() + b'{"a":1}' * 100_000)
    assert (said["exit"], said["reason"], said["line"]) == (REFUSED, "unreadable-line", 5)
    assert "several rows" in said["detail"]


# ---------------------------------------------------------------- files that change


def batches_while(path: Path, happens: Callable[[], None]) -> tuple[TranscriptFile, bytes]:
    """Read a file batch by batch; `happens` runs once, between the first batch and the second."""
    file = TranscriptFile(path)
    read = []
    for number, batch in enumerate(file.batches()):
        read += [line + b"\n" for line in batch]
        if number == 0:
            happens()
    return file, b"".join(read) + file.tail


def test_what_is_appended_meanwhile_is_not_read_and_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BATCH_BYTES", 300)
    path = written(tmp_path, small_talk())
    whole, more = path.read_bytes(), b'{"type":"user"}\n'

    def append() -> None:
        path.write_bytes(whole + more)

    file, read = batches_while(path, append)
    assert read == whole
    assert (file.size, file.grown) == (len(whole), len(more))


def test_a_file_that_gets_shorter_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BATCH_BYTES", 300)
    path = written(tmp_path, small_talk())

    def shorten() -> None:
        os.truncate(path, 300)

    with pytest.raises(UnreadableInput, match=r"source\.jsonl: became shorter"):
        batches_while(path, shorten)


@pytest.mark.parametrize("what", ["removed", "changed", "shorter", "a text changed"])
def test_a_source_that_changes_between_plan_and_candidate_is_refused(tmp_path: Path, what: str) -> None:
    source = written(tmp_path / "project", small_talk())
    plan = plan_file(source, Settings())
    whole = source.read_bytes()
    if what == "removed":
        source.unlink()
    elif what == "changed":
        source.write_bytes(whole.replace(b"a.txt", b"b.txt"))
    elif what == "shorter":
        source.write_bytes(whole[:-200])
    else:
        source.write_bytes(whole.replace("第一答".encode(), "第二答".encode()))
    built = build_candidate(plan, tmp_path / "out", SESSION, SystemFiles())
    assert built.refusal is not None
    assert built.refusal.reason == "source-changed"
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- places that cannot be written


@pytest.mark.parametrize("name", [f"{SESSION}.jsonl", "manifest.json", "ledger.json"])
@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_nothing_is_overwritten(tmp_path: Path, name: str, kind: str) -> None:
    taken = tmp_path / "out" / name
    taken.parent.mkdir()
    if kind == "file":
        taken.write_bytes(b"mine")
    elif kind == "folder":
        taken.mkdir()
    else:
        taken.symlink_to(tmp_path / "nowhere")
    said = build(tmp_path, small_talk())
    assert (said["exit"], said["reason"]) == (REFUSED, "output-exists")
    assert str(taken) in said["detail"]
    assert [path.name for path in taken.parent.iterdir()] == [name]
    assert kind != "file" or taken.read_bytes() == b"mine"
    assert not (tmp_path / "nowhere").exists()


def test_an_out_path_that_is_no_folder(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk())
    (tmp_path / "file").write_bytes(b"mine")
    for out in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("a" * 300)):
        said = answer("candidate", source, "--out", out, "--session-id", SESSION)
        assert said["exit"] == REFUSED
        assert str(out) in said["detail"]
    assert (tmp_path / "file").read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "source.jsonl"]


def test_a_part_left_by_a_killed_build_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / f".{SESSION}.manifest.json.part").write_bytes(b"half of a man")
    assert build(tmp_path, small_talk())["exit"] == DONE
    assert sorted(path.name for path in out.iterdir()) == [f"{SESSION}.jsonl", "ledger.json", "manifest.json"]


def test_a_full_disk_leaves_nothing_behind(fs: FakeFilesystem) -> None:
    source = Path("/household/project/source.jsonl")
    fs.create_file(source, contents=small_talk().bytes())
    plan = plan_file(source, Settings())
    needed = 0
    for room in range(0, 20_000, 500):
        fs.set_disk_usage(source.stat().st_size + room)
        built = build_candidate(plan, Path("/household/new/out"), SESSION, SystemFiles())
        if built.refusal is None:
            needed = room
            break
        assert built.refusal.reason == "cannot-write"
        assert "No space left" in built.refusal.detail
        assert [path.name for path in Path("/household").iterdir()] == ["project"]
        assert source.read_bytes() == small_talk().bytes()
    assert needed > 500, "the disk was full at least once, and large enough at last"


# ---------------------------------------------------------------- configuration


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"carry_max_token = 9000", "carry_max_token"),
        (b'carry_max_tokens = "many"', "carry_max_tokens"),
        (b"carry_max_tokens = 4999", "carry_max_tokens"),
        (b"carry_max_tokens = -1", "carry_max_tokens"),
        (b"max_event_chars = 499", "max_event_chars"),
        (b"tokens_per_other_char_divisor = 0.4", "tokens_per_other_char_divisor"),
        (b'carry_overflow = "maybe"', "carry_overflow"),
        (b'poison_pattern = "("', "poison_pattern"),
        (b'poison_pattern = "a{99999999999}"', "poison_pattern"),
        (b'project_dir = "relative"', "project_dir"),
        (b"reply_tools = [1]", "reply_tools"),
        (b"carry_max_tokens = \nstamp_turns = true\n", "line 1"),
        (b"a = 1\na = 2\n\n", "line 2"),
        (b"a = '\xff'", "not TOML"),
    ],
)
def test_a_bad_configuration_is_named_with_file_and_key(tmp_path: Path, text: bytes, named: str) -> None:
    source = written(tmp_path, small_talk())
    config = written(tmp_path, text, "household.toml")
    for command, options in (("plan", []), ("dirty", []), ("candidate", ["--out", tmp_path / "out"])):
        said = answer(command, source, "--config", config, *options)
        assert (said["exit"], said["reason"]) == (UNUSABLE, "configuration"), said
        assert str(config) in said["detail"]
        assert named in said["detail"], said["detail"]
    assert not (tmp_path / "out").exists()


def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    source = written(tmp_path, small_talk())
    for config in (tmp_path / "missing.toml", tmp_path):
        said = answer("plan", source, "--config", config)
        assert (said["exit"], said["reason"]) == (UNUSABLE, "configuration")
        assert said["detail"].startswith(f"{config}: ")


def test_a_transcript_outside_the_project_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    source = written(tmp_path, small_talk())
    config = written(tmp_path, f"project_dir = {json.dumps(str(tmp_path / 'project'))}".encode(), "household.toml")
    said = answer("plan", source, "--config", config)
    assert (said["exit"], said["reason"]) == (UNUSABLE, "unreadable-input")
    assert str(source) in said["detail"]


# ---------------------------------------------------------------- verify


def edited(line: bytes, **members: Any) -> bytes:
    return json.dumps(json.loads(line) | members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def in_message(line: bytes, **members: Any) -> bytes:
    return edited(line, message=json.loads(line)["message"] | members)


Damage = Callable[[list[bytes]], list[bytes]]
DAMAGES: dict[str, tuple[str, Damage]] = {
    "a line cut off": ("parses", lambda rows: [*rows[:-1], rows[-1][:-20]]),
    "no last line feed": ("parses", lambda rows: [*rows[:-1], rows[-1].rstrip(b"\n")]),
    "two rows on a line": ("parses", lambda rows: [rows[0].rstrip(b"\n") + rows[1]]),
    "a blank line": ("parses", lambda rows: [*rows, b"\n"]),
    "invalid UTF-8": ("parses", lambda rows: [rows[0], rows[1].replace("第".encode(), b"\xe7")]),
    "NUL bytes": ("parses", lambda rows: [*rows, b"\0" * 64 + b"\n"]),
    "null": ("parses", lambda rows: [*rows, b"null\n"]),
    "deep nesting": ("parses", lambda rows: [*rows, b"[" * 100_000 + b"\n"]),
    "a row of another kind": ("kind", lambda rows: [rows[0], edited(rows[1], type="system")]),
    "a role of the other side": ("kind", lambda rows: [rows[0], in_message(rows[1], role="user")]),
    "a sub-agent's row": ("kind", lambda rows: [rows[0], edited(rows[1], isSidechain=True)]),
    "a tool result's copy": ("kind", lambda rows: [rows[0], edited(rows[1], toolUseResult="a.txt")]),
    "a tool result": (
        "kind",
        lambda rows: [rows[0], in_message(rows[1], content=[{"type": "tool_result", "content": "a"}])],
    ),
    "thinking": ("kind", lambda rows: [rows[0], in_message(rows[1], content=[{"type": "thinking", "thinking": "a"}])]),
    "another session": ("session_id", lambda rows: [rows[0], edited(rows[1], sessionId="another")]),
    "another id": ("item_id", lambda rows: [rows[0], edited(rows[1], uuid="another")]),
    "no id": ("item_id", lambda rows: [rows[0], edited(rows[1], uuid=None)]),
    "one id twice": ("item_id", lambda rows: [*rows, rows[1]]),
    "another parent": ("parent", lambda rows: [rows[0], edited(rows[1], parentUuid="another")]),
    "a parent of the first": ("parent", lambda rows: [edited(rows[0], parentUuid="another"), rows[1]]),
    "rows exchanged": ("parent", lambda rows: rows[::-1]),
    "the same time": ("timestamp", lambda rows: [rows[0], edited(rows[1], timestamp=json.loads(rows[0])["timestamp"])]),
    "no time": ("timestamp", lambda rows: [rows[0], edited(rows[1], timestamp="soon")]),
    "a time without zone": ("timestamp", lambda rows: [rows[0], edited(rows[1], timestamp="2030-01-01T00:00:00")]),
    "no model": ("model", lambda rows: [rows[0], in_message(rows[1], model=None)]),
    "the synthetic model": ("model", lambda rows: [rows[0], in_message(rows[1], model="<synthetic>")]),
    "a blank text": ("blank", lambda rows: [rows[0], in_message(rows[1], content=[{"type": "text", "text": " \n"}])]),
    "no content": ("blank", lambda rows: [rows[0], in_message(rows[1], content=[])]),
    "no row": ("blank", lambda rows: []),
    "no mark": ("mark", lambda rows: [rows[0], edited(rows[1], threadrebuild=None)]),
    "an unknown mark": ("mark", lambda rows: [rows[0], edited(rows[1], threadrebuild=["gossip"])]),
    "a row removed": ("item_count", lambda rows: rows[:1]),
    "a text changed": ("digest", lambda rows: [rows[0], rows[1].replace("第一答".encode(), "第二答".encode())]),
    "a text escaped anew": ("digest", lambda rows: [rows[0], rows[1].replace("第".encode(), b"\\u7b2c")]),
    "a space in the envelope": ("digest", lambda rows: [rows[0], rows[1].replace(b'","', b'", "', 1)]),
}


@pytest.mark.parametrize("what", sorted(DAMAGES))
def test_a_damaged_candidate_is_refused_by_the_check_it_breaks(tmp_path: Path, what: str) -> None:
    candidate = Path(build(tmp_path, small_talk())["candidate"])
    rows = candidate.read_bytes().splitlines(keepends=True)
    assert len(rows) == 2
    check, damage = DAMAGES[what]
    damaged = damage(list(rows))
    assert damaged != rows
    candidate.write_bytes(b"".join(damaged))
    said = answer("verify", candidate)
    assert (said["exit"], said["reason"]) == (REFUSED, "verification-failed")
    failed = {each["name"]: each["detail"] for each in said["checks"] if each["ok"] is False}
    assert check in failed, failed
    assert f"FAIL {check}: " in run("verify", candidate).stdout


def test_an_id_that_stands_in_another_transcript_is_noticed(tmp_path: Path) -> None:
    candidate = Path(build(tmp_path, small_talk())["candidate"])
    (candidate.parent / "other.jsonl").write_bytes(candidate.read_bytes())
    said = answer("verify", candidate)
    assert [each["name"] for each in said["checks"] if not each["ok"]] == ["new_ids"]
    assert "other.jsonl" in next(each["detail"] for each in said["checks"] if not each["ok"])


def test_without_a_manifest_the_rest_is_checked_and_that_is_said(tmp_path: Path) -> None:
    candidate = Path(build(tmp_path, small_talk())["candidate"])
    candidate.with_name("manifest.json").unlink()
    assert answer("verify", candidate) | {"checks": []} == {
        "verdict": "verified",
        "reason": None,
        "candidate": str(candidate),
        "manifest": None,
        "ok": True,
        "checks": [],
        "exit": DONE,
    }
    unmade = [each["name"] for each in answer("verify", candidate)["checks"] if each["ok"] is None]
    assert unmade == ["item_count", "digest", "new_ids"]
    spoken = run("verify", candidate).stdout
    assert "skip digest: no manifest beside it\n" in spoken
    assert "skip item_count: no manifest beside it\n" in spoken
    assert "skip new_ids: no other transcript beside it\n" in spoken
    assert "ok   item_id: " in spoken and "the manifest's" not in spoken


def test_what_can_be_compared_is_compared(tmp_path: Path) -> None:
    candidate = Path(build(tmp_path, small_talk())["candidate"])
    assert [each["name"] for each in answer("verify", candidate)["checks"] if each["ok"] is None] == ["new_ids"]
    written(candidate.parent, small_talk(), "other.jsonl")
    assert [each["name"] for each in answer("verify", candidate)["checks"] if each["ok"] is not True] == []


def test_verify_of_a_folder_asks_for_the_file_in_it(tmp_path: Path) -> None:
    said = answer("verify", tmp_path)
    assert (said["exit"], "name the .jsonl" in said["detail"]) == (UNUSABLE, True)


def test_words_about_window_and_folder_stand_where_they_say_something(tmp_path: Path) -> None:
    talk = Talk()
    talk.user("一")
    talk.tool("Bash", {"command": "ls"}, result="a")
    talk.assistant("答" * 2000)
    source = written(tmp_path, talk)
    config = written(tmp_path, f'project_dir = "{tmp_path}"\nfixed_load_tokens = 9\n'.encode(), "c.toml")
    for command in ("plan", "dirty"):
        assert not any("right project folder" in note for note in answer(command, source)["notes"]), command
        searched = answer(command, "--config", config)["notes"]
        assert any("right project folder" in note for note in searched), command
    assert "the window holds" not in run("plan", source).stdout
    assert "the window holds" in run("plan", "--config", config).stdout
