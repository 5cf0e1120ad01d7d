"""What tests of incidents need: the shipped archives, one made of a night's scenario, and a copy to be spoiled."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from harness.scenario.nights.loading import load_night
from harness.scenario.nights.playing import play_night

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "golden" / "incidents"
NAMES = sorted(path.name for path in SHIPPED.iterdir())
SCENARIOS = ROOT / "scenarios" / "incidents"
NIGHTS = ROOT / "scenarios" / "rebuild" / "nights"


def copy_of(name: str, folder: Path) -> Path:
    """A shipped archive in a folder of its own."""
    shutil.copytree(SHIPPED / name, folder / name)
    return folder / name


def operation_file(archive: Path) -> Path:
    """The one operation file of an archive."""
    return next((archive / "operations").glob("*.json"))


def artifacts(archive: Path) -> Path:
    """The artifacts of its operation."""
    return archive / "artifacts" / operation_file(archive).stem


def transcript(archive: Path) -> Path:
    """The copy of its old transcript."""
    return artifacts(archive) / "aaaaaaaa-0000-4000-8000-000000000001.jsonl"


def change_record(archive: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the operation file."""
    path = operation_file(archive)
    record = msgspec.json.decode(path.read_bytes())
    change(record)
    path.write_bytes(msgspec.json.encode(record))


def archive_of_night(name: str, folder: Path) -> Path:
    """The state folder that a night of scenarios/rebuild/nights/ leaves behind."""
    play = play_night(load_night(NIGHTS / f"{name}.toml"), folder / "night")
    return Path(play.night.settings.state_dir)
