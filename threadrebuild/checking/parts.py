"""The parts of a work in order: listed by a command, found by a pattern, or one file that is taken apart."""

import re
from html.parser import HTMLParser
from itertools import islice, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from threadrebuild.checking import commands, files, media, running
from threadrebuild.checking.outcome import Unreadable
from threadrebuild.collab.check_bodies import SECONDS, Continuity

VIDEOS = frozenset({".mp4", ".mov", ".m4v", ".webm", ".mkv", ".avi"})
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"})
PAGES = frozenset({".html", ".htm"})
PLAIN = frozenset({".md", ".markdown", ".txt"})
Kind = Literal["video", "picture", "text"]
TEXT_BYTES = 8 << 20
AT_MOST = 200
"""How many parts are looked at, so that a pattern that matches everything comes to an end."""
_DIGITS = 20
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}#{1,2}[ \t]+(.+?)[ \t#]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


class Part(NamedTuple):
    """One part. Of a film `start` and `end` are its span in seconds, None for that of the whole file."""

    name: str
    kind: Kind
    path: Path
    text: str = ""
    start: float | None = None
    end: float | None = None


def of(workspace: Path, body: Continuity, until: float) -> list[Part]:
    """The parts that a continuity check is about. Raises `OutOfBounds`, `Unreadable`, `media.NoProgram`."""
    if body.command:  # CHK-15
        found = _listed(workspace, body.command, body.folder, until)
    elif body.glob:
        found = _matching(workspace, body.glob, body.folder)
        if found and all(_kind(path) == "video" for path in found):  # CHK-15
            # So many versions of one film, cut again and again.
            found = [max(found, key=lambda path: path.stat().st_mtime_ns)]
    else:
        found = [files.place(workspace, body.file, body.folder)]
    if len(found) > AT_MOST:
        raise Unreadable(body.glob or body.command, f"> {AT_MOST}")
    parts = _apart(found[0], until) if len(found) == 1 else [_whole(path) for path in found]
    if len({part.kind for part in parts}) > 1:
        raise Unreadable(parts[0].name, ", ".join(sorted({part.kind for part in parts})))
    return parts


def in_natural_order(name: str) -> list[str]:
    """A key by which C2 comes before C10."""
    pieces = re.findall(r"\d+|\D+", name)
    return [each.rjust(_DIGITS, "0") if each.isdecimal() else each for each in pieces]  # CHK-15


def split_text(text: str, name: str) -> list[tuple[str, str]]:
    """Markdown and plain text by their headings of the first and second level: names and texts."""
    found: list[tuple[str, list[str]]] = [(name, [])]
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        title = None if fence else _title(line, found[-1][1])
        if title:  # CHK-15
            found.append((title, []))
        else:
            found[-1][1].append(line)
    return [(title, "\n".join(lines).strip()) for title, lines in found if title != name or "".join(lines).strip()]


def split_page(page: str, name: str) -> list[tuple[str, str]]:
    """HTML by its `h1` and `h2`: names and texts, without marks."""
    reader = _Page(name)
    reader.feed(page)
    reader.close()
    found = [(" ".join("".join(title).split()), "".join(text).strip()) for title, text in reader.parts]
    return [(title or name, text) for title, text in found[:1] if text] + found[1:]


def _listed(workspace: Path, command: str, folder: str, until: float) -> list[Path]:
    ended = commands.run(workspace, command, folder, min(SECONDS, running.left(until)))
    if ended.code != 0 or ended.is_cut:
        raise Unreadable(command, ended.tail.strip()[-200:] or str(ended.code))
    lines = [line.strip() for line in ended.output.decode(errors="replace").splitlines()]
    return [_file(workspace, line, folder) for line in lines if line]


def _matching(workspace: Path, pattern: str, folder: str) -> list[Path]:
    at = files.place(workspace, folder or ".")
    files.stays(workspace, pattern, folder)
    try:
        # One more than are looked at, which tells that there are more.
        found = list(islice((path for path in at.glob(pattern) if path.is_file()), AT_MOST + 1))
    except (ValueError, NotImplementedError, OSError) as error:
        raise Unreadable(pattern, str(error)) from None
    names = sorted((str(path.relative_to(at)) for path in found), key=in_natural_order)
    return [files.place(workspace, name, folder) for name in names]


def _file(workspace: Path, path: str, folder: str) -> Path:
    found = files.place(workspace, path, folder)
    if not found.is_file():
        raise Unreadable(path, "missing")
    return found


def _kind(path: Path) -> Kind:
    ending = path.suffix.lower()
    if ending in VIDEOS | PICTURES:
        return "video" if ending in VIDEOS else "picture"
    if ending in PAGES | PLAIN:
        return "text"
    raise Unreadable(path.name, f"no parts in {ending or 'this'}")


def _whole(path: Path) -> Part:
    kind = _kind(path)
    if kind != "text":
        return Part(path.stem, kind, path)
    text = _text(path)
    if path.suffix.lower() in PAGES:
        text = "\n\n".join(f"{title}\n{said}".strip() for title, said in split_page(text, ""))
    return Part(path.stem, kind, path, text.strip())


def _apart(path: Path, until: float) -> list[Part]:
    """The parts of one file."""
    if not path.is_file():
        raise Unreadable(path.name, "missing")
    match _kind(path):
        case "picture":
            return [Part(path.stem, "picture", path)]
        case "video":  # CHK-15
            edges = [None, *media.cuts(path, until), None]
            spans = pairwise(edges)
            return [Part(f"{number}", "video", path, "", *span) for number, span in enumerate(spans, 1)]
    split = split_page if path.suffix.lower() in PAGES else split_text  # CHK-15
    return [Part(title, "text", path, text) for title, text in split(_text(path), path.stem)]


def _text(path: Path) -> str:
    if path.stat().st_size > TEXT_BYTES:
        raise Unreadable(path.name, f"> {TEXT_BYTES >> 20} MB")
    return path.read_text(encoding="utf-8", errors="replace")


def _title(line: str, before: list[str]) -> str | None:
    """The heading that a line is; of one that underlines the line before, that line, which it takes away there."""
    found = _HEADING.match(line)
    if found:
        return found[1].strip()
    if _UNDERLINE.match(line) and before and before[-1].strip() and (len(before) == 1 or not before[-2].strip()):
        return before.pop().strip()
    return None


class _Page(HTMLParser):
    """A page's text, apart at its headings of the first and second level."""

    HEADINGS = ("h1", "h2")
    UNSEEN = ("script", "style", "template", "head")

    def __init__(self, name: str) -> None:
        super().__init__()
        self.parts: list[tuple[list[str], list[str]]] = [([name], [])]
        self._in_heading = False
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unseen += tag in self.UNSEEN
        if tag in self.HEADINGS:
            self.parts.append(([], []))
            self._in_heading = True

    def handle_endtag(self, tag: str) -> None:
        self._unseen -= tag in self.UNSEEN and self._unseen > 0
        self._in_heading &= tag not in self.HEADINGS

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.parts[-1][0 if self._in_heading else 1].append(data)
