from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.report.bytediff import ROWS, WIDTH, sides


def side(data: bytes, text: str = "", offset: int = 0) -> dict[str, Any]:
    return {"line": 1, "offset": offset, "bytes": data.hex(), "text": text}


def bytes_of(shown: Any, marked: bool | None = None) -> bytes:
    parts = [part for row in shown.rows for part in row.hex if marked is None or part[0] == marked]
    return b"".join(bytes.fromhex(text) for _, text in parts)


def test_what_lies_between_the_common_ends_is_marked() -> None:
    one, two = sides(side(b"abcXYef", "abcXYef"), side(b"abcZef", "abcZef"))
    assert two is not None
    assert (bytes_of(one, True), bytes_of(two, True)) == (b"XY", b"Z")
    assert one.text == [(False, "abc"), (True, "XY"), (False, "ef")]
    assert two.text == [(False, "abc"), (True, "Z"), (False, "ef")]


def test_an_insertion_marks_only_what_came_in() -> None:
    one, two = sides(side(b"aa"), side(b"aaa"))
    assert two is not None
    assert (bytes_of(one, True), bytes_of(two, True)) == (b"", b"a")


def test_a_missing_side_marks_nothing() -> None:
    one, two = sides(side(b"abc", "abc"), None)
    assert two is None
    assert one.text == [(False, "abc")]
    assert bytes_of(one, False) == b"abc"


def test_a_long_difference_is_cut_around_its_beginning_and_says_what_is_left_out() -> None:
    same = b"s" * 1000
    one, _ = sides(side(same + b"X" * 1000, offset=4096), side(same + b"Y" * 1000))
    assert len(one.rows) == ROWS
    assert one.before + len(bytes_of(one)) + one.after == 2000
    assert one.rows[0].offset == f"{4096 + one.before:08x}"
    assert b"X" in bytes_of(one, True)


def test_only_printable_ascii_is_drawn_beside_the_hex() -> None:
    one, _ = sides(side(b"a\x00\xe4 ~\x7f"), None)
    assert one.rows[0].letters == [(False, "a···~·")]


@given(st.binary(max_size=150), st.binary(max_size=150))
def test_nothing_is_lost_in_the_arrangement(left: bytes, right: bytes) -> None:
    for own, shown in zip((left, right), sides(side(left), side(right)), strict=True):
        assert shown is not None
        assert own[shown.before : len(own) - shown.after] == bytes_of(shown)
        assert all(len(b"".join(bytes.fromhex(part) for _, part in row.hex)) <= WIDTH for row in shown.rows)
        assert left != right or bytes_of(shown, True) == b""
