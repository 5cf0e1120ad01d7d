"""The plain reader: what is a row, what is not and why, and where the bytes of a string are."""

import json
from pathlib import Path

import pytest

from harness.oracle.reader import Number, read_rows, string_spans


def _whys(tmp_path: Path, raw: bytes) -> list[tuple[int, str]]:
    path = tmp_path / "file.jsonl"
    path.write_bytes(raw)
    return [(row.line, row.why) for row in read_rows(path)]


@pytest.mark.parametrize(
    ("raw", "whys"),
    [
        (b"", []),
        (b"\n  \n\r\n", []),
        (b'\xef\xbb\xbf{"a":1}\r\n\r\n{"b":2}\r\n', [(1, ""), (3, "")]),
        (b'{"a":1}', [(1, "")]),
        (b'null\n[]\n7\n"x"\n{}\ntrue\n', [(n, "not-a-row") for n in range(1, 7)]),
        (b'{"a":"\xff"}\n{"a":1}\n', [(1, "unreadable-line"), (2, "")]),
        (b'{"a":\n{"a":1}\n', [(1, "unreadable-line"), (2, "")]),
        (b'{"a":1}{"b":2}\n', [(1, "unreadable-line")]),
        (b'{"a":1}\n{"b":2}{"c":3}', [(1, ""), (2, "unreadable-line")]),
        (b'{"a":1}\n{"b":"wri', [(1, ""), (2, "torn-tail")]),
        (b'{"a":1}\n{"b":"\xe6\x98', [(1, ""), (2, "torn-tail")]),
        (b'{"a":1}\n{"b":"wri\n', [(1, ""), (2, "unreadable-line")]),
        (b'{"a":NaN}\n', [(1, "unreadable-line")]),
        (b'{"a":"\t"}\n', [(1, "unreadable-line")]),
        (b'{"a":"\xc2\x85\xe2\x80\xa8"}\n', [(1, "")]),
        (b"[" * 100_000 + b"\n", [(1, "unreadable-line")]),
    ],
)
def test_what_a_line_is(tmp_path: Path, raw: bytes, whys: list[tuple[int, str]]) -> None:
    assert _whys(tmp_path, raw) == whys


def test_offsets_are_bytes_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes('\ufeff{"a":"一"}\r\n\n {"b":"二"}'.encode())
    first, second = read_rows(path)
    assert (first.line, first.offset) == (1, 3)
    assert (second.line, second.offset) == (3, 3 + len('{"a":"一"}'.encode()) + 3)
    assert path.read_bytes()[second.offset :] == second.raw


def test_the_last_of_a_repeated_key_counts_for_the_value_and_for_its_place(tmp_path: Path) -> None:
    raw = rb'{ "a" : "\u0041" , "n":[1,{"x":"\"]}"}], "a":"last\\" }'
    path = tmp_path / "file.jsonl"
    path.write_bytes(raw)
    (row,) = read_rows(path)
    assert row.value == {"a": "last\\", "n": [Number("1"), {"x": '"]}'}]}
    shape = string_spans(raw)
    assert raw[shape["a"].start : shape["a"].end] == rb'"last\\"'
    span = shape["n"][1]["x"]
    assert raw[span.start : span.end] == rb'"\"]}"'
    assert shape["n"][0] is None


def test_positions_are_bytes_behind_text_of_any_script() -> None:
    raw = '{"一":"两👩‍👩‍👧","b":["三"],"c":"\\ud83d"}'.encode()
    shape = string_spans(raw)
    assert raw[shape["b"][0].start : shape["b"][0].end] == '"三"'.encode()
    assert json.loads(raw[shape["c"].start : shape["c"].end]) == "\ud83d"


def test_digits_of_a_number_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"chat_id":' + b"9" * 5000 + b"}\n")
    (row,) = read_rows(path)
    assert row.value == {"chat_id": Number("9" * 5000)}
