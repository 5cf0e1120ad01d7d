"""When a label says when: five forms, on the server and on the device, with any number in them and without their words.

What the rules leave open is no case here: a label without a time of day on the server, twelve o'clock in a part of the
day, and which week a weekday belongs to.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import tomli
from hypothesis import example, given
from hypothesis import strategies as st
from memories import HandClock, local, page, phone

from harness.expect import expect, expect_equal, proves
from threadrebuild.memory.device import Device
from threadrebuild.memory.explicit import form_of, is_explicit
from threadrebuild.memory.labels import FUTURE, NO_FORM, Reading, read_label

CASES = tomli.loads((Path(__file__).parent / "time_labels.toml").read_text(encoding="utf-8"))["cases"]
NOW = local("2026-08-14 16:00")
MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2026, 8, 14, 15, 59))


@dataclass(frozen=True)
class Phrase:
    """A form as a chat shows a moment in it, and the words without which it is that form no more."""

    rule: str
    form: str
    shown: Callable[[datetime], str]
    deciding: tuple[str, ...]


def _weekday(moment: datetime) -> str:
    part, hour = ("上午", moment.hour) if moment.hour < 12 else ("下午", moment.hour - 12)
    return f"星期{'一二三四五六日'[moment.weekday()]} {part}{hour}:{moment:%M}"


PHRASES = (
    Phrase("MC-16", "a date with its year", lambda m: f"{m:%Y-%m-%d %H:%M}", ("-", f"{2000}-")),
    Phrase("MC-16", "a date with its year", lambda m: f"{m.year}年{m.month}月{m.day}日 {m:%H:%M}", ("年", "月", "日")),
    Phrase("MC-17", "month, day and clock", lambda m: f"{m.month}月{m.day}日 {m:%H:%M}", ("月", "日", ":")),
    Phrase("MC-18", "relative day and clock", lambda m: f"今天 {m:%H:%M}", ("今天", "今", ":")),
    Phrase("MC-18", "relative day and clock", lambda m: f"昨天 {m:%H:%M}", ("昨天", "昨", ":")),
    Phrase("MC-18", "relative day and clock", lambda m: f"前天 {m:%H:%M}", ("前天", "前", ":")),
    Phrase("MC-19", "bare clock", lambda m: f"{m:%H:%M}", (":",)),
    Phrase("MC-20", "weekday, part of the day and clock", _weekday, ("星期", "上午", "下午", ":")),
)


def understood(reading: Reading) -> bool:
    """Whether the device knows which moment a label means."""
    return reading.refused in ("", FUTURE)


def check_form(rule: str) -> None:
    """Each phrase of a form is explicit whatever numbers stand in it, and is not that form without its words."""
    expect("MC-15", not is_explicit("刚刚"), "a label of no form is not explicit")

    @example(datetime(2025, 8, 30, 15, 20))
    @given(MOMENTS)
    def explicit(moment: datetime) -> None:
        if moment.hour in (0, 12) and rule == "MC-20":
            moment += timedelta(hours=3)
        for phrase in PHRASES:
            if phrase.rule != rule:
                continue
            label = phrase.shown(moment)
            expect_equal(rule, form_of(label), phrase.form, f"the form of {label}")
            for word in phrase.deciding:
                if word in label:
                    without = label.replace(word, "")
                    expect(rule, form_of(without) != phrase.form, f"{without} is {phrase.form} without {word}")

    explicit()


@proves("MC-15")
def test_five_forms_are_explicit_and_nothing_else_is() -> None:
    for label in ("刚刚", "3分钟前", "很久以前", "明天 15:20", "15点20", "25:20", "13月1日 15:20", ""):
        expect("MC-15", not is_explicit(label), f"{label!r} is explicit")
    for rule, label in (
        ("MC-16", "2025-08-30 15:20"),
        ("MC-17", "8月30日 15:20"),
        ("MC-18", "今天 15:20"),
        ("MC-19", "15:20"),
        ("MC-20", "星期三 下午11:05"),
    ):
        expect(rule, is_explicit(label), f"{label} is explicit")


@proves("MC-16")
def test_a_date_with_its_year_is_explicit() -> None:
    check_form("MC-16")


@proves("MC-17")
def test_month_day_and_clock_are_explicit() -> None:
    check_form("MC-17")


@proves("MC-18")
def test_a_relative_day_with_a_clock_is_explicit() -> None:
    check_form("MC-18")


@proves("MC-19")
def test_a_bare_clock_is_explicit() -> None:
    check_form("MC-19")


@proves("MC-20")
def test_a_weekday_with_a_part_of_the_day_is_explicit() -> None:
    check_form("MC-20")


@proves("MC-20")
def test_the_part_of_the_day_decides_the_hour() -> None:
    @example("三", "下午", 11, 5)
    @given(
        st.sampled_from("一二三四五六日"),
        st.sampled_from(("上午", "下午", "晚上")),
        st.integers(1, 11),
        st.integers(0, 59),
    )
    def decides(weekday: str, part: str, hour: int, minute: int) -> None:
        label = f"星期{weekday} {part}{hour}:{minute:02}"
        # A Sunday, late: no day of the last week lies in the future.
        reading = read_label(label, local("2026-08-16 23:59"))
        expect("MC-27", reading.refused != NO_FORM, f"the device knows the form of {label}")
        expect("MC-23", reading.refused != "no time of day", f"{label} has a time of day")
        wanted = f"{hour if part == '上午' else hour + 12:02}:{minute:02}"
        expect_equal("MC-20", reading.absolute[11:], wanted, f"the time of day of {label}")
        expect_equal(
            "MC-20", datetime.fromisoformat(reading.absolute).weekday(), "一二三四五六日".index(weekday), label
        )

    decides()


@proves("MC-27")
def test_server_and_device_agree_on_every_case() -> None:
    for case in CASES:
        label, form = case["label"], case.get("form")
        expect_equal("MC-27", form_of(label), form, f"the form of {label!r} on the server")
        reading = read_label(label, local(case["clock"]))
        expect_equal("MC-27", understood(reading), form is not None, f"whether the device understands {label!r}")
        if "absolute" in case and not reading.refused:
            expect("MC-20", reading.absolute == case["absolute"], f"{label!r} is read as {reading.absolute}")


@proves("MC-27")
def test_server_and_device_agree_on_any_number_in_any_form() -> None:
    @given(st.sampled_from(PHRASES), MOMENTS)
    def agree(phrase: Phrase, moment: datetime) -> None:
        # No chat shows a leap day without its year in a year that has none.
        label = phrase.shown(moment.replace(day=28) if (moment.month, moment.day) == (2, 29) else moment)
        reading = read_label(label, NOW)
        expect_equal("MC-27", understood(reading), is_explicit(label), f"server and device on {label}")
        for word in phrase.deciding:
            without = label.replace(word, "")
            reading = read_label(without, NOW)
            expect_equal("MC-27", understood(reading), is_explicit(without), f"server and device on {without}")

    agree()


@proves("MC-22", "MC-26")
def test_labels_are_made_absolute_in_place_and_what_is_refused_stays() -> None:
    device = phone(HandClock("2026-08-30 16:00"))
    given_page = page(
        ("在吗", "昨天 15:20"), ("我在看瓷砖", ""), ("灰色的", "今天 15:21"), ("嗯", "刚刚"), ("好", "23:00")
    )
    shown = device.converted(given_page)
    foreign = replace(given_page, shown_on="another")
    expect("MC-24", device.converted(foreign) == foreign, "the device leaves another one's page alone")
    labels = [bubble.label for bubble in shown.bubbles]
    expect("MC-26", labels[0] not in ("", "昨天 15:20") or labels[3], f"what is refused stays, and only that: {labels}")
    expect_equal("MC-26", (labels[3], labels[4]), ("刚刚", "23:00"), "the labels that were refused")
    expect_equal("MC-22", labels[:3], ["2026-08-29 15:20", "", "2026-08-30 15:21"], "the labels that are uploaded")
    texts = [bubble.content for bubble in shown.bubbles]
    expect_equal("MC-22", texts, [bubble.content for bubble in given_page.bubbles], "what is uploaded beside them")


@proves("MC-23")
def test_a_date_is_supplied_and_a_time_of_day_never() -> None:
    expect("MC-25", read_label("15:20", NOW).refused != FUTURE, "what is past is not in the future")
    for label, absolute in (("8月13日 15:20", "2026-08-13 15:20"), ("昨天 00:00", "2026-08-13 00:00")):
        expect_equal("MC-23", read_label(label, NOW).absolute, absolute, f"what {label} becomes")
    for label in ("昨天", "今天", "前天", "8月13日", "2025-08-30"):
        expect_equal("MC-23", read_label(label, NOW).absolute, "", f"what {label} becomes, which shows no time of day")


@proves("MC-24")
def test_the_clock_of_the_device_that_showed_the_label_counts() -> None:
    before_midnight, after_midnight = HandClock("2026-08-14 23:59"), HandClock("2026-08-15 00:01")
    slow, fast = Device("slow", before_midnight), Device("fast", after_midnight)
    shown = slow.show(page(("在吗", "昨天 15:20")).bubbles, {}, "")
    by_the_other = fast.converted(shown).bubbles[0].label
    expect_equal("MC-24", by_the_other, "昨天 15:20", "what a device makes of another one's label")
    expect_equal("MC-24", shown.day, "2026-08-14", "the day of the page")
    converted = slow.converted(shown).bubbles[0].label
    expect("MC-22", converted != "昨天 15:20", "labels are converted")
    expect_equal("MC-24", converted, "2026-08-13 15:20", "what the device makes of its own")


@proves("MC-24")
def test_days_are_those_of_the_users_zone() -> None:
    clock = HandClock("2026-08-15 05:00")
    for zone, day in ((None, "2026-08-15"), (ZoneInfo("Europe/Berlin"), "2026-08-14")):
        device = Device("phone", clock, zone)
        expect_equal("MC-24", device.show((), {}, "").day, day, f"the day in {zone}")


@proves("MC-25")
def test_more_than_a_minute_in_the_future_is_refused() -> None:
    clock = local("2026-08-14 10:00")
    for label, absolute in (
        ("09:59", "2026-08-14 09:59"),
        ("10:00", "2026-08-14 10:00"),
        ("10:01", "2026-08-14 10:01"),
        ("10:02", ""),
        ("今天 10:02", ""),
        ("8月15日 00:00", ""),
        ("12月31日 15:20", ""),
        ("2026-08-14 10:02", ""),
        ("2027-01-01 00:00", ""),
    ):
        reading = read_label(label, clock)
        expect("MC-23", reading.refused != "no time of day", f"{label} has a time of day")
        expect("MC-27", reading.refused != NO_FORM, f"the device knows the form of {label}")
        expect_equal("MC-25", reading.absolute, absolute, f"what {label} becomes at ten")
    for second, absolute in ((0, ""), (59, ""), (60, "2026-08-14 10:02")):
        reading = read_label("10:02", clock + timedelta(seconds=second))
        expect_equal("MC-25", reading.absolute, absolute, f"10:02 at {second} seconds past ten")


@proves("MC-25")
def test_nothing_read_lies_in_the_future() -> None:
    @given(st.sampled_from(PHRASES), MOMENTS, st.integers(0, 86_400 * 400))
    def past(phrase: Phrase, moment: datetime, ahead: int) -> None:
        reading = read_label(phrase.shown(moment + timedelta(seconds=ahead)), NOW)
        if reading.absolute:
            limit = NOW.replace(tzinfo=None) + timedelta(minutes=1)
            expect("MC-25", datetime.fromisoformat(reading.absolute) <= limit, f"{reading} is read at {NOW}")

    past()


def test_a_date_that_no_calendar_has_is_refused() -> None:
    for label in ("2025-02-30 15:20", "2月30日 15:20", "2月29日 15:20", "25:10", "13月1日 15:20"):
        assert read_label(label, NOW).absolute == ""
