"""People's text made safe to look at: what cannot be seen gets a labelled mark, so that a page cannot lie.

Line feeds, tabs and the joiners inside emoji stay as they are; controls, bidi overrides, zero-width and odd
spaces, private-use characters and lone surrogates are named instead of being drawn.
"""

import re
import unicodedata
from typing import Any

from markupsafe import Markup, escape

NAMES = {
    0x00: "NUL", 0x07: "BEL", 0x08: "BS", 0x09: "TAB", 0x0A: "LF", 0x0B: "VT", 0x0C: "FF", 0x0D: "CR",
    0x1B: "ESC", 0x7F: "DEL", 0x85: "NEL", 0xA0: "NBSP", 0xAD: "SHY", 0x034F: "CGJ", 0x061C: "ALM",
    0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM", 0x2028: "LS", 0x2029: "PS",
    0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ", 0x2066: "LRI",
    0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM",
}  # fmt: skip

# Ranges, not unicodedata categories: a month of talk is scanned in one C pass, not a character at a time.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ue000-\uf8ff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)
UNSEEN_OR_BREAK = re.compile(f"{UNSEEN.pattern}|[\t\n]")


def show(text: str, line_ends: bool = False) -> Markup:
    """`text` as HTML: escaped, each unseen character as a `<span class="ctl">` that carries its name.

    With `line_ends`, tabs and line feeds are named as well, before they take effect.
    """
    parts: list[Markup] = []
    done = 0
    for found in (UNSEEN_OR_BREAK if line_ends else UNSEEN).finditer(text):
        if _joins_emoji(text, found.start()):
            continue
        parts.append(escape(text[done : found.start()]))
        label, title = label_of(found[0]), _title(found[0])
        parts.append(Markup('<span class="ctl" title="{}">{}</span>').format(title, label))
        done = found.start() if found[0] in "\t\n" else found.end()
    parts.append(escape(text[done:]))
    return Markup("").join(parts)


def plain(value: Any) -> Any:
    """What a template prints outside `show`: strings with unseen characters named in ⟨⟩, None as a dash.

    Safe in attribute values as well, since the result is still escaped; other values pass through.
    """
    if value is None:
        return "–"
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return UNSEEN.sub(
        lambda found: found[0] if _joins_emoji(value, found.start()) else f"⟨{label_of(found[0])}⟩", value
    )


def label_of(character: str) -> str:
    """The short name of a character, as in `RLO`, or its number, as in `U+E0041`."""
    return NAMES.get(ord(character), f"U+{ord(character):04X}")


def _title(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"


def _joins_emoji(text: str, at: int) -> bool:
    """Whether the character is a joiner or an emoji style mark in a place where it only shapes a picture."""
    if text[at] == "\ufe0f":
        return at > 0 and (unicodedata.category(text[at - 1]) == "So" or text[at - 1] in "0123456789#*‼⁉↔↕")
    if text[at] == "\u200d":
        return at > 0 and _pictures(text[at - 1]) and _pictures(text[at + 1 : at + 2])
    return False


def _pictures(character: str) -> bool:
    return bool(character) and (character == "\ufe0f" or unicodedata.category(character) in ("So", "Sk", "Sm"))
