"""The application dies at every step of endings, sent back or not: each reply is sent once."""

from pathlib import Path

from harness.scenario.collab.crashes import try_crashes
from harness.scenario.loading import root_of
from harness.scenario.stories.loading import load_stories

ROOT = root_of(Path(__file__))
STORY = ROOT / "scenarios/incidents/2026-10-07-the-whole-answer-went-into-answer.toml"
"""Endings by call and by words, some sent back, the last of which stands and leaves a line of the application."""


def test_no_crash_of_an_ending_loses_a_reply_or_sends_it_twice() -> None:
    (crashed,) = try_crashes(load_stories(STORY))
    assert crashed.shown()["violations"] == []
    assert crashed.once > 50 and crashed.twice > 20
