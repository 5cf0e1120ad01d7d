"""Input that is nested too deep is bad input, wherever other bad input is: no decoder's RecursionError gets out."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DECODERS = {
    *("json.loads", "json.load", "orjson.loads", "tomli.loads", "tomli.load"),
    *("msgspec.json.decode", "msgspec.toml.decode"),
}
WRONG = {"ValueError", "DecodeError", "MsgspecError", "TOMLDecodeError", "JSONDecodeError", "UnicodeDecodeError"}
FILES = sorted(
    path.relative_to(ROOT) for folder in ("threadrebuild", "harness") for path in (ROOT / folder).rglob("*.py")
)


def leaks(tree: ast.AST) -> Iterator[int]:
    """The lines of `try` that know of bad input from a decoder, and not of input that is nested too deep."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Try) and any(map(_decodes, each.body)):
            caught = {name for handler in each.handlers for name in _caught(handler.type)}
            if caught & WRONG and "RecursionError" not in caught:
                yield each.lineno


def _decodes(body: ast.stmt) -> bool:
    calls = [each for each in ast.walk(body) if isinstance(each, ast.Call) and each.args]
    # A literal with quotes around it is one string, in which nothing can be nested.
    return any(ast.unparse(call.func) in DECODERS and not isinstance(call.args[0], ast.JoinedStr) for call in calls)


def _caught(kind: ast.expr | None) -> list[str]:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind else []
    return [ast.unparse(each).rsplit(".", 1)[-1] for each in kinds]


def test_whoever_expects_bad_input_expects_deep_input() -> None:
    found = [f"{path}:{line}" for path in FILES for line in leaks(ast.parse((ROOT / path).read_text(encoding="utf-8")))]
    assert not found


def test_a_reader_that_forgets_deep_input_is_found() -> None:
    told = "try:\n    json.loads(x)\nexcept {}:\n    pass\n"
    assert list(leaks(ast.parse(told.format("ValueError")))) == [1]
    assert not list(leaks(ast.parse(told.format("(ValueError, RecursionError)"))))
