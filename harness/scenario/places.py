"""On which line of a TOML file a key, or an element of its array, stands: the parser itself keeps no places.

The file is given to the parser line by line, cut off and closed, until what is looked for has come in; the element
begins behind the one before it.
"""

import tomli


def line_of(source: str, key: str, number: int | None = None) -> int:
    """The line, from 1, where a top-level key begins or, with a number, the element of that index; 1 if nowhere."""
    lines = source.split("\n")
    begin = 0
    for end in range(1, len(lines) + 1):
        found = _parsed(lines[:end])
        if found is None:
            continue
        inside = found.get(key)
        reached = key in found if number is None else isinstance(inside, list) and len(inside) > number
        if reached:
            return _first_filled(lines, begin, end)
        # An array that is still open ends where its next element begins.
        begin = end
    return 1


def _parsed(lines: list[str]) -> dict[str, object] | None:
    text = "\n".join(lines)
    for closing in ("", "\n]"):
        try:
            return tomli.loads(text + closing)
        except (tomli.TOMLDecodeError, RecursionError):
            continue
    return None


def _first_filled(lines: list[str], begin: int, end: int) -> int:
    for at in range(begin, end):
        if lines[at].strip() and not lines[at].lstrip().startswith("#"):
            return at + 1
    return end
