"""Where each value of a line stands: exact byte spans, found with the standard library's own JSON scanner.

A line is decoded as Latin-1, so that positions in the text are positions in the bytes; JSON's structure is ASCII, so
nothing else changes. Slow, and used where exactness is wanted: for rows that hold speech, and for rows that the fast
decoder refuses.
"""

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import NamedTuple, NoReturn


class Span(NamedTuple):
    """Bytes `start` (included) to `end` (left out) of a line."""

    start: int
    end: int


class Members(dict[str, Span]):
    """The members of an object; of a repeated key the last one counts, and `repeated` names it."""

    def __init__(self) -> None:
        self.repeated: list[str] = []


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


STRICT = json.JSONDecoder(parse_constant=_refuse, parse_int=str)
"""The standard library's decoder without its own additions to JSON (NaN, Infinity); integers of any length."""
_SPACE = " \t\r\n"


def members(text: str, start: int = 0) -> Members:
    """Spans of the values of the object that begins at `start` of a line decoded as Latin-1.

    Raises ValueError where there is no well-formed object.
    """
    found = Members()
    at = skip_space(text, start)
    if text[at : at + 1] != "{":
        raise ValueError(f"no object at byte {at}")
    at = skip_space(text, at + 1)
    if text[at : at + 1] == "}":
        return found
    while True:
        if text[at : at + 1] != '"':
            raise ValueError(f"no key at byte {at}")
        key, at = scanstring(text, at + 1)
        at = skip_space(text, at)
        if text[at : at + 1] != ":":
            raise ValueError(f"no colon at byte {at}")
        at = skip_space(text, at + 1)
        _, end = STRICT.raw_decode(text, at)
        if key in found:
            found.repeated.append(key)
        found[key] = Span(at, end)
        at = skip_space(text, end)
        if text[at : at + 1] == "}":
            return found
        if text[at : at + 1] != ",":
            raise ValueError(f"no comma at byte {at}")
        at = skip_space(text, at + 1)


def elements(text: str, start: int) -> list[Span]:
    """Spans of the elements of the array that begins at `start`. Raises ValueError where there is none."""
    found: list[Span] = []
    if text[start : start + 1] != "[":
        raise ValueError(f"no array at byte {start}")
    at = skip_space(text, start + 1)
    if text[at : at + 1] == "]":
        return found
    while True:
        _, end = STRICT.raw_decode(text, at)
        found.append(Span(at, end))
        at = skip_space(text, end)
        if text[at : at + 1] == "]":
            return found
        if text[at : at + 1] != ",":
            raise ValueError(f"no comma at byte {at}")
        at = skip_space(text, at + 1)


def skip_space(text: str, at: int) -> int:
    """The position of the first character at or after `at` that is not JSON's white space."""
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
