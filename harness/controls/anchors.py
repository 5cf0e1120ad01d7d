"""Anchors: comments that tie a decision point in the code to the rules it carries out (`# TR-042`, `--
HOLD-21`).

An anchor is a comment that holds nothing but ids (parted by blanks or commas; words may follow a colon). It
stands at the end of the line it means, or on a line of its own directly above.
"""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from harness.rules import RULE_ID

LAW = "harness.criteria"
"""The one part of the harness that carries rules itself, and is sabotaged like the package."""
_IDS = re.compile(rf"({RULE_ID}(?:[ ,]+{RULE_ID})*)\s*(?::\s.*)?")


@dataclass(frozen=True)
class Anchor:
    """Where rules are decided. `line` is the comment's line, `at` the line of the code it means (both from
    1).
    """

    rules: tuple[str, ...]
    file: str
    line: int
    at: int

    @property
    def place(self) -> str:
        """`file:line`, as an editor takes it."""
        return f"{self.file}:{self.line}"


def python_anchors(source: str, file: str) -> list[Anchor]:
    """The anchors of a Python module in order of lines. Text in strings is never an anchor.

    Raises `SyntaxError`.
    """
    if re.search(RULE_ID, source) is None:
        return []
    ast.parse(source)
    lines = source.split("\n")
    marks = {
        token.start[0]: (token.string[1:], not lines[token.start[0] - 1][: token.start[1]].strip())
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    return _anchors(lines, marks, "#", file)


def sql_anchors(source: str, file: str) -> list[Anchor]:
    """The anchors of an SQL script in order of lines."""
    lines = source.split("\n")
    found = ((number, re.search(r"--(.*)$", line)) for number, line in enumerate(lines, start=1))
    marks = {number: (match[1], not lines[number - 1][: match.start()].strip()) for number, match in found if match}
    return _anchors(lines, marks, "--", file)


def anchored_files(root: Path, package: str) -> list[Path]:
    """The files that may hold anchors: those of the package, and of the harness's own law."""
    folders = (root / package, root.joinpath(*LAW.split(".")))
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".sql"}]


def _anchors(lines: list[str], marks: dict[int, tuple[str, bool]], sign: str, file: str) -> list[Anchor]:
    anchors: list[Anchor] = []
    for line, (comment, alone) in sorted(marks.items()):
        match = _IDS.fullmatch(comment.strip())
        if match is None:
            continue
        at = _code_below(lines, line, sign) if alone else line
        anchors.append(Anchor(tuple(re.findall(RULE_ID, match[1])), file, line, at))
    return anchors


def _code_below(lines: list[str], line: int, sign: str) -> int:
    below = line + 1
    while below <= len(lines) and lines[below - 1].lstrip().startswith(sign):
        below += 1
    # A blank line below leaves the anchor without code, which the sabotages then refuse by name.
    return below if below <= len(lines) and lines[below - 1].strip() else line
