"""What differs between expected and new bytes, told in words, and which expected files nobody uses."""

from pathlib import Path

from harness.golden import change, expected_path, transcripts, unused


def test_equal_bytes_differ_in_nothing() -> None:
    assert change(b"a\nb\n", b"a\nb\n") == []
    assert change(None, None) == []


def test_a_changed_line_shows_both_sides_from_near_the_first_other_byte() -> None:
    assert change(b"same\nold word\n", b"same\nnew word\n") == [
        "line 2, byte 0:",
        "  - 'old word\\n'",
        "  + 'new word\\n'",
    ]
    place, old, new = change(b"x" * 400 + b"a" * 400, b"x" * 400 + b"b" * 400)
    assert place == "line 1, byte 400:"
    assert old == "  - …'" + "x" * 50 + "a" * 150 + "'…"
    assert new == "  + …'" + "x" * 50 + "b" * 150 + "'…"


def test_added_lost_and_unterminated_lines_are_seen() -> None:
    assert change(b"a\n", b"a\nb\n") == ["line 2, byte 0:", "  - ''", "  + 'b\\n'"]
    assert change(b"a\nb\n", b"a\n") == ["line 2, byte 0:", "  - 'b\\n'", "  + ''"]
    assert change(b"a\n", b"a") == ["line 1, byte 1:", "  - 'a\\n'", "  + 'a'"]


def test_a_new_and_a_vanished_file_are_counted_in_lines() -> None:
    assert change(None, b"a\nb\n") == ["new, 2 lines"]
    assert change(b"a\nb\n", None) == ["no longer carried, was 2 lines"]


def test_ten_changed_lines_are_shown_and_the_others_counted() -> None:
    ten, eleven = b"a\n" * 10, b"a\n" * 11
    assert len(change(ten, ten.upper())) == 30
    assert change(eleven, eleven.upper())[30:] == ["… and 1 more lines"]


def test_half_a_character_is_shown_as_bytes() -> None:
    old, new = change("“".encode(), b"\xe2\x80\x9d")[1:]
    assert (old, new) == ("  - '“'", "  + '”'")
    assert change(b"\xff", b"a")[1] == "  - '\\\\xff'"


def test_expected_files_lie_beside_the_recordings_under_another_ending(tmp_path: Path) -> None:
    (tmp_path / "cli/2.1.199").mkdir(parents=True)
    recording = tmp_path / "cli/2.1.199/talk.jsonl"
    recording.touch()
    expected = expected_path(tmp_path, recording)
    assert expected == tmp_path / "expected/cli/2.1.199/talk.candidate"
    expected.parent.mkdir(parents=True)
    expected.touch()
    left = expected.with_name("gone.candidate")
    left.touch()
    assert transcripts(tmp_path) == [recording]
    assert unused(tmp_path) == [left]
