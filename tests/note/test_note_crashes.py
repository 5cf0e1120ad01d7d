"""A window change that is cut off at any step: no word is lost, none is there twice, and the old record stays."""

import tempfile
from pathlib import Path

import pytest

from harness.faults import ROOM, calls_of, ended_of
from harness.invariants.operation import broken, spoken
from harness.scenario.nights.loading import load_night
from harness.scenario.nights.playing import Wrong, play_night
from harness.world.night import OLD_SESSION

NIGHTS = Path(__file__).resolve().parents[2] / "scenarios" / "rebuild" / "nights"
CHANGED = NIGHTS / "a-full-window-goes-on-in-a-note.toml"


@pytest.mark.parametrize("do", ["kill", "power"])
def test_a_crash_at_every_step_loses_and_doubles_no_word(do: str) -> None:
    night = load_night(CHANGED)
    live = set()
    for step in range(1, len(calls_of(night)) + 1):
        with tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None) as name:
            play = play_night(night, Path(name) / "night", Wrong(step, do, "recover"))
            ended = ended_of(play, True)
            assert broken(ended) == [], f"{do} at step {step}"
            old = spoken(play.night.host.transcript(OLD_SESSION))
            session = ended.live
            assert session is not None, f"{do} at step {step}"
            live.add(play.behind())
            new = spoken(play.night.host.transcript(session))
            twice = [text for text in new if new.count(text) > max(1, old.count(text))]
            assert twice == [], f"{do} at step {step}"
    assert live == {"old session", "new session"}, "crashes fell before the switch and after it"
