"""Invented words: each private word gets one of the same length and script, the same wherever it stands.

What a word becomes follows from a key that is itself made from everything private in the archive. Whoever has the
archive can make the same words again; whoever has only the result, and this code, cannot get back. Two words never
become the same one, so that what was different stays different.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import shake_256
from itertools import islice, product

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe"
HANGUL = "\uac00-\ud7ff"
EMOJI = "\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
WORD = re.compile(f"[{HAN}]+|[{KANA}]+|[{HANGUL}]+|[{EMOJI}]|(?:(?![{HAN}{KANA}{HANGUL}])[^\\W_])+")
"""A word: a run of letters and digits of one script. Combining marks and punctuation stay as they are."""
UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
PRIVATE_LEAST = 4
"""Characters of a word that must not survive; shorter ones are found in any text."""
STANDS_ALONE = range(2, 5)
"""Characters of a Han run that is taken for a word of its own, also within longer runs: Chinese has no blanks."""
TRIES = 200
_WIDE = (range(0x4E00, 0x9FA6), range(0x3400, 0x4DB6), range(0x20000, 0x2A6D7), range(0x1F1E6, 0x1F200))
_HAN_RUN = re.compile(f"[{HAN}]+")


class Words:
    """The replacements of one archive, made as they are asked for. `seen` are all its words, in order."""

    def __init__(self, key: bytes, seen: Iterable[str], protocol: frozenset[str]) -> None:
        self._key = key
        self._protocol = protocol
        self._made: dict[str, str] = {}
        self._taken: set[str] = set()
        self._words = {word.casefold() for word in seen}
        long = [word for word in self._words if len(word) >= PRIVATE_LEAST and word not in protocol]
        self._beginnings = {word[:PRIVATE_LEAST] for word in long}
        self._alone = {word for word in self._words if len(word) in STANDS_ALONE and _HAN_RUN.fullmatch(word)}

    def give(self, word: str, new: str) -> None:
        """Settle what a word or UUID becomes, before it is asked for: one that follows from others."""
        self._made[word] = new
        self._taken.add(new)

    def word(self, word: str) -> str:
        """What a word becomes: as many characters, each of its own class; case is kept."""
        if _HAN_RUN.fullmatch(word):
            return "".join(map(self._one, self._parted(word)))
        if not word.isascii() or word in self._made:
            return self._one(word)
        made = self._one(word.lower())
        return "".join(new.upper() if old.isupper() else new for old, new in zip(word, made, strict=True))

    def uuid(self, uuid: str) -> str:
        """What a UUID becomes: another of the same version and variant."""
        if uuid in self._made:
            return self._made[uuid]
        digits = shake_256(self._key + b"uuid" + uuid.lower().encode()).hexdigest(16)
        made = f"{digits[:8]}-{digits[8:12]}-{uuid[14]}{digits[13:16]}-{uuid[19]}{digits[17:20]}-{digits[20:]}"
        return made.upper() if uuid.upper() == uuid and uuid.lower() != uuid else made

    def _parted(self, run: str) -> Iterator[str]:
        """The words in a Han run: those that stand alone somewhere, and what is between them."""
        begin = at = 0
        while at < len(run):
            size = next((n for n in reversed(STANDS_ALONE) if run[at : at + n] in self._alone), 0)
            if size:
                if begin < at:
                    yield run[begin:at]
                yield run[at : at + size]
                begin = at + size
            at += size or 1
        if begin < at:
            yield run[begin:at]

    def _one(self, word: str) -> str:
        made = self._made.get(word)
        if made is None:
            made = self._made[word] = next(each for each in self._candidates(word) if self._is_free(each))
            self._taken.add(made)
        return made

    def _is_free(self, made: str) -> bool:
        return made not in self._taken and made.casefold() not in self._protocol

    def _candidates(self, word: str) -> Iterator[str]:
        made = (self._drawn(word, number) for number in range(TRIES))
        yield from (each for each in made if len(each) < PRIVATE_LEAST or each.casefold() not in self._words)
        # Few words are so short: all of them in turn, and at the very last the one that is left.
        pools = [_pool(char, place, word) for place, char in enumerate(word)]
        yield from ("".join(each) for each in islice(product(*pools), 1 << 20))
        yield word

    def _drawn(self, word: str, number: int) -> str:
        """A word by chance that holds no beginning of a private word, and no character in its old place."""
        encoded = word.encode("utf-8", "surrogatepass")
        chance = shake_256(self._key + number.to_bytes(2, "big") + encoded).digest(4 * len(word))
        made: list[str] = []
        for place, char in enumerate(word):
            drawn = int.from_bytes(chance[4 * place : 4 * place + 4], "big")
            made.append(self._char(char, _pool(char, place, word), drawn, "".join(made[1 - PRIVATE_LEAST :])))
        return "".join(made)

    def _char(self, char: str, pool: str, drawn: int, before: str) -> str:
        for step in range(min(len(pool), TRIES)):
            new = pool[(drawn + step) % len(pool)]
            if new != char and (before + new).casefold() not in self._beginnings:
                return new
        return pool[drawn % len(pool)]


def _pool(char: str, place: int, word: str) -> str:
    """The characters that may stand for one. A number's first digit stays zero or not, or it would be no number."""
    if place == 0 and char in "0123456789" and word.isdecimal():
        return "0" if char == "0" else "123456789"
    return _class_of(char)


@cache
def _class_of(char: str) -> str:
    """The characters of the same script, kind, case and size in UTF-8, the character itself among them."""
    for first, last in ("09", "az", "AZ"):
        if first <= char <= last:
            return "".join(map(chr, range(ord(first), ord(last) + 1)))
    for wide in _WIDE:
        if ord(char) in wide:
            return "".join(map(chr, wide))
    block = ord(char) & ~0xFF
    return "".join(filter(lambda other: _kind(other) == _kind(char), map(chr, range(block, block + 0x100)))) or char


def _kind(char: str) -> tuple[str, str, int, bool]:
    script = unicodedata.name(char, "").split(" ")[0]
    if unicodedata.category(char) == "So":
        script = ""
    size = len(char.encode("utf-8", "surrogatepass"))
    return script, unicodedata.category(char), size, WORD.fullmatch(char) is not None
