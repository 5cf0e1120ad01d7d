"""The device's reading of a time label: which moment the label means on the clock that stood above it.

It supplies the year or the date that a label leaves out, and no time of day. What it cannot read, or what would lie in
the future, it refuses, with a word on why. Of weekdays the latest one that is not a later day counts.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

NO_FORM = "no form"
NO_CLOCK = "no time of day"
NO_SUCH_TIME = "no such time"
FUTURE = "in the future"

_HOURS_LATER = {"上午": 0, "下午": 12, "晚上": 12}  # MC-20
_DAYS_AGO = {"今天": 0, "昨天": 1, "前天": 2}
_WEEKDAYS = {name: number for number, name in enumerate("一二三四五六日")} | {"天": 6}
_CLOCK = r"(?P<clock>(?P<hour>\d{1,2})[:：](?P<minute>\d{2}))"
# Which twelve o'clock a part of the day would mean is not said.
_HALF_DAY_CLOCK = r"(?P<clock>(?P<hour>0?[1-9]|1[01])[:：](?P<minute>\d{2}))"


@dataclass(frozen=True, slots=True)
class Reading:
    """A label read: `absolute` is YYYY-MM-DD HH:MM, or empty where it is `refused` for a reason."""

    absolute: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to say when: its pattern, and the day that it means as seen from today."""

    pattern: re.Pattern[str]
    day: Callable[[re.Match[str], date], date]


def read_label(label: str, now: datetime) -> Reading:
    """Read a label by `now`, the wall clock of the device that shows it, in the user's zone."""
    for form in FORMS:
        found = form.pattern.fullmatch(label.strip())
        if found is not None:
            return _read(form, found, now.replace(tzinfo=None))
    return Reading(refused=NO_FORM)


def _read(form: Form, found: re.Match[str], now: datetime) -> Reading:
    if not found["clock"]:  # MC-23
        return Reading(refused=NO_CLOCK)
    try:
        moment = datetime.combine(form.day(found, now.date()), _time(found))
    except ValueError:
        return Reading(refused=NO_SUCH_TIME)
    if moment > now + timedelta(minutes=1):  # MC-25
        return Reading(refused=FUTURE)
    return Reading(f"{moment:%Y-%m-%d %H:%M}")


def _time(found: re.Match[str]) -> time:
    hour, part = int(found["hour"]), found.groupdict().get("part")
    return time(hour + _HOURS_LATER[part] if part else hour, int(found["minute"]))


def _full_date(found: re.Match[str], today: date) -> date:
    return date(int(found["year"]), int(found["month"]), int(found["day"]))


def _date_of_this_year(found: re.Match[str], today: date) -> date:
    return date(today.year, int(found["month"]), int(found["day"]))


def _days_ago(found: re.Match[str], today: date) -> date:
    return today - timedelta(days=_DAYS_AGO[found["relative"]])


def _today(found: re.Match[str], today: date) -> date:
    return today


def _latest_weekday(found: re.Match[str], today: date) -> date:
    return today - timedelta(days=(today.weekday() - _WEEKDAYS[found["weekday"]]) % 7)


_WEEKDAY = r"(?P<weekday>[一二三四五六日天])"
_MONTH_DAY = r"(?P<month>\d{1,2})月(?P<day>\d{1,2})日"
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?:年|(?P<sign>[-/]))(?P<month>\d{1,2})(?(sign)(?P=sign)|月)(?P<day>\d{1,2})(?(sign)|日)"
    rf"(?:\s+{_CLOCK})?",
    re.ASCII,
)
FORMS = (
    Form(_YEAR_FIRST, _full_date),  # MC-27
    Form(re.compile(rf"{_MONTH_DAY}\s*{_CLOCK}?", re.ASCII), _date_of_this_year),  # MC-27
    Form(re.compile(rf"(?P<relative>今天|昨天|前天)\s*{_CLOCK}?", re.ASCII), _days_ago),  # MC-27
    Form(re.compile(_CLOCK, re.ASCII), _today),  # MC-27
    Form(  # MC-27
        re.compile(
            rf"(?:星期|周)(?P<weekday>[一二三四五六日天])\s*(?P<part>上午|下午|晚上)\s*{_HALF_DAY_CLOCK}", re.ASCII
        ),
        _latest_weekday,
    ),
)
