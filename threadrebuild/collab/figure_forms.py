"""The forms in which a duration, a resolution, an aspect or a frame rate is written, each with its value.

A form says what a number would be. Whether it is said of a film at all is for those who read the words around it.
"""

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
NUMERAL = rf"[0-9]{{1,6}}(?:\.[0-9]{{1,3}})?|[{''.join(DIGITS)}十百]{{1,7}}"
LENGTH = r"(?<!渲染)(?<!导出)(?<!上传)(?<!下载)(?<!等待)(?<!排队)(?:片长|时长|总长|全长|长度)"
SECONDS = {"小时": 3600, "钟头": 3600, "分钟": 60, "分": 60, "m": 60, "秒钟": 1, "秒": 1, "s": 1}
BARE_MINUTES = ("分", "m")
SHORT_SIDE = {"2": 1440, "4": 2160, "5": 2880, "8": 4320}
SHAPES = {"竖屏": "portrait", "横屏": "landscape"}  # REQ-13
_FRAME = re.compile("画幅|比例|屏|宽高比|长宽比|纵横比")
_AMOUNT = re.compile(
    rf"(?<![\d.几数多A-Za-ln-z_])(?P<number>{NUMERAL}|半)\s*个?(?P<half>半)?\s*"
    r"(?P<unit>小时|钟头|分钟|秒钟|秒|分(?![钟辨镜段享屏类组])|[ms](?![A-Za-z]))(?P<and_half>半钟?(?=$|[\s左上以之内的吧就]))?"
)
_HEIGHT = re.compile(r"(?<![\w.])([1-9][0-9]{2,3})\s*p(?![A-Za-z0-9])", re.IGNORECASE)
_SIZE = re.compile(r"(?<![\w.])([1-9][0-9]{2,4})\s*[x×*]\s*([1-9][0-9]{2,4})p?(?![A-Za-z0-9])", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\w.])([0-9])\s*k(?![A-Za-z0-9])", re.IGNORECASE)
_NAMED_HEIGHT = re.compile(r"(?<![\w.:×*])([1-9][0-9]{2,3})(?!\s*[\d.:×*%秒分帧字年月pkxm])", re.IGNORECASE)
_RATIO = re.compile(
    r"(?<![\w.:])([1-9][0-9]?(?:\.[0-9]{1,2})?)\s*[:比x×]\s*([1-9][0-9]?(?:\.[0-9]{1,2})?)(?![\d.:])", re.IGNORECASE
)
_SHAPE = re.compile("|".join(SHAPES))
_PER_SECOND = re.compile(rf"每秒(?:钟|为|是)?\s*({NUMERAL})\s*帧")  # REQ-14
_FPS = re.compile(r"(?<![\w.])([1-9][0-9]{0,2}(?:\.[0-9]{1,3})?)\s*fps(?![A-Za-z])", re.IGNORECASE)  # REQ-14
_NAMED_RATE = re.compile(r"(?<![\w.:])([1-9][0-9]{0,2}(?:\.[0-9]{1,3})?)(?!\s*[\d.:%秒分k]|\s*fps)", re.IGNORECASE)


class Form(NamedTuple):
    """A number as it is written: what it would measure, its value, and where it stands."""

    item: str
    value: str
    begin: int
    end: int


def normal(text: str) -> str:
    """A text with full and half width alike, nothing more."""
    return unicodedata.normalize("NFKC", text)


def forms(clause: str, line: str) -> list[Form]:
    """The numbers in a clause of a line, in order; where two forms claim the same place, the first form has it."""
    taken: list[Form] = []
    for form in (*_aspects(clause, line), *_rates(clause), *_resolutions(clause), *_durations(clause)):
        if all(form.end <= other.begin or other.end <= form.begin for other in taken):
            taken.append(form)
    return sorted(taken, key=lambda form: form.begin)


def plain(number: Fraction) -> str:
    """A number in decimals, without zeros that say nothing."""
    text = f"{float(number):.4f}"
    return text.rstrip("0").rstrip(".")


def _durations(clause: str) -> Iterator[Form]:
    """Amounts of time; those that follow each other directly, the greater first, are one."""
    amounts = list(_AMOUNT.finditer(clause))
    at = 0
    while at < len(amounts):
        group = [amounts[at]]
        while at + 1 < len(amounts) and _goes_on(clause, amounts[at], amounts[at + 1]):
            at += 1
            group.append(amounts[at])
        at += 1
        bare = group[-1]["unit"] in BARE_MINUTES and group[-1]["and_half"] != "半钟"
        if bare and not re.search(LENGTH, clause[: group[0].start()]):  # REQ-16
            continue
        values = [_seconds(amount) for amount in group]
        known = [value for value in values if value is not None]
        value = plain(sum(known, Fraction(0))) if len(known) == len(values) else ""
        yield Form("duration", "" if value == "0" else value, group[0].start(), group[-1].end())


def _goes_on(clause: str, amount: re.Match[str], following: re.Match[str]) -> bool:
    between = clause[amount.end() : following.start()].strip()
    return between in ("", "零", "又") and SECONDS[amount["unit"]] > SECONDS[following["unit"]]  # REQ-16


def _seconds(amount: re.Match[str]) -> Fraction | None:
    number = Fraction(1, 2) if amount["number"] == "半" else number_of(amount["number"])
    if number is None:
        return None
    half = Fraction(1, 2) if amount["half"] or amount["and_half"] else 0
    return (number + half) * SECONDS[amount["unit"]]


def number_of(text: str) -> Fraction | None:
    """A number in figures or in Chinese; None for two in a row, such as `一两`, which are a range."""
    if text[0].isascii():
        return Fraction(text)
    text = text.replace("百零", "百")
    if re.search(rf"[{''.join(DIGITS)}]{{2}}", text):  # REQ-11
        return None
    hundreds, _, rest = text.rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    total = 100 * DIGITS.get(hundreds, 1) if "百" in text else 0
    total += 10 * DIGITS.get(tens, 1) if ten else 0
    return Fraction(total + DIGITS.get(ones, 0))


def _resolutions(clause: str) -> Iterator[Form]:
    for found in _SIZE.finditer(clause):
        yield Form("resolution", str(min(int(found[1]), int(found[2]))), *found.span())
    for found in _HEIGHT.finditer(clause):
        yield Form("resolution", found[1], *found.span())
    for found in _THOUSANDS.finditer(clause):
        if found[1] in SHORT_SIDE:
            yield Form("resolution", str(SHORT_SIDE[found[1]]), *found.span())
    for found in _named(_NAMED_HEIGHT, "分辨率", clause):
        yield Form("resolution", found[1], *found.span())


def _aspects(clause: str, line: str) -> Iterator[Form]:
    if _FRAME.search(line):  # REQ-13 WORDS-05
        yield from (Form("aspect", f"{found[1]}:{found[2]}", *found.span()) for found in _RATIO.finditer(clause))
    yield from (Form("aspect", SHAPES[found[0]], *found.span()) for found in _SHAPE.finditer(clause))


def _rates(clause: str) -> Iterator[Form]:
    for found in (*_PER_SECOND.finditer(clause), *_FPS.finditer(clause)):
        number = number_of(found[1])
        if number:
            yield Form("frame_rate", plain(number), *found.span())
    for found in _named(_NAMED_RATE, "帧率", clause):
        yield Form("frame_rate", plain(Fraction(found[1])), *found.span())


def _named(number: re.Pattern[str], name: str, clause: str) -> Iterator[re.Match[str]]:
    """Bare numbers after the word for what they measure, as far as another such word."""
    begin = clause.find(name)
    if begin >= 0:  # REQ-14 WORDS-05
        other = re.search(rf"{LENGTH}|分辨率|画幅|比例|帧率", clause[begin + len(name) :])
        yield from number.finditer(clause, begin, begin + len(name) + other.start() if other else len(clause))
