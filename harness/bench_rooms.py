"""How fast the collaboration core is: a simulated day of eight Bots, and what a story costs.

The yardstick is the bare store: the standard library's SQLite, one transaction for each event taken in and one for each
effect begun, with nothing decided in between.
"""

import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

STORY_BOUND = 0.050
"""CPU seconds of a median story, less than this."""
RATIO_BOUND = 22.0
"""A day's CPU over the yardstick's, at most."""
ROUNDS = 3
SEED = 59
ROOM = Path("/dev/shm")


class Day(NamedTuple):
    """A day: events taken in, CPU seconds (the best of `ROUNDS`), and those of the yardstick on as many events."""

    events: int
    seconds: float
    yardstick: float

    @property
    def ratio(self) -> float:
        return self.seconds / self.yardstick


def measure_day() -> Day:
    """Live the same day `ROUNDS` times, and the bare store in turns with it, so that a slow moment strikes both."""
    from harness.world.household import live

    events, best = 0, [float("inf")] * 2
    for _ in range(ROUNDS):
        with _folder() as name:
            begun = time.process_time()
            rooms = live(Path(name), SEED, watched=False)
            best[0] = min(best[0], time.process_time() - begun)
            bodies = [body for (body,) in rooms.ask("SELECT body FROM events ORDER BY seq")]
            rooms.close()
        with _folder() as name:
            begun = time.process_time()
            _bare_store(Path(name) / "bare.db", bodies)
            best[1] = min(best[1], time.process_time() - begun)
        events = len(bodies)
    return Day(events, *best)


def measure_stories(root: Path) -> list[float]:
    """CPU seconds of each story of rooms below `root` (the best of `ROUNDS`), sorted.

    Its invariants are looked at after every commit.
    """
    from harness.runlog import RunLog
    from harness.scenario.loading import scenario_files
    from harness.scenario.stories.kinds import kind_named
    from harness.scenario.stories.loading import load_stories

    files = [file for file in scenario_files(root) if 'kind = "collab"' in file.read_text(encoding="utf-8")]
    stories = [story for file in files for story in load_stories(file)]
    best = [float("inf")] * len(stories)
    for _ in range(ROUNDS):
        for at, story in enumerate(stories):
            with _folder() as name:
                begun = time.process_time()
                kind_named(story.kind).play(story, Path(name), 0, RunLog(StringIO()), 0)
                best[at] = min(best[at], time.process_time() - begun)
    return sorted(best)


def within(day: Day, stories: Sequence[float]) -> bool:
    """Whether every bound is kept."""
    return day.ratio <= RATIO_BOUND and statistics.median(stories) < STORY_BOUND


def shown(day: Day, stories: Sequence[float]) -> list[str]:
    """The figures in words."""
    return [
        f"a day of eight Bots: {day.events} events in {day.seconds:.2f} s CPU:"
        f" {day.events / day.seconds:.0f} events and {1 / day.seconds:.2f} days a second",
        f"  / the bare store {day.yardstick:.3f} s = {day.ratio:.1f}, at most {RATIO_BOUND}",
        f"a median story of {len(stories)}: {1000 * statistics.median(stories):.0f} ms CPU,"
        f" below {1000 * STORY_BOUND:.0f} ms",
    ]


def figures(day: Day, stories: Sequence[float]) -> dict[str, float]:
    """As JSON shows them; times in seconds."""
    return {
        "events": day.events,
        "day": day.seconds,
        "yardstick": day.yardstick,
        "ratio": day.ratio,
        "ratio_bound": RATIO_BOUND,
        "events_per_second": day.events / day.seconds,
        "days_per_second": 1 / day.seconds,
        "stories": len(stories),
        "median_story": statistics.median(stories),
        "story_bound": STORY_BOUND,
    }


def _bare_store(path: Path, bodies: Sequence[str]) -> None:
    store = sqlite3.connect(path, isolation_level=None)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = OFF")
    store.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL)")
    store.execute("CREATE TABLE effects (id INTEGER PRIMARY KEY, event INTEGER NOT NULL, state TEXT NOT NULL)")
    for number, body in enumerate(bodies):
        store.execute("BEGIN IMMEDIATE")
        written = json.dumps(json.loads(body), ensure_ascii=False)
        store.execute("INSERT INTO events (key, body) VALUES (?, ?)", (f"event:{number}", written))
        store.execute("INSERT INTO effects (event, state) VALUES (?, 'pending')", (number,))
        store.execute("COMMIT")
        store.execute("BEGIN IMMEDIATE")
        store.execute("UPDATE effects SET state = 'started' WHERE id = ?", (number + 1,))
        store.execute("COMMIT")
    store.close()


def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None)
