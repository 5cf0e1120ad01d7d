"""Hypothesis strategies for the words of people and assistant, and for the ways JSON can spell them.

Every text holds a plain word before anything that looks like a tag, so that none is blank or nothing but
runtime blocks.
"""

import json

from hypothesis import strategies as st

_WORDS = ("在吗", "好的", "hello", "看一下这个", "naïve", "続けて", "9 点", "ok", "我们叫它蓝")
_SPACES = (
    *(" ", "  ", "\t", "\n", "\r", "\r\n", "\n\n\n\n\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f"),
    *("\x85", "\xa0", "\u1680", "\u2000", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"),
    *("\u200b", "\ufeff", "\u180e"),
)
_ODDITIES = {
    "control": ("\x00", "\x01", "\x1b[1m", "\x7f", "\x9b"),
    "escape": ("\\", '"', "/", "\\n", "\\u0041", "</script>", "&amp;", "%s", "{}"),
    "astral": ("\U0001f600", "👩\u200d👩\u200d👧", "🇨🇳", "\U0002a6d6", "\U0010ffff"),
    "combining": ("e\u0301", "\u212b", "\u1112\u1161\u11ab", "\u202e"),
    "lone-surrogate": ("\ud83d", "\ude00", "\ude00\ud83d"),
    "tag": (
        "<system-reminder>quoted</system-reminder>",
        "<system-reminder>never closed",
        "</system-reminder>",
        "<command-name>/clear</command-name>",
        "<task-notification>done</task-notification>",
        '<channel source="x">',
        "[Request interrupted by user]",
        "(no content)",
    ),
    "line-break": ("\n", "\r\n", "\u2028", "\u2029"),
}


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A text: plain words, odd pieces between and behind them, and white space of any kind around it."""
    pieces = [draw(st.sampled_from(_WORDS))]
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(sorted(_ODDITIES)))
        pieces += [draw(st.sampled_from(_ODDITIES[kind])), draw(st.sampled_from(("", *_WORDS)))]
    before = draw(st.sampled_from(("", "", "", *_SPACES)))
    after = draw(st.sampled_from(("", "", "", *_SPACES)))
    # Two halves that happen to meet are one sign, in JSON as in UTF-16.
    units = (before + "".join(pieces) + after).encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "surrogatepass")


def blanks() -> st.SearchStrategy[str]:
    """Texts in which there is nothing: empty, or ASCII white space alone."""
    return st.sampled_from(("", " ", "\n", " \t\r\n "))


def kinds_of(text: str) -> set[str]:
    """The names of the odd things in `text`, each with `text:` before it."""
    found = {kind for kind, pieces in _ODDITIES.items() if any(piece in text for piece in pieces)}
    if text != text.strip():
        found.add("outer-space")
    return {f"text:{kind}" for kind in found}


@st.composite
def tokens(draw: st.DrawFn, text: str) -> str:
    """A JSON string token that decodes to `text`, spelled as the CLI never would."""
    spell = draw(st.sampled_from((_ascii, _all_escaped, _solidus, _every_other)))
    return f'"{spell(text)}"'


def _ascii(text: str) -> str:
    return json.dumps(text)[1:-1]


def _all_escaped(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02X}{units[n + 1]:02x}" for n in range(0, len(units), 2))


def _solidus(text: str) -> str:
    return json.dumps(text)[1:-1].replace("/", "\\/")


def _every_other(text: str) -> str:
    return "".join(_all_escaped(sign) if n % 2 else _ascii(sign) for n, sign in enumerate(text))
