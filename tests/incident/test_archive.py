"""Bad archives: each is refused with the file and the reason, and nothing is written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from archives import artifacts, change_record, copy_of, operation_file, transcript
from click.testing import CliRunner

from harness.cli import main
from harness.incident.archive import BadArchive, read_archive


def _append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def _swap(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])


def _drop_folder(archive: Path) -> None:
    for path in artifacts(archive).iterdir():
        path.unlink()
    artifacts(archive).rmdir()


def _drop_backups(archive: Path) -> None:
    step = {"at": "2026-09-01T00:00:00+00:00", "event": "drop_backups", "state": "failed", "detail": "7 days"}
    change_record(archive, lambda op: op["steps"].append(step))
    transcript(archive).unlink()


def _another(archive: Path) -> None:
    operation_file(archive).rename(archive / "operations" / "0000.json")


SPOILS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no operation": (lambda at: operation_file(at).unlink(), "operations", "no operation file"),
    "not JSON": (lambda at: operation_file(at).write_bytes(b"{"), ".json", "no operation"),
    "not UTF-8": (lambda at: operation_file(at).write_bytes(b'{"id":"\xff"}'), ".json", "no operation"),
    "a field missing": (lambda at: change_record(at, lambda op: op.pop("door")), ".json", "`door`"),
    "an unknown state": (lambda at: change_record(at, lambda op: op.update(state="lost")), ".json", "lost"),
    "an unknown door": (lambda at: change_record(at, lambda op: op.update(door="window")), ".json", "no door"),
    "no time": (lambda at: change_record(at, lambda op: op.update(created_at="that night")), ".json", "is no time"),
    "a record nested too deep": (
        lambda at: operation_file(at).write_bytes(b'{"more":' + b"[" * 100_000),
        ".json",
        "no operation",
    ),
    "a configuration nested too deep": (
        lambda at: (at / "config.toml").write_text("x = " + "[" * 10_000),
        "config.toml",
        "not TOML",
    ),
    "a record of another version": (lambda at: change_record(at, lambda op: op.update(format=2)), ".json", "$.format"),
    "a path for a session": (
        lambda at: change_record(at, lambda op: op.update(new_session_id="../x")),
        ".json",
        "no session id",
    ),
    "another's record": (_another, "0000.json", "is the record of operation"),
    "no artifacts": (_drop_folder, "artifacts", "no such folder"),
    "no transcript": (lambda at: transcript(at).unlink(), ".jsonl", "No such file"),
    "a longer transcript": (lambda at: _append(transcript(at)), ".jsonl", "bytes, "),
    "another transcript": (lambda at: _swap(transcript(at)), ".jsonl", "is on record"),
    "another manifest": (lambda at: _append(artifacts(at) / "manifest.json"), "manifest.json", "is on record"),
    "no manifest": (lambda at: (artifacts(at) / "manifest.json").unlink(), "manifest.json", "No such file"),
    "no ledger": (lambda at: (artifacts(at) / "ledger.json").unlink(), "ledger.json", "No such file"),
    "a broken ledger": (lambda at: (artifacts(at) / "ledger.json").write_bytes(b"["), "ledger.json", "no JSON"),
    "an unknown setting": (lambda at: (at / "config.toml").write_text("colour = 1"), "config.toml", "colour"),
    "nothing frozen": (lambda at: change_record(at, lambda op: op.update(source=None)), ".json", "before a transcript"),
    "backups dropped": (
        _drop_backups,
        ".jsonl",
        "dropped on 2026-09-01",
    ),
}


@pytest.mark.parametrize("name", SPOILS)
def test_a_bad_archive_is_refused_by_file_and_reason(name: str, tmp_path: Path) -> None:
    archive = copy_of("third-party", tmp_path)
    spoil, file, reason = SPOILS[name]
    spoil(archive)
    done = CliRunner().invoke(main, ["incident", str(archive), "-o", str(tmp_path / "out")])
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith(f"error: {archive}")
    assert file in done.stderr and reason in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_later_talk_must_begin_with_the_candidate(tmp_path: Path) -> None:
    archive = copy_of("deaf-window", tmp_path)
    later = next(path for path in artifacts(archive).glob("*.jsonl") if path != transcript(archive))
    later.write_bytes(b"x" + later.read_bytes()[1:])
    with pytest.raises(BadArchive, match="does not begin with"):
        read_archive(archive)
    later.unlink()
    with pytest.raises(BadArchive, match="the file is not there"):
        read_archive(archive)


def test_a_redacted_bundle_or_any_other_file_is_no_archive(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_text("{}")
    with pytest.raises(BadArchive, match="no copy of the transcript"):
        read_archive(bundle)
    with pytest.raises(BadArchive, match="no such file or folder"):
        read_archive(tmp_path / "nowhere")


def test_of_several_operations_the_latest_is_taken_or_the_one_that_is_named(tmp_path: Path) -> None:
    archive = copy_of("third-party", tmp_path)
    first = operation_file(archive)
    another = archive / "operations" / "ffff.json"
    another.write_bytes(first.read_bytes().replace(first.stem.encode(), b"ffff").replace(b"2026-08-14", b"2026-08-13"))
    assert read_archive(archive).operation_file == first
    assert any("latest of 2" in note for note in read_archive(archive).notes)
    with pytest.raises(BadArchive, match=r"artifacts/ffff: no such folder"):
        read_archive(another)


def test_an_archive_without_a_configuration_takes_what_the_record_shows(tmp_path: Path) -> None:
    archive = copy_of("third-party", tmp_path)
    (archive / "config.toml").unlink()
    change_record(archive, lambda op: op["dirty_at_prepare"].update(dirty_budget_bytes=4096))
    found = read_archive(archive)
    assert found.settings.dirty_budget_bytes == 4096
    assert any("no config.toml" in note for note in found.notes)


def test_an_empty_worker_log_or_none_says_nothing(tmp_path: Path) -> None:
    archive = copy_of("lost-channel-talk", tmp_path)
    assert (archive / "worker.log").read_bytes() == b""
    before = read_archive(archive).operation
    (archive / "worker.log").unlink()
    assert read_archive(archive).operation == before
