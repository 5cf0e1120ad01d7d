"""What the host and the reader say themselves: the words that a scrubbed recording keeps, because they are nobody's.

The host's lie in `known.toml`; a test looks that no key of a recording is missing there. The reader's are its own.
"""

import ast
import re
from functools import cache
from pathlib import Path

import tomli

import threadrebuild
from threadrebuild.transcript.provenance import HOST_ROWS, INTERRUPTIONS, NO_ANSWER, SYNTHETIC
from threadrebuild.transcript.speech import WORDS
from threadrebuild.transcript.tags import RUNTIME_TAGS

_KNOWN: dict[str, list[str]] = tomli.loads(Path(__file__).with_name("known.toml").read_text(encoding="utf-8"))
KEYS = frozenset(_KNOWN["keys"])
NUMBERS = frozenset(_KNOWN["numbers"])
VALUE_KEYS = frozenset(_KNOWN["value_keys"])
VALUES = HOST_ROWS | WORDS | frozenset(_KNOWN["values"])
TOOLS = frozenset(_KNOWN["tools"])
TEXTS = frozenset({*INTERRUPTIONS, NO_ANSWER, SYNTHETIC, "(no content)"})
"""Whole texts that the host writes."""

TAGS = RUNTIME_TAGS | {"channel"}
LABELS = ("source", "chat_id", "message_id", "user", "user_id", "ts")
"""Labels of a channel's envelope."""

_WORD = re.compile(r"[^\W_]+")


@cache
def own_words() -> frozenset[str]:
    """Every word that the program itself says in its records and errors, in lower case."""
    return frozenset(word.lower() for text in own_texts() for word in _WORD.findall(text))


@cache
def own_texts() -> frozenset[str]:
    """Every string that stands in the program's own source: its states, codes, keys and sentences."""
    found: set[str] = set()
    for path in sorted(Path(threadrebuild.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            match node:
                case ast.Constant(value=str() as text):
                    found.add(text)
                case ast.AnnAssign(target=ast.Name(id=name)):
                    found.add(name)
                case _:
                    pass
    return frozenset(found)


@cache
def protocol_words() -> frozenset[str]:
    """The words of all these lists, in lower case: no invented word may be one of them."""
    lists = [*KEYS, *NUMBERS, *VALUES, *TOOLS, *TEXTS, *TAGS, *LABELS, "jsonl", "json", "toml", "log", "mcp"]
    return frozenset(word.lower() for text in lists for word in _WORD.findall(text))
