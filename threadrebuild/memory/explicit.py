"""The server's judgement on a time label: five forms are explicit, and nothing else is.

Until it was widened it knew only the form with a year. A chat shows that one so rarely that the judgement was almost
never true, and no history was kept. The device reads labels by code of its own; both share their cases.

What the widening costs: a label of the other four forms names a moment only together with the day on which it was read,
which the server takes from the device and cannot check. A device with a wrong clock dates its history wrongly.
"""

import re

_CLOCK = r"(?:[01]?[0-9]|2[0-3])[:：][0-5][0-9]"
_HALF_DAY_CLOCK = r"(?:0?[1-9]|1[01])[:：][0-5][0-9]"
_MONTH_DAY = r"(?:0?[1-9]|1[0-2]){}(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR_FIRST = rf"[0-9]{{4}}(?:-{_MONTH_DAY.format('-')}|/{_MONTH_DAY.format('/')}|年{_MONTH_DAY.format('月')}日)"
_WEEKDAY = r"(?:星期|周)[一二三四五六日天]"

DATED = "a date with its year"
FORMS = {
    DATED: re.compile(rf"{_YEAR_FIRST}(?:\s+{_CLOCK})?"),  # MC-16 MC-27
    "month, day and clock": re.compile(rf"{_MONTH_DAY.format('月')}日\s*{_CLOCK}"),  # MC-17 MC-27
    "relative day and clock": re.compile(rf"(?:今天|昨天|前天)\s*{_CLOCK}"),  # MC-18 MC-27
    "bare clock": re.compile(_CLOCK),  # MC-19 MC-27
    "weekday, part of the day and clock": re.compile(  # MC-20 MC-27
        rf"{_WEEKDAY}\s*(?:上午|下午|晚上)\s*{_HALF_DAY_CLOCK}"
    ),
}


def form_of(label: str) -> str | None:
    """The form of a label; None where it has none, as `刚刚`."""
    return next((form for form, pattern in FORMS.items() if pattern.fullmatch(label.strip())), None)


def is_explicit(label: str) -> bool:
    """Whether a label says when."""
    return form_of(label) is not None  # MC-15
