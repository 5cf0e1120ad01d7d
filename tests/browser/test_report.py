from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import report_runs as runs

pytestmark = pytest.mark.browser

Show = Callable[..., tuple[Any, Any]]
FOCUSED = "() => document.activeElement.closest('.turn, .transcript')?.id"


def long(path: Path) -> Path:
    return runs.long(path, 1000)


def many(path: Path) -> Path:
    return runs.many(path, 200)


@pytest.mark.parametrize("case", [runs.one, runs.mixed, long, many])
def test_a_page_is_silent_and_asks_for_nothing(show: Show, case: Callable[[Path], Path]) -> None:
    page, seen = show(case)
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator("#find").fill("tale")
    page.keyboard.press("Enter")
    assert seen.console == []
    assert [url for url in seen.requests if not url.endswith("/report.html")] == []
    assert len(seen.requests) == 1
    assert page.title().startswith("Thread rebuild: ")


def test_hostile_texts_run_nothing(show: Show) -> None:
    page, seen = show(lambda path: runs.write(path, runs.hostile))
    assert page.locator(".turn .text").nth(0).text_content() == runs.HOSTILE[0]
    assert page.locator("img").count() == 0
    assert (page.title() != "owned", seen.console, len(seen.requests)) == (True, [], 1)


def test_a_script_that_slipped_in_would_not_run(show: Show) -> None:
    page, _ = show(runs.one)
    ran = page.evaluate(
        """() => {
          const script = document.createElement("script");
          try { script.textContent = "window.slipped = true"; } catch { return "refused"; }
          document.body.append(script);
          return window.slipped ?? false;
        }"""
    )
    assert ran in ("refused", False)


def test_verdict_and_ledger_are_the_first_things_to_see(show: Show) -> None:
    page, _ = show(runs.one)
    assert page.locator("h1").inner_text() == "✓ Carried and green"
    assert "The classes add up to 173,471 bytes, the file's size." in page.locator(".sum").inner_text()
    widths = page.locator(".bar rect").evaluate_all("(all) => all.map((each) => each.getBoundingClientRect().width)")
    bar = page.locator(".bar").bounding_box()["width"]
    # 60, 40, 700, 90, 20, the rest (89) and 1 of 1000: what `report_runs.ledger` shares out, the largest first
    assert [round(1000 * width / bar) for width in widths] == [700, 90, 89, 60, 40, 20, 1]


def test_the_overview_opens_the_section_it_names(show: Show) -> None:
    page, _ = show(runs.mixed)
    assert page.locator("h1").inner_text() == "✗ 1 red"
    assert page.locator(".overview tbody tr").first.inner_text().startswith("cli/2.1.199/interactive")
    assert page.locator("#t2").get_attribute("open") is None
    page.get_by_role("link", name="made/malformed-middle").click()
    page.wait_for_function("() => document.querySelector('#t2').open")
    assert page.evaluate(FOCUSED) == "t2"
    assert page.locator("#t2 .lead").is_visible()


def test_a_link_to_a_step_opens_what_hides_it(show: Show) -> None:
    page, _ = show(runs.one, mark="#step-9")  # run, source, ledger, turns, chain, warnings, dirty, candidate, check
    assert page.locator("#step-9").is_visible()


def test_search_counts_marks_filters_and_clears(show: Show) -> None:
    page, _ = show(long)
    assert page.locator(".turn:visible").count() == 0
    page.keyboard.press("/")
    page.keyboard.type("part 77")  # part 77, and part 770 to 779
    assert page.locator("#hits").inner_text() == "11 hits"
    assert page.locator(".turn:visible").count() == 11
    assert page.evaluate("() => CSS.highlights.get('hit').size") == 11
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#hits").inner_text() == "2 of 11 hits"
    page.keyboard.press("Shift+Enter")
    assert page.locator("#hits").inner_text() == "1 of 11 hits"
    page.keyboard.press("Escape")
    assert page.locator("#hits").inner_text() == ""
    assert page.locator("#find").input_value() == ""
    assert page.locator(".turn:visible").count() == 0
    assert page.evaluate("() => CSS.highlights.size") == 0


def test_search_reads_through_unseen_characters_and_knows_chinese(show: Show) -> None:
    page, _ = show(runs.mixed)
    page.locator("#find").fill("what it seems")  # in a turn, and in what a check wanted
    assert page.locator("#hits").inner_text() == "2 hits"
    assert page.locator(".turn:visible").count() == 1
    page.locator("#find").fill("云淡风轻")
    assert page.locator("#hits").inner_text() == "1 hit"
    page.locator("#find").fill("nobody said this")
    assert page.locator("#hits").inner_text() == "0 hits"
    assert page.locator(".transcript:visible").count() == 0


def test_j_and_k_walk_over_what_is_open(show: Show) -> None:
    page, _ = show(runs.mixed)
    stops = []
    for key in ("j", "j", "j", "j", "k", "k"):
        page.keyboard.press(key)
        stops.append(page.evaluate(FOCUSED))
    assert stops == ["t3", "t3-turn-1", "t3-turn-2", "t0", "t3-turn-2", "t3-turn-1"]
    page.keyboard.press("J")
    assert page.evaluate(FOCUSED) == "t0"
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    assert page.evaluate(FOCUSED) == "t0-turn-1"


def test_j_steps_over_folded_chunks_of_a_long_talk(show: Show) -> None:
    page, _ = show(long)
    for _ in range(3):
        page.keyboard.press("j")
    assert page.evaluate("() => document.activeElement.textContent.slice(0, 12)") == "Turns 51–100"


def test_a_question_mark_shows_the_keys(show: Show) -> None:
    page, _ = show(runs.one)
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.locator("#help").click()
    page.locator("#close").click()
    assert not page.locator("dialog").is_visible()


@pytest.mark.parametrize("width", [390, 768, 1600])
@pytest.mark.parametrize("case", [runs.mixed, many])
def test_nothing_is_wider_than_the_window(show: Show, case: Callable[[Path], Path], width: int) -> None:
    page, _ = show(case, width=width)
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def contrast(page: Any, selector: str) -> float:
    """The contrast by WCAG 2 of an element's text with the page's ground."""
    inks = page.evaluate(
        """(selector) => [getComputedStyle(document.querySelector(selector)).color,
                          getComputedStyle(document.documentElement).backgroundColor]""",
        selector,
    )

    def light(ink: str) -> float:
        shares = [int(part) / 255 for part in ink[4:-1].split(",")]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted(light(ink) for ink in inks)
    return (high + 0.05) / (low + 0.05)


def test_light_and_dark_differ_and_both_can_be_read(show: Show) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        page, _ = show(runs.mixed, scheme=scheme)
        grounds.append(page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor"))
        for selector in ("body", ".meta", ".verdict.green", ".verdict.red", ".overview a", ".step", ".ctl"):
            assert contrast(page, selector) >= 4.5, (scheme, selector)
    assert grounds[0] != grounds[1]


def test_focus_can_be_seen(show: Show) -> None:
    page, _ = show(runs.one)
    page.keyboard.press("j")
    style = "() => getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(style) == "solid"


def evening(path: Path) -> Path:
    """The run log of a story of rooms."""
    from harness.runlog import RunLog
    from harness.scenario.stories.job import StoryJob, play_story
    from harness.scenario.stories.loading import load_stories

    (story,) = load_stories(
        Path(__file__).parents[2].joinpath("scenarios", "collab", "work", "two-slots-and-a-queue.toml")
    )
    with path.open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command="rebuild-harness run x.toml", version="0", settings={})
        play_story(log, 0, StoryJob(story, path.parent / "story"))
        log.add("end", verdict="green", green=1, red=0)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_mark_in_the_lanes_opens_its_event(show: Show, width: int, scheme: str) -> None:
    page, seen = show(evening, width=width, scheme=scheme)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    first = page.locator(".lanes svg svg a:has(circle.speaker.user)").first
    event = page.locator(f"{first.get_attribute('href')}")
    assert not event.is_visible()
    first.click()
    assert event.is_visible()
    assert "Line" in event.locator("xpath=..").inner_text()
    assert seen.console == []
