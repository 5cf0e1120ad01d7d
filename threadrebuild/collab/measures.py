"""Measured numbers: a duration, a resolution, an aspect ratio or a frame rate, as the user's words give them.

They are read by fixed rules and without a model (`figures`). What a film has to be like is reckoned from them here.
"""

from fractions import Fraction

import msgspec

from threadrebuild.collab import figures
from threadrebuild.collab.figure_forms import plain

Item = figures.Item
Bound = figures.Bound
TENTH = Fraction(1, 10)  # WORDS-22
RATIO_OFF = Fraction(1, 100)  # WORDS-22
NAMES: dict[str, str] = {"duration": "时长", "resolution": "分辨率", "aspect": "画幅", "frame_rate": "帧率"}
SHAPES = {"portrait": "竖屏", "landscape": "横屏"}


class Measure(msgspec.Struct, frozen=True):
    """One number that was said: seconds, the short side in pixels, a ratio or a shape, frames a second."""

    item: Item
    value: str
    bound: Bound = "bare"


class Seen(msgspec.Struct, frozen=True):
    """What was measured of a film, as it plays: seconds, pixels after rotation, frames a second; None is unreadable."""

    duration: float | None = None
    width: int | None = None
    height: int | None = None
    frame_rate: float | None = None


def in_words(text: str, line: str = "") -> list[Measure]:
    """The measured numbers that words of the user give, in their order; `line` is the whole line that they stand in."""
    return [measure_of(figure) for figure in figures.given(text, line)]


def the_one(text: str, line: str = "") -> Measure | None:
    """The measured number of words that give exactly one."""
    found = in_words(text, line)
    return found[0] if len(found) == 1 else None  # REQ-10


def states_only(text: str) -> bool:
    """Whether words of the user say nothing but one measured number; a ratio needs no word for the frame then."""
    return figures.nothing_else(text)  # SCRB-10


def measure_of(figure: figures.Figure) -> Measure:
    """What a figure found in words says."""
    return Measure(figure.item, figure.value, figure.bound)


def same(one: Measure, other: Measure) -> bool:
    """Whether two measured numbers say the same: the same value and the same bound, where about is as good as bare."""
    if one.item != other.item or (_number(one) or one.value) != (_number(other) or other.value):
        return False
    return _bound(one) == _bound(other)


def limits(measure: Measure) -> tuple[Fraction | None, Fraction | None]:
    """The least and the most that a film may have, of an aspect its width by its height; None is no limit."""
    number = _number(measure)
    if number is None:
        return (None, Fraction(1)) if measure.value == "portrait" else (Fraction(1), None)
    off = number * (RATIO_OFF if measure.item == "aspect" else TENTH)
    match measure.bound:
        case "at_least":  # WORDS-22
            return number, None
        case "at_most":  # WORDS-22
            return None, number
    return number - off, number + off


def meets(measure: Measure, seen: Seen) -> bool | None:
    """Whether a film is what was said; None where what counts for it could not be read."""
    value = of(measure.item, seen)
    if value is None:
        return None
    if measure.value in SHAPES:  # WORDS-22
        return value < 1 if measure.value == "portrait" else value > 1
    least, most = limits(measure)
    return (least is None or value >= least) and (most is None or value <= most)


def of(item: Item, seen: Seen) -> Fraction | None:
    """What was measured of one item: seconds, the short side, width by height, frames a second."""
    if item in ("duration", "frame_rate"):
        number = seen.duration if item == "duration" else seen.frame_rate
        return None if number is None else Fraction(number)
    if not seen.width or not seen.height:
        return None
    if item == "aspect":
        return Fraction(seen.width, seen.height)
    return Fraction(seen.height if seen.height < seen.width else seen.width)  # WORDS-22


def worded(measure: Measure) -> str:
    """What was said, such as `时长约 2 分钟`."""
    if measure.item == "aspect":
        return SHAPES.get(measure.value) or f"画幅 {measure.value}"
    words = {"bare": " ", "about": "约 ", "at_least": "至少 ", "at_most": "不超过 "}
    return f"{NAMES[measure.item]}{words[measure.bound]}{_said(measure)}"


def limits_worded(measure: Measure) -> str:
    """What a film has to be like, such as `时长 108–132 秒`."""
    if measure.item == "aspect":
        return worded(measure)
    least, most = (None if limit is None else plain(limit) for limit in limits(measure))
    name = "分辨率短边" if measure.item == "resolution" else NAMES[measure.item]
    unit = " 秒" if measure.item == "duration" else ""
    if least is None or most is None:
        return f"{name}{'不超过' if least is None else '至少'} {least or most}{unit}"
    return f"{name} {least}–{most}{unit}"


def seen_worded(item: Item, seen: Seen) -> str:
    """What was measured of one item, such as `107.00 秒`; empty where it could not be read."""
    value = of(item, seen)
    if value is None:
        return ""
    if item in ("aspect", "resolution"):
        return f"{seen.width}×{seen.height}"
    return f"{float(value):.2f}{' 秒' if item == 'duration' else ''}"


def _bound(measure: Measure) -> str:
    return "bare" if measure.bound == "about" else measure.bound  # WORDS-15


def _number(measure: Measure) -> Fraction | None:
    """The value as a number, a ratio as its width by its height; None for a mere shape."""
    if measure.value in SHAPES:
        return None
    over, _, under = measure.value.partition(":")
    return Fraction(over) / Fraction(under or "1")


def _said(measure: Measure) -> str:
    if measure.item == "resolution":
        return f"{measure.value}p"
    seconds = Fraction(measure.value)
    if measure.item == "duration":
        return f"{plain(seconds / 60)} 分钟" if seconds % 60 == 0 else f"{measure.value} 秒"
    return measure.value
