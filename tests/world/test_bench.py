"""The bench judges by its bounds, measures three sides in turns, and a child's memory apart from its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness import bench, bench_rooms
from harness.bench import PEAK_BOUND, RATIO_BOUND, Peak, Speed
from harness.world import household


def judged(monkeypatch: pytest.MonkeyPatch, speed: Speed, peak: Peak, *options: str) -> tuple[int, str]:
    monkeypatch.setattr(bench, "write_months", lambda *_: {"conversation": peak.carried})
    monkeypatch.setattr(bench, "measure_speed", lambda *_: speed)
    monkeypatch.setattr(bench, "measure_peak", lambda *_: peak)
    result = CliRunner().invoke(bench.main, [*options, "--skip-rooms"])
    return result.exit_code, result.output


GOOD_SPEED, GOOD_PEAK = Speed(RATIO_BOUND, 0.5, 0.5), Peak(PEAK_BOUND + 6, 7)


def test_at_the_bounds_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    code, output = judged(monkeypatch, GOOD_SPEED, GOOD_PEAK)
    assert code == 0
    assert "= 1.80" in output and "peak" in output


def test_beyond_either_bound_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = GOOD_SPEED._replace(plan=RATIO_BOUND + 0.001)
    fat = GOOD_PEAK._replace(peak=PEAK_BOUND + 7)
    assert judged(monkeypatch, slow, GOOD_PEAK)[0] == 1
    assert judged(monkeypatch, GOOD_SPEED, fat)[0] == 1
    assert judged(monkeypatch, GOOD_SPEED, fat, "--skip-memory")[0] == 0


def test_json_holds_the_figures_and_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = json.loads(judged(monkeypatch, GOOD_SPEED, GOOD_PEAK, "--json")[1])
    assert (figures["ok"], figures["ratio"], figures["ratio_bound"]) == (True, RATIO_BOUND, RATIO_BOUND)
    assert (figures["beyond_bytes"], figures["beyond_bound"]) == (PEAK_BOUND - 1, PEAK_BOUND)


def test_every_side_is_measured_in_every_round(tmp_path: Path) -> None:
    transcript = tmp_path / "one.jsonl"
    transcript.write_bytes(b'{"a":1}\n')
    planned: list[Path] = []
    speed = bench.measure_speed(transcript, planned.append)
    assert planned == [transcript] * bench.ROUNDS
    assert all(seconds > 0 for seconds in speed)


def test_a_childs_peak_is_its_own() -> None:
    ballast = bytearray(b"x" * 60_000_000)

    def peak(size: int) -> int:
        child = [sys.executable, "-c", f"b'x' * {size}"]
        done = subprocess.run([sys.executable, "-c", bench._PEAK_OF_CHILD, *child], capture_output=True, check=True)
        return int(done.stderr)

    small, large = peak(1), peak(100_000_000)
    assert small < len(ballast)
    assert 90_000_000 < large - small < 110_000_000


def test_a_failing_candidate_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="candidate ended with"):
        bench.measure_peak(tmp_path / "nowhere.jsonl", tmp_path, 0)


GOOD_DAY = bench_rooms.Day(2_000, 0.9, 0.06)
GOOD_STORIES = [0.01, bench_rooms.STORY_BOUND - 0.001, 1.0]


def test_rooms_are_judged_by_their_bounds() -> None:
    assert bench_rooms.within(GOOD_DAY, GOOD_STORIES)
    assert not bench_rooms.within(GOOD_DAY._replace(yardstick=0.9 / (bench_rooms.RATIO_BOUND + 1)), GOOD_STORIES)
    assert not bench_rooms.within(GOOD_DAY, [bench_rooms.STORY_BOUND])


def test_a_day_of_eight_bots_is_the_same_for_the_same_seed_and_sound(tmp_path: Path) -> None:
    days = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        rooms = household.live(tmp_path / str(number), 7)
        days.append(rooms.ask("SELECT kind, at, body FROM events ORDER BY seq"))
        assert rooms.watch.broken == []
        assert rooms.ask("SELECT count(*) FROM messages WHERE author = 'user' AND state = 'delivered'") == [
            (household.LINES,)
        ]
        rooms.close()
    assert days[0] == days[1] and len(days[0]) > 1_000
