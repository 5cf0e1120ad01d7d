"""Scrubbing lines of JSON as they stand: the private words in them are replaced, and not a byte moves.

Nothing is parsed and written anew. A line is taken apart into its tokens, broken lines too; of a string every word is
replaced but what the protocol says (`harness.incident.protocol`), times, tags and signs of poison. A character that
was written as an escape is an escape again; a text of the same length takes its place, in bytes as well.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeVar

from harness.incident import protocol
from harness.incident.words import UUID, WORD, Words
from threadrebuild.config import Settings
from threadrebuild.transcript.images import PREVIEW_WORDS

T = TypeVar("T")
TRIES = 50
HIT_LONGEST = 40
"""Characters of the longest sign of poison that is kept: a pattern that matches whole sentences would keep those."""

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*(?P<open>"|\\?\Z)|[{}\[\]]|true|false|null|NaN|Infinity|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)'
    r'|(?P<bare>[^\s"{}\[\]:,]+)',
    re.DOTALL,
)
_COLON = re.compile(r"\s*:")
_PIECE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)"
_DIGITS = re.compile(r"\d{4,}")
VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){2}")
_MODEL = re.compile(r"claude-[a-z0-9.-]{1,40}|<synthetic>|unknown")
_KEPT = re.compile(
    rf"(?P<uuid>{UUID.pattern})|{_TIME}|\.(?:jsonl|json|toml|log|service)\b|\b(?:toolu|srvtoolu|msg|req)_|(?<=\")result(?=\"\s*:)"
    rf"|</?(?:{'|'.join(sorted(protocol.TAGS, key=len, reverse=True))})(?=[\s>])"
    rf"|(?<=\s)(?:{'|'.join(protocol.LABELS)})(?==\")"
)
_SHOWN = re.compile("|".join(PREVIEW_WORDS), re.IGNORECASE)


class ScrubFault(ValueError):
    """What cannot be scrubbed without keeping private words or changing what is read; the message says why."""


class Again(Exception):
    """An invented word reads like a sign of poison or a known tool: all are to be invented anew."""


@dataclass(frozen=True)
class Scrubber:
    """Replaces words in lines, texts and names of one archive.

    `replace` is asked for each word and gives one of the same length, `uuid` for each UUID.
    """

    settings: Settings
    replace: Callable[[str], str]
    uuid: Callable[[str], str]

    def line(self, line: bytes) -> bytes:
        """One line of a transcript, whole or broken."""
        text = line.decode("utf-8", "surrogateescape")
        made: list[str] = []
        keys: list[str] = [""]
        at = 0
        for token in _TOKEN.finditer(text):
            made += (text[at : token.start()], self._token(text, token, keys))
            at = token.end()
        return "".join((*made, text[at:])).encode("utf-8", "surrogateescape")

    def _token(self, text: str, token: re.Match[str], keys: list[str]) -> str:
        """`keys` holds the key that each object or list around is the value of, and last the current one."""
        found = token[0]
        if found in ("{", "["):
            keys.append(keys[-1])
        elif found in ("}", "]"):
            if len(keys) > 1:
                keys.pop()
        elif token["number"]:
            return found if keys[-1] in protocol.NUMBERS else _DIGITS.sub(lambda digits: self.replace(digits[0]), found)
        elif token["bare"]:
            return self.text(found)
        elif found.startswith('"'):
            is_key = _COLON.match(text, token.end()) is not None
            end = len(found) - (token["open"] == '"')
            inside = found[1:end]
            if is_key:
                keys[-1] = _decoded(inside)
                return found if keys[-1] in protocol.KEYS else f'"{self._string(inside, "")}{found[end:]}'
            return f'"{self._string(inside, keys[-1])}{found[end:]}'
        return found

    def _string(self, inside: str, key: str) -> str:
        """What stands between the quotes of a string, escapes included."""
        if "\\" not in inside:
            return self.value(key, inside)
        pieces = _PIECE.findall(inside)
        old = "".join(map(_char, pieces))
        new = self.value(key, old)
        return "".join(
            piece if before == after else _written(piece, after)
            for piece, before, after in zip(pieces, old, new, strict=True)
        )

    def value(self, key: str, text: str) -> str:
        """The value of a key, as decoded text."""
        if text in protocol.TEXTS or (key in protocol.VALUE_KEYS and text in protocol.VALUES):
            return text
        if key == "version" and VERSION.fullmatch(text):
            return text
        if key in ("model", "modelId", "requestedModel") and _MODEL.fullmatch(text):
            return text
        return self._tool(text) if key == "name" else self.text(text)

    def _tool(self, name: str) -> str:
        """The name of a tool, perhaps: what the reader knows it by stays."""
        if name in protocol.TOOLS or self._speaks(name):
            return name
        shown = [(each.start(), each.end(), each[0]) for each in _SHOWN.finditer(name)]
        new = self.text(name, shown)
        if self._speaks(new) or len(_SHOWN.findall(new)) != len(shown):
            raise Again
        return new

    def _speaks(self, name: str) -> bool:
        return any(fnmatchcase(name, each) for each in (*self.settings.reply_tools, *self.settings.fetch_tools))

    def text(self, text: str, kept: Iterable[tuple[int, int, str]] = ()) -> str:
        """Free text: every word of it but times, tags, labels and signs of poison, and the spans that are `kept`."""
        hits = _hits(self.settings, text)
        if any(end - start > HIT_LONGEST for start, end, _ in hits):
            raise ScrubFault(f"poison_pattern matches more than {HIT_LONGEST} characters, which would have to be kept")
        spans = [*kept, *hits]
        for match in _KEPT.finditer(text):
            spans.append((match.start(), match.end(), self.uuid(match[0]) if match["uuid"] else match[0]))
        made: list[str] = []
        at = 0
        for start, end, new in sorted(spans):
            if start >= at:
                made += (self._words(text[at:start]), new)
                at = end
        new = "".join((*made, self._words(text[at:])))
        if hits != _hits(self.settings, new):
            raise Again
        return new

    def _words(self, text: str) -> str:
        return WORD.sub(lambda match: self.replace(match[0]), text)


def collected(settings: Settings, lines: Iterable[bytes]) -> dict[str, None]:
    """Every word that scrubbing these lines would replace, in order."""
    seen: dict[str, None] = {}

    def note(word: str) -> str:
        seen[word] = None
        return word

    scrubber = Scrubber(settings, note, lambda uuid: uuid)
    for line in lines:
        scrubber.line(line)
    return seen


def scrub_lines(lines: list[bytes], settings: Settings, key: bytes) -> list[bytes]:
    """The lines of one transcript, scrubbed; the same lines and key give the same bytes. Raises `ScrubFault`."""
    seen = collected(settings, lines)

    def made(words: Words) -> list[bytes]:
        scrubber = Scrubber(settings, words.word, words.uuid)
        return [scrubber.line(line) for line in lines]

    return invented(made, seen, key)


def invented(made: Callable[[Words], T], seen: Iterable[str], key: bytes) -> T:
    """What `made` makes with invented words, with others where those would be read as something else.

    Raises `ScrubFault`.
    """
    for attempt in range(TRIES):
        try:
            return made(Words(key + bytes([attempt]), seen, protocol.protocol_words()))
        except Again:
            continue
    raise ScrubFault("poison_pattern or reply_tools match whatever is invented; set narrower ones for scrubbing")


def _hits(settings: Settings, text: str) -> list[tuple[int, int, str]]:
    found = re.finditer(settings.poison_pattern, text, re.IGNORECASE)
    return [(match.start(), match.end(), match[0]) for match in found if match[0]]


def _decoded(inside: str) -> str:
    return "".join(map(_char, _PIECE.findall(inside))) if "\\" in inside else inside


def _char(piece: str) -> str:
    """The character that a piece of a string stands for; an escape that is none stands for no letter."""
    if len(piece) == 1:
        return piece
    try:
        char = json.loads(f'"{piece}"')
    except ValueError:
        return "\\"
    return char if len(char) == 1 else "\\"


def _written(piece: str, char: str) -> str:
    """A character written as the one before it was."""
    if len(piece) == 1:
        return char
    units = char.encode("utf-16-be")
    codes = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    if piece[2:].upper() == piece[2:] and piece[2:].lower() != piece[2:]:
        codes = [code.upper() for code in codes]
    return "".join(f"\\u{code}" for code in codes)
