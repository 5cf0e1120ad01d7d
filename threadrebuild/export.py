"""A redacted bundle of one operation's evidence, for asking for help: nothing of a household's own leaves with it.

What may stand in it is what the program itself says: its codes, states, keys and sentences, read from its own source,
besides numbers, times and digests. Every other string becomes a placeholder, the same one wherever it occurs (TR-L32).
"""

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from threadrebuild import __version__
from threadrebuild.operation.household import Household, Refused

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}")
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FLAG = re.compile(r"(--?[a-z][a-z-]*)(?:(=)(.*))?", re.DOTALL)
_COMMANDS = ("door_command", "resume_command")
_SENTENCE_LEAST = 12
"""Characters of its own that a sentence with gaps must have to be recognised."""
_SENTENCE_LONGEST = 2_000


@dataclass
class _Placeholders:
    """Stable names for what is kept back: the first path is `<path 1>` wherever it occurs."""

    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def name(self, kind: str, text: str) -> str:
        known = sum(each == kind for each, _ in self.names)
        return self.names.setdefault((kind, text), f"<{kind} {known + 1}>")


def export_bundle(house: Household, operation_id: str) -> dict[str, Any]:
    """The bundle of an operation: record, settings, and which files there are. Raises `Refused` for an unknown id."""
    operation = house.store.load(operation_id)
    if operation is None:
        raise Refused("no-operation", f"no operation {operation_id}")
    record: dict[str, Any] = msgspec.to_builtins(operation)
    if operation.candidate is not None:
        # The digest of a short text gives it away to whoever guesses it.
        record["candidate"]["items"] = len(operation.candidate.items)
    record["surroundings"] = len(operation.surroundings)
    return redacted(
        {
            "version": __version__,
            "operation": record,
            "settings": msgspec.to_builtins(house.settings),
            "artifacts": _files_in(house.store.artifacts(operation_id)),
            "worker_log_bytes": house.store.worker_log.stat().st_size if house.store.worker_log.exists() else 0,
        }
    )


def redacted(bundle: dict[str, Any]) -> dict[str, Any]:
    """The same shape, with a placeholder for every string that the program does not itself say."""
    cleaned = _clean("", bundle, _Placeholders())
    assert isinstance(cleaned, dict)
    return cleaned


def _clean(key: str, value: Any, kept_back: _Placeholders) -> Any:
    match value:
        case str():
            return _clean_text(key, value, kept_back)
        case list() | tuple():
            part = _clean_argument if key in _COMMANDS else _clean
            return [part(key, each, kept_back) for each in value]
        case dict():
            keys = _own_words().exact
            return {
                name if name in keys else kept_back.name("name", name): _clean(
                    name if name in keys else key, each, kept_back
                )
                for name, each in value.items()
            }
        case _:
            return value


def _clean_text(key: str, text: str, kept_back: _Placeholders) -> str:
    if _TIME.fullmatch(text):
        return text
    if _DIGEST.fullmatch(text) and (key.endswith("sha256") or key == "neighbours"):
        return text
    if _VERSION.fullmatch(text) and key in ("cli_versions", "version"):
        return text
    if _is_path(text):
        return kept_back.name("path", text)
    if text in _own_words().exact:  # TR-L32
        return text
    return _own_sentence(key, text, kept_back) or kept_back.name("id" if _ID.fullmatch(text) else "text", text)


def _clean_argument(_key: str, text: str, kept_back: _Placeholders) -> str:
    """A command's argument: flags keep their name and nothing else does."""
    flag = _FLAG.fullmatch(text)
    if flag is None:
        return kept_back.name("path" if _is_path(text) else "id" if _ID.fullmatch(text) else "value", text)
    return flag[1] if flag[2] is None else f"{flag[1]}={kept_back.name('value', flag[3])}"


def _own_sentence(key: str, text: str, kept_back: _Placeholders) -> str | None:
    """A sentence of the program, with what was filled into it redacted; None where it is none."""
    if len(text) > _SENTENCE_LONGEST:
        return None
    for pattern, parts in _own_words().sentences:
        filled = pattern.fullmatch(text)
        if filled is not None:
            gaps = (gap if _NUMBER.fullmatch(gap) else _clean_text(key, gap, kept_back) for gap in filled.groups())
            return "".join(part if part is not None else next(gaps) for part in parts)
    return None


def _is_path(text: str) -> bool:
    return text.startswith(("/", "~", "./", "../"))


def _files_in(folder: Path) -> list[dict[str, Any]]:
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [{"name": path.name, "bytes": path.stat().st_size} for path in found]


@dataclass(frozen=True)
class _Words:
    """What the program itself says: whole strings and field names, and sentences with gaps, the longest first."""

    exact: frozenset[str]
    sentences: list[tuple[re.Pattern[str], list[str | None]]]


@cache
def _own_words() -> _Words:
    exact: set[str] = set()
    sentences: list[list[str | None]] = []
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        _read_words(ast.parse(path.read_bytes()), exact, sentences)
    sentences = [parts for parts in sentences if _own_length(parts) >= _SENTENCE_LEAST]
    sentences.sort(key=_own_length, reverse=True)
    return _Words(frozenset(exact), [(_pattern(parts), parts) for parts in sentences])


def _read_words(tree: ast.AST, exact: set[str], sentences: list[list[str | None]]) -> None:
    pending = [tree]
    while pending:
        node = pending.pop()
        match node:
            case ast.JoinedStr(values=values):
                sentences.append([str(part.value) if isinstance(part, ast.Constant) else None for part in values])
                pending += [part.value for part in values if isinstance(part, ast.FormattedValue)]
                continue
            case ast.Expr(value=ast.Constant()):
                continue  # a docstring
            case ast.Constant(value=str() as text):
                exact.add(text)
            case ast.AnnAssign(target=ast.Name(id=name)):
                exact.add(name)
            case _:
                pass
        pending += ast.iter_child_nodes(node)


def _own_length(parts: list[str | None]) -> int:
    return sum(len(part) for part in parts if part is not None)


def _pattern(parts: list[str | None]) -> re.Pattern[str]:
    return re.compile("".join("(.+?)" if part is None else re.escape(part) for part in parts), re.DOTALL)
