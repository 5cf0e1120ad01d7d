"""Phrases with a number in them: as they were said, with any other number and thing, and without the word that decides.

A frame holds `{n}` for the number and may hold `{t}` for a thing; what was really said is the frame with its own ones.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from hypothesis import strategies as st

from threadrebuild.collab.measures import Measure

Read = tuple[Measure, ...]
ONES = "零一二三四五六七八九"
SIDES = {"2": "1440", "4": "2160", "8": "4320"}
THINGS = ("产品", "主角", "maker", "夜景", "新品宣传")


class Unit(NamedTuple):
    """A way to write a number: which there are, and what each of them measures."""

    item: Any
    numbers: st.SearchStrategy[str]
    value: Callable[[str], str]


class Phrase(NamedTuple):
    """What is read in a frame: a number of `unit` with `bound`, or nothing (None). `decides` is what makes it so."""

    frame: str
    number: str
    unit: Unit
    bound: Any
    decides: tuple[str, ...]
    thing: str = ""

    def text(self, number: str = "", thing: str = "") -> str:
        """The phrase, as it was said unless another number or thing is given."""
        return self.frame.format(n=number or self.number, t=thing or self.thing)

    def read(self, number: str = "") -> Read:
        """What it has to be read as."""
        if self.bound is None:
            return ()
        return (Measure(self.unit.item, self.unit.value(number or self.number), self.bound),)

    def without(self, number: str = "", thing: str = "") -> str:
        """The phrase without what decides."""
        text = self.text(number, thing)
        for word in self.decides:
            text = text.replace(word, "", 1)
        return text


def chinese(number: int) -> str:
    """A number below a hundred, in Chinese."""
    tens, ones = divmod(number, 10)
    ten = f"{ONES[tens] if tens > 1 else ''}十" if tens else ""
    return f"{ten}{ONES[ones] if ones or not tens else ''}"


def figure(number: str) -> int:
    """A number in figures or Chinese, the way `times` writes it."""
    return int(number) if number.isascii() else next(each for each in range(100) if chinese(each) == number)


def times(seconds: int) -> Unit:
    """Durations in a unit of so many seconds."""
    either = st.integers(1, 99).flatmap(lambda each: st.sampled_from([str(each), chinese(each)]))
    return Unit("duration", either, lambda number: str(figure(number) * seconds))


SECONDS = times(1)
MINUTES = times(60)
HOURS = times(3600)
DECADES = Unit("duration", st.sampled_from([f"{tens}0" for tens in range(2, 10)]), str)
THOUSANDS = Unit("resolution", st.sampled_from(sorted(SIDES)), SIDES.__getitem__)
HEIGHTS = Unit("resolution", st.sampled_from(["480", "720", "1080", "1440", "2160"]), str)
RATIOS = Unit("aspect", st.sampled_from(["16:9", "9:16", "1:1", "4:3", "2.35:1", "21:9"]), str)
SHAPES = Unit("aspect", st.sampled_from(["竖屏", "横屏"]), {"竖屏": "portrait", "横屏": "landscape"}.__getitem__)
RATES = Unit("frame_rate", st.sampled_from(["24", "25", "30", "48", "50", "60", "120"]), str)


def varied(phrases: Iterable[Phrase]) -> st.SearchStrategy[tuple[Phrase, str, str]]:
    """Phrases, each with a number and a thing of its own."""
    return st.sampled_from(list(phrases)).flatmap(
        lambda phrase: st.tuples(st.just(phrase), phrase.unit.numbers, st.sampled_from(THINGS))
    )
