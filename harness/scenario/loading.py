"""Scenarios read from TOML into typed objects, and refused with file, line and reason where they make no sense.

Nothing here knows the code under test: what a scenario states is settled before anything is carried.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import tomli

from harness.rules import CatalogueError, Rule, read_rules
from harness.scenario.forms import FORMS, Form, Refused
from harness.scenario.places import line_of
from harness.scenario.story import KINDS, Entry

RULES = Path("scenarios", "rules")
T = TypeVar("T")


class ScenarioError(CatalogueError):
    """A scenario that cannot be played; the message is file:line: reason."""


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The top level as it stands in the file."""

    title: str
    transcript: str | None = None
    talk: list[dict[str, Any]] | None = None
    settings: dict[str, Any] = {}
    malformed: Literal["block", "report"] = "block"
    expect: list[dict[str, Any]]


@dataclass(frozen=True)
class Scenario:
    """One story: a transcript or a talk to be told, and what is expected of its carry."""

    file: Path
    root: Path
    """The checkout: the folder that holds `scenarios/rules/`. A transcript's path begins here."""
    title: str
    transcript: Path | None
    talk: tuple[Entry, ...]
    settings: dict[str, Any]
    malformed: Literal["block", "report"]
    expect: tuple[Form, ...]

    @property
    def name(self) -> str:
        """The file's path from the root, where it lies under it."""
        inside = self.file.is_relative_to(self.root)
        return self.file.relative_to(self.root).as_posix() if inside else str(self.file)

    @property
    def verdict(self) -> str:
        """What the carry should come to."""
        return "refused" if any(isinstance(form, Refused) for form in self.expect) else "carried"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that its expectations name."""
        return tuple(dict.fromkeys(form.rule for form in self.expect))

    def error(self, reason: str, key: str = "title", number: int | None = None) -> ScenarioError:
        """An error that names the line where a key, or the entry of that number in it, stands."""
        line = line_of(self.file.read_text(encoding="utf-8"), key, number)
        return ScenarioError(f"{self.name}:{line}: {reason}")

    def place(self, number: int) -> str:
        """File and line of an expectation."""
        return f"{self.name}:{line_of(self.file.read_text(encoding='utf-8'), 'expect', number)}"


def load_scenario(path: Path) -> Scenario:
    """Read one file. Raises `ScenarioError` for all that is wrong with it, the first thing found."""
    file = path.resolve()
    root = root_of(file)
    name = str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
    try:
        source = file.read_text(encoding="utf-8")
        values = tomli.loads(source)
    except OSError as error:
        raise ScenarioError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{name}: byte {error.start}: not UTF-8") from None
    except tomli.TOMLDecodeError as error:
        raise ScenarioError(f"{name}:{error.lineno}: {error.msg}") from None
    try:
        return _scenario(file, root, values)
    except _Fault as fault:
        line = line_of(source, fault.key, fault.number)
        at = fault.key if fault.number is None else f"{fault.key}[{fault.number}]"
        raise ScenarioError(f"{name}:{line}: {at}: {fault.reason}") from None


def scenario_files(folder: Path) -> list[Path]:
    """Every scenario in a folder; the files beside the catalogue are none."""
    return [path for path in sorted(folder.rglob("*.toml")) if path.resolve().parent.parts[-2:] != RULES.parts]


def root_of(file: Path) -> Path:
    """The checkout that a scenario belongs to. Raises `ScenarioError` where none is near."""
    for folder in (*file.resolve().parents, Path.cwd()):
        if (folder / RULES).is_dir():
            return folder
    raise ScenarioError(f"{file}: no {RULES}/ in a folder above it, so its rules cannot be known")


@cache
def catalogue(root: Path) -> dict[str, Rule]:
    """The rules of a checkout."""
    return read_rules(root / RULES)


class _Fault(Exception):
    def __init__(self, key: str, number: int | None, reason: str) -> None:
        super().__init__(reason)
        self.key, self.number, self.reason = key, number, reason


def _scenario(file: Path, root: Path, values: dict[str, Any]) -> Scenario:
    try:
        written = msgspec.convert(values, _Written)
    except msgspec.ValidationError as error:
        raise _fault_of(error, values) from None
    if (written.transcript is None) == (written.talk is None):
        raise _Fault("title", None, "needs either `transcript` or `talk`")
    transcript = None if written.transcript is None else root / written.transcript
    if transcript is not None and not transcript.is_file():
        raise _Fault("transcript", None, f"{written.transcript}: no such file in {root}")
    if not written.expect:
        raise _Fault("expect", None, "states nothing, so it cannot fail")
    return Scenario(
        file,
        root,
        written.title,
        transcript,
        tuple(_entries("talk", written.talk or [], KINDS)),
        written.settings,
        written.malformed,
        tuple(_forms(written.expect, root)),
    )


def _forms(written: Sequence[dict[str, Any]], root: Path) -> Iterator[Form]:
    rules = catalogue(root)
    for number, form in enumerate(_entries("expect", written, FORMS)):
        if form.rule not in rules:
            raise _Fault("expect", number, f"{form.rule} is in no table of the catalogue")
        yield form


def _entries(key: str, written: Sequence[dict[str, Any]], kinds: dict[str, type[T]]) -> Iterator[T]:
    for number, entry in enumerate(written):
        head = next((name for name in entry if name != "rule"), None)
        if head not in kinds:
            found = "it is empty" if head is None else f"it begins with `{head}`"
            raise _Fault(key, number, f"{found}; an entry begins with one of {', '.join(kinds)}")
        try:
            json.dumps(entry)
            yield msgspec.convert(entry, kinds[head])
        except msgspec.ValidationError as error:
            raise _Fault(key, number, f"{error}; `{head}` takes {_takes(kinds[head])}") from None
        except TypeError as error:
            raise _Fault(key, number, f"{error}: write dates and times as strings") from None


def _takes(kind: type) -> str:
    return ", ".join(field.encode_name for field in msgspec.structs.fields(kind))


def _fault_of(error: msgspec.ValidationError, values: dict[str, Any]) -> _Fault:
    """The key that a complaint about the top level is about."""
    place = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?", str(error))
    unknown = re.search(r"unknown field `([^`]+)`", str(error))
    if place:
        return _Fault(place[1], int(place[2]) if place[2] else None, str(error))
    if unknown:
        return _Fault(unknown[1], None, f"unknown key; a scenario has {_takes(_Written)}")
    return _Fault(next(iter(values), "title"), None, str(error))
