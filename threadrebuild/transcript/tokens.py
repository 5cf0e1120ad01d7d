"""JSON string tokens as they stand in a file: decoding, cutting and weighing them without re-encoding.

A token is the raw bytes of a JSON string, quotes included. What is carried is always such a token or, where runtime
blocks were cut off its start, an opening quote and the rest of its bytes.
"""

import json
import math
import re
from collections.abc import Iterable

import msgspec

_DECODER = msgspec.json.Decoder(str)
_CHARACTER = re.compile(
    r"\\u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "\u00b7\u2014\u2018\u2019\u201c\u201d\u2026]"  # dash, dots and quotation marks, full width in Chinese text
)  # TR-044 TR-167
TOKENS_PER_CJK_CHAR = 1.1  # TR-044 TR-167


def decoded(token: bytes) -> str:
    """The text of a token; a lone surrogate escape stays a lone surrogate."""
    try:
        return _DECODER.decode(token)
    except msgspec.DecodeError:
        text = json.loads(token)
        assert isinstance(text, str)
        return text


def has_lone_surrogate(token: bytes) -> bool:
    """Whether the token holds half a surrogate pair as an escape, which an API refuses."""
    if _ESCAPED_SURROGATE.search(token) is None:
        return False
    return any("\ud800" <= char <= "\udfff" for char in decoded(token))


def piece(token: bytes, start: int, end: int | None = None) -> bytes:
    """Characters `start` to `end` of a token, as they stand, between quotes."""
    first = _byte_of(token, start)
    return b'"' + (token[first:] if end is None else token[first : _byte_of(token, end)] + b'"')


def _byte_of(token: bytes, characters: int) -> int:
    inner = token[1:-1].decode("utf-8")
    at = 0
    for _ in range(characters):
        match = _CHARACTER.match(inner, at)
        assert match is not None
        at = match.end()
    return 1 + len(inner[:at].encode("utf-8"))


def estimated_tokens(text: str, other_char_divisor: float) -> int:
    """How many tokens a text takes, erring high: CJK × 1.1, the rest ÷ the household's divisor (TR-044, TR-046)."""
    cjk = 0 if text.isascii() else len(_CJK.findall(text))
    return math.ceil(cjk * TOKENS_PER_CJK_CHAR + (len(text) - cjk) / other_char_divisor)  # TR-044 TR-167


def calibrated_divisor(context_reading: int, fixed_load: int, texts: Iterable[str]) -> float:
    """The household's divisor for all but CJK, solved from the host's own reading (TR-045, TR-046).

    `context_reading` is the first context reading after a rebuild in tokens, `fixed_load` what the host shows for
    system prompt, tools and files, `texts` all that was carried. Raises ValueError where the reading leaves
    no room.
    """
    cjk = other = 0
    for text in texts:
        found = len(_CJK.findall(text))
        cjk += found
        other += len(text) - found
    left = context_reading - fixed_load - cjk * TOKENS_PER_CJK_CHAR  # TR-045
    if left <= 0 or not other:
        raise ValueError("the reading leaves no tokens for text that is not CJK: nothing to solve from")
    return other / left
