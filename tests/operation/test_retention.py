"""Backups are kept for the time that a household sets, for ever by default, and never removed in silence."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from calling import call, use
from households import night_of, rebuilt

from harness.world.night import Night

DAYS = 30


def aged(folder: Path, age: timedelta, days: int = DAYS) -> Night:
    """A night whose switch happened so long ago, in a household that keeps backups for so many days."""
    night = night_of(folder, "tmux", keep_backups_days=days)
    assert rebuilt(night).state == "activated", night.latest().error
    ended = datetime.fromisoformat(night.latest().updated_at)
    night.world.now = ended + age
    return night


def backups(night: Night) -> list[str]:
    return sorted(path.name for path in night.house.store.artifacts(night.latest().id).glob("*"))


@pytest.mark.parametrize(
    ("age", "days", "kept"),
    [
        (timedelta(days=DAYS), DAYS, True),
        (timedelta(days=DAYS, seconds=1), DAYS, False),
        (timedelta(days=10_000), 0, True),
    ],
)
def test_backups_go_after_their_time_and_the_record_says_so(
    tmp_path: Path, age: timedelta, days: int, kept: bool
) -> None:
    night = aged(tmp_path, age, days)
    before, steps = backups(night), len(night.latest().steps)
    assert before
    done = call(night, "recover")
    assert backups(night) == (before if kept else [])
    added = night.latest().steps[steps:]
    assert [(step.event, step.state) for step in added] == ([] if kept else [("drop_backups", "activated")])
    assert all(name in step.detail for step in added for name in before)
    assert (done.stdout == "nothing to recover\n") == kept
    assert all(step.detail in done.stdout for step in added)
    assert all(path.exists() for path in night.project_dir.glob("*.jsonl"))
    assert len(json.loads(call(night, "recover", "--json").stdout)["operations"]) == 0
    assert len(night.latest().steps) == steps + len(added)


def test_the_record_speaks_before_the_first_file_goes(tmp_path: Path) -> None:
    night = aged(tmp_path, timedelta(days=DAYS, seconds=1))
    before = backups(night)
    with patch.object(night.house.ports.files, "remove", wraps=night.house.ports.files.remove) as remove:
        remove.side_effect = lambda path: _fail(path) if path.parent.name == night.latest().id else None
        assert call(night, "recover").exit_code == 1
    assert backups(night) == before
    assert night.latest().steps[-1].event == "drop_backups"


def test_an_operation_without_its_backups_can_be_rolled_back(tmp_path: Path) -> None:
    night = aged(tmp_path, timedelta(days=DAYS, seconds=1))
    call(night, "recover")
    asked = use(night.house, "thread_rebuild_rollback_request", confirmation="ROLLBACK")
    assert not asked.is_error
    night.end_turn(str(night.latest().new_session_id))
    night.world.run()
    assert night.latest().state == "rolled_back", night.latest().error


def _fail(path: Path) -> None:
    raise PermissionError(13, "Permission denied", str(path))
