"""The commands of window notes: what they answer, and what they refuse to understand."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from windows import NOTE

from harness.cli import main as harness
from harness.world.talk import Talk
from threadrebuild.carry.estimate import image_size
from threadrebuild.cli import main

JPEG = "/9j/4AAQSkZJRgABAQAAAQABAAD/wAARCAAQACADASIAAhEBAxEB/9k="
GIF = "R0lGODlhAwACAIAAAAAAAP///yH5BAEAAAAALAAAAAADAAIAAAICRAoAOw=="
WEBP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoFAAQADsD+JaQAA3AAAAAA"


def told(folder: Path) -> Path:
    """A transcript on the disk, with a note beside it."""
    talk = Talk()
    talk.user("水浑了")
    talk.tool("Bash", {"command": "date"}, result="Fri")
    talk.thinking("先停泵")
    talk.assistant("换滤棉。")
    folder.joinpath("note.txt").write_text(NOTE, encoding="utf-8")
    return talk.write(folder / "source.jsonl")


def candidate(source: Path, *words: str) -> Result:
    out = str(source.parent / "out")
    return CliRunner().invoke(main, ["candidate", str(source), "--out", out, "--json", *words])


def test_a_candidate_with_a_note_is_built_and_verified(tmp_path: Path) -> None:
    source = told(tmp_path)
    done = candidate(source, "--carry", "note", "--note", str(tmp_path / "note.txt"), "--context-reading", "150000")
    assert done.exit_code == 0, done.output
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["window"]["due"] is True
    assert answer["window"]["model"]
    assert any("--model" in note or "that model" in note for note in answer["notes"])
    verified = CliRunner().invoke(main, ["verify", answer["candidate"], "--json"])
    assert verified.exit_code == 0, verified.output
    path = Path(answer["candidate"])
    path.write_bytes(path.read_bytes().replace("滤棉".encode(), "滤网".encode()))
    assert CliRunner().invoke(main, ["verify", str(path), "--json"]).exit_code == 1


def test_a_change_is_told_in_words(tmp_path: Path) -> None:
    source = told(tmp_path)
    words = ["--out", str(tmp_path / "out"), "--carry", "note", "--note", str(tmp_path / "note.txt")]
    done = CliRunner().invoke(main, ["candidate", str(source), *words])
    assert done.exit_code == 0, done.output
    assert "window change not due" in done.stdout
    assert "--model" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["--carry", "note"],
        ["--note", "note.txt"],
        ["--carry", "dialogue", "--context-reading", "5"],
        ["--carry", "note", "--note", "missing.txt"],
    ],
)
def test_what_makes_no_sense_is_a_usage_error(tmp_path: Path, words: list[str]) -> None:
    assert candidate(told(tmp_path), *words).exit_code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("data", [b"", b" \n", b"\xff", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"])
def test_a_note_that_says_nothing_is_none(tmp_path: Path, data: bytes) -> None:
    source = told(tmp_path)
    (tmp_path / "note.txt").write_bytes(data)
    assert candidate(source, "--carry", "note", "--note", str(tmp_path / "note.txt")).exit_code == 2


def test_broken_records_of_failed_turns_are_unreadable(tmp_path: Path) -> None:
    source = told(tmp_path)
    (tmp_path / "failed.json").write_text('[{"cause": "bad luck", "prompt": "u"}]', encoding="utf-8")
    words = ["--carry", "note", "--note", str(tmp_path / "note.txt"), "--failures", str(tmp_path / "failed.json")]
    assert candidate(source, *words).exit_code == 2


def test_replay_changes_windows_and_reports_it(tmp_path: Path) -> None:
    source = told(tmp_path)
    out = tmp_path / "replay"
    done = CliRunner().invoke(harness, ["replay", str(source), "--carry", "note", "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    steps = [json.loads(line) for line in (out / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    (window,) = [step for step in steps if step["kind"] == "window"]
    assert (window["rows"], window["calls"]) == (5, 1)
    assert [step["ok"] for step in steps if step["kind"] == "check" and step["by"] == "oracle"] == [True]
    assert "Window note and retained span" in (out / "report.html").read_text(encoding="utf-8")


def test_a_record_is_stripped_into_a_new_file(tmp_path: Path) -> None:
    source = told(tmp_path)
    out = tmp_path / "stripped.jsonl"
    done = CliRunner().invoke(main, ["strip", str(source), "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["bytes"] == 0
    assert out.read_bytes() == source.read_bytes()
    assert CliRunner().invoke(main, ["strip", str(source), "--out", str(out)]).exit_code == 2


@pytest.mark.parametrize("bad", [b"garbage", b'{"type":"user"', b'{"a":NaN}', b"[" * 5000])
def test_a_record_that_cannot_be_read_whole_is_not_stripped_in_silence(tmp_path: Path, bad: bytes) -> None:
    source, out = told(tmp_path), tmp_path / "stripped.jsonl"
    first, rest = source.read_bytes().split(b"\n", 1)
    source.write_bytes(first + b"\n" + bad + b"\n" + rest)
    done = CliRunner().invoke(main, ["strip", str(source), "--out", str(out)])
    assert (done.exit_code, f"{source}: line 2 at byte {len(first) + 1}" in done.stderr) == (2, True), done.output
    assert {path.name for path in tmp_path.iterdir()} == {"note.txt", "source.jsonl"}
    asked = CliRunner().invoke(main, ["strip", str(source), "--out", str(out), "--malformed", "report"])
    assert (asked.exit_code, out.read_bytes()) == (0, source.read_bytes()), asked.output


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("", "is there already"),
        ("no/such/file", "No such file"),
        ("note.txt/x", "Not a directory"),
        ("x" * 300, "long"),
    ],
)
def test_where_a_stripped_record_cannot_lie_is_named(tmp_path: Path, out: str, said: str) -> None:
    source = told(tmp_path)
    path = str(tmp_path / out) if out else ""
    done = CliRunner().invoke(main, ["strip", str(source), "--out", path])
    assert (done.exit_code, said in done.stderr, ".part" in done.stderr) == (2, True, False), done.output
    assert {path.name for path in tmp_path.iterdir()} == {"note.txt", "source.jsonl"}


@pytest.mark.parametrize(
    ("data", "size"), [(JPEG, (32, 16)), (GIF, (3, 2)), (WEBP, (5, 4)), ("bm9uZQ==", None), ("%", None), (None, None)]
)
def test_sizes_are_read_from_headers(data: str | None, size: tuple[int, int] | None) -> None:
    assert image_size(data) == size
