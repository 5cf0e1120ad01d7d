"""What can happen to a transcript file: each damage takes its bytes and gives other bytes.

They take their choices from a hypothesis draw, and leave a file alone that has no row for them.
"""

import json
import uuid
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Damage = Callable[[st.DrawFn, bytes], bytes]
Row = dict[str, Any]

_TALK = ("user", "assistant")
_LONE_VALUES = (b"null", b"[]", b"42", b"{}", b'"text"', b"true", b"-0.0", b"[null]")
_UNREADABLE = (
    *(b'{"garbage": tru', b"not json at all", b"{", b"}", b'{"type":"user"}}', b'{"a":1,}', b"{'a':1}"),
    *(b'{"type":"user","message":{"role":"user","content":"a\tb"}}', b'{"a":"\\x41"}', b"NaN", b"\x00" * 9),
)
_BAD_UTF8 = (b"\xff", b"\xc0\xaf", b"\xed\xa0\xbd", b"\xe4\xb8", b"\xf4\x90\x80\x80", b"\x80")
_WRONG: tuple[Any, ...] = (
    7,
    -1.5,
    True,
    False,
    None,
    "",
    "text",
    [],
    {},
    [None],
    [7],
    ["text"],
    [[]],
    {"a": 1},
    {"type": 3},
)


def _swapped(draw: st.DrawFn, data: bytes) -> bytes:
    lines = _lines(data)
    return _joined(draw(st.permutations(lines))) if len(lines) < 9 else _joined(lines[4:8] + lines[:4] + lines[8:])


def _fork(draw: st.DrawFn, data: bytes) -> bytes:
    def branch(row: Row) -> list[Row]:
        other = row | {"uuid": _id(draw)}
        if isinstance(row.get("message"), dict):
            other["message"] = row["message"] | {
                "id": "msg_fork",
                "content": [{"type": "text", "text": "fork"}],
            }
        return [row, other]

    return _change(draw, data, branch, _TALK)


def _dangling(draw: st.DrawFn, data: bytes) -> bytes:
    return _change(draw, data, lambda row: [row | {"parentUuid": _id(draw)}], _TALK)


def _extra_root(draw: st.DrawFn, data: bytes) -> bytes:
    return _change(draw, data, lambda row: [row | {"parentUuid": None}], _TALK)


def _self_parent(draw: st.DrawFn, data: bytes) -> bytes:
    return _change(draw, data, lambda row: [row | {"parentUuid": row.get("uuid")}], _TALK)


def _cycle(draw: st.DrawFn, data: bytes) -> bytes:
    known = [row["uuid"] for row in map(_row, _lines(data)) if isinstance(row.get("uuid"), str)]
    if not known:
        return data
    return _change(draw, data, lambda row: [row | {"parentUuid": draw(st.sampled_from(known))}], _TALK)


def _twice(draw: st.DrawFn, data: bytes) -> bytes:
    return _change(draw, data, lambda row: [row, row], ())


def _twice_later(draw: st.DrawFn, data: bytes) -> bytes:
    lines = _lines(data)
    return _joined([*lines, draw(st.sampled_from(lines))])


def _twice_different(draw: st.DrawFn, data: bytes) -> bytes:
    def other(row: Row) -> list[Row]:
        message = row["message"] if isinstance(row.get("message"), dict) else {}
        return [row, row | {"message": message | {"content": [{"type": "text", "text": "another text"}]}}]

    return _change(draw, data, other, _TALK)


def _same_message_id(draw: st.DrawFn, data: bytes) -> bytes:
    rows = [_row(line) for line in _lines(data)]
    for row in rows:
        if row.get("type") == "assistant" and isinstance(row.get("message"), dict):
            row["message"]["id"] = "msg_same"
    return _joined([_dumped(row) if row else line for row, line in zip(rows, _lines(data), strict=True)])


def _missing(draw: st.DrawFn, data: bytes) -> bytes:
    def without(row: Row) -> list[Row]:
        holder, key = draw(st.sampled_from(_places(row)))
        del holder[key]
        return [row]

    return _change(draw, data, without, ())


def _wrong_type(draw: st.DrawFn, data: bytes) -> bytes:
    def spoiled(row: Row) -> list[Row]:
        holder, key = draw(st.sampled_from(_places(row)))
        holder[key] = draw(st.sampled_from(_WRONG))
        return [row]

    return _change(draw, data, spoiled, ())


def _duplicate_key(draw: st.DrawFn, data: bytes) -> bytes:
    key = draw(st.sampled_from(('"type":"summary"', '"uuid":"first"', '"message":{"role":"user","content":"other"}')))
    first = draw(st.booleans())

    def doubled(line: bytes) -> bytes:
        return b"{" + key.encode() + b"," + line[1:] if first else line[:-1] + b"," + key.encode() + b"}"

    return _change_line(draw, data, doubled)


def _escaped_key(draw: st.DrawFn, data: bytes) -> bytes:
    keys = draw(st.sampled_from((b'"type"', b'"content"', b'"uuid"', b'"text"')))
    spelled = b'"\\u%04x%s' % (keys[1], keys[2:])
    return _change_line(draw, data, lambda line: line.replace(keys + b":", spelled + b":"))


def _lone_value(draw: st.DrawFn, data: bytes) -> bytes:
    return _insert(draw, data, draw(st.sampled_from(_LONE_VALUES)))


def _unreadable(draw: st.DrawFn, data: bytes) -> bytes:
    return _insert(draw, data, draw(st.sampled_from(_UNREADABLE)))


def _cut_line(draw: st.DrawFn, data: bytes) -> bytes:
    return _change_line(draw, data, lambda line: line[: draw(st.integers(1, len(line) - 1))])


def _glued(draw: st.DrawFn, data: bytes) -> bytes:
    lines = _lines(data)
    n = draw(st.integers(0, len(lines) - 1))
    return _joined([*lines[:n], b"".join(lines[n : n + 2]), *lines[n + 2 :]])


def _bad_utf8(draw: st.DrawFn, data: bytes) -> bytes:
    bad = draw(st.sampled_from(_BAD_UTF8))
    return _change_line(draw, data, lambda line: line.replace(b'":"', b'":"' + bad, draw(st.integers(1, 9))))


def _spaced(draw: st.DrawFn, data: bytes) -> bytes:
    def loose(line: bytes) -> bytes:
        text = json.dumps(json.loads(line), ensure_ascii=False, separators=(" , ", " : "))
        return b" " + text.encode(errors="backslashreplace") + b"\t"

    return _change_line(draw, data, loose)


def _blank_lines(draw: st.DrawFn, data: bytes) -> bytes:
    return _insert(draw, data, draw(st.sampled_from((b"", b" ", b"\t", b"\n\n"))))


def _crlf(draw: st.DrawFn, data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _bom(draw: st.DrawFn, data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def _no_last_newline(draw: st.DrawFn, data: bytes) -> bytes:
    return data.rstrip(b"\r\n")


def _torn_tail(draw: st.DrawFn, data: bytes) -> bytes:
    whole = data.rstrip(b"\r\n")
    last = len(whole) - (whole.rfind(b"\n") + 1)
    return whole[: -draw(st.integers(1, last - 1))] if last > 1 else whole


DAMAGES: dict[str, Damage] = {
    "duplicate-identical": _twice,
    "duplicate-later": _twice_later,
    "duplicate-different": _twice_different,
    "fork": _fork,
    "dangling-parent": _dangling,
    "extra-root": _extra_root,
    "self-parent": _self_parent,
    "cycle": _cycle,
    "same-message-id": _same_message_id,
    "missing-field": _missing,
    "wrong-type": _wrong_type,
    "spaced-json": _spaced,
    "out-of-order": _swapped,
    "duplicate-key": _duplicate_key,
    "escaped-key": _escaped_key,
    "lone-value": _lone_value,
    "unreadable-line": _unreadable,
    "cut-line": _cut_line,
    "glued-rows": _glued,
    "invalid-utf8": _bad_utf8,
    "blank-lines": _blank_lines,
    "crlf": _crlf,
    "bom": _bom,
    "no-last-newline": _no_last_newline,
    "torn-tail": _torn_tail,
}
"""Damages by name, in the order in which several of them are applied."""

HARMLESS = {"spaced-json", "escaped-key", "blank-lines", "crlf", "bom", "no-last-newline"}
"""Damages that change nothing about what was said."""


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _row(line: bytes) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}


def _dumped(row: Row) -> bytes:
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace")


def _id(draw: st.DrawFn) -> str:
    return str(uuid.UUID(int=draw(st.integers(0, 2**64)), version=4))


def _change(draw: st.DrawFn, data: bytes, edit: Callable[[Row], list[Row]], types: tuple[str, ...]) -> bytes:
    """Put `edit(row)` in place of one row of these types (of any, if none are named)."""
    lines = _lines(data)
    fitting = [n for n, line in enumerate(lines) if (row := _row(line)) and (not types or row.get("type") in types)]
    if not fitting:
        return data
    n = draw(st.sampled_from(fitting))
    return _joined([*lines[:n], *map(_dumped, edit(_row(lines[n]))), *lines[n + 1 :]])


def _change_line(draw: st.DrawFn, data: bytes, edit: Callable[[bytes], bytes]) -> bytes:
    lines = _lines(data)
    fitting = [n for n, line in enumerate(lines) if _row(line)]
    if not fitting:
        return data
    n = draw(st.sampled_from(fitting))
    return _joined([*lines[:n], edit(lines[n]), *lines[n + 1 :]])


def _insert(draw: st.DrawFn, data: bytes, line: bytes) -> bytes:
    lines = _lines(data)
    n = draw(st.integers(0, len(lines)))
    return _joined([*lines[:n], line, *lines[n:]])


def _places(row: Row) -> list[tuple[Any, Any]]:
    """Where a value can be taken out or replaced: (holder, key), down to the blocks of a message."""
    found: list[tuple[Any, Any]] = []
    holders: list[Any] = [row]
    while holders:
        holder = holders.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in pairs:
            found.append((holder, key))
            if isinstance(value, dict | list) and key != "usage":
                holders.append(value)
    return found
