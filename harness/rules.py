"""The rule catalogue: every row of the tables in `scenarios/rules/*.md`, by its id, and the rules that are
excepted.

A row that cannot be read as a rule is refused with file, line and reason, so that no rule is lost to a typing
slip.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tomli

RULE_ID = r"[A-Z]{2,}-[A-Z]?[0-9]+"
FULL_ROW = ("id", "level", "rule", "numbers", "incident", "fires when")
PHRASE_ROWS = (
    ("id", "phrase (verbatim)", "must read as"),
    ("id", "group", "words (verbatim)"),
    ("id", "file or folder", "measured"),
)
NOTHING = {"", "–", "—", "-"}
# What design.md bars from exceptions: holds, release, loss, delivery, invariants.
NEVER_EXCEPTED = re.compile(
    r"\b(?:holds?|held|holding|releas\w*|los[est]\w*|loss\w*|deliver\w*|invariants?)\b", re.IGNORECASE
)


class CatalogueError(Exception):
    """The catalogue, or something that names its rules, is wrong; one line for each fault: file:line:
    reason.
    """


@dataclass(frozen=True)
class Rule:
    """One row. `file` and `line` say where it stands; a cell that holds only a dash is empty here."""

    id: str
    level: str
    text: str
    numbers: str
    incident: str
    fires_when: str
    file: str
    line: int
    presentation: bool


@dataclass(frozen=True)
class Excepted:
    """A rule that no check has to prove, and why."""

    kind: Literal["presentation", "conduct"]
    reason: str


def read_rules(folder: Path) -> dict[str, Rule]:
    """All rules of the folder's markdown tables whose first column is `id`, in the order of files and rows.

    Raises `CatalogueError` for a duplicate id, a malformed row and a table whose columns are not known.
    """
    rules: dict[str, Rule] = {}
    faults: list[str] = []
    for path in sorted(folder.glob("*.md")):
        for rule in _rules_of(path, faults):
            if rule.id in rules:
                first = rules[rule.id]
                faults.append(f"{path}:{rule.line}: {rule.id} stands at {first.file}:{first.line} already")
            rules.setdefault(rule.id, rule)
    if faults:
        raise CatalogueError("\n".join(faults))
    return rules


def read_exceptions(path: Path, rules: dict[str, Rule]) -> dict[str, Excepted]:
    """The excepted rules: a table for each id with `kind` ("presentation" | "conduct") and `reason`.

    Raises `CatalogueError` for bad TOML, an unknown id, another kind, no reason, and for a rule that may not
    be excepted: one with an incident, or one that speaks of holds, release, loss, delivery or an invariant.
    """
    if not path.exists():
        return {}
    source = path.read_text(encoding="utf-8")
    try:
        entries = tomli.loads(source)
    except tomli.TOMLDecodeError as error:
        raise CatalogueError(f"{path}:{error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise CatalogueError(f"{path}: {error}") from None
    faults: list[str] = []
    excepted: dict[str, Excepted] = {}
    for id_, entry in entries.items():
        fault = _fault_of_exception(entry, rules.get(id_))
        if fault is None:
            excepted[id_] = Excepted(entry["kind"], entry["reason"])
        else:
            faults.append(f"{path}:{_line_of_table(source, id_)}: {id_}: {fault}")
    if faults:
        raise CatalogueError("\n".join(faults))
    return excepted


def selected(id_: str, prefix: str | None) -> bool:
    """Whether a rule falls under a prefix: `TR` takes `TR-…`, `TR-L` takes `TR-L…`, None takes all."""
    return prefix is None or id_.startswith(prefix if "-" in prefix else f"{prefix}-")


def _rules_of(path: Path, faults: list[str]) -> list[Rule]:
    found: list[Rule] = []
    columns: tuple[str, ...] | None = None
    presentation_depth = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if heading := re.match(r"(#+)\s+(.*)", line):
            depth = len(heading[1])
            if heading[2].strip() == "Presentation only":
                presentation_depth = depth
            elif depth <= presentation_depth:
                presentation_depth = 0
        cells = _cells(line)
        if cells is None:
            columns = None
            # A row that lost its opening pipe would otherwise vanish from the catalogue.
            if re.match(rf"{RULE_ID} \|", line):
                faults.append(f"{path}:{number}: a row must begin with a pipe")
        elif columns is None:
            columns = tuple(cells)
            if re.fullmatch(RULE_ID, cells[0]):
                faults.append(f"{path}:{number}: {cells[0]} stands outside of a table: no header row above it")
            elif cells[0] == "id" and columns != FULL_ROW and columns not in PHRASE_ROWS:
                faults.append(f"{path}:{number}: unknown columns {', '.join(columns)}")
        elif columns[0] == "id" and not all(re.fullmatch(":?-+:?", cell) for cell in cells):
            fault = _fault_of_row(cells, columns)
            if fault is None:
                found.append(_rule(cells, columns, path, number, presentation_depth > 0))
            else:
                faults.append(f"{path}:{number}: {fault}")
    return found


def _cells(line: str) -> list[str] | None:
    if not line.startswith("|"):
        return None
    parts = re.split(r"(?<!\\)\|", line.rstrip())
    closed = parts[-1] == ""
    return [part.strip().replace("\\|", "|") for part in parts[1 : -1 if closed else None]]


def _fault_of_row(cells: list[str], columns: tuple[str, ...]) -> str | None:
    if len(cells) != len(columns):
        return f"{cells[0] or 'a row'} has {len(cells)} cells, the table has {len(columns)} columns"
    if not re.fullmatch(RULE_ID, cells[0]):
        return f"{cells[0]!r} is no rule id (prefix, dash, number: TR-042, TR-L01)"
    empty = [name for name, cell in zip(columns, cells, strict=True) if name in {"level", "rule"} and not cell]
    return f"{cells[0]} has an empty cell: {', '.join(empty)}" if empty else None


def _rule(cells: list[str], columns: tuple[str, ...], path: Path, line: int, presentation: bool) -> Rule:
    if columns != FULL_ROW:
        # A row of a phrase table: what is said, and what it must read as.
        return Rule(cells[0], "all", f"{cells[1]}: {cells[2]}", "", "", "", path.name, line, presentation)
    id_, level, text, numbers, incident, fires_when = ("" if cell in NOTHING else cell for cell in cells)
    return Rule(id_, level, text, numbers, incident, fires_when, path.name, line, presentation)


def _fault_of_exception(entry: object, rule: Rule | None) -> str | None:
    if rule is None:
        return "no such rule in the catalogue"
    if not isinstance(entry, dict) or set(entry) != {"kind", "reason"}:
        return "needs exactly `kind` and `reason`"
    if entry["kind"] not in ("presentation", "conduct"):
        return f'kind must be "presentation" or "conduct", not {entry["kind"]!r}'
    if not isinstance(entry["reason"], str) or not entry["reason"].strip():
        return "needs a reason"
    if rule.incident:
        return f"may not be excepted: it carries an incident ({rule.incident})"
    barred = NEVER_EXCEPTED.search(f"{rule.text} {rule.numbers} {rule.fires_when}")
    return f"may not be excepted: it speaks of {barred[0]!r}" if barred else None


def _line_of_table(source: str, id_: str) -> int:
    for number, line in enumerate(source.split("\n"), start=1):
        if re.match(rf"\s*(?:\[\s*\"?)?{re.escape(id_)}\b", line):
            return number
    return 1
