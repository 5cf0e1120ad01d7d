"""A story of rooms on its page: lanes, turns as bars, marks that lead to events, and why each Bot woke or did not."""

import html
import re
from itertools import pairwise
from pathlib import Path

import pytest
from test_page import Tags, page_of, words_of

from harness.report.lanes import ROW, TOP, Lanes, lanes_of
from harness.report.reading import read_steps, view_of
from harness.runlog import RunLog, read_run
from harness.scenario.loading import root_of
from harness.scenario.stories.job import StoryJob, play_story
from harness.scenario.stories.loading import load_stories

ROOT = root_of(Path(__file__))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The run log of the evening with two slots and a queue."""
    path = tmp_path / "run.jsonl"
    (story,) = load_stories(ROOT.joinpath("scenarios", "collab", "work", "two-slots-and-a-queue.toml"))
    with path.open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command="rebuild-harness run x.toml", version="0", settings={})
        play_story(log, 0, StoryJob(story, tmp_path / "story"))
        log.add("end", verdict="green", green=1, red=0)
    return path


def lanes_in(log: Path) -> Lanes:
    (each,) = view_of(*read_steps(log)).transcripts
    return lanes_of(each)


def test_the_page_points_only_into_itself_and_names_steps_of_the_log(log: Path) -> None:
    page = page_of(log)
    tags = Tags(page)
    ids = tags.values("id")
    assert tags.open == []
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in tags.values("href")} <= set(ids)
    steps = {step["step"] for step in read_run(log)}
    assert {int(number) for number in re.findall(r'title="step (\d+) of the run log', page)} <= steps
    assert "style" not in {name for _, attrs in tags.tags for name in attrs}


def test_user_rooms_and_bots_stand_side_by_side(log: Path) -> None:
    drawn = lanes_in(log)
    assert [(lane.sort, lane.name) for lane in drawn.lanes] == [
        ("user", "user"),
        ("room", "剪辑组"),
        ("room", "with 导演"),
        ("bot", "导演"),
        ("bot", "文案"),
    ]
    assert drawn.lanes[-1].start + drawn.lanes[-1].width == pytest.approx(100, abs=0.01)
    assert not drawn.wide


def test_every_turn_is_a_bar_and_those_at_once_stand_beside_each_other(log: Path) -> None:
    drawn = lanes_in(log)
    turns = [step for step in read_run(log) if step["kind"] == "turn"]
    assert [bar.step for bar in drawn.bars] == [turn["step"] for turn in turns]
    for bar, turn in zip(drawn.bars, turns, strict=True):
        for other, against in zip(drawn.bars, turns, strict=True):
            at_once = turn["began"] < against["ended"] and against["began"] < turn["ended"]
            if bar is not other and turn["bot"] == against["bot"] and at_once:
                assert bar.shift != other.shift
    assert all(bar.y >= TOP and bar.y + bar.height <= drawn.height for bar in drawn.bars)


def test_no_two_marks_cover_each_other_and_time_goes_down(log: Path) -> None:
    drawn = lanes_in(log)
    ys = [mark.y for mark in drawn.marks]
    assert all(later - before >= ROW for before, later in pairwise(ys))
    assert [mark.clock for mark in drawn.marks] == sorted(mark.clock for mark in drawn.marks)


def test_every_mark_leads_to_its_event(log: Path) -> None:
    events = {step["step"]: step["what"] for step in read_run(log) if step["kind"] == "event"}
    marks = lanes_in(log).marks
    assert {events[mark.step] for mark in marks if mark.by.sort == "user" and mark.room} == {"Line"}
    # Words that end a turn are said once they have been read.
    assert {events[mark.step] for mark in marks if mark.by.sort == "bot"} == {"Hopped", "Read"}
    assert [events[mark.step] for mark in marks if not mark.room] == ["LeadSet"]
    said = page_of(log)
    for mark in marks:
        assert f'<a href="#step-{mark.step}">' in said and f'id="step-{mark.step}"' in said


def test_it_says_why_each_bot_woke_or_did_not(log: Path) -> None:
    said = words_of(page_of(log))
    for words in (
        "导演 it leads the group; opened a turn",
        "文案 it was not meant; did not wake it",
        "导演 it leads the group; opened a turn, queued at 1",
        "文案 it was mentioned; opened a turn",
        "导演 it is at work on this; was read at a turn's next step",
    ):
        assert words in said, words
    titles = html.unescape(page_of(log))
    assert "<title>文案: it was mentioned; opened a turn</title>" in titles


def test_a_hold_lies_over_what_it_covers_for_as_long_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    (story,) = load_stories(ROOT / "scenarios/collab/holds/stopped-and-going-on.toml")
    with path.open("w", encoding="utf-8") as file:
        log = RunLog(file)
        log.add("run", command="rebuild-harness run x.toml", version="0", settings={})
        play_story(log, 0, StoryJob(story, tmp_path / "story"))
        log.add("end", verdict="green", green=1, red=0)
    drawn = lanes_in(path)
    assert [(band.lane.sort, band.lane.name) for band in drawn.bands] == [
        ("room", "剪辑组"),
        ("bot", "导演"),
        ("bot", "文案"),
    ]
    stopped, answers, goes_on = drawn.bars
    (said,) = {band.said for band in drawn.bands}
    for band in drawn.bands:
        assert stopped.y + stopped.height <= band.y < answers.y < band.y + band.height <= goes_on.y
    assert said.startswith("hold 1 on session 剪辑组, 09:10:01–09:30:01, by “停下”; lifted by “@导演 片头换成夜景”")
    page = page_of(path)
    assert "<h3>Holds</h3>" in page and page.count('class="held"') == len(drawn.bands) + 1
    assert "还在做吗" in page and "导演</b> it was said to it; opened a turn" in page
