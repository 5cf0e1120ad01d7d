"""Every story of a reviewed chat, once for each step and each way in which that step can go wrong.

Steps are the calls through the ports, and the moments right before and right after every commit. Whatever went wrong,
the host is started again, and then no message is lost, none was sent twice, and the mailbox holds what was sent.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.faults import ROOM
from harness.invariants.review import REVIEW_INVARIANTS
from harness.scenario.review.playing import Seen, play_chat
from harness.scenario.stories.loading import Story, load_stories
from harness.world.kernel import Fault

STORIES = Path(__file__).parents[2] / "scenarios" / "review"
FILES = [path for path in sorted(STORIES.glob("*.toml")) if 'kind = "review"' in path.read_text(encoding="utf-8")]
FAILS = {
    ("outbox", "send"): ("no", "late", "eio"),
    ("mailbox", "commit"): ("no", "late", "eio"),
    ("models", "review"): ("no", "eio"),
    ("models", "pinned_prompt"): ("no", "eio"),
    ("history", "search"): ("no", "eio"),
    ("history", "names"): ("eio",),
    ("tools", "run"): ("eio",),
}
"""How the far end of a port can fail; the host itself can be killed at every step."""


def played(story: Story, *faults: Fault) -> Seen:
    with tempfile.TemporaryDirectory(dir=ROOM if ROOM.is_dir() else None) as folder:
        seen = play_chat(story, Path(folder), faults=faults)
        _ = seen.states
        seen.house.store.database.close()
        return seen


def wrongs(seen: Seen) -> Iterator[Fault]:
    """Every fault of a story, by the steps that it takes when nothing goes wrong."""
    for step, call in enumerate(seen.house.world.calls, start=1):
        if step >= seen.house.first_step:
            for do in ("kill", *FAILS.get(call, ())):
                yield Fault(step, do)


def broken(seen: Seen) -> list[str]:
    return [f"{each.rule} {each.name}: {said}" for each in REVIEW_INVARIANTS for said in each.faults(seen)]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_whatever_goes_wrong_at_whatever_step_nothing_is_lost_or_sent_twice(path: Path) -> None:
    found, kills, restarts = [], 0, 0
    for story in load_stories(path):
        quiet = played(story)
        assert broken(quiet) == []
        for fault in wrongs(quiet):
            seen = played(story, fault)
            kills += fault.do == "kill"
            restarts += any(line["did"] == "starts" for line in seen.lines)
            found += [f"{story.title}: {fault.step}:{fault.do} {said}" for said in broken(seen)]
    assert found == []
    assert restarts >= kills > 0
