"""Scenarios read from TOML into typed objects, and refused with file, line and reason where they make no sense.

Nothing here knows the code under test: what a scenario states is settled before anything is carried.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import tomli

from harness.rules import CatalogueError, Rule, read_rules
from harness.scenario.forms import FORMS, Demand, Form, Refused
from harness.scenario.places import line_of
from harness.scenario.story import KINDS, Entry

RULES = Path("scenarios", "rules")
WHEN = frozenset({"rule", "at", "after", "while"})
"""Keys that may stand before the one that says what an entry is."""
T = TypeVar("T")
F = TypeVar("F", bound=Demand)
S = TypeVar("S")


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
class Stated:
    """What every scenario has: a file, a title, and what is expected."""

    file: Path
    root: Path
    """The checkout: the folder that holds `scenarios/rules/`. A transcript's path begins here."""
    title: str
    expect: tuple[Demand, ...]

    @property
    def name(self) -> str:
        """The file's path from the root, where it lies under it."""
        inside = self.file.is_relative_to(self.root)
        return self.file.relative_to(self.root).as_posix() if inside else str(self.file)

    @property
    def choice(self) -> tuple[str, ...]:
        """What the command says that plays this alone, where more than this one is told."""
        return ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that its expectations name."""
        return tuple(dict.fromkeys(form.rule for form in self.expect))

    @property
    def incident(self) -> str | None:
        """Of which incident it is the record; None for a precaution."""
        found = tomli.loads(self.file.read_text(encoding="utf-8")).get("incident")
        return None if found is None else str(found)

    def error(self, reason: str, key: str = "title", number: int | None = None) -> ScenarioError:
        """An error that names the line where a key, or the entry of that number in it, stands."""
        line = line_of(self.file.read_text(encoding="utf-8"), key, number)
        return ScenarioError(f"{self.name}:{line}: {reason}")

    def place(self, number: int) -> str:
        """File and line of an expectation."""
        return f"{self.name}:{line_of(self.file.read_text(encoding='utf-8'), 'expect', number)}"


@dataclass(frozen=True)
class Scenario(Stated):
    """One talk: a transcript or a talk to be told, and what is expected of its carry."""

    expect: tuple[Form, ...]
    transcript: Path | None
    talk: tuple[Entry, ...]
    settings: dict[str, Any]
    malformed: Literal["block", "report"]

    @property
    def verdict(self) -> str:
        """What the carry should come to."""
        return "refused" if any(isinstance(form, Refused) for form in self.expect) else "carried"


def load_scenario(path: Path) -> Scenario:
    """Read one file. Raises `ScenarioError` for all that is wrong with it, the first thing found."""
    return read_scenario(path, _scenario)


def sort_of(path: Path) -> Literal["talk", "night", "story"]:
    """What a file tells: the carry of a talk, a night, or a story of some kind. Its reader says what is wrong."""
    try:
        values = tomli.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return "talk"
    return "story" if "kind" in values else "night" if "story" in values else "talk"


def read_scenario(path: Path, made: Callable[[Path, Path, dict[str, Any]], S]) -> S:
    """Read one file and make a scenario of (file, root, values). Raises `ScenarioError` for what makes no sense."""
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
    except RecursionError as error:
        raise ScenarioError(f"{name}: {error}") from None
    try:
        _see_incident(values.pop("incident", None), file, root)
        return made(file, root, values)
    except Fault as fault:
        line = line_of(source, fault.key, fault.number)
        at = fault.key if fault.number is None else f"{fault.key}[{fault.number}]"
        raise ScenarioError(f"{name}:{line}: {at}: {fault.reason}") from None


def _see_incident(incident: object, file: Path, root: Path) -> None:
    from harness.criteria.incidents import why_no_incident

    why = why_no_incident(incident, file, root, catalogue(root))
    if why is not None:
        raise Fault("incident", None, why)


def scenario_files(folder: Path) -> list[Path]:
    """Every scenario in a folder; the files beside the catalogue are none."""
    return [path for path in sorted(folder.rglob("*.toml")) if path.resolve().parent.parts[-2:] != RULES.parts]


def root_of(file: Path) -> Path:
    """The checkout that a scenario belongs to. Raises `ScenarioError` where none is near."""
    for folder in (*file.resolve().parents, Path.cwd()):
        if (folder / RULES).is_dir():
            return folder
    raise ScenarioError(f"{file}: no {RULES}/ in a folder above it or in this one: run it in a checkout of the project")


@cache
def catalogue(root: Path) -> dict[str, Rule]:
    """The rules of a checkout."""
    return read_rules(root / RULES)


class Fault(Exception):
    """What is wrong with a key of a scenario, or with the entry of that number in it."""

    def __init__(self, key: str, number: int | None, reason: str) -> None:
        super().__init__(reason)
        self.key, self.number, self.reason = key, number, reason


def _scenario(file: Path, root: Path, values: dict[str, Any]) -> Scenario:
    try:
        written = msgspec.convert(values, _Written)
    except msgspec.ValidationError as error:
        raise fault_of(error, values, _Written) from None
    if (written.transcript is None) == (written.talk is None):
        raise Fault("title", None, "needs either `transcript` or `talk`")
    transcript = None if written.transcript is None else recording_of(file, root, written.transcript)
    if transcript is not None and not transcript.is_file():
        raise Fault("transcript", None, f"{written.transcript}: no such file in {root}")
    return Scenario(
        file,
        root,
        written.title,
        tuple(forms(written.expect, root, FORMS)),
        transcript,
        tuple(entries("talk", written.talk or [], KINDS)),
        written.settings,
        written.malformed,
    )


def recording_of(file: Path, root: Path, written: str) -> Path:
    """Where a recording lies: from the checkout's root or, written with `./`, from the scenario's own folder."""
    return (file.parent if written.startswith("./") else root) / written


def forms(written: Sequence[dict[str, Any]], root: Path, kinds: Mapping[str, type[F]]) -> Iterator[F]:
    """What is expected, each of a kind. Raises `Fault`."""
    if not written:
        raise Fault("expect", None, "states nothing, so it cannot fail")
    rules = catalogue(root)
    for number, form in enumerate(entries("expect", written, kinds)):
        if form.rule not in rules:
            raise Fault("expect", number, f"{form.rule} is in no table of the catalogue")
        yield form


def entries(key: str, written: Sequence[dict[str, Any]], kinds: Mapping[str, type[T]]) -> Iterator[T]:
    """The entries of an array, each of the kind that its first key names. Raises `Fault`."""
    for number, entry in enumerate(written):
        head = next((name for name in entry if name not in WHEN), None)
        if head is None or head not in kinds:
            found = "it is empty" if head is None else f"it begins with `{head}`"
            raise Fault(key, number, f"{found}; an entry begins with one of {', '.join(kinds)}")
        try:
            json.dumps(entry)
            yield msgspec.convert(entry, kinds[head])
        except msgspec.ValidationError as error:
            raise Fault(key, number, f"{error}; `{head}` takes {_takes(kinds[head])}") from None
        except TypeError as error:
            raise Fault(key, number, f"{error}: write dates and times as strings") from None


def _takes(kind: type) -> str:
    return ", ".join(field.encode_name for field in msgspec.structs.fields(kind))


def fault_of(error: msgspec.ValidationError, values: dict[str, Any], shape: type) -> Fault:
    """The key that a complaint about the top level is about."""
    place = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?", str(error))
    unknown = re.search(r"unknown field `([^`]+)`", str(error))
    if place:
        return Fault(place[1], int(place[2]) if place[2] else None, str(error))
    if unknown:
        return Fault(unknown[1], None, f"unknown key; a scenario has {_takes(shape)}")
    return Fault(next(iter(values), "title"), None, str(error))
