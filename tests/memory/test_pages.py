"""Pages of earlier talk: what two share, what becomes of an upload, and that no label stops a customer for good."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from memories import LI, HandClock, Memories, local, page, phone

from harness.expect import expect, expect_equal, proves
from threadrebuild.memory.counts import counts, labels
from threadrebuild.memory.history import held, lift_gap, may_fetch
from threadrebuild.memory.overlap import Entry, joined, same
from threadrebuild.memory.recollection import Customer

ABSOLUTE = "2026-08-14 15:20"
TILES = Entry("customer", "我在看瓷砖", ABSOLUTE, "2026-08-14")
FORMS = ("2025-08-30 15:20", "8月13日 15:20", "昨天 15:20", "15:20", "星期三 下午11:05")


def texts(entries: list[Entry] | None) -> list[str] | None:
    return None if entries is None else [entry.content for entry in entries]


def entries(contents: str) -> list[Entry]:
    """One entry for each character, at the same time."""
    return [Entry("customer", content, ABSOLUTE, "2026-08-14") for content in contents]


@proves("MC-28")
def test_role_content_and_label_have_to_be_equal() -> None:
    expect("MC-29", same(TILES, replace(TILES, label="")), "an empty label is not compared")
    expect("MC-28", same(TILES, replace(TILES)), "an entry is the same as itself")
    for other in (
        replace(TILES, role="assistant"),
        replace(TILES, content="我在看地板"),
        replace(TILES, label="2026-08-14 15:21"),
    ):
        expect("MC-28", not same(TILES, other), f"{other} is taken for {TILES}")


@proves("MC-29")
def test_labels_are_compared_only_where_both_are_there() -> None:
    for one, other in product(("", ABSOLUTE), ("", "2026-08-14 15:21")):
        compared = bool(one and other)
        seen = same(replace(TILES, label=one), replace(TILES, label=other))
        expect_equal("MC-29", seen, not compared, f"whether {one!r} and {other!r} agree")
    expect("MC-29", same(replace(TILES, label="今天 15:20"), replace(TILES, label="今天 15:20")), "equal labels agree")


@proves("MC-30")
def test_a_page_read_again_after_midnight_is_the_same_page(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    bubbles = ("我在看瓷砖", "要灰色的", "多少钱一平")
    for day, relative in (("2026-08-14", "今天"), ("2026-08-15", "昨天"), ("2026-08-16", "前天")):
        shown = page(*((text, f"{relative} 15:2{at}") for at, text in enumerate(bubbles)), day=day)
        came = memories.uploads(shown)
        expect_equal("MC-30", came, "stored", f"what became of the page on {day}")
        expect("MC-30", may_fetch(memories.store, memories.session()), f"the history may be fetched after {day}")
    kept = texts(held(memories.store, memories.session()))
    expect("MC-32", kept == list(bubbles), f"each bubble is kept once: {kept}")


@proves("MC-30")
def test_of_one_day_relative_labels_are_compared() -> None:
    early, late = replace(TILES, label="今天 09:00"), replace(TILES, label="今天 15:20")
    expect("MC-30", same(early, replace(late, read_on="2026-08-15")), "on different days they say nothing")
    expect("MC-30", not same(early, late), "on one day they tell two bubbles apart")


@proves("MC-30")
def test_an_app_that_makes_dates_meets_what_one_that_made_none_had_uploaded() -> None:
    date = replace(TILES, label="2026-08-13 15:20")
    for label in (
        "昨天 15:20",
        "8月13日 15:20",
        "星期四 下午3:20",
        "刚刚",
        "昨天",
        "2026年8月13日 15:20",
        "2026/8/13 15:20",
    ):
        other = replace(TILES, label=label)
        expect("MC-30", same(date, other) and same(other, date), f"{label} and a date are of two bubbles")
    for label in ("2026年8月13日 15:21", "2026/8/14 15:20"):
        expect("MC-28", not same(date, replace(TILES, label=label)), f"{label} is taken for {date.label}")


@proves("MC-30")
def test_converted_labels_agree_whatever_the_day_and_whatever_was_refused() -> None:
    clock = HandClock("2026-08-14 16:00")
    device = phone(clock)
    days = (("2026-08-14 16:00", "今天 15:20", "23:00"), ("2026-08-15 09:00", "昨天 15:20", "昨天 23:00"))
    pages = []
    for now, first, second in days:
        clock.set(now)
        shown = device.show(page(("我在看瓷砖", first), ("要灰色的", second)).bubbles, {}, "")
        converted = device.converted(shown)
        pages.append([Entry(each.role, each.content, each.label, converted.day) for each in converted.bubbles])
    expect("MC-22", pages[0][0].label == pages[1][0].label == ABSOLUTE, "labels are converted")
    expect_equal("MC-30", texts(joined(*pages)), ["我在看瓷砖", "要灰色的"], "both pages as one")


@proves("MC-31")
def test_history_under_each_form_is_stored_and_without_a_form_is_not(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    expect("MC-33", may_fetch(memories.store, memories.session()), "a history without a gap may be fetched")
    for number, label in enumerate(FORMS):
        customer = replace(LI, key=f"customer {number}")
        came = memories.uploads(page(("我在看瓷砖", label), 城市="杭州"), customer)
        expect_equal("MC-31", came, "stored", f"what became of a history under {label}")
        known = memories.says("你好", customer)
        expect("MC-31", known.profile.get("城市") == "杭州", f"a history under {label} is known")
    for label in ("刚刚", "3分钟前", ""):
        customer = replace(LI, key=f"customer {label}", platform_user="")
        came = memories.uploads(page(("我在看瓷砖", label), 城市="杭州"), customer)
        expect_equal("MC-31", came, "no explicit time", f"what became of a history under {label!r}")
        expect(
            "MC-31", "城市" not in memories.says("你好", customer).profile, f"a history under {label!r} is not known"
        )
    expect_equal("MC-31", memories.count("history_profiles"), 5, "stored history profiles")


@proves("MC-32")
def test_an_entry_on_both_pages_is_kept_once(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    for _ in range(3):
        came = memories.uploads(page(("我在看瓷砖", "今天 15:20"), ("要灰色的", "今天 15:21")))
        expect("MC-33", came == "stored", "a page that is held already is no gap")
    kept = texts(held(memories.store, memories.session()))
    expect_equal("MC-32", kept, ["我在看瓷砖", "要灰色的"], "what is kept of a page that was fetched three times")


@proves("MC-32")
def test_pages_that_overlap_are_joined_in_order() -> None:
    for first, second, wanted in (
        ("abc", "bcd", "abcd"),
        ("cd", "abc", "abcd"),
        ("abcd", "bc", "abcd"),
        ("bc", "abcd", "abcd"),
        ("嗯好嗯", "好嗯嗯", "嗯好嗯嗯"),
        ("", "ab", "ab"),
    ):
        seen = joined(entries(first), entries(second))
        expect("MC-33", seen is not None, f"{first} and {second} overlap")
        expect_equal("MC-32", "".join(texts(seen) or []), wanted, f"{first} and {second} as one talk")


@proves("MC-32")
def test_any_two_windows_of_a_talk_that_meet_give_the_talk_between_them() -> None:
    @given(st.integers(1, 12), st.integers(0, 11), st.integers(1, 12), st.integers(0, 11))
    def one(long: int, start: int, other_long: int, other_start: int) -> None:
        talk = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
        first, second = talk[start : start + long], talk[other_start : other_start + other_long]
        if not set(first) & set(second):
            return
        seen = joined(entries(first), entries(second))
        wanted = talk[min(start, other_start) : max(start + long, other_start + other_long)]
        expect("MC-33", seen is not None, f"{first} and {second} overlap")
        expect_equal("MC-32", "".join(texts(seen) or []), wanted, f"{first} and {second} as one talk")

    one()


@proves("MC-33")
def test_pages_that_share_nothing_are_a_gap_and_stop_the_fetch(tmp_path: Path) -> None:
    memories = Memories(tmp_path)
    may = may_fetch(memories.store, memories.session())
    expect("MC-33", may, "a history without a gap may be fetched")
    came = memories.uploads(page(("我在看瓷砖", "2026-08-01 15:20")))
    expect("MC-31", came != "no explicit time", "the page says when")
    expect_equal("MC-33", came, "stored", "what became of the first page, before which there is nothing")
    came = memories.uploads(page(("那就定了", ABSOLUTE)))
    expect_equal("MC-33", came, "gap", "what became of a page that shares nothing")
    expect("MC-33", not may_fetch(memories.store, memories.session()), "the fetch goes on over a gap")
    came = memories.uploads(page(("我在看瓷砖", "2026-08-01 15:20")))
    expect_equal("MC-33", came, "stopped", "what became of a further page")
    kept = texts(held(memories.store, memories.session()))
    expect_equal("MC-33", kept, ["我在看瓷砖"], "what is kept")
    other = replace(LI, key="other")
    expect("MC-33", may_fetch(memories.store, memories.session(other)), "another customer's fetch is stopped too")
    lift_gap(memories.store, memories.session(), memories.later())
    came = memories.uploads(page(("我在看瓷砖", "2026-08-01 15:20"), ("那就定了", ABSOLUTE)))
    expect_equal("MC-33", came, "stored", "what became of a page that closes the gap, once a person let it go on")


@proves("MC-21")
def test_uploaded_is_not_stored_and_every_customer_has_one_label(tmp_path: Path) -> None:
    memories = Memories(tmp_path)

    def customer(name: str) -> Customer:
        return replace(LI, key=name)

    memories.uploads(page(("我在看瓷砖", ABSOLUTE)), customer("kept"))
    for name in ("vague", "vaguer"):
        memories.uploads(page(("我在看瓷砖", "刚刚")), customer(name))
    memories.uploads(page(), customer("unread"))
    memories.uploads(page(("我在看瓷砖", "2026-08-01 15:20")), customer("torn"))
    expect("MC-33", memories.uploads(page(("那就定了", ABSOLUTE)), customer("torn")) == "gap", "a gap is one")
    of_each = labels(memories.store)
    expect("MC-31", counts(memories.store)["store history", "no explicit time"] == 2, "two uploads were not stored")
    wanted = {"nothing read": 1, "stopped by a gap": 1, "stored": 1, "uploaded, nothing stored": 2}
    expect_equal("MC-21", of_each, wanted, "the labels of five customers")
    expect_equal("MC-21", sum(of_each.values()), memories.count("sessions"), "labels in all")


@proves("MC-30")
def test_no_label_stops_a_customer_for_good() -> None:
    """A page that grows and is read on any days, with labels that are converted, refused or missing, is never a gap."""

    @given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.sampled_from(("刚刚", "昨天", "", "23:59")))
    def goes_on(steps: list[int], vague: str) -> None:
        clock = HandClock("2026-08-14 12:00")
        device = phone(clock)
        kept: list[Entry] = []
        day = 0
        for number, step in enumerate(steps):
            day += step
            clock.set(f"{local('2026-08-14 12:00') + timedelta(days=day):%Y-%m-%d %H:%M}")
            relative = {0: "今天", 1: "昨天", 2: "前天"}.get(day, "8月14日")
            bubbles = [("开头", f"{relative} 09:00"), *((f"第{at}句", vague) for at in range(number + 1))]
            shown = device.converted(device.show(page(*bubbles).bubbles, {}, ""))
            read = [Entry(each.role, each.content, each.label, shown.day) for each in shown.bubbles]
            talk = joined(kept, read)
            expect("MC-30", talk is not None, f"a gap {day} days later, after {steps}")
            kept = talk or []
        expect("MC-32", len(kept) == len(steps) + 1, f"each bubble is kept once: {texts(kept)}")

    goes_on()
